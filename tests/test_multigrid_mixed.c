// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid with 4 unknowns a vertex: levels and cycles, on a definite system on which it must do
// what it does with 3, and on the saddle points [K G'; G -C] of elasticity with a pressure.
#include "base/memory.h"
#include "base/random.h"
#include "mg_samples.h"
#include "multigrid/block_multigrid.h"
#include "sample_meshes.h"
#include "sparse/direct.h"
#include "sparse/krylov.h"

#include <stdlib.h>

static double dot(int count, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// ---------------------------------------------------------------- levels

// y = A_l x of the fixed part, m values per node
static void apply_level(const pl_block_mg* mg, int l, const double* x, double* y) {
    const pl_block_level* level = &mg->levels[l];
    const pl_mg_half* halves[2] = {&level->pattern.lower, &level->pattern.upper};
    int m = level->unknowns;
    for (int i = 0; i < level->node_count; i++)
        for (int r = 0; r < m; r++) {
            double sum = 0.0;
            for (int c = 0; c < m; c++) {
                sum +=
                    (double)level->fixed[(size_t)i * (size_t)level->block + (size_t)(m * c + r)] *
                    x[i * m + c];
                for (int h = 0; h < 2; h++)
                    for (int e = halves[h]->begin[i]; e < halves[h]->end[i]; e++)
                        sum +=
                            (double)level
                                ->values[(size_t)e * (size_t)level->block + (size_t)(m * c + r)] *
                            x[level->pattern.columns[e] * m + c];
            }
            y[i * m + r] = sum;
        }
}

// What unknown c of fine node i has of unknown k of its node: zero if it is held.
static double weight(const pl_block_mg* mg, int l, int i, int c, int k) {
    const float* p = mg->hierarchy.transfers[l].point + 4 * (size_t)i;
    if (l == 0) return k % 4 != c || mg->held_unknowns[i] >> c & 1 ? 0.0 : (double)p[k / 4];
    int a = c / 4, b = k / 4; // columns of the two maps
    if (c % 4 != k % 4) return 0.0;
    if (a < 3) return a == b ? (double)p[3] : 0.0;
    return b < 3 ? (double)p[b] : 1.0;
}

static void prolong(const pl_block_mg* mg, int l, const double* coarse, double* fine) {
    const pl_mg_transfer* t = &mg->hierarchy.transfers[l];
    int m = mg->levels[l].unknowns;
    for (int i = 0; i < m * t->fine_count; i++) {
        fine[i] = 0.0;
        for (int k = 0; k < 16; k++)
            fine[i] += weight(mg, l, i / m, i % m, k) * coarse[16 * t->parent[i / m] + k];
    }
}

static void restrict_down(const pl_block_mg* mg, int l, const double* fine, double* coarse) {
    const pl_mg_transfer* t = &mg->hierarchy.transfers[l];
    int m = mg->levels[l].unknowns;
    memset(coarse, 0, 16 * (size_t)t->coarse_count * sizeof(double));
    for (int i = 0; i < m * t->fine_count; i++)
        for (int k = 0; k < 16; k++)
            coarse[16 * t->parent[i / m] + k] += weight(mg, l, i / m, i % m, k) * fine[i];
}

// the columns of U' A U one by one; what is held has no part in it
static void check_triple_product(const pl_block_mg* mg, int l) {
    int coarse = 16 * mg->hierarchy.node_counts[l + 1];
    int fine = mg->levels[l].unknowns * mg->hierarchy.node_counts[l];
    double *u = PL_ALLOC(double, coarse), *direct = PL_ALLOC(double, coarse);
    double* product = PL_ALLOC(double, coarse);
    double *Uu = PL_ALLOC(double, fine), *AUu = PL_ALLOC(double, fine);
    double worst = 0.0, largest = 0.0;
    for (int k = 0; k < coarse; k++) {
        u[k] = 1.0;
        apply_level(mg, l + 1, u, direct);
        prolong(mg, l, u, Uu);
        apply_level(mg, l, Uu, AUu);
        restrict_down(mg, l, AUu, product);
        for (int i = 0; i < coarse; i++) {
            worst = fmax(worst, fabs(direct[i] - product[i]));
            largest = fmax(largest, fabs(product[i]));
        }
        u[k] = 0.0;
    }
    CHECK(largest > 0.1);
    CHECK(worst < 2e-6 * largest);
    PL_FREE(u, double, coarse);
    PL_FREE(direct, double, coarse);
    PL_FREE(product, double, coarse);
    PL_FREE(Uu, double, fine);
    PL_FREE(AUu, double, fine);
}

TEST(mg_mixed_coarse_matrices_are_triple_products)
{
    pl_mesh *box = sample_box(5, 2, 2), *sheet = sample_sheet(8, 6);
    mg_mixed samples[2] = {mg_mixed_saddle(box, 2e-3), mg_mixed_flat(sheet)};
    for (int k = 0; k < 2; k++) {
        pl_mg_settings settings = mg_mixed_settings(2, (const int[]){2, 8});
        pl_block_mg* mg = mg_mixed_setup(&samples[k], &settings, NULL);
        CHECK_INT(mg->hierarchy.level_count, 3);
        for (int l = 0; l < 2; l++) check_triple_product(mg, l);
        pl_block_mg_destroy(mg);
        mg_mixed_free(&samples[k]);
    }
    pl_mesh_destroy(box);
    pl_mesh_destroy(sheet);
}

// D^-1 D = I for all diagonal blocks, with directions that nothing sees filled in
TEST(mg_mixed_inverts_indefinite_blocks)
{
    pl_mesh *box = sample_box(5, 3, 3), *sheet = sample_sheet(9, 7);
    mg_mixed samples[2] = {mg_mixed_saddle(box, 1e-5), mg_mixed_flat(sheet)};
    for (int k = 0; k < 2; k++) {
        pl_mg_settings settings = mg_mixed_settings(2, (const int[]){3, 12});
        pl_block_mg* mg = mg_mixed_setup(&samples[k], &settings, NULL);
        double worst = 0.0;
        for (int l = 0; l < 3; l++)
            for (int i = 0; i < mg->levels[l].node_count; i++) {
                const pl_block_level* level = &mg->levels[l];
                int m = level->unknowns;
                size_t at = (size_t)i * (size_t)level->block;
                float D[256];
                memcpy(D, level->diagonal + at, (size_t)level->block * sizeof(float));
                if (l > 0) pl_block_fill_unseen(level, pl_block_mg_unseen(mg, l), i, D);
                for (int r = 0; r < m; r++)
                    for (int c = 0; c < m; c++) {
                        double sum = r == c ? -1.0 : 0.0;
                        for (int j = 0; j < m; j++)
                            sum += (double)level->inverse[at + (size_t)(m * j + r)] *
                                   (double)D[m * c + j];
                        worst = fmax(worst, fabs(sum));
                    }
            }
        CHECK(worst < 1e-5);
        // the factor in float is that of positive displacements and negative pressures: what was
        // filled in has the right sign
        CHECK(!mg->dense.in_double);
        pl_block_mg_destroy(mg);
        mg_mixed_free(&samples[k]);
    }
    pl_mesh_destroy(box);
    pl_mesh_destroy(sheet);
}

// ---------------------------------------------------------------- a bottom of the caller's

typedef struct recorder {
    pl_status status;
    bool factors;
    int factor_count;
    int count;
    float *b, *x; // what came, what goes
} recorder;

static pl_status record_setup(void* user, const pl_coarsest* coarsest, pl_error* error) {
    recorder* r = user;
    r->count = PL_NODE * coarsest->level->node_count;
    return r->status == PL_OK ? PL_OK : pl_fail(error, r->status, "no bottom");
}
static bool record_factor(void* user, const pl_coarsest* coarsest) {
    recorder* r = user;
    (void)coarsest;
    r->factor_count++;
    return r->factors;
}
static void record_solve(void* user, const pl_coarsest* coarsest, const float* b, float* x) {
    recorder* r = user;
    (void)coarsest;
    memcpy(r->b, b, (size_t)r->count * sizeof(float));
    memcpy(x, r->x, (size_t)r->count * sizeof(float));
}

// <U' r, y> = <r, U y>, through all levels: the bottom records U' r and answers with y
TEST(mg_mixed_restriction_is_the_transpose_of_prolongation)
{
    static const pl_mg_bottom_operations operations = {record_setup, record_factor, record_solve};
    pl_mesh* box = sample_box(6, 3, 3);
    mg_mixed s = mg_mixed_saddle(box, 1e-3);
    recorder bottom = {.factors = true};
    pl_mg_settings settings = mg_mixed_settings(2, (const int[]){3, 14});
    settings.pre_sweeps = settings.post_sweeps = 0;
    settings.v_cycle = true;
    settings.bottom = (pl_mg_bottom){&operations, &bottom};
    pl_block_mg* mg = mg_mixed_setup(&s, &settings, NULL);
    CHECK_INT(bottom.factor_count, 1);
    CHECK_INT(bottom.count, 48);
    float b[48], x[48];
    double *r = PL_ALLOC(double, s.count), *z = PL_ALLOC(double, s.count);
    pl_random random = {29};
    bottom.b = b;
    bottom.x = x;
    for (int k = 0; k < 48; k++) x[k] = (float)pl_random_uniform(&random, -1.0, 1.0);
    mg_random_vector(&random, s.count, r);
    pl_block_mg_apply(mg, r, z);
    double below = 0.0, above = dot(s.count, r, z), size = 0.0;
    for (int k = 0; k < 48; k++) below += (double)b[k] * (double)x[k];
    for (int i = 0; i < s.count; i++) {
        size += fabs(r[i] * z[i]);
        if (i % 4 < 3 && s.solid.positions[i / 4 * 3] < 0.5) CHECK(z[i] == 0.0); // held
    }
    // z is that of r and of the matrix in their scales
    double norm = sqrt(dot(s.count, r, r) / s.solid.A.row_count);
    int exponent;
    frexp(norm, &exponent);
    CHECK_NEAR(below * ldexp((double)mg->scale, 2 * exponent), above, 1e-5 * size);
    pl_block_mg_destroy(mg);
    // one that fails says so
    pl_error error;
    pl_mg_blocks A = mg_mixed_blocks(&s);
    bottom.factors = false;
    CHECK_OK(pl_block_mg_setup(&mg, &A, s.solid.positions, &settings, NULL, &error), &error);
    CHECK(!pl_block_mg_update(mg, &A) && mg->bottom_failed);
    pl_block_mg_destroy(mg);
    bottom.status = PL_ERROR_MEMORY;
    CHECK(pl_block_mg_setup(&mg, &A, s.solid.positions, &settings, NULL, &error) ==
          PL_ERROR_MEMORY);
    PL_FREE(r, double, s.count);
    PL_FREE(z, double, s.count);
    mg_mixed_free(&s);
    pl_mesh_destroy(box);
}

// ---------------------------------------------------------------- cycles

typedef struct iteration {
    const mg_mixed* s;
    pl_block_mg* mg;
} iteration;

static void apply(void* user, const void* x, void* y) {
    mg_mixed_multiply(((const iteration*)user)->s, x, y);
}
static void cycle(void* user, const void* r, void* z) {
    pl_block_mg_apply(((const iteration*)user)->mg, r, z);
}

// x from zero; gmres, or cycles alone
static pl_linear_info solve(const mg_mixed* s, pl_block_mg* mg, bool gmres, double tolerance,
                            int most) {
    static const pl_krylov_operations operations = {.apply = apply, .precondition = cycle};
    pl_error error;
    pl_krylov_work work;
    pl_linear_info info = {0};
    pl_linear_options options = {.tolerance = tolerance, .max_iterations = most};
    iteration it = {s, mg};
    double *r = PL_ALLOC(double, s->count), *z = PL_ALLOC(double, s->count);
    pl_krylov k = {.operations = &operations,
                   .user = &it,
                   .count = s->count,
                   .b = s->b,
                   .x = s->x,
                   .r = r,
                   .z = z,
                   .scale = sqrt(dot(s->count, s->b, s->b))};
    memset(s->x, 0, (size_t)s->count * sizeof(double));
    CHECK_OK(pl_krylov_work_setup(&work, pl_gmres_vectors(30), (size_t)s->count * sizeof(double),
                                  &error),
             &error);
    CHECK(pl_krylov_begin(&k, &options, &info) == PL_KRYLOV_GOING);
    if (gmres) pl_krylov_gmres(&k, &work, &options, &info);
    else pl_krylov_stationary(&k, &options, &info);
    pl_krylov_work_free(&work);
    PL_FREE(r, double, s->count);
    PL_FREE(z, double, s->count);
    return info;
}

// With a fourth unknown that is by itself, displacements are corrected as with three.
TEST(mg_mixed_does_on_definite_systems_what_three_unknowns_do)
{
    pl_error error;
    pl_mesh* box = sample_box(10, 5, 5);
    mg_mixed s = mg_mixed_definite(box);
    static const int levels[2] = {4, 30};
    pl_mg_settings settings = mg_mixed_settings(2, levels), three = settings;
    settings.omega = 1.0f;
    settings.v_cycle = true;
    three.unknowns = 0; // 3
    pl_block_mg *mg = mg_mixed_setup(&s, &settings, NULL), *plain;
    pl_mg_blocks A = mg_sample_blocks(&s.solid);
    CHECK_OK(pl_block_mg_setup(&plain, &A, s.solid.positions, &three, NULL, &error), &error);
    CHECK(pl_block_mg_update(plain, &A));
    int rows = A.row_count;
    double* z = PL_ALLOC(double, s.count);
    for (int i = 0; i < s.count; i++) s.b[i] *= i % 4 < 3 ? 1.0 : 0.1;
    pl_block_mg_apply(mg, s.b, z);
    pl_block_mg_apply(plain, s.solid.b, s.solid.x);
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < 3 * rows; i++) {
        worst = fmax(worst, fabs(s.solid.x[i] - z[4 * (i / 3) + i % 3]));
        largest = fmax(largest, fabs(s.solid.x[i]));
    }
    CHECK(worst < 1e-4 * largest);
    // and so they need as many cycles
    pl_mg_def def = pl_default_mg_def();
    pl_mg_solver* solver;
    pl_mg_info cycles;
    def.levels = levels;
    def.level_count = 2;
    def.conjugate_gradients = def.fallback = def.stiffness_aware = false;
    CHECK_OK(pl_mg_create(&def, &A, s.solid.positions, &solver, &error), &error);
    memset(s.solid.x, 0, 3 * (size_t)rows * sizeof(double));
    pl_mg_solve(solver, s.solid.b, s.solid.x, 1e-6, 100, &cycles);
    pl_linear_info info = solve(&s, mg, false, 1e-6, 100);
    CHECK(cycles.converged && info.converged);
    CHECK(abs(info.iterations - cycles.iterations) <= 2);
    pl_mg_destroy(solver);
    PL_FREE(z, double, s.count);
    pl_block_mg_destroy(mg);
    pl_block_mg_destroy(plain);
    mg_mixed_free(&s);
    pl_mesh_destroy(box);
}

