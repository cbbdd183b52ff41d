// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// EigenFit as a term of a step: eigenvalues of the corrected stiffness, derivatives, and steps
// against dense matrices.
#include "base/memory.h"
#include "eigenfit/eigenfit.h"
#include "eigenfit/mode_match.h"
#include "fem_samples.h"
#include "modes/mode_set.h"
#include "sparse/vector.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DENSITY = 1000.0, YOUNG = 1e5;

// A box that is held at x = 0, its stiffness and modes at rest, and its term.
typedef struct sample {
    fem_sample body;
    pl_block_matrix K;
    double *mass, *ratios;
    int *offsets, *neighbours;
    bool* fixed;
    pl_pin* pins;
    int pin_count, count; // count: 3 per vertex
    pl_mode_set modes;
    pl_eigenfit_term* term;
} sample;

static void list_neighbours(sample* s) {
    s->offsets = calloc((size_t)s->K.row_count + 1, sizeof(int));
    s->neighbours = malloc((size_t)pl_block_matrix_entry_count(&s->K) * sizeof(int));
    int count = 0;
    for (int v = 0; v < s->K.row_count; v++) {
        for (int k = s->K.offsets[v]; k < s->K.offsets[v + 1]; k++)
            if (s->K.columns[k] != v) s->neighbours[count++] = s->K.columns[k];
        s->offsets[v + 1] = count;
    }
}

static pl_eigenfit_input input_of(const sample* s, bool is_linear) {
    return (pl_eigenfit_input){.vertex_count = s->K.row_count,
                               .neighbour_offsets = s->offsets,
                               .neighbours = s->neighbours,
                               .rest = s->body.mesh->positions,
                               .fixed = s->fixed,
                               .mode_count = s->modes.count,
                               .rigid_count = s->modes.rigid_count,
                               .lambda = s->modes.lambda,
                               .shapes = s->modes.shapes,
                               .ratios = s->ratios,
                               .is_linear = is_linear,
                               .tolerance = 0.4};
}

static pl_modes_problem problem_of(const sample* s) {
    return (pl_modes_problem){.K = &s->K, .mass = s->mass, .fixed = s->fixed};
}

static double some_ratio(int k) { return 0.5 + 0.07 * (k % 9); }

// mode_count 0: all modes there are. The ratios are some_ratio, or 1 if `plain`.
static sample make_sample(int nx, int ny, int nz, pl_material_kind law,
                          const pl_step_settings* settings, int mode_count, bool plain,
                          pl_pool* pool) {
    sample s = {0};
    pl_error error = {0};
    pl_material material;
    pl_mesh* mesh = fem_box(0.1 * nx, 0.1 * ny, 0.1 * nz, nx, ny, nz);
    int n = mesh->vertex_count, unknowns = 0;
    s.count = 3 * n;
    s.fixed = calloc((size_t)n, sizeof(bool));
    s.pins = calloc((size_t)n, sizeof(pl_pin));
    s.pin_count = verify_pin_left(mesh, 1e-9, s.pins);
    for (int k = 0; k < s.pin_count; k++) s.fixed[s.pins[k].vertex] = true;
    for (int v = 0; v < n; v++) unknowns += s.fixed[v] ? 0 : 3;
    CHECK_OK(pl_material_from_young(law, YOUNG, 0.3, &material, &error), &error);
    CHECK_OK(verify_stiffness(mesh, &material, DENSITY, s.fixed, &s.K, NULL, &s.mass, &error),
             &error);
    s.body = fem_sample_create(mesh, law, YOUNG, 0.3, DENSITY, settings, pool);
    list_neighbours(&s);
    pl_modes_problem problem = problem_of(&s);
    pl_modes_settings wanted = {.count = mode_count ? mode_count : unknowns};
    CHECK_OK(pl_modes_find(&problem, &wanted, NULL, &s.modes, &error), &error);
    s.ratios = malloc((size_t)s.modes.count * sizeof(double));
    for (int k = 0; k < s.modes.count; k++) s.ratios[k] = plain ? 1.0 : some_ratio(k);
    pl_eigenfit_input input = input_of(&s, law == PL_MATERIAL_LINEAR);
    CHECK_OK(pl_eigenfit_term_create(&input, pool, &s.term, &error), &error);
    return s;
}

