// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Building of meshes inside the library.
#ifndef PL_MESH_OBJECT_H
#define PL_MESH_OBJECT_H

#include <pliant/mesh.h>

// An empty mesh, or NULL.
pl_mesh* pl_mesh_new(void);

// Arrays of the given sizes, zeroed, in place of the present ones. False when memory is out (the
// mesh stays valid).
bool pl_mesh_set_vertex_count(pl_mesh* mesh, int count);
bool pl_mesh_set_tet_count(pl_mesh* mesh, int count);
bool pl_mesh_set_triangle_count(pl_mesh* mesh, int count);

// Texture coordinates and normals as lists; copy has none yet. False when memory is out.
bool pl_mesh_copy_uvs(const pl_mesh* mesh, pl_mesh* copy);
bool pl_mesh_copy_normals(const pl_mesh* mesh, pl_mesh* copy);
// Both lists, and what the triangles say of them and of faces, to a mesh of as many triangles.
bool pl_mesh_copy_corners(const pl_mesh* mesh, pl_mesh* copy);
// A region of the given items of mesh, otherwise like one of another mesh.
pl_status pl_mesh_copy_region(pl_mesh* mesh, const pl_region* from, const int* items, int count,
                              pl_element_kind kind, pl_error* error);

// PL_ERROR_MESH with the first element whose index is out of range; what is the file's name, or
// NULL.
pl_status pl_mesh_check_indices(const pl_mesh* mesh, const char* what, pl_error* error);

// The name of a kind for messages: "vertex", "triangle", "tet".
const char* pl_element_kind_name(pl_element_kind kind);

#endif
