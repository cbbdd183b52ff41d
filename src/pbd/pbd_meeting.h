// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Keeps bodies apart from one another and from themselves, after each substep.
#ifndef PL_PBD_MEETING_H
#define PL_PBD_MEETING_H

#include "contact/contact_report.h"
#include "contact/pair_rows.h"
#include "pbd/pbd_body.h"

typedef struct pl_pbd_meeting {
    int vertex_count;
    pl_array pairs;   // of pl_contact_pair: all that may meet until the next search
    pl_array wakes;   // of int: per pair, the substep after the search in which it may come near
    pl_array awake;   // of pl_contact_pair: those that may in the present substep
    pl_array near;    // of bool: per pair that is awake, whether it may touch; empty: not known
    pl_array rows;    // of pl_pair_row
    pl_array checked; // of pl_contact_pair: those that may meet, of the awake ones
    pl_array parts;   // of double: per pair that is checked, allowed fraction of the motion
    double* pushed;   // 3 per vertex: momentum that contacts of bodies gave in the step [kg m/s]
    double rate;      // 1 / length of the substep [1/s]
    double* limits;   // per vertex, 1 between uses
    double* from;     // positions at the last search, 3 each
    double* way;      // expected motion in a substep, 3 each
    double* solved;   // where the vertices were when `near` was found, 3 each
    int part_count;   // substeps since the search
    int horizon;      // substeps that the search looked ahead; 0: no search yet
    int next_horizon; // substeps that the next one looks ahead, at most
    pl_vec3 lost;     // sum of mass times position removed by shortened paths [kg m]
    int active_count; // pairs that pushed in the last substep
    pl_array* told;   // of pl_contact_report: mean forces of the step; NULL: not asked for
    double told_rate; // one over the time of the step, if so
    int told_count;   // substeps that are in it
} pl_pbd_meeting;

pl_pbd_meeting pl_pbd_meeting_empty(void);
void pl_pbd_meeting_free(pl_pbd_meeting* meeting);

// Call at the start of a step: discards earlier results.
void pl_pbd_meeting_begin(pl_pbd_meeting* meeting, const pl_method_step* step);

// Moves the end positions of a substep so that bodies stay apart. parts_left: substeps after this
// one. planes: contacts with colliders, at the end of the substep.
pl_status pl_pbd_meet(pl_pbd_meeting* meeting, pl_surface_set* surfaces, pl_pool* pool,
                      const pl_pair_motion* motion, const pl_pbd_part* part, int parts_left,
                      const pl_contact* planes, int plane_count, pl_error* error);

// Only shortens paths from start to end on which surfaces would pass through each other.
pl_status pl_pbd_keep_apart(pl_pbd_meeting* meeting, pl_surface_set* surfaces, pl_pool* pool,
                            const pl_pair_motion* motion, pl_error* error);

#endif
