// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "base/pool.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>

enum { ITEMS = 10007, BLOCK = 64 };

typedef struct visits {
    int count[ITEMS];
    pl_pool* pool;
} visits;

static void visit_task(int begin, int end, int worker, void* user) {
    (void)worker;
    visits* v = user;
    for (int i = begin; i < end; i++) v->count[i]++;
}

TEST(parallel_visits_every_item_once)
{
    visits v = {0};
    for (int threads = 1; threads <= 4; threads++) {
        pl_pool* pool;
        pl_error error;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        CHECK_INT(pl_pool_thread_count(pool), threads);
        memset(v.count, 0, sizeof v.count);
        for (int round = 0; round < 200; round++)
            pl_parallel_for(pool, visit_task, ITEMS, BLOCK, &v);
        for (int i = 0; i < ITEMS; i++) CHECK_INT(v.count[i], 200);
        pl_parallel_for(pool, visit_task, 0, BLOCK, &v);
        pl_pool_destroy(pool);
    }
}

static void small_task(int begin, int end, int worker, void* user) {
    (void)worker;
    for (int i = begin; i < end; i++) ((int*)user)[i]++;
}

// Many jobs end before all workers have woken up: whoever comes late must touch neither a job that
// is over nor, with what it remembers of that one, the next.
TEST(parallel_late_workers_find_the_gate_closed)
{
    enum { MOST = 40, ROUNDS = 20000 };
    int count[2][MOST];
    pl_pool* pool;
    pl_error error;
    CHECK_OK(pl_pool_create(9, &pool, &error), &error);
    for (int round = 0; round < ROUNDS; round++) {
        int items = 2 + round % (MOST - 2), *now = count[round & 1], *last = count[~round & 1];
        memset(now, 0, sizeof count[0]);
        pl_parallel_for(pool, small_task, items, 1, now);
        for (int i = 0; i < MOST; i++) CHECK_INT(now[i], i < items);
        for (int i = 0; round && i < MOST; i++)
            CHECK_INT(last[i], i < 2 + (round - 1) % (MOST - 2));
    }
    pl_pool_destroy(pool);
}

static double harmonic(int begin, int end, void* user) {
    (void)user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) sum += 1.0 / (i + 1.0);
    return sum;
}

TEST(parallel_sum_has_the_same_bits_for_all_thread_counts)
{
    double serial = pl_parallel_sum(NULL, harmonic, 1000003, 100, NULL);
    CHECK_NEAR(serial, 14.392729, 1e-4);
    for (int threads = 1; threads <= 4; threads++) {
        pl_pool* pool;
        pl_error error;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        for (int round = 0; round < 20; round++)
            CHECK(pl_parallel_sum(pool, harmonic, 1000003, 100, NULL) == serial);
        pl_pool_destroy(pool);
    }
}

static void nested_task(int begin, int end, int worker, void* user) {
    (void)worker;
    visits* v = user;
    for (int i = begin; i < end; i++) {
        visits* inner = PL_ALLOC(visits, 1);
        pl_parallel_for(v->pool, visit_task, 100, 10, inner);
        v->count[i] = inner->count[99];
        PL_FREE(inner, visits, 1);
    }
}

TEST(parallel_nested_call_stays_on_its_thread)
{
    visits v = {0};
    pl_error error;
    CHECK_OK(pl_pool_create(4, &v.pool, &error), &error);
    pl_parallel_for(v.pool, nested_task, 50, 1, &v);
    for (int i = 0; i < 50; i++) CHECK_INT(v.count[i], 1);
    pl_pool_destroy(v.pool);
}

static void* second_caller(void* user) {
    visits* v = PL_ALLOC(visits, 1);
    for (int round = 0; round < 100; round++) pl_parallel_for(user, visit_task, ITEMS, BLOCK, v);
    bool right = true;
    for (int i = 0; i < ITEMS; i++) right = right && v->count[i] == 100;
    PL_FREE(v, visits, 1);
    return right ? user : NULL;
}

