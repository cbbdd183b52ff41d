// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A_c = U' A U, block by block (S0 Eq. 6 and 7). With one node per vertex, a coarse block is the
// sum of (X_i X_j') (x) A_ij over the entries between two nodes; one level up, X_i becomes the map
// T of the child. One coarse block after the other, with its sums in registers; only blocks with
// row <= column, and only the half of what goes into a diagonal block: the rest is transposed.
#include "multigrid/block_galerkin.h"
#include "base/memory.h"

#include <string.h>

enum { PAIRS_PER_TASK = 32 };

void pl_block_product_free(pl_block_product* product) {
    PL_FREE(product->targets, int, 2 * (size_t)product->pairs.count);
    pl_mg_pairs_free(&product->pairs);
    *product = (pl_block_product){0};
}

size_t pl_block_product_bytes(const pl_block_product* product) {
    const pl_mg_pairs* p = &product->pairs;
    return (5 * (size_t)p->count + 2 * (size_t)p->group_count + (size_t)p->entry_count) *
           sizeof(int);
}

static int find_entry(const pl_mg_pattern* p, int row, int column) {
    for (int e = p->lower.begin[row]; e < p->lower.end[row]; e++)
        if (p->columns[e] == column) return e;
    for (int e = p->upper.begin[row]; e < p->upper.end[row]; e++)
        if (p->columns[e] == column) return e;
    return -1;
}

pl_status pl_block_product_setup(pl_block_product* out, const pl_block_level* fine,
                                 const pl_mg_transfer* transfer, pl_mg_pattern* pattern,
                                 pl_error* error) {
    *out = (pl_block_product){0};
    *pattern = (pl_mg_pattern){0};
    pl_status status = pl_mg_pairs_setup(&out->pairs, &fine->pattern, transfer, error);
    if (status != PL_OK) return status;
    pl_adjacency graph;
    status = pl_mg_pairs_graph(&out->pairs, transfer->coarse_count, &graph, error);
    if (status == PL_OK) status = pl_mg_pattern_colours(pattern, &graph, error);
    pl_adjacency_free(&graph);
    if (status == PL_OK && !(out->targets = PL_ALLOC(int, 2 * (size_t)out->pairs.count)))
        status = pl_fail_memory(error, "the structure of a coarse level");
    if (status != PL_OK) {
        pl_block_product_free(out);
        pl_mg_pattern_free(pattern);
        return status;
    }
    for (int k = 0; k < out->pairs.count; k++) {
        int P = out->pairs.rows[k], Q = out->pairs.columns[k];
        out->targets[2 * k] = P == Q ? -1 : find_entry(pattern, P, Q);
        out->targets[2 * k + 1] = P == Q ? -1 : find_entry(pattern, Q, P);
    }
    return PL_OK;
}

typedef struct product_job {
    const pl_block_product* product;
    const pl_block_level* fine;
    const pl_mg_transfer* transfer;
    pl_block_level* coarse;
} product_job;

// A block S (column-major) goes to where its pair lies, and transposed to the other place; a
// diagonal block is S + S'.
static void store_block(const product_job* job, int pair, const float* S) {
    const int* target = job->product->targets + 2 * (size_t)pair;
    if (target[0] < 0) {
        float* D = job->coarse->fixed + PL_BLOCK12 * (size_t)job->product->pairs.rows[pair];
        for (int c = 0; c < 12; c++)
            for (int r = 0; r < 12; r++) D[12 * c + r] = S[12 * c + r] + S[12 * r + c];
        return;
    }
    memcpy(job->coarse->values + PL_BLOCK12 * (size_t)target[0], S, PL_BLOCK12 * sizeof(float));
    float* T = job->coarse->values + PL_BLOCK12 * (size_t)target[1];
    for (int c = 0; c < 12; c++)
        for (int r = 0; r < 12; r++) T[12 * r + c] = S[12 * c + r];
}

// sums[a][b] += X_a Y_b A; A is row-major 3 x 3
typedef struct outer_sums {
    pl_f16 at[4][4];
} outer_sums;

PL_WIDE void add_rows(outer_sums* sums, const pl_f16 row[4], pl_f4 X, float weight) {
#pragma GCC unroll 4
    for (int a = 0; a < 4; a++) {
        pl_f16 factor = pl_splat16(weight * X[a]);
#pragma GCC unroll 4
        for (int b = 0; b < 4; b++) sums->at[a][b] = pl_fma16(factor, row[b], sums->at[a][b]);
    }
}

PL_WIDE void add_entry(pl_f16 row[4], pl_f16 A, const float* Y) {
#pragma GCC unroll 4
    for (int b = 0; b < 4; b++) row[b] = pl_fma16(A, pl_splat16(Y[b]), row[b]);
}

// column (b, d) of the block, lanes (a, c): sums[a][b] row c column d
static void flatten(const outer_sums* sums, float* S) {
    float lanes[16];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            pl_store16(lanes, sums->at[a][b]);
            for (int d = 0; d < 3; d++)
                for (int c = 0; c < 3; c++) S[12 * (3 * b + d) + 3 * a + c] = lanes[3 * c + d];
        }
}

