// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Young's modulus that differs from cell to cell, from the materials of a mesh's tets.
#ifndef PL_GRID_MATERIAL_H
#define PL_GRID_MATERIAL_H

#include "grid/grid_level.h"
#include "grid/grid_voxels.h"
#include "method/method.h"

// *out: per index of the level the part of its cell that the surface encloses, or NULL where all
// cells are full. No cell has less than a tenth. The caller frees field_size floats.
pl_status pl_grid_fractions(const pl_mesh* surface, const pl_grid_level* level,
                            const pl_grid_cells* cells, const pl_grid_frame* frame, pl_pool* pool,
                            float** out, pl_error* error);
// *out: per index of the level the shear modulus of its cell over mu, times its fraction
// (fractions: NULL if all are full); or NULL where all are mu. The caller frees field_size floats.
pl_status pl_grid_moduli(const pl_method_body* body, const pl_grid_level* level,
                         const pl_grid_cells* cells, const pl_grid_frame* frame,
                         const float* fractions, double mu, float** out, pl_error* error);

#endif
