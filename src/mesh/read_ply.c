// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PLY (Turk 1994): a header that lists elements and their properties, then the values as text or
// binary of either byte order. Vertices, faces and texture coordinates are kept, other numbers of
// vertices become fields, everything else is skipped.
#include "base/memory.h"
#include "mesh/mesh_write.h"
#include "mesh/polygons.h"
#include "mesh/raw_number.h"
#include "mesh/text_scan.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum role {
    ROLE_NONE,
    ROLE_X,
    ROLE_Y,
    ROLE_Z,
    ROLE_U,
    ROLE_V,
    ROLE_FIELD,
    ROLE_CORNERS,
    ROLE_FACE_UVS,
} role;

typedef struct property {
    char name[64];
    bool is_list;
    pl_number_type count_type;
    pl_number_type type;
    role role;
    double* target; // where the values of a vertex go
    size_t stride;
    int field; // of the mesh, for ROLE_FIELD
} property;

typedef struct element {
    char name[64];
    int64_t count;
    size_t first, end; // properties
} element;

typedef struct reader {
    pl_scan scan;
    bool binary;
    bool swap;
    pl_array elements;   // element
    pl_array properties; // property
    pl_faces faces;
    pl_array corners; // int: of the current face
    pl_array numbers; // double: of the current list
    pl_array face_uvs;
    pl_array uvs; // double, 2 each: from lists of the faces
    bool has_vertex_uvs;
    pl_mesh* mesh;
    pl_notes* notes;
    pl_error* error;
} reader;

enum { MAX_PROPERTIES = 256 };

static const pl_number_name number_names[] = {
    {"char", PL_NUMBER_INT8},       {"int8", PL_NUMBER_INT8},      {"uchar", PL_NUMBER_UINT8},
    {"uint8", PL_NUMBER_UINT8},     {"short", PL_NUMBER_INT16},    {"int16", PL_NUMBER_INT16},
    {"ushort", PL_NUMBER_UINT16},   {"uint16", PL_NUMBER_UINT16},  {"int", PL_NUMBER_INT32},
    {"int32", PL_NUMBER_INT32},     {"uint", PL_NUMBER_UINT32},    {"uint32", PL_NUMBER_UINT32},
    {"int64", PL_NUMBER_INT64},     {"uint64", PL_NUMBER_UINT64},  {"float", PL_NUMBER_FLOAT32},
    {"float32", PL_NUMBER_FLOAT32}, {"double", PL_NUMBER_FLOAT64}, {"float64", PL_NUMBER_FLOAT64},
    {NULL, PL_NUMBER_NONE},
};

static pl_status no_memory(const reader* r) {
    return pl_fail_memory(r->error, r->scan.source->path);
}

// there are no lines in binary data
static pl_status fail_here(const reader* r, pl_status status, const char* text) {
    if (!r->binary) return pl_scan_fail(&r->scan, r->error, status, "%s", text);
    return pl_fail(r->error, status, "%s: byte %zu: %s", r->scan.source->path,
                   (size_t)(r->scan.at - r->scan.source->data), text);
}

// the next word of the header's current line
static bool line_word(reader* r, char* word, size_t size) {
    pl_scan_skip_blanks(&r->scan);
    return !pl_scan_at_line_end(&r->scan) && pl_scan_word(&r->scan, word, size);
}

static pl_status read_format(reader* r) {
    char word[32];
    pl_scan before = r->scan;
    if (!line_word(r, word, sizeof word)) word[0] = '\0';
    bool little = strcasecmp(word, "binary_little_endian") == 0;
    bool big = strcasecmp(word, "binary_big_endian") == 0;
    if (!little && !big && strcasecmp(word, "ascii") != 0)
        return pl_scan_expected(&before, r->error,
                                "ascii, binary_little_endian or binary_big_endian");
    r->binary = little || big;
    r->swap = big != pl_is_big_endian();
    return PL_OK;
}

static pl_status read_element(reader* r) {
    element e = {.first = r->properties.count, .end = r->properties.count};
    if (!line_word(r, e.name, sizeof e.name))
        return pl_scan_expected(&r->scan, r->error, "the name of an element");
    pl_scan_skip_blanks(&r->scan);
    if (pl_scan_at_line_end(&r->scan) || !pl_scan_int64(&r->scan, &e.count) || e.count < 0)
        return pl_scan_expected(&r->scan, r->error, "the number of elements");
    if (r->elements.count >= MAX_PROPERTIES)
        return fail_here(r, PL_ERROR_LIMIT, "too many elements");
    return pl_array_push(&r->elements, &e) ? PL_OK : no_memory(r);
}

