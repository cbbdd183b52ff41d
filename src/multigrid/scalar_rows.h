// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What passes over the rows of the finest level are made of (scalar_fine.h): four rows to a chunk.
#ifndef PL_MULTIGRID_SCALAR_ROWS_H
#define PL_MULTIGRID_SCALAR_ROWS_H

#include "math/float8.h"
#include "multigrid/scalar_fine.h"

enum { CHUNK = 4, GROUP = 512 }; // rows of a chunk, chunks of a group

// sums over half of the rows of a chunk, two rows in each
typedef struct chunk_sums {
    pl_f8 pair[CHUNK / 2];
} chunk_sums;

PL_WIDE chunk_sums half_sums(const pl_half_rows* h, int chunk, const float* x) {
    const int* columns = h->columns + (size_t)CHUNK * (size_t)h->starts[chunk];
    const float* values = h->values + (size_t)CHUNK * (size_t)h->starts[chunk];
    pl_f8 first = pl_zero8(), second = pl_zero8();
    for (int k = h->starts[chunk + 1] - h->starts[chunk]; k > 0;
         k--, columns += CHUNK, values += CHUNK) {
        first =
            pl_fma8(pl_spread_pair(values), pl_load_pair(x + columns[0], x + columns[1]), first);
        second = pl_fma8(pl_spread_pair(values + 2), pl_load_pair(x + columns[2], x + columns[3]),
                         second);
    }
    return (chunk_sums){{first, second}};
}

PL_WIDE pl_f4 row_sum(const chunk_sums* sums, int q) {
    return q % 2 ? pl_high4(sums->pair[q / 2]) : pl_low4(sums->pair[q / 2]);
}

// the first block at or after a place
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

// D x of a row
PL_WIDE pl_f4 diagonal_times(const pl_scalar_fine* f, int place, pl_f4 x, int* block) {
    if (*block < f->block_count && f->blocks[*block].place == place)
        return apply3(f->blocks[(*block)++].block, x);
    return f->diagonal[place] * x;
}

#endif
