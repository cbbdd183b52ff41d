// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// VTK legacy files: unstructured grids and poly data, ASCII or big-endian binary, cells as up to
// version 4.2 (count and points of each cell in one list) and as from 5.1 on (OFFSETS and
// CONNECTIVITY). Layout: VTK User's Guide, chapter File Formats.
#include "base/memory.h"
#include "mesh/mesh_format.h"
#include "mesh/raw_number.h"
#include "mesh/text_scan.h"
#include "mesh/vtk_data.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

typedef struct reader {
    pl_scan scan;
    pl_vtk_data data;
    bool binary;
    bool poly_data;
    int cell_section; // of poly data: the last one seen; cells are numbered in the order of
                      // sections
    pl_notes* notes;
    pl_error* error;
} reader;

// the size of "long" depends on the writing machine, eight bytes on nearly all; ids are written as
// int
static const pl_number_name number_names[] = {
    {"char", PL_NUMBER_INT8},
    {"signed_char", PL_NUMBER_INT8},
    {"unsigned_char", PL_NUMBER_UINT8},
    {"short", PL_NUMBER_INT16},
    {"unsigned_short", PL_NUMBER_UINT16},
    {"int", PL_NUMBER_INT32},
    {"unsigned_int", PL_NUMBER_UINT32},
    {"long", PL_NUMBER_INT64},
    {"unsigned_long", PL_NUMBER_UINT64},
    {"float", PL_NUMBER_FLOAT32},
    {"double", PL_NUMBER_FLOAT64},
    {"vtkidtype", PL_NUMBER_INT32},
    {"vtktypeint8", PL_NUMBER_INT8},
    {"vtktypeuint8", PL_NUMBER_UINT8},
    {"vtktypeint16", PL_NUMBER_INT16},
    {"vtktypeuint16", PL_NUMBER_UINT16},
    {"vtktypeint32", PL_NUMBER_INT32},
    {"vtktypeuint32", PL_NUMBER_UINT32},
    {"vtktypeint64", PL_NUMBER_INT64},
    {"vtktypeuint64", PL_NUMBER_UINT64},
    {NULL, PL_NUMBER_NONE},
};

enum { WORD_SIZE = 128 };

static pl_status no_memory(const reader* r) {
    return pl_fail_memory(r->error, r->scan.source->path);
}

// fails if the rest of the file cannot hold this count; in text a number takes at least two bytes
static pl_status check_count(const reader* r, const char* what, uint64_t count, size_t size) {
    uint64_t left = (uint64_t)(r->scan.end - r->scan.at);
    uint64_t room = r->binary ? left / size : left / 2 + 1;
    if (count <= room) return PL_OK;
    return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                        "%s needs %llu numbers, but the file ends after at most %llu more", what,
                        (unsigned long long)count, (unsigned long long)room);
}

static pl_status read_count(reader* r, const char* what, int* count) {
    if (pl_scan_int(&r->scan, count) && *count >= 0) return PL_OK;
    return pl_scan_expected(&r->scan, r->error, what);
}

static pl_status read_type(reader* r, pl_number_type* type) {
    pl_scan before = r->scan;
    char word[WORD_SIZE];
    if (pl_scan_word(&r->scan, word, sizeof word)) {
        *type = pl_number_by_name(number_names, word);
        if (*type != PL_NUMBER_NONE) return PL_OK;
    }
    return pl_scan_expected(&before, r->error, "a data type like float or vtktypeint64");
}

// binary numbers begin after the line's end
static pl_status begin_numbers(reader* r) {
    if (!r->binary) return PL_OK;
    pl_scan_skip_blanks(&r->scan);
    if (!pl_scan_at_line_end(&r->scan))
        return pl_scan_expected(&r->scan, r->error, "a line's end before binary data");
    pl_scan_skip_line(&r->scan);
    return PL_OK;
}

static const void* binary_numbers(reader* r, pl_number_type type, size_t count) {
    return pl_scan_bytes(&r->scan, count * pl_number_size(type));
}

