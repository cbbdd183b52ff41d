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
    int* vertices; ///< the vertex of the whole mesh behind each surface vertex, ascending
    int* elements; ///< the tet behind each surface triangle (without tets: the triangle)
} pl_surface;

/// Triangles are the faces that belong to one tet only, in the order of the tets. Outside is judged
/// per component as a whole, so tets that are wound wrongly or turned inside out by a deformation
/// do not turn their faces. Vertex and tet regions and fields become vertex and triangle ones of
/// the surface; regions, fields and texture coordinates of triangles that lie on the boundary are
/// kept. Without tets the triangles stay as they are. Fails only if memory runs out; *out is then
/// NULL.
PL_API pl_status pl_mesh_surface(const pl_mesh* mesh, pl_surface** out, pl_error* error);
PL_API void pl_surface_destroy(pl_surface* surface);

#ifdef __cplusplus
}
#endif
#endif