static void free_sample(sample* s) {
    fem_sample_free(&s->body);
    pl_eigenfit_term_destroy(s->term);
    PL_FREE(s->mass, double, s->K.row_count);
    pl_block_matrix_free(&s->K);
    pl_mode_set_free(&s->modes);
    void* all[] = {s->ratios, s->offsets, s->neighbours, s->fixed, s->pins};
    for (int k = 0; k < 5; k++) free(all[k]);
}

static void add_term(sample* s) {
    pl_error error = {0};
    CHECK_OK(pl_step_add_term(s->body.system, pl_eigenfit_term_of(s->term), &error), &error);
}

static pl_step_settings settings_of(pl_integrator integrator, pl_nonlinear nonlinear) {
    pl_step_settings s = pl_default_step_settings();
    s.integrator = integrator;
    s.nonlinear = nonlinear;
    s.linear = PL_LINEAR_DIRECT;
    s.tolerance = 1e-9;
    s.max_iterations = 30;
    return s;
}

// The objective that a step from `start` would give the term.
static pl_step_objective objective_of(const sample* s, const double* start) {
    pl_step_model model = pl_step_system_model(s->body.system);
    return (pl_step_objective){.vertex_count = s->K.row_count,
                               .set_count = model.set_count,
                               .sets = model.sets,
                               .mass = model.mass,
                               .velocity_time = 0.01,
                               .start = start,
                               .placed = start,
                               .reference = s->body.mesh->positions,
                               .fixed = s->fixed};
}

// K bent: every vertex moves by some smooth field that leaves x = 0 where it is
static double* bent(const sample* s, double size) {
    double* x = malloc((size_t)s->count * sizeof *x);
    for (int v = 0; v < s->K.row_count; v++) {
        const double* X = s->body.mesh->positions + 3 * v;
        x[3 * v] = X[0];
        x[3 * v + 1] = X[1] + size * X[0] * X[0];
        x[3 * v + 2] = X[2] + 0.5 * size * X[0] * X[1];
    }
    return x;
}

// ---------------------------------------------------------------- the term

// (K + M U (R - I) Lambda U' M) u = r lambda M u for each corrected mode; others keep theirs.
TEST(eigenfit_gives_modes_the_wanted_eigenvalues)
{
    pl_step_settings settings = settings_of(PL_INTEGRATOR_EULER, PL_NONLINEAR_NEWTON);
    sample s = make_sample(3, 1, 1, PL_MATERIAL_LINEAR, &settings, 8, false, NULL);
    for (int k = 5; k < 8; k++) s.ratios[k] = 1.0;
    pl_eigenfit_term_destroy(s.term);
    pl_eigenfit_input input = input_of(&s, true);
    pl_error error = {0};
    CHECK_OK(pl_eigenfit_term_create(&input, NULL, &s.term, &error), &error);
    const pl_step_term* t = pl_eigenfit_term_of(s.term);
    pl_step_objective f = objective_of(&s, s.body.mesh->positions);
    CHECK_OK(t->begin(t->user, &f, &error), &error);
    pl_low_rank part = t->low_rank(t->user, f.start);
    pl_modes_problem problem = problem_of(&s);
    CHECK_INT(part.rank, 5);
    double *Ku = malloc((size_t)s.count * sizeof *Ku), *Mu = malloc((size_t)s.count * sizeof *Mu);
    for (int k = 0; k < 8; k++) {
        const double* u = s.modes.shapes + (size_t)k * (size_t)s.count;
        pl_modes_stiffness(&problem, NULL, u, Ku);
        pl_modes_mass(&problem, NULL, u, Mu);
        for (int a = 0; a < part.rank; a++) {
            const double* P = part.U + (size_t)a * (size_t)s.count;
            double along = pl_vector_dot(NULL, s.count, P, u);
            pl_vector_axpy(NULL, s.count, part.C[a * part.rank + a] * along, P, Ku);
        }
        double wanted = s.ratios[k] * s.modes.lambda[k], size = pl_vector_norm(NULL, s.count, Ku);
        pl_vector_axpy(NULL, s.count, -wanted, Mu, Ku);
        CHECK(pl_vector_norm(NULL, s.count, Ku) < 1e-7 * size);
    }
    free(Ku);
    free(Mu);
    free_sample(&s);
}

