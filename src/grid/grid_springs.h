// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Forces of springs and contacts on a body in its lattice, and what they do to the coefficients.
#ifndef PL_GRID_SPRINGS_H
#define PL_GRID_SPRINGS_H

#include "grid/grid_body.h"

// What acts on one body; points are counted from the body's first, vertices are the first of them.
typedef struct pl_grid_acts {
    double time_step;
    double gravity[3];
    const double* force; // 3 per point, without gravity [N]
    const pl_pin* pins;  // of the whole system
    int pin_count;
    const pl_contact* contacts; // of the whole system; `vertex` counts points
    int contact_count;
    const double* start; // of the whole system: positions of points at the start of the step
    // What the world asks for, or NULL; see pl_method_step.
    double *pin_forces, *obstacle_forces;
    int obstacle_count;
} pl_grid_acts;

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

// Whether a contact or a pin with a spring acts on the body.
bool pl_grid_has_reactions(const pl_grid_body* body, const pl_grid_acts* acts);
// Forces on points at these positions, and their stiffness, into body->reaction. The right side
// is lost.
void pl_grid_find_reactions(pl_grid_body* body, const pl_grid_acts* acts, const double* positions);
// Single ones of these forces, after their crowds are known. The right side is lost.
void pl_grid_crowd_reactions(pl_grid_body* body, const pl_grid_acts* acts);
pl_vec3 pl_grid_contact_force(const pl_grid_body* body, const pl_grid_acts* acts,
                              const pl_contact* contact, const double* positions);
pl_vec3 pl_grid_pin_force(const pl_grid_body* body, const pl_pin* pin, const double* positions);
// The right side of the state, with these forces.
void pl_grid_set_right_side(pl_grid_body* body, const pl_grid_acts* acts);
// Coefficients that go with the last reactions: they need not be exact, but must know every vertex
// that is held. True, and the right side lost, where they changed.
bool pl_grid_follow_reactions(pl_grid_body* body);

// Coefficients of a step without reactions.
void pl_grid_set_coefficients(pl_grid_body* body);

typedef struct pl_grid_reactor {
    pl_grid_body* body;
    const pl_grid_acts* acts;
    const double* positions; // present ones of vertices, until they have been used; or NULL
} pl_grid_reactor;

// The right side at the present positions of the lattice, wherever an iteration tries them; user is
// a pl_grid_reactor.
void pl_grid_react(void* user);

#endif
