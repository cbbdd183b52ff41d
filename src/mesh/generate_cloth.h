// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shared by the two cloth generators.
#ifndef PL_MESH_GENERATE_CLOTH_H
#define PL_MESH_GENERATE_CLOTH_H

#include "mesh/generator.h"

// nx by ny vertices, row by row, two triangles per cell (cell c has 2c and 2c + 1), with regions
// but without texture coordinates. The diagonals go from (0, 0) to (1, 1), or alternate.
pl_status pl_cloth_grid(const pl_generate_options* options, int nx, int ny, bool alternating,
                        pl_mesh** out, pl_error* error);
// Sets texture coordinates from positions. Returns false if allocation fails.
bool pl_cloth_set_uvs(const pl_generate_options* options, pl_mesh* mesh);

#endif
