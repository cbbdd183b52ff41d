// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// TetGen, where it is installed, as another way from a surface to tets.
#ifndef PL_MESH_TETGEN_PROGRAM_H
#define PL_MESH_TETGEN_PROGRAM_H

#include <pliant/mesh.h>

// Runs the program `tetgen` on the triangles of a mesh. edge: the length of regular tets whose
// volume none may exceed, 0 for no bound. PL_ERROR_UNSUPPORTED if the program is not there,
// PL_ERROR_MESH with what it says if it fails.
pl_status pl_tetgen(const pl_mesh* surface, double edge, pl_mesh** out, pl_notes* notes,
                    pl_error* error);

#endif
