// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiffness of cells: Young's modulus from the materials of a mesh's tets, and the filled fraction
// of cut cells.
#ifndef PL_GRID_MATERIAL_H
#define PL_GRID_MATERIAL_H

#include "grid/grid_level.h"
#include "grid/grid_voxels.h"
#include "method/method.h"

// How much of its cells a surface encloses.
typedef struct pl_grid_filling {
    // Per index of the level: filled fraction of its cell, at least a tenth; NULL if all cells are
    // full. The owner frees field_size floats.
    float* fractions;
    double cells;    // volume inside the surface, in cells; here empty cells count as 0
    bool has_inside; // some of the sampled points are inside
} pl_grid_filling;
pl_status pl_grid_fractions(const pl_mesh* surface, const pl_grid_level* level,
                            const pl_grid_cells* cells, const pl_grid_frame* frame, pl_pool* pool,
                            pl_grid_filling* out, pl_error* error);
// *out: per index of the level, the shear modulus of its cell over mu, times its filled fraction
// (fractions: NULL if all are full); NULL if all are mu. The caller frees field_size floats.
pl_status pl_grid_moduli(const pl_method_body* body, const pl_grid_level* level,
                         const pl_grid_cells* cells, const pl_grid_frame* frame,
                         const float* fractions, double mu, float** out, pl_error* error);

#endif
