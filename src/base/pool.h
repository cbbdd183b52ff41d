// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The thread pool; all parallel loops go through it. Blocks depend on the item count, never on the
// thread count, and a reduction adds one partial per block in block order, so results have the same
// bits for every pool.
#ifndef PL_BASE_POOL_H
#define PL_BASE_POOL_H

#include <pliant/parallel.h>
#include <stdbool.h>

// Calls task for every block of [0, item_count). Everything runs on this thread if pool is NULL or
// busy with another caller, or if the call comes from inside a task.
void pl_parallel_for(pl_pool* pool, pl_task task, int item_count, int block, void* user);

// The sum of part(begin, end, user) over blocks; at most PL_REDUCE_BLOCKS blocks of at least
// `block` items.
enum { PL_REDUCE_BLOCKS = 256 };
typedef double (*pl_partial)(int begin, int end, void* user);
double pl_parallel_sum(pl_pool* pool, pl_partial part, int item_count, int block, void* user);

// A background job, for work that cannot be cut into blocks. One worker takes it, and returns to
// the caller's loops when it is done. Loops inside the job stay on its thread. If the pool has one
// thread, has a hook or is busy, the job runs at once on this thread.
typedef void (*pl_job)(void* user);
typedef struct pl_background {
    pl_job job;
    void* user;
    bool is_pending; // started, and not waited for yet
    bool is_done;    // guarded by the pool
} pl_background;
void pl_background_start(pl_pool* pool, pl_job job, void* user, pl_background* background);
// Waits until the job is done; returns at once if none was started. Runs the job here if no worker
// has taken it.
void pl_background_wait(pl_pool* pool, pl_background* background);

// Number of CPUs that this process may use, by its affinity and the cgroup's CPU limit; at least 1.
int pl_usable_cpu_count(void);

#endif
