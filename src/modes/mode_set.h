// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes of vibration: solutions of K u = lambda M u with the lowest lambda. Small problems use the
// direct solver, large ones multigrid.
#ifndef PL_MODES_MODE_SET_H
#define PL_MODES_MODE_SET_H

#include "modes/mode_problem.h"

typedef enum pl_modes_solver {
    PL_MODES_AUTO,     // multigrid for large problems with positions, otherwise the direct solver
    PL_MODES_DIRECT,   // mode_direct.h
    PL_MODES_MULTIGRID // mode_multigrid.h; the direct solver if it does not converge
} pl_modes_solver;

typedef struct pl_modes_settings {
    int count;        // wanted modes, not counting rigid ones
    double tolerance; // of lambda, relative
    pl_modes_solver solver;
    // Initial guess for multigrid: shapes near the wanted ones, such as the modes of a similar
    // state, rigid modes first.
    int start_count;
    const double* start;
} pl_modes_settings;

// Modes in ascending order, rigid modes first.
typedef struct pl_mode_set {
    int vertex_count;
    int count, room;  // modes; capacity of the lists
    int rigid_count;  // with lambda = 0
    double* lambda;   // [1/s^2]
    double* residual; // |K u - lambda M u| / |K u|; 0 for rigid modes
    double* shapes;   // 3 per vertex, mode after mode; u' M u = 1
    int applications; // solves with the factor, or cycles
} pl_mode_set;

// PL_ERROR_ARGUMENT if more modes are wanted than there are unknowns, or a vertex has no mass.
pl_status pl_modes_find(const pl_modes_problem* problem, const pl_modes_settings* settings,
                        pl_pool* pool, pl_mode_set* out, pl_error* error);
// Estimated bytes to find `count` modes, not counting rigid ones, including the matrices (K has
// `block_count` blocks) and the result.
double pl_modes_memory(int vertex_count, double blocks, int count);
void pl_mode_set_free(pl_mode_set* modes);

#endif
