// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The bytes of a file, whole in memory, decompressed if gzipped, followed by zero bytes so that
// scanners may look ahead.
#ifndef PL_MESH_SOURCE_H
#define PL_MESH_SOURCE_H

#include "base/fail.h"

#include <stdbool.h>

typedef struct pl_source {
    const char* path; // for messages; borrowed
    const char* data; // size bytes, then at least PL_SOURCE_SLACK zeros
    size_t size;
    size_t capacity;     // of the allocation
    uint64_t byte_limit; // that was asked for, for files beside this one
    bool in_memory;      // the path is only a name: no file is beside it
} pl_source;

enum { PL_SOURCE_SLACK = 64 };

// Loads a regular file. A directory, FIFO or device is refused by name; so is a file, or what a
// gzip file unpacks to, over the limit (0: 4 GiB, and 1 GiB for what is unpacked), and a gzip file
// that unpacks to over 64 MiB and over 100 times the bytes read.
pl_status pl_source_load(const char* path, uint64_t byte_limit, pl_source* out, pl_error* error);
// The same from bytes in memory, which are copied (and decompressed if gzipped).
pl_status pl_source_from_memory(const void* data, size_t size, const char* path,
                                uint64_t byte_limit, pl_source* out, pl_error* error);
void pl_source_free(pl_source* source);

#endif
