// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Alg. 3 (setup) and the matrix part of Alg. 4 (update).
//
// Differs from the paper: rows are numbered for Gauss-Seidel in slabs, and added blocks are summed
// anew, never added and subtracted. For the finest level see block_values.c.
#include "multigrid/block_multigrid.h"
#include "base/memory.h"
#include "base/timer.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_PER_TASK = 512, NODES_PER_TASK = 64 };

void pl_block_mg_destroy(pl_block_mg* mg) {
    if (!mg) return;
    pl_block_mg_end_sampling(mg);
    PL_FREE(mg->old_of_new, int, mg->row_count);
    PL_FREE(mg->new_of_old, int, mg->row_count);
    PL_FREE(mg->diagonal_source, int, mg->row_count);
    PL_FREE(mg->positions, double, 3 * (size_t)mg->row_count);
    PL_FREE(mg->held, unsigned char, mg->row_count);
    PL_FREE(mg->held_before, unsigned char, mg->row_count);
    PL_FREE(mg->held_unknowns, unsigned char, mg->row_count);
    PL_FREE(mg->step, float, (size_t)mg->hierarchy.node_counts[1] * PL_NODE);
    PL_FREE(mg->stepped, float, (size_t)mg->hierarchy.node_counts[1] * PL_NODE);
    for (int l = 0; l < PL_MG_MAX_LEVELS; l++) {
        PL_FREE(mg->marks[l], int, mg->hierarchy.node_counts[l]);
        PL_FREE(mg->touched[l], int, mg->hierarchy.node_counts[l]);
        PL_FREE(mg->unseen[l], float, 64 * (size_t)mg->hierarchy.node_counts[l]);
        pl_block_inner_free(&mg->inner[l]);
        pl_block_level_free(&mg->levels[l]);
        pl_block_product_free(&mg->products[l]);
    }
    pl_mg_hierarchy_free(&mg->hierarchy);
    pl_dense_bottom_free(&mg->dense);
    pl_sparse_bottom_free(&mg->sparse);
    pl_array_free(&mg->additions);
    PL_FREE(mg, pl_block_mg, 1);
}

size_t pl_block_mg_bytes(const pl_block_mg* mg) {
    size_t bytes = (size_t)mg->row_count * (3 * sizeof(int) + 3 * sizeof(double) + 2);
    for (int l = 0; l < mg->hierarchy.level_count; l++) {
        bytes += pl_block_level_bytes(&mg->levels[l]) + pl_block_product_bytes(&mg->products[l]);
        bytes += pl_block_inner_bytes(&mg->inner[l]);
        bytes += 2 * (size_t)mg->hierarchy.node_counts[l] * sizeof(int);
        if (mg->unseen[l]) bytes += 64 * (size_t)mg->hierarchy.node_counts[l] * sizeof(float);
        if (l > 0)
            bytes +=
                (size_t)mg->hierarchy.node_counts[l - 1] * (2 * sizeof(int) + 4 * sizeof(float));
    }
    if (mg->step) bytes += 2 * PL_NODE * (size_t)mg->hierarchy.node_counts[1] * sizeof(float);
    if (mg->sparse.direct)
        bytes += (size_t)pl_direct_get_info(mg->sparse.direct).factor_value_count * sizeof(double);
    return bytes + pl_dense_bottom_bytes(&mg->dense);
}

void pl_block_mg_relax(pl_block_mg* mg) {
    PL_ASSERT(mg->unknowns == 4);
    for (int l = 0; l + 1 < mg->hierarchy.level_count; l++)
        pl_block_level_relax(&mg->levels[l], mg->pool);
}

void pl_block_mg_move(pl_block_mg* mg, const double* positions) {
    for (int i = 0; i < mg->row_count; i++)
        memcpy(mg->positions + 3 * (size_t)i, positions + 3 * (size_t)mg->old_of_new[i],
               3 * sizeof(double));
    pl_block_mg_follow_held(mg);
}

// ---------------------------------------------------------------- levels

