// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Random numbers (splitmix64), the same on every machine for a given seed. The caller owns the
// state; there are no globals.
#ifndef PL_BASE_RANDOM_H
#define PL_BASE_RANDOM_H

#include <stdint.h>

typedef struct pl_random {
    uint64_t state;
} pl_random;

uint64_t pl_random_bits(pl_random* random);
// Uniform in [low, high).
double pl_random_uniform(pl_random* random, double low, double high);
// Uniform in [0, count).
int pl_random_int(pl_random* random, int count);
// Mean 0, deviation 1.
double pl_random_normal(pl_random* random);

#endif
