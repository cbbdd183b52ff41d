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

#include "grid/grid_lattice.h"

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
    float* own_move[4];  // of the state by the last correction alone,
    float* past_move[4]; // and by recombination with the others
} pl_grid_recombine;

pl_status pl_grid_recombine_create(const pl_grid_level* level, int most, pl_grid_recombine* out,
                                   pl_error* error);
void pl_grid_recombine_free(pl_grid_recombine* history);
// After a change of the equations.
void pl_grid_recombine_reset(pl_grid_recombine* history);

// A lattice whose cycles are recombined.
typedef struct pl_grid_iteration {
    void* levels;
    pl_grid_state* state;
    double cell;        // edge of a cell [m]
    float* residual[4]; // of faces across x, y, z and of cells
    // Sets the residual for the present positions of the state, and returns its norm.
    double (*find_residual)(const struct pl_grid_iteration* iteration);
    // The correction of the last cycle, in the order of the state; zero where nothing is variable.
    void (*take)(const struct pl_grid_iteration* iteration, float* const to[4]);
    pl_pool* pool;
} pl_grid_iteration;

// Around a cycle. Before it, with its residual: begin. After it: try moves the state by the cycle's
// correction alone, and returns the residual there; finish moves it on to where the residual of the
// best sum with older corrections is, which is left in `residual`, and returns its norm.
void pl_grid_recombine_begin(pl_grid_recombine* history, const pl_grid_iteration* iteration);
double pl_grid_recombine_try(pl_grid_recombine* history, const pl_grid_iteration* iteration);
double pl_grid_recombine_finish(pl_grid_recombine* history, const pl_grid_iteration* iteration);
// Should the sum have led uphill after all: the state as try left it, and all older corrections
// forgotten. Should try have led uphill: the state before it.
void pl_grid_recombine_separate(pl_grid_recombine* history, const pl_grid_iteration* iteration);
void pl_grid_recombine_take_back(pl_grid_recombine* history, const pl_grid_iteration* iteration);

// In place of these, after a cycle: the sum that makes the correction itself smallest, in place of
// the residual (Anderson 1965; generalised minimal residuals, preconditioned from the left). For
// bodies that bend softly: there the way to the solution leads through residuals many times as
// large, because a little stretching has larger forces than all of the bending, and where the
// residual may not grow nothing moves.
void pl_grid_recombine_mix(pl_grid_recombine* history, const pl_grid_iteration* iteration);

// One more correction of a sum: with the residual before it in image[next] and the correction in
// change[next], of which the sum has all, and the residual after it, how much of each correction
// makes the residual smallest. That is left in it; its norm is returned.
double pl_grid_recombine_shares(pl_grid_recombine* history, float* const residual[4],
                                double shares[PL_GRID_HISTORY], pl_pool* pool);

// Of sets of fields: y += factor x, or y *= factor where x is NULL.
void pl_grid_fields_add(size_t size, double factor, float* const* x, float* const y[4],
                        pl_pool* pool);

#endif