TEST(parallel_two_callers_share_a_pool)
{
    pl_pool* pool;
    pl_error error;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, second_caller, pool), 0);
    CHECK(second_caller(pool) == pool);
    void* result;
    pthread_join(thread, &result);
    CHECK(result == pool);
    pl_pool_destroy(pool);
}

static void backwards_hook(pl_task task, int item_count, int block, void* task_user,
                           void* hook_user) {
    ++*(int*)hook_user;
    for (int k = (item_count - 1) / block; k >= 0; k--)
        task(k * block, item_count - k * block < block ? item_count : (k + 1) * block, 0,
             task_user);
}

TEST(parallel_host_hook)
{
    int calls = 0;
    pl_pool* pool;
    pl_error error;
    CHECK_OK(pl_pool_create_with_hook(backwards_hook, &calls, 2, &pool, &error), &error);
    double serial = pl_parallel_sum(NULL, harmonic, 100000, 100, NULL);
    CHECK(pl_parallel_sum(pool, harmonic, 100000, 100, NULL) == serial);
    CHECK_INT(calls, 1);
    pl_pool_destroy(pool);
    CHECK_INT(pl_pool_create_with_hook(NULL, NULL, 2, &pool, &error), PL_ERROR_ARGUMENT);
}

TEST(parallel_pool_refuses_absurd_counts)
{
    pl_pool* pool;
    pl_error error;
    CHECK_INT(pl_pool_create(-1, &pool, &error), PL_ERROR_ARGUMENT);
    CHECK_INT(pl_pool_create(100000, &pool, &error), PL_ERROR_ARGUMENT);
    CHECK(!pool);
    CHECK(pl_usable_cpu_count() >= 1);
}

TEST(parallel_pool_survives_every_failing_allocation)
{
    for (int64_t nth = 1;; nth++) {
        pl_pool* pool;
        pl_inject_failure(nth);
        pl_status status = pl_pool_create(3, &pool, NULL);
        int64_t counted = pl_inject_failure(0);
        if (status == PL_OK) {
            pl_pool_destroy(pool);
            CHECK(counted < nth);
            break;
        }
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!pool);
        CHECK_INT(pl_byte_count(), 0);
    }
}

// A job beside the caller runs once, whether a worker or the caller takes it, while the caller's
// loops go on; one that starts inside a job or a loop runs at once.
typedef struct beside_results {
    pl_pool* pool;
    visits own;
    int count, nested;
} beside_results;

static void count_job(void* user) { ++*(int*)user; }

static void beside_job(void* user) {
    beside_results* r = user;
    pl_background nested;
    pl_background_start(r->pool, count_job, &r->nested, &nested);
    CHECK_INT(r->nested, 1);
    pl_background_wait(r->pool, &nested);
    r->count++;
    pl_parallel_for(r->pool, visit_task, ITEMS, BLOCK, &r->own);
}

TEST(background_job_runs_once_beside_loops)
{
    static visits v;
    static beside_results r;
    for (int threads = 0; threads <= 3; threads++) {
        pl_pool* pool = NULL;
        pl_error error;
        if (threads) CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        for (int round = 0; round < 20; round++) {
            pl_background background, second;
            int second_count = 0;
            r = (beside_results){.pool = pool};
            memset(v.count, 0, sizeof v.count);
            pl_background_start(pool, beside_job, &r, &background);
            for (int k = 0; k < round % 4; k++) pl_parallel_for(pool, visit_task, ITEMS, BLOCK, &v);
            pl_background_start(pool, count_job, &second_count, &second);
            pl_background_wait(pool, &second);
            pl_background_wait(pool, &background);
            pl_background_wait(pool, &background);
            CHECK_INT(second_count, 1);
            CHECK_INT(r.count, 1);
            CHECK_INT(r.nested, 1);
            for (int i = 0; i < ITEMS; i++) CHECK_INT(r.own.count[i], 1);
            for (int i = 0; i < ITEMS; i++) CHECK_INT(v.count[i], round % 4);
        }
        pl_pool_destroy(pool);
    }
}