// The gradient is that of the energy, and the low-rank part that of the gradient; with damping.
TEST(eigenfit_derivatives_equal_finite_differences)
{
    pl_step_settings settings = settings_of(PL_INTEGRATOR_EULER, PL_NONLINEAR_NEWTON);
    sample s = make_sample(3, 1, 1, PL_MATERIAL_NEOHOOKEAN, &settings, 6, false, NULL);
    const pl_step_term* t = pl_eigenfit_term_of(s.term);
    double *x0 = bent(&s, 0.3), *x = bent(&s, 0.35);
    pl_step_objective f = objective_of(&s, x0);
    f.damping_stiffness = 0.005;
    pl_error error = {0};
    CHECK_OK(t->begin(t->user, &f, &error), &error);
    CHECK(pl_eigenfit_term_info(s.term).found);
    CHECK(pl_eigenfit_term_info(s.term).agrees);
    pl_low_rank part = t->low_rank(t->user, x);
    CHECK_INT(part.rank, 6);
    double *g = calloc((size_t)s.count, sizeof *g), *h = calloc((size_t)s.count, sizeof *h);
    t->gradient(t->user, x, g);
    double size = pl_vector_norm(NULL, s.count, g), step = 1e-5;
    CHECK(size > 0.0);
    for (int i = s.count - 9; i < s.count; i += 4) {
        double before = x[i];
        x[i] = before + step;
        double up = t->energy(t->user, x);
        memset(h, 0, (size_t)s.count * sizeof *h);
        t->gradient(t->user, x, h);
        x[i] = before - step;
        double down = t->energy(t->user, x);
        x[i] = before;
        CHECK_NEAR((up - down) / (2.0 * step), g[i], 1e-6 * size);
        double slope = 0.0; // of g[i] along i
        for (int a = 0; a < part.rank; a++) {
            double P = part.U[(size_t)a * (size_t)s.count + (size_t)i];
            slope += part.C[a * part.rank + a] * P * P;
        }
        CHECK_NEAR((h[i] - g[i]) / step, slope, 1e-6 * fabs(slope) + 1e-9 * size / step);
    }
    for (int k = 0; k < s.pin_count; k++)
        for (int i = 0; i < 3; i++) CHECK(g[3 * s.pins[k].vertex + i] == 0.0);
    void* all[] = {x0, x, g, h};
    for (int k = 0; k < 4; k++) free(all[k]);
    free_sample(&s);
}

// A step takes the elements' forces and stiffness from the term, at the positions that it began
// with and nowhere else.
TEST(eigenfit_shares_what_it_knows_of_the_elements)
{
    pl_step_settings settings = settings_of(PL_INTEGRATOR_EULER, PL_NONLINEAR_NEWTON);
    sample s = make_sample(3, 1, 1, PL_MATERIAL_NEOHOOKEAN, &settings, 6, false, NULL);
    const pl_step_term *t = pl_eigenfit_term_of(s.term), *terms[] = {t};
    double *x0 = bent(&s, 0.3), *x = bent(&s, 0.35);
    double *g = malloc((size_t)s.count * sizeof *g), *h = malloc((size_t)s.count * sizeof *h);
    double *scratch = malloc(2 * (size_t)s.count * sizeof *scratch),
           *zero = calloc((size_t)s.count, sizeof *zero);
    pl_step_objective f = objective_of(&s, x0);
    pl_error error = {0};
    CHECK_OK(t->begin(t->user, &f, &error), &error);
    CHECK(t->elastic_gradient(t->user, x0) && !t->elastic_gradient(t->user, x));
    CHECK(t->stiffness(t->user, x0, 0.0) && !t->stiffness(t->user, x0, 1.0));
    CHECK(!t->stiffness(t->user, x, 0.0));
    f.force = zero;
    f.y = f.reference;
    f.inertia = 1e4;
    pl_step_gradient(&f, x0, g, scratch);
    t->gradient(t->user, x0, g); // zero at what is held
    pl_step_hessian(&f, x0, 0.0, &s.K);
    size_t entries = 9 * (size_t)pl_block_matrix_entry_count(&s.K);
    double* values = malloc(entries * sizeof *values);
    memcpy(values, s.K.values, entries * sizeof *values);
    f.terms = terms;
    f.term_count = 1;
    pl_step_gradient(&f, x0, h, scratch);
    pl_step_hessian(&f, x0, 0.0, &s.K);
    double size = pl_vector_norm(NULL, s.count, g), stiff = 0.0;
    for (int i = 0; i < s.count; i++) CHECK_NEAR(g[i], h[i], 1e-13 * size);
    for (size_t i = 0; i < entries; i++) stiff = fmax(stiff, fabs(values[i]));
    for (size_t i = 0; i < entries; i++) CHECK_NEAR(values[i], s.K.values[i], 1e-13 * stiff);
    void* all[] = {x0, x, g, h, scratch, zero, values};
    for (int k = 0; k < 7; k++) free(all[k]);
    free_sample(&s);
}

