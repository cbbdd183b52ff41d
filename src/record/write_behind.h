// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A queue of jobs that its own thread runs in order, so that a simulation does not wait for
// compression and disk. The queue is short; posting to a full queue waits. After a failure the rest
// of the queue is skipped, and the next call reports the failure.
#ifndef PL_RECORD_WRITE_BEHIND_H
#define PL_RECORD_WRITE_BEHIND_H

#include "base/fail.h"

#include <stdint.h>

typedef struct pl_write_behind pl_write_behind;
typedef pl_status (*pl_write_job)(void* user, pl_error* error);

pl_status pl_write_behind_create(pl_write_behind** out, pl_error* error);
// Waits for the jobs and discards unreported failures. NULL is allowed.
void pl_write_behind_destroy(pl_write_behind* queue);

// Posts a job; *ticket identifies it. `user` must not change until the job is done. Fails without
// posting if an earlier job failed.
pl_status pl_write_behind_post(pl_write_behind* queue, pl_write_job job, void* user,
                               int64_t* ticket, pl_error* error);
// Waits until the job is done or skipped; ticket 0 is no job. Fails if a job failed.
pl_status pl_write_behind_wait_for(pl_write_behind* queue, int64_t ticket, pl_error* error);
// Waits for all posted jobs.
pl_status pl_write_behind_wait(pl_write_behind* queue, pl_error* error);

#endif
