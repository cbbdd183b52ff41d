// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/run_checkpoint.h"
#include "base/hash.h"
#include "base/memory.h"
#include "mesh/mesh_sink.h"
#include "mesh/mesh_source.h"

#include <string.h>

static const char CHECKPOINT_MAGIC[8] = {'P', 'L', 'C', 'H', 'E', 'C', 'K', '1'};

// A job of the queue. Frames are flushed first, since the checkpoint relies on them.
static pl_status write_checkpoint(void* user, pl_error* error) {
    pl_checkpoint* c = user;
    c->head.state_hash = pl_hash_bytes(c->state, c->head.state_size, 2);
    pl_status status = pl_recorder_sync(c->recorder, error);
    pl_sink* sink = NULL;
    if (status == PL_OK) status = pl_sink_create(c->path, &sink, error);
    if (status != PL_OK) return status;
    pl_sink_bytes(sink, &c->head, sizeof c->head);
    pl_sink_bytes(sink, c->state, c->head.state_size);
    return pl_sink_close(sink, true, error);
}

static bool reserve_state(pl_checkpoint* c, size_t size) {
    if (c->room >= size) return true;
    pl_free(c->state, c->room);
    c->state = pl_alloc(size);
    c->room = c->state ? size : 0;
    return c->state != NULL;
}

pl_status pl_checkpoint_post(pl_checkpoint* c, const pl_checkpoint_head* head, pl_world* world,
                             pl_recorder* recorder, pl_write_behind* queue, pl_error* error) {
    pl_status status = pl_write_behind_wait_for(queue, c->ticket, error);
    if (status != PL_OK) return status;
    size_t size = pl_world_state_size(world);
    if (!reserve_state(c, size)) return pl_fail_memory(error, "a checkpoint");
    pl_world_state_save(world, c->state);
    c->head = *head;
    c->head.frame_count = pl_recorder_frame_count(recorder);
    c->head.state_size = size;
    memcpy(c->head.magic, CHECKPOINT_MAGIC, sizeof c->head.magic);
    c->recorder = recorder;
    return pl_write_behind_post(queue, write_checkpoint, c, &c->ticket, error);
}

void pl_checkpoint_free(pl_checkpoint* c) {
    pl_free(c->state, c->room);
    *c = (pl_checkpoint){0};
}

pl_status pl_checkpoint_scene_hash(const char* path, uint64_t* out, pl_error* error) {
    pl_source source;
    pl_status status = pl_source_load(path, 0, &source, error);
    if (status != PL_OK) return status;
    *out = pl_hash_bytes(source.data, source.size, 1);
    pl_source_free(&source);
    return PL_OK;
}

pl_status pl_checkpoint_load(const char* path, uint64_t scene_hash, pl_world* world,
                             pl_checkpoint_head* head, pl_error* error) {
    pl_source source;
    pl_status status = pl_source_load(path, 0, &source, error);
    if (status != PL_OK) return status;
    const char* what = NULL;
    if (source.size < sizeof *head ||
        memcmp(source.data, CHECKPOINT_MAGIC, sizeof CHECKPOINT_MAGIC) != 0)
        what = "is not a checkpoint of this version";
    else memcpy(head, source.data, sizeof *head);
    const char* state = source.data + sizeof *head;
    if (!what && head->scene_hash != scene_hash) what = "belongs to another scene than scene.json";
    if (!what && (head->state_size != source.size - sizeof *head ||
                  pl_hash_bytes(state, head->state_size, 2) != head->state_hash))
        what = "is damaged";
    if (what)
        status =
            pl_fail(error, PL_ERROR_FORMAT, "%s: %s; delete it to start the run again", path, what);
    else status = pl_world_state_load(world, state, head->state_size, error);
    pl_source_free(&source);
    return status;
}
