// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projective Dynamics on multigrid against the same with the direct solver in double.
#include "base/memory.h"
#include "fem/cloth_elements.h"
#include "fem/fem_system.h"
#include "fem_samples.h"
#include "mesh/topology.h"
#include "sample_meshes.h"
#include "test.h"

static pl_step_settings settings_of(pl_linear linear, double tolerance, int iterations) {
    pl_step_settings s = pl_default_step_settings();
    s.nonlinear = PL_NONLINEAR_PROJECTIVE;
    s.linear = linear;
    s.tolerance = tolerance;
    s.max_iterations = iterations;
    s.line_search = false;
    s.linear_tolerance = linear == PL_LINEAR_DIRECT ? 1e-12 : 1e-3;
    s.linear_max_iterations = 20;
    return s;
}

// soft or hard pins at the left end, which is lifted by `lift` in a step
static int make_pins(const pl_mesh* mesh, bool hard, double lift, pl_pin* pins) {
    int count = verify_pin_left(mesh, 0.05, pins);
    for (int k = 0; k < count; k++) {
        pins[k].hard = hard;
        pins[k].stiffness = 1e4;
        pins[k].from = pins[k].target;
        pins[k].target.y += lift;
    }
    return count;
}

// a floor below the body, as a detect callback: planes at y = height
typedef struct floor_below {
    int vertex_count;
    double height;
    double friction;
} floor_below;

static int detect_floor(void* user, const double* start, const double* x, pl_contact* out,
                        int capacity) {
    (void)start;
    const floor_below* f = user;
    int count = 0;
    for (int v = 0; v < f->vertex_count; v++) {
        if (x[3 * v + 1] > f->height) continue;
        if (count < capacity)
            out[count] = (pl_contact){.vertex = v,
                                      .point = {x[3 * v], f->height, x[3 * v + 2]},
                                      .normal = {0.0, 1.0, 0.0},
                                      .stiffness = 2e4,
                                      .friction = f->friction};
        count++;
    }
    return count;
}

typedef struct run_options {
    pl_material_kind law;
    bool hard;
    bool floor;
    double friction;
    pl_integrator integrator;
    double damping_mass, damping_stiffness;
    int steps;
    int threads;
} run_options;

// positions after some steps of a beam; allocated
static double* run_beam(const run_options* o, pl_step_settings settings, pl_method_info* last) {
    pl_error error;
    pl_pool* pool = NULL;
    if (o->threads) CHECK_OK(pl_pool_create(o->threads, &pool, &error), &error);
    settings.integrator = o->integrator;
    settings.damping_mass = o->damping_mass;
    settings.damping_stiffness = o->damping_stiffness;
    pl_mesh* mesh = fem_box(1.0, 0.3, 0.3, 8, 3, 3);
    fem_sample s = fem_sample_create(mesh, o->law, 2e4, 0.3, 1000.0, &settings, pool);
    int n = s.mesh->vertex_count;
    pl_pin* pins = PL_ALLOC(pl_pin, n);
    int pin_count = make_pins(s.mesh, o->hard, 0.002, pins);
    double low = 1e30;
    for (int v = 0; v < n; v++) low = fmin(low, s.mesh->positions[3 * v + 1]);
    floor_below below = {n, low - 0.01, o->friction};
    for (int v = 0; v < n; v++) s.force[3 * v + 1] = -9.81 * s.mass[v];
    for (int k = 0; k < o->steps; k++) {
        pl_method_step step = {.time_step = 1.0 / 60.0,
                               .force = s.force,
                               .pins = pins,
                               .pin_count = pin_count,
                               .detect = o->floor ? detect_floor : NULL,
                               .detect_user = &below};
        CHECK_OK(pl_step_system_step(s.system, &step, last, &error), &error);
        for (int i = 0; i < pin_count; i++) {
            pins[i].from = pins[i].target;
            pins[i].target.y += 0.002;
        }
    }
    double* x = PL_ALLOC(double, 3 * n);
    memcpy(x, pl_step_positions(s.system), 3 * (size_t)n * sizeof(double));
    PL_FREE(pins, pl_pin, n);
    fem_sample_free(&s);
    pl_pool_destroy(pool);
    return x;
}

