// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/mesh_format.h"
#include "base/platform.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ENDINGS_ROW(code, name, endings) endings,
static const char* const all_endings[] = {PL_MESH_FORMAT_LIST(ENDINGS_ROW)};
#undef ENDINGS_ROW

#define KIND_ROW(X, CODE, name, endings) [PL_MESH_##CODE] = &pl_format_##name,
static const pl_mesh_format_kind* const kinds[] = {PL_MESH_FORMAT_TABLE(KIND_ROW, )};
#undef KIND_ROW

const pl_mesh_format_kind* pl_mesh_format_kind_of(pl_mesh_format format) {
    return format > PL_MESH_AUTO && format < PL_MESH_FORMAT_COUNT ? kinds[format] : NULL;
}

bool pl_mesh_format_is_written(pl_mesh_format format) {
    const pl_mesh_format_kind* kind = pl_mesh_format_kind_of(format);
    return kind && kind->write;
}

static bool has_ending(const char* endings, const char* ending, size_t size) {
    for (const char* p = endings; *p;) {
        size_t length = strcspn(p, " ");
        if (length == size && strncasecmp(p, ending, size) == 0) return true;
        p += length + strspn(p + length, " ");
    }
    return false;
}

bool pl_path_has_ending(const char* path, const char* endings) {
    size_t size = strlen(path);
    if (size > 3 && strcasecmp(path + size - 3, ".gz") == 0) size -= 3;
    size_t dot = size;
    const char* separator = pl_path_last_separator(path);
    size_t name = separator ? (size_t)(separator + 1 - path) : 0;
    while (dot > name && path[dot - 1] != '.') dot--;
    return dot > name && path[dot - 1] == '.' && has_ending(endings, path + dot, size - dot);
}

pl_mesh_format pl_mesh_format_of(const char* path) {
    for (int f = PL_MESH_AUTO + 1; f < PL_MESH_FORMAT_COUNT; f++)
        if (pl_path_has_ending(path, all_endings[f])) return (pl_mesh_format)f;
    return PL_MESH_AUTO;
}

// adds each of some endings with a dot before it
static void append_endings(const char* endings, char text[PL_ENDINGS_SIZE]) {
    for (const char* p = endings; *p;) {
        int length = (int)strcspn(p, " ");
        size_t used = strlen(text);
        snprintf(text + used, PL_ENDINGS_SIZE - used, "%s.%.*s", used ? " " : "", length, p);
        p += length + (int)strspn(p + length, " ");
    }
}

void pl_mesh_format_endings(bool written, char text[PL_ENDINGS_SIZE]) {
    text[0] = '\0';
    for (int f = PL_MESH_AUTO + 1; f < PL_MESH_FORMAT_COUNT; f++)
        if (!written || kinds[f]->write) append_endings(all_endings[f], text);
}

pl_status pl_mesh_format_refuse(const char* path, pl_error* error) {
    char endings[PL_ENDINGS_SIZE];
    pl_mesh_format_endings(true, endings);
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%s: meshes are written as %s, each also with .gz",
                   path, endings);
}
