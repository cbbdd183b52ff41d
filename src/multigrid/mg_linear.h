// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid of 3 x 3 blocks behind the interface of all linear solvers.
#ifndef PL_MULTIGRID_MG_LINEAR_H
#define PL_MULTIGRID_MG_LINEAR_H

#include "multigrid/block_multigrid.h"
#include "sparse/linear_solver.h"

// PL_LINEAR_MULTIGRID (cycles; with `fallback` conjugate gradients where they stall) or
// PL_LINEAR_MGPCG. A has blocks of 3 and is kept by reference; its values are looked at if the
// sampling is to follow stiffness. positions: 3 per row, at rest.
pl_status pl_mg_linear_setup(pl_linear kind, const pl_block_matrix* A, const double* positions,
                             const pl_mg_settings* settings, bool fallback, pl_pool* pool,
                             pl_linear_solver** out, pl_error* error);

#endif
