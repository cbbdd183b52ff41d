// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/scalar_bottom.h"
#include "base/memory.h"
#include "multigrid/wide_block.h"

#include <string.h>

// input of a factorization
typedef struct factor_input {
    pl_scalar_bottom* bottom;
    const pl_block_level* level;
    pl_unseen unseen;
    const pl_level_springs* springs;
    double raise;
} factor_input;

// true if a sparse factor costs less than a dense one; mixed_count: nodes with contacts
static bool prefers_sparse(const pl_scalar_bottom* bottom, int node_count, int mixed_count) {
    double n = 4.0 * node_count, m = 12.0 * mixed_count;
    return pl_sparse_bottom_pays(&bottom->sparse, (n * n * n + m * m * m) / 3.0);
}

pl_status pl_scalar_bottom_setup(pl_scalar_bottom* bottom, const pl_block_level* level,
                                 pl_error* error) {
    enum { DENSE_ENOUGH = 85 }; // up to this many nodes the factor is dense, without an analysis
    *bottom = (pl_scalar_bottom){0};
    int node_count = level->node_count;
    pl_status status = PL_OK;
    if (node_count > DENSE_ENOUGH)
        status = pl_sparse_bottom_analyse(&bottom->sparse, level, 12, error);
    if (status == PL_OK && prefers_sparse(bottom, node_count, 0))
        return pl_sparse_bottom_reserve(&bottom->sparse, error);
    if (status == PL_OK)
        status = pl_dense_cholesky_setup(&bottom->free_nodes, 4 * node_count, 3, error);
    if (status != PL_OK) return status;
    bottom->work = PL_ALLOC(float, PL_NODE*(size_t)node_count);
    return bottom->work ? PL_OK : pl_fail_memory(error, "the coarsest level of multigrid");
}

static void free_mixed(pl_scalar_bottom* bottom) {
    size_t count = (size_t)bottom->mixed_capacity, rows = (size_t)bottom->free_nodes.n;
    pl_dense_cholesky_free(&bottom->mixed_nodes);
    PL_FREE(bottom->W, float, 4 * count * rows);
    PL_FREE(bottom->schur, float, 16 * count * count);
    PL_FREE(bottom->rest, float, 12 * count);
    PL_FREE(bottom->found, float, 12 * count);
    bottom->W = bottom->schur = bottom->rest = bottom->found = NULL;
    bottom->mixed_capacity = 0;
}

void pl_scalar_bottom_free(pl_scalar_bottom* bottom) {
    free_mixed(bottom);
    PL_FREE(bottom->work, float, 4 * (size_t)bottom->free_nodes.n);
    pl_dense_cholesky_free(&bottom->free_nodes);
    pl_sparse_bottom_free(&bottom->sparse);
    *bottom = (pl_scalar_bottom){0};
}

// Makes room for `wanted` nodes with contacts.
static pl_status reserve_mixed(pl_scalar_bottom* bottom, int wanted, pl_error* error) {
    if (wanted <= bottom->mixed_capacity) return PL_OK;
    int nodes = bottom->free_nodes.n / 4, capacity = wanted + wanted / 2;
    if (capacity > nodes) capacity = nodes;
    free_mixed(bottom);
    size_t count = (size_t)capacity, rows = (size_t)bottom->free_nodes.n;
    pl_status status = pl_dense_cholesky_setup(&bottom->mixed_nodes, 12 * capacity, 1, error);
    if (status != PL_OK) return status;
    bottom->mixed_capacity = capacity;
    bottom->W = PL_ALLOC(float, 4 * count * rows);
    bottom->schur = PL_ALLOC(float, 16 * count * count);
    bottom->rest = PL_ALLOC(float, 12 * count);
    bottom->found = PL_ALLOC(float, 12 * count);
    if (bottom->W && bottom->schur && bottom->rest && bottom->found) return PL_OK;
    free_mixed(bottom);
    return pl_fail_memory(error, "contacts on the coarsest level");
}

// ---------------------------------------------------------------- factor

static int slot_of(const factor_input* s, int node) { return s->level->mixed_slot[node]; }

static const pl_mg_half* half_of(const factor_input* s, int half) {
    return half ? &s->level->pattern.upper : &s->level->pattern.lower;
}

