// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One body in its lattice: state, equations of a step, and the vertices that move along.
#ifndef PL_GRID_BODY_H
#define PL_GRID_BODY_H

#include "contact/force_share.h"
#include "grid/grid_corot.h"
#include "grid/grid_embedding.h"
#include "grid/grid_linear.h"
#include "grid/grid_linear_operator.h"
#include "grid/grid_pieces.h"
#include "grid/grid_recombine.h"
#include "grid/grid_tricubic.h"
#include "math/mat3.h"
#include "method/method.h"

// The rigid motion that fits the pins of one part best, from rest to targets.
typedef struct pl_grid_fit {
    int count;
    int group;        // of the pins
    pl_vec3 from, to; // middles
    pl_mat3 moment, rotation;
    pl_vec3 force, torque; // of the part on the body, see grid_reactions.c
    pl_force_share share;  // of it on the pins
} pl_grid_fit;

// Where a chunk of cells lies in the fields, and its first cell.
typedef struct pl_grid_chunk_place {
    int at;
    int x, y, z;
} pl_grid_chunk_place;

typedef enum pl_grid_surface_kind {
    PL_GRID_SURFACE_CLEAN,   // closed, two triangles at each edge, no intersections
    PL_GRID_SURFACE_TANGLED, // closed, and not clean
    PL_GRID_SURFACE_OPEN,    // has boundary edges
} pl_grid_surface_kind;

typedef struct pl_grid_body {
    const char* name;
    int first_vertex, vertex_count; // in the system, as the world counts
    // Points: the vertices, then those that cover large triangles for contacts. Contacts of the
    // system count points, body after body.
    int first_point, point_count;
    double* share;  // per point: of contact stiffness, by area; 1 is the mean of surface vertices
    int* colliding; // points of the surface, counted from the body's first
    int colliding_count;
    pl_grid_frame frame;
    pl_grid_cells cells;
    // Per index of the finest level: the part that a held cell moves with, or 0; below zero for
    // cells outside of the body.
    int *held, *next_held;
    bool* is_single;                   // per vertex: pinned, and no triangle or tet is with it
    double* targets;                   // 3 per vertex: where pinned ones are held
    pl_grid_chunk_place* first_chunks; // of the layout before anything was held
    int first_chunk_count;
    int held_count;    // pins
    pl_grid_fit* fits; // of parts, from 1 on; fit_room
    int fit_count, fit_room;
    pl_grid_lattice lattice;
    bool general; // rotations, or moduli that differ: corot is there, else linear
    pl_grid_linear linear;
    bool rotates;
    pl_grid_corot corot;
    pl_quat *turn, *turn_before; // of cells
    float* moduli;               // of cells, relative to mu; NULL: 1
    float* fractions;            // of cells that are full, if they are general; NULL: 1
    int update_every;            // cycles
    pl_grid_state state;
    double* velocity[3]; // of faces [m/s]
    double* before[3];   // positions at the start of a step
    bool second_order;   // BDF2: needs positions and velocities of the step before that,
    double *past[3], *past_velocity[3];
    double past_known;    // 1 if they are; a double, as all of the state
    bool uses_past;       // this step does
    bool is_careful;      // steps are of backward Euler all the same
    double implicit_time; // of the step, see grid_step.c [s]
    double* pressure_before;
    double* applied[3]; // right side without what depends on positions
    pl_grid_embedding_map map;
    bool is_smooth; // vertices are shown by tricubic interpolation; contacts and pins never see it
    pl_grid_tricubic tricubic;
    int* triangles; // of the surface, 3 vertices each
    int triangle_count;
    int* tets; // 4 vertices each, of a mesh that has some
    int tet_count;
    int* pinned; // per vertex: the part that it is held with, or 0
    uint64_t pinned_hash;
    double* rest;               // 3 per point
    double* anchor;             // where points are embedded: rest itself if all are near cells
    double mu, lambda, density; // density of lattice cells: the body's mass over all of them
    float* more_mass[3];        // that faces carry beyond one cell, in cells
    double lattice_volume;      // of all cells [m^3]
    double filling;             // the body's volume as a part of it
    pl_grid_surface_kind surface_kind;
    pl_grid_pieces pieces;
    double damping_mass, damping_stiffness;
    bool dynamic;
    int cycle;        // of the step
    bool in_step;     // before[] holds the positions to go back to
    double* gain;     // 3 per point: sums of the sizes of interpolation weights
    double* reaction; // 3 * 3 per point: forces of springs and contacts, stiffness, places
    bool went_on;     // before the first cycle the body went this way, as nothing holds it
    double way[3];
    double load;           // of the step's equations
    bool coefficients_fit; // those of the levels are of the present material, springs and inertia
    double inertia_set;
    int stiffened_count; // components of vertices that these know to be held
    bool stiffened;      // springs or contacts are in the coefficients
    double tolerance;
    int max_cycles;
    pl_pool* pool;
} pl_grid_body;

pl_status pl_grid_body_create(const pl_method_body* body, pl_pool* pool, pl_grid_body* out,
                              pl_notes* notes, pl_error* error);
void pl_grid_body_free(pl_grid_body* body);
// The cycles of the body, on its lattice as it is now.
pl_status pl_grid_body_make_cycles(pl_grid_body* body, pl_error* error);
// Takes over material and damping between two steps.
pl_status pl_grid_body_update(pl_grid_body* body, const pl_method_body* def, pl_error* error);

// Takes the masses of all faces over into the state.
void pl_grid_body_set_masses(pl_grid_body* body);
// y of the equations of a step, see grid_step.c.
static inline double pl_grid_reference(const pl_grid_body* b, int axis, int index) {
    const double now = b->before[axis][index];
    return b->uses_past ? (4.0 * now - b->past[axis][index]) / 3.0 : now;
}

// The mass of each vertex of the body.
void pl_grid_body_masses(const pl_grid_body* body, const pl_method_body* def, double* out);
// Positions and velocities of the body's vertices, as others see them.
void pl_grid_body_vertices(pl_grid_body* body, double* positions, double* velocities);
// Positions of its points for a field of displacements, of which faces outside are set. Forces on
// points are the counterpart of these positions.
void pl_grid_body_points(pl_grid_body* body, double* const u[3], double* out);
// Where a face of an axis is at rest. `offset` counts cells along the segment.
void pl_grid_face_place(const pl_grid_body* body, const pl_grid_segment* segment, int axis,
                        int offset, double place[3]);
// Adds linear + gradient x to a field of all faces.
void pl_grid_body_add_field(const pl_grid_body* body, double* const field[3], pl_vec3 linear,
                            const pl_mat3* gradient);
pl_method_energies pl_grid_body_energies(const pl_grid_body* body);

#endif