static pl_status read_doubles(reader* r, const char* what, pl_number_type type, size_t count,
                              double* out) {
    if (r->binary) {
        const void* bytes = binary_numbers(r, type, count);
        if (!bytes) return pl_scan_expected(&r->scan, r->error, what);
        pl_numbers_to_doubles(type, bytes, count, !pl_is_big_endian(), out);
        return PL_OK;
    }
    for (size_t i = 0; i < count; i++)
        if (!pl_scan_double(&r->scan, &out[i])) return pl_scan_expected(&r->scan, r->error, what);
    return PL_OK;
}

// like pl_scan_keyword, but skips nothing if the word is missing: binary data may begin with bytes
// that look like space
static bool accept_keyword(reader* r, const char* word) {
    pl_scan before = r->scan;
    bool found = pl_scan_keyword(&r->scan, word);
    if (!found) r->scan = before;
    return found;
}

// appends count ints to an array
static pl_status read_ints(reader* r, const char* what, pl_number_type type, size_t count,
                           pl_array* array) {
    pl_status status = begin_numbers(r);
    if (status == PL_OK) status = check_count(r, what, count, pl_number_size(type));
    if (status != PL_OK || count == 0) return status;
    int* out = pl_array_add(array, count);
    if (!out) return no_memory(r);
    if (r->binary) {
        const void* bytes = binary_numbers(r, type, count);
        size_t good = pl_numbers_to_ints(type, bytes, count, !pl_is_big_endian(), out);
        if (good == count) return PL_OK;
        return pl_fail(r->error, PL_ERROR_FORMAT, "%s: byte %zu: number %zu of %s is not an index",
                       r->scan.source->path, (size_t)(r->scan.at - r->scan.source->data), good,
                       what);
    }
    for (size_t i = 0; i < count; i++)
        if (!pl_scan_int(&r->scan, &out[i])) return pl_scan_expected(&r->scan, r->error, what);
    return PL_OK;
}

static pl_status read_points(reader* r) {
    int count;
    pl_number_type type;
    pl_status status = read_count(r, "the number of points", &count);
    if (status == PL_OK) status = read_type(r, &type);
    if (status == PL_OK) status = begin_numbers(r);
    if (status == PL_OK)
        status = check_count(r, "POINTS", 3 * (uint64_t)count, pl_number_size(type));
    if (status != PL_OK) return status;
    if (r->data.points.count)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT, "a second POINTS section");
    if (count == 0) return PL_OK;
    double* points = pl_array_add(&r->data.points, 3 * (size_t)count);
    if (!points) return no_memory(r);
    return read_doubles(r, "a coordinate", type, 3 * (size_t)count, points);
}

// splits one list: for each cell, the number of its points and then the points
static pl_status split_cells(reader* r, const char* section, int cell_count, const pl_array* list) {
    const int* numbers = list->data;
    size_t at = 0;
    size_t corner_count = list->count - (size_t)cell_count;
    size_t first = r->data.corners.count, used = first;
    int* ends = pl_array_add(&r->data.ends, (size_t)cell_count);
    int* corners = pl_array_add(&r->data.corners, corner_count);
    if ((!ends && cell_count) || (!corners && corner_count)) return no_memory(r);
    for (int i = 0; i < cell_count; i++) {
        size_t cells_left = (size_t)(cell_count - i - 1);
        size_t room = at < list->count ? list->count - at - 1 : 0;
        if (at >= list->count || numbers[at] < 0 || (size_t)numbers[at] + cells_left > room)
            return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                                "the list of %s ends inside cell %d of %d", section, i, cell_count);
        size_t n = (size_t)numbers[at];
        if (n) memcpy(corners + used - first, numbers + at + 1, n * sizeof(int));
        used += n;
        ends[i] = (int)used;
        at += n + 1;
    }
    if (at == list->count) return PL_OK;
    return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                        "%s has %zu numbers, but its %d cells use %zu", section, list->count,
                        cell_count, at);
}

static pl_status read_old_cells(reader* r, const char* section, int cell_count, int size) {
    if (size < cell_count)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                            "%s: %d cells cannot be described by %d numbers", section, cell_count,
                            size);
    pl_array list = pl_array_of(sizeof(int));
    pl_status status = read_ints(r, section, PL_NUMBER_INT32, (size_t)size, &list);
    if (status == PL_OK) status = split_cells(r, section, cell_count, &list);
    pl_array_free(&list);
    return status;
}

