// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#ifndef PL_BENCH_PAIR_SUM_H
#define PL_BENCH_PAIR_SUM_H

#include <stdint.h>

// Tells sets of pairs apart: the sum over all of them, in any order. v: a vertex and a triangle, or
// two edges, v[0] and v[1] the ends of the first.
uint64_t pair_sum(const int v[4], int is_edges);

#endif
