// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Converts tractions on an embedded surface to stresses on the boundary faces of the lattice (Zhu
// 2010, section 9.2). For smooth surfaces and distributed loads. On bodies with sharp edges the
// iteration between solutions and stresses may diverge, so scenes spread forces over faces instead
// (grid_embedding.h).
#ifndef PL_BENCH_S4_TRACTION_H
#define PL_BENCH_S4_TRACTION_H

#include "grid/grid_linear.h"
#include "grid/grid_voxels.h"
#include "math/vec3.h"

#include <pliant/mesh.h>

// A boundary stress in the equation of a face or a cell, and the surface point nearest to it.
typedef struct s4_side {
    int target, index; // a face across axis 0 to 2, or 3: a cell
    int row, column;   // of the stress
    double factor;     // of the stress in the right-hand side, per cell edge
    int corners[3];    // vertices of the nearest triangle
    double weights[3]; // of its nearest point
    pl_vec3 normal;
    int first, count; // parts of the fit
} s4_side;

// A cell whose stress is known, with its weights in the extrapolation to a boundary face.
typedef struct s4_fit_part {
    int slot;
    double at_side, at_surface; // weights
} s4_fit_part;

typedef struct s4_traction {
    s4_side* sides;
    int side_count;
    s4_fit_part* parts;
    int part_count;
    int (*cells)[3]; // whose stress is known
    double* stress;  // 6 per such cell: xx yy zz yz zx xy
    int cell_count;
    double cell; // edge
} s4_traction;

pl_status s4_traction_create(const pl_grid_level* level, const pl_grid_cells* cells,
                             const pl_grid_frame* frame, const pl_mesh* surface, s4_traction* out,
                             pl_error* error);
void s4_traction_free(s4_traction* traction);

// Adds the contribution of traction [3 per vertex of the surface, in units of mu] to the right-hand
// sides f and g of the state. known: the state holds a solution for an earlier guess of the
// boundary stresses, which gives the stress along the surface; otherwise that stress is assumed to
// be a pressure.
void s4_traction_add(const s4_traction* traction, const pl_grid_level* level,
                     const double* force_per_area, bool known, pl_grid_state* state);

#endif
