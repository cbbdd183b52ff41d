// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Exact solves on a level of the linear lattice: the whole coarsest level, and the thin parts of
// the others. Parts up to about four cells across are too soft or too stiff on the next coarser
// level by large factors, and sweeps do not bend them, so cycles converge slowly or not at all.
// These parts are slender and have few cells, so their factor is small. After each interior sweep
// they are solved with their surroundings fixed (a Schwarz step; not in the paper).
#ifndef PL_GRID_LINEAR_EXACT_H
#define PL_GRID_LINEAR_EXACT_H

#include "grid/grid_factor.h"
#include "grid/grid_linear_level.h"

// A face that is an unknown.
typedef struct pl_grid_exact_face {
    int axis;
    pl_grid_single_face face;
} pl_grid_exact_face;

typedef struct pl_grid_exact_cell {
    int at; // a place, see grid_linear_level.h
    int high[3];
    uint8_t stress; // bits: P_aa is an interior stress
    bool is_core;
    bool follows; // its pressure is eliminated; false: it is fixed
    int form;     // the divergence of a cell that follows, or -1 if that has no unknowns
} pl_grid_exact_cell;

// A linear form of unknowns whose square is a term of the energy.
typedef struct pl_grid_exact_form {
    int count;
    int unknown[6];
    int8_t sign[6];
    int8_t boundary; // -1: `weight` is constant; else it is 1 / (mu/lambda + half of this)
    float weight;
} pl_grid_exact_form;

typedef struct pl_grid_exact {
    pl_grid_exact_face* faces;
    pl_grid_exact_cell* cells;
    pl_grid_exact_form* forms;
    int face_count, cell_count, form_count;
    pl_grid_factor factor; // one clique per form
    bool works;            // there are unknowns, and their current equations are factored
    double* change;        // face_count
    double left_share; // fraction of the level's cells in thin parts that are too large to factor
} pl_grid_exact;

// The thin parts of a level with these cells; the whole level if cells is NULL.
pl_status pl_grid_exact_create(const pl_grid_cells* cells, const pl_grid_linear_level* level,
                               pl_grid_exact* out, pl_error* error);
void pl_grid_exact_free(pl_grid_exact* exact);
// Call after the level's coefficients change. If allocation fails, nothing is solved.
void pl_grid_exact_update(pl_grid_exact* exact, const pl_grid_linear_level* level, pl_pool* pool);
// Solves for u and c of these parts. Leaves c of interior cells that are not core as their
// pressure.
void pl_grid_exact_solve(pl_grid_exact* exact, pl_grid_linear_level* level);

#endif
