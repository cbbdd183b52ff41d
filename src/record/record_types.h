// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contents of a recording: constant data of bodies, and the values of a frame.
#ifndef PL_RECORD_TYPES_H
#define PL_RECORD_TYPES_H

#include <math.h>
#include <pliant/mesh.h>

// A quantity recorded with each frame.
typedef struct pl_record_field {
    const char* name;
    pl_element_kind kind; // of the elements of the body as recorded
    int components;       // 1 to PL_RECORD_MAX_COMPONENTS
} pl_record_field;

enum { PL_RECORD_MAX_COMPONENTS = 16 };

// Constant data of a recording. A reader owns its arrays; a writer copies them into the file.
typedef struct pl_record_body {
    const char* name;
    int vertex_count;
    const float* rest; // 3 per vertex: positions before anything moved
    int triangle_count;
    const int* triangles; // 3 per triangle: the surface
    int tet_count;
    const int* tets; // 4 per tet; only with all vertices
    int uv_count;
    const float* uvs;        // 2 per texture coordinate
    const int* triangle_uvs; // 3 per triangle, -1 for none; NULL without uvs
    int normal_count;
    const float* normals;        // 3 per normal: those of the surface at rest, of length 1
    const int* triangle_normals; // 3 per triangle, -1 for none; NULL without normals
    const int* triangle_faces;   // per triangle, ascending: the polygon it is of; NULL: all are
                                 // triangles
    const int* vertices;         // the mesh's vertex behind each recorded one; NULL: all, in order
    int region_count;            // materials of the surface
    const char* const* region_names;
    const int* triangle_regions; // per triangle, -1 for none; NULL without regions
    float color[3];              // red, green, blue of sRGB, 0 to 1; NAN: any
    int field_count;
    const pl_record_field* fields;
} pl_record_body;

static inline bool pl_record_has_color(const pl_record_body* body) {
    return body->color[0] + body->color[1] + body->color[2] > 0.0f;
}

typedef struct pl_record_head {
    int up_axis;       // 0, 1 or 2
    double frame_step; // [s] between frames, 0 if it varies
    uint64_t scene;    // identifies what was recorded, for instance a hash of the scene
    int body_count;
    const pl_record_body* bodies;
} pl_record_head;

// Values of one body in one frame.
typedef struct pl_record_values {
    const double* positions;     // 3 per vertex of the body's mesh (see `vertices`)
    const double* const* fields; // one array per field; vertex fields per vertex of the mesh,
                                 // others per recorded triangle or tet; NULL without fields
} pl_record_values;

#endif
