// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes without factoring: Davidson's method, preconditioned by a multigrid cycle for K + sigma M.
#ifndef PL_MODES_MODE_MULTIGRID_H
#define PL_MODES_MODE_MULTIGRID_H

#include "modes/mode_problem.h"

typedef struct pl_modes_multigrid pl_modes_multigrid;

// The problem must have positions. stiffness_aware: levels follow the present values of K.
pl_status pl_modes_multigrid_create(const pl_modes_problem* p, bool stiffness_aware, pl_pool* pool,
                                    pl_modes_multigrid** out, pl_error* error);
// Call when the values of K have changed, as in a step, with the same held unknowns. sigma, about a
// tenth of the lowest lambda that is not 0, becomes the shift, so that results do not depend on
// earlier ones. PL_ERROR_DIVERGED if the values are unusable for cycles.
pl_status pl_modes_multigrid_update(pl_modes_multigrid* m, double sigma, pl_error* error);
// Finds the `wanted` lowest modes, at most PL_DAVIDSON_MAX, in ascending order, optionally from
// `start_count` shapes near them. Counts cycles. Allocates nothing if called before with the same
// numbers. *found is false, without an error, if it does not converge.
pl_status pl_modes_multigrid_find(pl_modes_multigrid* m, int wanted, double tolerance,
                                  int start_count, const double* start, double* lambda,
                                  double* shapes, int* applications, bool* found, pl_error* error);
// Improves `shapes` to modes near them, for instance from those of another state. Several times
// faster than finding modes anew. tolerance: of lambda, relative. *found is false, without an
// error, if the shapes are not near enough; they are then useless. Allocates nothing if called
// before with the same numbers.
pl_status pl_modes_multigrid_follow(pl_modes_multigrid* m, int count, double tolerance,
                                    double* lambda, double* shapes, int* applications, bool* found,
                                    pl_error* error);
void pl_modes_multigrid_destroy(pl_modes_multigrid* m);

#endif
