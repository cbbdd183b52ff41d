// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Writes recordings. Everything is appended after the last complete frame. If that fails, the file
// is truncated to this frame. A killed process leaves at most one incomplete frame at the end,
// which readers ignore. With a queue (write_behind.h), its thread packs and writes the frames.
#include "base/memory.h"
#include "base/platform.h"
#include "record/plr_pack.h"
#include "record/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A frame on its way to the file. There are two: while one is written, the next is filled.
enum { SLOT_COUNT = 2 };
typedef struct frame_slot {
    pl_recorder* recorder;
    float* values;
    double time;
    int number;
    int64_t ticket; // of the job that writes it
} frame_slot;

struct pl_recorder {
    char* path;
    int file;
    bool compress;
    pl_plr_head head;  // a copy of the caller's
    int frame_count;   // frames that were appended
    int written_count; // frames in the file
    uint64_t end;      // of the last whole frame
    uint64_t frame_size;
    frame_slot slots[SLOT_COUNT];
    uint8_t* planes; // room for a frame while it is packed
    uint8_t* packed; // room for a chunk's header and its bytes
    uint64_t packed_size;
    pl_write_behind* queue; // borrowed; NULL: frames are written at once
    int64_t failure_in;     // bytes until an injected failure; negative: none
};

static void recorder_free(pl_recorder* r) {
    if (!r) return;
    if (r->file >= 0) close(r->file);
    for (int k = 0; k < SLOT_COUNT; k++) pl_free(r->slots[k].values, r->frame_size);
    pl_free(r->planes, r->frame_size);
    pl_free(r->packed, r->packed_size);
    pl_plr_free_head(&r->head);
    pl_free_text(r->path);
    PL_FREE(r, pl_recorder, 1);
}

// all bytes at an offset, or the error number
static int write_at(pl_recorder* r, const uint8_t* data, uint64_t size, uint64_t offset) {
    while (size > 0) {
        uint64_t step = size < (1 << 30) ? size : (1 << 30);
        if (r->failure_in >= 0 && (uint64_t)r->failure_in < step) step = (uint64_t)r->failure_in;
        if (r->failure_in == 0) return ENOSPC;
        ssize_t done = pl_file_write_at(r->file, data, step, offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return errno ? errno : EIO;
        if (r->failure_in > 0) r->failure_in -= done;
        data += done;
        offset += (uint64_t)done;
        size -= (uint64_t)done;
    }
    return 0;
}

// Appends a packed chunk. `end` advances only if all of it was written.
static pl_status append_chunk(pl_recorder* r, const pl_plr_chunk* chunk, pl_error* error) {
    pl_plr_put_chunk(chunk, r->packed);
    uint64_t size = PL_PLR_CHUNK_SIZE + chunk->stored_size;
    int failure = write_at(r, r->packed, size, r->end);
    if (failure) {
        // a failure does no harm: readers ignore an incomplete frame
        if (ftruncate(r->file, (off_t)r->end) != 0) errno = 0;
        return pl_fail(error, pl_write_status(failure),
                       "%s: frame %d cannot be written: %s; the %d frames before it are safe",
                       r->path, r->written_count, strerror(failure), r->written_count);
    }
    r->end += size;
    return PL_OK;
}

static float* put_positions(const pl_record_body* b, const double* positions, float* out) {
    for (int i = 0; i < b->vertex_count; i++) {
        size_t v = (size_t)(b->vertices ? b->vertices[i] : i);
        for (size_t k = 0; k < 3; k++) *out++ = (float)positions[3 * v + k];
    }
    return out;
}

static float* put_field(const pl_record_body* b, const pl_record_field* f, const double* values,
                        float* out) {
    int count = pl_plr_element_count(b, f->kind);
    bool gather = f->kind == PL_ELEMENT_VERTEX && b->vertices;
    size_t components = (size_t)f->components;
    for (int i = 0; i < count; i++) {
        size_t e = (size_t)(gather ? b->vertices[i] : i);
        for (size_t k = 0; k < components; k++) *out++ = (float)values[e * components + k];
    }
    return out;
}

// a job of the queue
static pl_status write_slot(void* user, pl_error* error) {
    frame_slot* slot = user;
    pl_recorder* r = slot->recorder;
    pl_plr_chunk chunk = {
        .kind = "FRAM", .raw_size = r->frame_size, .number = slot->number, .time = slot->time};
    pl_plr_pack_floats(slot->values, r->compress, &chunk, r->planes, r->packed + PL_PLR_CHUNK_SIZE);
    pl_status status = append_chunk(r, &chunk, error);
    if (status == PL_OK) r->written_count++;
    return status;
}

static void fill_slot(pl_recorder* r, frame_slot* slot, double time,
                      const pl_record_values* bodies) {
    float* out = slot->values;
    for (int i = 0; i < r->head.head.body_count; i++) {
        const pl_record_body* b = &r->head.head.bodies[i];
        out = put_positions(b, bodies[i].positions, out);
        for (int k = 0; k < b->field_count; k++)
            out = put_field(b, &b->fields[k], bodies[i].fields[k], out);
    }
    slot->time = time;
    slot->number = r->frame_count;
}

pl_status pl_recorder_append(pl_recorder* r, double time, const pl_record_values* bodies,
                             pl_error* error) {
    frame_slot* slot = &r->slots[r->frame_count % SLOT_COUNT];
    pl_status status = r->queue ? pl_write_behind_wait_for(r->queue, slot->ticket, error) : PL_OK;
    if (status != PL_OK) return status;
    fill_slot(r, slot, time, bodies);
    status = r->queue ? pl_write_behind_post(r->queue, write_slot, slot, &slot->ticket, error)
                      : write_slot(slot, error);
    if (status == PL_OK) r->frame_count++;
    return status;
}

void pl_recorder_use_queue(pl_recorder* r, pl_write_behind* queue) { r->queue = queue; }

pl_status pl_recorder_sync(pl_recorder* r, pl_error* error) {
    if (pl_file_sync(r->file) == 0) return PL_OK;
    return pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", r->path,
                   strerror(errno));
}

