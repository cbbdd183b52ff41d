// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Direct solves on the thin parts of a level. Parts up to about four cells across are too soft or
// too stiff on the next coarser level by large factors, and sweeps do not bend them, so cycles
// converge slowly or not at all. These parts are slender and have few cells, so their factor is
// small. After each interior sweep they are solved with their surroundings fixed (a Schwarz step;
// not in the paper).
#ifndef PL_GRID_THIN_H
#define PL_GRID_THIN_H

#include "grid/grid_factor.h"
#include "grid/grid_linear_level.h"

// A face between two cells of thin parts.
typedef struct pl_grid_thin_face {
    int at, axis; // `at` is a place, see grid_linear_level.h
    int rows[PL_ROW_COUNT];
    int stresses; // bits as in pl_grid_band_rates
    float stiffness;
} pl_grid_thin_face;

typedef struct pl_grid_thin_cell {
    int at;
    int high[3];
    uint8_t stress; // bits: P_aa is an interior stress
    bool is_core;
    bool follows; // its pressure is eliminated; false: it is fixed
} pl_grid_thin_cell;

// A linear form of unknowns whose square is a term of the energy.
typedef struct pl_grid_thin_form {
    int count;
    int unknown[6];
    int8_t sign[6];
    int8_t boundary; // -1: `weight` is constant; else it is 1 / (mu/lambda + half of this)
    float weight;
} pl_grid_thin_form;

typedef struct pl_grid_thin {
    pl_grid_thin_face* faces;
    pl_grid_thin_cell* cells;
    pl_grid_thin_form* forms;
    int face_count, cell_count, form_count;
    pl_grid_factor factor; // one clique per form
    bool works;            // there are thin parts, and their current equations are factored
    double* change;        // face_count
    double left_share; // fraction of the level's cells in thin parts that are too large to factor
} pl_grid_thin;

// The thin parts of a level with these cells; the whole level if cells is NULL.
pl_status pl_grid_thin_create(const pl_grid_cells* cells, const pl_grid_linear_level* level,
                              pl_grid_thin* out, pl_error* error);
void pl_grid_thin_free(pl_grid_thin* thin);
// Call after the level's coefficients change. If allocation fails, nothing is solved.
void pl_grid_thin_update(pl_grid_thin* thin, const pl_grid_linear_level* level, pl_pool* pool);
// Solves for u and c of these parts.
void pl_grid_thin_solve(pl_grid_thin* thin, pl_grid_linear_level* level);

#endif
