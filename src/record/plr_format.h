// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The bytes of a recording (docs/plr.md), shared by writer and reader.
#ifndef PL_RECORD_PLR_FORMAT_H
#define PL_RECORD_PLR_FORMAT_H

#include "base/arena.h"
#include "base/array.h"
#include "base/notes.h"
#include "record/record_types.h"

enum {
    PL_PLR_MAGIC_SIZE = 16,
    PL_PLR_CHUNK_SIZE = 64,
    PL_PLR_VERSION = 1,
    PL_PLR_RAW = 0,
    PL_PLR_ZLIB = 1,
    PL_PLR_PLANES = 2, // byte planes of differences, then zlib: see plr_pack.h
};

// Header of a chunk, followed by its bytes.
typedef struct pl_plr_chunk {
    char kind[4]; // "HEAD" or "FRAM"
    uint32_t encoding;
    uint64_t raw_size;
    uint64_t stored_size;
    uint64_t checksum; // of the stored bytes
    int64_t number;    // of the frame
    double time;       // [s]
} pl_plr_chunk;

void pl_plr_put_magic(uint8_t out[PL_PLR_MAGIC_SIZE]);
// Returns NULL if these are the first bytes of a recording, otherwise a text that says what is
// wrong.
const char* pl_plr_check_magic(const uint8_t in[PL_PLR_MAGIC_SIZE]);

void pl_plr_put_chunk(const pl_plr_chunk* chunk, uint8_t out[PL_PLR_CHUNK_SIZE]);
// False if the header's own checksum is wrong.
bool pl_plr_get_chunk(const uint8_t in[PL_PLR_CHUNK_SIZE], pl_plr_chunk* chunk);

// Encodes a head; returns false if allocation fails.
bool pl_plr_put_head(const pl_record_head* head, pl_array* bytes);

// A head that owns its arrays.
typedef struct pl_plr_head {
    pl_record_head head;
    pl_arena arena;
} pl_plr_head;
pl_status pl_plr_get_head(const uint8_t* bytes, size_t size, const char* path, pl_plr_head* out,
                          pl_error* error);
void pl_plr_free_head(pl_plr_head* head);

// Bytes of a frame before compression; 0 if it would be too large to handle.
uint64_t pl_plr_frame_size(const pl_record_head* head);
// Converts floats of this machine to those of the file, and back.
void pl_plr_swap_floats(float* values, uint64_t count);

int pl_plr_element_count(const pl_record_body* body, pl_element_kind kind);
// PL_ERROR_ARGUMENT, which names the body, if a head cannot be written.
pl_status pl_plr_check_head(const pl_record_head* head, pl_error* error);

#endif