// the residual of a direct solution, and how far x is from it
static double distance_to_direct(const mg_mixed* s) {
    pl_error error;
    pl_direct* direct;
    pl_block_matrix scalar;
    const pl_block_matrix* A = &s->solid.A;
    int n = s->count, item_count = 16 * s->entry_count - n;
    int *offsets = PL_ALLOC(int, n + 1), *items = PL_ALLOC(int, item_count);
    for (int i = 0, at = 0; i < n; i++) {
        for (int e = A->offsets[i / 4]; e < A->offsets[i / 4 + 1]; e++)
            for (int c = 0; c < 4; c++)
                if (4 * A->columns[e] + c != i) items[at++] = 4 * A->columns[e] + c;
        offsets[i + 1] = at;
    }
    CHECK_OK(pl_block_matrix_setup(&scalar, n, 1, offsets, items, &error), &error);
    for (int i = 0; i < n; i++)
        for (int e = A->offsets[i / 4]; e < A->offsets[i / 4 + 1]; e++)
            for (int c = 0; c < 4; c++)
                scalar.values[pl_block_matrix_find(&scalar, i, 4 * A->columns[e] + c)] =
                    s->values[16 * e + 4 * (i % 4) + c];
    CHECK_OK(pl_direct_setup(&scalar, &direct, &error), &error);
    CHECK_OK(pl_direct_update(direct, &scalar, NULL, &error), &error);
    double *x = PL_ALLOC(double, n), worst = 0.0, largest = 0.0;
    pl_direct_solve(direct, 1, s->b, x);
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(x[i] - s->x[i]));
        largest = fmax(largest, fabs(x[i]));
    }
    PL_FREE(x, double, n);
    PL_FREE(offsets, int, n + 1);
    PL_FREE(items, int, item_count);
    pl_direct_destroy(direct);
    pl_block_matrix_free(&scalar);
    return worst / largest;
}

