// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A small pool of threads. A multigrid cycle passes 20 to 150 barriers, so waiting threads spin for
// a moment (0.3 us to wake) before they sleep (30 us to wake); with more threads than CPUs they
// sleep at once.
//
// A job is published by opening the gate for a new generation (under the mutex, so that sleepers
// see it). Workers that arrive enter and claim blocks. When no block is left, the caller closes the
// gate and waits for the workers inside. Late workers find it closed, so a worker that sleeps or
// has lost its CPU holds nobody up. A worker that is busy with a background job is just one worker
// less.
#include "base/pool.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { MAX_THREADS = 256, SPINS = 4000 };

typedef struct job {
    pl_task task;
    int item_count;
    int block;
    void* user;
} job;

// The blocks of one worker that are not done yet: the next one in the lower half, the end in the
// upper half. On a cache line of its own.
typedef struct worker_blocks {
    _Alignas(64) atomic_uint_fast64_t range;
} worker_blocks;

struct pl_pool {
    int thread_count;
    pl_parallel_hook hook;
    void* hook_user;

    pthread_t* threads; // thread_count - 1 of them; the caller is worker 0
    int started;
    int spins;
    pthread_mutex_t mutex; // guards generation changes against sleepers
    pthread_cond_t wake;
    pthread_mutex_t caller; // held by the thread whose job runs

    job job;
    worker_blocks* blocks; // one per thread
    // The generation in the upper half; below it twice the number of workers inside, plus 1 while
    // it is open.
    atomic_uint_fast64_t gate;
    pl_background* background; // not yet taken by a worker; guarded by the mutex
    atomic_bool has_background;
    atomic_bool quit;
};

typedef struct worker_start {
    pl_pool* pool;
    int worker;
} worker_start;

// inside a task: the pool that runs it, so that nested calls stay on their thread
static _Thread_local pl_pool* current_pool;

static inline void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static uint64_t range_of(int begin, int end) { return (uint64_t)end << 32 | (uint32_t)begin; }

// Takes a block from a worker's list: its first one if the list is the caller's own, else its last
// one; -1 if none is left
static int claim_block(worker_blocks* blocks, bool own) {
    uint_fast64_t range = atomic_load_explicit(&blocks->range, memory_order_relaxed);
    for (;;) {
        int begin = (int)(range & UINT32_MAX), end = (int)(range >> 32);
        if (begin >= end) return -1;
        uint_fast64_t rest = own ? range_of(begin + 1, end) : range_of(begin, end - 1);
        if (atomic_compare_exchange_weak_explicit(&blocks->range, &range, rest,
                                                  memory_order_relaxed, memory_order_relaxed))
            return own ? begin : end - 1;
    }
}

static void run_blocks(pl_pool* pool, int worker) {
    const job j = pool->job;
    pl_pool* outer = current_pool;
    current_pool = pool;
    for (int k = 0; k < pool->thread_count;) {
        int of = (worker + k) % pool->thread_count, block = claim_block(&pool->blocks[of], k == 0);
        if (block < 0) {
            k++;
            continue;
        }
        int begin = block * j.block;
        int end = j.item_count - begin < j.block ? j.item_count : begin + j.block;
        j.task(begin, end, worker, j.user);
    }
    current_pool = outer;
}

// Each worker gets the same part of the items every time, so that they may still be in its cache.
static void deal_blocks(pl_pool* pool, int item_count, int block) {
    int64_t count = ((int64_t)item_count + block - 1) / block, threads = pool->thread_count;
    for (int w = 0; w < pool->thread_count; w++)
        atomic_store_explicit(
            &pool->blocks[w].range,
            range_of((int)(count * w / threads), (int)(count * (w + 1) / threads)),
            memory_order_relaxed);
}

static uint32_t generation_of(pl_pool* pool) {
    return (uint32_t)(atomic_load_explicit(&pool->gate, memory_order_acquire) >> 32);
}

