// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Terms that are added to a step: with an energy, without one, of low rank, between pieces.
#include "base/memory.h"
#include "base/random.h"
#include "elements/tet_elements.h"
#include "fem_samples.h"
#include "step/step_assembled.h"
#include "step/step_low_rank.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { FAR = 44 }; // the last vertex of the box below

static pl_mesh* small_box(void) { return fem_box(0.2, 0.1, 0.1, 4, 2, 2); }

static pl_step_settings settings_of(pl_nonlinear nonlinear, pl_linear linear) {
    pl_step_settings s = pl_default_step_settings();
    s.nonlinear = nonlinear;
    s.linear = linear;
    s.tolerance = 1e-9;
    s.max_iterations = nonlinear == PL_NONLINEAR_PROJECTIVE ? 400 : 50;
    s.linear_tolerance = 1e-10;
    return s;
}

// A spring from a vertex to a point, or (other >= 0) to another vertex.
typedef struct spring {
    int vertex, other;
    double stiffness;
    pl_vec3 target;
} spring;

static pl_vec3 stretch(const spring* s, const double* x) {
    pl_vec3 to = s->other < 0 ? s->target : pl_vec3_load(x + 3 * s->other);
    return pl_sub(pl_vec3_load(x + 3 * s->vertex), to);
}

static double spring_energy(const void* user, const double* x) {
    const spring* s = user;
    return 0.5 * s->stiffness * pl_norm2(stretch(s, x));
}

static void spring_energies(const void* user, const int* piece_of, const bool* chosen,
                            const double* x, double* energies) {
    int piece = piece_of[((const spring*)user)->vertex];
    if (!chosen || chosen[piece]) energies[piece] += spring_energy(user, x);
}

static void add_at(double* gradient, int vertex, double scale, pl_vec3 d) {
    double* g = gradient + 3 * vertex;
    pl_vec3_store(g, pl_madd(pl_vec3_load(g), scale, d));
}

static void spring_gradient(const void* user, const double* x, double* gradient) {
    const spring* s = user;
    add_at(gradient, s->vertex, s->stiffness, stretch(s, x));
    if (s->other >= 0) add_at(gradient, s->other, -s->stiffness, stretch(s, x));
}

