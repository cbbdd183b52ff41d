// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/plr_pack.h"
#include "base/hash.h"

#include <string.h>
#include <zlib.h>

enum { ZLIB_LEVEL = 1, COMPONENTS = 3 };

uint64_t pl_plr_pack_room(uint64_t size) { return compressBound((uLong)size); }

static void finish(pl_plr_chunk* chunk, uint32_t encoding, uint64_t size, const uint8_t* stored) {
    chunk->encoding = encoding;
    chunk->stored_size = size;
    chunk->checksum = pl_hash_bytes(stored, size, 0);
}

// deflates into `stored`; false if that saves nothing
static bool deflate_bytes(const void* content, pl_plr_chunk* chunk, uint32_t encoding,
                          uint8_t* stored) {
    uLongf size = compressBound((uLong)chunk->raw_size);
    if (compress2(stored, &size, content, (uLong)chunk->raw_size, ZLIB_LEVEL) != Z_OK) return false;
    if (size >= chunk->raw_size) return false;
    finish(chunk, encoding, size, stored);
    return true;
}

void pl_plr_pack_bytes(const void* content, bool compress, pl_plr_chunk* chunk, uint8_t* stored) {
    if (compress && deflate_bytes(content, chunk, PL_PLR_ZLIB, stored)) return;
    if (chunk->raw_size > 0) memcpy(stored, content, chunk->raw_size);
    finish(chunk, PL_PLR_RAW, chunk->raw_size, stored);
}

// signed differences as small unsigned numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
static uint32_t zigzag(uint32_t difference) {
    return (difference << 1) ^ (0u - (difference >> 31));
}
static uint32_t unzigzag(uint32_t value) { return (value >> 1) ^ (0u - (value & 1u)); }

static void split_planes(const float* content, size_t count, uint8_t* planes) {
    uint32_t before[COMPONENTS] = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, content + i, sizeof bits);
        uint32_t value = zigzag(bits - before[i % COMPONENTS]);
        before[i % COMPONENTS] = bits;
        for (size_t k = 0; k < 4; k++) planes[k * count + i] = (uint8_t)(value >> 8 * k);
    }
}

static void join_planes(const uint8_t* planes, size_t count, float* out) {
    uint32_t before[COMPONENTS] = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t value = 0;
        for (size_t k = 0; k < 4; k++) value |= (uint32_t)planes[k * count + i] << 8 * k;
        uint32_t bits = before[i % COMPONENTS] += unzigzag(value);
        memcpy(out + i, &bits, sizeof bits);
    }
}

void pl_plr_pack_floats(const float* content, bool compress, pl_plr_chunk* chunk, uint8_t* scratch,
                        uint8_t* stored) {
    size_t count = chunk->raw_size / sizeof(float);
    if (compress) {
        split_planes(content, count, scratch);
        if (deflate_bytes(scratch, chunk, PL_PLR_PLANES, stored)) return;
    }
    if (count > 0) memcpy(stored, content, chunk->raw_size);
    pl_plr_swap_floats((float*)(void*)stored, count);
    finish(chunk, PL_PLR_RAW, chunk->raw_size, stored);
}

const char* pl_plr_unpack_bytes(const pl_plr_chunk* chunk, const uint8_t* stored, uint8_t* out) {
    if (pl_hash_bytes(stored, chunk->stored_size, 0) != chunk->checksum)
        return "its checksum does not fit";
    if (chunk->encoding == PL_PLR_RAW && chunk->stored_size == chunk->raw_size) {
        if (chunk->raw_size > 0) memcpy(out, stored, chunk->raw_size);
        return NULL;
    }
    uLongf size = (uLongf)chunk->raw_size;
    if (chunk->encoding == PL_PLR_RAW || chunk->encoding > PL_PLR_PLANES ||
        uncompress(out, &size, stored, (uLong)chunk->stored_size) != Z_OK ||
        size != chunk->raw_size)
        return "it cannot be unpacked";
    return NULL;
}

const char* pl_plr_unpack_floats(const pl_plr_chunk* chunk, const uint8_t* stored, uint8_t* scratch,
                                 float* out) {
    bool planes = chunk->encoding == PL_PLR_PLANES;
    const char* fault = pl_plr_unpack_bytes(chunk, stored, planes ? scratch : (uint8_t*)(void*)out);
    size_t count = chunk->raw_size / sizeof(float);
    if (fault) return fault;
    if (planes) join_planes(scratch, count, out);
    else pl_plr_swap_floats(out, count);
    return NULL;
}
