// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A lattice: the layouts of its levels (Zhu 2010, section 6) and the state of a body on the finest
// one. Two kinds of cycles use it, each with its own fields: grid_linear.h for linear elasticity
// with one material, grid_corot.h for everything else.
#ifndef PL_GRID_LATTICE_H
#define PL_GRID_LATTICE_H

#include "grid/grid_level.h"

enum { PL_GRID_MAX_LEVELS = 24 };

typedef struct pl_grid_lattice {
    pl_grid_level* levels; // finest first; PL_GRID_MAX_LEVELS allocated, level_count used
    int level_count;
} pl_grid_lattice;

pl_status pl_grid_lattice_create(const pl_grid_cells* cells, pl_grid_lattice* out, pl_error* error);
void pl_grid_lattice_free(pl_grid_lattice* lattice);

// Positions and pressures on a level. Faces that are not interior hold prescribed values where they
// touch a Dirichlet cell.
typedef struct pl_grid_state {
    double* u[3]; // displacement [m]
    double* p;    // pressure of interior cells, times the cell edge
    double* f[3]; // right-hand side of interior faces
    double* g;    // right-hand side of interior cells
    double compressibility, inertia;
    const float* more_mass[3]; // mass of faces in addition to one cell's, in cells; NULL: none
} pl_grid_state;

// Mass of a face, in cells, and its inertia.
static inline double pl_grid_mass_of(const pl_grid_state* s, int axis, int index) {
    return s->more_mass[axis] ? 1.0 + (double)s->more_mass[axis][index] : 1.0;
}
static inline double pl_grid_inertia_of(const pl_grid_state* s, int axis, int index) {
    return s->inertia * pl_grid_mass_of(s, axis, index);
}

pl_status pl_grid_state_create(const pl_grid_level* level, pl_grid_state* out, pl_error* error);
void pl_grid_state_free(const pl_grid_level* level, pl_grid_state* state);

// Marks the interior cells of thin parts (up to about four cells across) that are small enough for
// a factor of their own. bytes: two for each cell of the box; *marks, one for each cell, is one
// half of them. left_share: fraction of all interior cells that are thin but not marked. Returns
// false if allocation fails.
bool pl_grid_mark_thin(const pl_grid_cells* cells, uint8_t* bytes, const uint8_t** marks,
                       double* left_share);

#endif
