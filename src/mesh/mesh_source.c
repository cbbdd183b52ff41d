// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Loads whole files. A gzip file is inflated into a growing buffer. Loading stops at the size
// limit, or if the data expand far more than meshes do, so that a small file cannot fill the
// memory.
#include "mesh/mesh_source.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/platform.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const uint64_t DEFAULT_LIMIT = UINT64_C(4) << 30;
// Unpacked size allowed for a gzip file if no limit is given. Plain files may be larger, since
// their size is known.
static const uint64_t DEFAULT_GZIP_LIMIT = UINT64_C(1) << 30;
// A gzip file may always unpack to this size, and beyond that to this many times the bytes read of
// it so far.
static const uint64_t GZIP_FREE_BYTES = UINT64_C(64) << 20;
static const uint64_t GZIP_RATIO = 100;

static pl_status too_large(const char* path, uint64_t limit, pl_error* error) {
    return pl_fail(
        error, PL_ERROR_LIMIT,
        "%s: is more than the limit of %.4g MiB; raise the byte limit if the file is to be trusted",
        path, (double)limit / 1048576.0);
}

// checks the unpacked size after `read` bytes of the file
static pl_status check_unpacked(const char* path, uint64_t unpacked, uint64_t read, uint64_t limit,
                                pl_error* error) {
    if (unpacked > limit)
        return pl_fail(error, PL_ERROR_LIMIT,
                       "%s: unpacks to more than the limit of %.4g MiB; unpack it with gunzip, or "
                       "raise the byte limit, if the file is to be trusted",
                       path, (double)limit / 1048576.0);
    if (unpacked <= GZIP_FREE_BYTES || unpacked <= GZIP_RATIO * read) return PL_OK;
    return pl_fail(error, PL_ERROR_LIMIT,
                   "%s: unpacks to more than the limit of %d times its bytes (the first %.4g KiB "
                   "become %.4g MiB); unpack it with gunzip if the file is to be trusted",
                   path, (int)GZIP_RATIO, (double)read / 1024.0, (double)unpacked / 1048576.0);
}

// room for another chunk; never grows far beyond the limit
static char* add_chunk(pl_array* bytes, size_t chunk, uint64_t limit) {
    size_t needed = bytes->count + chunk, grown = bytes->capacity + bytes->capacity / 2;
    if (needed > bytes->capacity) {
        size_t most = limit < SIZE_MAX - 2 * chunk ? (size_t)limit + 2 * chunk : SIZE_MAX;
        if (grown > most) grown = most;
        if (!pl_array_reserve(bytes, needed > grown ? needed : grown)) return NULL;
    }
    return pl_array_add(bytes, chunk);
}

static pl_status read_all(int file, const char* path, uint64_t size, pl_source* out,
                          pl_error* error) {
    out->capacity = size + PL_SOURCE_SLACK;
    char* data = pl_alloc(out->capacity);
    if (!data) return pl_fail_memory(error, path);
    out->data = data;
    while (out->size < size) {
        size_t left = size - out->size, step = left < (1 << 30) ? left : (1 << 30);
        ssize_t got = read(file, data + out->size, step);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return pl_fail(error, PL_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0)
            break; // the file was truncated meanwhile; the reader will report what is missing
        out->size += (size_t)got;
    }
    return PL_OK;
}

static int is_gzip(const pl_source* s) {
    return s->size >= 2 && (unsigned char)s->data[0] == 0x1f && (unsigned char)s->data[1] == 0x8b;
}

static pl_status inflate_error(const pl_source* packed, int code, pl_error* error) {
    if (code == Z_MEM_ERROR) return pl_fail_memory(error, packed->path);
    return pl_fail(error, PL_ERROR_FORMAT, "%s: %s; fetch or compress the file again", packed->path,
                   code == Z_BUF_ERROR ? "the gzip data ends too early"
                                       : "the gzip data is damaged");
}

