// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "scene_input.h"
#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTE_LIMIT = 64 << 20, FIRST_BYTES = 1 << 16 };

static pl_status read_all(FILE* file, scene_input* out, pl_error* error) {
    size_t size = 0, capacity = 0;
    do {
        if (size == capacity) {
            capacity = capacity ? 2 * capacity : FIRST_BYTES;
            if (capacity > BYTE_LIMIT)
                return pl_fail(error, PL_ERROR_LIMIT, "the scene on standard input is too long");
            char* more = realloc(out->text, capacity);
            if (!more) return pl_fail_memory(error, "the scene on standard input");
            out->text = more;
        }
        size += fread(out->text + size, 1, capacity - size, file);
    } while (!feof(file) && !ferror(file));
    if (ferror(file)) return pl_fail(error, PL_ERROR_IO, "standard input cannot be read");
    out->source.data = out->text;
    out->source.size = size;
    return PL_OK;
}

pl_status scene_input_open(const char* path, scene_input* out, pl_error* error) {
    *out = (scene_input){.source.path = path};
    if (strcmp(path, "-") != 0) return PL_OK;
    out->source.path = "standard input";
    return read_all(stdin, out, error);
}

void scene_input_close(scene_input* input) {
    free(input->text);
    *input = (scene_input){0};
}

pl_status scene_input_read(const scene_input* input, const text_list* overrides, pl_scene** out,
                           pl_notes* notes, pl_error* error) {
    const pl_scene_source* s = &input->source;
    if (!s->data)
        return pl_scene_read(s->path, overrides->items, overrides->count, out, notes, error);
    return pl_scene_read_memory(s->data, s->size, s->path, overrides->items, overrides->count, out,
                                notes, error);
}

void scene_input_explain(const scene_input* input, const text_list* overrides,
                         const pl_scene* scene, pl_error* error) {
    pl_scene_explain(&input->source, overrides->items, overrides->count, scene, error);
}
