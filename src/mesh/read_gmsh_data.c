// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// $NodeData and $ElementData of a Gmsh file: values by the tag of a node or element. Values on
// elements become a field on the tets and one on the triangles, as far as there are any.
#include "base/memory.h"
#include "mesh/read_gmsh.h"

#include <math.h>
#include <stdio.h>

typedef struct data_header {
    char name[128];
    int step;
    int components;
    int64_t count; // entries
} data_header;

enum { MAX_COMPONENTS = 4096 };

// a list of words, quoted or not; the first one is the name
static pl_status read_strings(pl_gmsh* g, data_header* header) {
    int count;
    if (!pl_scan_int(&g->scan, &count)) return pl_scan_expected(&g->scan, g->error, "string tags");
    pl_scan_skip_line(&g->scan);
    for (int i = 0; i < count; i++) {
        if (pl_scan_at_end(&g->scan)) return pl_scan_expected(&g->scan, g->error, "a string tag");
        const char* start = g->scan.at;
        pl_scan_skip_line(&g->scan);
        const char* end = g->scan.at;
        while (end > start && (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' ')) end--;
        if (end - start >= 2 && *start == '"' && end[-1] == '"') start++, end--;
        if (i > 0) continue;
        size_t size = (size_t)(end - start);
        if (size >= sizeof header->name) size = sizeof header->name - 1;
        memcpy(header->name, start, size);
    }
    return PL_OK;
}

// the header is text in binary files, too
static pl_status read_header(pl_gmsh* g, data_header* header) {
    pl_status status = read_strings(g, header);
    if (status != PL_OK) return status;
    int count, integers[3] = {0, 1, 0}, integer;
    double real;
    if (!pl_scan_int(&g->scan, &count)) return pl_scan_expected(&g->scan, g->error, "real tags");
    for (int i = 0; i < count; i++)
        if (!pl_scan_double(&g->scan, &real))
            return pl_scan_expected(&g->scan, g->error, "a real tag");
    if (!pl_scan_int(&g->scan, &count)) return pl_scan_expected(&g->scan, g->error, "integer tags");
    for (int i = 0; i < count; i++) {
        if (!pl_scan_int(&g->scan, &integer))
            return pl_scan_expected(&g->scan, g->error, "an integer tag");
        if (i < 3) integers[i] = integer;
    }
    if (g->binary) pl_scan_skip_line(&g->scan);
    header->step = integers[0];
    header->components = integers[1];
    header->count = integers[2];
    if (!header->name[0]) snprintf(header->name, sizeof header->name, "data");
    if (header->components < 1 || header->components > MAX_COMPONENTS || header->count < 0)
        return pl_scan_fail(&g->scan, g->error, PL_ERROR_FORMAT,
                            "\"%s\" has %d components and %lld entries", header->name,
                            header->components, (long long)header->count);
    return PL_OK;
}

static pl_status map_elements(pl_gmsh* g) {
    if (g->has_element_maps) return PL_OK;
    g->has_element_maps = true;
    for (int d = 2; d <= 3; d++) {
        int repeated;
        pl_status status = pl_tag_map_setup(&g->elements[d], g->element_tags[d].data,
                                            (int)g->element_tags[d].count, &repeated);
        if (status == PL_ERROR_MEMORY) return pl_gmsh_fail_memory(g);
        if (status == PL_OK) continue;
        const int64_t* tags = g->element_tags[d].data;
        return pl_gmsh_fail(
            g, PL_ERROR_FORMAT,
            "$ElementData cannot be assigned, since element tag %lld is given twice",
            (long long)tags[repeated]);
    }
    return PL_OK;
}

// the values of one section, on one kind of element
typedef struct target {
    const pl_tag_map* map;
    pl_element_kind kind;
    double* values; // NaN at first, allocated with the first value
    size_t size;
} target;

