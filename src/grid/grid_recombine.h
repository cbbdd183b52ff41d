// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Recombination of cycles: the best sum of the last few corrections in place of the last one.
//
// Coarse levels of a body with thin limbs hold them too stiffly, where limbs grow thicker with the
// cells, or too loosely, where two layers become one and bending is lost. A few motions of whole
// limbs are then corrected by too little or too much in every cycle, while all else converges fast.
// Such few motions are what minimal residuals over a short history take care of (generalised
// conjugate residuals, Eisenstat, Elman and Schultz 1983; with multigrid: Washio and Oosterlee
// 1997). The paper's cycle has no such step; residuals can no longer grow with it.
#ifndef PL_GRID_RECOMBINE_H
#define PL_GRID_RECOMBINE_H

#include "grid/grid_operator.h"

enum { PL_GRID_HISTORY = 8 };

typedef struct pl_grid_recombine {
    int most;        // corrections that are kept, at most PL_GRID_HISTORY
    int count, next; // those that there are, and where the next one goes
    size_t size;     // floats of a field
    bool has_last;   // pl_grid_recombine_mix: slot `next` has the last correction and move
    // x, y, z and pressures: corrections d of the state, and what they take off the residual, A d,
    // orthonormal among themselves
    float* change[PL_GRID_HISTORY][4];
    float* image[PL_GRID_HISTORY][4];
    float* work[2][4];
} pl_grid_recombine;

pl_status pl_grid_recombine_create(const pl_grid_level* level, int most, pl_grid_recombine* out,
                                   pl_error* error);
void pl_grid_recombine_free(pl_grid_recombine* history);
// After a change of the equations.
void pl_grid_recombine_reset(pl_grid_recombine* history);

// Around a cycle: before it, with the residual in f and g of the level; and after it, with the
// correction in u and c. The second adds to the state, in place of pl_grid_correct, and leaves the
// new residual in f and g; its norm is returned.
void pl_grid_recombine_begin(pl_grid_recombine* history, const pl_grid_level* level);
double pl_grid_recombine_end(pl_grid_recombine* history, pl_grid_level* level, pl_grid_state* state,
                             pl_pool* pool);

// In place of both, after a cycle: the sum that makes the correction itself smallest, in place of
// the residual (Anderson 1965; generalised minimal residuals, preconditioned from the left). For
// bodies that bend softly: there the way to the solution leads through residuals many times as
// large, because a little stretching has larger forces than all of the bending, and where the
// residual may not grow nothing moves.
void pl_grid_recombine_mix(pl_grid_recombine* history, pl_grid_level* level, pl_grid_state* state,
                           pl_pool* pool);

// The part of it that other lattices share: with the residual before a cycle in image[next] and the
// correction in change[next], of which the state has all, and the residual after it, how much of
// each correction makes the residual smallest. That is left in it; its norm is returned.
double pl_grid_recombine_shares(pl_grid_recombine* history, float* const residual[4],
                                double shares[PL_GRID_HISTORY], pl_pool* pool);

// Sets of fields; false where memory is out, and then some may be there.
bool pl_grid_fields_create(size_t size, float* out[4]);
void pl_grid_fields_free(size_t size, float* fields[4]);
// Of sets of fields: the sum of products; y += factor x, or y *= factor where x is NULL.
double pl_grid_fields_product(size_t size, float* const x[4], float* const y[4], pl_pool* pool);
void pl_grid_fields_add(size_t size, double factor, float* const* x, float* const y[4],
                        pl_pool* pool);

#endif
