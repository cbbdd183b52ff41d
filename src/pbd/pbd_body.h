// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A body of method pbd: its particles, levels and the solver of a step (S1 sections 3 and 7). Each
// body is solved separately; pbd_meeting.h keeps bodies apart.
#ifndef PL_PBD_BODY_H
#define PL_PBD_BODY_H

#include "mesh/reorder.h"
#include "method/method.h"
#include "pbd/pbd_hierarchy.h"
#include "pbd/tearing.h"

// A substep: the whole step, or one of the shorter steps inside it.
typedef struct pl_pbd_part {
    double time_step;  // length of the substep [s]
    double begin, end; // within the whole step, 0 to 1
    int index;         // number of the substep in the step
    int sweeps;        // over the finest level
} pl_pbd_part;

// Position of a pin at the end of a substep.
static inline pl_vec3 pl_pbd_pin_place(const pl_pin* pin, const pl_pbd_part* part) {
    return part->end >= 1.0 ? pin->target : pl_lerp(pin->from, pin->target, part->end);
}

// Position of a contact's surface at the end of a substep. A vertex that starts behind it, at
// `from`, moves out gradually until the end of the step, because doing so at once would throw it
// off.
pl_vec3 pl_pbd_contact_place(const pl_contact* contact, const pl_pbd_part* part, pl_vec3 from);

typedef struct pl_pbd_body {
    int first_vertex, vertex_count; // vertices of the body in the system
    pl_ordering order;              // vertices of the body to particles of level 0
    pl_hierarchy hierarchy;
    pl_hierarchy_options options;
    int iterations, passes, coarse_sweeps;
    int substeps;             // substeps per step; 0: from `pace`
    double pace;              // substeps that the body needs per second
    double damping;           // mass damping [1/s]
    double stiffness_damping; // [s]
    float* other;             // a second solution, 4 floats per particle; NULL if there is only one
    bool* attached;           // per particle, in this step
    bool has_levels;          // levels have been built for the current attachments
    pl_array points;          // of pl_point_constraint
    double origin[3];         // floats are relative to this point
    // Cloth that tears: vertices are corners of triangles; several of them are one particle.
    bool tears;
    bool is_stale; // particles and levels must be rebuilt after a tear
    pl_tearing tearing;
    pl_adjacency corners; // of each particle of level 0
} pl_pbd_body;

// A vertex of the body that is at a particle of level 0.
static inline int pl_pbd_vertex_of(const pl_pbd_body* b, int particle) {
    return b->tears ? b->corners.items[b->corners.offsets[particle]]
                    : b->order.old_of_new[particle];
}

pl_status pl_pbd_body_create(const pl_method_body* body, pl_pbd_body* out, pl_notes* notes,
                             pl_error* error);
void pl_pbd_body_free(pl_pbd_body* body);
// Updates materials, damping and settings of pbd that changed. Rebuilds particles and levels.
pl_status pl_pbd_body_update(pl_pbd_body* body, const pl_method_body* changed, pl_error* error);

// Splits overstretched edges at the end of a step. positions: of the system.
void pl_pbd_body_tear(pl_pbd_body* body, const double* positions);
// Cuts along the triangle swept by a knife; call between two steps. Returns -1 if the body cannot
// tear.
int pl_pbd_body_cut(pl_pbd_body* body, const double* positions, const double sweep[9]);

// Number of substeps for a step of this length.
int pl_pbd_body_substeps(const pl_pbd_body* body, double time_step);

// Solves a substep; the result is in the particles. next: predicted positions, 3 per vertex of the
// system; those of corners of one particle may be corrected. contacts: of all bodies, at the end of
// the step. start: positions at the start of the substep.
pl_status pl_pbd_body_solve(pl_pbd_body* body, pl_pool* pool, const pl_method_step* step,
                            const pl_pbd_part* part, double* start, const pl_contact* contacts,
                            int contact_count, double* next, int* sweep_count, pl_error* error);

// Returns false if a position of the solution is not finite, or nearly so.
bool pl_pbd_body_is_finite(pl_pbd_body* body, pl_pool* pool);
// Replaces the predicted positions by the solution.
void pl_pbd_body_store(pl_pbd_body* body, pl_pool* pool, double* next);
// Writes the solution directly to positions and velocities of the system. Not for a body that
// tears.
void pl_pbd_body_commit(pl_pbd_body* body, pl_pool* pool, double* next, double time_step,
                        double* positions, double* velocities);

#endif
