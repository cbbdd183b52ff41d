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

// PL_ERROR_MESH with the first element whose index is out of range; what is the file's name, or
// NULL.
pl_status pl_mesh_check_indices(const pl_mesh* mesh, const char* what, pl_error* error);

// The name of a kind for messages: "vertex", "triangle", "tet".
const char* pl_element_kind_name(pl_element_kind kind);

#endif
