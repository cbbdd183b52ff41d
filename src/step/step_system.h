// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A system of vertices and elements that moves in time: model, state and the solver of a step.
#ifndef PL_STEP_SYSTEM_H
#define PL_STEP_SYSTEM_H

#include "method/method.h"
#include "step/element_set.h"
#include "step/step_settings.h"
#include "step/step_solvers.h"

pl_step_settings pl_default_step_settings(void);
// The settings that the keys of a body request.
pl_step_settings pl_step_settings_of(const pl_body* body);

typedef struct pl_step_system pl_step_system;

// mass: per vertex [kg]; positions: 3 per vertex; neighbours: the other vertices that share an
// element with each vertex (CSR, ascending). Takes ownership of the sets, also on failure. solvers:
// those of the method (borrowed), or NULL.
pl_status pl_step_system_create(const double* positions, const double* mass, int vertex_count,
                                const int* neighbour_offsets, const int* neighbours,
                                pl_element_set* sets, int set_count,
                                const pl_step_settings* settings, const pl_step_solvers* solvers,
                                pl_pool* pool, pl_step_system** out, pl_error* error);
// Replaces the masses by those of M (block 1, the pattern of the system, row sums as in `mass`) and
// takes ownership of M.
void pl_step_use_mass_matrix(pl_step_system* system, pl_block_matrix* M);
// Adds a term, which is borrowed, to all later steps. Positions must be those at rest.
pl_status pl_step_add_term(pl_step_system* system, const pl_step_term* term, pl_error* error);
void pl_step_system_destroy(pl_step_system* system);

// One step. A step that fails leaves the state unchanged and says why. A step that does not
// converge has not failed.
pl_status pl_step_system_step(pl_step_system* system, const pl_method_step* step,
                              pl_method_info* info, pl_error* error);

// Fails, as the step would, if a force acts on a body at rest that nothing holds. Counts the rigid
// modes that nothing holds.
pl_status pl_step_system_check(pl_step_system* system, const pl_method_step* step,
                               int* rigid_mode_count, pl_error* error);

// Views of the state, 3 per vertex; writable between steps.
double* pl_step_positions(pl_step_system* system);
double* pl_step_velocities(pl_step_system* system);
const double* pl_step_masses(pl_step_system* system);

// The solver of Projective Dynamics, for inspection; its data is NULL if the system has none.
const pl_projective_solver* pl_step_projective_solver(const pl_step_system* system);

// See method.h. Supports the levels of Newton's matrix and of Projective Dynamics.
int pl_step_aggregates(pl_step_system* system, int level, int* nodes);

// Forgets earlier steps: the next one is of first order.
void pl_step_restart(pl_step_system* system);

// Views of the data that pl_method_functions.update rewrites between steps.
typedef struct pl_step_model {
    int vertex_count;
    double* mass;
    pl_block_matrix* mass_matrix; // NULL: lumped
    pl_element_set* sets;
    int set_count;
    pl_step_settings* settings;
    const pl_step_pieces* pieces; // connected pieces
} pl_step_model;

pl_step_model pl_step_system_model(pl_step_system* system);

// See `careful` of method.h. If set, implicit Euler damps the energy that other integrators keep,
// and steps are solved to their tolerance with a line search. Otherwise the settings of the body
// apply.
void pl_step_set_careful(pl_step_system* system, const pl_body* body, bool is_careful);

pl_method_energies pl_step_system_energies(pl_step_system* system);

// The state that later steps depend on, for checkpoints: its size in bytes, copied out and in.
size_t pl_step_state_size(const pl_step_system* system);
void pl_step_state_save(const pl_step_system* system, void* out);
void pl_step_state_load(pl_step_system* system, const void* in);

#endif
