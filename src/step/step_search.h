// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Convergence and step length of each connected piece of a minimisation. Phi is a sum over pieces,
// so each has its own load, residual and step length.
#ifndef PL_STEP_SEARCH_H
#define PL_STEP_SEARCH_H

#include "method/method.h"
#include "step/step_minimiser.h"
#include "step/step_objective.h"
#include "step/step_settings.h"

// If it fails, call pl_search_free, which frees what was allocated.
pl_status pl_search_setup(pl_search* s, int piece_count, pl_error* error);
void pl_search_free(pl_search* s);

// Of piece k of the system: its number among the pieces in use.
int pl_search_piece_in_use(const pl_minimiser* m, int k);
// True if terms have joined pieces that are still separate in m->pieces.
bool pl_search_joins_more(const pl_minimiser* m, const pl_step_objective* f);
// Merges these pieces. False if there are none.
bool pl_search_join(pl_minimiser* m, const pl_step_objective* f);
// Computes loads; call it before the first iteration.
void pl_search_begin(pl_minimiser* m, const pl_step_objective* f);
// gradient = dPhi/dx at x; evaluates only what the last line search did not.
void pl_search_gradient(pl_minimiser* m, const pl_step_objective* f);
// Compares the gradient of each piece with its load; true if any piece is not at its minimum.
// info->residual becomes the worst residual, and info->converged is set if all pieces are at their
// minimum.
bool pl_search_judge(pl_minimiser* m, const pl_step_objective* f, const pl_step_settings* settings,
                     bool first, pl_method_info* info);
// True if Phi does not rise along the direction for any open piece. Computes slopes and steps.
bool pl_search_descends(pl_minimiser* m, const pl_step_objective* f);
// x += direction
void pl_search_full_step(pl_minimiser* m, const pl_step_objective* f);
// Moves each open piece along the direction; false if Phi falls enough for no piece.
bool pl_search_line(pl_minimiser* m, const pl_step_objective* f);
// The vertex with the largest part of the gradient, relative to the load of its piece.
int pl_search_worst_vertex(const pl_minimiser* m);
// Replaces each piece of x by that of the trial if Phi is smaller there. True if any was replaced.
bool pl_search_take_lower(pl_minimiser* m, const pl_step_objective* f);
// Discards stored values of Phi, because it has become another function.
void pl_search_forget(pl_minimiser* m);
// True if Phi(x) is finite.
bool pl_search_is_finite(pl_minimiser* m, const pl_step_objective* f);

#endif
