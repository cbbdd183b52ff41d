// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes without a factor: Davidson's method, preconditioned by a cycle of multigrid for K + sigma
// M.
#ifndef PL_MODES_MODE_MULTIGRID_H
#define PL_MODES_MODE_MULTIGRID_H

#include "modes/mode_problem.h"

typedef struct pl_modes_multigrid pl_modes_multigrid;

// The problem has positions.
pl_status pl_modes_multigrid_create(const pl_modes_problem* p, pl_pool* pool,
                                    pl_modes_multigrid** out, pl_error* error);
// The `wanted` lowest modes, at most PL_DAVIDSON_MAX, in ascending order; `start_count` shapes near
// them may be given. Counts cycles. *found is false, without an error, if cycles do not get there.
pl_status pl_modes_multigrid_find(pl_modes_multigrid* m, int wanted, double tolerance,
                                  int start_count, const double* start, double* lambda,
                                  double* shapes, int* applications, bool* found, pl_error* error);
void pl_modes_multigrid_destroy(pl_modes_multigrid* m);

#endif
