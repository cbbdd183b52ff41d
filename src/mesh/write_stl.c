// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// STL, binary or text. Binary STL holds floats, so coordinates are rounded; that is noted.
#include "math/vec3.h"
#include "mesh/mesh_write.h"

#include <string.h>

static pl_vec3 corner(const pl_mesh* mesh, size_t i) {
    return pl_vec3_load(mesh->positions + 3 * (size_t)mesh->triangles[i]);
}

static pl_vec3 normal_of(const pl_mesh* mesh, size_t triangle) {
    pl_vec3 a = corner(mesh, 3 * triangle);
    return pl_normalize(pl_cross(pl_sub(corner(mesh, 3 * triangle + 1), a),
                                 pl_sub(corner(mesh, 3 * triangle + 2), a)));
}

static void put_text(pl_sink* sink, const char* before, pl_vec3 v) {
    pl_sink_text(sink, before);
    double numbers[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        pl_sink_char(sink, ' ');
        pl_sink_double(sink, numbers[k]);
    }
    pl_sink_char(sink, '\n');
}

static void write_text(const pl_mesh* mesh, pl_sink* sink) {
    pl_sink_text(sink, "solid pliant\n");
    for (size_t i = 0; i < (size_t)mesh->triangle_count; i++) {
        put_text(sink, "facet normal", normal_of(mesh, i));
        pl_sink_text(sink, "outer loop\n");
        for (size_t k = 0; k < 3; k++) put_text(sink, "vertex", corner(mesh, 3 * i + k));
        pl_sink_text(sink, "endloop\nendfacet\n");
    }
    pl_sink_text(sink, "endsolid pliant\n");
}

// little-endian on every machine
static void put_word(pl_sink* sink, uint32_t bits) {
    unsigned char bytes[4] = {(unsigned char)bits, (unsigned char)(bits >> 8),
                              (unsigned char)(bits >> 16), (unsigned char)(bits >> 24)};
    pl_sink_bytes(sink, bytes, sizeof bytes);
}

// returns false if rounding changed a value
static bool put_floats(pl_sink* sink, pl_vec3 v) {
    float numbers[3] = {(float)v.x, (float)v.y, (float)v.z};
    for (int k = 0; k < 3; k++) {
        uint32_t bits;
        memcpy(&bits, &numbers[k], sizeof bits);
        put_word(sink, bits);
    }
    return (double)numbers[0] == v.x && (double)numbers[1] == v.y && (double)numbers[2] == v.z;
}

static bool write_binary(const pl_mesh* mesh, pl_sink* sink) {
    char header[80] = "binary STL written by pliant";
    bool exact = true;
    pl_sink_bytes(sink, header, sizeof header);
    put_word(sink, (uint32_t)mesh->triangle_count);
    for (size_t i = 0; i < (size_t)mesh->triangle_count; i++) {
        put_floats(sink, normal_of(mesh, i));
        for (size_t k = 0; k < 3; k++) exact = put_floats(sink, corner(mesh, 3 * i + k)) && exact;
        pl_sink_bytes(sink, "\0", 2);
    }
    return exact;
}

pl_status pl_write_stl(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error) {
    (void)error;
    if (ascii) write_text(mesh, sink);
    else if (!write_binary(mesh, sink))
        pl_note(notes, PL_NOTE_INFO, "coordinates were rounded to the floats of binary STL");
    if (mesh->region_count || mesh->field_count || mesh->uv_count)
        pl_note(notes, PL_NOTE_INFO,
                "regions, fields and texture coordinates are left out: STL has no place for them");
    return PL_OK;
}
