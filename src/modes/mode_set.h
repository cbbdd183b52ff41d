// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes of vibration: K u = lambda M u for the lowest lambda, by Lanczos on (K + sigma M)^-1 M with
// the direct solver.
#ifndef PL_MODES_MODE_SET_H
#define PL_MODES_MODE_SET_H

#include "sparse/block_matrix.h"
#include "step/step_holds.h"

// Everything is borrowed. Held vertices and directions are no unknowns.
typedef struct pl_modes_problem {
    const pl_block_matrix* K; // block 3, symmetric; identity rows where `fixed`
    const double* mass;       // per vertex [kg]: the row sums of M
    const pl_block_matrix* M; // block 1, the pattern of K; NULL: lumped
    const bool* fixed;        // per vertex; NULL: none
    const pl_hold* holds;
    int hold_count;
} pl_modes_problem;

typedef struct pl_modes_settings {
    int count;        // modes that are wanted beside the rigid ones
    double tolerance; // of lambda, relative
} pl_modes_settings;

// Modes in ascending order; the rigid ones first.
typedef struct pl_mode_set {
    int vertex_count;
    int count, room;  // modes; what the lists have room for
    int rigid_count;  // with lambda = 0
    double* lambda;   // [1/s^2]
    double* residual; // |K u - lambda M u| / |K u|; of a rigid mode 0
    double* shapes;   // 3 per vertex, mode after mode; u' M u = 1
    int applications; // solves with the factor
} pl_mode_set;

// PL_ERROR_ARGUMENT: more modes are wanted than there are unknowns, or a vertex has no mass.
pl_status pl_modes_find(const pl_modes_problem* problem, const pl_modes_settings* settings,
                        pl_pool* pool, pl_mode_set* out, pl_error* error);
void pl_mode_set_free(pl_mode_set* modes);

#endif
