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

enum { PAIRS_PER_TASK = 32, GROUPS_AHEAD = 8, CHILDREN_AHEAD = 8, FARTHEST = 512 };

void pl_block_product_free(pl_block_product* product) {
    PL_FREE(product->targets, int, 2 * (size_t)product->pairs.count);
    PL_FREE(product->columns, int, product->pairs.entry_count);
    PL_FREE(product->order, int, product->pairs.count);
    pl_mg_pairs_free(&product->pairs);
    *product = (pl_block_product){0};
}

size_t pl_block_product_bytes(const pl_block_product* product) {
    const pl_mg_pairs* p = &product->pairs;
    return (6 * (size_t)p->count + 2 * (size_t)p->group_count + 2 * (size_t)p->entry_count) *
           sizeof(int);
}

static int find_entry(const pl_mg_pattern* p, int row, int column) {
    for (int e = p->lower.begin[row]; e < p->lower.end[row]; e++)
        if (p->columns[e] == column) return e;
    for (int e = p->upper.begin[row]; e < p->upper.end[row]; e++)
        if (p->columns[e] == column) return e;
    return -1;
}

// by the first row of their first node
static bool sort_pairs(pl_block_product* product, const pl_mg_transfer* transfer) {
    const pl_mg_pairs* p = &product->pairs;
    int* offsets = PL_ALLOC(int, transfer->fine_count + 1);
    if (!offsets) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < p->count; k++) {
            int first = transfer->children[transfer->child_offsets[p->rows[k]]];
            if (pass == 0) offsets[first + 1]++;
            else product->order[offsets[first]++] = k;
        }
        for (int i = 0; pass == 0 && i < transfer->fine_count; i++) offsets[i + 1] += offsets[i];
    }
    PL_FREE(offsets, int, transfer->fine_count + 1);
    return true;
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
    if (status == PL_OK) {
        out->targets = PL_ALLOC(int, 2 * (size_t)out->pairs.count);
        out->columns = PL_ALLOC(int, out->pairs.entry_count);
        out->order = PL_ALLOC(int, out->pairs.count);
        if (!out->targets || !out->order || !sort_pairs(out, transfer) ||
            (!out->columns && out->pairs.entry_count > 0))
            status = pl_fail_memory(error, "the structure of a coarse level");
    }
    if (status != PL_OK) {
        pl_block_product_free(out);
        pl_mg_pattern_free(pattern);
        return status;
    }
    for (int k = 0; k < out->pairs.entry_count; k++)
        out->columns[k] = fine->pattern.columns[out->pairs.entries[k]];
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

// A 3 x 3 block as one vector and its last value: sums over the entries of a row, one for each
// coordinate b of the other vertex,
//
//   row_b = sum_j Y_jb A_ij
//
// and then over the rows between two nodes, S_ba = sum_i X_ia row_b, four blocks at a time. Their
// last values lie together.
typedef struct row_sums {
    pl_f8 at[4];
    pl_f4 last; // of all four
} row_sums;

typedef struct pair_sums {
    pl_f8 at[4][4]; // b, a
    pl_f4 last[4];  // b: the values of all a
} pair_sums;

PL_WIDE void add_entry(row_sums* row, const float* A, const float* Y) {
    pl_f8 block = pl_load8(A);
    for (int b = 0; b < 4; b++) row->at[b] = pl_fma8(block, pl_splat8(Y[b]), row->at[b]);
    row->last = pl_fma4(pl_splat4(A[8]), pl_load4(Y), row->last);
}

PL_WIDE void add_row(pair_sums* S, const row_sums* row, const float* X) {
    pl_f4 point = pl_load4(X);
    for (int a = 0; a < 4; a++) {
        pl_f8 x = pl_splat8(X[a]);
        for (int b = 0; b < 4; b++) S->at[b][a] = pl_fma8(row->at[b], x, S->at[b][a]);
    }
    for (int b = 0; b < 4; b++) S->last[b] = pl_fma4(pl_splat4(row->last[b]), point, S->last[b]);
}