// inflates all members of a gzip stream into the array
static pl_status inflate_members(const pl_source* packed, uint64_t limit, z_stream* stream,
                                 pl_array* bytes, pl_error* error) {
    enum { CHUNK = 1 << 20, INPUT_STEP = 1 << 30 };
    const char* end = packed->data + packed->size;
    for (;;) {
        if (stream->avail_in == 0) {
            size_t left = (size_t)(end - (const char*)stream->next_in);
            stream->avail_in = (uInt)(left < INPUT_STEP ? left : INPUT_STEP);
        }
        char* place = add_chunk(bytes, CHUNK, limit);
        if (!place) return pl_fail_memory(error, packed->path);
        stream->next_out = (Bytef*)place;
        stream->avail_out = CHUNK;
        int code = inflate(stream, Z_NO_FLUSH);
        bytes->count -= stream->avail_out;
        size_t read = (size_t)((const char*)stream->next_in - packed->data);
        pl_status status = check_unpacked(packed->path, bytes->count, read, limit, error);
        if (status != PL_OK) return status;
        if (code == Z_STREAM_END) {
            const char* next = (const char*)stream->next_in;
            // another member may follow; padding or garbage after the data is ignored, as gzip does
            if (end - next < 2 || (unsigned char)next[0] != 0x1f || (unsigned char)next[1] != 0x8b)
                return PL_OK;
            if (inflateReset(stream) != Z_OK) return inflate_error(packed, Z_DATA_ERROR, error);
        } else if (code != Z_OK) {
            return inflate_error(packed, code, error);
        }
    }
}

static pl_status unpack(pl_source* source, uint64_t limit, pl_error* error) {
    if (!source->byte_limit) limit = DEFAULT_GZIP_LIMIT;
    z_stream stream = {.next_in = (Bytef*)(uintptr_t)source->data};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return pl_fail_memory(error, source->path);
    pl_array bytes = pl_array_of(1);
    pl_status status = inflate_members(source, limit, &stream, &bytes, error);
    inflateEnd(&stream);
    size_t size = bytes.count;
    char* slack = status == PL_OK ? pl_array_add(&bytes, PL_SOURCE_SLACK) : NULL;
    if (!slack) {
        pl_array_free(&bytes);
        return status != PL_OK ? status : pl_fail_memory(error, source->path);
    }
    memset(slack, 0, PL_SOURCE_SLACK);
    pl_source_free(source);
    source->data = bytes.data;
    source->size = size;
    source->capacity = bytes.capacity;
    return PL_OK;
}

static pl_status finish(pl_source* source, uint64_t limit, pl_status status, pl_error* error) {
    if (status == PL_OK && is_gzip(source)) status = unpack(source, limit, error);
    if (status != PL_OK) pl_source_free(source);
    return status;
}

pl_status pl_source_load(const char* path, uint64_t byte_limit, pl_source* out, pl_error* error) {
    *out = (pl_source){.path = path, .byte_limit = byte_limit};
    uint64_t limit = byte_limit ? byte_limit : DEFAULT_LIMIT;
    int file = pl_file_open(path, PL_FILE_READ);
    if (file < 0)
        return pl_fail(error, PL_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    uint64_t size;
    const char* kind = pl_file_kind(file, &size);
    pl_status status;
    if (kind)
        status = pl_fail(error, PL_ERROR_IO, "%s: is %s, not a file; give the path of a mesh file",
                         path, kind);
    else if (size > limit) status = too_large(path, limit, error);
    else status = read_all(file, path, size, out, error);
    close(file);
    return finish(out, limit, status, error);
}

pl_status pl_source_from_memory(const void* data, size_t size, const char* path,
                                uint64_t byte_limit, pl_source* out, pl_error* error) {
    *out = (pl_source){.path = path,
                       .size = size,
                       .capacity = size + PL_SOURCE_SLACK,
                       .byte_limit = byte_limit,
                       .in_memory = true};
    char* copy = pl_alloc(out->capacity);
    if (!copy) return pl_fail_memory(error, path);
    if (size > 0) memcpy(copy, data, size);
    out->data = copy;
    return finish(out, byte_limit ? byte_limit : DEFAULT_LIMIT, PL_OK, error);
}

void pl_source_free(pl_source* source) {
    pl_free((void*)(uintptr_t)source->data, source->capacity);
    source->data = NULL;
    source->size = source->capacity = 0;
}