// Two modes that have changed places are told apart, and a body bent far is not one at rest.
TEST(eigenfit_matches_modes_by_their_shapes)
{
    double overlaps[] = {0.1, 0.9, 0.0, 0.95, 0.2, 0.1, 0.0, 0.3, 0.8};
    int match[3];
    CHECK(pl_modes_agree(3, 0, overlaps, 0.4));
    pl_match_modes(3, 3, overlaps, match);
    CHECK(match[0] == 1 && match[1] == 0 && match[2] == 2);
    double mixed[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.7};
    CHECK(!pl_modes_agree(3, 0, mixed, 0.4));
    CHECK(pl_modes_agree(3, 1, mixed, 0.4)); // one of two
    // the best pairs in sum, not the largest overlap first; a column may stay without a row
    const double crossed[] = {0.8, 0.75, 0.0, 0.7, 0.1, NAN};
    pl_match_modes(2, 3, crossed, match);
    CHECK(match[0] == 1 && match[1] == 0);
    // a mode that is spread over two of equal lambda is theirs
    const double row[] = {0.65, 0.7, 0.1}, lambda[] = {1.0, 1.01, 2.0};
    CHECK_NEAR(pl_mode_agreement(3, row, lambda, 1), hypot(0.65, 0.7), 1e-12);
}

// ---------------------------------------------------------------- steps

