// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The surface of a mesh.
#ifndef PLIANT_MESH_SURFACE_H
#define PLIANT_MESH_SURFACE_H

#include <pliant/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The boundary of a tet mesh, or a triangle mesh without its unused vertices.
typedef struct pl_surface {
    pl_mesh* mesh; ///< triangles only, counter-clockwise from outside
    int* vertices; ///< the mesh vertex of each surface vertex, ascending
    int* elements; ///< the tet of each surface triangle (without tets: the triangle)
} pl_surface;

/// Triangles are the faces that belong to one tet only, in the order of the tets. Which side is
/// outside is decided for each component as a whole, so faces of single tets that are wound wrongly
/// or inverted by deformation are not flipped. Regions and fields of vertices and tets become those
/// of vertices and triangles of the surface. Regions, fields and texture coordinates of triangles
/// on the boundary are kept. Without tets the triangles stay as they are. Fails only if memory runs
/// out; *out is then NULL.
PL_API pl_status pl_mesh_surface(const pl_mesh* mesh, pl_surface** out, pl_error* error);
PL_API void pl_surface_destroy(pl_surface* surface);

#ifdef __cplusplus
}
#endif
#endif
