// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes without a factor: Davidson's method, preconditioned by a cycle of multigrid for K + sigma
// M.
#ifndef PL_MODES_MODE_MULTIGRID_H
#define PL_MODES_MODE_MULTIGRID_H

#include "modes/mode_problem.h"

typedef struct pl_modes_multigrid pl_modes_multigrid;

// The problem has positions. stiffness_aware: levels follow the values of K at this time.
pl_status pl_modes_multigrid_create(const pl_modes_problem* p, bool stiffness_aware, pl_pool* pool,
                                    pl_modes_multigrid** out, pl_error* error);
// The values of K have changed, as in a step; what is held has not. Starts with the shift sigma,
// about a tenth of the lowest lambda that is not 0, so that results depend on nothing before.
// PL_ERROR_DIVERGED if cycles can do nothing with the values.
pl_status pl_modes_multigrid_update(pl_modes_multigrid* m, double sigma, pl_error* error);
// The `wanted` lowest modes, at most PL_DAVIDSON_MAX, in ascending order; `start_count` shapes near
// them may be given. Counts cycles. Allocates nothing if it did the same before. *found is false,
// without an error, if cycles do not get there.
pl_status pl_modes_multigrid_find(pl_modes_multigrid* m, int wanted, double tolerance,
                                  int start_count, const double* start, double* lambda,
                                  double* shapes, int* applications, bool* found, pl_error* error);
// The modes near `shapes`, which become them, as those of a step that start from shapes of another
// state. Several times faster than finding them. tolerance: of lambda, relative. *found is false,
// without an error, if the shapes are not near enough; then they are of no use. Allocates nothing
// if it did the same before.
pl_status pl_modes_multigrid_follow(pl_modes_multigrid* m, int count, double tolerance,
                                    double* lambda, double* shapes, int* applications, bool* found,
                                    pl_error* error);
void pl_modes_multigrid_destroy(pl_modes_multigrid* m);

#endif