// x = A^-1 b, dense; A and b are used up
static void solve_dense(int n, double* A, double* b) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double part = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= part * A[k * n + j];
            b[i] -= part * b[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

// A step of implicit Euler on M a = -K' (x - X) + M g with K' = M U R Lambda U' M of all modes (Eq.
// 10) by a dense matrix, from x and v.
static void dense_step(const sample* s, double h, double gravity, double* x, double* v) {
    int n = s->count;
    size_t size = (size_t)n;
    double *K = calloc(size * size, sizeof *K), *A = calloc(size * size, sizeof *A);
    double* b = calloc(size, sizeof *b);
    for (int k = 0; k < s->modes.count; k++) {
        const double* u = s->modes.shapes + (size_t)k * size;
        double value = s->ratios[k] * s->modes.lambda[k];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                K[i * n + j] += value * s->mass[i / 3] * u[i] * s->mass[j / 3] * u[j];
    }
    for (int i = 0; i < n; i++) {
        double m = s->mass[i / 3];
        for (int j = 0; j < n; j++) {
            A[i * n + j] = K[i * n + j] + (i == j ? m / (h * h) : 0.0);
            b[i] -= K[i * n + j] * (x[j] - s->body.mesh->positions[j]);
        }
        b[i] += m * v[i] / h - (i % 3 == 1 ? m * gravity : 0.0);
    }
    for (int i = 0; i < n; i++)
        if (s->fixed[i / 3]) {
            for (int j = 0; j < n; j++) A[i * n + j] = A[j * n + i] = i == j ? 1.0 : 0.0;
            b[i] = 0.0;
        }
    solve_dense(n, A, b);
    for (int i = 0; i < n; i++) {
        x[i] += b[i];
        v[i] = b[i] / h;
    }
    free(K);
    free(A);
    free(b);
}

// With all modes, the term over the sparse factor is the dense matrix of Eq. 10.
TEST(eigenfit_of_all_modes_equals_the_dense_matrix)
{
    pl_step_settings settings = settings_of(PL_INTEGRATOR_EULER, PL_NONLINEAR_NEWTON);
    sample s = make_sample(2, 1, 1, PL_MATERIAL_LINEAR, &settings, 0, false, NULL);
    add_term(&s);
    double *x = malloc((size_t)s.count * sizeof *x), *v = calloc((size_t)s.count, sizeof *v);
    memcpy(x, s.body.mesh->positions, (size_t)s.count * sizeof *x);
    const double h = 0.01;
    for (int k = 0; k < 6; k++) {
        fem_sample_step(&s.body, h, 9.81, s.pins, s.pin_count);
        dense_step(&s, h, 9.81, x, v);
    }
    const double* y = pl_step_positions(s.body.system);
    double moved = 0.0;
    for (int i = 0; i < s.count; i++) moved = fmax(moved, fabs(x[i] - s.body.mesh->positions[i]));
    CHECK(moved > 1e-4);
    for (int i = 0; i < s.count; i++) CHECK_NEAR(y[i], x[i], 1e-7 * moved);
    free(x);
    free(v);
    free_sample(&s);
}

// positions after some steps, of a nonlinear law, allocated
static double* run(pl_integrator integrator, bool with_term, bool plain, pl_pool* pool) {
    pl_step_settings settings = settings_of(integrator, PL_NONLINEAR_NEWTON);
    settings.damping_stiffness = 0.002;
    sample s = make_sample(4, 1, 1, PL_MATERIAL_STABLE_NEOHOOKEAN, &settings, 5, plain, pool);
    if (with_term) add_term(&s);
    for (int k = 0; k < 4; k++) fem_sample_step(&s.body, 0.02, 9.81, s.pins, s.pin_count);
    double* x = malloc((size_t)s.count * sizeof *x);
    memcpy(x, pl_step_positions(s.body.system), (size_t)s.count * sizeof *x);
    free_sample(&s);
    return x;
}

TEST(eigenfit_with_ratios_of_one_changes_nothing)
{
    const pl_integrator integrators[] = {PL_INTEGRATOR_EULER, PL_INTEGRATOR_MIDPOINT};
    for (int k = 0; k < 2; k++) {
        double* with = run(integrators[k], true, true, NULL);
        double* without = run(integrators[k], false, true, NULL);
        double *softer = run(integrators[k], true, false, NULL), lowest[2] = {0.0, 0.0};
        for (int i = 0; i < 3 * 20; i++) CHECK_NEAR(with[i], without[i], 1e-12);
        for (int i = 1; i < 3 * 20; i += 3) {
            lowest[0] = fmin(lowest[0], with[i]);
            lowest[1] = fmin(lowest[1], softer[i]);
        }
        CHECK(lowest[1] < 1.01 * lowest[0]); // ratios below 1 sag further
        free(with);
        free(without);
        free(softer);
    }
}

TEST(eigenfit_same_bits_for_any_threads)
{
    pl_pool* pool;
    pl_error error = {0};
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    double *one = run(PL_INTEGRATOR_EULER, true, false, NULL),
           *three = run(PL_INTEGRATOR_EULER, true, false, pool);
    CHECK(memcmp(one, three, 3 * 20 * sizeof *one) == 0);
    pl_pool_destroy(pool);
    free(one);
    free(three);
}

TEST(eigenfit_survives_every_failing_allocation)
{
    pl_step_settings settings = settings_of(PL_INTEGRATOR_EULER, PL_NONLINEAR_NEWTON);
    sample s = make_sample(2, 1, 1, PL_MATERIAL_NEOHOOKEAN, &settings, 4, false, NULL);
    pl_eigenfit_input input = input_of(&s, false);
    pl_step_objective f = objective_of(&s, s.body.mesh->positions);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_eigenfit_term* term;
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_eigenfit_term_create(&input, NULL, &term, &error);
        if (status == PL_OK) {
            const pl_step_term* t = pl_eigenfit_term_of(term);
            status = t->begin(t->user, &f, &error);
            pl_inject_failure(0);
            // once warm, a step allocates nothing
            size_t warm = pl_byte_count();
            if (status == PL_OK) CHECK_OK(t->begin(t->user, &f, &error), &error);
            CHECK(pl_byte_count() == warm);
        }
        pl_inject_failure(0);
        pl_eigenfit_term_destroy(term);
        CHECK(pl_byte_count() == before);
        if (status == PL_OK) {
            CHECK(nth > 25);
            break;
        }
        CHECK(status == PL_ERROR_MEMORY);
    }
    free_sample(&s);
}
