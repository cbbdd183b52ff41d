// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Fills a surface with tets by the program TetGen, if it is installed.
#ifndef PL_MESH_TETGEN_PROGRAM_H
#define PL_MESH_TETGEN_PROGRAM_H

#include <pliant/mesh.h>

// Runs the program `tetgen` on the triangles of a mesh. No tet is larger than a regular one with
// this edge; 0: no bound. PL_ERROR_UNSUPPORTED if the program is not installed, PL_ERROR_MESH with
// its message if it fails.
pl_status pl_tetgen(const pl_mesh* surface, double edge, pl_mesh** out, pl_notes* notes,
                    pl_error* error);

#endif
