// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projective Dynamics where few iterations must do: bodies that spin, that fall into the ground,
// and contacts far stiffer than the body.
#include "base/memory.h"
#include "fem_samples.h"
#include "sample_meshes.h"
#include "step/rigid_start.h"
#include "test.h"

#include <math.h>

static const double STEP = 1.0 / 60.0;

static pl_step_settings settings_of(pl_nonlinear nonlinear, pl_linear linear,
                                    pl_integrator integrator, int iterations) {
    pl_step_settings s = pl_default_step_settings();
    s.nonlinear = nonlinear;
    s.linear = linear;
    s.integrator = integrator;
    s.tolerance = 1e-6;
    s.max_iterations = iterations;
    s.all_iterations = nonlinear == PL_NONLINEAR_PROJECTIVE;
    s.linear_tolerance = 1e-3;
    s.linear_max_iterations = 100;
    return s;
}

static pl_vec3 centre_of(const fem_sample* s) {
    const double* x = pl_step_positions(s->system);
    pl_vec3 sum = {0, 0, 0};
    double mass = 0.0;
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        sum = pl_madd(sum, s->mass[v], pl_vec3_load(x + 3 * v));
        mass += s->mass[v];
    }
    return pl_scale(1.0 / mass, sum);
}

// about the centre of mass
static pl_vec3 angular_momentum(const fem_sample* s) {
    const double *x = pl_step_positions(s->system), *v = pl_step_velocities(s->system);
    pl_vec3 centre = centre_of(s), sum = {0, 0, 0};
    for (int i = 0; i < s->mesh->vertex_count; i++) {
        pl_vec3 r = pl_sub(pl_vec3_load(x + 3 * i), centre);
        sum = pl_madd(sum, s->mass[i], pl_cross(r, pl_vec3_load(v + 3 * i)));
    }
    return sum;
}

// A free bar that turns at a speed [rad/s]: its angular momentum after 10 steps, relative to that
// at the start.
static pl_vec3 spin_at(double speed, const pl_step_settings* settings) {
    fem_sample s = fem_sample_create(fem_box(0.4, 0.1, 0.1, 8, 2, 2), PL_MATERIAL_ARAP, 2e6, 0.0,
                                     1000.0, settings, NULL);
    const double* x = pl_step_positions(s.system);
    pl_vec3 omega = {0.0, 0.0, speed}, centre = centre_of(&s);
    for (int v = 0; v < s.mesh->vertex_count; v++)
        pl_vec3_store(pl_step_velocities(s.system) + 3 * v,
                      pl_cross(omega, pl_sub(pl_vec3_load(x + 3 * v), centre)));
    double before = angular_momentum(&s).z;
    for (int k = 0; k < 10; k++) fem_sample_step(&s, STEP, 0.0, NULL, 0);
    pl_vec3 after = pl_scale(1.0 / before, angular_momentum(&s));
    fem_sample_free(&s);
    return after;
}

// 1 rad a step
static pl_vec3 spin(const pl_step_settings* settings) { return spin_at(60.0, settings); }

static void check_spin(pl_integrator integrator) {
    pl_step_settings newton = settings_of(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT, integrator, 50);
    pl_vec3 expected = spin(&newton);
    CHECK(expected.z > 0.2);
    const pl_linear solvers[] = {PL_LINEAR_DIRECT, PL_LINEAR_MULTIGRID};
    const int iterations[] = {1, 10};
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < 2; k++) {
            pl_step_settings s =
                settings_of(PL_NONLINEAR_PROJECTIVE, solvers[l], integrator, iterations[k]);
            CHECK(pl_distance(spin(&s), expected) < 0.01 * expected.z);
        }
}

TEST(projective_spin_survives_euler)
{ check_spin(PL_INTEGRATOR_EULER); }
TEST(projective_spin_survives_bdf2)
{ check_spin(PL_INTEGRATOR_BDF2); }

// Slower than what starts turned: four iterations of one cycle each lose no more of the spin than
// Newton does, because each step ends in balance.
TEST(projective_few_iterations_keep_the_spin)
{
    pl_step_settings newton =
        settings_of(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT, PL_INTEGRATOR_BDF2, 50);
    pl_vec3 expected = spin_at(2.5, &newton);
    CHECK(expected.z > 0.9);
    pl_step_settings s =
        settings_of(PL_NONLINEAR_PROJECTIVE, PL_LINEAR_MULTIGRID, PL_INTEGRATOR_BDF2, 4);
    s.linear_max_iterations = 1;
    pl_vec3 found = spin_at(2.5, &s);
    CHECK(pl_distance(found, expected) < 0.002 * expected.z);
}