// diagonal block of a node; the identity for nodes with contacts
static void fill_own(const factor_input* s, int node) {
    float D[16];
    pl_dense_cholesky* dense = &s->bottom->free_nodes;
    pl_block_fill_unseen(s->level, s->unseen, node, D);
    for (int c = 0; c < 4; c++)
        for (int r = c; r < 4; r++) {
            float value = slot_of(s, node) < 0 ? D[4 * c + r] : (float)(r == c);
            if (r == c) value *= (float)(1.0 + s->raise);
            *pl_dense_cholesky_at(dense, 4 * node + r, 4 * node + c) = value;
        }
}

static void fill_free(const factor_input* s) {
    const pl_block_level* level = s->level;
    pl_dense_cholesky* dense = &s->bottom->free_nodes;
    pl_dense_cholesky_zero(dense);
    for (int J = 0; J < level->node_count; J++) {
        fill_own(s, J);
        for (int half = 0; slot_of(s, J) < 0 && half < 2; half++)
            for (int e = half_of(s, half)->begin[J]; e < half_of(s, half)->end[J]; e++) {
                int K = level->pattern.columns[e];
                const float* B = level->values + 16 * (size_t)e;
                for (int k = 0; K < J && slot_of(s, K) < 0 && k < 16; k++)
                    *pl_dense_cholesky_at(dense, 4 * J + k % 4, 4 * K + k / 4) = B[k];
            }
    }
}

// W = A_uu^-1 A_ut
static void find_columns(const factor_input* s, pl_pool* pool) {
    pl_scalar_bottom* bottom = s->bottom;
    const pl_block_level* level = s->level;
    int rows = bottom->free_nodes.n, columns = 4 * s->springs->mixed_count;
    memset(bottom->W, 0, (size_t)rows * (size_t)columns * sizeof(float));
    for (int t = 0; t < s->springs->mixed_count; t++) {
        int T = s->springs->mixed_nodes[t];
        for (int half = 0; half < 2; half++)
            for (int e = half_of(s, half)->begin[T]; e < half_of(s, half)->end[T]; e++) {
                int K = level->pattern.columns[e];
                const float* B = level->values + 16 * (size_t)e; // rows of T, columns of K
                for (int k = 0; slot_of(s, K) < 0 && k < 16; k++)
                    bottom->W[(size_t)(4 * t + k % 4) * (size_t)rows + (size_t)(4 * K + k / 4)] =
                        B[k];
            }
    }
    pl_dense_cholesky_solve(&bottom->free_nodes, pool, columns, (pl_rhs_layout){rows, rows, rows},
                            bottom->W, bottom->W);
}

// schur = A_tt - A_tu W, without the diagonal blocks of A_tt; by rows
static void find_schur(const factor_input* s) {
    pl_scalar_bottom* bottom = s->bottom;
    const pl_block_level* level = s->level;
    size_t rows = (size_t)bottom->free_nodes.n, columns = 4 * (size_t)s->springs->mixed_count;
    memset(bottom->schur, 0, columns * columns * sizeof(float));
    for (int t = 0; t < s->springs->mixed_count; t++) {
        int T = s->springs->mixed_nodes[t];
        for (int half = 0; half < 2; half++)
            for (int e = half_of(s, half)->begin[T]; e < half_of(s, half)->end[T]; e++) {
                int K = level->pattern.columns[e], other = slot_of(s, K);
                const float* B = level->values + 16 * (size_t)e;
                for (size_t r = 0; r < 4; r++) {
                    float* to = bottom->schur + (4 * (size_t)t + r) * columns;
                    for (size_t k = 0; other >= 0 && k < 4; k++)
                        to[4 * (size_t)other + k] += B[4 * k + r];
                    for (size_t c = 0; other < 0 && c < columns; c++) {
                        const float* w = bottom->W + c * rows + 4 * (size_t)K;
                        to[c] -= B[r] * w[0] + B[4 + r] * w[1] + B[8 + r] * w[2] + B[12 + r] * w[3];
                    }
                }
            }
    }
}

