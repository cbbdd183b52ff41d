// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shared by the mesh readers. A reader fills an empty mesh from a loaded file; pl_mesh_read checks
// indices, applies strictness and cleans up.
#ifndef PL_MESH_READ_H
#define PL_MESH_READ_H

#include "mesh/mesh_format.h"

// Like pl_mesh_read, from memory; path is used in messages only. Entry point of the fuzzers. A
// TetGen pair is one buffer: .node, a line "#ele", .ele.
pl_status pl_mesh_read_memory(const void* data, size_t size, const char* path,
                              const pl_mesh_read_options* options, pl_mesh** out, pl_notes* notes,
                              pl_error* error);

#endif
