// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The numbers of a DataArray of VTK's XML formats: text, base64 or raw bytes, inline or appended,
// plain or in zlib blocks.
#ifndef PL_VTU_ARRAY_H
#define PL_VTU_ARRAY_H

#include "base/array.h"
#include "mesh/raw_number.h"
#include "mesh/text_scan.h"

typedef enum pl_vtu_encoding { PL_VTU_TEXT, PL_VTU_INLINE, PL_VTU_APPENDED } pl_vtu_encoding;

// Properties common to all arrays of a file.
typedef struct pl_vtu_file {
    const pl_source* source;
    bool swap;            // byte order is not ours
    bool wide_header;     // sizes before the data are 64 bits, not 32
    bool zlib;            // data are compressed
    const char* appended; // after the underscore, or NULL
    bool appended_base64; // else raw
    uint64_t bytes_left;  // that arrays may still take: limits malicious files
} pl_vtu_file;

typedef struct pl_vtu_array {
    char name[128];
    pl_number_type type;
    int components;
    pl_vtu_encoding encoding;
    const char* text;  // inline data: the text after the tag
    uint64_t offset;   // appended data: from pl_vtu_file.appended
    const char* place; // where the tag is, for messages
} pl_vtu_array;

// Sets bytes_left from the size of the file.
void pl_vtu_file_limit(pl_vtu_file* file);

// Appends all numbers of the array. Fails unless there are `expected` of them (SIZE_MAX: any
// number).
pl_status pl_vtu_read_doubles(pl_vtu_file* file, const pl_vtu_array* array, size_t expected,
                              pl_array* out, pl_error* error);
// The same for ints; fails if a number is not an int.
pl_status pl_vtu_read_ints(pl_vtu_file* file, const pl_vtu_array* array, size_t expected,
                           pl_array* out, pl_error* error);

#endif
