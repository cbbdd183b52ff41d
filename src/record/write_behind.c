// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/write_behind.h"
#include "base/memory.h"
#include "base/platform.h"

#include <stdbool.h>
#include <string.h>

enum { ROOM = 4 };

typedef struct write_job {
    pl_write_job run;
    void* user;
} write_job;

struct pl_write_behind {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t posted, finished;
    write_job jobs[ROOM]; // job n is at n % ROOM
    int64_t post_count, done_count;
    bool closing;
    pl_status status; // of the first job that failed
    pl_error error;
};

// runs one job outside the lock; after a failure jobs are skipped
static void run_next(pl_write_behind* q) {
    write_job job = q->jobs[(q->done_count + 1) % ROOM];
    if (q->status == PL_OK) {
        pthread_mutex_unlock(&q->lock);
        pl_error error = {0};
        pl_status status = job.run(job.user, &error);
        pthread_mutex_lock(&q->lock);
        q->status = status;
        q->error = error;
    }
    q->done_count++;
    pthread_cond_broadcast(&q->finished);
}

static void* run_jobs(void* user) {
    pl_write_behind* q = user;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        while (q->done_count == q->post_count && !q->closing)
            pthread_cond_wait(&q->posted, &q->lock);
        if (q->done_count == q->post_count) break;
        run_next(q);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

pl_status pl_write_behind_create(pl_write_behind** out, pl_error* error) {
    *out = NULL;
    pl_write_behind* q = PL_ALLOC(pl_write_behind, 1);
    if (!q) return pl_fail_memory(error, "a recording");
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->posted, NULL);
    pthread_cond_init(&q->finished, NULL);
    int failure = pl_thread_start(&q->thread, run_jobs, q);
    if (failure == 0) {
        *out = q;
        return PL_OK;
    }
    PL_FREE(q, pl_write_behind, 1);
    return pl_fail(error, PL_ERROR_IO, "a thread for the recording cannot be started: %s",
                   strerror(failure));
}

void pl_write_behind_destroy(pl_write_behind* q) {
    if (!q) return;
    pthread_mutex_lock(&q->lock);
    q->closing = true;
    pthread_cond_signal(&q->posted);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->posted);
    pthread_cond_destroy(&q->finished);
    PL_FREE(q, pl_write_behind, 1);
}

// returns the failure of an earlier job, if any; called under the lock
static pl_status tell_failure(const pl_write_behind* q, pl_error* error) {
    return q->status == PL_OK ? PL_OK : pl_fail(error, q->status, "%s", q->error.text);
}

pl_status pl_write_behind_post(pl_write_behind* q, pl_write_job job, void* user, int64_t* ticket,
                               pl_error* error) {
    pthread_mutex_lock(&q->lock);
    while (q->post_count - q->done_count == ROOM) pthread_cond_wait(&q->finished, &q->lock);
    pl_status status = tell_failure(q, error);
    if (status == PL_OK) {
        *ticket = ++q->post_count;
        q->jobs[*ticket % ROOM] = (write_job){job, user};
        pthread_cond_signal(&q->posted);
    }
    pthread_mutex_unlock(&q->lock);
    return status;
}

pl_status pl_write_behind_wait_for(pl_write_behind* q, int64_t ticket, pl_error* error) {
    pthread_mutex_lock(&q->lock);
    while (q->done_count < ticket) pthread_cond_wait(&q->finished, &q->lock);
    pl_status status = tell_failure(q, error);
    pthread_mutex_unlock(&q->lock);
    return status;
}

pl_status pl_write_behind_wait(pl_write_behind* q, pl_error* error) {
    pthread_mutex_lock(&q->lock);
    int64_t last = q->post_count;
    pthread_mutex_unlock(&q->lock);
    return pl_write_behind_wait_for(q, last, error);
}
