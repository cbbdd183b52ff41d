// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A term of the residual that a step drives to zero, in addition to those of the objective itself
// (inertia, elements, damping, loads, pins, contacts). Pressure is one. If a term has an energy,
// the term is its gradient. If a term has none, the step takes full Newton steps without a line
// search.
#ifndef PL_STEP_TERM_H
#define PL_STEP_TERM_H

#include "base/fail.h"

#include <stdbool.h>

struct pl_block_matrix;
struct pl_step_objective;

// Adds a 3 x 3 block, row-major, to the matrix: rows of vertex `row`, columns of vertex `column`.
typedef void (*pl_add_block)(void* to, int row, int column, const double block[9]);

// A part U C U' of a Hessian A + U C U'. Woodbury's formula needs `rank` solves with each A. A term
// that provides approximations of their results, A^-1 U, saves these solves (step_low_rank.h).
typedef struct pl_low_rank {
    int rank;
    const double* U; // columns one after the other, 3 per vertex
    const double* C; // rank x rank, symmetric, of any sign
    const double* Q; // columns that nearly span A^-1 U, zero in held directions; NULL: not known
    const double* E; // Q'U = 1 and Q'(A + U C U')Q = diag(E)^-1, approximately; 0: ignores a column
} pl_low_rank;

// The bound of a single vertex while all others are kept.
typedef struct pl_vertex_bound {
    double block[6]; // upper part of a 3 x 3 block, row by row; the blocks of all vertices together
                     // bound a Hessian from above
    double room;     // how far it may move if all others move no farther than their room [m]
} pl_vertex_bound;

typedef struct pl_step_term {
    void* user;
    // The energy at x. NULL: the term is not the gradient of a function.
    double (*energy)(const void* user, const double* x);
    // energies[piece] += that of the chosen connected pieces (chosen NULL: of all). NULL: the term
    // joins pieces, so that all count as one.
    void (*energies)(const void* user, const int* piece_of, const bool* chosen, const double* x,
                     double* energies);
    // gradient += that of the term at x, 3 per vertex; of held vertices too
    void (*gradient)(const void* user, const double* x, double* gradient);

    // All functions below may be NULL.
    //
    // Adds the blocks of the Hessian at x; projected: the fraction, from 0 to 1, to be projected to
    // positive semi-definite. Pairs of vertices that share no element are not in the matrix, and
    // their blocks are ignored: this slows convergence but does not change results.
    void (*hessian)(const void* user, const double* x, double projected, pl_add_block add,
                    void* to);
    // A further part of the Hessian at x; rank 0: none.
    pl_low_rank (*low_rank)(const void* user, const double* x);
    // `hessian` and `low_rank` may be indefinite and have no projected form. They are left out if
    // the direction would not descend with them.
    bool is_indefinite;
    // For terms that evaluate the elements when they begin, so that the step need not repeat it:
    // the elements' gradient at x, and their Hessian there, projected as in pl_step_hessian, in the
    // pattern of the step's matrix. Both return NULL if the term evaluated them at another x.
    const double* (*elastic_gradient)(const void* user, const double* x);
    const struct pl_block_matrix* (*stiffness)(const void* user, const double* x, double projected);
    // A step, or a part of one, starts; f has its start, its length and the held directions, but no
    // contacts.
    pl_status (*begin)(void* user, const struct pl_step_objective* f, pl_error* error);
    // The next iterate is x. lengths: of the step that led there, relative to the direction, per
    // piece; NULL: a minimisation starts at x.
    void (*follow)(void* user, const double* x, const int* piece_of, const double* lengths);
    // Lowers parts[piece of the system] to the fraction, from 0 to 1, of the straight path between
    // two iterates that its vertices may move. Pieces that `join` has joined get the same fraction.
    void (*free_parts)(const void* user, const double* from, const double* to, double* parts);
    // For a term that couples vertices without a common element: adds the bound of each vertex at x
    // to bounds[vertex].
    void (*bound)(const void* user, const double* x, pl_vertex_bound* bounds);
    // True if the term has joined pieces in this step, although it has `energies`.
    bool (*joins)(const void* user);
    // Joins them in disjoint sets of pieces of the system. Must exist if `joins` does.
    void (*join)(const void* user, int* roots);
    // True if the term becomes another function now, whose minimum is sought. left: 0 if x is a
    // minimum, else the length of the gradient there. The term then only changes if its forces
    // change by about as much.
    bool (*go_on)(void* user, const double* x, double left);
    // Fails if an evaluation failed.
    pl_status (*check)(const void* user, pl_error* error);
    // created[piece] += the energy that the midpoint rule creates in a step from start to end
    void (*created)(const void* user, const int* piece_of, const double* start, const double* end,
                    double* created);
} pl_step_term;

#endif
