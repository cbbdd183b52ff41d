// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Compression of the chunks of a recording. Frames are packed as planes. Neighbouring vertices have
// similar coordinates, so each float is replaced by its difference from the third one before it,
// and bytes of equal significance are stored together before zlib compresses them. On smooth bodies
// that takes half the time and half the bytes of zlib alone.
#ifndef PL_RECORD_PLR_PACK_H
#define PL_RECORD_PLR_PACK_H

#include "record/plr_format.h"

// Buffer size that packing may need for a chunk of this many bytes.
uint64_t pl_plr_pack_room(uint64_t size);

// Packs the content of chunk->raw_size bytes into `stored`, or copies it if packing saves nothing
// or is not wanted. Sets encoding, stored_size and checksum of the chunk.
void pl_plr_pack_bytes(const void* content, bool compress, pl_plr_chunk* chunk, uint8_t* stored);
// The same for floats of this machine. `scratch` has room for the content.
void pl_plr_pack_floats(const float* content, bool compress, pl_plr_chunk* chunk, uint8_t* scratch,
                        uint8_t* stored);

// Unpacks raw_size bytes to `out`; floats are converted to this machine's byte order. Returns what
// is wrong, or NULL. `scratch` has room for the content; NULL if it has no floats.
const char* pl_plr_unpack_bytes(const pl_plr_chunk* chunk, const uint8_t* stored, uint8_t* out);
const char* pl_plr_unpack_floats(const pl_plr_chunk* chunk, const uint8_t* stored, uint8_t* scratch,
                                 float* out);

#endif
