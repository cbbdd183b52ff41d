// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Threads. Calls that can use several threads take a pool; NULL runs on the calling thread. Results
// have the same bits for every pool.
#ifndef PLIANT_PARALLEL_H
#define PLIANT_PARALLEL_H

#include <pliant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_pool pl_pool;

/// Works on items [begin, end); worker is below pl_pool_thread_count and unique among the tasks
/// running now.
typedef void (*pl_task)(int begin, int end, int worker, void* user);

/// A host's own scheduler: must call task for every block of [0, item_count), in any order, and
/// return when all are done. Blocks are [k * block, min((k + 1) * block, item_count)) and may not
/// be merged or split.
typedef void (*pl_parallel_hook)(pl_task task, int item_count, int block, void* task_user,
                                 void* hook_user);

/// thread_count 0: as many as this process may use (affinity and the cgroup's CPU limit).
PL_API pl_status pl_pool_create(int thread_count, pl_pool** out, pl_error* error);
/// A pool without threads, which passes all work to the host.
PL_API pl_status pl_pool_create_with_hook(pl_parallel_hook hook, void* hook_user, int thread_count,
                                          pl_pool** out, pl_error* error);
PL_API void pl_pool_destroy(pl_pool* pool);
PL_API int pl_pool_thread_count(const pl_pool* pool);

#ifdef __cplusplus
}
#endif
#endif
