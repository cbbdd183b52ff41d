// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The parts of multigrid for 3 x 3 blocks, against what they are by definition: coarse matrices
// against an explicit triple product, the cycle as an operator, full against partial updates.
#include "base/memory.h"
#include "base/random.h"
#include "mg_samples.h"
#include "multigrid/mg_outer.h"
#include "sample_meshes.h"

static const mg_material rubber = {1e5, 0.3, 1000.0, 1.0 / 30.0, NULL};

static pl_mg_settings settings_of(int count, const int* levels) {
    return (pl_mg_settings){.levels = levels,
                            .level_count = count,
                            .smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                            .pre_sweeps = 1,
                            .post_sweeps = 1};
}

static pl_block_mg* setup(const mg_sample* s, const pl_mg_settings* settings, pl_pool* pool) {
    pl_error error;
    pl_block_mg* mg;
    pl_mg_blocks A = mg_sample_blocks(s);
    CHECK_OK(pl_block_mg_setup(&mg, &A, s->positions, settings, pool, &error), &error);
    pl_block_mg_update(mg, &A);
    return mg;
}

// y = A_l x of the fixed part, with 3 or 12 values per node
static void apply_level(const pl_block_mg* mg, int l, const double* x, double* y) {
    const pl_block_level* level = &mg->levels[l];
    int m = l == 0 ? 3 : 12;
    for (int i = 0; i < level->node_count; i++)
        for (int r = 0; r < m; r++) {
            double sum = 0.0;
            const pl_mg_half* halves[2] = {&level->pattern.lower, &level->pattern.upper};
            for (int c = 0; c < m; c++) {
                int at = l == 0 ? 3 * r + c : 12 * c + r;
                sum += (double)level->fixed[(size_t)(i * level->block + at)] * x[i * m + c];
                for (int h = 0; h < 2; h++)
                    for (int e = halves[h]->begin[i]; e < halves[h]->end[i]; e++)
                        sum += (double)level->values[(size_t)(e * level->block + at)] *
                               x[level->pattern.columns[e] * m + c];
            }
            y[i * m + r] = sum;
        }
}

// fine = U coarse, and coarse = U' fine, straight from the definition
static void prolong(const pl_block_mg* mg, int l, const double* coarse, double* fine) {
    const pl_mg_transfer* t = &mg->hierarchy.transfers[l];
    for (int i = 0; i < t->fine_count; i++) {
        const double* map = coarse + 12 * (size_t)t->parent[i];
        const float* p = t->point + 4 * (size_t)i;
        for (int c = 0; c < 3; c++) {
            if (l == 0) {
                fine[3 * i + c] = 0.0;
                for (int a = 0; a < 4; a++) fine[3 * i + c] += (double)p[a] * map[3 * a + c];
                continue;
            }
            fine[12 * i + 9 + c] = map[9 + c];
            for (int a = 0; a < 3; a++) {
                fine[12 * i + 3 * a + c] = (double)p[3] * map[3 * a + c];
                fine[12 * i + 9 + c] += (double)p[a] * map[3 * a + c];
            }
        }
    }
}

static void random_vector(pl_random* random, int count, double* x) {
    for (int i = 0; i < count; i++) x[i] = pl_random_uniform(random, -1.0, 1.0);
}

