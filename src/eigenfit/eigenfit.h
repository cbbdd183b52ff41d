// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// EigenFit (S2: Chen, Levin, Kaufman, Ascher, Pai 2019). A coarse mesh is too stiff. A term of the
// step gives its lowest modes the eigenvalues of a fine mesh:
//
//   K'' = K + M U (R - I) Lambda U' M,   f'' = f + M U (R - I) U' f     (Eq. 15)
//
//   paper            here
//   U_s, diag lambda shapes, lambda: modes of K at the start of the step, rigid modes first
//   R_s              ratios: fine over coarse eigenvalue at rest; 1 for rigid modes
//   Y, Z             weighted = M U, and the numbers of `low_rank`
//
// U, Lambda and f are evaluated at the start x0 of a step, with held vertices already at their
// final positions. So the correction is a quadratic function of x with gradient -M U (R - I) U' f0
// + M U (R - I) Lambda U' M (x - x0). This is exact for the linear law, and it is what the paper
// does in its linearly implicit Euler steps. Damping by stiffness uses K''. The midpoint rule takes
// the gradient at the middle of the step.
//
// The initial guess for the modes of a step is the modes at rest, rotated with the body, never the
// modes of the previous step. So a step depends on its state alone. Ratios follow their modes
// (mode_match.h); the paper assigns them in the order of lambda.
#ifndef PL_EIGENFIT_EIGENFIT_H
#define PL_EIGENFIT_EIGENFIT_H

#include "modes/mode_multigrid.h"
#include "step/step_objective.h"
#include "step/step_term.h"

// Everything is copied.
typedef struct pl_eigenfit_input {
    int vertex_count;
    const int* neighbour_offsets; // graph of the system's vertices
    const int* neighbours;
    const double* rest; // 3 per vertex
    // Held vertices and directions, for the modes at rest and for every step. A step that holds
    // others has no correction. The positions where they are held do not matter.
    const bool* fixed; // per vertex; NULL: none
    const pl_hold* holds;
    int hold_count;
    // Modes at rest in ascending order, rigid modes first.
    int mode_count, rigid_count;
    const double* lambda;  // [1/s^2]
    const double* shapes;  // 3 per vertex, mode after mode
    const double* ratios;  // per mode; not used for rigid modes
    bool is_linear;        // the law is linear: modes never change
    bool materials_change; // materials may change between steps
    bool falls_back;       // steps whose modes do not agree with those at rest have no correction
    double tolerance;      // of pl_modes_agree
} pl_eigenfit_input;

typedef struct pl_eigenfit_term pl_eigenfit_term;

pl_status pl_eigenfit_term_create(const pl_eigenfit_input* input, pl_pool* pool,
                                  pl_eigenfit_term** out, pl_error* error);
void pl_eigenfit_term_destroy(pl_eigenfit_term* e);
// Replaces the modes at rest, for example when other vertices are held. On failure nothing changes.
pl_status pl_eigenfit_term_refit(pl_eigenfit_term* e, const pl_eigenfit_input* input,
                                 pl_error* error);

// For pl_step_add_term; belongs to e.
const pl_step_term* pl_eigenfit_term_of(pl_eigenfit_term* e);

// Results of the last step.
typedef struct pl_eigenfit_info {
    bool found;           // modes were found; otherwise the step had no correction
    bool agrees;          // they agree with those at rest (pl_modes_agree)
    int applications;     // number of multigrid cycles
    const double* lambda; // of mode_count modes
    const int* match;     // for each, the matching mode at rest
} pl_eigenfit_info;
pl_eigenfit_info pl_eigenfit_term_info(const pl_eigenfit_term* e);

#endif