pl_status pl_recorder_flush(pl_recorder* r, pl_error* error) {
    pl_status status = r->queue ? pl_write_behind_wait(r->queue, error) : PL_OK;
    return status == PL_OK ? pl_recorder_sync(r, error) : status;
}

int pl_recorder_frame_count(const pl_recorder* r) { return r->frame_count; }

void pl_recorder_inject_failure(pl_recorder* r, int64_t bytes) { r->failure_in = bytes; }

pl_status pl_recorder_close(pl_recorder* r, pl_error* error) {
    if (!r) return PL_OK;
    pl_status status = pl_recorder_flush(r, error);
    if (close(r->file) != 0 && status == PL_OK)
        status = pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", r->path,
                         strerror(errno));
    r->file = -1;
    recorder_free(r);
    return status;
}

// buffers for frames and for the head
static bool make_room(pl_recorder* r, uint64_t head_size) {
    r->frame_size = pl_plr_frame_size(&r->head.head);
    uint64_t largest = r->frame_size > head_size ? r->frame_size : head_size;
    r->packed_size = PL_PLR_CHUNK_SIZE + pl_plr_pack_room(largest);
    r->packed = pl_alloc(r->packed_size);
    r->planes = pl_alloc(r->frame_size);
    bool ready = r->packed && (r->planes || r->frame_size == 0);
    for (int k = 0; k < SLOT_COUNT; k++) {
        float* values = pl_alloc(r->frame_size);
        r->slots[k] = (frame_slot){.recorder = r, .values = values};
        ready = ready && (values || r->frame_size == 0);
    }
    return ready;
}

// sets up everything but the file: the head's bytes in *bytes, a copy of the head, buffers for a
// frame
static pl_status recorder_new(const char* path, const pl_record_head* head, bool compress,
                              pl_array* bytes, pl_recorder** out, pl_error* error) {
    *out = NULL;
    pl_status status = pl_plr_check_head(head, error);
    if (status != PL_OK) return status;
    pl_recorder* r = PL_ALLOC(pl_recorder, 1);
    if (!r) return pl_fail_memory(error, path);
    *r = (pl_recorder){.file = -1, .compress = compress, .failure_in = -1};
    r->path = pl_copy_text(path);
    bool ready = r->path && pl_plr_put_head(head, bytes);
    status = ready ? pl_plr_get_head(bytes->data, bytes->count, path, &r->head, error)
                   : pl_fail_memory(error, path);
    if (status == PL_OK && !make_room(r, bytes->count)) status = pl_fail_memory(error, path);
    if (status != PL_OK) recorder_free(r);
    else *out = r;
    return status;
}