// S = the Schur complement in each coordinate + the diagonal blocks of nodes with contacts
static void fill_mixed(const factor_input* s) {
    pl_scalar_bottom* bottom = s->bottom;
    pl_dense_cholesky* dense = &bottom->mixed_nodes;
    int columns = 4 * s->springs->mixed_count;
    pl_dense_cholesky_resize(dense, 3 * columns);
    for (int i = 0; i < columns; i++)
        for (int j = 0; j <= i; j++)
            for (int d = 0; d < 3; d++)
                *pl_dense_cholesky_at(dense, 3 * i + d, 3 * j + d) =
                    bottom->schur[(size_t)i * (size_t)columns + (size_t)j];
    for (int t = 0; t < s->springs->mixed_count; t++) {
        float filled[16];
        int T = s->springs->mixed_nodes[t];
        const float* own = s->springs->mixed[t].block;
        pl_block_fill_unseen(s->level, s->unseen, T, filled);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j <= i; j++) {
                float value = own[12 * i + j];
                int k =
                    4 * (j / 3) + i / 3; // `filled` differs from `diagonal` in unseen directions
                if (i % 3 == j % 3)
                    value += filled[k] - s->level->diagonal[16 * (size_t)T + (size_t)k];
                if (i == j) value *= (float)(1.0 + s->raise);
                *pl_dense_cholesky_at(dense, 12 * t + i, 12 * t + j) += value;
            }
    }
}

// full = B (x) I: a 4 x 4 block, repeated for each coordinate
static void spread_block(const float B[16], float full[144]) {
    memset(full, 0, 144 * sizeof(float));
    for (int k = 0; k < 16; k++)
        for (int d = 0; d < 3; d++) full[12 * (3 * (k / 4) + d) + 3 * (k % 4) + d] = B[k];
}

static bool try_sparse(const factor_input* s, pl_pool* pool) {
    const pl_block_level* level = s->level;
    pl_sparse_bottom* sparse = &s->bottom->sparse;
    float D[16], full[144];
    sparse->shift = s->raise;
    for (int J = 0; J < level->node_count; J++) {
        pl_block_fill_unseen(level, s->unseen, J, D);
        const float* own = level->diagonal + 16 * (size_t)J;
        for (int k = 0; slot_of(s, J) >= 0 && k < 16; k++)
            D[k] -= own[k]; // the filling only; `mixed` below has the block
        spread_block(D, full);
        for (int k = 0; slot_of(s, J) >= 0 && k < 144; k++)
            full[k] += s->springs->mixed[slot_of(s, J)].block[k];
        pl_sparse_bottom_put(sparse, J, J, full);
        for (int half = 0; half < 2; half++)
            for (int e = half_of(s, half)->begin[J]; e < half_of(s, half)->end[J]; e++) {
                if (level->pattern.columns[e] > J) continue;
                spread_block(level->values + 16 * (size_t)e, full);
                pl_sparse_bottom_put(sparse, J, level->pattern.columns[e], full);
            }
    }
    return pl_sparse_bottom_factor(sparse, true, pool);
}

static bool try_factor(const factor_input* s, pl_pool* pool) {
    if (s->bottom->is_sparse) return try_sparse(s, pool);
    fill_free(s);
    if (pl_dense_cholesky_factor(&s->bottom->free_nodes, pool) >= 0) return false;
    if (s->springs->mixed_count == 0) return true;
    find_columns(s, pool);
    find_schur(s);
    fill_mixed(s);
    return pl_dense_cholesky_factor(&s->bottom->mixed_nodes, pool) < 0;
}

// A nearly singular matrix (of a body that is hardly held) may be indefinite in float. Its diagonal
// is then shifted.
pl_status pl_scalar_bottom_factor(pl_scalar_bottom* bottom, const pl_block_level* level,
                                  pl_unseen unseen, const pl_level_springs* springs, pl_pool* pool,
                                  pl_error* error) {
    factor_input s = {bottom, level, unseen, springs, 0.0};
    bottom->is_sparse = prefers_sparse(bottom, level->node_count, springs->mixed_count);
    pl_status status = bottom->is_sparse ? pl_sparse_bottom_reserve(&bottom->sparse, error)
                                         : reserve_mixed(bottom, springs->mixed_count, error);
    if (status != PL_OK) return status;
    for (; s.raise<1.0; s.raise = s.raise> 0.0 ? 10.0 * s.raise : 1e-6) {
        bottom->raised = s.raise;
        if (try_factor(&s, pool)) return PL_OK;
    }
    return pl_fail(error, PL_ERROR_DIVERGED,
                   "the coarsest matrix of multigrid is not positive definite; check the matrix "
                   "for infinite or negative stiffness");
}

