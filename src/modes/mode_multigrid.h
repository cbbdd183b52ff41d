// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Finds modes without factoring a matrix, by Davidson's method. The preconditioner is a multigrid
// cycle for K + sigma M.
#ifndef PL_MODES_MODE_MULTIGRID_H
#define PL_MODES_MODE_MULTIGRID_H

#include "modes/mode_problem.h"

typedef struct pl_modes_multigrid pl_modes_multigrid;

// The problem must have positions. stiffness_aware: levels follow the present values of K.
pl_status pl_modes_multigrid_create(const pl_modes_problem* p, bool stiffness_aware, pl_pool* pool,
                                    pl_modes_multigrid** out, pl_error* error);
// Call this when the values of K have changed, as in each step; held unknowns stay the same. sigma
// becomes the shift, so that results do not depend on earlier ones; use about a tenth of the lowest
// lambda that is not 0. Returns PL_ERROR_DIVERGED if multigrid cannot use the values.
pl_status pl_modes_multigrid_update(pl_modes_multigrid* m, double sigma, pl_error* error);
// Finds the `wanted` lowest modes, at most PL_DAVIDSON_MAX, in ascending order. start: initial
// guess of `start_count` shapes, which may be 0. Counts cycles. Allocates nothing if called before
// with the same numbers. If it does not converge, *found is false and there is no error.
pl_status pl_modes_multigrid_find(pl_modes_multigrid* m, int wanted, double tolerance,
                                  int start_count, const double* start, double* lambda,
                                  double* shapes, int* applications, bool* found, pl_error* error);
// Improves `shapes`, for example the modes of another state, to the modes near them. This is
// several times faster than finding modes anew. tolerance: of lambda, relative. If the shapes are
// not near enough, *found is false, there is no error, and the shapes are useless. Allocates
// nothing if called before with the same numbers.
pl_status pl_modes_multigrid_follow(pl_modes_multigrid* m, int count, double tolerance,
                                    double* lambda, double* shapes, int* applications, bool* found,
                                    pl_error* error);
void pl_modes_multigrid_destroy(pl_modes_multigrid* m);

#endif
