// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One step of a body in its lattice (Zhu 2010, section 8): the loads on it, and the parts of a
// step.
#ifndef PL_GRID_STEP_H
#define PL_GRID_STEP_H

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
    bool may_repeat, is_repeated; // see pl_method_step: is_coupled, is_repeated
    // Outputs that the world requests, or NULL; see pl_method_step.
    double *pin_forces, *obstacle_forces;
    int obstacle_count;
    pl_array* reports; // of contacts, with room for all of them
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

// Starts a step: cells of pinned vertices become Dirichlet cells, and the initial guess of the
// positions is set.
pl_status pl_grid_step_begin(pl_grid_body* body, const pl_grid_loads* loads, pl_error* error);
// One cycle. positions: current ones, 3 per vertex of the body, for pins with springs and contacts.
// Returns the residual relative to the load.
double pl_grid_step_cycle(pl_grid_body* body, const pl_grid_loads* loads, const double* positions);
// Adds a translation to the positions of all faces.
void pl_grid_translate(pl_grid_body* body, const double way[3]);
// After a step, with the exterior faces extended: true if the law is linear and a twentieth of the
// cells have rotated by more than 20 degrees, which makes them a tenth too large.
bool pl_grid_has_turned(const pl_grid_body* body);
void pl_grid_step_end(pl_grid_body* body, const pl_grid_loads* loads);

// ------------------------------------------------------------------ Dirichlet cells: cells that
// hard pins hold (grid_dirichlet.c)

// Finds the Dirichlet cells and updates everything that depends on them, if pins have changed. The
// layout of fields may change.
pl_status pl_grid_update_dirichlet(pl_grid_body* body, const pl_grid_loads* loads, pl_error* error);
// Moves the faces of Dirichlet cells with the pins.
void pl_grid_move_dirichlet(pl_grid_body* body, const pl_grid_loads* loads);
// Displacement that the motion of an attachment gives to a point.
pl_vec3 pl_grid_fit_displacement(const pl_grid_fit* fit, pl_vec3 position);

// ------------------------------------------------------------------ springs and contacts
// (grid_springs.c)

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
// every held vertex. Returns true if they changed; the right-hand side is then overwritten.
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

// ------------------------------------------------------------------ the end of a step

// Conserves linear and angular momentum of the free pieces of a lattice: those without attachment
// or contact (grid_momentum.c).
// Call at the end of a step, before velocities are set. Moves and rotates each free piece so that
// only the forces on it change its momentum and, if the law allows rotations, its angular momentum.
// Overwrites the right-hand side.
void pl_grid_keep_momentum(pl_grid_body* body, const pl_grid_loads* loads);

// Mean of a field over the two faces across each axis of cell i of a segment; and the rest position
// of the cell's centre.
pl_vec3 pl_grid_cell_mean(double* const field[3], const pl_grid_segment* segment, int i);
pl_vec3 pl_grid_cell_rest(const pl_grid_body* body, const pl_grid_segment* segment, int i);

// Reaction forces of pins and obstacles (grid_springs.c).
// Call at the end of a step, before velocities are set. Adds the reactions to the outputs of
// `loads`. Overwrites the right-hand side.
void pl_grid_add_reactions(pl_grid_body* body, const pl_grid_loads* loads);

#endif