// OFFSETS and CONNECTIVITY; the offsets are one more than the cells
static pl_status read_new_cells(reader* r, const char* section, int offset_count, int size) {
    pl_number_type type;
    pl_status status = read_type(r, &type);
    pl_array offsets = pl_array_of(sizeof(int));
    size_t base = r->data.corners.count;
    if (status == PL_OK) status = read_ints(r, "OFFSETS", type, (size_t)offset_count, &offsets);
    if (status == PL_OK && !pl_scan_keyword(&r->scan, "CONNECTIVITY"))
        status = pl_scan_expected(&r->scan, r->error, "CONNECTIVITY");
    if (status == PL_OK) status = read_type(r, &type);
    if (status == PL_OK)
        status = read_ints(r, "CONNECTIVITY", type, (size_t)size, &r->data.corners);
    const int* numbers = offsets.data;
    for (int i = 0; status == PL_OK && i < offset_count; i++) {
        bool good = i == 0 ? numbers[0] == 0 : numbers[i] >= numbers[i - 1] && numbers[i] <= size;
        if (i + 1 == offset_count) good = good && numbers[i] == size;
        int end = good ? (int)base + numbers[i] : 0;
        if (!good)
            status = pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                                  "%s: offset %d is %d, which does not fit %d numbers of "
                                  "CONNECTIVITY",
                                  section, i, numbers[i], size);
        else if (i > 0 && !pl_array_push(&r->data.ends, &end)) status = no_memory(r);
    }
    pl_array_free(&offsets);
    return status;
}

// cells in either layout; type: of all cells, for poly data
static pl_status read_cells(reader* r, const char* section, int type) {
    int count, size;
    pl_status status = read_count(r, "the number of cells", &count);
    if (status == PL_OK) status = read_count(r, "the size of the cell list", &size);
    if (status != PL_OK) return status;
    if (r->data.corners.count + (size_t)size > INT_MAX)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_LIMIT, "too many cells");
    size_t before = r->data.ends.count;
    status = accept_keyword(r, "OFFSETS") ? read_new_cells(r, section, count, size)
                                          : read_old_cells(r, section, count, size);
    for (size_t i = before; status == PL_OK && type && i < r->data.ends.count; i++)
        if (!pl_array_push(&r->data.types, &type)) status = no_memory(r);
    return status;
}

static pl_status read_cell_types(reader* r) {
    int count;
    pl_status status = read_count(r, "the number of cell types", &count);
    if (status != PL_OK) return status;
    if ((size_t)count != r->data.ends.count || r->data.types.count)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                            "%d CELL_TYPES for %zu cells; CELLS must come first and be as many",
                            count, r->data.ends.count);
    return read_ints(r, "CELL_TYPES", PL_NUMBER_INT32, (size_t)count, &r->data.types);
}

// decodes %20 and similar escapes
static void decode_name(char* name) {
    static const char digits[] = "0123456789abcdef";
    char* out = name;
    for (const char* p = name; *p; p++) {
        const char *high = NULL, *low = NULL;
        if (*p == '%' && p[1] && p[2]) {
            high = strchr(digits, p[1] | 0x20);
            low = strchr(digits, p[2] | 0x20);
        }
        int code = high && low ? (int)(high - digits) * 16 + (int)(low - digits) : 0;
        *out++ = code ? (char)code : *p;
        if (code) p += 2;
    }
    *out = '\0';
}

static pl_status read_name(reader* r, char* name) {
    if (!pl_scan_word(&r->scan, name, WORD_SIZE))
        return pl_scan_expected(&r->scan, r->error, "the name of an array");
    decode_name(name);
    return PL_OK;
}

// what values belong to; NOWHERE: neither points nor cells
typedef enum place { NOWHERE = -1, ON_POINTS, ON_CELLS } place;

