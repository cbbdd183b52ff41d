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
    uint64_t byte_limit; // the requested limit, which also holds for further files
    bool in_memory;      // the path is only a name: there are no further files
} pl_source;

enum { PL_SOURCE_SLACK = 64 };

// Loads a regular file. Refuses directories, FIFOs and devices; files, or the unpacked contents of
// gzip files, over the limit (0: 4 GiB, and 1 GiB unpacked); and gzip files that unpack to more
// than 64 MiB and more than 100 times the bytes read.
pl_status pl_source_load(const char* path, uint64_t byte_limit, pl_source* out, pl_error* error);
// The same from bytes in memory, which are copied (and decompressed if gzipped).
pl_status pl_source_from_memory(const void* data, size_t size, const char* path,
                                uint64_t byte_limit, pl_source* out, pl_error* error);
void pl_source_free(pl_source* source);

#endif
