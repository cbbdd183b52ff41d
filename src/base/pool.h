// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The one door to threads. Blocks depend on the item count, never on the thread count, and a
// reduction adds one partial per block in block order, so results have the same bits for every
// pool.
#ifndef PL_BASE_POOL_H
#define PL_BASE_POOL_H

#include <pliant/parallel.h>

// Calls task for every block of [0, item_count). pool NULL, a call from inside a task, or a pool
// that is busy with another caller runs everything on this thread.
void pl_parallel_for(pl_pool* pool, pl_task task, int item_count, int block, void* user);

// The sum of part(begin, end, user) over blocks; at most PL_REDUCE_BLOCKS blocks of at least
// `block` items.
enum { PL_REDUCE_BLOCKS = 256 };
typedef double (*pl_partial)(int begin, int end, void* user);
double pl_parallel_sum(pl_pool* pool, pl_partial part, int item_count, int block, void* user);

// Runs two jobs at the same time if there is a thread for the second. Loops inside of them stay on
// their thread. For what cannot be cut into blocks.
typedef void (*pl_job)(void* user);
void pl_parallel_pair(pl_pool* pool, pl_job first, pl_job second, void* user);

// CPUs that this process may use: affinity, cut by the cgroup's cpu limit; at least 1.
int pl_usable_cpu_count(void);

#endif
