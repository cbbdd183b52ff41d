// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One loop per type, written once and expanded from the list of types.
#include "mesh/raw_number.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#define SWAP_8(x) (x)
#define SWAP_16(x) __builtin_bswap16(x)
#define SWAP_32(x) __builtin_bswap32(x)
#define SWAP_64(x) __builtin_bswap64(x)

pl_number_type pl_number_by_name(const pl_number_name* table, const char* name) {
    for (; table->name; table++)
        if (strcasecmp(table->name, name) == 0) return table->type;
    return PL_NUMBER_NONE;
}

size_t pl_number_size(pl_number_type type) {
#define NUMBER_SIZE(code, number, bits) sizeof(number),
    static const size_t sizes[] = {PL_NUMBER_LIST(NUMBER_SIZE) 0};
#undef NUMBER_SIZE
    return sizes[type];
}

bool pl_number_is_integer(pl_number_type type) { return type < PL_NUMBER_FLOAT32; }

bool pl_is_big_endian(void) { return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; }

// loads number i into `value`
#define LOAD(number, bits)                                                                         \
    uint##bits##_t raw;                                                                            \
    memcpy(&raw, from + i * sizeof raw, sizeof raw);                                               \
    if (swap) raw = SWAP_##bits(raw);                                                              \
    number value;                                                                                  \
    memcpy(&value, &raw, sizeof value);

void pl_numbers_to_doubles(pl_number_type type, const void* bytes, size_t count, bool swap,
                           double* out) {
    const char* from = bytes;
    switch (type) {
#define TO_DOUBLE(code, number, bits)                                                              \
    case code:                                                                                     \
        for (size_t i = 0; i < count; i++) {                                                       \
            LOAD(number, bits)                                                                     \
            out[i] = (double)value;                                                                \
        }                                                                                          \
        break;
        PL_NUMBER_LIST(TO_DOUBLE)
#undef TO_DOUBLE
    case PL_NUMBER_NONE: break;
    }
}

// exact also for 64-bit integers that a double cannot represent, since those do not fit an int
size_t pl_numbers_to_ints(pl_number_type type, const void* bytes, size_t count, bool swap,
                          int* out) {
    const char* from = bytes;
    switch (type) {
#define TO_INT(code, number, bits)                                                                 \
    case code:                                                                                     \
        for (size_t i = 0; i < count; i++) {                                                       \
            LOAD(number, bits)                                                                     \
            double wide = (double)value;                                                           \
            if (!(wide >= INT_MIN && wide <= INT_MAX)) return i;                                   \
            out[i] = (int)wide;                                                                    \
            if ((double)out[i] != wide) return i;                                                  \
        }                                                                                          \
        break;
        PL_NUMBER_LIST(TO_INT)
#undef TO_INT
    case PL_NUMBER_NONE: return 0;
    }
    return count;
}
