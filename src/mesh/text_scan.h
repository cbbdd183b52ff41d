// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Scanning of numbers and words in a loaded file: fast, bounded, and independent of the locale.
// Line numbers are counted only when a message needs one.
#ifndef PL_TEXT_SCAN_H
#define PL_TEXT_SCAN_H

#include "mesh/mesh_source.h"

#include <stdbool.h>

typedef struct pl_scan {
    const pl_source* source;
    const char* at;
    const char* end; // the byte behind the text; zeros follow
} pl_scan;

pl_scan pl_scan_begin(const pl_source* source);

// Past blanks of one line; past blanks, line ends and comments (from the given character to the
// line's end; 0: none).
void pl_scan_skip_blanks(pl_scan* scan);
void pl_scan_skip_space(pl_scan* scan, char comment);
// To the first character of the next line.
void pl_scan_skip_line(pl_scan* scan);
bool pl_scan_at_end(const pl_scan* scan);
// True at a line's end (also LF of CRLF, CR, and the file's end).
bool pl_scan_at_line_end(const pl_scan* scan);

// Numbers; blanks and line ends before them are skipped. False, with the position unchanged but for
// the space, if there is no such number here or it does not fit. "nan" and "inf" are numbers: what
// they mean is the caller's.
bool pl_scan_int(pl_scan* scan, int* value);
bool pl_scan_int64(pl_scan* scan, int64_t* value);
bool pl_scan_double(pl_scan* scan, double* value);

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
// Fails with "path:line: expected WHAT, found ..." quoting what stands there.
pl_status pl_scan_expected(const pl_scan* scan, pl_error* error, const char* what);

#endif
