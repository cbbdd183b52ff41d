// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// VTU: tets, then triangles, in one piece. Numbers are appended raw, or written in the tags as
// text. Fields of tets and of triangles with one name become one cell array, with NaN where a field
// has no value. Regions that do not overlap become one array of numbers, others one array of 0 and
// 1 each.
#include "base/memory.h"
#include "mesh/mesh_write.h"
#include "mesh/raw_number.h"
#include "mesh/vtk_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_REGION_ARRAYS = 256 };

typedef struct column column;
typedef struct writer writer;

// number i of an array whose numbers all fit a double
typedef double (*value_of)(const writer* w, const column* c, size_t i);

typedef enum place { ON_POINTS, ON_CELLS, PLACE_COUNT } place;

struct column {
    char name[140];
    pl_number_type type;
    int components;
    size_t count; // of numbers
    value_of value;
    const pl_field *field,
        *triangle_field; // for fields; the second one is the triangles' part of a cell array
    place place;         // for regions
    int region;          // one region, or -1 for all of that place
};

struct writer {
    const pl_mesh* mesh;
    pl_sink* sink;
    bool ascii;
    size_t tet_count, cell_count;
    pl_array columns[PLACE_COUNT]; // column
    column points, cells[3];
    size_t offset;             // of the next array in the appended data
    int* labels;               // per point or cell, of the regions being written
    bool by_tag[PLACE_COUNT];  // regions are numbered by their tags
    bool overlap[PLACE_COUNT]; // regions of this place share elements
};

static double point_value(const writer* w, const column* c, size_t i) {
    return (void)c, w->mesh->positions[i];
}

static double corner_value(const writer* w, const column* c, size_t i) {
    (void)c;
    size_t in_tets = 4 * w->tet_count;
    return i < in_tets ? w->mesh->tets[i] : w->mesh->triangles[i - in_tets];
}

static double offset_value(const writer* w, const column* c, size_t i) {
    (void)c;
    size_t tets = i < w->tet_count ? i + 1 : w->tet_count;
    return 4.0 * (double)tets + 3.0 * (double)(i + 1 - tets);
}

static double type_value(const writer* w, const column* c, size_t i) {
    return (void)c, i < w->tet_count ? PL_VTK_TET : PL_VTK_TRIANGLE;
}

static double field_value(const writer* w, const column* c, size_t i) {
    return (void)w, c->field->values[i];
}

static double cell_field_value(const writer* w, const column* c, size_t i) {
    size_t in_tets = w->tet_count * (size_t)c->components;
    if (i < in_tets) return c->field ? c->field->values[i] : (double)NAN;
    return c->triangle_field ? c->triangle_field->values[i - in_tets] : (double)NAN;
}

static double label_value(const writer* w, const column* c, size_t i) {
    return (void)c, w->labels[i];
}

static place place_of(pl_element_kind kind) {
    return kind == PL_ELEMENT_VERTEX ? ON_POINTS : ON_CELLS;
}

static size_t place_size(const writer* w, place p) {
    return p == ON_CELLS ? w->cell_count : (size_t)w->mesh->vertex_count;
}

// where the label of item k of a region is stored
static int* label_of(const writer* w, const pl_region* region, int k) {
    size_t first = region->kind == PL_ELEMENT_TRIANGLE ? w->tet_count : 0;
    return &w->labels[first + (size_t)region->items[k]];
}

static void fill_labels(const writer* w, const column* c) {
    memset(w->labels, 0, place_size(w, c->place) * sizeof(int));
    for (int i = 0; i < w->mesh->region_count; i++) {
        const pl_region* region = &w->mesh->regions[i];
        if (place_of(region->kind) != c->place || (c->region >= 0 && c->region != i)) continue;
        int label = c->region >= 0 ? 1 : w->by_tag[c->place] ? region->tag : i + 1;
        for (int k = 0; k < region->count; k++) *label_of(w, region, k) = label;
    }
}