// Up to incompressible: cycles alone converge, gmres needs few of them, to the solution.
TEST(mg_mixed_cycles_solve_saddle_points)
{
    static const double compliances[3] = {0.1, 1e-3, 0.0}; // mu / kappa
    pl_mesh* box = sample_box(8, 4, 4);
    for (int k = 0; k < 3; k++) {
        mg_mixed s = mg_mixed_saddle(box, compliances[k]);
        pl_mg_settings settings = mg_mixed_settings(2, (const int[]){4, 25});
        settings.pre_sweeps = settings.post_sweeps = 2;
        pl_block_mg* mg = mg_mixed_setup(&s, &settings, NULL);
        pl_linear_info cycles = solve(&s, mg, false, 1e-6, 100);
        pl_linear_info gmres = solve(&s, mg, true, 1e-9, 60);
        CHECK(cycles.converged && cycles.iterations <= 30);
        CHECK(gmres.converged && gmres.iterations <= 16);
        CHECK(distance_to_direct(&s) < 1e-6);
        pl_block_mg_destroy(mg);
        mg_mixed_free(&s);
    }
    pl_mesh_destroy(box);
}

// The relaxation that is found is below the one that sweeps diverge with, and not far below; stiff
// constraints need a lower one. Iterations on coarse levels make up for what a V-cycle loses by its
// levels: as few as with two levels.
LONG_TEST(mg_mixed_cycles_do_not_mind_levels_or_incompressibility)
{
    pl_mesh* box = sample_box(16, 8, 8);
    int iterations[2][3];
    for (int k = 0; k < 2; k++) {
        mg_mixed s = mg_mixed_saddle(box, k ? 0.0 : 0.1);
        for (int j = 0; j < 3; j++) {
            static const int levels[] = {3, 12, 60};
            pl_mg_settings settings = mg_mixed_settings(j == 0 ? 1 : 3, levels + (j == 0 ? 2 : 0));
            settings.omega = 0.0f;
            settings.v_cycle = j == 2;
            pl_block_mg* mg = mg_mixed_setup(&s, &settings, NULL);
            pl_block_mg_relax(mg);
            pl_linear_info info = solve(&s, mg, true, 1e-8, 60);
            iterations[k][j] = info.converged ? info.iterations : 1000;
            pl_block_mg_destroy(mg);
        }
        CHECK(iterations[k][1] <= iterations[k][0] + 2);
        CHECK(iterations[k][2] >= iterations[k][1] + 4);
        mg_mixed_free(&s);
    }
    CHECK(iterations[1][1] <= iterations[0][1] + 4);
    pl_mesh_destroy(box);
}