enum { BEAM_VALUES = 3 * 9 * 4 * 4 };

// The largest difference to the direct solver, of a beam of length 1. What is minimised is the same
// for Newton, which does better with friction.
static double difference(const run_options* o, double tolerance, pl_nonlinear nonlinear) {
    pl_method_info info;
    double* ours = run_beam(o, settings_of(PL_LINEAR_MULTIGRID, tolerance, 400), &info);
    CHECK(info.converged);
    CHECK(info.linear_iterations > 0);
    pl_step_settings direct = settings_of(PL_LINEAR_DIRECT, tolerance, 400);
    direct.nonlinear = nonlinear;
    direct.line_search = nonlinear == PL_NONLINEAR_NEWTON;
    double* reference = run_beam(o, direct, &info);
    CHECK(info.converged);
    double largest = 0.0, moved = 0.0;
    for (int i = 0; i < BEAM_VALUES; i++) {
        largest = fmax(largest, fabs(ours[i] - reference[i]));
        moved = fmax(moved, fabs(reference[i]));
    }
    CHECK(moved > 0.1);
    PL_FREE(ours, double, BEAM_VALUES);
    PL_FREE(reference, double, BEAM_VALUES);
    return largest;
}

TEST(projective_fast_agrees)
{
    run_options arap = {.law = PL_MATERIAL_ARAP, .integrator = PL_INTEGRATOR_EULER, .steps = 6};
    CHECK(difference(&arap, 1e-4, PL_NONLINEAR_PROJECTIVE) < 1e-4);
    CHECK(difference(&arap, 1e-8, PL_NONLINEAR_PROJECTIVE) <
          1e-8); // below float: the end is in double
    run_options corotated = {
        .law = PL_MATERIAL_COROTATED, .integrator = PL_INTEGRATOR_EULER, .steps = 6};
    CHECK(difference(&corotated, 1e-7, PL_NONLINEAR_PROJECTIVE) < 1e-7);
}

TEST(projective_fast_integrators)
{
    for (int k = 0; k < 3; k++) {
        run_options o = {.law = PL_MATERIAL_ARAP,
                         .integrator = (pl_integrator[]){PL_INTEGRATOR_MIDPOINT, PL_INTEGRATOR_BDF2,
                                                         PL_INTEGRATOR_EULER}[k],
                         .damping_mass = 0.7,
                         .steps = 6,
                         .hard = k % 2 == 0};
        CHECK(difference(&o, 1e-7, PL_NONLINEAR_PROJECTIVE) < 1e-6);
    }
}

// what has no float elements goes the long way: damping by stiffness, other laws
TEST(projective_fast_others)
{
    run_options damped = {.law = PL_MATERIAL_ARAP,
                          .integrator = PL_INTEGRATOR_EULER,
                          .damping_stiffness = 0.01,
                          .steps = 5};
    CHECK(difference(&damped, 1e-7, PL_NONLINEAR_PROJECTIVE) < 1e-6);
    run_options law = {
        .law = PL_MATERIAL_STABLE_NEOHOOKEAN, .integrator = PL_INTEGRATOR_EULER, .steps = 5};
    CHECK(difference(&law, 1e-6, PL_NONLINEAR_PROJECTIVE) < 1e-5);
}

TEST(projective_fast_contacts)
{
    run_options o = {
        .law = PL_MATERIAL_ARAP, .integrator = PL_INTEGRATOR_EULER, .floor = true, .steps = 8};
    CHECK(difference(&o, 1e-6, PL_NONLINEAR_NEWTON) < 1e-5);
    o.hard = true;
    CHECK(difference(&o, 1e-6, PL_NONLINEAR_NEWTON) < 1e-5);
    // friction is a part of normal forces that lag, so the two are not quite the same
    o.friction = 0.3;
    CHECK(difference(&o, 1e-6, PL_NONLINEAR_NEWTON) < 1e-3);
}