static pl_status read_number_type(reader* r, bool integer, pl_number_type* type) {
    pl_scan before = r->scan;
    char word[32];
    *type =
        line_word(r, word, sizeof word) ? pl_number_by_name(number_names, word) : PL_NUMBER_NONE;
    if (*type != PL_NUMBER_NONE && (!integer || pl_number_is_integer(*type))) return PL_OK;
    return pl_scan_expected(&before, r->error,
                            integer ? "an integer type like uchar" : "a type like float or int");
}

static pl_status read_property(reader* r) {
    property p = {0};
    pl_scan before = r->scan;
    char word[32];
    pl_status status = PL_OK;
    p.is_list = line_word(r, word, sizeof word) && strcasecmp(word, "list") == 0;
    if (p.is_list) status = read_number_type(r, true, &p.count_type);
    else r->scan = before;
    if (status == PL_OK) status = read_number_type(r, false, &p.type);
    if (status == PL_OK && !line_word(r, p.name, sizeof p.name))
        status = pl_scan_expected(&r->scan, r->error, "the name of a property");
    if (status != PL_OK) return status;
    if (r->elements.count == 0) return fail_here(r, PL_ERROR_FORMAT, "a property of no element");
    if (r->properties.count >= MAX_PROPERTIES)
        return fail_here(r, PL_ERROR_LIMIT, "too many properties");
    if (!pl_array_push(&r->properties, &p)) return no_memory(r);
    element* e = (element*)r->elements.data + r->elements.count - 1;
    e->end = r->properties.count;
    return PL_OK;
}

static pl_status read_header(reader* r) {
    if (!pl_scan_keyword(&r->scan, "ply")) return pl_scan_expected(&r->scan, r->error, "\"ply\"");
    bool has_format = false;
    for (;;) {
        pl_status status = PL_OK;
        pl_scan_skip_space(&r->scan, '\0');
        if (pl_scan_keyword(&r->scan, "format")) status = read_format(r), has_format = true;
        else if (pl_scan_keyword(&r->scan, "element")) status = read_element(r);
        else if (pl_scan_keyword(&r->scan, "property")) status = read_property(r);
        else if (pl_scan_keyword(&r->scan, "end_header")) break;
        else if (!pl_scan_keyword(&r->scan, "comment") && !pl_scan_keyword(&r->scan, "obj_info"))
            status = pl_scan_expected(&r->scan, r->error, "a line of the header, or end_header");
        if (status != PL_OK) return status;
        pl_scan_skip_line(&r->scan);
    }
    if (!has_format) return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT, "no format line");
    pl_scan_skip_line(&r->scan);
    return PL_OK;
}

static bool is_one_of(const char* name, const char* list) {
    size_t size = strlen(name);
    for (const char* p = list; *p;) {
        size_t length = strcspn(p, " ");
        if (length == size && strncasecmp(p, name, size) == 0) return true;
        p += length + strspn(p + length, " ");
    }
    return false;
}

static role vertex_role(const property* p) {
    if (p->is_list) return ROLE_NONE;
    return is_one_of(p->name, "x")                                       ? ROLE_X
           : is_one_of(p->name, "y")                                     ? ROLE_Y
           : is_one_of(p->name, "z")                                     ? ROLE_Z
           : is_one_of(p->name, "s u texture_u texture_s texcoord_u u1") ? ROLE_U
           : is_one_of(p->name, "t v texture_v texture_t texcoord_v v1") ? ROLE_V
                                                                         : ROLE_FIELD;
}

static role face_role(const property* p) {
    if (!p->is_list) return ROLE_NONE;
    if (is_one_of(p->name, "vertex_indices vertex_index") && pl_number_is_integer(p->type))
        return ROLE_CORNERS;
    return is_one_of(p->name, "texcoord") ? ROLE_FACE_UVS : ROLE_NONE;
}

// the smallest number of bytes of a row
static uint64_t row_size(const reader* r, const element* e) {
    const property* p = r->properties.data;
    uint64_t size = 0;
    for (size_t i = e->first; i < e->end; i++)
        size += r->binary ? pl_number_size(p[i].is_list ? p[i].count_type : p[i].type) : 2;
    return size;
}

