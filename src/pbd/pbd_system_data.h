// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Data of a system of method pbd.
#ifndef PL_PBD_SYSTEM_DATA_H
#define PL_PBD_SYSTEM_DATA_H

#include "pbd/pbd_meeting.h"

// Result of solving one body.
typedef struct pl_pbd_solve {
    pl_status status;
    pl_error error;
    int sweeps;
} pl_pbd_solve;

typedef struct pl_pbd_system {
    int vertex_count;
    int body_count;
    pl_pbd_body* bodies;
    pl_pbd_solve* solves; // per body
    pl_pool* pool;
    double *positions, *velocities; // the state, 3 per vertex
    double* mass;
    double* next; // positions at the end of the step or substep
    // duration of the last step by the deadline's clock; 0: unknown
    double part_seconds, sweep_seconds;
    double* saved; // positions, then velocities, at the start of a step that has several substeps
                   // or reports forces; NULL until needed
    bool* held;    // vertices that are held exactly in this step
    pl_array contacts; // of pl_contact
    pl_pbd_meeting meeting;
} pl_pbd_system;

#endif