// Contacts act along their normals on all levels, however many nodes the coarsest has: a beam that
// slides on a floor takes as many iterations.
TEST(projective_fast_contacts_with_many_coarsest_nodes)
{
    run_options o = {
        .law = PL_MATERIAL_ARAP, .integrator = PL_INTEGRATOR_EULER, .floor = true, .steps = 8};
    int iterations[2];
    for (int k = 0; k < 2; k++) {
        pl_method_info info;
        pl_step_settings settings = settings_of(PL_LINEAR_MULTIGRID, 1e-5, 400);
        settings.multigrid.level_count = 1;
        settings.multigrid.levels = k == 0 ? (const int[]){60} : (const int[]){90};
        double* x = run_beam(&o, settings, &info);
        CHECK(info.converged);
        iterations[k] = info.iterations;
        PL_FREE(x, double, BEAM_VALUES);
    }
    CHECK(iterations[1] <= iterations[0] + 2);
}

TEST(projective_fast_fixed_iterations)
{
    pl_step_settings settings = settings_of(PL_LINEAR_MULTIGRID, 1e-30, 3);
    settings.all_iterations = true;
    settings.linear_max_iterations = 1;
    run_options o = {.law = PL_MATERIAL_ARAP, .integrator = PL_INTEGRATOR_EULER, .steps = 5};
    pl_method_info info;
    double* x = run_beam(&o, settings, &info);
    CHECK_INT(info.iterations, 3);
    CHECK_INT(info.linear_iterations, 3);
    CHECK(!info.converged && info.residual < 0.1);
    PL_FREE(x, double, BEAM_VALUES);
}

TEST(projective_fast_same_bits)
{
    pl_step_settings settings = settings_of(PL_LINEAR_MGPCG, 1e-5, 30);
    settings.line_search = true;
    run_options o = {
        .law = PL_MATERIAL_COROTATED, .integrator = PL_INTEGRATOR_BDF2, .floor = true, .steps = 5};
    double* first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_method_info info;
        o.threads = threads;
        double* x = run_beam(&o, settings, &info);
        if (!first) first = x;
        CHECK(memcmp(first, x, BEAM_VALUES * sizeof(double)) == 0);
        if (x != first) PL_FREE(x, double, BEAM_VALUES);
    }
    PL_FREE(first, double, BEAM_VALUES);
}

// Steps after a saved state, in another system, are the same to the bit; and steps that have seen
// everything once allocate nothing.
TEST(projective_fast_resumes)
{
    pl_step_settings settings = settings_of(PL_LINEAR_MULTIGRID, 1e-3, 2);
    settings.all_iterations = true;
    settings.linear_max_iterations = 1;
    fem_sample s[2];
    pl_pin* pins = NULL;
    int pin_count = 0, n = 0;
    for (int k = 0; k < 2; k++) {
        pl_mesh* mesh = fem_box(1.0, 0.3, 0.3, 8, 3, 3);
        n = mesh->vertex_count;
        if (!pins) pins = PL_ALLOC(pl_pin, n), pin_count = make_pins(mesh, false, 0.0, pins);
        s[k] = fem_sample_create(mesh, PL_MATERIAL_ARAP, 2e4, 0.3, 1000.0, &settings, NULL);
    }
    for (int k = 0; k < 7; k++) fem_sample_step(&s[0], 1.0 / 30.0, 9.81, pins, pin_count);
    size_t size = pl_step_state_size(s[0].system);
    unsigned char* state = PL_ALLOC(unsigned char, size);
    pl_step_state_save(s[0].system, state);
    pl_step_state_load(s[1].system, state);
    fem_sample_step(&s[1], 1.0 / 30.0, 9.81, pins, pin_count);
    pl_inject_failure(0);
    for (int k = 0; k < 5; k++) fem_sample_step(&s[0], 1.0 / 30.0, 9.81, pins, pin_count);
    CHECK_INT(pl_inject_failure(0), 0);
    for (int k = 0; k < 4; k++) fem_sample_step(&s[1], 1.0 / 30.0, 9.81, pins, pin_count);
    CHECK(memcmp(pl_step_positions(s[0].system), pl_step_positions(s[1].system),
                 3 * (size_t)n * sizeof(double)) == 0);
    PL_FREE(state, unsigned char, size);
    PL_FREE(pins, pl_pin, n);
    fem_sample_free(&s[0]);
    fem_sample_free(&s[1]);
}