// Rows that belong to a node lie all over the matrix: ask for them before they are needed.
PL_WIDE void prefetch_group(const product_job* job, int g) {
    const pl_mg_pairs* p = &job->product->pairs;
    if (g >= p->group_count) return;
    int first = p->entry_offsets[g], last = p->entry_offsets[g + 1] - 1;
    const char* begin = (const char*)(job->fine->values + PL_BLOCK3 * (size_t)p->entries[first]);
    const char* end =
        (const char*)(job->fine->values + PL_BLOCK3 * (size_t)p->entries[last] + PL_BLOCK3 - 1);
    for (const char* at = begin; at <= end && at < begin + FARTHEST; at += 64)
        __builtin_prefetch(at);
    __builtin_prefetch(end);
    __builtin_prefetch(job->transfer->point + 4 * (size_t)p->group_rows[g]);
}

PL_WIDE void add_group(const product_job* job, int g, row_sums* sums) {
    const pl_mg_pairs* p = &job->product->pairs;
    const pl_block_level* fine = job->fine;
    row_sums row = *sums; // of its own, so that it stays in registers
    prefetch_group(job, g + GROUPS_AHEAD);
    for (int k = p->entry_offsets[g]; k < p->entry_offsets[g + 1]; k++)
        add_entry(&row, fine->values + PL_BLOCK3 * (size_t)p->entries[k],
                  job->transfer->point + 4 * (size_t)job->product->columns[k]);
    *sums = row;
}

// S of a diagonal block: the entries of its vertices with row < column, and half of their diagonals
static void sum_inner3(const product_job* job, int pair, pair_sums* S) {
    const pl_mg_pairs* p = &job->product->pairs;
    const pl_mg_transfer* t = job->transfer;
    int node = p->rows[pair], g = p->group_offsets[pair], end = p->group_offsets[pair + 1];
    for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
        size_t i = (size_t)t->children[k];
        row_sums row = {0};
        float half[4];
        if (k + CHILDREN_AHEAD < t->child_offsets[node + 1]) {
            size_t next = (size_t)t->children[k + CHILDREN_AHEAD];
            __builtin_prefetch(t->point + 4 * next);
            __builtin_prefetch(job->fine->fixed + PL_BLOCK3 * next);
            __builtin_prefetch(job->fine->fixed + PL_BLOCK3 * next + PL_BLOCK3 - 1);
        }
        pl_store4(half, 0.5f * pl_load4(t->point + 4 * i));
        add_entry(&row, job->fine->fixed + PL_BLOCK3 * i, half);
        if (g < end && p->group_rows[g] == (int)i) add_group(job, g++, &row);
        add_row(S, &row, t->point + 4 * i);
    }
}

// The sixteen 3 x 3 parts of a 12 x 12 block, by columns and then rows of it; column-major, and
// three floats more that nobody reads.
typedef struct parts {
    float at[4][4][12];
} parts;

PL_WIDE void set_part(float* part, pl_f8 head, float last) {
    pl_store8(part, head);
    part[8] = last;
}
PL_WIDE pl_f8 transposed_head(pl_f8 a) {
    return __builtin_shufflevector(a, a, 0, 3, 6, 1, 4, 7, 2, 5);
}

static void write_parts(const parts* from, float* out) {
    for (int b = 0; b < 4; b++)
        for (int d = 0; d < 3; d++, out += 12) {
            // in order: each store writes one value too many, but for the last one of all
            for (int a = 0; a < 3; a++) pl_store4(out + 3 * a, pl_load4(from->at[b][a] + 3 * d));
            memcpy(out + 9, from->at[b][3] + 3 * d, 3 * sizeof(float));
        }
}

// S goes to where its pair lies, and transposed to the other place; a diagonal block is S + S'.
static void store_sums(const product_job* job, int pair, const pair_sums* S) {
    const int* target = job->product->targets + 2 * (size_t)pair;
    parts direct, other;
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            set_part(direct.at[b][a], S->at[b][a], S->last[b][a]);
            set_part(other.at[a][b], transposed_head(S->at[b][a]), S->last[b][a]);
        }
    if (target[0] >= 0) {
        write_parts(&direct, job->coarse->values + PL_BLOCK12 * (size_t)target[0]);
        write_parts(&other, job->coarse->values + PL_BLOCK12 * (size_t)target[1]);
        return;
    }
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            float *sum = direct.at[b][a], *turned = other.at[b][a];
            set_part(sum, pl_load8(sum) + pl_load8(turned), sum[8] + turned[8]);
        }
    write_parts(&direct, job->coarse->fixed + PL_BLOCK12 * (size_t)job->product->pairs.rows[pair]);
}

