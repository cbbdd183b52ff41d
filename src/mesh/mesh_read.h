// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shared by the mesh readers. A reader fills an empty mesh from a loaded file; pl_mesh_read checks
// indices, applies strictness and cleans up.
#ifndef PL_MESH_READ_H
#define PL_MESH_READ_H

#include "base/notes.h"
#include "mesh/mesh_object.h"
#include "mesh/mesh_source.h"

typedef pl_status (*pl_mesh_reader)(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                                    pl_error* error);

pl_status pl_read_tetgen(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);
pl_status pl_read_medit(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);
pl_status pl_read_gmsh(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);
pl_status pl_read_vtk(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);
pl_status pl_read_vtu(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);
pl_status pl_read_obj(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);
pl_status pl_read_ply(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);
pl_status pl_read_stl(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);
pl_status pl_read_off(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);

// The format for a path's extension (ignoring ".gz"), or PL_MESH_AUTO.
pl_mesh_format pl_mesh_format_of(const char* path);

// Like pl_mesh_read, from memory; path is used in messages only. Entry point of the fuzzers. A
// TetGen pair is one buffer: .node, a line "#ele", .ele.
pl_status pl_mesh_read_memory(const void* data, size_t size, const char* path,
                              const pl_mesh_read_options* options, pl_mesh** out, pl_notes* notes,
                              pl_error* error);

#endif
