// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Data of a surface that a recording keeps in addition to its triangles: texture coordinates,
// normals, polygons, materials, all as in the surface's file.
#ifndef PL_RECORD_RUN_SURFACE_H
#define PL_RECORD_RUN_SURFACE_H

#include "record/record_types.h"

// Arrays that a pl_record_body points to; {0} is empty.
typedef struct pl_run_surface {
    int triangle_count;
    int uv_count;
    float* uvs;
    int normal_count, normal_room;
    float* normals;
    int* triangle_normals;
    int region_count;
    const char** region_names; // of the mesh
    int* triangle_regions;
} pl_run_surface;

// Fills the surface data of out, whose triangles are those of the mesh. The mesh must outlive out.
// Normals are renumbered: corners of different vertices may share a normal at rest, but not after
// deformation.
pl_status pl_run_surface_take(const pl_mesh* mesh, pl_run_surface* surface, pl_record_body* out,
                              pl_error* error);
void pl_run_surface_free(pl_run_surface* surface);

// The normals of a body at the given positions of its vertices, 3 numbers each, of length 1. Each
// is transformed with the triangles around it like normals of a surface: flat faces stay flat, and
// smooth regions smooth.
void pl_turn_normals(const pl_record_body* body, const float* positions, double* out);

#endif
