// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Numbers in binary files: any width, any byte order, any alignment.
#ifndef PL_RAW_NUMBER_H
#define PL_RAW_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// code, C type, bits
#define PL_NUMBER_LIST(X)                                                                          \
    X(PL_NUMBER_INT8, int8_t, 8)                                                                   \
    X(PL_NUMBER_UINT8, uint8_t, 8)                                                                 \
    X(PL_NUMBER_INT16, int16_t, 16)                                                                \
    X(PL_NUMBER_UINT16, uint16_t, 16)                                                              \
    X(PL_NUMBER_INT32, int32_t, 32)                                                                \
    X(PL_NUMBER_UINT32, uint32_t, 32)                                                              \
    X(PL_NUMBER_INT64, int64_t, 64)                                                                \
    X(PL_NUMBER_UINT64, uint64_t, 64)                                                              \
    X(PL_NUMBER_FLOAT32, float, 32)                                                                \
    X(PL_NUMBER_FLOAT64, double, 64)

#define PL_NUMBER_ENUM(code, type, bits) code,
typedef enum pl_number_type { PL_NUMBER_LIST(PL_NUMBER_ENUM) PL_NUMBER_NONE } pl_number_type;
#undef PL_NUMBER_ENUM

// A type and the names that a format has for it; tables end with a NULL name.
typedef struct pl_number_name {
    const char* name;
    pl_number_type type;
} pl_number_name;

// PL_NUMBER_NONE if the name is not in the table (ignoring case).
pl_number_type pl_number_by_name(const pl_number_name* table, const char* name);

size_t pl_number_size(pl_number_type type);
bool pl_number_is_integer(pl_number_type type);
bool pl_is_big_endian(void);

// Convert count numbers, swapping bytes if `swap`. The first gives doubles. The second gives ints,
// and returns the index of the first number that is not an int (a fraction, or too large), or
// count.
void pl_numbers_to_doubles(pl_number_type type, const void* bytes, size_t count, bool swap,
                           double* out);
size_t pl_numbers_to_ints(pl_number_type type, const void* bytes, size_t count, bool swap,
                          int* out);

#endif