static pl_status check_count(const reader* r, const element* e) {
    uint64_t size = row_size(r, e), left = (uint64_t)(r->scan.end - r->scan.at) + !r->binary;
    if (size == 0 || (uint64_t)e->count <= left / size) return PL_OK;
    return pl_fail(r->error, PL_ERROR_FORMAT,
                   "%s: the header states %lld of \"%s\", for which the file is too short",
                   r->scan.source->path, (long long)e->count, e->name);
}

static bool read_number(reader* r, pl_number_type type, double* value) {
    if (!r->binary) return pl_scan_double(&r->scan, value);
    const void* bytes = pl_scan_bytes(&r->scan, pl_number_size(type));
    if (bytes) pl_numbers_to_doubles(type, bytes, 1, r->swap, value);
    return bytes != NULL;
}

static pl_status cannot_read(const reader* r, const element* e, int64_t row, const property* p) {
    if (!r->binary) {
        char what[160];
        snprintf(what, sizeof what, "%s of %s %lld", p->name, e->name, (long long)row);
        return pl_scan_expected(&r->scan, r->error, what);
    }
    return pl_fail(r->error, PL_ERROR_FORMAT, "%s: the file ends at \"%s\" of %s %lld of %lld",
                   r->scan.source->path, p->name, e->name, (long long)row, (long long)e->count);
}

// the numbers of a list, into r->numbers
static pl_status read_list(reader* r, const element* e, int64_t row, const property* p) {
    double count;
    if (!read_number(r, p->count_type, &count)) return cannot_read(r, e, row, p);
    uint64_t left = (uint64_t)(r->scan.end - r->scan.at) + !r->binary;
    uint64_t size = r->binary ? pl_number_size(p->type) : 2;
    if (!(count >= 0.0 && count <= (double)(left / size) && count <= INT_MAX))
        return pl_fail(r->error, PL_ERROR_FORMAT,
                       "%s: \"%s\" of %s %lld has %g entries, for which the file is too short",
                       r->scan.source->path, p->name, e->name, (long long)row, count);
    r->numbers.count = 0;
    double* numbers = pl_array_add(&r->numbers, (size_t)count);
    if (!numbers && count > 0.0) return no_memory(r);
    if (r->binary) {
        const void* bytes = pl_scan_bytes(&r->scan, (size_t)count * (size_t)size);
        pl_numbers_to_doubles(p->type, bytes, (size_t)count, r->swap, numbers);
        return PL_OK;
    }
    for (size_t i = 0; i < (size_t)count; i++)
        if (!pl_scan_double(&r->scan, &numbers[i])) return cannot_read(r, e, row, p);
    return PL_OK;
}

static pl_status take_corners(reader* r, int64_t row) {
    r->corners.count = 0;
    const double* numbers = r->numbers.data;
    int* corners = pl_array_add(&r->corners, r->numbers.count);
    if (!corners && r->numbers.count) return no_memory(r);
    // faces may come before the vertices; their range is then checked at the end
    int limit = r->mesh->vertex_count ? r->mesh->vertex_count : INT_MAX;
    for (size_t i = 0; i < r->numbers.count; i++) {
        if (!(numbers[i] >= 0.0 && numbers[i] < limit))
            return pl_fail(r->error, PL_ERROR_MESH,
                           "%s: face %lld refers to vertex %.17g, but there are %d vertices",
                           r->scan.source->path, (long long)row, numbers[i], r->mesh->vertex_count);
        corners[i] = (int)numbers[i];
    }
    return PL_OK;
}

// takes the list only if it has two numbers per corner
static pl_status take_face_uvs(reader* r) {
    size_t count = r->numbers.count / 2;
    int first = (int)(r->uvs.count / 2);
    double* place = pl_array_add(&r->uvs, 2 * count);
    int* uvs = pl_array_add(&r->face_uvs, count);
    if (count && (!place || !uvs)) return no_memory(r);
    if (count) memcpy(place, r->numbers.data, 2 * count * sizeof(double));
    for (size_t i = 0; i < count; i++) uvs[i] = first + (int)i;
    return PL_OK;
}