// Damping acts on what deforms a body, so a spin goes on as with Newton.
TEST(projective_damping_lets_bodies_turn)
{
    pl_step_settings newton =
        settings_of(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT, PL_INTEGRATOR_BDF2, 50);
    newton.damping_stiffness = 0.002;
    pl_vec3 expected = spin_at(3.0, &newton);
    CHECK(expected.z > 0.8);
    const pl_linear solvers[] = {PL_LINEAR_DIRECT, PL_LINEAR_MULTIGRID};
    for (int l = 0; l < 2; l++) {
        pl_step_settings s =
            settings_of(PL_NONLINEAR_PROJECTIVE, solvers[l], PL_INTEGRATOR_BDF2, 200);
        s.all_iterations = false;
        s.tolerance = 1e-4;
        s.damping_stiffness = 0.002;
        CHECK(pl_distance(spin_at(3.0, &s), expected) < 0.01 * expected.z);
    }
}

// the half space below a plane through the origin, as a detect callback
typedef struct half_space {
    int vertex_count;
    pl_vec3 normal;
    double stiffness;
} half_space;

static int detect(void* user, const double* start, const double* x, pl_contact* out, int capacity) {
    (void)start;
    const half_space* h = user;
    int count = 0;
    for (int v = 0; v < h->vertex_count; v++) {
        pl_vec3 at = pl_vec3_load(x + 3 * v);
        double height = pl_dot(at, h->normal);
        if (height > 0.0) continue;
        if (count < capacity)
            out[count] = (pl_contact){.vertex = v,
                                      .point = pl_madd(at, -height, h->normal),
                                      .normal = h->normal,
                                      .stiffness = h->stiffness};
        count++;
    }
    return count;
}

static double volume_of(const fem_sample* s) {
    const double* x = pl_step_positions(s->system);
    double sum = 0.0;
    for (int e = 0; e < s->mesh->tet_count; e++) {
        const int* t = s->mesh->tets + 4 * e;
        pl_vec3 a = pl_vec3_load(x + 3 * t[0]);
        pl_vec3 b = pl_sub(pl_vec3_load(x + 3 * t[1]), a),
                c = pl_sub(pl_vec3_load(x + 3 * t[2]), a);
        sum += pl_dot(pl_cross(b, c), pl_sub(pl_vec3_load(x + 3 * t[3]), a)) / 6.0;
    }
    return sum;
}

typedef struct drop {
    pl_vec3 centre;
    double volume;     // relative to that at rest, the least of all steps
    double top_energy; // kinetic and elastic, the largest of all steps [J]
} drop;

// A soft cube of 0.1 m that falls from just above the plane at 1 m/s.
static drop drop_cube(const pl_step_settings* settings, pl_material_kind law, double poisson,
                      pl_vec3 normal, double stiffness, int steps) {
    pl_error error;
    pl_method_info info;
    pl_mesh* mesh = fem_box(0.1, 0.1, 0.1, 6, 6, 6);
    fem_sample s = fem_sample_create(mesh, law, 2e4, poisson, 1000.0, settings, NULL);
    int n = s.mesh->vertex_count;
    half_space ground = {n, pl_normalize(normal), stiffness};
    double *x = pl_step_positions(s.system), lowest = 1e30;
    for (int v = 0; v < n; v++)
        lowest = fmin(lowest, pl_dot(pl_vec3_load(x + 3 * v), ground.normal));
    for (int v = 0; v < n; v++) {
        x[3 * v + 1] += (0.001 - lowest) / ground.normal.y;
        pl_step_velocities(s.system)[3 * v + 1] = -1.0;
        s.force[3 * v + 1] = -9.81 * s.mass[v];
    }
    drop result = {.volume = 1.0};
    double rest = volume_of(&s);
    for (int k = 0; k < steps; k++) {
        pl_method_step step = {
            .time_step = STEP, .force = s.force, .detect = detect, .detect_user = &ground};
        CHECK_OK(pl_step_system_step(s.system, &step, &info, &error), &error);
        pl_method_energies energies = pl_step_system_energies(s.system);
        result.volume = fmin(result.volume, volume_of(&s) / rest);
        result.top_energy = fmax(result.top_energy, energies.kinetic + energies.elastic);
    }
    result.centre = centre_of(&s);
    fem_sample_free(&s);
    return result;
}

// 1 kg at 1 m/s, which may fall a little: with one iteration or a few, a drop gains no energy, and
// the cube stays a cube.
LONG_TEST(projective_few_iterations_are_stable)
{
    for (int iterations = 1; iterations <= 3; iterations++) {
        pl_step_settings s = settings_of(PL_NONLINEAR_PROJECTIVE, PL_LINEAR_MULTIGRID,
                                         PL_INTEGRATOR_EULER, iterations);
        drop d = drop_cube(&s, PL_MATERIAL_COROTATED, 0.45, (pl_vec3){0, 1, 0}, 3e3, 40);
        CHECK(d.top_energy < 0.8);
        CHECK(d.volume > 0.8);
        CHECK(d.centre.y > 0.03 && d.centre.y < 0.06);
    }
}

