// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Building meshes inside the library.
#ifndef PL_MESH_OBJECT_H
#define PL_MESH_OBJECT_H

#include <pliant/mesh.h>

// An empty mesh, or NULL.
pl_mesh* pl_mesh_new(void);

// Replaces the arrays by zeroed ones of the given sizes. Returns false if allocation fails (the
// mesh stays valid).
bool pl_mesh_set_vertex_count(pl_mesh* mesh, int count);
bool pl_mesh_set_tet_count(pl_mesh* mesh, int count);
bool pl_mesh_set_triangle_count(pl_mesh* mesh, int count);

// Copies the lists of texture coordinates and normals; `copy` must have none. Returns false if
// allocation fails.
bool pl_mesh_copy_uvs(const pl_mesh* mesh, pl_mesh* copy);
// Copies both lists, and the indices of the triangles into them and into faces, to a mesh with as
// many triangles.
bool pl_mesh_copy_corners(const pl_mesh* mesh, pl_mesh* copy);
// A region of the given items of mesh, otherwise like one of another mesh.
pl_status pl_mesh_copy_region(pl_mesh* mesh, const pl_region* from, const int* items, int count,
                              pl_element_kind kind, pl_error* error);

// PL_ERROR_MESH, which names the first element whose index is out of range. what: the file's name,
// or NULL.
pl_status pl_mesh_check_indices(const pl_mesh* mesh, const char* what, pl_error* error);

// The name of a kind for messages: "vertex", "triangle", "tet".
const char* pl_element_kind_name(pl_element_kind kind);

#endif
