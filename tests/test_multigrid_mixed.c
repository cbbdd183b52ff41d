// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid with 4 unknowns a vertex: a definite system on which it must do what it does with 3,
// and the saddle points [K G'; G -C] of elasticity with a pressure.
#include "base/memory.h"
#include "base/random.h"
#include "mg_samples.h"
#include "multigrid/block_multigrid.h"
#include "sample_meshes.h"
#include "sparse/direct.h"
#include "sparse/krylov.h"

#include <stdlib.h>

static const double MU = 5e4;
// no volume in K: Poisson's ratio 0
static const mg_material shear = {1e5, 0.0, 1000.0, 2.0, NULL};

typedef struct mixed_sample {
    mg_sample solid;
    double* values; // 16 per entry of the structure of solid.A
    double *b, *x;
    int entry_count, count; // blocks; unknowns
} mixed_sample;

static pl_mg_blocks blocks_of(const mixed_sample* s) {
    return (pl_mg_blocks){s->solid.A.row_count, s->solid.A.offsets, s->solid.A.columns, s->values};
}

static double* value_at(mixed_sample* s, int i, int j) {
    return s->values + 16 * (size_t)pl_block_matrix_find(&s->solid.A, i, j);
}

static mixed_sample create(const pl_mesh* mesh) {
    mixed_sample s = {.solid = mg_sample_create(mesh, &shear, 0.0)};
    pl_random random = {19};
    s.entry_count = pl_block_matrix_entry_count(&s.solid.A);
    s.count = 4 * s.solid.A.row_count;
    s.values = PL_ALLOC(double, 16 * (size_t)s.entry_count);
    s.b = PL_ALLOC(double, s.count);
    s.x = PL_ALLOC(double, s.count);
    for (int e = 0; e < s.entry_count; e++)
        for (int k = 0; k < 9; k++)
            s.values[16 * e + 4 * (k / 3) + k % 3] = s.solid.A.values[9 * e + k];
    for (int i = 0; i < s.count; i++)
        s.b[i] = i % 4 < 3 ? s.solid.b[i / 4 * 3 + i % 4] : pl_random_uniform(&random, -1.0, 1.0);
    return s;
}

static void destroy(mixed_sample* s) {
    mg_sample_free(&s->solid);
    PL_FREE(s->values, double, 16 * (size_t)s->entry_count);
    PL_FREE(s->b, double, s->count);
    PL_FREE(s->x, double, s->count);
}

// The fourth unknown is by itself: a Laplacian of the edges, as stiff as the solid.
static mixed_sample definite(const pl_mesh* mesh) {
    mixed_sample s = create(mesh);
    const pl_block_matrix* A = &s.solid.A;
    for (int i = 0; i < A->row_count; i++)
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            if (A->columns[e] == i) s.values[16 * e + 15] += 1e3;
            else s.values[16 * e + 15] = -MU, value_at(&s, i, i)[15] += MU;
        }
    return s;
}

static void add_pressure(mixed_sample* s, int i, int j, const double g[3], double c) {
    double *ij = value_at(s, i, j), *ji = value_at(s, j, i);
    for (int k = 0; k < 3; k++) ij[12 + k] += MU * g[k], ji[4 * k + 3] += MU * g[k];
    ij[15] -= MU * c;
}

