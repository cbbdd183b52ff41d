// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Keeps the implicit midpoint rule from creating and losing elastic energy.
#ifndef PL_STEP_MIDPOINT_H
#define PL_STEP_MIDPOINT_H

#include "step/step_objective.h"
#include "step/step_pieces.h"

typedef struct pl_midpoint pl_midpoint;

// pieces: borrowed.
pl_status pl_midpoint_create(const pl_step_pieces* pieces, pl_midpoint** out, pl_error* error);
void pl_midpoint_destroy(pl_midpoint* m);

// After a midpoint step from `start` (3 per vertex) to `end`: adds the energy that the step created
// to each piece's account. A positive account is taken out of the velocities; a negative one is
// given back, up to 1 % of the energy. scratch: 6 per vertex. Returns false if a piece created more
// energy than its deformation has as kinetic energy: the caller should take a smaller step.
bool pl_midpoint_balance(pl_midpoint* m, const pl_step_objective* f, const double* start,
                         const double* end, double* velocities, double* scratch);
// True if the last balanced step ended with a finite elastic energy.
bool pl_midpoint_is_finite(const pl_midpoint* m);
// Forgets what earlier steps created.
void pl_midpoint_restart(pl_midpoint* m);

// This is part of the state: one number per piece.
size_t pl_midpoint_state_size(const pl_midpoint* m);
void pl_midpoint_state_save(const pl_midpoint* m, void* out);
void pl_midpoint_state_load(pl_midpoint* m, const void* in);

#endif
