// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A decimal number is first read as an integer of up to 19 digits and a power of ten. With at most
// 53 bits and a power up to 10^22 one double operation rounds it correctly (Clinger 1990).
// Otherwise the same is done in the 64-bit significand of long double, where powers up to 10^27 are
// exact. Rounding that result to double is correct unless it lies exactly between two doubles; that
// case, and anything rarer, is left to strtod in the C locale.
#include "mesh/text_scan.h"
#include "base/platform.h"

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

pl_scan pl_scan_begin(const pl_source* source) {
    return (pl_scan){source, source->data, source->data + source->size};
}

static inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
static inline bool is_line_end(char c) { return c == '\n' || c == '\r'; }
static inline bool is_space(char c) { return is_blank(c) || is_line_end(c); }
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// the zeros after the text end every such loop
void pl_scan_skip_blanks(pl_scan* scan) {
    while (is_blank(*scan->at)) scan->at++;
}

static inline void skip_space(pl_scan* scan) {
    while (is_space(*scan->at)) scan->at++;
}

void pl_scan_skip_space(pl_scan* scan, char comment) {
    skip_space(scan);
    while (comment && *scan->at == comment && scan->at < scan->end) {
        pl_scan_skip_line(scan);
        skip_space(scan);
    }
}

void pl_scan_skip_line(pl_scan* scan) {
    const char* line_end = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    scan->at = line_end ? line_end + 1 : scan->end;
}

bool pl_scan_at_end(const pl_scan* scan) { return scan->at >= scan->end; }

bool pl_scan_at_line_end(const pl_scan* scan) {
    return pl_scan_at_end(scan) || is_line_end(*scan->at);
}

bool pl_scan_digits_fit(const char* digits, const char* end) {
    uint64_t magnitude = 0;
    for (; digits < end; digits++) {
        if (magnitude > (INT64_MAX - 9) / 10) return false;
        magnitude = magnitude * 10 + (uint64_t)(*digits - '0');
    }
    return true;
}

bool pl_scan_int(pl_scan* scan, int* value) {
    int64_t wide;
    const char* start = scan->at;
    if (!pl_scan_int64(scan, &wide)) return false;
    if (wide < INT_MIN || wide > INT_MAX) {
        scan->at = start;
        return false;
    }
    *value = (int)wide;
    return true;
}

// a decimal number as digits * 10^exponent, and where it ends
typedef struct decimal {
    uint64_t digits;
    int exponent;
    bool negative;
    bool exact; // all digits are in `digits`
    const char* end;
} decimal;

static bool parse_exponent(const char* p, int* exponent, const char** end) {
    if (*p != 'e' && *p != 'E' && *p != 'd' && *p != 'D') return false; // Fortran writes 1.0D+00
    p++;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (!is_digit(*p)) return false;
    int value = 0;
    for (; is_digit(*p); p++)
        if (value < 100000) value = value * 10 + (*p - '0');
    *exponent += negative ? -value : value;
    *end = p;
    return true;
}

// adds the digits of a fraction, eight at a time while eight more fit; returns the end
static const char* add_eights(const char* p, decimal* d) {
    uint64_t eight;
    while (d->digits < UINT64_C(10000000000) && pl_scan_leading_digits(p, &eight) == 8) {
        d->digits = d->digits * 100000000 + eight;
        d->exponent -= 8;
        p += 8;
    }
    return p;
}

static bool parse_decimal(const char* p, decimal* d) {
    *d = (decimal){.exact = true};
    d->negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    const char* start = p;
    int count = 0, point = 0;
    for (;; p++) {
        if (is_digit(*p)) {
            if (d->digits < UINT64_C(1000000000000000000)) {
                d->digits = d->digits * 10 + (uint64_t)(*p - '0');
                d->exponent -= point;
            } else {
                d->exact = d->exact && *p == '0';
                d->exponent += 1 - point;
            }
            count++;
        } else if (*p == '.' && !point) {
            point = 1;
            const char* fraction = p + 1;
            p = add_eights(fraction, d) - 1;
            count += (int)(p + 1 - fraction);
        } else {
            break;
        }
    }
    if (count == 0 || p == start) return false;
    d->end = p;
    parse_exponent(p, &d->exponent, &d->end);
    return true;
}

static bool round_small(const decimal* d, double* value) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (!d->exact || d->digits >> 53 || d->exponent < -22 || d->exponent > 22) return false;
    *value = d->exponent < 0 ? (double)d->digits / power[-d->exponent]
                             : (double)d->digits * power[d->exponent];
    return true;
}

