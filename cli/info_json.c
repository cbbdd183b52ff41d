// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// `pliant info --json`: one object per file, on one line.
#include "info.h"
#include "mesh/mesh_object.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

// NaN and infinity become null
static json_t* number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

// replaces bytes that are not ASCII by '?' if a text, such as a file name, is not UTF-8
static json_t* text_of(const char* text) {
    json_t* whole = json_string(text);
    if (whole) return whole;
    char ascii[512];
    size_t size = 0;
    for (; text[size] && size + 1 < sizeof ascii; size++)
        ascii[size] = (unsigned char)text[size] < 128 ? text[size] : '?';
    return json_stringn(ascii, size);
}

static json_t* triple(const double* values) {
    json_t* list = json_array();
    for (int k = 0; k < 3; k++) json_array_append_new(list, number(values[k]));
    return list;
}

static json_t* quality_object(const pl_mesh_quality* q) {
    json_t* o = json_object();
    json_object_set_new(o, "radius_ratio_min", number(q->radius_ratio_min));
    json_object_set_new(o, "radius_ratio_1_percent", number(q->radius_ratio_1_percent));
    json_object_set_new(o, "radius_ratio_median", number(q->radius_ratio_median));
    json_object_set_new(o, "worst_element", json_integer(q->worst_element));
    json_object_set_new(o, "angle_min", number(q->angle_min));
    json_object_set_new(o, "angle_max", number(q->angle_max));
    json_object_set_new(o, "edge_min", number(q->edge_min));
    json_object_set_new(o, "edge_mean", number(q->edge_mean));
    json_object_set_new(o, "edge_max", number(q->edge_max));
    return o;
}

static json_t* surface_object(const pl_mesh_report* r) {
    json_t* o = json_object();
    json_object_set_new(o, "triangles", json_integer(r->surface_triangle_count));
    json_object_set_new(o, "vertices", json_integer(r->surface_vertex_count));
    json_object_set_new(o, "edges", json_integer(r->surface_edge_count));
    json_object_set_new(o, "components", json_integer(r->surface_component_count));
    json_object_set_new(o, "closed", json_boolean(r->surface_closed));
    json_object_set_new(o, "manifold", json_boolean(r->surface_manifold));
    json_object_set_new(o, "holes", json_integer(r->hole_count));
    json_object_set_new(o, "genus", r->genus >= 0 ? json_integer(r->genus) : json_null());
    json_object_set_new(o, "enclosed_volume", number(r->enclosed_volume));
    json_object_set_new(o, "intersections_complete", json_boolean(r->intersections_complete));
    return o;
}

// how a closed surface can be filled with tets; null for all others
static json_t* fill_object(const info* i) {
    if (!i->advice) return json_null();
    json_t* o = json_object();
    json_object_set_new(o, "thin", number(i->advice->thin));
    json_object_set_new(o, "median", number(i->advice->median));
    json_object_set_new(o, "edge", i->advice->edge > 0.0 ? number(i->advice->edge) : json_null());
    json_object_set_new(o, "tets", json_integer(i->advice->tet_count));
    return o;
}

static json_t* region_list(const pl_mesh* mesh) {
    json_t* list = json_array();
    for (int i = 0; i < mesh->region_count; i++) {
        json_t* o = json_object();
        json_object_set_new(o, "name", text_of(mesh->regions[i].name));
        json_object_set_new(o, "kind", json_string(pl_element_kind_name(mesh->regions[i].kind)));
        json_object_set_new(o, "tag", json_integer(mesh->regions[i].tag));
        json_object_set_new(o, "count", json_integer(mesh->regions[i].count));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t* field_list(const pl_mesh* mesh) {
    json_t* list = json_array();
    for (int i = 0; i < mesh->field_count; i++) {
        json_t* o = json_object();
        json_object_set_new(o, "name", text_of(mesh->fields[i].name));
        json_object_set_new(o, "kind", json_string(pl_element_kind_name(mesh->fields[i].kind)));
        json_object_set_new(o, "components", json_integer(mesh->fields[i].components));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t* defect_object(const pl_mesh_report* r) {
    static const char* severities[] = {"info", "warning", "fatal"};
    json_t* all = json_object();
    for (int kind = 0; kind < PL_DEFECT_COUNT; kind++) {
        const pl_defect* d = &r->defects[kind];
        if (d->count == 0) continue;
        json_t* o = json_object();
        json_object_set_new(o, "count", json_integer(d->count));
        json_object_set_new(o, "item", json_string(pl_defect_item((pl_defect_kind)kind)));
        json_object_set_new(o, "first", json_integer(d->first));
        if (d->other >= 0) json_object_set_new(o, "other", json_integer(d->other));
        json_object_set_new(o, "severity",
                            json_string(severities[pl_defect_severity((pl_defect_kind)kind)]));
        json_object_set_new(all, pl_defect_key((pl_defect_kind)kind), o);
    }
    return all;
}

static json_t* note_list(const pl_notes* notes) {
    json_t* list = json_array();
    for (int i = 0; i < pl_notes_count(notes); i++)
        json_array_append_new(list, text_of(pl_notes_text(notes, i, NULL)));
    return list;
}

static void print_and_release(json_t* o) {
    json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    printf("\n");
    json_decref(o);
}

void info_print_json(const info* i) {
    const pl_mesh* mesh = i->mesh;
    const pl_mesh_report* r = i->report;
    json_t* o = json_object();
    json_object_set_new(o, "file", text_of(i->path));
    json_object_set_new(o, "vertices", json_integer(mesh->vertex_count));
    json_object_set_new(o, "tets", json_integer(mesh->tet_count));
    json_object_set_new(o, "triangles", json_integer(mesh->triangle_count));
    json_object_set_new(o, "edges", json_integer(r->quality.edge_count));
    json_object_set_new(o, "texture_coordinates", json_integer(mesh->uv_count));
    json_object_set_new(o, "low", triple(r->low));
    json_object_set_new(o, "high", triple(r->high));
    json_object_set_new(o, "volume",
                        number(mesh->tet_count ? r->quality.volume : r->enclosed_volume));
    json_object_set_new(o, "area", number(r->quality.area));
    json_object_set_new(o, "components", json_integer(r->component_count));
    json_object_set_new(o, "quality", quality_object(&r->quality));
    json_object_set_new(o, "surface", surface_object(r));
    json_object_set_new(o, "fill", fill_object(i));
    json_object_set_new(o, "regions", region_list(mesh));
    json_object_set_new(o, "fields", field_list(mesh));
    json_object_set_new(o, "defects", defect_object(r));
    json_object_set_new(o, "notes", note_list(i->notes));
    json_object_set_new(o, "usable", json_boolean(i->usable));
    json_object_set_new(o, "verdict", text_of(i->verdict));
    print_and_release(o);
}

void info_print_json_error(const char* path, const pl_error* error) {
    json_t* o = json_object();
    json_object_set_new(o, "file", text_of(path));
    json_object_set_new(o, "error", text_of(error->text));
    print_and_release(o);
}
