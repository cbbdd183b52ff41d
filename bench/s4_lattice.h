// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The lattices that the benches of method grid solve on (Zhu 2010, section 9): the box between two
// held walls and the armadillo held at hands and feet; and how fast cycles reduce a residual there.
#ifndef PL_BENCH_S4_LATTICE_H
#define PL_BENCH_S4_LATTICE_H

#include "bench.h"
#include "grid/grid_linear.h"
#include "grid/grid_recombine.h"
#include "grid/grid_voxels.h"

typedef struct s4_lattice {
    pl_pool* pool;
    pl_grid_frame frame;
    pl_grid_cells cells;
    pl_grid_lattice levels;
    pl_grid_linear mg;
    pl_grid_state state;
    pl_grid_recombine history;
} s4_lattice;

// n^3 interior cells between two walls of Dirichlet cells across x, the other four sides free.
pl_status s4_box_cells(int n, pl_grid_cells* out, pl_error* error);
// The same, `width` cells across x.
pl_status s4_bar_cells(int length, int width, pl_grid_cells* out, pl_error* error);
// The armadillo of PLIANT_DATA, or the bear that stands in for it, voxelised with this cell [m],
// hands and feet held.
pl_status s4_armadillo_cells(bench* b, double cell, pl_pool* pool, pl_grid_frame* frame,
                             pl_grid_cells* out, pl_error* error);
// The cell [m] with which that surface takes about so many of them.
pl_status s4_armadillo_cell(bench* b, int count, pl_pool* pool, double* cell, pl_error* error);

// Levels and state of cells, which are taken over also when this fails.
pl_status s4_lattice_create(pl_grid_cells* cells, s4_lattice* out, pl_error* error);
void s4_lattice_free(s4_lattice* lattice);

// Coefficients of the levels and of the state; inertia in units of mu / h^2.
void s4_set_material(s4_lattice* lattice, double poisson, double inertia);
// Random displacements of all interior faces.
void s4_start_random(s4_lattice* lattice, uint64_t seed);
// Nothing displaced but the held cells: those of each half, by x, by `amount` cells apart.
void s4_start_pulled(s4_lattice* lattice, double amount);
// The armadillo's hands and feet at a part (0 to 1) of their way, which stretches it by about half
// of its height: translated, and the feet turned by 40 degrees, as in
// bench/scenes/grid_armadillo.json. Nothing but held faces is moved.
void s4_move_limbs(s4_lattice* lattice, double part);
// The largest displacement along an axis of a face that is held [cells].
double s4_largest_motion(const s4_lattice* lattice);
// residuals[k] after k cycles, for k = 0 .. cycles; each cycle as it is, or recombined with the
// last few (grid_recombine.h).
void s4_run_cycles(s4_lattice* lattice, int cycles, bool recombine, double* residuals);
// The mean reduction per cycle from one cycle to another.
double s4_rate(const double* residuals, int from, int to);

#endif