// finds out whether regions share elements, and whether their tags are distinct
static void compare_regions(writer* w, place p) {
    column all = {.place = p, .region = -1};
    w->by_tag[p] = false;
    memset(w->labels, 0, place_size(w, p) * sizeof(int));
    w->overlap[p] = false;
    bool tags_differ = true;
    for (int i = 0; i < w->mesh->region_count; i++) {
        const pl_region* region = &w->mesh->regions[i];
        if (place_of(region->kind) != all.place) continue;
        for (int k = 0; k < region->count; k++) {
            int* label = label_of(w, region, k);
            w->overlap[p] = w->overlap[p] || *label;
            *label = i + 1;
        }
        tags_differ = tags_differ && region->tag != 0;
        for (int k = 0; tags_differ && k < i; k++)
            tags_differ =
                place_of(w->mesh->regions[k].kind) != p || w->mesh->regions[k].tag != region->tag;
    }
    w->by_tag[p] = tags_differ;
}

static column* add_column(writer* w, place p, const char* name, pl_number_type type, int components,
                          value_of value) {
    column* c = pl_array_add(&w->columns[p], 1);
    if (!c) return NULL;
    *c = (column){.type = type,
                  .components = components,
                  .count = place_size(w, p) * (size_t)components,
                  .value = value,
                  .place = p,
                  .region = -1};
    snprintf(c->name, sizeof c->name, "%.120s", name);
    return c;
}

static bool add_fields(writer* w) {
    const pl_mesh* mesh = w->mesh;
    for (int i = 0; i < mesh->field_count; i++) {
        const pl_field* field = &mesh->fields[i];
        place p = place_of(field->kind);
        const pl_field* other = pl_mesh_field(
            mesh, field->kind == PL_ELEMENT_TET ? PL_ELEMENT_TRIANGLE : PL_ELEMENT_TET,
            field->name);
        bool paired = p == ON_CELLS && other && other->components == field->components;
        if (paired && field->kind == PL_ELEMENT_TRIANGLE)
            continue; // written together with the field of the tets
        column* c = add_column(w, p, field->name, PL_NUMBER_FLOAT64, field->components,
                               p == ON_CELLS ? cell_field_value : field_value);
        if (!c) return false;
        if (field->kind == PL_ELEMENT_TRIANGLE) c->triangle_field = field;
        else c->field = field;
        if (paired) c->triangle_field = other;
    }
    return true;
}

static bool is_taken(const writer* w, place p, const char* name) {
    const column* columns = w->columns[p].data;
    for (size_t i = 0; i < w->columns[p].count; i++)
        if (strcmp(columns[i].name, name) == 0) return true;
    return false;
}

// notes which number means which region
static void note_numbers(const writer* w, place p, const char* array, pl_notes* notes) {
    char list[360] = "";
    size_t used = 0;
    for (int i = 0; i < w->mesh->region_count; i++) {
        const pl_region* region = &w->mesh->regions[i];
        if (place_of(region->kind) != p || used + 90 > sizeof list) continue;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%d is \"%.60s\"", used ? ", " : "",
                             w->by_tag[p] ? region->tag : i + 1, region->name);
    }
    pl_note(notes, PL_NOTE_INFO, "regions are numbers in the %s array \"%s\": %s",
            p == ON_CELLS ? "cell" : "point", array, list);
}