// Adds a block to the diagonals of all levels: X_i moves up with its node.
static void add_to_levels(pl_block_mg* mg, const pl_mg_addition* addition) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    int node = addition->row, unknowns = mg->unknowns, size = unknowns * unknowns;
    float X[4], S[16], *D = mg->levels[0].diagonal + (size_t)size * (size_t)node;
    int held = mg->held_unknowns ? mg->held_unknowns[node] : 0;
    for (int k = 0; k < size; k++) {
        D[k] += addition->block[k];
        bool moved = !(held >> k % unknowns & 1) && !(held >> k / unknowns & 1);
        S[k] = moved ? addition->block[k] : 0.0f;
    }
    for (int l = 0; l + 1 < h->level_count; l++) {
        const float* point = h->transfers[l].point + 4 * (size_t)node;
        if (l == 0) memcpy(X, point, sizeof X);
        for (int c = 0; l > 0 && c < 3; c++) X[c] = point[3] * X[c] + point[c] * X[3];
        node = h->transfers[l].parent[node];
        pl_block_level* level = &mg->levels[l + 1];
        pl_block_add_point(unknowns, level->diagonal + (size_t)level->block * (size_t)node, X, S);
    }
}

static void touch_levels(pl_block_mg* mg, int row) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    for (int l = 0, node = row; l < h->level_count; l++) {
        if (mg->marks[l][node] == mg->stamp) return; // so are its ancestors
        mg->marks[l][node] = mg->stamp;
        mg->touched[l][mg->touched_count[l]++] = node;
        if (l + 1 < h->level_count) node = h->transfers[l].parent[node];
    }
}

pl_status pl_block_mg_fail(pl_error* error) {
    return pl_fail(
        error, PL_ERROR_DIVERGED,
        "the coarsest matrix of multigrid is not positive definite; check the matrix for "
        "values that are not finite and for negative stiffness");
}

static bool factor_bottom(pl_block_mg* mg) {
    pl_coarsest coarsest = pl_block_mg_coarsest(mg);
    mg->bottom_failed = !mg->bottom.operations->factor(mg->bottom.user, &coarsest);
    return !mg->bottom_failed;
}

pl_unseen pl_block_mg_unseen(const pl_block_mg* mg, int l) {
    if (l == 0) return (pl_unseen){0};
    if (mg->unseen[l]) return (pl_unseen){mg->unseen[l], 64, 16};
    return (pl_unseen){mg->hierarchy.transfers[l - 1].unseen, 16, 0};
}

pl_coarsest pl_block_mg_coarsest(const pl_block_mg* mg) {
    int top = mg->hierarchy.level_count - 1;
    return (pl_coarsest){&mg->levels[top], pl_block_mg_unseen(mg, top), mg->pool};
}

static void copy_diagonal_task(int begin, int end, int worker, void* user) {
    pl_block_level* level = user;
    size_t block = (size_t)level->block;
    (void)worker;
    memcpy(level->diagonal + block * (size_t)begin, level->fixed + block * (size_t)begin,
           block * (size_t)(end - begin) * sizeof(float));
}

// Updates everything that follows from the values of the finest level.
static bool update_levels(pl_block_mg* mg, double start, float scale_before) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    pl_mg_addition* additions = mg->additions.data;
    for (size_t k = 0; k < mg->additions.count; k++) // exact: a power of two
        for (int c = 0; c < 16; c++) additions[k].block[c] *= mg->scale / scale_before;
    double copied = pl_seconds();
    for (int l = 1; l < h->level_count; l++)
        pl_block_product_update(&mg->products[l], &mg->levels[l - 1], &h->transfers[l - 1],
                                &mg->levels[l], mg->pool);
    double summed = pl_seconds();
    for (int l = 0; l < h->level_count; l++)
        pl_parallel_for(mg->pool, copy_diagonal_task, h->node_counts[l],
                        l == 0 ? ROWS_PER_TASK : NODES_PER_TASK, &mg->levels[l]);
    for (size_t k = 0; k < mg->additions.count; k++) add_to_levels(mg, &additions[k]);
    for (int l = 0; l < h->level_count; l++)
        pl_block_level_invert(&mg->levels[l], pl_block_mg_unseen(mg, l), NULL, h->node_counts[l],
                              mg->pool);
    bool factored = factor_bottom(mg);
    if (mg->settings.smoother == PL_SMOOTHER_JACOBI)
        for (int l = 0; l + 1 < h->level_count; l++) pl_block_level_damp(&mg->levels[l], mg->pool);
    mg->times.copy = copied - start;
    mg->times.product = summed - copied;
    mg->times.factor = pl_seconds() - summed;
    return factored;
}

