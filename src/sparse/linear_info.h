// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Options and report of every linear solver.
#ifndef PL_SPARSE_LINEAR_INFO_H
#define PL_SPARSE_LINEAR_INFO_H

#include "base/deadline.h"

#include <stdbool.h>

typedef struct pl_linear_options {
    double tolerance;            // stop when |b - A x| <= tolerance |b|
    int max_iterations;          // at most this many
    const pl_deadline* deadline; // stop by then, but after at least one iteration; NULL: none
} pl_linear_options;

enum { PL_HISTORY_SIZE = 256 };

// What a solve did. A solve that does not converge is not an error: see `converged`.
typedef struct pl_linear_info {
    int iterations;
    bool converged;
    bool singular;              // direct: some pivots vanished
    bool indefinite;            // a direction of negative curvature was found: x is useless
    bool stalled;               // the watch ended the iteration
    bool preconditioner_failed; // the preconditioner is not positive definite, or not finite
    bool switched;              // multigrid stalled, and another solver took over
    int tiny_pivot_count;
    double residual; // |b - A x| / |b| at the end
    double update_seconds;
    double solve_seconds;
    int history_count; // relative residuals, the first PL_HISTORY_SIZE of them
    float history[PL_HISTORY_SIZE];
} pl_linear_info;

// True if the solve must stop here: its iterations are used up or its deadline has passed.
static inline bool pl_linear_is_over(const pl_linear_options* options, const pl_linear_info* info) {
    if (info->iterations >= options->max_iterations) return true;
    return options->deadline && info->iterations > 0 &&
           pl_deadline_now(options->deadline) >= options->deadline->end;
}

// True if the deadline ended the solve, not its tolerance or its limit of iterations.
static inline bool pl_linear_is_cut(const pl_linear_options* options, const pl_linear_info* info) {
    return options->deadline && !info->converged && info->iterations < options->max_iterations &&
           pl_deadline_now(options->deadline) >= options->deadline->end;
}

// Records the residual of another iteration.
static inline void pl_linear_note(pl_linear_info* info, double residual) {
    info->residual = residual;
    if (info->history_count < PL_HISTORY_SIZE)
        info->history[info->history_count++] = (float)residual;
}

// Replaces the last recorded residual by a better value.
static inline void pl_linear_note_again(pl_linear_info* info, double residual) {
    info->residual = residual;
    if (info->history_count > 0 && info->history_count < PL_HISTORY_SIZE)
        info->history[info->history_count - 1] = (float)residual;
}

#endif
