// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Adds PL_LANES blocks of 3 x 3 floats to a matrix, lane after lane, so that elements of one batch
// may share vertices.
#ifndef PL_ELEMENTS_BLOCK_SUMS_H
#define PL_ELEMENTS_BLOCK_SUMS_H

#include "math/vec3w.h"

// any alignment, since a block has 36 bytes
typedef float pl_loose_f8 __attribute__((vector_size(32), aligned(4), may_alias));

// block number index[i] += lane i
PL_WIDE void pl_add_block_w(float* blocks, const int32_t* index, const pl_mat3w* K) {
    const pl_fw* m = K->m;
    pl_f4 low[PL_LANES], high[PL_LANES];
    float last[PL_LANES];
    pl_rows4_w((pl_float4w){m[0], m[1], m[2], m[3]}, low);
    pl_rows4_w((pl_float4w){m[4], m[5], m[6], m[7]}, high);
    pl_storeu_w(last, m[8]);
    for (int lane = 0; lane < PL_LANES; lane++) {
        float* p = blocks + 9 * (int64_t)index[lane];
        *(pl_loose_f8*)p += __builtin_shufflevector(low[lane], high[lane], 0, 1, 2, 3, 4, 5, 6, 7);
        p[8] += last[lane];
    }
}

// blocks number first[i] and second[i] = lane i
PL_WIDE void pl_write_block_w(float* blocks, const int32_t* first, const int32_t* second,
                              const pl_mat3w* K) {
    const pl_fw* m = K->m;
    pl_f4 low[PL_LANES], high[PL_LANES];
    float last[PL_LANES];
    pl_rows4_w((pl_float4w){m[0], m[1], m[2], m[3]}, low);
    pl_rows4_w((pl_float4w){m[4], m[5], m[6], m[7]}, high);
    pl_storeu_w(last, m[8]);
    for (int lane = 0; lane < PL_LANES; lane++) {
        float *p = blocks + 9 * (int64_t)first[lane], *q = blocks + 9 * (int64_t)second[lane];
        pl_loose_f8 head = __builtin_shufflevector(low[lane], high[lane], 0, 1, 2, 3, 4, 5, 6, 7);
        *(pl_loose_f8*)p = head;
        *(pl_loose_f8*)q = head;
        p[8] = last[lane];
        q[8] = last[lane];
    }
}

// The blocks of a batch are scattered over the matrix: prefetches them before they are computed.
PL_WIDE void pl_prefetch_blocks_w(const float* blocks, const int32_t (*index)[PL_LANES],
                                  int count) {
    for (int k = 0; k < count; k++)
        for (int lane = 0; lane < PL_LANES; lane++)
            __builtin_prefetch(blocks + 9 * (int64_t)index[k][lane], 1);
}

#endif
