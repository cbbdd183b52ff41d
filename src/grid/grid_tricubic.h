// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Tricubic interpolation of embedded vertices, which has no kinks between cells (Zhu 2010, section
// 9.3, Fig. 18).
#ifndef PL_GRID_TRICUBIC_H
#define PL_GRID_TRICUBIC_H

#include "grid/grid_embedding.h"

enum { PL_GRID_STENCIL = 64 }; // faces that a vertex needs, per component

typedef struct pl_grid_cubic_place {
    int stencil;
    float fraction[3]; // from the second face along each axis to the third
} pl_grid_cubic_place;

typedef struct pl_grid_tricubic {
    pl_grid_cubic_place (*places)[3]; // per vertex and component
    int vertex_count;
    int (*stencils)[PL_GRID_STENCIL]; // x fastest: index of a face, or -1 - ghost
    int stencil_count;
    pl_grid_extensions ghosts; // faces that the lattice does not store; sources are as in stencils
    double* values;            // of ghosts
} pl_grid_tricubic;

// positions: 3 per vertex. Stays valid as long as only Dirichlet cells change.
pl_status pl_grid_tricubic_create(const pl_grid_level* level, const pl_grid_cells* cells,
                                  const pl_grid_frame* frame, const double* positions,
                                  int vertex_count, pl_grid_tricubic* out, pl_error* error);
void pl_grid_tricubic_free(pl_grid_tricubic* t);
// out: 3 per vertex; faces outside must have been extended (pl_grid_extend).
void pl_grid_tricubic_interpolate(pl_grid_tricubic* t, double* const u[3], double* out,
                                  pl_pool* pool);

#endif
