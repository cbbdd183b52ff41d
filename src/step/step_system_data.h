// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The data of a system; internal to the files of step_system.h.
#ifndef PL_STEP_SYSTEM_DATA_H
#define PL_STEP_SYSTEM_DATA_H

#include "step/free_bodies.h"
#include "step/step_meeting.h"
#include "step/step_midpoint.h"
#include "step/step_minimiser.h"
#include "step/step_pressure.h"
#include "step/step_reactions.h"

// vectors of the state, 3 per vertex
enum {
    PL_STATE_POSITIONS,
    PL_STATE_VELOCITIES,
    PL_STATE_POSITIONS_BEFORE,
    PL_STATE_VELOCITIES_BEFORE,
    PL_STATE_VECTORS
};

typedef struct pl_step_system {
    int vertex_count;
    pl_pool* pool;
    pl_step_settings settings;
    double* mass;
    pl_block_matrix mass_matrix; // consistent; empty: lumped
    pl_element_set sets[PL_MAX_ELEMENT_SETS];
    int set_count;

    // state: positions, velocities, and those of the step before (BDF2)
    double* state[PL_STATE_VECTORS];
    int history; // steps taken since the last jump, at most 1

    // work of a step
    double* saved[PL_STATE_VECTORS];
    double* y;
    double* reference;
    double* start; // positions at the begin of the step
    pl_step_holds holds;
    pl_array pins; // of pl_pin, with targets on the way
    pl_step_pressure pressure;
    pl_step_term pressure_term;
    pl_array terms; // of const pl_step_term*: pressure, which not every step has, and those added
    pl_step_meeting* meeting; // of surfaces that keep apart; NULL: no step has had any yet
    double contact_energy;    // of its barriers where the last step ended [J]
    pl_step_term meeting_term;
    pl_step_reactions reactions;
    pl_block_matrix damping_matrix;
    pl_step_pieces pieces;
    pl_step_pieces whole;   // all in one piece, where a term always joins them; else empty
    pl_step_pieces islands; // of pieces that have come near one another; empty: none ever have
    pl_midpoint* midpoint;  // of that integrator; else NULL
    double* midpoint_saved; // its state before a step
    pl_minimiser minimiser;
    const pl_step_solvers* solvers;  // of the method, or NULL
    pl_projective_solver projective; // of Projective Dynamics, else none
    pl_projective_solver direct;     // in its place where it fails; none before it does
    bool projective_fails;           // on this system
    pl_rigid_start* rigid_start;     // of Projective Dynamics in motion, else NULL
    pl_free_bodies free_bodies;      // of quasistatics
    double size;                     // of the rest shape [m]
} pl_step_system;

// The surfaces that keep apart in the next step; NULL: none.
pl_status pl_step_meet(pl_step_system* s, pl_surface_set* surfaces, pl_error* error);

// What the solvers of the system are made of.
pl_solver_input pl_step_solver_input(pl_step_system* s, const double* rest);

#endif