// a hanging cloth of springs; positions at the end, allocated
static double* run_cloth(pl_step_settings settings, double shift, int* count) {
    pl_error error;
    pl_mesh* mesh = sample_sheet(20, 20);
    int n = mesh->vertex_count;
    for (int v = 0; v < n; v++) mesh->positions[3 * v] += shift;
    pl_edges edges;
    pl_adjacency graph;
    CHECK_OK(pl_edges_create(mesh->triangles, mesh->triangle_count, 3, n, &edges, &error), &error);
    CHECK_OK(pl_vertex_neighbours(&edges, n, &graph, &error), &error);
    double* stiffness = PL_ALLOC(double, edges.count);
    double *mass = PL_ALLOC(double, n), *force = PL_ALLOC(double, 3 * n);
    for (int e = 0; e < edges.count; e++) stiffness[e] = 50.0 + e % 7;
    for (int v = 0; v < n; v++) mass[v] = 0.01, force[3 * v + 2] = -0.0981;
    pl_element_set set;
    CHECK_OK(pl_spring_elements_setup(&set, mesh->positions, n, edges.ends, edges.count, stiffness,
                                      &error),
             &error);
    pl_step_system* system;
    CHECK_OK(pl_fem_system_create(mesh->positions, mass, n, graph.offsets, graph.items, &set, 1,
                                  &settings, NULL, &system, &error),
             &error);
    pl_vec3 corner = pl_vec3_load(mesh->positions), other = pl_vec3_load(mesh->positions + 60);
    pl_pin pins[2] = {{.vertex = 0, .hard = true, .from = corner, .target = corner},
                      {.vertex = 20, .stiffness = 1e3, .from = other, .target = other}};
    for (int k = 0; k < 10; k++) {
        pl_method_info info;
        pl_method_step step = {
            .time_step = 1.0 / 60.0, .force = force, .pins = pins, .pin_count = 2};
        CHECK_OK(pl_step_system_step(system, &step, &info, &error), &error);
        CHECK(info.converged);
    }
    double* x = PL_ALLOC(double, 3 * n);
    memcpy(x, pl_step_positions(system), 3 * (size_t)n * sizeof(double));
    for (int v = 0; v < n; v++) x[3 * v] -= shift;
    PL_FREE(stiffness, double, edges.count);
    PL_FREE(mass, double, n);
    PL_FREE(force, double, 3 * n);
    pl_edges_free(&edges);
    pl_adjacency_free(&graph);
    pl_step_system_destroy(system);
    pl_mesh_destroy(mesh);
    *count = 3 * n;
    return x;
}

// where the cloth hangs in the world does not matter: floats are taken from the body
TEST(projective_fast_cloth)
{
    int count;
    double* reference = run_cloth(settings_of(PL_LINEAR_DIRECT, 1e-6, 2000), 0.0, &count);
    double* ours = run_cloth(settings_of(PL_LINEAR_MULTIGRID, 1e-6, 2000), 0.0, &count);
    double* far = run_cloth(settings_of(PL_LINEAR_MULTIGRID, 1e-4, 2000), 10000.0, &count);
    double difference = 0.0, far_difference = 0.0, sag = 0.0;
    for (int i = 0; i < count; i++) {
        difference = fmax(difference, fabs(ours[i] - reference[i]));
        far_difference = fmax(far_difference, fabs(far[i] - reference[i]));
        sag = fmin(sag, reference[i]);
    }
    CHECK(sag < -0.1);
    CHECK(difference < 1e-4);
    CHECK(far_difference < 5e-3);
    PL_FREE(reference, double, count);
    PL_FREE(ours, double, count);
    PL_FREE(far, double, count);
}
