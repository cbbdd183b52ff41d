// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Forces of springs and contacts on a body in its lattice, and what they do to the coefficients.
#ifndef PL_GRID_REACTIONS_H
#define PL_GRID_REACTIONS_H

#include "grid/grid_step.h"

// Whether a contact or a pin with a spring acts on the body.
bool pl_grid_has_reactions(const pl_grid_body* body, const pl_grid_acts* acts);
// Forces on vertices at these positions, and their stiffness, into body->reaction. The right side
// is lost.
void pl_grid_find_reactions(pl_grid_body* body, const pl_grid_acts* acts, const double* positions);
// The right side of the state, with these forces.
void pl_grid_set_right_side(pl_grid_body* body, const pl_grid_acts* acts);
// Coefficients that go with the last reactions: they need not be exact, but must know every vertex
// that is held. True, and the right side lost, where they changed.
bool pl_grid_follow_reactions(pl_grid_body* body, const pl_grid_acts* acts);

typedef struct pl_grid_reactor {
    pl_grid_body* body;
    const pl_grid_acts* acts;
    const double* positions; // present ones of vertices, until they have been used; or NULL
} pl_grid_reactor;

// The right side at the present positions of the lattice, wherever an iteration tries them; user is
// a pl_grid_reactor.
void pl_grid_react(void* user);

#endif