static void product3_task(int begin, int end, int worker, void* user) {
    const product_job* job = user;
    const pl_mg_pairs* p = &job->product->pairs;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int pair = job->product->order[k];
        pair_sums sums = {0};
        if (p->rows[pair] == p->columns[pair]) {
            sum_inner3(job, pair, &sums);
        } else {
            for (int g = p->group_offsets[pair]; g < p->group_offsets[pair + 1]; g++) {
                row_sums row = {0};
                add_group(job, g, &row);
                add_row(&sums, &row, job->transfer->point + 4 * (size_t)p->group_rows[g]);
            }
        }
        store_sums(job, pair, &sums);
    }
}

// columns += B T: the columns of B, moved from a child's frame to its parent's
PL_WIDE void add_columns(float* columns, const float* B, const float* T) {
    for (int d = 0; d < 3; d++) {
        const float* last = B + 12 * (9 + d);
        pl_f12 shifted = pl_load12(last);
        for (int b = 0; b < 3; b++) {
            float* sum = columns + 12 * (3 * b + d);
            pl_f12 ratio = {pl_splat8(T[3]), pl_splat4(T[3])};
            pl_f12 shift = {pl_splat8(T[b]), pl_splat4(T[b])};
            pl_f12 moved = pl_fma12(pl_load12(B + 12 * (3 * b + d)), ratio, pl_load12(sum));
            pl_store12(sum, pl_fma12(shifted, shift, moved));
        }
        float* sum = columns + 12 * (9 + d);
        pl_store12(sum, pl_add12(pl_load12(sum), shifted));
    }
}

// S += weight T' columns: the same for the rows
PL_WIDE void add_moved_rows(float* S, const float* columns, const float* T, float weight) {
    const float ratios[4] = {weight * T[3], weight * T[3], weight * T[3], weight};
    const float shifts[4] = {weight * T[0], weight * T[1], weight * T[2], 0.0f};
    pl_f12 ratio = pl_spread_point(ratios), shift = pl_spread_point(shifts);
    for (int k = 0; k < 12; k++) {
        // the last three of the column, read with one before them
        pl_f4 last = pl_load4(columns + 12 * k + 8);
        last = __builtin_shufflevector(last, last, 1, 2, 3, 3);
        pl_f12 sum = pl_fma12(pl_load12(columns + 12 * k), ratio, pl_load12(S + 12 * k));
        pl_store12(S + 12 * k, pl_fma12(pl_spread_columns(last), shift, sum));
    }
}

static void product12_task(int begin, int end, int worker, void* user) {
    const product_job* job = user;
    const pl_mg_pairs* p = &job->product->pairs;
    const pl_mg_transfer* t = job->transfer;
    const pl_block_level* fine = job->fine;
    (void)worker;
    for (int pair = begin; pair < end; pair++) {
        float S[PL_BLOCK12] = {0};
        for (int g = p->group_offsets[pair]; g < p->group_offsets[pair + 1]; g++) {
            float columns[PL_BLOCK12] = {0};
            for (int k = p->entry_offsets[g]; k < p->entry_offsets[g + 1]; k++) {
                size_t e = (size_t)p->entries[k];
                add_columns(columns, fine->values + PL_BLOCK12 * e,
                            t->point + 4 * (size_t)fine->pattern.columns[e]);
            }
            add_moved_rows(S, columns, t->point + 4 * (size_t)p->group_rows[g], 1.0f);
        }
        if (p->rows[pair] == p->columns[pair]) {
            int node = p->rows[pair];
            for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
                size_t j = (size_t)t->children[k];
                float columns[PL_BLOCK12] = {0};
                add_columns(columns, fine->fixed + PL_BLOCK12 * j, t->point + 4 * j);
                add_moved_rows(S, columns, t->point + 4 * j, 0.5f);
            }
        }
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
