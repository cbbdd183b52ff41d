// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid with 4 unknowns a vertex: stiff parts, factors of its coarsest level, and values that
// change.
#include "base/memory.h"
#include "base/random.h"
#include "mg_samples.h"
#include "multigrid/block_multigrid.h"
#include "multigrid/stiff_lengths.h"
#include "sample_meshes.h"

// Pressures have units of their own, which jump with the stiffness: what couples with them says
// nothing about edges. Lengths are those of the displacements alone.
TEST(mg_mixed_pressures_make_no_edge_stiff)
{
    pl_mesh* bar = sample_box(12, 4, 4);
    double* contrast = PL_ALLOC(double, bar->tet_count);
    for (int t = 0; t < bar->tet_count; t++)
        contrast[t] = bar->positions[3 * (size_t)bar->tets[4 * (size_t)t]] < 6.0 ? 1e4 : 1.0;
    mg_material material = {1e5, 0.0, 1000.0, 2.0, contrast};
    mg_sample s = mg_sample_create(bar, &material, 0.0);
    int entry_count = pl_block_matrix_entry_count(&s.A);
    double* values = PL_ALLOC(double, 16 * (size_t)entry_count);
    double* lengths[2] = {PL_ALLOC(double, entry_count), PL_ALLOC(double, entry_count)};
    for (int i = 0; i < s.A.row_count; i++)
        for (int e = s.A.offsets[i]; e < s.A.offsets[i + 1]; e++) {
            const double *here = s.A.values + 9 * (size_t)s.A.diagonal[i],
                         *there = s.A.values + 9 * (size_t)s.A.diagonal[s.A.columns[e]];
            double* block = values + 16 * (size_t)e;
            for (int k = 0; k < 9; k++) block[4 * (k / 3) + k % 3] = s.A.values[9 * (size_t)e + k];
            for (int c = 0; c < 3; c++) block[12 + c] = here[0], block[4 * c + 3] = there[0];
            block[15] = -sqrt(here[0] * there[0]);
        }
    pl_adjacency graph = {.count = s.A.row_count, .offsets = s.A.offsets, .items = s.A.columns};
    CHECK(pl_stiff_lengths(&graph, s.positions, s.A.values, 3, NULL, NULL, lengths[0]));
    CHECK(pl_stiff_lengths(&graph, s.positions, values, 4, NULL, NULL, lengths[1]));
    CHECK(memcmp(lengths[0], lengths[1], (size_t)entry_count * sizeof(double)) == 0);
    for (int k = 0; k < 2; k++) PL_FREE(lengths[k], double, entry_count);
    PL_FREE(values, double, 16 * (size_t)entry_count);
    PL_FREE(contrast, double, bar->tet_count);
    mg_sample_free(&s);
    pl_mesh_destroy(bar);
}