static pl_status skip_numbers(reader* r, pl_number_type type, uint64_t count) {
    if (r->binary) {
        pl_scan_bytes(&r->scan, (size_t)(count * pl_number_size(type)));
        return PL_OK;
    }
    double value;
    for (uint64_t i = 0; i < count; i++)
        if (!pl_scan_double(&r->scan, &value))
            return pl_scan_expected(&r->scan, r->error, "a number");
    return PL_OK;
}

// an array of tuples; kept as a field if it has one tuple for each point or cell
static pl_status read_array(reader* r, place where, const char* name, pl_number_type type,
                            int components, int tuple_count) {
    size_t owners = where == ON_CELLS ? r->data.types.count : pl_vtk_point_count(&r->data);
    uint64_t count = (uint64_t)components * (uint64_t)tuple_count;
    pl_status status = begin_numbers(r);
    if (status == PL_OK) status = check_count(r, name, count, pl_number_size(type));
    if (status != PL_OK) return status;
    if (where == NOWHERE) return skip_numbers(r, type, count);
    if ((size_t)tuple_count != owners)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                            "array \"%s\" has %d tuples, but there are %zu %s", name, tuple_count,
                            owners, where == ON_CELLS ? "cells" : "points");
    double* out;
    status = pl_vtk_add_values(&r->data, r->scan.source->path, where == ON_CELLS, name, components,
                               0, owners, &out, r->error);
    return status == PL_OK && out ? read_doubles(r, "a number", type, (size_t)count, out) : status;
}

// the two highest bits of the first byte tell how many bytes the length of a binary string has
static bool skip_binary_string(reader* r) {
    const unsigned char* first = (const unsigned char*)r->scan.at;
    int code = *first >> 6;
    size_t size = code == 3 ? 1 : code == 2 ? 2 : code == 1 ? 4 : 8;
    const unsigned char* bytes = pl_scan_bytes(&r->scan, size);
    if (!bytes) return false;
    uint64_t length = bytes[0] & 0x3f;
    for (size_t i = 1; i < size; i++) length = length << 8 | bytes[i];
    return length <= (uint64_t)(r->scan.end - r->scan.at) &&
           pl_scan_bytes(&r->scan, (size_t)length) != NULL;
}

static pl_status skip_strings(reader* r, const char* name, int64_t count) {
    pl_scan_skip_line(&r->scan);
    for (int64_t i = 0; i < count; i++) {
        if (pl_scan_at_end(&r->scan) || (r->binary && !skip_binary_string(r)))
            return pl_scan_expected(&r->scan, r->error, "a string");
        if (!r->binary) pl_scan_skip_line(&r->scan);
    }
    pl_note(r->notes, PL_NOTE_INFO, "%s: array \"%s\" holds text and was skipped",
            r->scan.source->path, name);
    return PL_OK;
}

static void skip_metadata(reader* r) {
    // it ends with an empty line
    pl_scan_skip_line(&r->scan);
    while (!pl_scan_at_end(&r->scan)) {
        pl_scan_skip_blanks(&r->scan);
        bool is_empty = pl_scan_at_line_end(&r->scan);
        pl_scan_skip_line(&r->scan);
        if (is_empty) return;
    }
}

static pl_status read_field_array(reader* r, place where) {
    char name[WORD_SIZE];
    int components, tuple_count;
    pl_number_type type;
    if (pl_scan_keyword(&r->scan, "METADATA")) skip_metadata(r);
    pl_status status = read_name(r, name);
    if (status == PL_OK && strcmp(name, "NULL_ARRAY") == 0) return PL_OK;
    if (status == PL_OK) status = read_count(r, "a number of components", &components);
    if (status == PL_OK) status = read_count(r, "a number of tuples", &tuple_count);
    if (status != PL_OK) return status;
    if (pl_scan_keyword(&r->scan, "string"))
        return skip_strings(r, name, (int64_t)components * tuple_count);
    status = read_type(r, &type);
    if (status == PL_OK && components == 0) where = NOWHERE;
    return status == PL_OK ? read_array(r, where, name, type, components, tuple_count) : status;
}

static pl_status read_field(reader* r, place where) {
    char name[WORD_SIZE];
    int array_count = 0;
    pl_status status = read_name(r, name);
    if (status == PL_OK) status = read_count(r, "a number of arrays", &array_count);
    for (int i = 0; status == PL_OK && i < array_count; i++) status = read_field_array(r, where);
    return status;
}