bool pl_block_mg_update(pl_block_mg* mg, const pl_mg_blocks* A) {
    double start = pl_seconds();
    float scale_before = mg->scale;
    pl_block_mg_copy_values(mg, A);
    return update_levels(mg, start, scale_before);
}

bool pl_block_mg_update_written(pl_block_mg* mg) {
    double start = pl_seconds();
    float scale_before = mg->scale;
    pl_block_mg_take_written(mg);
    return update_levels(mg, start, scale_before);
}

static int compare_additions(const void* a, const void* b) {
    const pl_mg_addition *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

// blocks that a caller adds: pl_mg_diagonal or pl_mg_diagonal4
typedef struct given {
    const void* blocks;
    size_t size; // bytes of one block
    int count;
} given;

static int vertex_of(const given* g, int k) {
    return *(const int*)((const char*)g->blocks + (size_t)k * g->size);
}
static const double* block_of(const given* g, int k) {
    static_assert(offsetof(pl_mg_diagonal, block) == offsetof(pl_mg_diagonal4, block), "one place");
    return (const double*)((const char*)g->blocks + (size_t)k * g->size +
                           offsetof(pl_mg_diagonal, block));
}

// Sorts the list by row. False if memory runs out.
static bool take_additions(pl_block_mg* mg, const given* g) {
    int size = mg->unknowns * mg->unknowns;
    mg->additions.count = 0;
    if (g->count == 0) return true;
    pl_mg_addition* additions = pl_array_add(&mg->additions, (size_t)g->count);
    if (!additions) return false;
    for (int k = 0; k < g->count; k++) {
        additions[k] = (pl_mg_addition){.row = mg->new_of_old[vertex_of(g, k)], .order = k};
        for (int c = 0; c < size; c++)
            additions[k].block[c] = (float)(block_of(g, k)[c] * (double)mg->scale);
    }
    qsort(additions, (size_t)g->count, sizeof *additions, compare_additions);
    return true;
}

static void touch_additions(pl_block_mg* mg) {
    const pl_mg_addition* additions = mg->additions.data;
    for (size_t k = 0; k < mg->additions.count; k++) touch_levels(mg, additions[k].row);
}

static pl_status update_diagonal(pl_block_mg* mg, const given* g, pl_error* error) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    for (int k = 0; k < g->count; k++)
        if (vertex_of(g, k) < 0 || vertex_of(g, k) >= mg->row_count)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "a block is to be added at vertex %d, but there are %d vertices",
                           vertex_of(g, k), mg->row_count);
    if (!pl_array_reserve(&mg->additions, (size_t)g->count))
        return pl_fail_memory(error, "blocks on the diagonal");
    mg->stamp++;
    memset(mg->touched_count, 0, sizeof mg->touched_count);
    touch_additions(mg);
    if (!take_additions(mg, g)) return pl_fail_memory(error, "blocks on the diagonal");
    touch_additions(mg);
    for (int l = 0; l < h->level_count; l++) {
        size_t block = (size_t)mg->levels[l].block;
        for (int k = 0; k < mg->touched_count[l]; k++)
            memcpy(mg->levels[l].diagonal + block * (size_t)mg->touched[l][k],
                   mg->levels[l].fixed + block * (size_t)mg->touched[l][k], block * sizeof(float));
    }
    const pl_mg_addition* additions = mg->additions.data;
    for (size_t k = 0; k < mg->additions.count; k++) add_to_levels(mg, &additions[k]);
    for (int l = 0; l < h->level_count; l++)
        pl_block_level_invert(&mg->levels[l], pl_block_mg_unseen(mg, l), mg->touched[l],
                              mg->touched_count[l], mg->pool);
    if (mg->touched_count[0] > 0 && !factor_bottom(mg)) return pl_block_mg_fail(error);
    return PL_OK;
}

pl_status pl_block_mg_update_diagonal(pl_block_mg* mg, const pl_mg_diagonal* blocks, int count,
                                      pl_error* error) {
    PL_ASSERT(mg->unknowns == 3);
    return update_diagonal(mg, &(given){blocks, sizeof *blocks, count}, error);
}

pl_status pl_block_mg_update_diagonal4(pl_block_mg* mg, const pl_mg_diagonal4* blocks, int count,
                                       pl_error* error) {
    PL_ASSERT(mg->unknowns == 4);
    return update_diagonal(mg, &(given){blocks, sizeof *blocks, count}, error);
}
