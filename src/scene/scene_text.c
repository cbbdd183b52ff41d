// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "scene/scene_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pl_text pl_text_begin(void) { return (pl_text){.bytes = pl_array_of(1)}; }

void pl_text_free(pl_text* text) { pl_array_free(&text->bytes); }

static void add_bytes(pl_text* text, const char* part, size_t size) {
    char* place = text->failed || size == 0 ? NULL : pl_array_add(&text->bytes, size);
    if (place) memcpy(place, part, size);
    else if (size) text->failed = true;
}

void pl_text_add(pl_text* text, const char* part) { add_bytes(text, part, strlen(part)); }

void pl_text_format(pl_text* text, const char* format, ...) {
    char part[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    pl_text_add(text, part);
}

void pl_text_line(pl_text* text, int level) {
    pl_text_add(text, "\n");
    for (int i = 0; i < level; i++) pl_text_add(text, "  ");
}

// 1e+06 becomes 1e6
static void shorten_exponent(char* digits) {
    char* from = strchr(digits, 'e');
    if (!from) return;
    char* to = ++from;
    if (*from == '-') *to++ = *from;
    if (*from == '-' || *from == '+') from++;
    while (*from == '0' && from[1]) from++;
    memmove(to, from, strlen(from) + 1);
}

void pl_text_number(pl_text* text, double value) {
    char digits[40];
    bool is_whole = fabs(value) < 1e5 && value == floor(value);
    for (int count = is_whole ? 5 : 1; count <= 17; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, value);
        if (strtod(digits, NULL) == value) break; // the same locale wrote and reads
    }
    for (char* c = digits; *c; c++)
        if (*c == ',') *c = '.';
    shorten_exponent(digits);
    pl_text_add(text, digits);
}

void pl_text_quote(pl_text* text, const char* value) {
    pl_text_add(text, "\"");
    for (const char* c = value; *c; c++) {
        unsigned char u = (unsigned char)*c;
        if (u == '"' || u == '\\') pl_text_format(text, "\\%c", u);
        else if (u < 0x20) pl_text_format(text, "\\u%04x", u);
        else add_bytes(text, c, 1);
    }
    pl_text_add(text, "\"");
}

void pl_choice_write(pl_text* text, const pl_choices* choices, int value) {
    const char* name = choices->items[value].name;
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) pl_text_add(text, name);
    else pl_text_quote(text, name);
}

const char* pl_text_get(pl_text* text) {
    add_bytes(text, "", 1);
    return text->failed ? NULL : text->bytes.data;
}
