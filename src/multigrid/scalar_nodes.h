// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What passes over the nodes of a coarse level are made of (scalar_coarse.h).
#ifndef PL_MULTIGRID_SCALAR_NODES_H
#define PL_MULTIGRID_SCALAR_NODES_H

#include "math/float8.h"
#include "multigrid/scalar_coarse.h"

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

// two columns side by side
typedef struct node_sum {
    pl_f8 pair[2];
} node_sum;

PL_WIDE node_vector columns_of(node_sum sum) {
    return (node_vector){
        {pl_low4(sum.pair[0]), pl_high4(sum.pair[0]), pl_low4(sum.pair[1]), pl_high4(sum.pair[1])}};
}

// sum + B x; B by columns
PL_WIDE node_sum add_product(const float* B, const float* x, node_sum sum) {
    for (int k = 0; k < 4; k++) {
        pl_f8 twice = pl_load_pair(x + 4 * k, x + 4 * k);
        sum.pair[0] = pl_fma8(pl_spread_pair(B + 4 * k), twice, sum.pair[0]);
        sum.pair[1] = pl_fma8(pl_spread_pair(B + 4 * k + 2), twice, sum.pair[1]);
    }
    return sum;
}

PL_WIDE node_vector half_sum(const pl_half_blocks* h, int place, const float* x) {
    node_sum sum = {{pl_zero8(), pl_zero8()}};
    for (int e = h->offsets[place]; e < h->offsets[place + 1]; e++)
        sum = add_product(h->values + 16 * (size_t)e, x + 16 * (size_t)h->columns[e], sum);
    return columns_of(sum);
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
PL_WIDE node_vector node_times(const pl_scalar_coarse* c, int node, bool inverse,
                               const node_vector* x) {
    int slot = c->touched_slot[node];
    if (slot >= 0 && c->mixed[slot] >= 0) {
        const pl_node_block* block = &c->node_blocks[c->mixed[slot]];
        return multiply12(inverse ? block->inverse : block->block, x);
    }
    // symmetric: by rows is by columns
    const float* block = (inverse ? c->inverse : c->diagonal) + 16 * (size_t)node;
    node_sum zero = {{pl_zero8(), pl_zero8()}};
    return columns_of(add_product(block, (const float*)x, zero));
}

#endif
