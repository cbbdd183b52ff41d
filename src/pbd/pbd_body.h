// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One body of method pbd: its particles, levels and the solver of a step (S1 sections 3 and 7).
// Bodies do not act on one another, so each has its own.
#ifndef PL_PBD_BODY_H
#define PL_PBD_BODY_H

#include "mesh/reorder.h"
#include "method/method.h"
#include "pbd/pbd_hierarchy.h"
#include "pbd/tearing.h"

// The part of a step that is solved at once: all of it, or one of the shorter steps inside it.
typedef struct pl_pbd_part {
    double time_step;  // of the part [s]
    double begin, end; // of the whole step, 0 to 1
    int index;         // of the part in the step
    int sweeps;        // over the finest level
} pl_pbd_part;

// Where a pin is at the end of a part.
static inline pl_vec3 pl_pbd_pin_place(const pl_pin* pin, const pl_pbd_part* part) {
    return part->end >= 1.0 ? pin->target : pl_lerp(pin->from, pin->target, part->end);
}

// Where the surface of a contact is at the end of a part. A vertex that starts the part behind it,
// at `from`, comes out by the end of the step, not at once: that would throw it off.
pl_vec3 pl_pbd_contact_place(const pl_contact* contact, const pl_pbd_part* part, pl_vec3 from);

typedef struct pl_pbd_body {
    int first_vertex, vertex_count; // in the system
    pl_ordering order;              // vertices of the body to particles of level 0
    pl_hierarchy hierarchy;
    pl_hierarchy_options options;
    int iterations, passes, coarse_sweeps;
    int substeps;             // of each step; 0: by the pace
    double pace;              // steps that the body needs in a second
    double damping;           // of masses [1/s]
    double stiffness_damping; // [s]
    float* other;             // 4 each: room for a second solution; NULL if there is only one
    bool* attached;           // of each particle, as of this step
    bool has_levels;          // made for those that are attached in the graph of level 0
    pl_array points;          // of pl_point_constraint
    double origin[3];         // floats are relative to it
    // Cloth that tears: vertices are corners, several of them one particle.
    bool tears;
    bool is_stale; // particles and levels are not those of the torn cloth
    pl_tearing tearing;
    pl_adjacency corners; // of each particle of level 0
} pl_pbd_body;

// A vertex of the body that is where a particle of level 0 is.
static inline int pl_pbd_vertex_of(const pl_pbd_body* b, int particle) {
    return b->tears ? b->corners.items[b->corners.offsets[particle]]
                    : b->order.old_of_new[particle];
}

pl_status pl_pbd_body_create(const pl_method_body* body, pl_pbd_body* out, pl_notes* notes,
                             pl_error* error);
void pl_pbd_body_free(pl_pbd_body* body);
// Takes over numbers that have changed: materials, damping, settings of pbd. Particles and levels
// are made anew.
pl_status pl_pbd_body_update(pl_pbd_body* body, const pl_method_body* changed, pl_error* error);

// Splits what is stretched too far at the end of a step; positions of the system.
void pl_pbd_body_tear(pl_pbd_body* body, const double* positions);
// Cuts along the triangle that a knife has swept, between two steps; -1 if the body cannot tear.
int pl_pbd_body_cut(pl_pbd_body* body, const double* positions, const double sweep[9]);

// The level that is simulated: 0 for all.
int pl_pbd_finest(const pl_pbd_body* body);

// Parts that a step of this length should have.
int pl_pbd_body_substeps(const pl_pbd_body* body, double time_step);

// Solves for the end of a part, with the particles. next: 3 per vertex of the system, the
// prediction; of corners that are one particle it may be mended. contacts: of all bodies, with
// their places at the end of the step. start: where the vertices were at the start of the part.
pl_status pl_pbd_body_solve(pl_pbd_body* body, pl_pool* pool, const pl_method_step* step,
                            const pl_pbd_part* part, double* start, const pl_contact* contacts,
                            int contact_count, double* next, int* sweep_count, pl_error* error);

// False if the solution has places that are not finite, or nearly not.
bool pl_pbd_body_is_finite(pl_pbd_body* body, pl_pool* pool);
// The solution instead of the prediction.
void pl_pbd_body_store(pl_pbd_body* body, pl_pool* pool, double* next);
// The solution straight into positions and velocities of the system; not for a body that tears.
void pl_pbd_body_commit(pl_pbd_body* body, pl_pool* pool, double* next, double time_step,
                        double* positions, double* velocities);

#endif
