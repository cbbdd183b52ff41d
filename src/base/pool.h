// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The one door to threads. Blocks depend on the item count, never on the thread count, and a
// reduction adds one partial per block in block order, so results have the same bits for every
// pool.
#ifndef PL_BASE_POOL_H
#define PL_BASE_POOL_H

#include <pliant/parallel.h>
#include <stdbool.h>

// Calls task for every block of [0, item_count). pool NULL, a call from inside a task, or a pool
// that is busy with another caller runs everything on this thread.
void pl_parallel_for(pl_pool* pool, pl_task task, int item_count, int block, void* user);

// The sum of part(begin, end, user) over blocks; at most PL_REDUCE_BLOCKS blocks of at least
// `block` items.
enum { PL_REDUCE_BLOCKS = 256 };
typedef double (*pl_partial)(int begin, int end, void* user);
double pl_parallel_sum(pl_pool* pool, pl_partial part, int item_count, int block, void* user);

// A job beside the caller, for what cannot be cut into blocks: a worker takes it and comes back to
// the loops of the caller when it is done. Loops inside the job stay on its thread. A pool of one
// thread, one with a hook, and one that is busy run it at once.
typedef void (*pl_job)(void* user);
typedef struct pl_background {
    pl_job job;
    void* user;
    bool is_pending; // started and not waited for
    bool is_done;    // guarded by the pool
} pl_background;
void pl_background_start(pl_pool* pool, pl_job job, void* user, pl_background* background);
// Returns when the job is done, at once if none was started. Runs it if no worker has taken it.
void pl_background_wait(pl_pool* pool, pl_background* background);

// CPUs that this process may use: affinity, cut by the cgroup's cpu limit; at least 1.
int pl_usable_cpu_count(void);

#endif
