// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What solves the linear systems of method mixed where something else fails: cycles, MINRES, the
// direct solver.
#include "base/memory.h"
#include "base/random.h"
#include "mixed/mixed_linear.h"
#include "mixed_samples.h"
#include "test.h"

enum { FINENESS = 4 };

// a bent block that is held at one side, and its solver
typedef struct ladder {
    mixed_sample s;
    pl_block_matrix K;
    bool fixed[MIXED_SAMPLE_VERTICES];
    double mass[MIXED_SAMPLE_VERTICES], y[3 * MIXED_SAMPLE_VERTICES], b[3 * MIXED_SAMPLE_VERTICES];
    pl_step_objective f;
    pl_step_settings settings;
    pl_newton_solver newton;
} ladder;

static void fill(ladder* l, double inertia) {
    mixed_sample* s = &l->s;
    pl_random random = {7};
    for (int v = 0; v < s->n; v++) {
        l->fixed[v] = s->mesh->positions[3 * v] < 1e-6;
        l->mass[v] = 1000.0 / s->n;
        for (int c = 0; c < 3; c++) l->b[3 * v + c] = l->fixed[v] ? 0.0 : pl_random_normal(&random);
    }
    l->f = (pl_step_objective){.vertex_count = s->n,
                               .set_count = 1,
                               .sets = &s->set,
                               .mass = l->mass,
                               .inertia = inertia,
                               .y = l->y,
                               .fixed = l->fixed};
}

// tets in a part of the block
static void stiffen(mixed_sample* s, double contrast) {
    pl_material* materials = pl_mixed_materials(&s->set);
    for (int e = 0; e < s->mesh->tet_count; e++) {
        const double* corner = s->mesh->positions + 3 * s->mesh->tets[4 * e];
        if (corner[0] < 0.3 || corner[1] < 0.3 || corner[1] > 0.7) continue;
        materials[e].mu *= contrast;
        materials[e].lambda *= contrast;
    }
}

static void make(ladder* l, double poisson, double inertia, double relaxation, double contrast,
                 bool fallback) {
    pl_error error;
    *l = (ladder){
        .s = mixed_sample_make(FINENESS, PL_MATERIAL_STABLE_NEOHOOKEAN, poisson, 1.0, false)};
    mixed_sample* s = &l->s;
    mixed_sample_mix(s, pl_mixed_pressure_values(s->pressure));
    stiffen(s, contrast);
    pl_mixed_options options = {1.0, false, relaxation};
    CHECK_OK(pl_mixed_pressure_changed(s->pressure, &options, &error), &error);
    fill(l, inertia);
    CHECK_OK(pl_block_matrix_setup(&l->K, s->n, 3, s->pattern.offsets, s->pattern.items, &error),
             &error);
    static const int levels[] = {4, 16};
    l->settings = (pl_step_settings){.coupling = pl_mixed_coupling(s->pressure),
                                     .linear = PL_LINEAR_MULTIGRID,
                                     .multigrid = {.pre_sweeps = 1,
                                                   .post_sweeps = 1,
                                                   .fallback = fallback,
                                                   .stiffness_aware = true,
                                                   .level_count = 2}};
    l->settings.multigrid.levels = (int*)levels;
    pl_element_set_hessian(&s->set, NULL, s->mesh->positions, true, 1.0, &l->K);
    CHECK_OK(pl_mixed_newton(&(pl_solver_input){.A = &l->K,
                                                .rest = s->mesh->positions,
                                                .sets = &s->set,
                                                .set_count = 1,
                                                .settings = &l->settings},
                             &l->newton, &error),
             &error);
    mixed_sample_disturb(s, 0.02, 3);
}

static void free_ladder(ladder* l) {
    pl_block_matrix_free(&l->K);
    mixed_sample_free(&l->s);
}

static pl_mixed_rung rung_of(const ladder* l) {
    static char state[1 << 14];
    pl_mixed_linear_state linear;
    size_t size = pl_mixed_pressure_state_size(l->s.pressure);
    CHECK(size <= sizeof state);
    pl_mixed_pressure_state_save(l->s.pressure, state);
    memcpy(&linear, state + size - sizeof linear, sizeof linear);
    return linear.rung;
}

