// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Boundary faces of tets, without building a mesh for them.
#ifndef PL_MESH_SURFACE_H
#define PL_MESH_SURFACE_H

#include "mesh/components.h"

#include <pliant/mesh_surface.h>

// The faces that belong to one tet only, outward, with the vertices of the whole mesh.
typedef struct pl_boundary {
    int count;
    int* triangles; // 3 per face
    int* sides;     // 4 * tet + face, ascending
} pl_boundary;

pl_status pl_boundary_create(const pl_mesh* mesh, pl_boundary* out, pl_error* error);
// The same, with the sides of the mesh's tets given.
pl_status pl_boundary_from_sides(const pl_mesh* mesh, const pl_side_groups* sides, pl_boundary* out,
                                 pl_error* error);
void pl_boundary_free(pl_boundary* boundary);

// pl_mesh_surface by many threads.
pl_status pl_mesh_surface_by(pl_pool* pool, const pl_mesh* mesh, pl_surface** out, pl_error* error);

#endif
