// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The parts of multigrid for 3 x 3 blocks, against what they are by definition: coarse matrices
// against an explicit triple product, the cycle as an operator, full against partial updates.
#include "base/memory.h"
#include "base/random.h"
#include "mg_samples.h"
#include "multigrid/mg_krylov.h"
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
                int at = m * c + r;
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

// Sweeps of single levels: the same numbers everywhere are those of pre_sweeps and post_sweeps; a
// level of its own changes the cycle, which stays symmetric; more sweeps leave less.
TEST(mg_block_levels_have_their_own_sweeps)
{
    enum { CYCLES = 4 };
    static const int sweeps[CYCLES][2] = {{0, 0}, {1, 1}, {1, 4}, {4, 4}}; // 0: not given
    pl_mesh* box = sample_box(9, 5, 5);
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    size_t count = 3 * (size_t)s.A.row_count;
    double *b = PL_ALLOC(double, count), *x[CYCLES], left[CYCLES];
    pl_random random = {5};
    random_vector(&random, (int)count, b);
    for (int k = 0; k < CYCLES; k++) {
        pl_mg_settings settings = settings_of(2, (const int[]){4, 30});
        for (int l = 0; l < 3; l++) settings.level_sweeps[l] = sweeps[k][l > 0];
        pl_block_mg* mg = setup(&s, &settings, NULL);
        CHECK(asymmetry(mg, (int)count) < 1e-5);
        x[k] = PL_ALLOC(double, count);
        pl_block_mg_apply(mg, b, x[k]);
        left[k] = pl_block_mg_left(mg);
        pl_block_mg_destroy(mg);
    }
    CHECK(memcmp(x[0], x[1], count * sizeof(double)) == 0);
    CHECK(left[2] < left[1] && left[3] < left[2]);
    for (int k = 0; k < CYCLES; k++) PL_FREE(x[k], double, count);
    PL_FREE(b, double, count);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

// the part of all rows in the first half of the pieces that sweeps have in the first half of the
// units of their phases
static double kept_rows(const pl_mg_schedule* s, const int* visits) {
    int kept = 0, all = 0;
    for (int phase = 0; phase < s->phase_count; phase++) {
        int first = s->phase_offsets[phase], count = s->phase_offsets[phase + 1] - first;
        for (int unit = first; unit < first + count / 2; unit++)
            for (int k = s->unit_offsets[2 * unit]; k < s->unit_offsets[2 * unit + 1]; k++, all++)
                kept += visits[k] <= s->piece_count / 2;
    }
    return all > 0 ? (double)kept / all : 1.0;
}

TEST(mg_block_pieces_cover_all_rows_and_follow_sweeps)
{
    pl_mesh* box = sample_box(70, 7, 7); // 4544 vertices, in slabs
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    pl_mg_settings settings = settings_of(2, (const int[]){4, 300});
    pl_block_mg* mg = setup(&s, &settings, NULL);
    for (int l = 0; l < 2; l++) {
        const pl_mg_schedule* schedule = &mg->levels[l].pattern.schedule;
        int* visits = PL_ALLOC(int, schedule->row_count); // number of the piece, from 1
        for (int k = 0; k < schedule->piece_count; k++)
            for (int i = schedule->pieces[2 * k]; i < schedule->pieces[2 * k + 1]; i++) {
                CHECK(visits[i] == 0);
                visits[i] = k + 1;
            }
        for (int i = 0; i < schedule->row_count; i++) CHECK(visits[i] > 0);
        CHECK(schedule->phase_count > 1 && schedule->piece_count > 4);
        CHECK(kept_rows(schedule, visits) > 0.9);
        PL_FREE(visits, int, schedule->row_count);
    }
    pl_block_mg_destroy(mg);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

TEST(mg_block_one_sided_cycle_corrects_first_and_then_sweeps)
{
    pl_mesh* box = sample_box(9, 5, 5);
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    int n = s.A.row_count;
    for (int before = 0; before < 2; before++) {
        pl_mg_settings plain = settings_of(1, (const int[]){9}), one_sided = plain;
        plain.pre_sweeps = 0;
        one_sided.pre_sweeps = before;
        pl_block_mg *a = setup(&s, &plain, NULL), *b = setup(&s, &one_sided, NULL);
        pl_random random = {7};
        for (int i = 0; i < 4 * n; i++)
            a->levels[0].b[i] = b->levels[0].b[i] =
                i % 4 == 3 ? 0.0f : (float)pl_random_uniform(&random, -1.0, 1.0);
        // what was there before does not count
        for (int i = 0; i < 4 * n; i++) b->levels[0].x[i] = b->levels[0].half_sum[i] = 3.0f;
        pl_block_mg_cycle(a, false);
        pl_block_mg_cycle(b, true);
        CHECK(memcmp(a->levels[0].x, b->levels[0].x, 4 * (size_t)n * sizeof(float)) == 0);
        // half of the product is left over from the last sweep
        float* y = b->levels[0].residual;
        pl_block_mg_product(b, 0, n, y);
        double *x = PL_ALLOC(double, 3 * (size_t)n), *Ax = PL_ALLOC(double, 3 * (size_t)n);
        double worst = 0.0, largest = 0.0;
        for (int i = 0; i < 3 * n; i++) x[i] = (double)b->levels[0].x[4 * (i / 3) + i % 3];
        apply_level(b, 0, x, Ax);
        for (int i = 0; i < 3 * n; i++) {
            worst = fmax(worst, fabs((double)y[4 * (i / 3) + i % 3] - Ax[i]));
            largest = fmax(largest, fabs(Ax[i]));
        }
        CHECK(worst < 1e-5 * largest);
        PL_FREE(x, double, 3 * (size_t)n);
        PL_FREE(Ax, double, 3 * (size_t)n);
        pl_block_mg_destroy(a);
        pl_block_mg_destroy(b);
    }
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

// S = U (U' A U)^-1 U' A, with one coarse level that is solved exactly
static void project(pl_block_mg* mg, const mg_sample* s, const double* e, double* Se) {
    int count = 3 * s->A.row_count;
    double* Ae = PL_ALLOC(double, count);
    pl_block_matrix_apply(&s->A, NULL, 1, e, Ae);
    pl_block_mg_apply(mg, Ae, Se);
    PL_FREE(Ae, double, count);
}

TEST(mg_block_coarse_correction_is_a_projection)
{
    pl_mesh *box = sample_box(8, 4, 4), *sheet = sample_sheet(12, 12);
    for (int kind = 0; kind < 2; kind++) {
        mg_sample s = mg_sample_create(kind ? sheet : box, &rubber, 1e4);
        pl_mg_settings settings = settings_of(1, (const int[]){9});
        settings.pre_sweeps = settings.post_sweeps = 0;
        pl_block_mg* mg = setup(&s, &settings, NULL);
        int count = 3 * s.A.row_count;
        double *e = PL_ALLOC(double, count), *once = PL_ALLOC(double, count);
        double* twice = PL_ALLOC(double, count);
        pl_random random = {5};
        random_vector(&random, count, e);
        project(mg, &s, e, once);
        project(mg, &s, once, twice);
        double worst = 0.0, largest = 0.0;
        for (int i = 0; i < count; i++) {
            worst = fmax(worst, fabs(twice[i] - once[i]));
            largest = fmax(largest, fabs(once[i]));
        }
        CHECK(largest > 0.01);
        CHECK(worst < 1e-4 * largest); // float
        PL_FREE(e, double, count);
        PL_FREE(once, double, count);
        PL_FREE(twice, double, count);
        pl_block_mg_destroy(mg);
        mg_sample_free(&s);
    }
    pl_mesh_destroy(box);
    pl_mesh_destroy(sheet);
}

// x' A_l x > 0 on all levels for what is not in the null space of U, and the factors exist
static void check_definite(const pl_block_mg* mg) {
    pl_random random = {17};
    CHECK(mg->dense.shift == 0.0f);
    for (int l = 0; l < mg->hierarchy.level_count; l++) {
        int count = (l == 0 ? 3 : 12) * mg->hierarchy.node_counts[l];
        double *x = PL_ALLOC(double, count), *Ax = PL_ALLOC(double, count);
        for (int trial = 0; trial < 10; trial++) {
            random_vector(&random, count, x);
            apply_level(mg, l, x, Ax);
            CHECK(dot(count, x, Ax) > 0.0);
        }
        PL_FREE(x, double, count);
        PL_FREE(Ax, double, count);
        // no pivot of a diagonal block was given up
        const pl_block_level* level = &mg->levels[l];
        int size = l == 0 ? 3 : 12;
        for (int i = 0; i < level->node_count; i++)
            for (int r = 0; r < size; r++)
                CHECK(level->inverse[(size_t)(i * level->block + r * (size + 1))] > 0.0f);
    }
}

TEST(mg_block_levels_are_positive_definite)
{
    pl_mesh *box = sample_box(9, 5, 5), *sheet = sample_sheet(18, 14);
    mg_sample solid = mg_sample_create(box, &rubber, 1e4);
    mg_sample cloth = mg_sample_create(sheet, &rubber, 1e4);
    pl_mg_settings settings = settings_of(3, (const int[]){3, 11, 50});
    pl_block_mg *a = setup(&solid, &settings, NULL), *b = setup(&cloth, &settings, NULL);
    check_definite(a);
    check_definite(b);
    pl_block_mg_destroy(a);
    pl_block_mg_destroy(b);
    mg_sample_free(&solid);
    mg_sample_free(&cloth);
    pl_mesh_destroy(box);
    pl_mesh_destroy(sheet);
}

// all that a cycle reads
static void check_same_bits(const pl_block_mg* a, const pl_block_mg* b) {
    for (int l = 0; l < a->hierarchy.level_count; l++) {
        const pl_block_level *p = &a->levels[l], *q = &b->levels[l];
        size_t blocks = (size_t)p->node_count * (size_t)p->block * sizeof(float);
        CHECK(memcmp(p->values, q->values,
                     (size_t)p->pattern.entry_count * (size_t)p->block * sizeof(float)) == 0);
        CHECK(memcmp(p->fixed, q->fixed, blocks) == 0);
        CHECK(memcmp(p->diagonal, q->diagonal, blocks) == 0);
        CHECK(memcmp(p->inverse, q->inverse, blocks) == 0);
    }
    size_t rows = (size_t)a->dense.cholesky.tile_rows;
    CHECK(memcmp(a->dense.cholesky.tiles, b->dense.cholesky.tiles,
                 rows * (rows + 1) / 2 * PL_TILE * PL_TILE * sizeof(float)) == 0);
}

static pl_mg_diagonal contact_at(pl_random* random, int vertex, double k) {
    pl_mg_diagonal d = {.vertex = vertex};
    double n[3];
    for (int c = 0; c < 3; c++) n[c] = pl_random_uniform(random, -1.0, 1.0);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) d.block[3 * r + c] = k * n[r] * n[c];
    return d;
}

TEST(mg_block_partial_update_equals_full_to_the_bit)
{
    enum { COUNT = 40 };
    pl_error error;
    pl_mesh* box = sample_box(9, 5, 5);
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    pl_mg_blocks A = mg_sample_blocks(&s);
    pl_mg_settings settings = settings_of(2, (const int[]){5, 40});
    pl_block_mg *never = setup(&s, &settings, NULL), *partial = setup(&s, &settings, NULL);
    pl_block_mg* full = setup(&s, &settings, NULL);
    pl_random random = {23};
    pl_mg_diagonal blocks[COUNT];
    for (int round = 0; round < 1000; round++) {
        int count = pl_random_int(&random, COUNT);
        for (int k = 0; k < count; k++)
            blocks[k] = contact_at(&random, pl_random_int(&random, s.A.row_count), 1e6);
        CHECK_OK(pl_block_mg_update_diagonal(partial, blocks, count, &error), &error);
        if (round % 250 != 249) continue;
        CHECK_OK(pl_block_mg_update_diagonal(full, blocks, count, &error), &error);
        pl_block_mg_update(full, &A);
        check_same_bits(partial, full);
    }
    // all gone: nothing is left over
    CHECK_OK(pl_block_mg_update_diagonal(partial, NULL, 0, &error), &error);
    check_same_bits(partial, never);
    blocks[0].vertex = s.A.row_count;
    CHECK(pl_block_mg_update_diagonal(partial, blocks, 1, &error) == PL_ERROR_ARGUMENT);
    check_same_bits(partial, never);
    pl_block_mg_destroy(never);
    pl_block_mg_destroy(partial);
    pl_block_mg_destroy(full);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

TEST(mg_block_same_bits_for_any_threads)
{
    pl_error error;
    pl_mesh* box = sample_box(40, 12, 12); // more than one slab
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    int count = 3 * s.A.row_count;
    double *first = PL_ALLOC(double, count), *other = PL_ALLOC(double, count);
    for (int kind = 0; kind < 2; kind++) {
        pl_mg_settings settings = settings_of(2, (const int[]){10, 150});
        settings.smoother = kind ? PL_SMOOTHER_JACOBI : PL_SMOOTHER_GAUSS_SEIDEL;
        pl_block_mg* alone = setup(&s, &settings, NULL);
        pl_block_mg_apply(alone, s.b, first);
        for (int threads = 2; threads <= 4; threads += 2) {
            pl_pool* pool;
            CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
            pl_block_mg* mg = setup(&s, &settings, pool);
            check_same_bits(alone, mg);
            pl_block_mg_apply(mg, s.b, other);
            CHECK(memcmp(first, other, (size_t)count * sizeof(double)) == 0);
            pl_block_mg_destroy(mg);
            pl_pool_destroy(pool);
        }
        pl_block_mg_destroy(alone);
    }
    PL_FREE(first, double, count);
    PL_FREE(other, double, count);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

// A cycle without sweeps projects on what the coarsest level can do: it gives back rigid motions,
// whatever the number of levels.
TEST(mg_block_coarsest_level_gives_rigid_motions)
{
    static const double velocity[3] = {0.3, -0.2, 0.5}, spin[3] = {0.7, 0.4, -0.6};
    pl_mesh* box = sample_box(12, 6, 6);
    mg_material light = {1e3, 0.3, 1.0, 1.0, NULL};
    mg_sample s = mg_sample_create(box, &light, 0.0);
    int count = 3 * s.A.row_count;
    double *motion = PL_ALLOC(double, count), *right = PL_ALLOC(double, count);
    for (int i = 0; i < s.A.row_count; i++)
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            motion[3 * i + c] =
                velocity[c] + spin[d] * s.positions[3 * i + e] - spin[e] * s.positions[3 * i + d];
        }
    pl_block_matrix_apply(&s.A, NULL, 1, motion, right);
    static const int counts[3][3] = {{2, 12, 60}, {2, 30, 0}, {12, 0, 0}};
    for (int levels = 1; levels <= 3; levels++) {
        pl_mg_settings settings = settings_of(levels, counts[3 - levels]);
        settings.pre_sweeps = settings.post_sweeps = 0;
        pl_block_mg* mg = setup(&s, &settings, NULL);
        double worst = 0.0;
        pl_block_mg_apply(mg, right, s.x);
        for (int i = 0; i < count; i++) worst = fmax(worst, fabs(s.x[i] - motion[i]));
        CHECK(worst < 0.01);
        // not so if coarse levels take a node's map as its parent's
        for (int l = 1; l + 1 < mg->hierarchy.level_count; l++) {
            pl_mg_transfer* t = &mg->hierarchy.transfers[l];
            for (int j = 0; j < t->fine_count; j++)
                memcpy(t->point + 4 * (size_t)j, (const float[]){0, 0, 0, 1}, 4 * sizeof(float));
        }
        pl_mg_blocks A = mg_sample_blocks(&s);
        pl_block_mg_update(mg, &A);
        pl_block_mg_apply(mg, right, s.x);
        worst = 0.0;
        for (int i = 0; i < count; i++) worst = fmax(worst, fabs(s.x[i] - motion[i]));
        CHECK(levels == 1 || worst > 0.2);
        pl_block_mg_destroy(mg);
    }
    PL_FREE(motion, double, count);
    PL_FREE(right, double, count);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

TEST(mg_block_survives_want_of_memory)
{
    pl_error error;
    pl_mesh* box = sample_box(4, 3, 3);
    mg_sample s = mg_sample_create(box, &rubber, 1e4);
    pl_mg_blocks A = mg_sample_blocks(&s);
    pl_mg_settings settings = settings_of(2, (const int[]){2, 12});
    settings.stiffness_aware = true;
    pl_status status = PL_ERROR_MEMORY;
    for (int nth = 1; status != PL_OK; nth++) {
        pl_block_mg* mg;
        pl_inject_failure(nth);
        status = pl_block_mg_setup(&mg, &A, s.positions, &settings, NULL, &error);
        pl_inject_failure(0);
        CHECK(status == PL_OK || status == PL_ERROR_MEMORY);
        CHECK(nth < 1000);
        pl_block_mg_destroy(mg);
    }
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}

// writes A times a factor into the finest level, as a caller does that assembles in float
static void write_values(const mg_sample* s, double factor, pl_block_mg* mg) {
    pl_mg_blocks A = mg_sample_blocks(s);
    int count = A.offsets[A.row_count];
    int* places = PL_ALLOC(int, count);
    pl_block_mg_places(mg, &A, places);
    for (int e = 0; e < count; e++)
        for (int k = 0; k < 9; k++)
            pl_block_mg_blocks(mg)[9 * places[e] + k] = (float)(factor * A.values[9 * e + k]);
    pl_block_mg_update_written(mg);
    PL_FREE(places, int, count);
}

static double largest_difference(int count, const double* a, double factor, const double* b) {
    double off = 0.0, most = 0.0;
    for (int i = 0; i < count; i++) {
        double error = fabs(a[i] - factor * b[i]);
        off = error <= off ? off : error; // also takes NaN
        most = fmax(most, fabs(a[i]));
    }
    return off / most;
}

// Values that the caller writes make the same levels as values that are copied, of any size, also
// where vertices are held.
TEST(mg_block_takes_values_that_are_written_to_its_blocks)
{
    pl_mesh* box = sample_box(9, 4, 4);
    mg_sample s = mg_sample_create(box, &rubber, 0.0);
    mg_sample_hold(&s);
    int count = 3 * s.A.row_count;
    double *z = PL_ALLOC(double, count), *y = PL_ALLOC(double, count);
    double* product = PL_ALLOC(double, count);
    pl_mg_settings settings = settings_of(2, (const int[]){4, 20});
    pl_block_mg* copied = setup(&s, &settings, NULL);
    pl_block_mg_apply(copied, s.b, z);
    for (int power = -60; power <= 60; power += 30) {
        pl_error error;
        pl_block_mg* mg;
        pl_mg_blocks A = mg_sample_blocks(&s);
        A.values = NULL;
        CHECK_OK(pl_block_mg_setup(&mg, &A, s.positions, &settings, NULL, &error), &error);
        write_values(&s, ldexp(1.0, power), mg);
        pl_block_mg_apply(mg, s.b, y);
        CHECK(largest_difference(count, z, ldexp(1.0, power), y) < 1e-4);
        double left = pl_block_mg_left(mg);
        pl_block_mg_multiply(mg, y, product);
        double load = 0.0, rest = 0.0;
        for (int i = 0; i < count; i++) {
            load += s.b[i] * s.b[i];
            rest += (s.b[i] - product[i]) * (s.b[i] - product[i]);
        }
        CHECK(rest > 0.0);
        CHECK_NEAR(left, sqrt(rest / load), 1e-4 * left);
        pl_block_matrix_apply(&s.A, NULL, 1, y, s.x);
        CHECK(largest_difference(count, product, ldexp(1.0, power), s.x) < 1e-6);
        pl_block_mg_destroy(mg);
    }
    pl_block_mg_destroy(copied);
    PL_FREE(z, double, count);
    PL_FREE(y, double, count);
    PL_FREE(product, double, count);
    mg_sample_free(&s);
    pl_mesh_destroy(box);
}
