// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that meet one another and themselves, after each part of a step.
#ifndef PL_PBD_MEETING_H
#define PL_PBD_MEETING_H

#include "pbd/pair_rows.h"
#include "pbd/pbd_body.h"

typedef struct pl_pbd_meeting {
    int vertex_count;
    pl_array pairs;   // of pl_contact_pair: all that may meet until the next search
    pl_array rows;    // of pl_pair_row
    pl_array parts;   // of double: per pair, of the motion that it may go
    double* pushed;   // 3 per vertex: momentum that contacts of bodies gave in the step [kg m/s]
    double rate;      // 1 / the time of the part [1/s]
    double* limits;   // per vertex, 1 between uses
    double* from;     // where the vertices were at the last search, 3 each
    double* way;      // and how far they were to go in a part
    int part_count;   // parts since the search
    int horizon;      // parts that the search looked ahead; 0: there is none
    pl_vec3 lost;     // what shortened ways have taken from the sum of mass times place [kg m]
    int active_count; // pairs that pushed in the last part
} pl_pbd_meeting;

pl_pbd_meeting pl_pbd_meeting_empty(void);
void pl_pbd_meeting_free(pl_pbd_meeting* meeting);

// At the start of a step: what was found before no longer counts.
void pl_pbd_meeting_begin(pl_pbd_meeting* meeting);

// Moves the ends of a part so that bodies stay apart. parts_left: after this one. planes: contacts
// with colliders, whose surfaces are taken at the end of the part.
pl_status pl_pbd_meet(pl_pbd_meeting* meeting, pl_surface_set* surfaces, pl_pool* pool,
                      const pl_pair_motion* motion, const pl_pbd_part* part, int parts_left,
                      const pl_contact* planes, int plane_count, pl_error* error);

// Shortens ways from start to end on which surfaces would pass each other, and does nothing else.
pl_status pl_pbd_keep_apart(pl_pbd_meeting* meeting, pl_surface_set* surfaces, pl_pool* pool,
                            const pl_pair_motion* motion, pl_error* error);

#endif
