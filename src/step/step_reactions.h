// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The forces that pins and obstacles exert on a system at the end of a step.
#ifndef PL_STEP_REACTIONS_H
#define PL_STEP_REACTIONS_H

#include "method/method.h"
#include "step/step_objective.h"

typedef struct pl_step_reactions {
    int vertex_count;
    int* slot_of;      // per vertex: number in vertices + 1, or 0
    pl_array vertices; // of int: those that hard pins hold
    pl_array spans;    // of pl_mat3, for each of them: sum of the projections of its pins
    pl_array elements; // of int: elements at these vertices, set by set
    int element_counts[PL_MAX_ELEMENT_SETS]; // of each set among them
    pl_array known;                          // of int: vertices for which the elements were found
} pl_step_reactions;

pl_status pl_step_reactions_setup(pl_step_reactions* r, int vertex_count, pl_error* error);
void pl_step_reactions_free(pl_step_reactions* r);

// Computes the forces that a step asks for. x: the solution of the objective; scratch: 6 per
// vertex.
pl_status pl_step_reactions_find(pl_step_reactions* r, const pl_step_objective* f, const double* x,
                                 double* scratch, const pl_method_step* step, pl_error* error);

#endif