// ---------------------------------------------------------------- solution

// rest = b_t - W' b_u; work: b, with zeros at nodes with contacts
static void restrict_to_mixed(pl_scalar_bottom* bottom, const pl_block_level* level,
                              const pl_level_springs* springs) {
    size_t rows = (size_t)bottom->free_nodes.n;
    for (int t = 0; t < springs->mixed_count; t++) {
        size_t node = (size_t)springs->mixed_nodes[t];
        for (size_t a = 0; a < 4; a++) {
            const float* w = bottom->W + (4 * (size_t)t + a) * rows;
            pl_f4 sum = pl_load4(level->b + PL_NODE * node + 4 * a);
            for (size_t i = 0; i < rows; i++)
                sum = pl_fma4(pl_splat4(-w[i]), pl_load4(bottom->work + 4 * i), sum);
            memcpy(bottom->rest + 12 * (size_t)t + 3 * a, &sum, 3 * sizeof(float));
        }
    }
}

// x_u -= W x_t, and stores x_t
static void add_mixed(const pl_scalar_bottom* bottom, const pl_block_level* level,
                      const pl_level_springs* springs) {
    size_t rows = (size_t)bottom->free_nodes.n, columns = 4 * (size_t)springs->mixed_count;
    for (size_t c = 0; c < columns; c++) {
        const float *x = bottom->found + 3 * c, *w = bottom->W + c * rows;
        pl_f4 minus = {-x[0], -x[1], -x[2], 0.0f};
        for (size_t i = 0; i < rows; i++)
            pl_store4(level->x + 4 * i,
                      pl_fma4(pl_splat4(w[i]), minus, pl_load4(level->x + 4 * i)));
    }
    for (size_t c = 0; c < columns; c++) {
        float* to = level->x + PL_NODE * (size_t)springs->mixed_nodes[c / 4] + 4 * (c % 4);
        memcpy(to, bottom->found + 3 * c, 3 * sizeof(float));
    }
}

static void solve_sparse(pl_sparse_bottom* sparse, const pl_block_level* level) {
    int count = 12 * level->node_count;
    for (int k = 0; k < count; k++) sparse->x[k] = (double)level->b[4 * (k / 3) + k % 3];
    pl_direct_solve(sparse->direct, 1, sparse->x, sparse->x);
    for (int k = 0; k < count; k++) level->x[4 * (k / 3) + k % 3] = (float)sparse->x[k];
}

void pl_scalar_bottom_solve(pl_scalar_bottom* bottom, pl_block_level* level,
                            const pl_level_springs* springs, pl_pool* pool) {
    // 16 floats per node: four unknowns with three coordinates and one unused float each
    pl_rhs_layout each = {1, 4, 1};
    if (bottom->is_sparse) {
        solve_sparse(&bottom->sparse, level);
        return;
    }
    if (springs->mixed_count == 0) {
        pl_dense_cholesky_solve(&bottom->free_nodes, pool, 3, each, level->b, level->x);
        return;
    }
    memcpy(bottom->work, level->b, PL_NODE * (size_t)level->node_count * sizeof(float));
    for (int t = 0; t < springs->mixed_count; t++)
        memset(bottom->work + PL_NODE * (size_t)springs->mixed_nodes[t], 0,
               PL_NODE * sizeof(float));
    pl_dense_cholesky_solve(&bottom->free_nodes, pool, 3, each, bottom->work, level->x);
    restrict_to_mixed(bottom, level, springs);
    int count = 12 * springs->mixed_count;
    pl_dense_cholesky_solve(&bottom->mixed_nodes, pool, 1, (pl_rhs_layout){count, count, count},
                            bottom->rest, bottom->found);
    add_mixed(bottom, level, springs);
}
