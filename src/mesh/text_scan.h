// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Scanning of numbers and words in a loaded file: fast, bounded, and independent of the locale.
// Line numbers are counted only when a message needs one.
#ifndef PL_TEXT_SCAN_H
#define PL_TEXT_SCAN_H

#include "mesh/mesh_source.h"

#include <stdbool.h>
#include <string.h>

typedef struct pl_scan {
    const pl_source* source;
    const char* at;
    const char* end; // the end of the text; zeros follow
} pl_scan;

pl_scan pl_scan_begin(const pl_source* source);

// Skip blanks of one line; skip blanks, line ends and comments (from the given character to the
// line's end; 0: none).
void pl_scan_skip_blanks(pl_scan* scan);
void pl_scan_skip_space(pl_scan* scan, char comment);
// Goes to the first character of the next line.
void pl_scan_skip_line(pl_scan* scan);
bool pl_scan_at_end(const pl_scan* scan);
// True at the end of a line (LF, CRLF, CR) or of the file.
bool pl_scan_at_line_end(const pl_scan* scan);

// Read a number after any blanks and line ends. False, with only these skipped, if there is no such
// number here or it does not fit. "nan" and "inf" are numbers, which the caller must judge.
bool pl_scan_int(pl_scan* scan, int* value);
static inline bool pl_scan_int64(pl_scan* scan, int64_t* value);
bool pl_scan_double(pl_scan* scan, double* value);

// True if the digits are a number of at most 2^63 - 1.
bool pl_scan_digits_fit(const char* digits, const char* end);

// The next word, cut to size - 1 bytes; false at the end of the text. Space before it is skipped.
bool pl_scan_word(pl_scan* scan, char* word, size_t size);
// Consumes the word if it comes next (after space), ignoring case.
bool pl_scan_keyword(pl_scan* scan, const char* word);
// size raw bytes, or NULL if fewer are left.
const void* pl_scan_bytes(pl_scan* scan, size_t size);

// The line (from 1) of a position.
int64_t pl_scan_line(const pl_scan* scan);
// Fails with "path:line: ..." of where the scan is.
pl_status pl_scan_fail(const pl_scan* scan, pl_error* error, pl_status status, const char* format,
                       ...) PL_PRINTF(4, 5);
// Fails with "path:line: expected WHAT, found ..." and a quote of the text there.
pl_status pl_scan_expected(const pl_scan* scan, pl_error* error, const char* what);

// Eight characters at a time (Lemire, "Number parsing at a gigabyte per second", 2021, section 3,
// after Johnny Lee and Mula): how many of the next eight are digits, and their value. The zeros
// after the text make the load safe.
static inline int pl_scan_leading_digits(const char* p, uint64_t* value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t chunk;
    memcpy(&chunk, p, sizeof chunk);
    chunk ^= UINT64_C(0x3030303030303030);
    // the high bit of every byte above 9; adding cannot carry into the next byte below it
    uint64_t others =
        ((chunk & UINT64_C(0x7f7f7f7f7f7f7f7f)) + UINT64_C(0x7676767676767676)) | chunk;
    others &= UINT64_C(0x8080808080808080);
    int count = others ? __builtin_ctzll(others) / 8 : 8;
    if (count == 0) return 0;
    chunk <<= 8 * (8 - count); // zeros in front
    chunk = chunk * 10 + (chunk >> 8);
    *value = ((chunk & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
              (chunk >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
             32;
    return count;
#else
    int count = 0;
    for (*value = 0; count < 8 && p[count] >= '0' && p[count] <= '9'; count++)
        *value = *value * 10 + (uint64_t)(p[count] - '0');
    return count;
#endif
}

// Integers are most of a mesh file, so their scanning is inlined where they are read.
static inline bool pl_scan_int64(pl_scan* scan, int64_t* value) {
    const char* p = scan->at;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r')) p++; // tab, line feed, \v, \f, carriage return
    scan->at = p;
    bool negative = *p == '-';
    p += negative || *p == '+';
    const char* first = p;
    uint64_t magnitude;
    int count = pl_scan_leading_digits(p, &magnitude);
    if (count == 0) return false;
    p += count;
    if (count == 8) {
        for (unsigned digit; (digit = (unsigned)(unsigned char)*p - '0') < 10; p++)
            magnitude = magnitude * 10 + digit;
        // 18 digits always fit; more are nearly always leading zeros or nonsense
        if (p - first > 18 && !pl_scan_digits_fit(first, p)) return false;
    }
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    scan->at = p;
    return true;
}

#endif
