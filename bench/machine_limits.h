// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the machine can do, for benches to set their numbers beside.
#ifndef PL_BENCH_MACHINE_LIMITS_H
#define PL_BENCH_MACHINE_LIMITS_H

#include "base/pool.h"

#include <stddef.h>

// Reads a buffer of so many floats in order; their sum, so that it cannot be left out.
double machine_read(pl_pool* pool, const float* buffer, size_t count);

// GB/s at which a pool reads a buffer of so many bytes in order, again and again: the best of some
// tries. 0 if there is no memory.
double machine_read_speed(pl_pool* pool, size_t bytes);

// Part of the time in which arithmetic in registers, which waits for no memory, ran at less than
// three quarters of its best speed: somebody else was on the core. Counts time that this thread
// was running only.
double machine_shared_part(void);

#endif
