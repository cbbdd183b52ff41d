// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Young's modulus that differs from cell to cell, from the materials of a mesh's tets.
#ifndef PL_GRID_MATERIAL_H
#define PL_GRID_MATERIAL_H

#include "grid/grid_level.h"
#include "grid/grid_voxels.h"
#include "method/method.h"

// *out: per index of the level the shear modulus of its cell over mu, or NULL where all are mu. The
// caller frees field_size floats.
pl_status pl_grid_moduli(const pl_method_body* body, const pl_grid_level* level,
                         const pl_grid_cells* cells, const pl_grid_frame* frame, double mu,
                         float** out, pl_error* error);

#endif