// spins, then sleeps, until the generation differs from the one seen
static uint32_t wait_for_job(pl_pool* pool, uint32_t seen) {
    uint32_t now;
    for (int i = 0; i < pool->spins; i++) {
        now = generation_of(pool);
        if (now != seen) return now;
        cpu_relax();
    }
    pthread_mutex_lock(&pool->mutex);
    while ((now = generation_of(pool)) == seen) pthread_cond_wait(&pool->wake, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    return now;
}

// false if the gate of that generation is closed
static bool enter(pl_pool* pool, uint32_t generation) {
    uint_fast64_t gate = atomic_load_explicit(&pool->gate, memory_order_relaxed);
    do {
        if ((uint32_t)(gate >> 32) != generation || !(gate & 1)) return false;
    } while (!atomic_compare_exchange_weak_explicit(&pool->gate, &gate, gate + 2,
                                                    memory_order_acquire, memory_order_relaxed));
    return true;
}

// Runs the background job if no worker has taken it yet. With `only`, runs just that one.
static void run_background(pl_pool* pool, const pl_background* only) {
    pthread_mutex_lock(&pool->mutex);
    pl_background* background = pool->background;
    if (only && background != only) background = NULL;
    if (background) {
        pool->background = NULL;
        atomic_store_explicit(&pool->has_background, false, memory_order_relaxed);
    }
    pthread_mutex_unlock(&pool->mutex);
    if (!background) return;
    pl_pool* outer = current_pool;
    current_pool = pool;
    background->job(background->user);
    current_pool = outer;
    pthread_mutex_lock(&pool->mutex);
    background->is_done = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void* worker_main(void* argument) {
    worker_start start = *(worker_start*)argument;
    pl_pool* pool = start.pool;
    PL_FREE(argument, worker_start, 1);
    uint32_t seen = 0;
    for (;;) {
        seen = wait_for_job(pool, seen);
        if (atomic_load_explicit(&pool->quit, memory_order_acquire)) return NULL;
        if (atomic_load_explicit(&pool->has_background, memory_order_acquire))
            run_background(pool, NULL);
        if (!enter(pool, seen)) continue;
        run_blocks(pool, start.worker);
        atomic_fetch_sub_explicit(&pool->gate, 2, memory_order_release);
    }
}

// a new generation, with nobody inside
static void publish(pl_pool* pool, bool open) {
    pthread_mutex_lock(&pool->mutex);
    uint_fast64_t next = (uint_fast64_t)(generation_of(pool) + 1) << 32;
    atomic_store_explicit(&pool->gate, next | open, memory_order_release);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void close_gate(pl_pool* pool) {
    atomic_fetch_and_explicit(&pool->gate, ~(uint_fast64_t)1, memory_order_acq_rel);
    for (int i = 0; (uint32_t)atomic_load_explicit(&pool->gate, memory_order_acquire) != 0; i++) {
        if (i < pool->spins) cpu_relax();
        else sched_yield();
    }
}

static void run_serial(pl_task task, int item_count, int block, void* user) {
    for (int begin = 0; begin < item_count;) {
        int end = item_count - begin < block ? item_count : begin + block;
        task(begin, end, 0, user);
        begin = end;
    }
}

void pl_parallel_for(pl_pool* pool, pl_task task, int item_count, int block, void* user) {
    if (item_count <= 0) return;
    if (block < 1) block = 1;
    bool alone = !pool || current_pool || item_count <= block;
    if (!alone && pool->hook) {
        pool->hook(task, item_count, block, user, pool->hook_user);
        return;
    }
    if (alone || pool->thread_count == 1 || pthread_mutex_trylock(&pool->caller) != 0) {
        run_serial(task, item_count, block, user);
        return;
    }
    pool->job = (job){task, item_count, block, user};
    deal_blocks(pool, item_count, block);
    publish(pool, true);
    run_blocks(pool, 0);
    close_gate(pool);
    pthread_mutex_unlock(&pool->caller);
}

typedef struct sum_job {
    pl_partial part;
    void* user;
    int block;
    double partials[PL_REDUCE_BLOCKS];
} sum_job;

static void sum_task(int begin, int end, int worker, void* user) {
    (void)worker;
    sum_job* sum = user;
    sum->partials[begin / sum->block] = sum->part(begin, end, sum->user);
}

double pl_parallel_sum(pl_pool* pool, pl_partial part, int item_count, int block, void* user) {
    if (item_count <= 0) return 0.0;
    int smallest = (int)(((int64_t)item_count + PL_REDUCE_BLOCKS - 1) / PL_REDUCE_BLOCKS);
    sum_job sum = {.part = part, .user = user, .block = block > smallest ? block : smallest};
    pl_parallel_for(pool, sum_task, item_count, sum.block, &sum);
    double total = 0.0;
    int block_count = (int)(((int64_t)item_count + sum.block - 1) / sum.block);
    for (int k = 0; k < block_count; k++) total += sum.partials[k];
    return total;
}

// Wakes workers for the job; false if the pool is busy with another caller or job.
static bool offer_background(pl_pool* pool, pl_background* background) {
    if (pthread_mutex_trylock(&pool->caller) != 0) return false;
    pthread_mutex_lock(&pool->mutex);
    bool is_free = !pool->background;
    if (is_free) {
        pool->background = background;
        atomic_store_explicit(&pool->has_background, true, memory_order_release);
    }
    pthread_mutex_unlock(&pool->mutex);
    if (is_free) publish(pool, false);
    pthread_mutex_unlock(&pool->caller);
    return is_free;
}

void pl_background_start(pl_pool* pool, pl_job task, void* user, pl_background* background) {
    *background = (pl_background){.job = task, .user = user, .is_pending = true};
    bool alone = !pool || current_pool || pool->hook || pool->thread_count == 1;
    if (!alone && offer_background(pool, background)) return;
    task(user);
    background->is_pending = false;
}

void pl_background_wait(pl_pool* pool, pl_background* background) {
    if (!background->is_pending) return;
    background->is_pending = false;
    run_background(pool, background);
    pthread_mutex_lock(&pool->mutex);
    while (!background->is_done) pthread_cond_wait(&pool->wake, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

static pl_status start_threads(pl_pool* pool, pl_error* error) {
    pool->threads = PL_ALLOC(pthread_t, pool->thread_count - 1);
    pool->blocks = PL_ALLOC(worker_blocks, pool->thread_count);
    if (!pool->threads || !pool->blocks) return pl_fail_memory(error, "the threads of a pool");
    for (; pool->started < pool->thread_count - 1; pool->started++) {
        worker_start* start = PL_ALLOC(worker_start, 1);
        if (!start) return pl_fail_memory(error, "a thread of a pool");
        *start = (worker_start){pool, pool->started + 1};
        if (pthread_create(&pool->threads[pool->started], NULL, worker_main, start) != 0) {
            PL_FREE(start, worker_start, 1);
            return pl_fail(error, PL_ERROR_LIMIT,
                           "thread %d of %d could not be started; ask for fewer threads",
                           pool->started + 1, pool->thread_count);
        }
    }
    return PL_OK;
}

static pl_status create_pool(int thread_count, pl_pool** out, pl_error* error) {
    *out = NULL;
    if (thread_count < 0 || thread_count > MAX_THREADS)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%d threads asked for; give 1 to %d, or 0 for all that may be used",
                       thread_count, MAX_THREADS);
    pl_pool* pool = PL_ALLOC(pl_pool, 1);
    if (!pool) return pl_fail_memory(error, "a pool of threads");
    int cpu_count = pl_usable_cpu_count();
    pool->thread_count = thread_count              ? thread_count
                         : cpu_count < MAX_THREADS ? cpu_count
                                                   : MAX_THREADS;
    pool->spins = pool->thread_count <= cpu_count ? SPINS : 0;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_mutex_init(&pool->caller, NULL);
    pthread_cond_init(&pool->wake, NULL);
    *out = pool;
    return PL_OK;
}

pl_status pl_pool_create(int thread_count, pl_pool** out, pl_error* error) {
    pl_status status = create_pool(thread_count, out, error);
    if (status == PL_OK && (*out)->thread_count > 1) status = start_threads(*out, error);
    if (status != PL_OK) {
        pl_pool_destroy(*out);
        *out = NULL;
    }
    return status;
}

pl_status pl_pool_create_with_hook(pl_parallel_hook hook, void* hook_user, int thread_count,
                                   pl_pool** out, pl_error* error) {
    *out = NULL;
    if (!hook || thread_count < 1)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "a pool with a hook needs the hook and its thread count");
    pl_status status = create_pool(thread_count, out, error);
    if (status == PL_OK) {
        (*out)->hook = hook;
        (*out)->hook_user = hook_user;
    }
    return status;
}

void pl_pool_destroy(pl_pool* pool) {
    if (!pool) return;
    atomic_store_explicit(&pool->quit, true, memory_order_release);
    publish(pool, false);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->threads[i], NULL);
    if (pool->threads) PL_FREE(pool->threads, pthread_t, pool->thread_count - 1);
    if (pool->blocks) PL_FREE(pool->blocks, worker_blocks, pool->thread_count);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->caller);
    pthread_mutex_destroy(&pool->mutex);
    PL_FREE(pool, pl_pool, 1);
}

int pl_pool_thread_count(const pl_pool* pool) { return pool ? pool->thread_count : 1; }
