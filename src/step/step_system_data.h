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
    double* start; // positions at the start of the step
    pl_step_holds holds;
    pl_array pins; // of pl_pin, with targets during the step
    pl_step_pressure pressure;
    pl_step_term pressure_term;
    pl_array terms; // of const pl_step_term*: pressure, if the step has any, and added terms
    pl_step_meeting* meeting; // of surfaces that keep apart; NULL: no step has had any yet
    double contact_energy;    // of its barriers at the end of the last step [J]
    pl_step_term meeting_term;
    pl_step_reactions reactions;
    pl_block_matrix damping_matrix;
    pl_step_pieces pieces;
    pl_step_pieces whole;   // all vertices in one piece, if a term always joins them; else empty
    pl_step_pieces islands; // of pieces that came near one another; empty: none ever did
    pl_midpoint* midpoint;  // of the midpoint rule; else NULL
    double* midpoint_saved; // its state before a step
    pl_minimiser minimiser;
    const pl_step_solvers* solvers;  // of the method, or NULL
    pl_projective_solver projective; // of Projective Dynamics, else none
    pl_projective_solver direct;     // replaces `projective` if that fails; none before
    bool projective_fails;           // on this system
    pl_rigid_start* rigid_start;     // of Projective Dynamics in motion, else NULL
    pl_free_bodies free_bodies;      // of quasistatics
    double size;                     // of the rest shape [m]
} pl_step_system;

// Sets the surfaces that keep apart in the next step; NULL: none.
pl_status pl_step_meet(pl_step_system* s, pl_surface_set* surfaces, pl_error* error);

// The input for the solvers of the system.
pl_solver_input pl_step_solver_input(pl_step_system* s, const double* rest);

#endif