// Little stabilisation lets sweeps diverge that go too far.
TEST(mg_mixed_relaxation_is_found_below_divergence)
{
    pl_mesh* box = sample_box(8, 4, 4);
    mg_mixed s = mg_mixed_saddle_of(box, 0.0, 0.04);
    pl_mg_settings settings = mg_mixed_settings(1, (const int[]){25});
    settings.omega = 0.0f;
    pl_block_mg* mg = mg_mixed_setup(&s, &settings, NULL);
    CHECK(mg->levels[0].omega == 0.5f);
    pl_block_mg_relax(mg);
    float found = mg->levels[0].omega;
    CHECK(solve(&s, mg, false, 1e-6, 100).converged);
    mg->levels[0].omega = 1.5f * found;
    CHECK(!solve(&s, mg, false, 1e-6, 100).converged);
    pl_block_mg_destroy(mg);
    mg_mixed_free(&s);
    pl_mesh_destroy(box);
}

// Held at all vertices of its surface, an incompressible body takes any constant pressure: the last
// pivot of the Schur complement is round-off in float.
TEST(mg_mixed_bottom_is_in_double_where_float_loses_digits)
{
    pl_mesh* box = sample_box(6, 4, 4);
    for (int enclosed = 0; enclosed < 2; enclosed++) {
        mg_mixed s = mg_mixed_saddle(box, 1e-8);
        const pl_block_matrix* A = &s.solid.A;
        for (int i = 0; enclosed && i < A->row_count; i++) {
            const double* x = s.solid.positions + 3 * (size_t)i;
            if (x[0] < 5.5 && fabs(x[1] - 2.0) < 1.5 && fabs(x[2] - 2.0) < 1.5) continue;
            for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
                for (int k = 0; k < 16; k++) {
                    double* there = mg_mixed_at(&s, A->columns[e], i);
                    double own = A->columns[e] == i && k % 5 == 0 ? MG_MIXED_MU : 0.0;
                    if (k / 4 < 3) s.values[16 * e + k] = own;
                    if (k % 4 < 3) there[k] = own;
                }
            for (int c = 0; c < 4; c++) s.b[4 * i + c] = 0.0;
        }
        pl_mg_settings settings = mg_mixed_settings(1, (const int[]){12});
        pl_block_mg* mg = mg_mixed_setup(&s, &settings, NULL);
        pl_block_mg_relax(mg);
        CHECK(mg->dense.in_double == (enclosed == 1));
        CHECK(solve(&s, mg, true, 1e-6, 100).converged);
        pl_block_mg_destroy(mg);
        mg_mixed_free(&s);
    }
    pl_mesh_destroy(box);
}
