// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The checkpoint of a run: the state of its world after some frame, and the sizes of recording and
// metrics at that frame. The file is replaced as a whole, once the frames that it relies on are on
// disk.
#ifndef PL_RECORD_RUN_CHECKPOINT_H
#define PL_RECORD_RUN_CHECKPOINT_H

#include "record/recording.h"

#include <pliant/world.h>

typedef struct pl_checkpoint_head {
    char magic[8];
    uint64_t scene_hash;
    int64_t frame_count; // of the recording
    int64_t metrics_size;
    uint64_t state_size;
    uint64_t state_hash;
} pl_checkpoint_head;

// A checkpoint being written; {0} is empty.
typedef struct pl_checkpoint {
    pl_checkpoint_head head;
    char path[1200];
    pl_recorder* recorder;
    void* state;
    size_t room;    // of state
    int64_t ticket; // of the job that writes it
} pl_checkpoint;

// Copies the state of the world and queues it for writing. Waits for the previously queued
// checkpoint. The path is set by the caller; head gives scene_hash and metrics_size.
pl_status pl_checkpoint_post(pl_checkpoint* c, const pl_checkpoint_head* head, pl_world* world,
                             pl_recorder* recorder, pl_write_behind* queue, pl_error* error);
// The queue must have finished with it.
void pl_checkpoint_free(pl_checkpoint* c);

// Hash of a scene's file, stored in checkpoints.
pl_status pl_checkpoint_scene_hash(const char* path, uint64_t* out, pl_error* error);
// Loads the state of a checkpoint into the world.
pl_status pl_checkpoint_load(const char* path, uint64_t scene_hash, pl_world* world,
                             pl_checkpoint_head* head, pl_error* error);

#endif