static double dot(int count, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// u' A_{l+1} v = (U u)' A_l (U v) for random u and v, on all levels
static void check_galerkin(const pl_block_mg* mg) {
    pl_random random = {3};
    for (int l = 0; l + 1 < mg->hierarchy.level_count; l++) {
        int coarse = 12 * mg->hierarchy.node_counts[l + 1];
        int fine = (l == 0 ? 3 : 12) * mg->hierarchy.node_counts[l];
        double *u = PL_ALLOC(double, coarse), *v = PL_ALLOC(double, coarse);
        double *Av = PL_ALLOC(double, coarse), *Uu = PL_ALLOC(double, fine);
        double *Uv = PL_ALLOC(double, fine), *AUv = PL_ALLOC(double, fine);
        for (int trial = 0; trial < 5; trial++) {
            random_vector(&random, coarse, u);
            random_vector(&random, coarse, v);
            apply_level(mg, l + 1, v, Av);
            prolong(mg, l, u, Uu);
            prolong(mg, l, v, Uv);
            apply_level(mg, l, Uv, AUv);
            double scale = sqrt(dot(coarse, u, u) * dot(coarse, Av, Av));
            CHECK_NEAR(dot(coarse, u, Av), dot(fine, Uu, AUv), 2e-6 * scale);
        }
        PL_FREE(u, double, coarse);
        PL_FREE(v, double, coarse);
        PL_FREE(Av, double, coarse);
        PL_FREE(Uu, double, fine);
        PL_FREE(Uv, double, fine);
        PL_FREE(AUv, double, fine);
    }
}

TEST(mg_block_coarse_matrices_are_triple_products)
{
    pl_mesh *box = sample_box(9, 5, 5), *sheet = sample_sheet(18, 14);
    mg_sample solid = mg_sample_create(box, &rubber, 1e4);
    mg_sample cloth = mg_sample_create(sheet, &rubber, 1e4);
    pl_mg_settings settings = settings_of(3, (const int[]){3, 11, 50});
    pl_block_mg *a = setup(&solid, &settings, NULL), *b = setup(&cloth, &settings, NULL);
    CHECK_INT(a->hierarchy.level_count, 4);
    check_galerkin(a);
    check_galerkin(b);
    pl_block_mg_destroy(a);
    pl_block_mg_destroy(b);
    mg_sample_free(&solid);
    mg_sample_free(&cloth);
    pl_mesh_destroy(box);
    pl_mesh_destroy(sheet);
}

// |M u . v - u . M v| relative to the sizes
static double asymmetry(pl_block_mg* mg, int count) {
    pl_random random = {11};
    double *u = PL_ALLOC(double, count), *v = PL_ALLOC(double, count);
    double *Mu = PL_ALLOC(double, count), *Mv = PL_ALLOC(double, count);
    double worst = 0.0;
    for (int trial = 0; trial < 4; trial++) {
        random_vector(&random, count, u);
        random_vector(&random, count, v);
        pl_block_mg_apply(mg, u, Mu);
        pl_block_mg_apply(mg, v, Mv);
        CHECK(dot(count, u, Mu) > 0.0 && dot(count, v, Mv) > 0.0);
        double scale = sqrt(dot(count, u, Mu) * dot(count, v, Mv));
        worst = fmax(worst, fabs(dot(count, Mu, v) - dot(count, u, Mv)) / scale);
    }
    PL_FREE(u, double, count);
    PL_FREE(v, double, count);
    PL_FREE(Mu, double, count);
    PL_FREE(Mv, double, count);
    return worst;
}

TEST(mg_block_cycle_is_symmetric_and_positive)
{
    pl_mesh* box = sample_box(9, 5, 5);
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    for (int kind = 0; kind < 4; kind++) {
        pl_mg_settings settings = settings_of(2, (const int[]){4, 30});
        settings.smoother = kind == 2 ? PL_SMOOTHER_JACOBI : PL_SMOOTHER_GAUSS_SEIDEL;
        settings.pre_sweeps = settings.post_sweeps = kind == 0 ? 1 : 2;
        settings.half_sweep = kind == 3;
        pl_block_mg* mg = setup(&s, &settings, NULL);
        CHECK(asymmetry(mg, 3 * s.A.row_count) < 1e-5);
        pl_block_mg_destroy(mg);
    }
    // sweeps on one side only are not
    pl_mg_settings settings = settings_of(2, (const int[]){4, 30});
    settings.pre_sweeps = 0;
    pl_block_mg* mg = setup(&s, &settings, NULL);
    CHECK(asymmetry(mg, 3 * s.A.row_count) > 1e-4);
    pl_block_mg_destroy(mg);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}