static pl_status make_values(pl_gmsh* g, target* t, int components) {
    size_t size = (size_t)components * (size_t)pl_mesh_element_count(g->mesh, t->kind);
    // sections with values for a few of many elements could need far more memory than the file's
    // size
    size_t limit = 16 * g->scan.source->size + (1 << 20);
    g->field_bytes += size * sizeof(double);
    if (g->field_bytes > limit)
        return pl_gmsh_fail(g, PL_ERROR_LIMIT,
                            "the fields would take %zu bytes, far more than the file; remove some",
                            g->field_bytes);
    t->values = PL_ALLOC(double, size);
    if (!t->values) return pl_gmsh_fail_memory(g);
    t->size = size;
    for (size_t i = 0; i < size; i++) t->values[i] = (double)NAN;
    return PL_OK;
}

static pl_status read_entry(pl_gmsh* g, const data_header* header, target* targets,
                            int target_count, int64_t* unknown) {
    int64_t tag;
    bool found = g->binary ? pl_gmsh_get_int32(g, &tag) : pl_scan_int64(&g->scan, &tag);
    if (!found) return pl_gmsh_expected(g, "the tag of a value");
    double ignored, *place = NULL;
    for (int i = 0; i < target_count && !place; i++) {
        int index = pl_tag_map_find(targets[i].map, tag);
        if (index < 0) continue;
        pl_status status =
            targets[i].values ? PL_OK : make_values(g, &targets[i], header->components);
        if (status != PL_OK) return status;
        place = targets[i].values + (size_t)index * (size_t)header->components;
    }
    if (!place) ++*unknown;
    for (int k = 0; k < header->components; k++)
        if (!pl_gmsh_get_double(g, place ? &place[k] : &ignored))
            return pl_gmsh_expected(g, "a value");
    return PL_OK;
}

static pl_status read_entries(pl_gmsh* g, const data_header* header, target* targets,
                              int target_count) {
    int64_t unknown = 0;
    for (int64_t i = 0; i < header->count; i++) {
        pl_status status = read_entry(g, header, targets, target_count, &unknown);
        if (status != PL_OK) return status;
    }
    if (unknown)
        pl_note(g->notes, PL_NOTE_MENDED,
                "%s: %lld values of \"%s\" are dropped: there is no vertex, triangle or tet of "
                "that tag",
                g->scan.source->path, (long long)unknown, header->name);
    return PL_OK;
}

static pl_status add_field(pl_gmsh* g, const data_header* header, const target* t) {
    char name[160];
    snprintf(name, sizeof name, "%s", header->name);
    // time steps come as sections of the same name
    if (pl_mesh_field(g->mesh, t->kind, name))
        snprintf(name, sizeof name, "%s_%d", header->name, header->step);
    for (int i = g->mesh->field_count + 1; pl_mesh_field(g->mesh, t->kind, name); i++)
        snprintf(name, sizeof name, "%s_%d", header->name, i);
    return pl_mesh_add_field(g->mesh, t->kind, name, header->components, t->values, g->error);
}

pl_status pl_gmsh_read_data(pl_gmsh* g, bool on_nodes) {
    if (!g->has_elements) return pl_gmsh_fail(g, PL_ERROR_FORMAT, "values come before $Elements");
    data_header header = {0};
    pl_status status = read_header(g, &header);
    if (status == PL_OK && !on_nodes) status = map_elements(g);
    if (status != PL_OK) return status;
    target targets[2] = {{&g->nodes, PL_ELEMENT_VERTEX, NULL, 0}};
    if (!on_nodes) {
        targets[0] = (target){&g->elements[3], PL_ELEMENT_TET, NULL, 0};
        targets[1] = (target){&g->elements[2], PL_ELEMENT_TRIANGLE, NULL, 0};
    }
    int target_count = on_nodes ? 1 : 2;
    status = read_entries(g, &header, targets, target_count);
    for (int i = 0; i < target_count; i++) {
        if (status == PL_OK && targets[i].values) status = add_field(g, &header, &targets[i]);
        PL_FREE(targets[i].values, double, targets[i].size);
    }
    return status;
}