// The sparse factor of the coarsest level is the dense one, for definite matrices and others.
TEST(mg_mixed_bottoms_may_be_sparse)
{
    pl_mesh* box = sample_box(8, 3, 3);
    mg_mixed s = mg_mixed_saddle(box, 1e-3);
    int rows = s.solid.A.row_count;
    double* z = PL_ALLOC(double, s.count);
    for (int unknowns = 3; unknowns <= 4; unknowns++) {
        pl_error error;
        pl_sparse_bottom bottom = {0};
        pl_block_mg *dense, *sparse;
        pl_mg_settings settings = mg_mixed_settings(1, (const int[]){20});
        pl_mg_blocks A = unknowns == 3 ? mg_sample_blocks(&s.solid) : mg_mixed_blocks(&s);
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
    mg_mixed_free(&s);
    pl_mesh_destroy(box);
}

// Nobody has to ask for it: a dense factor of so many nodes would take minutes.
TEST(mg_block_large_bottoms_are_sparse)
{
    pl_error error;
    pl_mesh* bar = sample_box(180, 2, 2);
    const mg_material shear = {1e5, 0.0, 1000.0, 2.0, NULL};
    mg_sample s = mg_sample_create(bar, &shear, 1e4);
    pl_mg_blocks A = mg_sample_blocks(&s);
    pl_mg_settings settings = mg_mixed_settings(1, (const int[]){500});
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
    mg_mixed s = mg_mixed_saddle(box, 1e-2);
    pl_mg_settings settings = mg_mixed_settings(2, (const int[]){3, 14});
    pl_block_mg *copied = mg_mixed_setup(&s, &settings, NULL), *mg;
    pl_mg_blocks A = mg_mixed_blocks(&s);
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
    mg_mixed_multiply(&s, s.b, s.x);
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
    mg_mixed_free(&s);
    pl_mesh_destroy(box);
}

// Contacts and compliances come and go: to the bit what a full update with them makes, and on all
// levels what the same block in the matrix makes. What is held feels none of them.
TEST(mg_mixed_partial_update_equals_full)
{
    enum { COUNT = 24 };
    pl_error error;
    pl_mesh* box = sample_box(7, 3, 3);
    mg_mixed s = mg_mixed_saddle(box, 1e-2);
    pl_mg_settings settings = mg_mixed_settings(2, (const int[]){3, 14});
    pl_block_mg *never = mg_mixed_setup(&s, &settings, NULL),
                *partial = mg_mixed_setup(&s, &settings, NULL);
    pl_block_mg* full = mg_mixed_setup(&s, &settings, NULL);
    pl_mg_blocks A = mg_mixed_blocks(&s);
    pl_mg_diagonal4 blocks[COUNT] = {0};
    pl_random random = {31};
    for (int round = 0; round < 20; round++) {
        for (int k = 0; k < COUNT; k++) {
            double n[3];
            blocks[k].vertex = pl_random_int(&random, A.row_count);
            mg_random_vector(&random, 3, n);
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
            mg_mixed_at(&s, blocks[k].vertex, blocks[k].vertex)[i] += blocks[k].block[i];
        }
    pl_block_mg* other = mg_mixed_setup(&s, &settings, NULL);
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
    mg_mixed_free(&s);
    pl_mesh_destroy(box);
}

TEST(mg_mixed_same_bits_for_any_threads)
{
    pl_error error;
    pl_mesh* box = sample_box(40, 8, 8); // more than one slab
    mg_mixed s = mg_mixed_saddle(box, 1e-3);
    double *first = PL_ALLOC(double, s.count), *other = PL_ALLOC(double, s.count);
    pl_mg_settings settings = mg_mixed_settings(2, (const int[]){6, 80});
    pl_block_mg* alone = mg_mixed_setup(&s, &settings, NULL);
    pl_block_mg_apply(alone, s.b, first);
    for (int threads = 2; threads <= 3; threads++) {
        pl_pool* pool;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        pl_block_mg* mg = mg_mixed_setup(&s, &settings, pool);
        check_same_bits(alone, mg);
        pl_block_mg_apply(mg, s.b, other);
        CHECK(memcmp(first, other, (size_t)s.count * sizeof(double)) == 0);
        pl_block_mg_destroy(mg);
        pl_pool_destroy(pool);
    }
    pl_block_mg_destroy(alone);
    PL_FREE(first, double, s.count);
    PL_FREE(other, double, s.count);
    mg_mixed_free(&s);
    pl_mesh_destroy(box);
}

TEST(mg_mixed_survives_want_of_memory)
{
    pl_error error;
    pl_mesh* box = sample_box(4, 2, 2);
    mg_mixed s = mg_mixed_saddle(box, 1e-3);
    pl_mg_blocks A = mg_mixed_blocks(&s);
    pl_mg_settings settings = mg_mixed_settings(2, (const int[]){2, 8});
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
    mg_mixed_free(&s);
    pl_mesh_destroy(box);
}

// A value that is not finite is no factor, whatever is asked then.
TEST(mg_mixed_says_when_there_is_no_factor)
{
    pl_mesh* box = sample_box(4, 2, 2);
    mg_mixed s = mg_mixed_saddle(box, 1e-3);
    pl_mg_settings settings = mg_mixed_settings(1, (const int[]){4});
    pl_block_mg* mg = mg_mixed_setup(&s, &settings, NULL);
    pl_mg_blocks A = mg_mixed_blocks(&s);
    mg_mixed_at(&s, 20, 20)[15] = NAN;
    CHECK(!pl_block_mg_update(mg, &A) && mg->bottom_failed);
    mg_mixed_at(&s, 20, 20)[15] = -MG_MIXED_MU;
    CHECK(pl_block_mg_update(mg, &A) && !mg->bottom_failed);
    pl_block_mg_destroy(mg);
    mg_mixed_free(&s);
    pl_mesh_destroy(box);
}
