// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The coarsest level by the sparse direct solver. Matrices of displacements and pressures are
// quasidefinite, so LDL^T without pivoting exists for any order of rows.
#include "multigrid/sparse_bottom.h"
#include "base/memory.h"

#include <math.h>

void pl_sparse_bottom_free(pl_sparse_bottom* bottom) {
    PL_FREE(bottom->x, double, (size_t)bottom->A.row_count*(size_t)bottom->A.block);
    pl_direct_destroy(bottom->direct);
    pl_block_matrix_free(&bottom->A);
    *bottom = (pl_sparse_bottom){0};
}

// neighbours of each node, ascending; free it with pl_adjacency_free
static pl_status graph_of(const pl_mg_pattern* p, pl_adjacency* graph, pl_error* error) {
    const pl_mg_half* halves[2] = {&p->lower, &p->upper};
    *graph = (pl_adjacency){.count = p->row_count, .offsets = PL_ALLOC(int, p->row_count + 1)};
    graph->items = PL_ALLOC(int, p->entry_count);
    if (!graph->offsets || (!graph->items && p->entry_count > 0)) {
        PL_FREE(graph->offsets, int, p->row_count + 1);
        PL_FREE(graph->items, int, p->entry_count);
        *graph = (pl_adjacency){0};
        return pl_fail_memory(error, "the coarsest level of multigrid");
    }
    for (int i = 0, at = 0; i < p->row_count; i++) {
        int first = at;
        for (int h = 0; h < 2; h++)
            for (int e = halves[h]->begin[i]; e < halves[h]->end[i]; e++) {
                int k = at++;
                for (; k > first && graph->items[k - 1] > p->columns[e]; k--)
                    graph->items[k] = graph->items[k - 1];
                graph->items[k] = p->columns[e];
            }
        graph->offsets[i + 1] = at;
    }
    return PL_OK;
}

pl_status pl_sparse_bottom_analyse(pl_sparse_bottom* bottom, const pl_block_level* level, int block,
                                   pl_error* error) {
    pl_adjacency graph;
    pl_status status = graph_of(&level->pattern, &graph, error);
    if (status != PL_OK) return status;
    status = pl_block_matrix_setup(&bottom->A, level->node_count, block, graph.offsets, graph.items,
                                   error);
    pl_adjacency_free(&graph);
    return status == PL_OK ? pl_direct_analyse(&bottom->A, &bottom->direct, error) : status;
}

pl_status pl_sparse_bottom_reserve(pl_sparse_bottom* bottom, pl_error* error) {
    if (bottom->x) return PL_OK;
    size_t count = (size_t)bottom->A.row_count * (size_t)bottom->A.block;
    bottom->x = PL_ALLOC(double, count);
    if (!bottom->x) return pl_fail_memory(error, "the coarsest level of multigrid");
    pl_status status = pl_direct_reserve(bottom->direct, error);
    if (status != PL_OK) PL_FREE(bottom->x, double, count);
    if (status != PL_OK) bottom->x = NULL;
    return status;
}

bool pl_sparse_bottom_pays(const pl_sparse_bottom* bottom, double dense) {
    // a dense operation in float takes about a quarter of the time of a sparse one in double
    enum { FLOAT_GAIN = 4 };
    return bottom->direct && pl_direct_get_info(bottom->direct).flops < dense / FLOAT_GAIN;
}

// levels store blocks by columns, the sparse matrix by rows
void pl_sparse_bottom_put(void* user, int J, int K, const float* block) {
    pl_sparse_bottom* bottom = user;
    size_t n = (size_t)bottom->A.block;
    double* a = bottom->A.values + n * n * (size_t)pl_block_matrix_find(&bottom->A, J, K);
    double* b = bottom->A.values + n * n * (size_t)pl_block_matrix_find(&bottom->A, K, J);
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) {
            double value = (double)block[n * c + r];
            if (J == K && r == c) value *= 1.0 + bottom->shift;
            a[n * r + c] = b[n * c + r] = value;
        }
}

static bool is_finite(const pl_block_matrix* A) {
    double sum = 0.0;
    size_t count = (size_t)pl_block_matrix_entry_count(A) * (size_t)(A->block * A->block);
    for (size_t k = 0; k < count; k++) sum += fabs(A->values[k]);
    return isfinite(sum);
}

bool pl_sparse_bottom_factor(pl_sparse_bottom* bottom, bool definite, pl_pool* pool) {
    if (!is_finite(&bottom->A)) return false;
    if (pl_direct_update(bottom->direct, &bottom->A, pool, NULL) != PL_OK) return false;
    pl_direct_info info = pl_direct_get_info(bottom->direct);
    return !definite || info.negative_pivot_count + info.tiny_pivot_count == 0;
}

// ---------------------------------------------------------------- as a bottom of multigrid

static pl_status setup(void* user, const pl_coarsest* coarsest, pl_error* error) {
    pl_sparse_bottom* bottom = user;
    const pl_block_level* level = coarsest->level;
    pl_status status = PL_OK;
    if (!bottom->direct) status = pl_sparse_bottom_analyse(bottom, level, level->unknowns, error);
    return status == PL_OK ? pl_sparse_bottom_reserve(bottom, error) : status;
}

// Definite matrices may need a shift because of round-off, as with the dense factor.
static bool factor(void* user, const pl_coarsest* coarsest) {
    static const double MAX_SHIFT = 1e3;
    pl_sparse_bottom* bottom = user;
    const bool definite = coarsest->level->kind == PL_BLOCKS_12;
    bottom->shift = 0.0;
    while (bottom->shift < MAX_SHIFT) {
        pl_coarsest_visit(coarsest, 0, bottom->A.row_count, pl_sparse_bottom_put, bottom);
        if (pl_sparse_bottom_factor(bottom, definite, coarsest->pool)) return true;
        if (!definite) return false;
        bottom->shift = fmax(1e-6, 10.0 * bottom->shift);
    }
    return false;
}

static void solve(void* user, const pl_coarsest* coarsest, const float* b, float* x) {
    pl_sparse_bottom* bottom = user;
    int n = bottom->A.block;
    (void)coarsest;
    for (int k = 0; k < n * bottom->A.row_count; k++)
        bottom->x[k] = (double)b[PL_NODE * (size_t)(k / n) + (size_t)(k % n)];
    pl_direct_solve(bottom->direct, 1, bottom->x, bottom->x);
    for (int k = 0; k < n * bottom->A.row_count; k++)
        x[PL_NODE * (size_t)(k / n) + (size_t)(k % n)] = (float)bottom->x[k];
}

const pl_mg_bottom_operations pl_sparse_bottom_operations = {setup, factor, solve};
