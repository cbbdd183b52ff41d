// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Kernels for passes over the rows of the finest level (scalar_fine_data.h), a chunk of four rows
// at a time.
#ifndef PL_MULTIGRID_SCALAR_ROWS_H
#define PL_MULTIGRID_SCALAR_ROWS_H

#include "math/float8.h"
#include "multigrid/scalar_fine_data.h"

enum { CHUNK = 4, GROUP = 512 }; // rows of a chunk, chunks of a group

// sums of the rows of a chunk over one half of the matrix, two rows per vector
typedef struct chunk_sums {
    pl_f8 pair[CHUNK / 2];
} chunk_sums;

// not inlined, so that the usual case keeps its registers
static __attribute__((noinline, unused)) chunk_sums far_sums(const pl_half_rows* h, int chunk,
                                                             const float* x) {
    pl_f8 first = {0}, second = {0};
    for (int k = h->starts[chunk]; k < h->starts[chunk + 1]; k++) {
        const int* at = h->far[k].columns;
        const float* values = h->far[k].values;
        first = pl_fma8(pl_spread_pair(values), pl_load_pair(x + at[0], x + at[1]), first);
        second = pl_fma8(pl_spread_pair(values + 2), pl_load_pair(x + at[2], x + at[3]), second);
    }
    return (chunk_sums){{first, second}};
}

PL_WIDE const float* column_at(const float* x, uint64_t columns, int q) {
    return x + 2 * (size_t)(columns >> 16 * q & UINT16_MAX);
}

PL_WIDE void add_entries(chunk_sums* sums, const pl_near_entries* e, const float* x) {
    uint64_t at = e->columns;
    pl_f8 a01, a23;
    pl_spread_four(e->values, &a01, &a23);
    pl_f8 x01 = pl_load_pair(column_at(x, at, 0), column_at(x, at, 1));
    pl_f8 x23 = pl_load_pair(column_at(x, at, 2), column_at(x, at, 3));
    sums->pair[0] = pl_fma8(a01, x01, sums->pair[0]);
    sums->pair[1] = pl_fma8(a23, x23, sums->pair[1]);
}

// sums of a chunk over one half of the matrix
PL_WIDE chunk_sums half_sums(const pl_half_rows* h, int chunk, const float* x) {
    if (__builtin_expect(!h->near, 0)) return far_sums(h, chunk, x);
    const pl_near_entries *e = h->near + h->starts[chunk], *end = h->near + h->starts[chunk + 1];
    chunk_sums sums = {0};
    for (x += h->lowest[chunk]; e < end; e++) add_entries(&sums, e, x);
    return sums;
}

// The same, unrolled, for sweeps over one half. Rows are short and chunks are sorted by length, so
// a jump into unrolled code is predicted well and takes up to a tenth less time than a loop. In
// passes over both halves the jump is mispredicted, and the unrolled code takes a tenth more time.
PL_WIDE chunk_sums short_sums(const pl_half_rows* h, int chunk, const float* x) {
    if (__builtin_expect(!h->near, 0)) return far_sums(h, chunk, x);
    const pl_near_entries* end = h->near + h->starts[chunk + 1];
    int count = h->starts[chunk + 1] - h->starts[chunk];
    x += h->lowest[chunk];
    chunk_sums sums = {0};
    for (; count > 12; count--) add_entries(&sums, end - count, x);
    switch (count) {
    case 12: add_entries(&sums, end - 12, x); // fall through
    case 11: add_entries(&sums, end - 11, x); // fall through
    case 10: add_entries(&sums, end - 10, x); // fall through
    case 9: add_entries(&sums, end - 9, x);   // fall through
    case 8: add_entries(&sums, end - 8, x);   // fall through
    case 7: add_entries(&sums, end - 7, x);   // fall through
    case 6: add_entries(&sums, end - 6, x);   // fall through
    case 5: add_entries(&sums, end - 5, x);   // fall through
    case 4: add_entries(&sums, end - 4, x);   // fall through
    case 3: add_entries(&sums, end - 3, x);   // fall through
    case 2: add_entries(&sums, end - 2, x);   // fall through
    case 1: add_entries(&sums, end - 1, x);   // fall through
    default: return sums;
    }
}

PL_WIDE pl_f4 row_sum(const chunk_sums* sums, int q) {
    return q % 2 ? pl_high4(sums->pair[q / 2]) : pl_low4(sums->pair[q / 2]);
}

// index of the first block at or after a place
PL_WIDE int block_at(const pl_scalar_fine* f, int place) {
    int low = 0, high = f->block_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (f->blocks[middle].place < place) low = middle + 1;
        else high = middle;
    }
    return low;
}

PL_WIDE pl_f4 apply3(const float m[9], pl_f4 v) {
    return (pl_f4){m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
                   m[6] * v[0] + m[7] * v[1] + m[8] * v[2], 0.0f};
}

// D x of a row; *block: index of the next block, moved past the row
PL_WIDE pl_f4 diagonal_times(const pl_scalar_fine* f, int place, pl_f4 x, int* block) {
    if (*block < f->block_count && f->blocks[*block].place == place)
        return apply3(f->blocks[(*block)++].block, x);
    return f->diagonal[place] * x;
}

#endif
