// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PLY in this machine's byte order, or as text: vertices with their fields as further properties,
// triangles with their texture coordinates as a list "texcoord".
#include "mesh/mesh_write.h"
#include "mesh/raw_number.h"

#include <stdio.h>
#include <string.h>

typedef struct writer {
    const pl_mesh* mesh;
    pl_sink* sink;
    bool ascii;
    bool has_uvs;
} writer;

static void put_double(const writer* w, double value) {
    if (!w->ascii) {
        pl_sink_bytes(w->sink, &value, sizeof value);
        return;
    }
    pl_sink_double(w->sink, value);
    pl_sink_char(w->sink, ' ');
}

static void put_int(const writer* w, int value) {
    if (!w->ascii) {
        pl_sink_bytes(w->sink, &value, sizeof value);
        return;
    }
    pl_sink_int(w->sink, value);
    pl_sink_char(w->sink, ' ');
}

static void put_count(const writer* w, int value) {
    if (w->ascii) put_int(w, value);
    else pl_sink_char(w->sink, (char)value);
}

static void end_row(const writer* w) {
    if (w->ascii) pl_sink_char(w->sink, '\n');
}

// names must be single words, and must not be mistaken for positions or texture coordinates
static void put_property(pl_sink* sink, const pl_field* field, int component) {
    static const char* const taken[] = {"x", "y", "z", "s", "t", "u", "v"};
    pl_sink_text(sink, "property double ");
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(taken[i], field->name) == 0 && field->components == 1)
            pl_sink_text(sink, "field_");
    if (!field->name[0]) pl_sink_text(sink, "unnamed");
    for (const char* p = field->name; *p; p++)
        pl_sink_char(sink, (unsigned char)*p <= ' ' ? '_' : *p);
    if (field->components > 1) {
        pl_sink_char(sink, '_');
        pl_sink_int(sink, component);
    }
    pl_sink_char(sink, '\n');
}

static void put_header(const writer* w) {
    char text[200];
    const char* format = w->ascii             ? "ascii"
                         : pl_is_big_endian() ? "binary_big_endian"
                                              : "binary_little_endian";
    snprintf(text, sizeof text,
             "ply\nformat %s 1.0\ncomment written by pliant\nelement vertex %d\nproperty double "
             "x\nproperty double y\nproperty double z\n",
             format, w->mesh->vertex_count);
    pl_sink_text(w->sink, text);
    for (int i = 0; i < w->mesh->field_count; i++) {
        const pl_field* field = &w->mesh->fields[i];
        for (int k = 0; field->kind == PL_ELEMENT_VERTEX && k < field->components; k++)
            put_property(w->sink, field, k);
    }
    snprintf(text, sizeof text, "element face %d\nproperty list uchar int vertex_indices\n",
             w->mesh->triangle_count);
    pl_sink_text(w->sink, text);
    if (w->has_uvs) pl_sink_text(w->sink, "property list uchar double texcoord\n");
    pl_sink_text(w->sink, "end_header\n");
}

static void put_vertices(const writer* w) {
    const pl_mesh* mesh = w->mesh;
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
        for (size_t k = 0; k < 3; k++) put_double(w, mesh->positions[3 * i + k]);
        for (int f = 0; f < mesh->field_count; f++) {
            const pl_field* field = &mesh->fields[f];
            size_t n = (size_t)field->components;
            for (size_t k = 0; field->kind == PL_ELEMENT_VERTEX && k < n; k++)
                put_double(w, field->values[n * i + k]);
        }
        end_row(w);
    }
}

// a triangle without texture coordinates has an empty list
static void put_uvs(const writer* w, const int* uvs) {
    bool complete = uvs[0] >= 0 && uvs[1] >= 0 && uvs[2] >= 0;
    put_count(w, complete ? 6 : 0);
    for (int k = 0; complete && k < 6; k++)
        put_double(w, w->mesh->uvs[2 * (size_t)uvs[k / 2] + (size_t)(k % 2)]);
}

static void put_triangles(const writer* w) {
    for (size_t i = 0; i < (size_t)w->mesh->triangle_count; i++) {
        put_count(w, 3);
        for (size_t k = 0; k < 3; k++) put_int(w, w->mesh->triangles[3 * i + k]);
        if (w->has_uvs) put_uvs(w, w->mesh->triangle_uvs + 3 * i);
        end_row(w);
    }
}

pl_status pl_write_ply(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error) {
    (void)error;
    writer w = {mesh, sink, ascii, mesh->uv_count && mesh->triangle_uvs};
    put_header(&w);
    put_vertices(&w);
    put_triangles(&w);
    for (int i = 0; i < mesh->field_count; i++)
        if (mesh->fields[i].kind != PL_ELEMENT_VERTEX)
            pl_note(notes, PL_NOTE_INFO, "field \"%.100s\" of elements is left out of PLY",
                    mesh->fields[i].name);
    if (mesh->region_count)
        pl_note(notes, PL_NOTE_INFO, "regions are left out: PLY has no place for them");
    return PL_OK;
}
