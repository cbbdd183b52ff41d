// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The data of a minimisation: step_newton.h runs it, step_search.h chooses its step lengths.
#ifndef PL_STEP_MINIMISER_H
#define PL_STEP_MINIMISER_H

#include "base/array.h"
#include "step/step_low_rank.h"
#include "step/step_pieces.h"
#include "step/step_solvers.h"

enum { PL_SEARCH_MEMORY = 4 };

// Friction of a piece by the normal forces in use, compared with that by the normal forces at x.
typedef struct pl_piece_friction {
    double error, square; // sum of the lengths of the differences [N], and of their squares
    double limit;         // sum of coefficients times normal forces at x [N]
    double normal_square; // of the gradient along the normals of contacts
    double error_before;  // when normal forces followed last; infinite: they have not yet [N]
} pl_piece_friction;

typedef struct pl_piece_search {
    double load;                     // largest of outer forces and of those at the start [N]
    double noise;                    // round-off of forces [N]
    double values[PL_SEARCH_MEMORY]; // last values of Phi
    int value_count;
    double before, bound; // Phi at x; what it must not exceed after the step
    pl_piece_friction friction;
} pl_piece_search;

// One number or flag per piece in each array.
typedef struct pl_search {
    int piece_count; // that there is room for: those of the system
    pl_piece_search* piece;
    bool* open;              // not at its minimum: it takes part in the iteration
    bool* trying;            // its step is not short enough yet
    bool* longer;            // a longer step is tried
    bool* chosen;            // takes part in a single evaluation
    double *norms, *inertia; // of the gradient; of the forces that change the motion, or in
                             // quasistatics of those within [N]
    double* slopes;          // of Phi along the direction
    double* steps;           // |direction| [m]
    double* lengths;         // of the step, in directions
    double *after, *tried;   // Phi at m->trial; at what is tried
    double* straight;        // Phi at what is tried before springs relax
    double* parts;           // of the way, that may be gone
    bool is_finite;          // Phi(x) is known to be finite
    bool limits_ways;        // not every way from one iterate to another may be gone
    bool is_stopped;         // something was in the way of the last step
    bool has_relaxed;        // springs were relaxed in the last step
} pl_search;

struct pl_minimiser {
    const pl_step_pieces* pieces; // borrowed: those in use
    const pl_step_pieces* apart;  // those of the system, or all of them in one
    pl_step_pieces* islands;      // for when terms join pieces; NULL: nothing joins pieces
    pl_search search;
    pl_block_matrix A;       // of the solver, which may leave it without values
    pl_newton_solver newton; // none for Projective Dynamics
    pl_step_relax relax;     // for cloth of springs; else none
    pl_low_rank_work low_rank;
    int count;                   // 3 per vertex
    const pl_deadline* deadline; // of the step; NULL: none
    double* x;                   // start and result
    double value;  // Phi(x) without contacts, of a system of one piece; NaN: not known
    double* trial; // of the line search
    double* gradient;
    double* trial_gradient;
    double *further, *further_gradient; // a step that is longer than the trial
    bool gradient_known;                // at x, without contacts
    double* direction;
    double* scratch;         // twice as long
    pl_array contacts;       // of pl_contact
    pl_array found;          // of pl_contact: those of this iteration
    pl_vertex_bound* bounds; // per vertex, where springs relax: work
    int* contact_mark;       // per vertex: the last iteration that found it in contact
    int* contact_at;         // per vertex: its first contact in the list before
    int* contact_losses;     // per vertex: contacts that it went out of in this step
    double* friction_dual;
    // quasistatics: mean stiffness of each vertex at rest [N/m]; else NULL
    double* rest_stiffness;
    bool rest_stale; // materials have changed since
};

#endif
