// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Keeps bodies apart from one another, and from themselves, after each substep.
#ifndef PL_PBD_MEETING_H
#define PL_PBD_MEETING_H

#include "contact/contact_report.h"
#include "contact/pair_rows.h"
#include "pbd/pbd_body.h"

typedef struct pl_pbd_meeting {
    int vertex_count;
    pl_array pairs;   // of pl_contact_pair: all pairs that can meet until the next search
    pl_array wakes;   // of int: per pair, the substep after the search in which it can come near
    pl_array awake;   // of pl_contact_pair: pairs that can come near in the current substep
    pl_array near;    // of bool: for each pair of `awake`, whether it can touch; empty: not known
    pl_array rows;    // of pl_pair_row
    pl_array checked; // of pl_contact_pair: pairs of `awake` that can meet
    pl_array parts;   // of double: for each pair of `checked`, the allowed fraction of the motion
    double* pushed;   // 3 per vertex: momentum from contacts between bodies in the step [kg m/s]
    double rate;      // 1 / length of the substep [1/s]
    double* limits;   // per vertex; all 1 between uses
    double* from;     // positions at the last search, 3 each
    double* way;      // expected motion per substep, 3 each
    double* solved;   // positions when `near` was computed, 3 each
    int part_count;   // substeps since the search
    int horizon;      // substeps that the search looked ahead; 0: no search yet
    int next_horizon; // the same for the next search, at most
    pl_vec3 lost;     // sum of mass times displacement removed by shortening paths [kg m]
    int active_count; // pairs that pushed in the last substep
    pl_array* told;   // of pl_contact_report: mean forces of the step; NULL: not requested
    double told_rate; // 1 / time of the step, for mean forces
    int told_count;   // substeps that `told` includes
} pl_pbd_meeting;

pl_pbd_meeting pl_pbd_meeting_empty(void);
void pl_pbd_meeting_free(pl_pbd_meeting* meeting);

// Call at the start of a step: discards earlier results.
void pl_pbd_meeting_begin(pl_pbd_meeting* meeting, const pl_method_step* step);

// Changes the end positions of a substep so that bodies stay apart. parts_left: substeps after this
// one. planes: contacts with colliders, at the end of the substep.
pl_status pl_pbd_meet(pl_pbd_meeting* meeting, pl_surface_set* surfaces, pl_pool* pool,
                      const pl_pair_motion* motion, const pl_pbd_part* part, int parts_left,
                      const pl_contact* planes, int plane_count, pl_error* error);

// Only shortens the paths from start to end on which surfaces would pass through each other.
pl_status pl_pbd_keep_apart(pl_pbd_meeting* meeting, pl_surface_set* surfaces, pl_pool* pool,
                            const pl_pair_motion* motion, pl_error* error);

#endif
