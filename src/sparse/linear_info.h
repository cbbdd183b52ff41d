// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What every linear solver is asked for and what it reports.
#ifndef PL_SPARSE_LINEAR_INFO_H
#define PL_SPARSE_LINEAR_INFO_H

#include "base/deadline.h"

#include <stdbool.h>

typedef struct pl_linear_options {
    double tolerance;            // stop when |b - A x| <= tolerance |b|
    int max_iterations;          // or after so many
    const pl_deadline* deadline; // or then, but not before the first iteration; NULL: never
} pl_linear_options;

enum { PL_HISTORY_SIZE = 256 };

// What a solve did. A solve that does not converge is not an error: see `converged`.
typedef struct pl_linear_info {
    int iterations;
    bool converged;
    bool singular;              // direct: pivots vanished
    bool indefinite;            // a direction of negative curvature was met: x is of no use
    bool stalled;               // the watch of the iteration ended it
    bool preconditioner_failed; // the preconditioner is not positive definite, or not finite
    bool switched;              // multigrid stalled, and another solver took over
    int tiny_pivot_count;
    double residual; // |b - A x| / |b| at the end
    double update_seconds;
    double solve_seconds;
    int history_count; // relative residuals, the first PL_HISTORY_SIZE of them
    float history[PL_HISTORY_SIZE];
} pl_linear_info;

// True if no iteration may follow those that info counts.
static inline bool pl_linear_is_over(const pl_linear_options* options, const pl_linear_info* info) {
    if (info->iterations >= options->max_iterations) return true;
    return options->deadline && info->iterations > 0 &&
           pl_deadline_now(options->deadline) >= options->deadline->end;
}

// True if the deadline ended the solve before its tolerance and its last iteration.
static inline bool pl_linear_is_cut(const pl_linear_options* options, const pl_linear_info* info) {
    return options->deadline && !info->converged && info->iterations < options->max_iterations &&
           pl_deadline_now(options->deadline) >= options->deadline->end;
}

// The residual of another iteration.
static inline void pl_linear_note(pl_linear_info* info, double residual) {
    info->residual = residual;
    if (info->history_count < PL_HISTORY_SIZE)
        info->history[info->history_count++] = (float)residual;
}

// A better value of the residual that was noted last.
static inline void pl_linear_note_again(pl_linear_info* info, double residual) {
    info->residual = residual;
    if (info->history_count > 0 && info->history_count < PL_HISTORY_SIZE)
        info->history[info->history_count - 1] = (float)residual;
}

#endif