static bool add_regions(writer* w, place p, pl_notes* notes) {
    int count = 0;
    for (int i = 0; i < w->mesh->region_count; i++)
        count += place_of(w->mesh->regions[i].kind) == p;
    if (count == 0) return true;
    compare_regions(w, p);
    if (!w->overlap[p]) {
        const char* name = is_taken(w, p, "region") ? "pliant_region" : "region";
        note_numbers(w, p, name, notes);
        return add_column(w, p, name, PL_NUMBER_INT32, 1, label_value) != NULL;
    }
    if (count > MAX_REGION_ARRAYS) {
        pl_note(notes, PL_NOTE_INFO, "%d regions that overlap are left out: more than %d arrays",
                count, MAX_REGION_ARRAYS);
        return true;
    }
    for (int i = 0; i < w->mesh->region_count; i++) {
        if (place_of(w->mesh->regions[i].kind) != p) continue;
        char name[140];
        snprintf(name, sizeof name, "region_%.120s", w->mesh->regions[i].name);
        column* c = add_column(w, p, name, PL_NUMBER_UINT8, 1, label_value);
        if (!c) return false;
        c->region = i;
    }
    return true;
}

static void put_number(writer* w, const column* c, double value) {
    if (w->ascii) {
        if (c->type == PL_NUMBER_FLOAT64) pl_sink_double(w->sink, value);
        else pl_sink_int(w->sink, (int64_t)value);
        return;
    }
    switch (c->type) {
    case PL_NUMBER_UINT8: pl_sink_char(w->sink, (char)(uint8_t)value); break;
    case PL_NUMBER_INT32: pl_sink_bytes(w->sink, &(int32_t){(int32_t)value}, 4); break;
    case PL_NUMBER_INT64: pl_sink_bytes(w->sink, &(int64_t){(int64_t)value}, 8); break;
    default: pl_sink_bytes(w->sink, &value, 8); break;
    }
}

static void put_values(writer* w, const column* c) {
    if (c->value == label_value) fill_labels(w, c);
    for (size_t i = 0; i < c->count; i++) {
        put_number(w, c, c->value(w, c, i));
        if (w->ascii) pl_sink_char(w->sink, (i + 1) % 12 ? ' ' : '\n');
    }
}

static void put_appended(writer* w, const column* c) {
    uint64_t size = c->count * pl_number_size(c->type);
    pl_sink_bytes(w->sink, &size, sizeof size);
    put_values(w, c);
}

static void put_escaped(pl_sink* sink, const char* text) {
    for (const char* p = text; *p; p++) {
        if (*p == '<') pl_sink_text(sink, "&lt;");
        else if (*p == '>') pl_sink_text(sink, "&gt;");
        else if (*p == '&') pl_sink_text(sink, "&amp;");
        else if (*p == '"') pl_sink_text(sink, "&quot;");
        else pl_sink_char(sink, (unsigned char)*p < ' ' ? ' ' : *p);
    }
}

static void put_tag(writer* w, const column* c) {
    const char* type = c->type == PL_NUMBER_UINT8   ? "UInt8"
                       : c->type == PL_NUMBER_INT32 ? "Int32"
                       : c->type == PL_NUMBER_INT64 ? "Int64"
                                                    : "Float64";
    pl_sink_text(w->sink, "<DataArray type=\"");
    pl_sink_text(w->sink, type);
    pl_sink_text(w->sink, "\" Name=\"");
    put_escaped(w->sink, c->name);
    pl_sink_text(w->sink, "\" NumberOfComponents=\"");
    pl_sink_int(w->sink, c->components);
    if (w->ascii) {
        pl_sink_text(w->sink, "\" format=\"ascii\">\n");
        put_values(w, c);
        pl_sink_text(w->sink, "\n</DataArray>\n");
        return;
    }
    pl_sink_text(w->sink, "\" format=\"appended\" offset=\"");
    pl_sink_int(w->sink, (int64_t)w->offset);
    pl_sink_text(w->sink, "\"/>\n");
    w->offset += sizeof(uint64_t) + c->count * pl_number_size(c->type);
}

