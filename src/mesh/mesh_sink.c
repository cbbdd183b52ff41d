// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/mesh_sink.h"
#include "base/memory.h"
#include "base/platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_SIZE = 1 << 18 };

struct pl_sink {
    char* path;
    char* temporary;
    size_t temporary_size;
    int file;
    gzFile packed; // NULL for a plain file
    int failure;   // errno of the first failure
    size_t used;
    char buffer[BUFFER_SIZE];
};

static bool wants_gzip(const char* path) {
    size_t size = strlen(path);
    return size > 3 && strcasecmp(path + size - 3, ".gz") == 0;
}

static void sink_free(pl_sink* sink) {
    if (!sink) return;
    pl_free_text(sink->path);
    pl_free(sink->temporary, sink->temporary_size);
    PL_FREE(sink, pl_sink, 1);
}

pl_status pl_sink_create(const char* path, pl_sink** out, pl_error* error) {
    *out = NULL;
    if (pl_path_is_folder(path))
        return pl_fail(error, PL_ERROR_IO, "%s: is a directory; give the name of a file", path);
    pl_sink* sink = PL_ALLOC(pl_sink, 1);
    if (!sink) return pl_fail_memory(error, path);
    sink->path = pl_copy_text(path);
    sink->temporary_size = strlen(path) + sizeof ".XXXXXX";
    sink->temporary = pl_alloc(sink->temporary_size);
    if (!sink->path || !sink->temporary) {
        sink_free(sink);
        return pl_fail_memory(error, path);
    }
    snprintf(sink->temporary, sink->temporary_size, "%s.XXXXXX", path);
    sink->file = pl_file_create_temporary(sink->temporary);
    if (sink->file < 0) {
        sink_free(sink);
        return pl_fail(error, pl_write_status(errno), "%s: cannot be written: %s", path,
                       strerror(errno));
    }
    if (wants_gzip(path)) {
        sink->packed = gzdopen(sink->file, "wb6");
        if (!sink->packed) sink->failure = ENOMEM;
    }
    *out = sink;
    return PL_OK;
}

static void write_out(pl_sink* sink, const char* data, size_t size) {
    while (size > 0 && !sink->failure) {
        size_t step = size < (1 << 30) ? size : (1 << 30);
        ssize_t done = sink->packed ? gzwrite(sink->packed, data, (unsigned)step)
                                    : write(sink->file, data, step);
        if (done < 0 && errno == EINTR && !sink->packed) continue;
        if (done <= 0) {
            sink->failure = errno ? errno : EIO;
            return;
        }
        data += done;
        size -= (size_t)done;
    }
}

static void flush(pl_sink* sink) {
    write_out(sink, sink->buffer, sink->used);
    sink->used = 0;
}

pl_status pl_sink_close(pl_sink* sink, bool keep, pl_error* error) {
    flush(sink);
    errno = 0;
    bool closed = sink->packed ? gzclose(sink->packed) == Z_OK : close(sink->file) == 0;
    if (!closed && !sink->failure) sink->failure = errno ? errno : EIO;
    keep = keep && !sink->failure;
    if (keep && pl_file_replace(sink->temporary, sink->path) != 0) sink->failure = errno;
    if (!keep || sink->failure) unlink(sink->temporary);
    pl_status status = PL_OK;
    if (sink->failure)
        status = pl_fail(error, pl_write_status(sink->failure), "%s: cannot be written: %s",
                         sink->path, strerror(sink->failure));
    sink_free(sink);
    return status;
}

void pl_sink_bytes(pl_sink* sink, const void* data, size_t size) {
    if (size > BUFFER_SIZE - sink->used) flush(sink);
    if (size >= BUFFER_SIZE) {
        write_out(sink, data, size);
        return;
    }
    memcpy(sink->buffer + sink->used, data, size);
    sink->used += size;
}

void pl_sink_text(pl_sink* sink, const char* text) { pl_sink_bytes(sink, text, strlen(text)); }

void pl_sink_char(pl_sink* sink, char c) { pl_sink_bytes(sink, &c, 1); }

void pl_sink_int(pl_sink* sink, int64_t value) {
    char text[24];
    char* p = text + sizeof text;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) *--p = '-';
    pl_sink_bytes(sink, p, (size_t)(text + sizeof text - p));
}

void pl_sink_double(pl_sink* sink, double value) {
    char text[40];
    int size = 0;
    for (int digits = 15; digits <= 17; digits++) {
        size = snprintf(text, sizeof text, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value) break; // the same locale wrote and reads
    }
    for (int i = 0; i < size; i++)
        if (text[i] == ',') text[i] = '.';
    pl_sink_bytes(sink, text, (size_t)size);
}