// creates a temporary file next to the path, which gets its final name once the head is written
static pl_status start_file(pl_recorder* r, const pl_array* head_bytes, pl_error* error) {
    size_t size = strlen(r->path) + sizeof ".XXXXXX";
    char* temporary = pl_alloc(size);
    if (!temporary) return pl_fail_memory(error, r->path);
    snprintf(temporary, size, "%s.XXXXXX", r->path);
    r->file = pl_file_create_temporary(temporary);
    pl_status status = PL_OK;
    if (r->file < 0) {
        status = pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", r->path,
                         strerror(errno));
    } else {
        uint8_t magic[PL_PLR_MAGIC_SIZE];
        pl_plr_put_magic(magic);
        int failure = write_at(r, magic, sizeof magic, 0);
        r->end = sizeof magic;
        if (failure)
            status = pl_fail(error, pl_write_status(failure), "%s: cannot be written: %s", r->path,
                             strerror(failure));
        pl_plr_chunk chunk = {.kind = "HEAD", .raw_size = head_bytes->count, .number = -1};
        pl_plr_pack_bytes(head_bytes->data, r->compress, &chunk, r->packed + PL_PLR_CHUNK_SIZE);
        if (status == PL_OK) status = append_chunk(r, &chunk, error);
        if (status == PL_OK && pl_file_replace(temporary, r->path) != 0)
            status = pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", r->path,
                             strerror(errno));
        if (status != PL_OK) unlink(temporary);
    }
    pl_free(temporary, size);
    return status;
}

pl_status pl_recorder_create(const char* path, const pl_record_head* head, bool compress,
                             pl_recorder** out, pl_error* error) {
    pl_array bytes = pl_array_of(1);
    pl_status status = recorder_new(path, head, compress, &bytes, out, error);
    if (status == PL_OK) status = start_file(*out, &bytes, error);
    if (status != PL_OK) {
        recorder_free(*out);
        *out = NULL;
    }
    pl_array_free(&bytes);
    return status;
}

// finds where the first frame_count frames end; fails if there are fewer, or the head differs
static pl_status find_end(const char* path, const pl_array* head_bytes, int frame_count,
                          uint64_t* end, pl_error* error) {
    pl_recording* old;
    pl_status status = pl_recording_open(path, &old, NULL, error);
    if (status != PL_OK) return status;
    pl_array bytes = pl_array_of(1);
    int whole = pl_recording_frame_count(old);
    if (!pl_plr_put_head(pl_recording_head(old), &bytes)) status = pl_fail_memory(error, path);
    else if (bytes.count != head_bytes->count ||
             memcmp(bytes.data, head_bytes->data, bytes.count) != 0)
        status =
            pl_fail(error, PL_ERROR_ARGUMENT,
                    "%s: is a recording of other bodies; give another name or remove it", path);
    if (status == PL_OK && !pl_recording_find_end(old, frame_count, end))
        status = pl_fail(error, PL_ERROR_FORMAT,
                         "%s: frame %d is needed to continue, but only %d frames are complete",
                         path, frame_count - 1, whole);
    pl_array_free(&bytes);
    pl_recording_close(old);
    return status;
}

pl_status pl_recorder_reopen(const char* path, const pl_record_head* head, bool compress,
                             int frame_count, pl_recorder** out, pl_error* error) {
    pl_array bytes = pl_array_of(1);
    pl_status status = recorder_new(path, head, compress, &bytes, out, error);
    if (status == PL_OK) status = find_end(path, &bytes, frame_count, &(*out)->end, error);
    if (status == PL_OK) {
        (*out)->frame_count = (*out)->written_count = frame_count;
        (*out)->file = pl_file_open(path, PL_FILE_UPDATE);
        if ((*out)->file < 0 || ftruncate((*out)->file, (off_t)(*out)->end) != 0)
            status = pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", path,
                             strerror(errno));
    }
    if (status != PL_OK) {
        recorder_free(*out);
        *out = NULL;
    }
    pl_array_free(&bytes);
    return status;
}
