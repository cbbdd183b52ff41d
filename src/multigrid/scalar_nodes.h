// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What passes over the nodes of a coarse level are made of (scalar_coarse_data.h).
#ifndef PL_MULTIGRID_SCALAR_NODES_H
#define PL_MULTIGRID_SCALAR_NODES_H

#include "math/float8.h"
#include "multigrid/scalar_coarse_data.h"

typedef struct node_vector {
    pl_f4 column[4];
} node_vector;

PL_WIDE node_vector load_node(const float* from) {
    return (node_vector){
        {pl_load4(from), pl_load4(from + 4), pl_load4(from + 8), pl_load4(from + 12)}};
}
PL_WIDE void store_node(float* to, const node_vector* v) {
    for (int a = 0; a < 4; a++) pl_store4(to + 4 * a, v->column[a]);
}

// Two columns side by side, and the products with the even and the odd columns of blocks apart:
// else each would wait for the one before.
typedef struct node_sum {
    pl_f8 pair[2][2];
} node_sum;

PL_WIDE node_vector columns_of(const node_sum* sum) {
    pl_f8 first = pl_add8(sum->pair[0][0], sum->pair[1][0]);
    pl_f8 second = pl_add8(sum->pair[0][1], sum->pair[1][1]);
    return (node_vector){{pl_low4(first), pl_high4(first), pl_low4(second), pl_high4(second)}};
}

// sum + the product of column k of a block with the row k of x, given twice
PL_WIDE void add_column(const float* column, pl_f8 twice, int k, node_sum* sum) {
    pl_f8 first, second;
    pl_spread_four(column, &first, &second);
    sum->pair[k % 2][0] = pl_fma8(first, twice, sum->pair[k % 2][0]);
    sum->pair[k % 2][1] = pl_fma8(second, twice, sum->pair[k % 2][1]);
}

PL_WIDE node_sum no_sum(void) {
    return (node_sum){{{pl_zero8(), pl_zero8()}, {pl_zero8(), pl_zero8()}}};
}

// B x; B by columns
PL_WIDE node_vector half_sum(const pl_half_blocks* h, int place, const float* x) {
    node_sum sum = no_sum();
    for (int e = h->offsets[place]; e < h->offsets[place + 1]; e++) {
        const float *B = h->values + 16 * (size_t)e, *from = x + 16 * (size_t)h->columns[e];
        for (int k = 0; k < 4; k++)
            add_column(B + 4 * k, pl_load_pair(from + 4 * k, from + 4 * k), k, &sum);
    }
    return columns_of(&sum);
}

PL_WIDE void subtract(node_vector* a, node_vector b) {
    for (int k = 0; k < 4; k++) a->column[k] -= b.column[k];
}

// y = M x of a 12x12 block
PL_WIDE node_vector multiply12(const float* M, const node_vector* x) {
    node_vector y = {{{0}}};
    for (int i = 0; i < 12; i++) {
        float sum = 0.0f;
        for (int j = 0; j < 12; j++) sum += M[12 * i + j] * x->column[j / 3][j % 3];
        y.column[i / 3][i % 3] = sum;
    }
    return y;
}

// a node's diagonal block, or its inverse, times x
PL_WIDE node_vector node_times(const pl_scalar_coarse* c, int place, bool inverse,
                               const node_vector* x) {
    int slot = c->touched_slot[place];
    if (slot >= 0 && c->mixed[slot] >= 0) {
        const pl_node_block* block = &c->node_blocks[c->mixed[slot]];
        return multiply12(inverse ? block->inverse : block->block, x);
    }
    // symmetric: by rows is by columns
    const float* block = (inverse ? c->inverse : c->diagonal) + 16 * (size_t)place;
    node_sum sum = no_sum();
    for (int k = 0; k < 4; k++)
        add_column(block + 4 * k, pl_pair4(x->column[k], x->column[k]), k, &sum);
    return columns_of(&sum);
}

#endif
