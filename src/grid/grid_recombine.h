// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Recombination of cycles: applies the best linear combination of the last few corrections instead
// of the last one alone.
//
// Coarse levels of a body with thin limbs are wrong in two ways: too stiff where limbs grow thicker
// with the cells, and too soft where two layers become one and bending is lost. Every cycle then
// corrects a few motions of whole limbs by too little or too much, while everything else converges
// fast. Minimising the residual over a short history removes such few modes (generalised conjugate
// residuals, Eisenstat, Elman and Schultz 1983; with multigrid: Washio and Oosterlee 1997). The
// paper's cycle has no such step. With it, the residual cannot grow.
#ifndef PL_GRID_RECOMBINE_H
#define PL_GRID_RECOMBINE_H

#include "grid/grid_lattice.h"

enum { PL_GRID_HISTORY = 8 };

typedef struct pl_grid_recombine {
    int most;        // number of corrections to keep, at most PL_GRID_HISTORY
    int count, next; // number kept now, and slot of the next one
    size_t size;     // number of floats in a field
    bool has_last;   // for pl_grid_recombine_mix: slot `next` holds the last correction and move
    // fields x, y, z and pressure: corrections d of the state, and their images A d, which are
    // orthonormal
    float* change[PL_GRID_HISTORY][4];
    float* image[PL_GRID_HISTORY][4];
    float* own_move[4];  // move of the state by the last correction alone,
    float* past_move[4]; // and by recombination with the others
} pl_grid_recombine;

pl_status pl_grid_recombine_create(const pl_grid_level* level, int most, pl_grid_recombine* out,
                                   pl_error* error);
void pl_grid_recombine_free(pl_grid_recombine* history);
// Call after the equations change.
void pl_grid_recombine_reset(pl_grid_recombine* history);

// A lattice whose cycles are recombined.
typedef struct pl_grid_iteration {
    void* levels;
    pl_grid_state* state;
    double cell;        // edge of a cell [m]
    float* residual[4]; // faces across x, y, z, and cells
    // One cycle from the current residual.
    void (*cycle)(const struct pl_grid_iteration* iteration);
    // Computes the residual at the current state and returns its norm.
    double (*find_residual)(const struct pl_grid_iteration* iteration);
    // Copies the correction of the last cycle, in the order of the state; zero where there is no
    // variable.
    void (*take)(const struct pl_grid_iteration* iteration, float* const to[4]);
    pl_pool* pool;
} pl_grid_iteration;

// Result of a recombined cycle: the norm of the residual after its correction alone, and after the
// best combination with older corrections.
typedef struct pl_grid_recombined {
    double alone, best;
} pl_grid_recombined;

// One cycle from the current residual. Moves the state by its correction, and on to the best
// combination with older ones; `residual` is then that of the combination if the equations are
// linear. If the correction alone leaves more than `most`, restores the state and returns false.
bool pl_grid_recombine_cycle(pl_grid_recombine* history, const pl_grid_iteration* iteration,
                             double most, pl_grid_recombined* out);
// separate restores the state after the cycle's correction alone, and forgets all older ones: use
// it if the combination raised the residual. take_back restores the state before the cycle.
void pl_grid_recombine_separate(pl_grid_recombine* history, const pl_grid_iteration* iteration);
void pl_grid_recombine_take_back(pl_grid_recombine* history, const pl_grid_iteration* iteration);

// Alternative to a recombined cycle: a cycle, and the combination that minimises the correction
// instead of the residual (Anderson 1965; GMRES with left preconditioning). For bodies with soft
// bending modes: the forces of a little stretching exceed those of all the bending, so the path to
// the solution passes through residuals many times as large. If the residual must not grow, the
// body does not move.
void pl_grid_recombine_mix(pl_grid_recombine* history, const pl_grid_iteration* iteration);

// Adds a correction to a combination. On entry image[next] holds the residual before it,
// change[next] the correction, which the state includes in full, and `residual` the residual after
// it. Computes the share of each correction that minimises the residual, leaves that residual in
// `residual` and returns its norm.
double pl_grid_recombine_shares(pl_grid_recombine* history, float* const residual[4],
                                double shares[PL_GRID_HISTORY], pl_pool* pool);

// For sets of `count` fields: their product; y += factor x, or y *= factor if x is NULL.
double pl_grid_fields_dot(size_t size, int count, float* const* x, float* const* y, pl_pool* pool);
void pl_grid_fields_add(size_t size, int count, double factor, float* const* x, float* const* y,
                        pl_pool* pool);
// Adds a multiple of a correction to the positions of a state, and to the pressures if it has four
// fields.
void pl_grid_state_move(pl_grid_state* state, size_t size, int count, double factor,
                        float* const* correction, pl_pool* pool);

#endif
