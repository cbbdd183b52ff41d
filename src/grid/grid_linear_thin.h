// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Thin parts of a level, solved exactly. Parts of up to about four cells across are too soft or too
// stiff on the next coarser level by large factors, and sweeps do not bend them: cycles converge
// slowly there, or not at all. They are few cells, and slender, so that the factor of their
// equations has few values: after each interior sweep they are brought to rest against what is
// around them (a Schwarz step; the paper has none).
#ifndef PL_GRID_THIN_H
#define PL_GRID_THIN_H

#include "grid/grid_factor.h"
#include "grid/grid_linear_level.h"

// A face between two cells of thin parts.
typedef struct pl_grid_thin_face {
    int at, axis; // places, see grid_level.h
    int rows[PL_ROW_COUNT];
    int stresses; // bits as in pl_grid_band_rates
    float stiffness;
} pl_grid_thin_face;

typedef struct pl_grid_thin_cell {
    int at;
    int high[3];
    uint8_t stress; // bits: P_aa is an interior stress
    bool is_core;
    bool follows; // its pressure is what its equation makes of the positions; else it is given
} pl_grid_thin_cell;

// A sum of differences of unknowns, whose square is a part of the energy.
typedef struct pl_grid_thin_form {
    int count;
    int unknown[6];
    int8_t sign[6];
    int8_t boundary; // -1: weight is given; else 1 / (mu/lambda + half of this)
    float weight;
} pl_grid_thin_form;

typedef struct pl_grid_thin {
    pl_grid_thin_face* faces;
    pl_grid_thin_cell* cells;
    pl_grid_thin_form* forms;
    int face_count, cell_count, form_count;
    pl_grid_factor factor; // a clique for each form
    bool works;            // there are such parts, and a factor of their present equations
    double* change;        // face_count
    double left_share;     // of the level's cells: thin parts that are too large to be solved
} pl_grid_thin;

// The thin parts of a level with these cells; or all of the level, where cells is NULL.
pl_status pl_grid_thin_create(const pl_grid_cells* cells, const pl_grid_linear_level* level,
                              pl_grid_thin* out, pl_error* error);
void pl_grid_thin_free(pl_grid_thin* thin);
// After a change of the level's coefficients. Without memory for a factor nothing is solved.
void pl_grid_thin_update(pl_grid_thin* thin, const pl_grid_linear_level* level, pl_pool* pool);
// u and c of the level where these parts are.
void pl_grid_thin_solve(pl_grid_thin* thin, pl_grid_linear_level* level);

#endif
