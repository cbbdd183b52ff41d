// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Forces of springs and contacts on a body in its lattice, and their contribution to the
// coefficients of the cycles.
#ifndef PL_GRID_SPRINGS_H
#define PL_GRID_SPRINGS_H

#include "grid/grid_body.h"

// Everything that acts on one body during a step. Points are counted from the body's first one; its
// vertices come first.
typedef struct pl_grid_loads {
    double time_step;
    double gravity[3];
    const double* force; // 3 per point, without gravity [N]
    const pl_pin* pins;  // of the whole system
    int pin_count;
    const pl_contact* contacts; // of the whole system; `vertex` counts points
    int contact_count;
    const double* start; // of the whole system: positions of points at the start of the step
    // Outputs that the world asks for, or NULL; see pl_method_step.
    double *pin_forces, *obstacle_forces;
    int obstacle_count;
    pl_array* told; // contacts, with room for all of them
} pl_grid_loads;

static inline bool pl_grid_is_own(const pl_grid_body* b, int vertex) {
    return vertex >= b->first_vertex && vertex < b->first_vertex + b->vertex_count;
}
static inline bool pl_grid_is_own_contact(const pl_grid_body* b, const pl_contact* c) {
    return c->vertex >= b->first_point && c->vertex < b->first_point + b->point_count;
}
// s of the equations of a step, see grid_step.c
static inline double pl_grid_softening(const pl_grid_body* b) {
    return b->dynamic ? 1.0 + b->damping_stiffness / b->implicit_time : 1.0;
}

// Whether a contact or a soft pin acts on the body.
bool pl_grid_has_springs(const pl_grid_body* body, const pl_grid_loads* loads);
// Computes forces on points at these positions, and their stiffness, into body->springs. Overwrites
// the right-hand side.
void pl_grid_find_spring_forces(pl_grid_body* body, const pl_grid_loads* loads,
                                const double* positions);
// Sums the requested stiffness at each face into state.f, which overwrites the right-hand side.
// Then the two functions below return the force of a single contact or pin.
void pl_grid_sum_spring_stiffness(pl_grid_body* body, const pl_grid_loads* loads);
pl_vec3 pl_grid_contact_force(const pl_grid_body* body, const pl_grid_loads* loads,
                              const pl_contact* contact, const double* positions);
pl_vec3 pl_grid_pin_force(const pl_grid_body* body, const pl_pin* pin, const double* positions);
// Sets the right-hand side of the state, including these forces.
void pl_grid_set_right_side(pl_grid_body* body, const pl_grid_loads* loads);
// Updates the coefficients for the last spring forces. They need not be exact, but must include
// every vertex that is held. Returns true if they changed; the right-hand side is then overwritten.
bool pl_grid_update_spring_coefficients(pl_grid_body* body);

// Sets the coefficients of a step without springs or contacts.
void pl_grid_set_coefficients(pl_grid_body* body);

typedef struct pl_grid_spring_context {
    pl_grid_body* body;
    const pl_grid_loads* loads;
    const double* positions; // current ones, used once and then NULL; or NULL
} pl_grid_spring_context;

// Updates the right-hand side for the current positions of the lattice, wherever an iteration tries
// them. user: a pl_grid_spring_context.
void pl_grid_update_springs(void* user);

#endif