// P1/P1 with pressures in units of mu: V/4 g_j for the divergence, V / 4 (mu / kappa) for the
// compliance and alpha V g_i . g_j h^2 for the stabilisation, h = 1. The face with the least x is
// held, its pressures are not.
static mixed_sample saddle_of(const pl_mesh* mesh, double mu_over_kappa, double alpha) {
    mixed_sample s = create(mesh);
    for (int t = 0; t < mesh->tet_count; t++) {
        const int* tet = mesh->tets + 4 * (size_t)t;
        double g[4][3], volume = mg_tet_gradients(mesh, tet, g);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                double G[3], dot = 0.0;
                for (int c = 0; c < 3; c++) {
                    G[c] = 0.25 * volume * g[j][c];
                    dot += g[i][c] * g[j][c];
                }
                double compliance = i == j ? 0.25 * volume * mu_over_kappa : 0.0;
                add_pressure(&s, tet[i], tet[j], G, compliance + alpha * volume * dot);
            }
    }
    const pl_block_matrix* A = &s.solid.A;
    for (int i = 0; i < A->row_count; i++)
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            for (int k = 0; k < 16; k++) {
                bool row = k / 4 < 3 && s.solid.positions[3 * i] < 0.5;
                bool column = k % 4 < 3 && s.solid.positions[3 * A->columns[e]] < 0.5;
                if (row || column)
                    s.values[16 * e + k] = A->columns[e] == i && k % 5 == 0 ? MU : 0.0;
            }
    for (int i = 0; i < s.count; i++)
        if (i % 4 < 3 && s.solid.positions[i / 4 * 3] < 0.5) s.b[i] = 0.0;
    return s;
}

static mixed_sample saddle(const pl_mesh* mesh, double mu_over_kappa) {
    return saddle_of(mesh, mu_over_kappa, 0.25);
}

// A flat one: springs, and pressures that act along its edges.
static mixed_sample flat_saddle(const pl_mesh* sheet) {
    mixed_sample s = create(sheet);
    const pl_block_matrix* A = &s.solid.A;
    for (int i = 0; i < A->row_count; i++)
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            int j = A->columns[e];
            double g[3], own[3] = {0};
            for (int c = 0; c < 3; c++)
                g[c] = 0.1 * (s.solid.positions[3 * j + c] - s.solid.positions[3 * i + c]);
            if (i == j) continue;
            add_pressure(&s, i, j, g, -0.2);
            add_pressure(&s, i, i, own, 0.21);
        }
    return s;
}

static void multiply(const mixed_sample* s, const double* x, double* y) {
    const pl_block_matrix* A = &s->solid.A;
    for (int i = 0; i < s->count; i++) {
        y[i] = 0.0;
        for (int e = A->offsets[i / 4]; e < A->offsets[i / 4 + 1]; e++)
            for (int c = 0; c < 4; c++)
                y[i] += s->values[16 * e + 4 * (i % 4) + c] * x[4 * A->columns[e] + c];
    }
}

static pl_mg_settings settings_of(int count, const int* levels) {
    return (pl_mg_settings){.unknowns = 4,
                            .levels = levels,
                            .level_count = count,
                            .smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                            .pre_sweeps = 1,
                            .post_sweeps = 1,
                            .omega = 0.7f};
}

static pl_block_mg* setup(const mixed_sample* s, const pl_mg_settings* settings, pl_pool* pool) {
    pl_error error;
    pl_block_mg* mg;
    pl_mg_blocks A = blocks_of(s);
    CHECK_OK(pl_block_mg_setup(&mg, &A, s->solid.positions, settings, pool, &error), &error);
    CHECK(pl_block_mg_update(mg, &A));
    return mg;
}

