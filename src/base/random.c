// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/random.h"
#include "base/hash.h"

#include <math.h>

uint64_t pl_random_bits(pl_random* random) {
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return pl_hash_mix(random->state);
}

static double unit(pl_random* random) { return (double)(pl_random_bits(random) >> 11) * 0x1p-53; }

double pl_random_uniform(pl_random* random, double low, double high) {
    return low + (high - low) * unit(random);
}

int pl_random_int(pl_random* random, int count) {
    return (int)(((pl_random_bits(random) >> 32) * (uint64_t)count) >> 32);
}

double pl_random_normal(pl_random* random) {
    // Box and Muller; 1 - unit is never zero
    double radius = sqrt(-2.0 * log(1.0 - unit(random)));
    return radius * cos(6.283185307179586 * unit(random));
}
