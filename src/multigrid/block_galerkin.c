// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A_c = U' A U, block by block (S0 Eq. 6 and 7). If each vertex belongs to one node, a coarse block
// is the sum of (X_i X_j') (x) A_ij over the entries between two nodes; one level up, X_i becomes
// the map T of the child. Coarse blocks are computed one after the other, with their sums in
// registers. Only blocks with row <= column are computed, and half of each diagonal block; the rest
// is transposed.
#include "multigrid/block_galerkin.h"
#include "base/memory.h"
#include "multigrid/block_size.h"

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

// sorts pairs by the first row of their first node
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
    if (status == PL_OK)
        status = fine->kind == PL_BLOCKS_4X3 ? pl_mg_pattern_bands(pattern, &graph, error)
                                             : pl_mg_pattern_colours(pattern, &graph, error);
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
        out->targets[2 * k] = P == Q ? -1 : pl_mg_pattern_find(pattern, P, Q);
        out->targets[2 * k + 1] = P == Q ? -1 : pl_mg_pattern_find(pattern, Q, P);
    }
    return PL_OK;
}

typedef struct product_job {
    const pl_block_product* product;
    const pl_block_level* fine;
    const pl_mg_transfer* transfer;
    pl_block_level* coarse;
} product_job;

#define KIND 12
#define N 12
#include "multigrid/block_node_product.h"
#define KIND 16
#define N 16
#include "multigrid/block_node_product.h"
#define KIND 4x3
#define N 4
#include "multigrid/block_node_product.h"

// ---------------------------------------------------------------- sums of vertices, 3 unknowns

// A 3 x 3 block as one vector and its last value: sums over the entries of a row, one for each
// coordinate b of the other vertex,
//
//   row_b = sum_j Y_jb A_ij
//
// and then over the rows between two nodes, S_ba = sum_i X_ia row_b, four blocks at a time. Their
// last values are stored together.
typedef struct row_sums3 {
    pl_f8 at[4];
    pl_f4 last; // of all four blocks
} row_sums3;

typedef struct pair_sums3 {
    pl_f8 at[4][4]; // b, a
    pl_f4 last[4];  // b: the values of all a
} pair_sums3;

PL_WIDE void add_entry3(row_sums3* row, const float* A, const float* Y) {
    pl_f8 block = pl_load8(A);
    for (int b = 0; b < 4; b++) row->at[b] = pl_fma8(block, pl_splat8(Y[b]), row->at[b]);
    row->last = pl_fma4(pl_splat4(A[8]), pl_load4(Y), row->last);
}

PL_WIDE void add_row3(pair_sums3* S, const row_sums3* row, const float* X) {
    pl_f4 point = pl_load4(X);
    for (int a = 0; a < 4; a++) {
        pl_f8 x = pl_splat8(X[a]);
        for (int b = 0; b < 4; b++) S->at[b][a] = pl_fma8(row->at[b], x, S->at[b][a]);
    }
    for (int b = 0; b < 4; b++) S->last[b] = pl_fma4(pl_splat4(row->last[b]), point, S->last[b]);
}

// The sixteen 3 x 3 parts of a 12 x 12 block, at[column][row]. Each is column-major, followed by
// three unused floats.
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
            // In order, because each store but the last writes one value too many.
            for (int a = 0; a < 3; a++) pl_store4(out + 3 * a, pl_load4(from->at[b][a] + 3 * d));
            memcpy(out + 9, from->at[b][3] + 3 * d, 3 * sizeof(float));
        }
}

// Writes S to its entry and S' to the transposed entry; a diagonal block is S + S'.
static void store_sums3(const product_job* job, int pair, const pair_sums3* S) {
    const int* target = job->product->targets + 2 * (size_t)pair;
    parts direct, other;
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            set_part(direct.at[b][a], S->at[b][a], S->last[b][a]);
            set_part(other.at[a][b], transposed_head(S->at[b][a]), S->last[b][a]);
        }
    if (target[0] >= 0) {
        write_parts(&direct, job->coarse->values + 144 * (size_t)target[0]);
        write_parts(&other, job->coarse->values + 144 * (size_t)target[1]);
        return;
    }
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            float *sum = direct.at[b][a], *turned = other.at[b][a];
            set_part(sum, pl_load8(sum) + pl_load8(turned), sum[8] + turned[8]);
        }
    write_parts(&direct, job->coarse->fixed + 144 * (size_t)job->product->pairs.rows[pair]);
}

// ---------------------------------------------------------------- sums of vertices, 4 unknowns

typedef struct row_sums4 {
    pl_v16 at[4];
} row_sums4;

typedef struct pair_sums4 {
    pl_v16 at[4][4]; // b, a
} pair_sums4;

PL_WIDE void add_entry4(row_sums4* row, const float* A, const float* Y) {
    pl_v16 block = pl_v16_load(A);
    for (int b = 0; b < 4; b++) row->at[b] = pl_v16_fma(block, pl_v16_splat(Y[b]), row->at[b]);
}

PL_WIDE void add_row4(pair_sums4* S, const row_sums4* row, const float* X) {
    for (int a = 0; a < 4; a++) {
        pl_v16 x = pl_v16_splat(X[a]);
        for (int b = 0; b < 4; b++) S->at[b][a] = pl_v16_fma(row->at[b], x, S->at[b][a]);
    }
}

static void store_sums4(const product_job* job, int pair, const pair_sums4* S) {
    float block[256], part[16];
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            pl_v16_store(part, S->at[b][a]);
            for (int d = 0; d < 4; d++)
                pl_store4(block + 16 * (4 * b + d) + 4 * a, pl_load4(part + 4 * d));
        }
    store_block16(job, pair, block);
}

// The diagonal block of a vertex for the product. Diagonal values of held unknowns become zero:
// such an unknown is coupled with no other and does not move with its node, so its value is no
// stiffness of the node.
PL_WIDE const float* own_block3(const product_job* job, size_t i, float* copy) {
    (void)copy;
    return job->fine->fixed + 9 * i;
}
PL_WIDE const float* own_block4(const product_job* job, size_t i, float* copy) {
    const float* D = job->fine->fixed + 16 * i;
    int held = job->fine->held[i];
    if (!held) return D;
    memcpy(copy, D, 16 * sizeof(float));
    for (int c = 0; c < 4; c++)
        if (held >> c & 1) copy[5 * c] = 0.0f;
    return copy;
}

#define KIND 3
#define N 3
#include "multigrid/block_vertex_product.h"
#define KIND 4
#define N 4
#include "multigrid/block_vertex_product.h"

void pl_block_product_update(const pl_block_product* product, const pl_block_level* fine,
                             const pl_mg_transfer* transfer, pl_block_level* coarse,
                             pl_pool* pool) {
    product_job job = {product, fine, transfer, coarse};
    static const pl_task tasks[] = {[PL_BLOCKS_3] = product_task3,
                                    [PL_BLOCKS_4] = product_task4,
                                    [PL_BLOCKS_12] = product_task12,
                                    [PL_BLOCKS_16] = product_task16,
                                    [PL_BLOCKS_4X3] = product_task4x3};
    pl_parallel_for(pool, tasks[fine->kind], product->pairs.count, PAIRS_PER_TASK, &job);
}

void pl_block_add_point(int unknowns, float* D, const float* X, const float* S) {
    int u = unknowns;
    for (int b = 0; b < 4; b++)
        for (int d = 0; d < u; d++)
            for (int a = 0; a < 4; a++)
                for (int c = 0; c < u; c++)
                    D[4 * u * (u * b + d) + u * a + c] += X[a] * X[b] * S[u * c + d];
}
