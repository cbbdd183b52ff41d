// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A system of vertices and elements that moves in time: model, state and the solver of a step.
#ifndef PL_FEM_SYSTEM_H
#define PL_FEM_SYSTEM_H

#include "fem/element_set.h"
#include "fem/fem_settings.h"
#include "method/method.h"
#include "sparse/linear_solver.h"

pl_fem_settings pl_default_fem_settings(void);

typedef struct pl_fem_system pl_fem_system;

// mass: per vertex [kg]; positions: 3 per vertex; neighbours: who shares an element with whom (CSR,
// ascending, without oneself). The sets are taken over, also when this fails.
pl_status pl_fem_system_create(const double* positions, const double* mass, int vertex_count,
                               const int* neighbour_offsets, const int* neighbours,
                               pl_element_set* sets, int set_count, const pl_fem_settings* settings,
                               pl_pool* pool, pl_fem_system** out, pl_error* error);
// From now on masses are those of M (block 1, the pattern of the system, row sums as in `mass`),
// which is taken over.
void pl_fem_use_mass_matrix(pl_fem_system* system, pl_block_matrix* M);
void pl_fem_system_destroy(pl_fem_system* system);

// One step. A step that fails leaves the state as it was and says why; not converging is no
// failure.
pl_status pl_fem_system_step(pl_fem_system* system, const pl_method_step* step,
                             pl_method_info* info, pl_error* error);

// Fails, as the step would, if a body at rest is pushed and nothing holds it; and how many rigid
// modes nothing holds.
pl_status pl_fem_system_check(pl_fem_system* system, const pl_method_step* step,
                              int* rigid_mode_count, pl_error* error);

// Views of the state, 3 per vertex; writable between steps.
double* pl_fem_positions(pl_fem_system* system);
double* pl_fem_velocities(pl_fem_system* system);
const double* pl_fem_masses(pl_fem_system* system);
int pl_fem_vertex_count(const pl_fem_system* system);

// The step of Projective Dynamics on multigrid, where there is one, to be looked at; else NULL.
struct pl_projective_fast* pl_fem_projective_of(pl_fem_system* system);

// See method.h. Levels of Newton's matrix and of Projective Dynamics are known here.
int pl_fem_aggregates(pl_fem_system* system, int level, int* nodes);

// Forgets the steps before: the next one is of first order.
void pl_fem_restart(pl_fem_system* system);

// What fem_update.c rewrites between steps; views.
typedef struct pl_fem_model {
    int vertex_count;
    double* mass;
    pl_block_matrix* mass_matrix; // NULL: lumped
    pl_element_set* sets;
    int set_count;
    pl_fem_settings* settings;
} pl_fem_model;

pl_fem_model pl_fem_system_model(pl_fem_system* system);

pl_method_energies pl_fem_system_energies(pl_fem_system* system);

// All that a step depends on, for checkpoints: size in bytes, copied out and in.
size_t pl_fem_state_size(const pl_fem_system* system);
void pl_fem_state_save(const pl_fem_system* system, void* out);
void pl_fem_state_load(pl_fem_system* system, const void* in);

#endif