static pl_status read_scalars(reader* r, place where, int owners) {
    char name[WORD_SIZE];
    pl_number_type type;
    int components = 1;
    pl_status status = read_name(r, name);
    if (status == PL_OK) status = read_type(r, &type);
    if (status != PL_OK) return status;
    pl_scan_skip_blanks(&r->scan);
    if (!pl_scan_at_line_end(&r->scan)) status = read_count(r, "components", &components);
    if (status == PL_OK && components < 1)
        return pl_scan_expected(&r->scan, r->error, "a positive number of components");
    if (status == PL_OK && accept_keyword(r, "LOOKUP_TABLE")) {
        char table[WORD_SIZE];
        status = read_name(r, table);
    }
    return status == PL_OK ? read_array(r, where, name, type, components, owners) : status;
}

// colours are bytes in binary files and fractions in text
static pl_status read_colours(reader* r, place where, int owners, bool is_table) {
    char name[WORD_SIZE];
    int count;
    pl_status status = read_name(r, name);
    if (status == PL_OK) status = read_count(r, "a number of colours", &count);
    if (status == PL_OK && count < 1)
        return pl_scan_expected(&r->scan, r->error, "a positive number of colours");
    if (status != PL_OK) return status;
    return is_table ? read_array(r, NOWHERE, name, PL_NUMBER_UINT8, 4, count)
                    : read_array(r, where, name, PL_NUMBER_UINT8, count, owners);
}

static pl_status read_fixed(reader* r, place where, int owners, int components) {
    char name[WORD_SIZE];
    pl_number_type type;
    pl_status status = read_name(r, name);
    if (status == PL_OK && components == 0) {
        status = read_count(r, "a number of components", &components);
        if (status == PL_OK && components < 1)
            return pl_scan_expected(&r->scan, r->error, "a positive number of components");
    }
    if (status == PL_OK) status = read_type(r, &type);
    return status == PL_OK ? read_array(r, where, name, type, components, owners) : status;
}

typedef struct attribute {
    const char* keyword;
    int components; // 0: the file says
} attribute;

static pl_status read_attribute(reader* r, place where, int owners, const char* keyword) {
    static const attribute attributes[] = {
        {"VECTORS", 3},    {"NORMALS", 3},      {"TENSORS", 9},    {"TENSORS6", 6},
        {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}, {"TEXTURE_COORDINATES", 0},
    };
    if (strcasecmp(keyword, "SCALARS") == 0) return read_scalars(r, where, owners);
    if (strcasecmp(keyword, "COLOR_SCALARS") == 0) return read_colours(r, where, owners, false);
    if (strcasecmp(keyword, "LOOKUP_TABLE") == 0) return read_colours(r, where, owners, true);
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (strcasecmp(keyword, attributes[i].keyword) == 0)
            return read_fixed(r, where, owners, attributes[i].components);
    return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                        "unknown keyword \"%.60s\"; is something before it longer or shorter than "
                        "stated?",
                        keyword);
}

// sections of poly data in their order, with the type of their cells
typedef struct poly_section {
    const char* keyword;
    int type;
} poly_section;

static const poly_section poly_sections[] = {{"VERTICES", PL_VTK_POLY_VERTEX},
                                             {"LINES", PL_VTK_POLY_LINE},
                                             {"POLYGONS", PL_VTK_POLYGON},
                                             {"TRIANGLE_STRIPS", PL_VTK_TRIANGLE_STRIP}};

// from 1; 0: not one
static int find_poly_section(const reader* r, const char* keyword) {
    for (int i = 0; r->poly_data && i < 4; i++)
        if (strcasecmp(keyword, poly_sections[i].keyword) == 0) return i + 1;
    return 0;
}

static pl_status read_poly_section(reader* r, int section, const char* keyword) {
    if (section <= r->cell_section)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_UNSUPPORTED,
                            "%s after other cells; pliant reads VERTICES, LINES, POLYGONS, "
                            "TRIANGLE_STRIPS in that order",
                            keyword);
    r->cell_section = section;
    return read_cells(r, keyword, poly_sections[section - 1].type);
}