// all arrays in the order of the file
static void for_each_column(writer* w, void (*put)(writer*, const column*), bool with_tags) {
    static const char* const tags[] = {"PointData", "CellData"};
    for (int p = 0; p < PLACE_COUNT; p++) {
        const column* columns = w->columns[p].data;
        if (with_tags) {
            pl_sink_text(w->sink, "<");
            pl_sink_text(w->sink, tags[p]);
            pl_sink_text(w->sink, ">\n");
        }
        for (size_t i = 0; i < w->columns[p].count; i++) put(w, &columns[i]);
        if (with_tags) {
            pl_sink_text(w->sink, "</");
            pl_sink_text(w->sink, tags[p]);
            pl_sink_text(w->sink, ">\n");
        }
    }
    if (with_tags) pl_sink_text(w->sink, "<Points>\n");
    put(w, &w->points);
    if (with_tags) pl_sink_text(w->sink, "</Points>\n<Cells>\n");
    for (int i = 0; i < 3; i++) put(w, &w->cells[i]);
    if (with_tags) pl_sink_text(w->sink, "</Cells>\n");
}

static void put_file(writer* w) {
    char head[320];
    snprintf(head, sizeof head,
             "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
             "byte_order=\"%s\" header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece "
             "NumberOfPoints=\"%d\" NumberOfCells=\"%zu\">\n",
             pl_is_big_endian() ? "BigEndian" : "LittleEndian", w->mesh->vertex_count,
             w->cell_count);
    pl_sink_text(w->sink, head);
    for_each_column(w, put_tag, true);
    pl_sink_text(w->sink, "</Piece>\n</UnstructuredGrid>\n");
    if (!w->ascii) {
        pl_sink_text(w->sink, "<AppendedData encoding=\"raw\">\n_");
        for_each_column(w, put_appended, false);
        pl_sink_text(w->sink, "\n</AppendedData>\n");
    }
    pl_sink_text(w->sink, "</VTKFile>\n");
}

static void set_fixed_columns(writer* w) {
    size_t corner_count = 4 * w->tet_count + 3 * (size_t)w->mesh->triangle_count;
    w->points = (column){.name = "Points",
                         .type = PL_NUMBER_FLOAT64,
                         .components = 3,
                         .count = 3 * (size_t)w->mesh->vertex_count,
                         .value = point_value};
    w->cells[0] = (column){"connectivity", PL_NUMBER_INT32, 1, corner_count, corner_value, NULL,
                           NULL,           ON_CELLS,        -1};
    w->cells[1] = (column){"offsets", PL_NUMBER_INT64, 1, w->cell_count, offset_value, NULL,
                           NULL,      ON_CELLS,        -1};
    w->cells[2] =
        (column){"types", PL_NUMBER_UINT8, 1, w->cell_count, type_value, NULL, NULL, ON_CELLS, -1};
}

pl_status pl_write_vtu(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error) {
    writer w = {.mesh = mesh,
                .sink = sink,
                .ascii = ascii,
                .tet_count = (size_t)mesh->tet_count,
                .cell_count = (size_t)mesh->tet_count + (size_t)mesh->triangle_count,
                .columns = {pl_array_of(sizeof(column)), pl_array_of(sizeof(column))}};
    size_t label_count = place_size(&w, ON_CELLS) > place_size(&w, ON_POINTS)
                             ? place_size(&w, ON_CELLS)
                             : place_size(&w, ON_POINTS);
    bool needs_labels = mesh->region_count > 0;
    if (needs_labels) w.labels = PL_ALLOC(int, label_count + 1);
    bool ready = (w.labels || !needs_labels) && add_fields(&w) &&
                 add_regions(&w, ON_POINTS, notes) && add_regions(&w, ON_CELLS, notes);
    set_fixed_columns(&w);
    if (ready) put_file(&w);
    if (mesh->uv_count)
        pl_note(notes, PL_NOTE_INFO, "texture coordinates are left out: VTU has no place for them");
    if (needs_labels) PL_FREE(w.labels, int, label_count + 1);
    for (int p = 0; p < PLACE_COUNT; p++) pl_array_free(&w.columns[p]);
    return ready ? PL_OK : pl_fail_memory(error, "the arrays of a VTU file");
}
