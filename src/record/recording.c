// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Reads recordings. Opening walks over the headers of chunks. After a header with a wrong checksum
// or missing bytes, the next good header is searched for. Then the checksum of every frame is
// verified once, unless only the index is wanted. Damaged frames are noted and ignored; all others
// remain readable.
#include "record/recording.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"
#include "record/plr_pack.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct frame_place {
    pl_plr_chunk chunk;
    uint64_t offset; // of the stored bytes
} frame_place;

struct pl_recording {
    char* path;
    int file;              // -1: in memory
    const uint8_t* memory; // borrowed
    uint64_t size;
    pl_plr_head head;
    uint64_t head_end;
    pl_array chunks; // frame_place of every good header, in the order of their numbers
    pl_array frames; // frame_place of the undamaged frames
    float* frame;    // the frame that was loaded last
    uint64_t frame_size;
    uint8_t* planes; // room for a frame while it is unpacked
    uint8_t* packed; // the stored bytes of a chunk
    uint64_t packed_size;
};

static bool read_at(const pl_recording* r, void* out, uint64_t size, uint64_t offset) {
    if (offset > r->size || size > r->size - offset) return false;
    if (r->memory) {
        if (size > 0) memcpy(out, r->memory + offset, size);
        return true;
    }
    uint8_t* at = out;
    while (size > 0) {
        ssize_t got = pl_file_read_at(r->file, at, size < (1 << 30) ? size : (1 << 30), offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        offset += (uint64_t)got;
        size -= (uint64_t)got;
    }
    return true;
}

// reads a chunk's header; false unless all its bytes are in the file
static bool read_chunk(const pl_recording* r, uint64_t offset, pl_plr_chunk* chunk) {
    uint8_t bytes[PL_PLR_CHUNK_SIZE];
    if (!read_at(r, bytes, sizeof bytes, offset) || !pl_plr_get_chunk(bytes, chunk)) return false;
    return chunk->stored_size <= r->size - offset - PL_PLR_CHUNK_SIZE;
}

// zlib compresses at most 1032 to 1, so a larger size is false and gets no memory
static bool is_plausible(const pl_plr_chunk* chunk) {
    return chunk->raw_size <= chunk->stored_size * 1032 + 1024;
}

static pl_status load_head(pl_recording* r, pl_error* error) {
    uint8_t magic[PL_PLR_MAGIC_SIZE];
    if (!read_at(r, magic, sizeof magic, 0))
        return pl_fail(error, PL_ERROR_FORMAT, "%s: is too short to be a recording", r->path);
    const char* fault = pl_plr_check_magic(magic);
    if (fault) return pl_fail(error, PL_ERROR_FORMAT, "%s: %s", r->path, fault);
    pl_plr_chunk chunk;
    if (!read_chunk(r, sizeof magic, &chunk) || memcmp(chunk.kind, "HEAD", 4) != 0 ||
        !is_plausible(&chunk))
        return pl_fail(
            error, PL_ERROR_FORMAT,
            "%s: the head of the recording is incomplete or damaged; run the scene again", r->path);
    uint8_t* stored = pl_alloc(chunk.stored_size);
    uint8_t* raw = pl_alloc(chunk.raw_size);
    pl_status status = PL_OK;
    if ((chunk.stored_size > 0 && !stored) || (chunk.raw_size > 0 && !raw))
        status = pl_fail_memory(error, r->path);
    else if (!read_at(r, stored, chunk.stored_size, sizeof magic + PL_PLR_CHUNK_SIZE))
        status = pl_fail(error, PL_ERROR_IO, "%s: cannot be read: %s", r->path, strerror(errno));
    else if ((fault = pl_plr_unpack_bytes(&chunk, stored, raw)))
        status = pl_fail(error, PL_ERROR_FORMAT,
                         "%s: the head of the recording is damaged: %s; run the scene again",
                         r->path, fault);
    else status = pl_plr_get_head(raw, chunk.raw_size, r->path, &r->head, error);
    pl_free(stored, chunk.stored_size);
    pl_free(raw, chunk.raw_size);
    r->head_end = sizeof magic + PL_PLR_CHUNK_SIZE + chunk.stored_size;
    return status;
}

static bool is_frame(const pl_recording* r, const pl_plr_chunk* chunk) {
    return memcmp(chunk->kind, "FRAM", 4) == 0 && chunk->raw_size == r->frame_size &&
           is_plausible(chunk);
}

// where the next complete frame begins, from `offset` on, or the file's size
static uint64_t find_frame(const pl_recording* r, uint64_t offset) {
    uint8_t window[4096];
    while (r->size - offset >= PL_PLR_CHUNK_SIZE) {
        uint64_t size = r->size - offset < sizeof window ? r->size - offset : sizeof window;
        if (!read_at(r, window, size, offset)) break;
        for (uint64_t i = 0; i + 4 <= size; i++) {
            pl_plr_chunk chunk;
            if (memcmp(window + i, "FRAM", 4) == 0 && read_chunk(r, offset + i, &chunk) &&
                is_frame(r, &chunk))
                return offset + i;
        }
        if (size < sizeof window) break;
        offset += size - 3;
    }
    return r->size;
}

static pl_status list_frames(pl_recording* r, pl_notes* notes, pl_error* error) {
    uint64_t offset = r->head_end;
    int64_t last = -1;
    while (offset < r->size) {
        frame_place place = {.offset = offset + PL_PLR_CHUNK_SIZE};
        if (read_chunk(r, offset, &place.chunk) && is_frame(r, &place.chunk) &&
            place.chunk.number > last) {
            if (!pl_array_push(&r->chunks, &place)) return pl_fail_memory(error, r->path);
            last = place.chunk.number;
            offset = place.offset + place.chunk.stored_size;
            continue;
        }
        uint64_t next = find_frame(r, offset + 1);
        if (next >= r->size) {
            pl_note(notes, PL_NOTE_MENDED,
                    "%s: the last %llu bytes are not a complete frame and are ignored; %zu frames "
                    "are complete",
                    r->path, (unsigned long long)(r->size - offset), r->chunks.count);
        } else {
            pl_note(notes, PL_NOTE_MENDED, "%s: %llu damaged bytes after frame %lld are ignored",
                    r->path, (unsigned long long)(next - offset), (long long)last);
        }
        offset = next;
    }
    return PL_OK;
}

static const frame_place* place_of(const pl_recording* r, int frame) {
    return (const frame_place*)r->frames.data + frame;
}

// room for stored bytes
static pl_status reserve_packed(pl_recording* r, uint64_t size, pl_error* error) {
    if (size <= r->packed_size) return PL_OK;
    pl_free(r->packed, r->packed_size);
    r->packed = pl_alloc(size);
    r->packed_size = r->packed ? size : 0;
    return r->packed ? PL_OK : pl_fail_memory(error, r->path);
}

// room for the frame that is loaded, and for its stored bytes
static pl_status reserve(pl_recording* r, uint64_t packed_size, pl_error* error) {
    if (!r->frame) r->frame = pl_alloc(r->frame_size);
    if (!r->planes) r->planes = pl_alloc(r->frame_size);
    if ((!r->frame || !r->planes) && r->frame_size > 0) return pl_fail_memory(error, r->path);
    return reserve_packed(r, packed_size, error);
}

// reads the stored bytes of a chunk and verifies their checksum
static pl_status check_chunk(pl_recording* r, const frame_place* place, bool* is_whole,
                             pl_error* error) {
    uint64_t size = place->chunk.stored_size;
    pl_status status = reserve_packed(r, size, error);
    if (status != PL_OK) return status;
    *is_whole = read_at(r, r->packed, size, place->offset) &&
                pl_hash_bytes(r->packed, size, 0) == place->chunk.checksum;
    return PL_OK;
}

// fills `frames` with the chunks whose bytes are undamaged
static pl_status list_whole_frames(pl_recording* r, pl_notes* notes, pl_error* error) {
    for (size_t k = 0; k < r->chunks.count; k++) {
        const frame_place* place = (const frame_place*)r->chunks.data + k;
        bool is_whole = true;
        pl_status status = check_chunk(r, place, &is_whole, error);
        if (status != PL_OK) return status;
        if (!is_whole)
            pl_note(notes, PL_NOTE_MENDED, "%s: frame %lld is damaged and ignored", r->path,
                    (long long)place->chunk.number);
        else if (!pl_array_push(&r->frames, place)) return pl_fail_memory(error, r->path);
    }
    return PL_OK;
}

static pl_status open_any(pl_recording* r, pl_recording** out, pl_notes* notes, pl_error* error) {
    r->chunks = pl_array_of(sizeof(frame_place));
    r->frames = pl_array_of(sizeof(frame_place));
    pl_status status = load_head(r, error);
    if (status == PL_OK) {
        r->frame_size = pl_plr_frame_size(&r->head.head);
        status = list_frames(r, notes, error);
    }
    if (status == PL_OK) status = list_whole_frames(r, notes, error);
    if (status == PL_OK && r->frames.count) status = reserve(r, 0, error);
    if (status == PL_OK) *out = r;
    else pl_recording_close(r);
    return status;
}

static pl_recording* recording_new(const char* path) {
    pl_recording* r = PL_ALLOC(pl_recording, 1);
    if (!r) return NULL;
    r->file = -1;
    r->path = pl_copy_text(path);
    if (r->path) return r;
    PL_FREE(r, pl_recording, 1);
    return NULL;
}

pl_status pl_recording_open(const char* path, pl_recording** out, pl_notes* notes,
                            pl_error* error) {
    *out = NULL;
    pl_recording* r = recording_new(path);
    if (!r) return pl_fail_memory(error, path);
    r->file = pl_file_open(path, PL_FILE_READ);
    pl_status status = PL_OK;
    if (r->file < 0)
        status = pl_fail(error, PL_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    else if (pl_file_kind(r->file, &r->size))
        status =
            pl_fail(error, PL_ERROR_IO, "%s: is not a file; give the path of a recording", path);
    if (status != PL_OK) {
        pl_recording_close(r);
        return status;
    }
    return open_any(r, out, notes, error);
}

pl_status pl_recording_open_memory(const void* data, size_t size, const char* path,
                                   pl_recording** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    pl_recording* r = recording_new(path);
    if (!r) return pl_fail_memory(error, path);
    r->memory = data;
    r->size = size;
    return open_any(r, out, notes, error);
}

void pl_recording_close(pl_recording* r) {
    if (!r) return;
    if (r->file >= 0) close(r->file);
    pl_free(r->frame, r->frame_size);
    pl_free(r->planes, r->frame_size);
    pl_free(r->packed, r->packed_size);
    pl_array_free(&r->chunks);
    pl_array_free(&r->frames);
    pl_plr_free_head(&r->head);
    pl_free_text(r->path);
    PL_FREE(r, pl_recording, 1);
}

const pl_record_head* pl_recording_head(const pl_recording* r) { return &r->head.head; }
int pl_recording_frame_count(const pl_recording* r) { return (int)r->frames.count; }
double pl_recording_time(const pl_recording* r, int frame) {
    return place_of(r, frame)->chunk.time;
}

int64_t pl_recording_number(const pl_recording* r, int frame) {
    return place_of(r, frame)->chunk.number;
}

int pl_recording_find(const pl_recording* r, int64_t number) {
    for (int k = 0; k < pl_recording_frame_count(r); k++)
        if (place_of(r, k)->chunk.number == number) return k;
    return -1;
}

int64_t pl_recording_last_number(const pl_recording* r) {
    const frame_place* chunks = r->chunks.data;
    return r->chunks.count ? chunks[r->chunks.count - 1].chunk.number : -1;
}

bool pl_recording_find_end(const pl_recording* r, int frame_count, uint64_t* end) {
    const frame_place* chunks = r->chunks.data;
    *end = r->head_end;
    for (size_t k = 0; k < r->chunks.count; k++)
        if (chunks[k].chunk.number == frame_count - 1)
            *end = chunks[k].offset + chunks[k].chunk.stored_size;
    return frame_count == 0 || *end > r->head_end;
}

pl_status pl_recording_load(pl_recording* r, int frame, pl_error* error) {
    if (frame < 0 || frame >= pl_recording_frame_count(r))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%s: there is no frame %d; it has %d frames, from 0", r->path, frame,
                       pl_recording_frame_count(r));
    const frame_place* place = place_of(r, frame);
    const pl_plr_chunk* chunk = &place->chunk;
    pl_status status = reserve(r, chunk->stored_size, error);
    if (status != PL_OK) return status;
    if (!read_at(r, r->packed, chunk->stored_size, place->offset))
        return pl_fail(error, PL_ERROR_IO, "%s: frame %lld cannot be read: %s", r->path,
                       (long long)chunk->number, strerror(errno));
    const char* fault = pl_plr_unpack_floats(chunk, r->packed, r->planes, r->frame);
    if (fault)
        return pl_fail(error, PL_ERROR_FORMAT, "%s: frame %lld is damaged: %s", r->path,
                       (long long)chunk->number, fault);
    return PL_OK;
}

const float* pl_recording_positions(const pl_recording* r, int body) {
    return pl_recording_field(r, body, -1);
}

const float* pl_recording_field(const pl_recording* r, int body, int field) {
    const float* at = r->frame;
    for (int i = 0; i <= body; i++) {
        const pl_record_body* b = &r->head.head.bodies[i];
        if (i == body && field < 0) return at;
        at += 3 * (size_t)b->vertex_count;
        int count = i == body ? field : b->field_count;
        for (int k = 0; k < count; k++)
            at += (size_t)pl_plr_element_count(b, b->fields[k].kind) *
                  (size_t)b->fields[k].components;
    }
    return at;
}