static pl_status begin_values(reader* r, place where, int* owners) {
    pl_status status = read_count(r, "a number of points or cells", owners);
    size_t expected = where == ON_CELLS ? r->data.types.count : pl_vtk_point_count(&r->data);
    if (status != PL_OK || (size_t)*owners == expected) return status;
    return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT, "data for %d %s, but there are %zu",
                        *owners, where == ON_CELLS ? "cells" : "points", expected);
}

static pl_status read_sections(reader* r) {
    place where = NOWHERE;
    int owners = 0;
    pl_status status = PL_OK;
    char keyword[WORD_SIZE];
    while (status == PL_OK && pl_scan_word(&r->scan, keyword, sizeof keyword)) {
        int section = find_poly_section(r, keyword);
        if (strcasecmp(keyword, "POINTS") == 0) status = read_points(r);
        else if (section) status = read_poly_section(r, section, keyword);
        else if (!r->poly_data && strcasecmp(keyword, "CELLS") == 0)
            status = r->data.ends.count ? pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                                                       "a second CELLS section")
                                        : read_cells(r, keyword, 0);
        else if (!r->poly_data && strcasecmp(keyword, "CELL_TYPES") == 0)
            status = read_cell_types(r);
        else if (strcasecmp(keyword, "METADATA") == 0) skip_metadata(r);
        else if (strcasecmp(keyword, "FIELD") == 0) status = read_field(r, where);
        else if (strcasecmp(keyword, "POINT_DATA") == 0)
            status = begin_values(r, where = ON_POINTS, &owners);
        else if (strcasecmp(keyword, "CELL_DATA") == 0)
            status = begin_values(r, where = ON_CELLS, &owners);
        else status = read_attribute(r, where, owners, keyword);
    }
    return status;
}

static pl_status read_header(reader* r) {
    static const char start[] = "# vtk DataFile Version ";
    if ((size_t)(r->scan.end - r->scan.at) < sizeof start - 1 ||
        strncasecmp(r->scan.at, start, sizeof start - 1) != 0)
        return pl_scan_expected(&r->scan, r->error, "\"# vtk DataFile Version\"");
    pl_scan_skip_line(&r->scan);
    pl_scan_skip_line(&r->scan); // the title
    r->binary = pl_scan_keyword(&r->scan, "BINARY");
    if (!r->binary && !pl_scan_keyword(&r->scan, "ASCII"))
        return pl_scan_expected(&r->scan, r->error, "ASCII or BINARY");
    if (pl_scan_keyword(&r->scan, "FIELD")) {
        pl_status status = read_field(r, NOWHERE);
        if (status != PL_OK) return status;
    }
    if (!pl_scan_keyword(&r->scan, "DATASET"))
        return pl_scan_expected(&r->scan, r->error, "DATASET");
    r->poly_data = pl_scan_keyword(&r->scan, "POLYDATA");
    if (r->poly_data || pl_scan_keyword(&r->scan, "UNSTRUCTURED_GRID")) return PL_OK;
    char word[WORD_SIZE] = "";
    pl_scan_word(&r->scan, word, sizeof word);
    return pl_scan_fail(&r->scan, r->error, PL_ERROR_UNSUPPORTED,
                        "dataset \"%.60s\" is not a mesh of tetrahedra or triangles; pliant reads "
                        "UNSTRUCTURED_GRID and POLYDATA",
                        word);
}

static pl_status read_vtk(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                          pl_error* error) {
    reader r = {.scan = pl_scan_begin(source),
                .data = pl_vtk_data_of_none(),
                .notes = notes,
                .error = error};
    pl_status status = read_header(&r);
    if (status == PL_OK) status = read_sections(&r);
    if (status == PL_OK && r.data.types.count != r.data.ends.count)
        status = pl_scan_expected(&r.scan, error, "CELL_TYPES");
    if (status == PL_OK) status = pl_vtk_to_mesh(&r.data, source, mesh, notes, error);
    pl_vtk_data_free(&r.data);
    return status;
}

const pl_mesh_format_kind pl_format_vtk = {.read = read_vtk};