// Contacts of any stiffness with a plane that is along no axis, whose blocks float rounds: the cube
// slides as with Newton.
LONG_TEST(projective_contacts_of_any_stiffness)
{
    const double stiffnesses[] = {1e6, 3e9, 1e15};
    pl_vec3 normal = {0.3, 1.0, 0.2};
    pl_step_settings newton =
        settings_of(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT, PL_INTEGRATOR_EULER, 50);
    drop expected = drop_cube(&newton, PL_MATERIAL_ARAP, 0.0, normal, 1e6, 12);
    for (int k = 0; k < 3; k++) {
        pl_step_settings s =
            settings_of(PL_NONLINEAR_PROJECTIVE, PL_LINEAR_MULTIGRID, PL_INTEGRATOR_EULER, 10);
        s.linear_max_iterations = 1;
        drop d = drop_cube(&s, PL_MATERIAL_ARAP, 0.0, normal, stiffnesses[k], 12);
        CHECK(pl_distance(d.centre, expected.centre) < 0.005);
        CHECK_NEAR(d.volume, expected.volume, 0.05);
        CHECK(d.top_energy < 0.8);
    }
}

// Two pieces, one of which turns; a piece on a line, which does not tell; and vertices that are
// held.
TEST(rigid_start_moves_pieces_that_turn)
{
    enum { N = 10 };
    pl_error error;
    // a tetrahedron, another one, two vertices of a line
    const int offsets[N + 1] = {0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 7};
    const int neighbours[] = {1, 2, 3, 5, 6, 7, 9};
    const double mass[N] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 1};
    double x[3 * N] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 0, 0,
                       6, 0, 0, 5, 1, 0, 5, 0, 1, 9, 0, 0, 9, 1, 0};
    double y[3 * N], expected[3 * N];
    bool fixed[N] = {false, true};
    double c = cos(0.7), s = sin(0.7);
    for (int v = 0; v < N; v++) {
        const double* at = x + 3 * v;
        bool turns = v < 4 || v >= 8;
        double turned[3] = {turns ? c * at[0] - s * at[1] : at[0],
                            turns ? s * at[0] + c * at[1] : at[1], at[2] + 2.0};
        memcpy(y + 3 * v, turned, sizeof turned);
    }
    memcpy(expected, y, sizeof y);
    // stretched about its centre of mass: the nearest rigid motion takes that away
    for (int a = 0; a < 3; a++) {
        double centre = 0.0;
        for (int v = 0; v < 4; v++) centre += mass[v] * y[3 * v + a] / 10.0;
        for (int v = 0; v < 4; v++) y[3 * v + a] = centre + 1.3 * (y[3 * v + a] - centre);
    }
    memcpy(expected + 3, y + 3, 3 * sizeof(double)); // held
    pl_rigid_start* start;
    CHECK_OK(pl_rigid_start_create(N, offsets, neighbours, &start, &error), &error);
    CHECK_INT(pl_rigid_start_piece_count(start), 3);
    CHECK_INT(pl_rigid_start_piece(start, 7), 1);
    CHECK(pl_rigid_start_move(start, NULL, mass, x, fixed, y));
    CHECK(pl_rigid_start_moved(start, 0) && !pl_rigid_start_moved(start, 5) &&
          !pl_rigid_start_moved(start, 9));
    for (int i = 0; i < 3 * N; i++) CHECK_NEAR(y[i], expected[i], 1e-12);
    pl_rigid_start_destroy(start);
}

TEST(rigid_start_survives_failing_allocations)
{
    pl_error error;
    pl_mesh* mesh = sample_box(2, 2, 2);
    pl_adjacency graph = sample_graph(mesh);
    pl_rigid_start* start;
    pl_inject_failure(0);
    CHECK_OK(pl_rigid_start_create(graph.count, graph.offsets, graph.items, &start, &error),
             &error);
    int64_t count = pl_inject_failure(0);
    pl_rigid_start_destroy(start);
    for (int64_t k = 1; k <= count; k++) {
        pl_inject_failure(k);
        CHECK_INT(pl_rigid_start_create(graph.count, graph.offsets, graph.items, &start, &error),
                  PL_ERROR_MEMORY);
        CHECK(!start);
    }
    pl_inject_failure(0);
    pl_adjacency_free(&graph);
    pl_mesh_destroy(mesh);
}
