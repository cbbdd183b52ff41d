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

// Friction of a piece with the normal forces in use, compared with that for the normal forces at x.
typedef struct pl_piece_friction {
    double error, square; // sum of the lengths of the differences [N], and of their squares
    double limit;         // sum of coefficients times normal forces at x [N]
    double normal_square; // of the gradient along the normals of contacts
    double error_before;  // error at the last update of normal forces [N]; infinite: none yet
} pl_piece_friction;

typedef struct pl_piece_search {
    double load;                     // largest of external forces and initial forces [N]
    double noise;                    // round-off of forces [N]
    double values[PL_SEARCH_MEMORY]; // last values of Phi
    int value_count;
    double before, bound; // Phi at x; upper bound for Phi after the step
    pl_piece_friction friction;
} pl_piece_search;

// One number or flag per piece in each array.
typedef struct pl_search {
    int piece_count; // capacity: the pieces of the system
    pl_piece_search* piece;
    bool* open;              // not at its minimum: it takes part in the iteration
    bool* trying;            // its step is still being shortened
    bool* longer;            // a longer step is tried
    bool* chosen;            // takes part in the current evaluation
    double *norms, *inertia; // of the gradient; of the forces that change the motion, in
                             // quasistatics of internal forces [N]
    double* slopes;          // of Phi along the direction
    double* steps;           // |direction| [m]
    double* lengths;         // step lengths, relative to the direction
    double *after, *tried;   // Phi at m->trial; at the positions being tried
    double* straight;        // Phi at the positions being tried, before springs relax
    double* parts;           // fraction of the path that a piece may move
    bool is_finite;          // Phi(x) is known to be finite
    bool limits_ways;        // some terms limit the paths between iterates
    bool is_stopped;         // an obstacle limited the last step
    bool has_relaxed;        // springs were relaxed in the last step
} pl_search;

struct pl_minimiser {
    const pl_step_pieces* pieces; // borrowed: those in use
    const pl_step_pieces* apart;  // the pieces of the system, or one with all vertices if a term
                                  // always joins them
    pl_step_pieces* islands;      // used when terms join pieces; NULL: no term does
    pl_search search;
    pl_block_matrix A;       // of the solver, which may not need its values
    pl_newton_solver newton; // none for Projective Dynamics
    pl_step_relax relax;     // for cloth made of springs; else none
    pl_low_rank_work low_rank;
    int count;                   // 3 per vertex
    const pl_deadline* deadline; // of the step; NULL: none
    double* x;                   // start and result
    double value;  // Phi(x) without contacts, for a system of one piece; NaN: not known
    double* trial; // of the line search
    double* gradient;
    double* trial_gradient;
    double *further, *further_gradient; // a step longer than the trial
    bool gradient_known;                // at x, without contacts
    double* direction;
    double* scratch;         // twice as long
    pl_array contacts;       // of pl_contact
    pl_array found;          // of pl_contact: those of this iteration
    pl_vertex_bound* bounds; // per vertex, while springs relax: work
    int* contact_mark;       // per vertex: the last iteration in which it was in contact
    int* contact_at;         // per vertex: its first contact in the previous list
    int* contact_losses;     // per vertex: how often it left a contact in this step
    double* friction_dual;
    // quasistatics: mean stiffness of each vertex at rest [N/m]; else NULL
    double* rest_stiffness;
    bool rest_stale; // materials have changed since
};

#endif