static void product3_task(int begin, int end, int worker, void* user) {
    const product_job* job = user;
    const pl_mg_pairs* p = &job->product->pairs;
    const pl_mg_transfer* t = job->transfer;
    const pl_block_level* fine = job->fine;
    (void)worker;
    for (int pair = begin; pair < end; pair++) {
        outer_sums sums = {0};
        for (int g = p->group_offsets[pair]; g < p->group_offsets[pair + 1]; g++) {
            pl_f16 row[4] = {{0}, {0}, {0}, {0}};
            for (int k = p->entry_offsets[g]; k < p->entry_offsets[g + 1]; k++) {
                size_t e = (size_t)p->entries[k];
                add_entry(row, pl_load16(fine->values + 9 * e),
                          t->point + 4 * (size_t)fine->pattern.columns[e]);
            }
            add_rows(&sums, row, pl_load4(t->point + 4 * (size_t)p->group_rows[g]), 1.0f);
        }
        if (p->rows[pair] == p->columns[pair]) {
            int node = p->rows[pair];
            for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
                size_t i = (size_t)t->children[k];
                pl_f16 row[4] = {{0}, {0}, {0}, {0}};
                add_entry(row, pl_load16(fine->fixed + 9 * i), t->point + 4 * i);
                add_rows(&sums, row, pl_load4(t->point + 4 * i), 0.5f);
            }
        }
        float S[PL_BLOCK12];
        flatten(&sums, S);
        store_block(job, pair, S);
    }
}

// columns += the columns of B, moved from a child's frame to its parent's: B T
PL_WIDE void add_columns(pl_f16 columns[12], const float* B, const float* T) {
    pl_f16 last[3];
    for (int d = 0; d < 3; d++) last[d] = pl_load16(B + 12 * (9 + d));
    for (int b = 0; b < 3; b++)
        for (int d = 0; d < 3; d++) {
            pl_f16* sum = &columns[3 * b + d];
            *sum = pl_fma16(pl_load16(B + 12 * (3 * b + d)), pl_splat16(T[3]), *sum);
            *sum = pl_fma16(last[d], pl_splat16(T[b]), *sum);
        }
    for (int d = 0; d < 3; d++) columns[9 + d] += last[d];
}

// sums += weight T' columns, the same for the rows
PL_WIDE void add_moved_rows(pl_f16 sums[12], const pl_f16 columns[12], const float* T,
                            float weight) {
    pl_f4 ratio = {T[3], T[3], T[3], 1.0f}, shift = {T[0], T[1], T[2], 0.0f};
    pl_f16 own = weight * pl_spread_point(ratio), last = weight * pl_spread_point(shift);
    for (int k = 0; k < 12; k++) {
        sums[k] = pl_fma16(columns[k], own, sums[k]);
        sums[k] = pl_fma16(pl_spread_last_column(columns[k]), last, sums[k]);
    }
}

static void product12_task(int begin, int end, int worker, void* user) {
    const product_job* job = user;
    const pl_mg_pairs* p = &job->product->pairs;
    const pl_mg_transfer* t = job->transfer;
    const pl_block_level* fine = job->fine;
    (void)worker;
    for (int pair = begin; pair < end; pair++) {
        pl_f16 sums[12] = {0};
        for (int g = p->group_offsets[pair]; g < p->group_offsets[pair + 1]; g++) {
            pl_f16 columns[12] = {0};
            for (int k = p->entry_offsets[g]; k < p->entry_offsets[g + 1]; k++) {
                size_t e = (size_t)p->entries[k];
                add_columns(columns, fine->values + PL_BLOCK12 * e,
                            t->point + 4 * (size_t)fine->pattern.columns[e]);
            }
            add_moved_rows(sums, columns, t->point + 4 * (size_t)p->group_rows[g], 1.0f);
        }
        if (p->rows[pair] == p->columns[pair]) {
            int node = p->rows[pair];
            for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
                size_t j = (size_t)t->children[k];
                pl_f16 columns[12] = {0};
                add_columns(columns, fine->fixed + PL_BLOCK12 * j, t->point + 4 * j);
                add_moved_rows(sums, columns, t->point + 4 * j, 0.5f);
            }
        }
        float S[PL_BLOCK12 + PL_BLOCK_PAD];
        for (int k = 0; k < 12; k++) pl_store16(S + 12 * k, sums[k]);
        store_block(job, pair, S);
    }
}

void pl_block_product_update(const pl_block_product* product, const pl_block_level* fine,
                             const pl_mg_transfer* transfer, pl_block_level* coarse,
                             pl_pool* pool) {
    product_job job = {product, fine, transfer, coarse};
    pl_parallel_for(pool, fine->block == PL_BLOCK3 ? product3_task : product12_task,
                    product->pairs.count, PAIRS_PER_TASK, &job);
}

void pl_block_add_point(float* D, const float* X, const float* S) {
    for (int b = 0; b < 4; b++)
        for (int d = 0; d < 3; d++)
            for (int a = 0; a < 4; a++)
                for (int c = 0; c < 3; c++)
                    D[12 * (3 * b + d) + 3 * a + c] += X[a] * X[b] * S[3 * c + d];
}