static double dot(int count, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static void random_vector(pl_random* random, int count, double* x) {
    for (int i = 0; i < count; i++) x[i] = pl_random_uniform(random, -1.0, 1.0);
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
    mixed_sample samples[2] = {saddle(box, 2e-3), flat_saddle(sheet)};
    for (int k = 0; k < 2; k++) {
        pl_mg_settings settings = settings_of(2, (const int[]){2, 8});
        pl_block_mg* mg = setup(&samples[k], &settings, NULL);
        CHECK_INT(mg->hierarchy.level_count, 3);
        for (int l = 0; l < 2; l++) check_triple_product(mg, l);
        pl_block_mg_destroy(mg);
        destroy(&samples[k]);
    }
    pl_mesh_destroy(box);
    pl_mesh_destroy(sheet);
}

// D^-1 D = I for all diagonal blocks, with directions that nothing sees filled in
TEST(mg_mixed_inverts_indefinite_blocks)
{
    pl_mesh *box = sample_box(5, 3, 3), *sheet = sample_sheet(9, 7);
    mixed_sample samples[2] = {saddle(box, 1e-5), flat_saddle(sheet)};
    for (int k = 0; k < 2; k++) {
        pl_mg_settings settings = settings_of(2, (const int[]){3, 12});
        pl_block_mg* mg = setup(&samples[k], &settings, NULL);
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
        destroy(&samples[k]);
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
    mixed_sample s = saddle(box, 1e-3);
    recorder bottom = {.factors = true};
    pl_mg_settings settings = settings_of(2, (const int[]){3, 14});
    settings.pre_sweeps = settings.post_sweeps = 0;
    settings.v_cycle = true;
    settings.bottom = (pl_mg_bottom){&operations, &bottom};
    pl_block_mg* mg = setup(&s, &settings, NULL);
    CHECK_INT(bottom.factor_count, 1);
    CHECK_INT(bottom.count, 48);
    float b[48], x[48];
    double *r = PL_ALLOC(double, s.count), *z = PL_ALLOC(double, s.count);
    pl_random random = {29};
    bottom.b = b;
    bottom.x = x;
    for (int k = 0; k < 48; k++) x[k] = (float)pl_random_uniform(&random, -1.0, 1.0);
    random_vector(&random, s.count, r);
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
    pl_mg_blocks A = blocks_of(&s);
    bottom.factors = false;
    CHECK_OK(pl_block_mg_setup(&mg, &A, s.solid.positions, &settings, NULL, &error), &error);
    CHECK(!pl_block_mg_update(mg, &A) && mg->bottom_failed);
    pl_block_mg_destroy(mg);
    bottom.status = PL_ERROR_MEMORY;
    CHECK(pl_block_mg_setup(&mg, &A, s.solid.positions, &settings, NULL, &error) ==
          PL_ERROR_MEMORY);
    PL_FREE(r, double, s.count);
    PL_FREE(z, double, s.count);
    destroy(&s);
    pl_mesh_destroy(box);
}

// ---------------------------------------------------------------- cycles

typedef struct iteration {
    const mixed_sample* s;
    pl_block_mg* mg;
} iteration;

static void apply(void* user, const void* x, void* y) {
    multiply(((const iteration*)user)->s, x, y);
}
static void cycle(void* user, const void* r, void* z) {
    pl_block_mg_apply(((const iteration*)user)->mg, r, z);
}

// x from zero; gmres, or cycles alone
static pl_linear_info solve(const mixed_sample* s, pl_block_mg* mg, bool gmres, double tolerance,
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
    mixed_sample s = definite(box);
    static const int levels[2] = {4, 30};
    pl_mg_settings settings = settings_of(2, levels), three = settings;
    settings.omega = 1.0f;
    settings.v_cycle = true;
    three.unknowns = 0; // 3
    pl_block_mg *mg = setup(&s, &settings, NULL), *plain;
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
    destroy(&s);
    pl_mesh_destroy(box);
}

// the residual of a direct solution, and how far x is from it
static double distance_to_direct(const mixed_sample* s) {
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
        mixed_sample s = saddle(box, compliances[k]);
        pl_mg_settings settings = settings_of(2, (const int[]){4, 25});
        settings.pre_sweeps = settings.post_sweeps = 2;
        pl_block_mg* mg = setup(&s, &settings, NULL);
        pl_linear_info cycles = solve(&s, mg, false, 1e-6, 100);
        pl_linear_info gmres = solve(&s, mg, true, 1e-9, 60);
        CHECK(cycles.converged && cycles.iterations <= 30);
        CHECK(gmres.converged && gmres.iterations <= 16);
        CHECK(distance_to_direct(&s) < 1e-6);
        pl_block_mg_destroy(mg);
        destroy(&s);
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
        mixed_sample s = saddle(box, k ? 0.0 : 0.1);
        for (int j = 0; j < 3; j++) {
            static const int levels[] = {3, 12, 60};
            pl_mg_settings settings = settings_of(j == 0 ? 1 : 3, levels + (j == 0 ? 2 : 0));
            settings.omega = 0.0f;
            settings.v_cycle = j == 2;
            pl_block_mg* mg = setup(&s, &settings, NULL);
            pl_block_mg_relax(mg);
            pl_linear_info info = solve(&s, mg, true, 1e-8, 60);
            iterations[k][j] = info.converged ? info.iterations : 1000;
            pl_block_mg_destroy(mg);
        }
        CHECK(iterations[k][1] <= iterations[k][0] + 2);
        CHECK(iterations[k][2] >= iterations[k][1] + 4);
        destroy(&s);
    }
    CHECK(iterations[1][1] <= iterations[0][1] + 4);
    pl_mesh_destroy(box);
}

// Little stabilisation lets sweeps diverge that go too far.
TEST(mg_mixed_relaxation_is_found_below_divergence)
{
    pl_mesh* box = sample_box(8, 4, 4);
    mixed_sample s = saddle_of(box, 0.0, 0.04);
    pl_mg_settings settings = settings_of(1, (const int[]){25});
    settings.omega = 0.0f;
    pl_block_mg* mg = setup(&s, &settings, NULL);
    CHECK(mg->levels[0].omega == 0.5f);
    pl_block_mg_relax(mg);
    float found = mg->levels[0].omega;
    CHECK(solve(&s, mg, false, 1e-6, 100).converged);
    mg->levels[0].omega = 1.5f * found;
    CHECK(!solve(&s, mg, false, 1e-6, 100).converged);
    pl_block_mg_destroy(mg);
    destroy(&s);
    pl_mesh_destroy(box);
}

// Held at all vertices of its surface, an incompressible body takes any constant pressure: the last
// pivot of the Schur complement is round-off in float.
TEST(mg_mixed_bottom_is_in_double_where_float_loses_digits)
{
    pl_mesh* box = sample_box(6, 4, 4);
    for (int enclosed = 0; enclosed < 2; enclosed++) {
        mixed_sample s = saddle(box, 1e-8);
        const pl_block_matrix* A = &s.solid.A;
        for (int i = 0; enclosed && i < A->row_count; i++) {
            const double* x = s.solid.positions + 3 * (size_t)i;
            if (x[0] < 5.5 && fabs(x[1] - 2.0) < 1.5 && fabs(x[2] - 2.0) < 1.5) continue;
            for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
                for (int k = 0; k < 16; k++) {
                    double* there = value_at(&s, A->columns[e], i);
                    double own = A->columns[e] == i && k % 5 == 0 ? MU : 0.0;
                    if (k / 4 < 3) s.values[16 * e + k] = own;
                    if (k % 4 < 3) there[k] = own;
                }
            for (int c = 0; c < 4; c++) s.b[4 * i + c] = 0.0;
        }
        pl_mg_settings settings = settings_of(1, (const int[]){12});
        pl_block_mg* mg = setup(&s, &settings, NULL);
        pl_block_mg_relax(mg);
        CHECK(mg->dense.in_double == (enclosed == 1));
        CHECK(solve(&s, mg, true, 1e-6, 100).converged);
        pl_block_mg_destroy(mg);
        destroy(&s);
    }
    pl_mesh_destroy(box);
}

// The sparse factor of the coarsest level is the dense one, for definite matrices and others.
TEST(mg_mixed_bottoms_may_be_sparse)
{
    pl_mesh* box = sample_box(8, 3, 3);
    mixed_sample s = saddle(box, 1e-3);
    int rows = s.solid.A.row_count;
    double* z = PL_ALLOC(double, s.count);
    for (int unknowns = 3; unknowns <= 4; unknowns++) {
        pl_error error;
        pl_sparse_bottom bottom = {0};
        pl_block_mg *dense, *sparse;
        pl_mg_settings settings = settings_of(1, (const int[]){20});
        pl_mg_blocks A = unknowns == 3 ? mg_sample_blocks(&s.solid) : blocks_of(&s);
        const double* b = unknowns == 3 ? s.solid.b : s.b;
        settings.unknowns = unknowns;
        CHECK_OK(pl_block_mg_setup(&dense, &A, s.solid.positions, &settings, NULL, &error), &error);
        settings.bottom = (pl_mg_bottom){&pl_sparse_bottom_operations, &bottom};
        CHECK_OK(pl_block_mg_setup(&sparse, &A, s.solid.positions, &settings, NULL, &error),
                 &error);
        CHECK(pl_block_mg_update(dense, &A) && pl_block_mg_update(sparse, &A));
        pl_block_mg_apply(dense, b, s.x);
        pl_block_mg_apply(sparse, b, z);
        double worst = 0.0, largest = 0.0;
        for (int i = 0; i < unknowns * rows; i++) {
            worst = fmax(worst, fabs(z[i] - s.x[i]));
            largest = fmax(largest, fabs(z[i]));
        }
        CHECK(largest > 0.0 && worst < 1e-4 * largest);
        pl_block_mg_destroy(dense);
        pl_block_mg_destroy(sparse);
        pl_sparse_bottom_free(&bottom);
    }
    PL_FREE(z, double, s.count);
    destroy(&s);
    pl_mesh_destroy(box);
}

// Nobody has to ask for it: a dense factor of so many nodes would take minutes.
TEST(mg_block_large_bottoms_are_sparse)
{
    pl_error error;
    pl_mesh* bar = sample_box(180, 2, 2);
    mg_sample s = mg_sample_create(bar, &shear, 1e4);
    pl_mg_blocks A = mg_sample_blocks(&s);
    pl_mg_settings settings = settings_of(1, (const int[]){500});
    pl_block_mg* mg;
    settings.unknowns = 3;
    CHECK_OK(pl_block_mg_setup(&mg, &A, s.positions, &settings, NULL, &error), &error);
    CHECK(mg->sparse.direct && !mg->dense.cholesky.tiles);
    CHECK(pl_block_mg_update(mg, &A));
    pl_block_mg_apply(mg, s.b, s.x);
    CHECK(pl_block_mg_left(mg) < 0.5);
    pl_block_mg_destroy(mg);
    mg_sample_free(&s);
    pl_mesh_destroy(bar);
}

// ---------------------------------------------------------------- values and updates

static void check_same_bits(const pl_block_mg* a, const pl_block_mg* b) {
    for (int l = 0; l < a->hierarchy.level_count; l++) {
        const pl_block_level *p = &a->levels[l], *q = &b->levels[l];
        size_t blocks = (size_t)p->node_count * (size_t)p->block * sizeof(float);
        CHECK(memcmp(p->values, q->values,
                     (size_t)p->pattern.entry_count * (size_t)p->block * sizeof(float)) == 0);
        CHECK(memcmp(p->diagonal, q->diagonal, blocks) == 0);
        CHECK(memcmp(p->inverse, q->inverse, blocks) == 0);
    }
    CHECK(memcmp(a->dense.D, b->dense.D, (size_t)a->dense.n * sizeof(double)) == 0);
}

TEST(mg_mixed_takes_values_that_are_written_to_its_blocks)
{
    pl_error error;
    pl_mesh* box = sample_box(7, 3, 3);
    mixed_sample s = saddle(box, 1e-2);
    pl_mg_settings settings = settings_of(2, (const int[]){3, 14});
    pl_block_mg *copied = setup(&s, &settings, NULL), *mg;
    pl_mg_blocks A = blocks_of(&s);
    double *z = PL_ALLOC(double, s.count), *y = PL_ALLOC(double, s.count);
    double* Az = PL_ALLOC(double, s.count);
    int* places = PL_ALLOC(int, s.entry_count);
    A.values = NULL;
    CHECK_OK(pl_block_mg_setup(&mg, &A, s.solid.positions, &settings, NULL, &error), &error);
    pl_block_mg_places(mg, &A, places);
    for (int e = 0; e < s.entry_count; e++)
        for (int k = 0; k < 16; k++)
            pl_block_mg_blocks(mg)[16 * places[e] + k] = (float)s.values[16 * e + k];
    CHECK(pl_block_mg_update_written(mg));
    pl_block_mg_apply(copied, s.b, z);
    pl_block_mg_apply(mg, s.b, y);
    pl_block_mg_multiply(mg, s.b, Az);
    multiply(&s, s.b, s.x);
    double off = 0.0, most = 0.0, product_off = 0.0, product_most = 0.0;
    for (int i = 0; i < s.count; i++) {
        off = fmax(off, fabs(z[i] - y[i]));
        most = fmax(most, fabs(z[i]));
        product_off = fmax(product_off, fabs(Az[i] - s.x[i]));
        product_most = fmax(product_most, fabs(s.x[i]));
    }
    CHECK(most > 0.0 && off < 1e-4 * most);
    CHECK(product_off < 1e-6 * product_most);
    CHECK(memcmp(mg->held_unknowns, copied->held_unknowns, (size_t)A.row_count) == 0);
    PL_FREE(z, double, s.count);
    PL_FREE(y, double, s.count);
    PL_FREE(Az, double, s.count);
    PL_FREE(places, int, s.entry_count);
    pl_block_mg_destroy(copied);
    pl_block_mg_destroy(mg);
    destroy(&s);
    pl_mesh_destroy(box);
}

// Contacts and compliances come and go: to the bit what a full update with them makes, and on all
// levels what the same block in the matrix makes. What is held feels none of them.
TEST(mg_mixed_partial_update_equals_full)
{
    enum { COUNT = 24 };
    pl_error error;
    pl_mesh* box = sample_box(7, 3, 3);
    mixed_sample s = saddle(box, 1e-2);
    pl_mg_settings settings = settings_of(2, (const int[]){3, 14});
    pl_block_mg *never = setup(&s, &settings, NULL), *partial = setup(&s, &settings, NULL);
    pl_block_mg* full = setup(&s, &settings, NULL);
    pl_mg_blocks A = blocks_of(&s);
    pl_mg_diagonal4 blocks[COUNT] = {0};
    pl_random random = {31};
    for (int round = 0; round < 20; round++) {
        for (int k = 0; k < COUNT; k++) {
            double n[3];
            blocks[k].vertex = pl_random_int(&random, A.row_count);
            random_vector(&random, 3, n);
            for (int i = 0; i < 9; i++)
                blocks[k].block[4 * (i / 3) + i % 3] = 1e6 * n[i / 3] * n[i % 3];
            blocks[k].block[15] = -1e4;
        }
        CHECK_OK(pl_block_mg_update_diagonal4(partial, blocks, COUNT - round, &error), &error);
    }
    CHECK_OK(pl_block_mg_update_diagonal4(full, blocks, COUNT - 19, &error), &error);
    CHECK(pl_block_mg_update(full, &A));
    check_same_bits(partial, full);
    // the same in the matrix
    for (int k = 0; k < COUNT - 19; k++)
        for (int i = 0; i < 16; i++) {
            bool held = s.solid.positions[3 * blocks[k].vertex] < 0.5;
            bool off = i / 4 != i % 4;
            if (held && (i / 4 < 3 || i % 4 < 3) && off) continue; // would not be held any more
            value_at(&s, blocks[k].vertex, blocks[k].vertex)[i] += blocks[k].block[i];
        }
    pl_block_mg* other = setup(&s, &settings, NULL);
    for (int l = 1; l < 3; l++)
        for (int i = 0; i < 256 * other->levels[l].node_count; i++)
            CHECK_NEAR(full->levels[l].diagonal[i] / full->scale,
                       other->levels[l].diagonal[i] / other->scale, 2e-5 * 1e6);
    CHECK_OK(pl_block_mg_update_diagonal4(partial, NULL, 0, &error), &error);
    check_same_bits(partial, never);
    blocks[0].vertex = -1;
    CHECK(pl_block_mg_update_diagonal4(partial, blocks, 1, &error) == PL_ERROR_ARGUMENT);
    pl_block_mg_destroy(never);
    pl_block_mg_destroy(partial);
    pl_block_mg_destroy(full);
    pl_block_mg_destroy(other);
    destroy(&s);
    pl_mesh_destroy(box);
}

TEST(mg_mixed_same_bits_for_any_threads)
{
    pl_error error;
    pl_mesh* box = sample_box(40, 8, 8); // more than one slab
    mixed_sample s = saddle(box, 1e-3);
    double *first = PL_ALLOC(double, s.count), *other = PL_ALLOC(double, s.count);
    pl_mg_settings settings = settings_of(2, (const int[]){6, 80});
    pl_block_mg* alone = setup(&s, &settings, NULL);
    pl_block_mg_apply(alone, s.b, first);
    for (int threads = 2; threads <= 3; threads++) {
        pl_pool* pool;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        pl_block_mg* mg = setup(&s, &settings, pool);
        check_same_bits(alone, mg);
        pl_block_mg_apply(mg, s.b, other);
        CHECK(memcmp(first, other, (size_t)s.count * sizeof(double)) == 0);
        pl_block_mg_destroy(mg);
        pl_pool_destroy(pool);
    }
    pl_block_mg_destroy(alone);
    PL_FREE(first, double, s.count);
    PL_FREE(other, double, s.count);
    destroy(&s);
    pl_mesh_destroy(box);
}

TEST(mg_mixed_survives_want_of_memory)
{
    pl_error error;
    pl_mesh* box = sample_box(4, 2, 2);
    mixed_sample s = saddle(box, 1e-3);
    pl_mg_blocks A = blocks_of(&s);
    pl_mg_settings settings = settings_of(2, (const int[]){2, 8});
    settings.stiffness_aware = true;
    pl_status status = PL_ERROR_MEMORY;
    for (int nth = 1; status != PL_OK; nth++) {
        pl_block_mg* mg;
        pl_inject_failure(nth);
        status = pl_block_mg_setup(&mg, &A, s.solid.positions, &settings, NULL, &error);
        pl_inject_failure(0);
        CHECK(status == PL_OK || status == PL_ERROR_MEMORY);
        CHECK(nth < 1000);
        pl_block_mg_destroy(mg);
    }
    destroy(&s);
    pl_mesh_destroy(box);
}

// A value that is not finite is no factor, whatever is asked then.
TEST(mg_mixed_says_when_there_is_no_factor)
{
    pl_mesh* box = sample_box(4, 2, 2);
    mixed_sample s = saddle(box, 1e-3);
    pl_mg_settings settings = settings_of(1, (const int[]){4});
    pl_block_mg* mg = setup(&s, &settings, NULL);
    pl_mg_blocks A = blocks_of(&s);
    value_at(&s, 20, 20)[15] = NAN;
    CHECK(!pl_block_mg_update(mg, &A) && mg->bottom_failed);
    value_at(&s, 20, 20)[15] = -MU;
    CHECK(pl_block_mg_update(mg, &A) && !mg->bottom_failed);
    pl_block_mg_destroy(mg);
    destroy(&s);
    pl_mesh_destroy(box);
}