static void spring_hessian(const void* user, const double* x, double projected, pl_add_block add,
                           void* to) {
    const spring* s = user;
    double k = s->stiffness, block[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
    (void)x, (void)projected;
    add(to, s->vertex, s->vertex, block);
    if (s->other < 0) return;
    add(to, s->other, s->other, block);
    for (int i = 0; i < 9; i++) block[i] = -block[i];
    add(to, s->vertex, s->other, block);
    add(to, s->other, s->vertex, block);
}

static double largest_difference(const double* a, const double* b, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

// The same spring as a term and as a soft pin.
static void compare_with_pin(pl_nonlinear nonlinear, pl_linear linear) {
    pl_step_settings settings = settings_of(nonlinear, linear);
    pl_error error;
    fem_sample a =
        fem_sample_create(small_box(), PL_MATERIAL_COROTATED, 1e4, 0.3, 1000.0, &settings, NULL);
    fem_sample b =
        fem_sample_create(small_box(), PL_MATERIAL_COROTATED, 1e4, 0.3, 1000.0, &settings, NULL);
    pl_pin pins[45];
    int pin_count = verify_pin_left(a.mesh, 0.01, pins);
    spring s = {FAR, -1, 300.0, {0.3, 0.2, 0.0}};
    pl_step_term term = {.user = &s,
                         .energy = spring_energy,
                         .energies = spring_energies,
                         .gradient = spring_gradient,
                         .hessian = spring_hessian};
    CHECK_OK(pl_step_add_term(a.system, &term, &error), &error);
    for (int k = 0; k < 5; k++) {
        CHECK(fem_sample_step(&a, 0.01, 9.81, pins, pin_count).converged);
        pins[pin_count] =
            (pl_pin){.vertex = FAR, .stiffness = s.stiffness, .target = s.target, .from = s.target};
        CHECK(fem_sample_step(&b, 0.01, 9.81, pins, pin_count + 1).converged);
    }
    const double *x = pl_step_positions(a.system), *y = pl_step_positions(b.system);
    CHECK(largest_difference(x, y, 3 * a.mesh->vertex_count) < 1e-8);
    CHECK(largest_difference(x, a.mesh->positions, 3 * a.mesh->vertex_count) > 0.01);
    fem_sample_free(&a);
    fem_sample_free(&b);
}

TEST(step_term_is_what_a_pin_is)
{
    compare_with_pin(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT);
    compare_with_pin(PL_NONLINEAR_NEWTON, PL_LINEAR_MGPCG); // blocks in float
    compare_with_pin(PL_NONLINEAR_PROJECTIVE, PL_LINEAR_DIRECT);
    compare_with_pin(PL_NONLINEAR_PROJECTIVE, PL_LINEAR_MULTIGRID);
}

// A force across the way from the axis, which is the gradient of nothing.
static void swirl_gradient(const void* user, const double* x, double* gradient) {
    const double* strength = user;
    add_at(gradient, FAR, *strength, (pl_vec3){-x[3 * FAR + 1], x[3 * FAR], 0.0});
}

TEST(step_term_without_energy_is_driven_to_zero_by_full_steps)
{
    pl_step_settings settings = settings_of(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT);
    pl_error error;
    fem_sample a =
        fem_sample_create(small_box(), PL_MATERIAL_LINEAR, 1e4, 0.3, 1000.0, &settings, NULL);
    double strength = 20.0, momentum[3] = {0};
    pl_step_term term = {.user = &strength, .gradient = swirl_gradient};
    CHECK_OK(pl_step_add_term(a.system, &term, &error), &error);
    pl_method_info info = fem_sample_step(&a, 0.01, 0.0, NULL, 0);
    CHECK(info.converged && info.residual <= settings.tolerance);
    CHECK(info.iterations > 1); // its derivative is not in the matrix
    // the impulse of the step is what the term gave, at the end of the step
    const double *x = pl_step_positions(a.system), *v = pl_step_velocities(a.system);
    for (int i = 0; i < 3 * a.mesh->vertex_count; i++) momentum[i % 3] += a.mass[i / 3] * v[i];
    CHECK_NEAR(momentum[0], 0.01 * strength * x[3 * FAR + 1], 1e-8);
    CHECK_NEAR(momentum[1], -0.01 * strength * x[3 * FAR], 1e-8);
    CHECK(fabs(momentum[1]) > 0.01);
    fem_sample_free(&a);
}

enum { RANK = 3 };

// x' U C U' x / 2
typedef struct low_rank_energy {
    int count;
    double *U, C[RANK * RANK];
    const double* origin;
} low_rank_energy;

static void coordinates(const low_rank_energy* q, const double* x, double* out) {
    for (int k = 0; k < RANK; k++) {
        out[k] = 0.0;
        for (int i = 0; i < q->count; i++) out[k] += q->U[k * q->count + i] * (x[i] - q->origin[i]);
    }
}

static double low_rank_value(const void* user, const double* x) {
    const low_rank_energy* q = user;
    double at[RANK], sum = 0.0;
    coordinates(q, x, at);
    for (int i = 0; i < RANK; i++)
        for (int j = 0; j < RANK; j++) sum += 0.5 * at[i] * q->C[i * RANK + j] * at[j];
    return sum;
}

static void low_rank_gradient(const void* user, const double* x, double* gradient) {
    const low_rank_energy* q = user;
    double at[RANK];
    coordinates(q, x, at);
    for (int i = 0; i < RANK; i++)
        for (int j = 0; j < RANK; j++)
            for (int d = 0; d < q->count; d++)
                gradient[d] += q->U[i * q->count + d] * q->C[i * RANK + j] * at[j];
}

static pl_low_rank low_rank_of(const void* user, const double* x) {
    const low_rank_energy* q = user;
    (void)x;
    return (pl_low_rank){.rank = RANK, .U = q->U, .C = q->C};
}

static low_rank_energy make_low_rank(int count, const double* origin, double size) {
    low_rank_energy q = {.count = count, .U = PL_ALLOC(double, RANK* count), .origin = origin};
    pl_random random = {7};
    for (int i = 0; i < RANK * count; i++) q.U[i] = pl_random_uniform(&random, -1.0, 1.0);
    const double C[RANK * RANK] = {3, 1, 0, 1, 2, -1, 0, -1, -0.5}; // indefinite
    for (int i = 0; i < RANK * RANK; i++) q.C[i] = size * C[i];
    return q;
}

static pl_step_term low_rank_term(low_rank_energy* q) {
    return (pl_step_term){.user = q,
                          .energy = low_rank_value,
                          .gradient = low_rank_gradient,
                          .low_rank = low_rank_of,
                          .is_indefinite = true};
}

// (A + U C U') d = b, multiplied out
TEST(step_low_rank_direction_solves_the_dense_system)
{
    enum { VERTICES = 6, COUNT = 3 * VERTICES };
    int offsets[VERTICES + 1], neighbours[2 * VERTICES];
    pl_error error;
    for (int v = 0; v < VERTICES; v++) { // a ring
        int before = (v + VERTICES - 1) % VERTICES, after = (v + 1) % VERTICES;
        offsets[v] = 2 * v;
        neighbours[2 * v] = before < after ? before : after;
        neighbours[2 * v + 1] = before < after ? after : before;
    }
    offsets[VERTICES] = 2 * VERTICES;
    pl_block_matrix A;
    CHECK_OK(pl_block_matrix_setup(&A, VERTICES, 3, offsets, neighbours, &error), &error);
    double mass[VERTICES] = {1, 2, 3, 4, 5, 6}, zero[COUNT] = {0}, b[COUNT], d[COUNT] = {0};
    bool fixed[VERTICES] = {false, false, true};
    low_rank_energy q = make_low_rank(COUNT, zero, 2.0);
    pl_step_term term = low_rank_term(&q);
    const pl_step_term* terms[] = {&term};
    pl_step_objective f = {.vertex_count = VERTICES,
                           .mass = mass,
                           .inertia = 4.0,
                           .fixed = fixed,
                           .terms = terms,
                           .term_count = 1};
    pl_step_settings settings = settings_of(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT);
    pl_solver_input input = {.A = &A, .settings = &settings};
    pl_newton_solver solver;
    pl_method_info info = {0};
    pl_linear_info linear;
    pl_linear_options options = {.tolerance = 1e-10, .max_iterations = 100};
    CHECK_OK(pl_assembled_newton(&input, &solver, &error), &error);
    CHECK_OK(solver.functions->update(solver.data, &f, zero, 1.0, &info, &error), &error);
    for (int i = 0; i < COUNT; i++) b[i] = fixed[i / 3] ? 0.0 : sin(1.0 + i);
    pl_low_rank_work work = pl_low_rank_setup();
    CHECK_OK(pl_low_rank_solve(&work, &solver, &f, zero, &options, false, b, d, &linear, &error),
             &error);
    CHECK_INT(work.rank, RANK);
    CHECK(linear.converged);
    double Ud[RANK] = {0};
    for (int k = 0; k < RANK; k++)
        for (int i = 0; i < COUNT; i++) Ud[k] += q.U[k * COUNT + i] * d[i];
    for (int i = 0; i < COUNT; i++) {
        double sum = (fixed[i / 3] ? 1.0 : 4.0 * mass[i / 3]) * d[i];
        for (int k = 0; k < RANK && !fixed[i / 3]; k++)
            for (int l = 0; l < RANK; l++) sum += q.U[k * COUNT + i] * q.C[k * RANK + l] * Ud[l];
        CHECK_NEAR(sum, b[i], 1e-12);
    }
    // left out, where a step would go uphill with it
    double plain[COUNT] = {0};
    f.leaves_indefinite_out = true;
    CHECK_OK(
        pl_low_rank_solve(&work, &solver, &f, zero, &options, false, b, plain, &linear, &error),
        &error);
    CHECK_INT(work.rank, 0);
    CHECK(linear.converged);
    // a part that takes all stiffness of an unknown away is left out, and the solve counts as
    // failed
    f.leaves_indefinite_out = false;
    memset(q.U, 0, RANK * COUNT * sizeof(double));
    memset(q.C, 0, sizeof q.C);
    q.U[0] = 1.0;
    q.C[0] = -4.0 * mass[0];
    CHECK_OK(pl_low_rank_solve(&work, &solver, &f, zero, &options, false, b, d, &linear, &error),
             &error);
    CHECK(!linear.converged);
    for (int i = 0; i < COUNT; i++) CHECK(d[i] == plain[i]);
    pl_low_rank_free(&work);
    solver.functions->destroy(solver.data);
    pl_block_matrix_free(&A);
    PL_FREE(q.U, double, RANK* COUNT);
}

// How often a solver was asked; its functions are those of another one.
typedef struct counted_solver {
    pl_newton_solver inner;
    int solves;
} counted_solver;

static void counted_solve(void* data, const pl_linear_options* options, bool residual_unread,
                          const double* b, double* x, pl_linear_info* info) {
    counted_solver* s = data;
    s->solves++;
    s->inner.functions->solve(s->inner.data, options, residual_unread, b, x, info);
}

static void counted_apply(void* data, const double* x, double* y) {
    counted_solver* s = data;
    s->inner.functions->apply(s->inner.data, x, y);
}

typedef struct known_term {
    pl_low_rank part;
} known_term;

static pl_low_rank known_part(const void* user, const double* x) {
    (void)x;
    return ((const known_term*)user)->part;
}

// A = 4 M, and a part along single unknowns, whose inverse is known to a thousandth: a few solves
// do. Columns of Q that are a thousandth off leave a thousandth of the residual in the first round
// and a millionth in each further one. An inverse that is known wrongly costs as many solves as
// there are columns, and the result is the same.
TEST(step_low_rank_uses_an_inverse_that_is_nearly_known)
{
    enum { VERTICES = 4, COUNT = 3 * VERTICES, COLUMNS = 5 };
    const int offsets[VERTICES + 1] = {0};
    const pl_newton_functions functions = {.solve = counted_solve, .apply = counted_apply};
    double mass[VERTICES] = {1, 2, 3, 4}, zero[COUNT] = {0}, b[COUNT];
    double U[COLUMNS * COUNT] = {0}, C[COLUMNS * COLUMNS] = {0}, Q[COLUMNS * COUNT] = {0},
                       E[COLUMNS];
    bool fixed[VERTICES] = {false};
    known_term known = {{COLUMNS, U, C, Q, E}};
    pl_step_term term = {.user = &known, .low_rank = known_part, .is_indefinite = true};
    const pl_step_term* terms[] = {&term};
    pl_step_objective f = {.vertex_count = VERTICES,
                           .mass = mass,
                           .inertia = 4.0,
                           .fixed = fixed,
                           .terms = terms,
                           .term_count = 1};
    pl_step_settings settings = settings_of(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT);
    pl_block_matrix A;
    pl_error error;
    CHECK_OK(pl_block_matrix_setup(&A, VERTICES, 3, offsets, offsets, &error), &error);
    pl_solver_input input = {.A = &A, .settings = &settings};
    counted_solver counted = {0};
    pl_method_info info = {0};
    CHECK_OK(pl_assembled_newton(&input, &counted.inner, &error), &error);
    CHECK_OK(counted.inner.functions->update(counted.inner.data, &f, zero, 1.0, &info, &error),
             &error);
    pl_newton_solver solver = {&functions, &counted, false};
    pl_low_rank_work work = pl_low_rank_setup();
    for (int i = 0; i < COUNT; i++) b[i] = sin(1.0 + i);
    enum { NEARLY, TURNED, WRONG };
    for (int kind = NEARLY; kind <= WRONG; kind++) {
        double d[COUNT] = {0};
        for (int k = 0; k < COLUMNS; k++) { // the unknown 2 k keeps half of its stiffness
            double plain = 4.0 * mass[2 * k / 3], aside = kind == TURNED ? 1e-3 : 0.0;
            double left = 0.5 * plain + 4.0 * mass[(2 * k + 1) / 3] * aside * aside;
            U[k * COUNT + 2 * k] = Q[k * COUNT + 2 * k] = 1.0;
            Q[k * COUNT + 2 * k + 1] = aside;
            C[k * COLUMNS + k] = -0.5 * plain;
            E[k] = (kind == WRONG ? -1.5 : kind == NEARLY ? 1.001 : 1.0) / left;
        }
        pl_linear_info linear;
        pl_linear_options options = {.tolerance = 1e-10, .max_iterations = 100};
        counted.solves = 0;
        CHECK_OK(
            pl_low_rank_solve(&work, &solver, &f, zero, &options, false, b, d, &linear, &error),
            &error);
        CHECK(linear.converged);
        if (kind == WRONG) CHECK_INT(counted.solves, 1 + 1 + COLUMNS);
        else if (kind == TURNED) CHECK_INT(counted.solves, 3);
        else CHECK(counted.solves >= 2 && counted.solves <= 4);
        for (int i = 0; i < COUNT; i++) {
            double softened = i % 2 == 0 && i / 2 < COLUMNS ? 0.5 : 1.0;
            CHECK_NEAR(d[i], b[i] / (4.0 * softened * mass[i / 3]), 1e-9);
        }
    }
    pl_low_rank_free(&work);
    counted.inner.functions->destroy(counted.inner.data);
    pl_block_matrix_free(&A);
}

// Elements of the linear law, inertia and the term are quadratic: one iteration is exact.
TEST(step_low_rank_term_takes_one_iteration)
{
    const pl_linear solvers[] = {PL_LINEAR_DIRECT, PL_LINEAR_MGPCG};
    for (int k = 0; k < 2; k++) {
        pl_step_settings settings = settings_of(PL_NONLINEAR_NEWTON, solvers[k]);
        pl_error error;
        settings.tolerance = 1e-6;
        fem_sample a =
            fem_sample_create(small_box(), PL_MATERIAL_LINEAR, 1e4, 0.3, 1000.0, &settings, NULL);
        low_rank_energy q = make_low_rank(3 * a.mesh->vertex_count, a.mesh->positions, 10.0);
        pl_step_term term = low_rank_term(&q);
        CHECK_OK(pl_step_add_term(a.system, &term, &error), &error);
        pl_method_info info = fem_sample_step(&a, 0.01, 9.81, NULL, 0);
        CHECK(info.converged);
        CHECK(info.iterations <= (solvers[k] == PL_LINEAR_DIRECT ? 1 : 3)); // float: wrong by 1e-7
        PL_FREE(q.U, double, q.count* RANK);
        fem_sample_free(&a);
    }
}

// Two tets that only the term joins, in a system without solvers of a method.
static pl_step_system* two_tets(const double* positions, const double* mass) {
    static const int corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int offsets[9], neighbours[24];
    pl_error error;
    for (int v = 0, at = 0; v < 8; v++) {
        offsets[v] = at;
        for (int w = v / 4 * 4; w < v / 4 * 4 + 4; w++)
            if (w != v) neighbours[at++] = w;
        offsets[v + 1] = at;
    }
    pl_material material[2];
    for (int e = 0; e < 2; e++)
        CHECK_OK(pl_material_from_young(PL_MATERIAL_COROTATED, 1e4, 0.3, &material[e], &error),
                 &error);
    pl_element_set set;
    CHECK_OK(pl_tet_elements_setup(&set, positions, 8, corners, 2, material, &error), &error);
    pl_step_settings settings = settings_of(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT);
    pl_step_system* system;
    CHECK_OK(pl_step_system_create(positions, mass, 8, offsets, neighbours, &set, 1, &settings,
                                   NULL, NULL, &system, &error),
             &error);
    return system;
}

TEST(step_term_joins_pieces)
{
    double positions[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, mass[8];
    for (int i = 0; i < 12; i++) positions[12 + i] = positions[i] + (i % 3 == 0 ? 3.0 : 0.0);
    for (int v = 0; v < 8; v++) mass[v] = v < 4 ? 1.0 : 2.0;
    pl_step_system* system = two_tets(positions, mass);
    spring s = {.vertex = 1, .other = 4, .stiffness = 5e3};
    pl_step_term term = {.user = &s,
                         .energy = spring_energy,
                         .gradient = spring_gradient,
                         .hessian = spring_hessian};
    pl_error error;
    CHECK_OK(pl_step_add_term(system, &term, &error), &error);
    double force[24] = {0}, gap = 2.0;
    for (int k = 0; k < 20; k++) {
        pl_method_step step = {.time_step = 0.01, .force = force};
        pl_method_info info;
        CHECK_OK(pl_step_system_step(system, &step, &info, &error), &error);
        CHECK(info.converged);
        const double *x = pl_step_positions(system), *v = pl_step_velocities(system);
        double momentum[3] = {0};
        for (int i = 0; i < 24; i++) momentum[i % 3] += mass[i / 3] * v[i];
        for (int c = 0; c < 3; c++) CHECK_NEAR(momentum[c], 0.0, 1e-6);
        gap = fmin(gap, pl_distance(pl_vec3_load(x + 3), pl_vec3_load(x + 12)));
    }
    CHECK(gap < 0.5);
    pl_step_system_destroy(system);
}

TEST(step_terms_survive_every_failing_allocation)
{
    pl_step_settings settings = settings_of(PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT);
    settings.tolerance = 1e-6;
    pl_method_step step = {.time_step = 0.01};
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        fem_sample a =
            fem_sample_create(small_box(), PL_MATERIAL_LINEAR, 1e4, 0.3, 1000.0, &settings, NULL);
        low_rank_energy q = make_low_rank(3 * a.mesh->vertex_count, a.mesh->positions, 10.0);
        pl_step_term term = low_rank_term(&q);
        pl_method_info info;
        pl_error error;
        step.force = a.force;
        pl_inject_failure(nth);
        pl_status status = pl_step_add_term(a.system, &term, &error);
        if (status == PL_OK) status = pl_step_system_step(a.system, &step, &info, &error);
        pl_inject_failure(0);
        PL_FREE(q.U, double, q.count* RANK);
        fem_sample_free(&a);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    CHECK_INT(pl_byte_count(), before);
}