static pl_status read_face(reader* r, const element* e, int64_t row) {
    const property* p = r->properties.data;
    r->corners.count = r->face_uvs.count = 0;
    for (size_t i = e->first; i < e->end; i++) {
        double skipped;
        pl_status status = PL_OK;
        if (p[i].is_list) status = read_list(r, e, row, &p[i]);
        else if (!read_number(r, p[i].type, &skipped)) status = cannot_read(r, e, row, &p[i]);
        if (status == PL_OK && p[i].role == ROLE_CORNERS) status = take_corners(r, row);
        if (status == PL_OK && p[i].role == ROLE_FACE_UVS) status = take_face_uvs(r);
        if (status != PL_OK) return status;
    }
    bool has_uvs = r->face_uvs.count && r->face_uvs.count == r->corners.count;
    const int* uvs = has_uvs ? r->face_uvs.data : r->has_vertex_uvs ? r->corners.data : NULL;
    bool added = pl_faces_add(&r->faces, r->corners.data, uvs, NULL, (int)r->corners.count);
    return added ? PL_OK : no_memory(r);
}

static pl_status read_faces(reader* r, const element* e) {
    property* p = r->properties.data;
    bool has_corners = false, has_uvs = false;
    for (size_t i = e->first; i < e->end; i++) {
        role wanted = face_role(&p[i]);
        if (wanted == ROLE_CORNERS && has_corners) wanted = ROLE_NONE;
        if (wanted == ROLE_FACE_UVS && (has_uvs || r->has_vertex_uvs)) wanted = ROLE_NONE;
        has_corners = has_corners || wanted == ROLE_CORNERS;
        has_uvs = has_uvs || wanted == ROLE_FACE_UVS;
        p[i].role = wanted;
    }
    if (!has_corners)
        return pl_fail(r->error, PL_ERROR_FORMAT,
                       "%s: the faces have no list of integers \"vertex_indices\"",
                       r->scan.source->path);
    for (int64_t row = 0; row < e->count; row++) {
        pl_status status = read_face(r, e, row);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

// adds a zero field, which the rows then fill
static pl_status add_field(reader* r, property* p) {
    double* zeros = PL_ALLOC(double, r->mesh->vertex_count);
    if (!zeros) return no_memory(r);
    pl_status status = pl_mesh_add_field(r->mesh, PL_ELEMENT_VERTEX, p->name, 1, zeros, r->error);
    PL_FREE(zeros, double, r->mesh->vertex_count);
    p->field = r->mesh->field_count - 1;
    return status;
}

static bool add_vertex_uvs(reader* r) {
    r->mesh->uvs = PL_ALLOC(double, 2 * (size_t)r->mesh->vertex_count);
    if (!r->mesh->uvs) return false;
    r->mesh->uv_count = r->mesh->vertex_count;
    return true;
}

// decides what each property of the vertices is; fails without a position
static pl_status assign_roles(reader* r, const element* e) {
    property* p = r->properties.data;
    unsigned seen = 0;
    for (size_t i = e->first; i < e->end; i++) {
        p[i].role = vertex_role(&p[i]);
        if (p[i].role >= ROLE_X && p[i].role <= ROLE_V && seen & 1u << p[i].role)
            p[i].role = ROLE_NONE;
        seen |= 1u << p[i].role;
    }
    unsigned all = 1u << ROLE_X | 1u << ROLE_Y | 1u << ROLE_Z, uv = 1u << ROLE_U | 1u << ROLE_V;
    r->has_vertex_uvs = (seen & uv) == uv && e->count > 0;
    for (size_t i = e->first; i < e->end; i++)
        if ((p[i].role == ROLE_U || p[i].role == ROLE_V) && !r->has_vertex_uvs)
            p[i].role = ROLE_FIELD;
    if ((seen & all) == all) return PL_OK;
    return pl_fail(r->error, PL_ERROR_FORMAT, "%s: the vertices lack x, y or z",
                   r->scan.source->path);
}

// sets where the values of each property go
static pl_status aim_properties(reader* r, const element* e) {
    property* p = r->properties.data;
    if (r->has_vertex_uvs && !add_vertex_uvs(r)) return no_memory(r);
    for (size_t i = e->first; i < e->end; i++) {
        pl_status status = p[i].role == ROLE_FIELD ? add_field(r, &p[i]) : PL_OK;
        if (status != PL_OK) return status;
    }
    for (size_t i = e->first; i < e->end; i++) {
        bool is_uv = p[i].role == ROLE_U || p[i].role == ROLE_V;
        p[i].stride = is_uv ? 2 : p[i].role == ROLE_FIELD ? 1 : 3;
        if (p[i].role == ROLE_FIELD) p[i].target = r->mesh->fields[p[i].field].values;
        else if (is_uv) p[i].target = r->mesh->uvs + (p[i].role - ROLE_U);
        else if (p[i].role) p[i].target = r->mesh->positions + (p[i].role - ROLE_X);
    }
    return PL_OK;
}

static pl_status read_rows(reader* r, const element* e) {
    const property* p = r->properties.data;
    for (int64_t row = 0; row < e->count; row++)
        for (size_t i = e->first; i < e->end; i++) {
            double value;
            pl_status status = PL_OK;
            if (p[i].is_list) status = read_list(r, e, row, &p[i]);
            else if (!read_number(r, p[i].type, &value)) status = cannot_read(r, e, row, &p[i]);
            else if (p[i].target) p[i].target[(size_t)row * p[i].stride] = value;
            if (status != PL_OK) return status;
        }
    return PL_OK;
}

static pl_status read_vertices(reader* r, const element* e) {
    if (r->mesh->vertex_count)
        return pl_fail(r->error, PL_ERROR_FORMAT, "%s: two elements \"vertex\"",
                       r->scan.source->path);
    if (e->count > INT_MAX / 3)
        return pl_fail(r->error, PL_ERROR_LIMIT, "%s: more vertices than pliant can handle",
                       r->scan.source->path);
    pl_status status = assign_roles(r, e);
    if (status != PL_OK || e->count == 0) return status;
    if (!pl_mesh_set_vertex_count(r->mesh, (int)e->count)) return no_memory(r);
    status = aim_properties(r, e);
    return status == PL_OK ? read_rows(r, e) : status;
}

static pl_status read_elements(reader* r) {
    const element* elements = r->elements.data;
    for (size_t i = 0; i < r->elements.count; i++) {
        const element* e = &elements[i];
        pl_status status = check_count(r, e);
        if (status != PL_OK) return status;
        if (strcasecmp(e->name, "vertex") == 0) status = read_vertices(r, e);
        else if (strcasecmp(e->name, "face") == 0) status = read_faces(r, e);
        else if (e->first < e->end) {
            if (e->count)
                pl_note(r->notes, PL_NOTE_INFO, "%s: %lld of \"%s\" were skipped",
                        r->scan.source->path, (long long)e->count, e->name);
            status = read_rows(r, e);
        }
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status make_mesh(reader* r) {
    if (r->has_vertex_uvs && !r->faces.uvs.count) {
        PL_FREE(r->mesh->uvs, double, 2 * (size_t)r->mesh->uv_count);
        r->mesh->uvs = NULL;
        r->mesh->uv_count = 0;
    }
    if (!r->has_vertex_uvs && r->faces.uvs.count) {
        size_t count = r->uvs.count / 2;
        void* uvs;
        if (!pl_array_take(&r->uvs, &uvs)) return no_memory(r);
        r->mesh->uvs = uvs;
        r->mesh->uv_count = (int)count;
    }
    return pl_faces_to_mesh(&r->faces, r->scan.source->path, r->mesh, r->notes, r->error);
}

static pl_status read_ply(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                          pl_error* error) {
    reader r = {.scan = pl_scan_begin(source),
                .elements = pl_array_of(sizeof(element)),
                .properties = pl_array_of(sizeof(property)),
                .faces = pl_faces_of_none(),
                .corners = pl_array_of(sizeof(int)),
                .numbers = pl_array_of(sizeof(double)),
                .face_uvs = pl_array_of(sizeof(int)),
                .uvs = pl_array_of(sizeof(double)),
                .mesh = mesh,
                .notes = notes,
                .error = error};
    pl_status status = read_header(&r);
    if (status == PL_OK) status = read_elements(&r);
    if (status == PL_OK) status = make_mesh(&r);
    pl_array_free(&r.elements);
    pl_array_free(&r.properties);
    pl_faces_free(&r.faces);
    pl_array_free(&r.corners);
    pl_array_free(&r.numbers);
    pl_array_free(&r.face_uvs);
    pl_array_free(&r.uvs);
    return status;
}

const pl_mesh_format_kind pl_format_ply = {
    .read = read_ply, .write = pl_write_ply, .is_surface = true};