#if LDBL_MANT_DIG == 64
static bool round_large(const decimal* d, double* value) {
    static const long double power[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                        1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                        1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                        1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    if (!d->exact || d->exponent < -27 || d->exponent > 27) return false;
    long double wide = d->exponent < 0 ? (long double)d->digits / power[-d->exponent]
                                       : (long double)d->digits * power[d->exponent];
    uint64_t significand;
    memcpy(&significand, &wide, sizeof significand); // x87 stores it first
    if ((significand & 0x7ff) == 0x400) return false;
    *value = (double)wide;
    return true;
}
#else
static bool round_large(const decimal* d, double* value) { return (void)d, (void)value, false; }
#endif

// the rare rest: more than 19 digits, far exponents, midpoints
static bool round_any(const char* text, const char* end, double* value) {
    char copy[512];
    size_t size = (size_t)(end - text);
    if (size >= sizeof copy) size = sizeof copy - 1; // digits after the 500th are ignored
    memcpy(copy, text, size);
    copy[size] = '\0';
    for (char* p = copy; *p; p++)
        if (*p == 'd' || *p == 'D') *p = 'e';
    return pl_parse_number(copy, value);
}

static bool parse_special(pl_scan* scan, double* value) {
    const char* p = scan->at;
    double sign = *p == '-' ? -1.0 : 1.0;
    if (*p == '-' || *p == '+') p++;
    size_t size;
    if (strncasecmp(p, "infinity", 8) == 0) size = 8, *value = sign * (double)INFINITY;
    else if (strncasecmp(p, "inf", 3) == 0) size = 3, *value = sign * (double)INFINITY;
    else if (strncasecmp(p, "nan", 3) == 0) size = 3, *value = (double)NAN;
    else return false;
    p += size;
    if (isalnum((unsigned char)*p)) return false;
    scan->at = p;
    return true;
}

bool pl_scan_double(pl_scan* scan, double* value) {
    skip_space(scan);
    decimal d;
    if (!parse_decimal(scan->at, &d)) return parse_special(scan, value);
    double magnitude;
    if (round_small(&d, &magnitude) || round_large(&d, &magnitude)) {
        *value = d.negative ? -magnitude : magnitude;
    } else if (!round_any(scan->at, d.end, value)) {
        return false;
    }
    scan->at = d.end;
    return true;
}

bool pl_scan_word(pl_scan* scan, char* word, size_t size) {
    skip_space(scan);
    if (pl_scan_at_end(scan)) return false;
    size_t length = 0;
    for (; scan->at < scan->end && !is_space(*scan->at); scan->at++)
        if (length + 1 < size) word[length++] = *scan->at;
    word[length] = '\0';
    return true;
}

bool pl_scan_keyword(pl_scan* scan, const char* word) {
    skip_space(scan);
    size_t size = strlen(word);
    if ((size_t)(scan->end - scan->at) < size || strncasecmp(scan->at, word, size) != 0)
        return false;
    const char* behind = scan->at + size;
    if (behind < scan->end && !is_space(*behind)) return false;
    scan->at = behind;
    return true;
}

const void* pl_scan_bytes(pl_scan* scan, size_t size) {
    if ((size_t)(scan->end - scan->at) < size) return NULL;
    const void* bytes = scan->at;
    scan->at += size;
    return bytes;
}

int64_t pl_scan_line(const pl_scan* scan) {
    int64_t line = 1;
    const char* stop = scan->at < scan->end ? scan->at : scan->end;
    for (const char* p = scan->source->data; (p = memchr(p, '\n', (size_t)(stop - p))) != NULL; p++)
        line++;
    return line;
}

pl_status pl_scan_fail(const pl_scan* scan, pl_error* error, pl_status status, const char* format,
                       ...) {
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return pl_fail(error, status, "%s:%lld: %s", scan->source->path, (long long)pl_scan_line(scan),
                   text);
}

pl_status pl_scan_expected(const pl_scan* scan, pl_error* error, const char* what) {
    pl_scan ahead = *scan;
    char word[40];
    if (!pl_scan_word(&ahead, word, sizeof word))
        return pl_scan_fail(scan, error, PL_ERROR_FORMAT, "expected %s, but the file ends", what);
    for (char* p = word; *p; p++)
        if (!isprint((unsigned char)*p)) *p = '?';
    return pl_scan_fail(scan, error, PL_ERROR_FORMAT, "expected %s, found \"%s\"", what, word);
}