// one solve of at most so many iterations on each rung
static pl_linear_info solve_projected(ladder* l, double projected, int most, double* d) {
    pl_error error;
    pl_method_info method = {0};
    pl_linear_info info;
    pl_linear_options options = {.tolerance = 1e-8, .max_iterations = most};
    CHECK_OK(l->newton.functions->update(l->newton.data, &l->f, l->s.x, projected, &method, &error),
             &error);
    l->newton.functions->solve(l->newton.data, &options, false, l->b, d, &info);
    return info;
}

// one step with one solve
static pl_linear_info solve(ladder* l, int most, double* d) {
    l->newton.functions->begin(l->newton.data);
    return solve_projected(l, 1.0, most, d);
}

// Each rung takes over where the one before it fails, all of them with the same solution; in the
// next step cycles are tried again.
TEST(mixed_ladder_has_three_rungs)
{
    static const double poissons[] = {0.0, 0.3, 0.499, 0.5}, inertias[] = {0.0, 3600.0, 1e6};
    static double d[3][3 * MIXED_SAMPLE_VERTICES];
    for (int k = 0; k < 12; k++) {
        ladder l;
        double largest = 0.0;
        for (int rung = 0; rung < 3; rung++) {
            make(&l, poissons[k % 4], inertias[k / 4], rung == 0 ? NAN : 4.0, 1.0, true);
            pl_linear_info info = solve(&l, rung == 2 ? 3 : 120, d[rung]);
            CHECK(info.converged && info.residual <= 1e-8);
            CHECK_INT(rung_of(&l), rung);
            CHECK(info.switched == (rung > 0));
            l.newton.functions->begin(l.newton.data);
            CHECK_INT(rung_of(&l), PL_MIXED_BY_CYCLES);
            free_ladder(&l);
        }
        for (int i = 0; i < 3 * l.s.n; i++) largest = fmax(largest, fabs(d[2][i]));
        for (int i = 0; i < 3 * l.s.n; i++) {
            CHECK_NEAR(d[0][i], d[2][i], 1e-5 * largest);
            CHECK_NEAR(d[1][i], d[2][i], 1e-5 * largest);
        }
    }
}

// A Hessian that is not projected may have led nowhere because it was indefinite: no other rung
// takes it over.
TEST(mixed_ladder_is_for_projected_matrices)
{
    static double d[3 * MIXED_SAMPLE_VERTICES];
    ladder l;
    make(&l, 0.499, 3600.0, 4.0, 1.0, true);
    l.newton.functions->begin(l.newton.data);
    pl_linear_info info = solve_projected(&l, 0.0, 120, d);
    CHECK(!info.converged && !info.switched);
    CHECK_INT(rung_of(&l), PL_MIXED_BY_CYCLES);
    info = solve_projected(&l, 1.0, 120, d);
    CHECK(info.converged && info.switched);
    CHECK_INT(rung_of(&l), PL_MIXED_BY_MINRES);
    free_ladder(&l);
}

// Where the scene forbids it, no other solver is made.
TEST(mixed_ladder_may_be_forbidden)
{
    static double d[3 * MIXED_SAMPLE_VERTICES];
    ladder l;
    make(&l, 0.499, 3600.0, 4.0, 1.0, false);
    size_t before = pl_byte_count();
    pl_linear_info info = solve(&l, 50, d);
    CHECK(!info.converged && !info.switched);
    CHECK_INT(rung_of(&l), PL_MIXED_BY_CYCLES);
    CHECK(pl_byte_count() == before);
    free_ladder(&l);
}

// A part of 1e4 times the stiffness takes at most twice the iterations of one material at rest.
TEST(mixed_ladder_bears_contrasts)
{
    static double d[3 * MIXED_SAMPLE_VERTICES];
    static const double contrasts[] = {1.0, 1e4, 1e4}, inertias[] = {0.0, 0.0, 3600.0};
    int iterations[3];
    for (int k = 0; k < 3; k++) {
        ladder l;
        make(&l, 0.499, inertias[k], NAN, contrasts[k], false);
        pl_linear_info info = solve(&l, 200, d);
        CHECK(info.converged);
        iterations[k] = info.iterations;
        free_ladder(&l);
    }
    printf("%d, %d, %d iterations\n", iterations[0], iterations[1], iterations[2]);
    CHECK(iterations[1] <= 2 * iterations[0] && iterations[2] <= 2 * iterations[0]);
}
