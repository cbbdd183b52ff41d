// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One body in its lattice: state, equations of a step, and embedded vertices.
#ifndef PL_GRID_BODY_H
#define PL_GRID_BODY_H

#include "grid/grid_body_type.h"

pl_status pl_grid_body_create(const pl_method_body* body, pl_pool* pool, pl_grid_body* out,
                              pl_notes* notes, pl_error* error);
void pl_grid_body_free(pl_grid_body* body);
// Builds the cycles of the body on its current lattice.
pl_status pl_grid_body_make_cycles(pl_grid_body* body, pl_error* error);
// Updates material and damping between steps.
pl_status pl_grid_body_update(pl_grid_body* body, const pl_method_body* def, pl_error* error);

// Sets the masses of all faces in the state.
void pl_grid_body_set_masses(pl_grid_body* body);
// y in the equations of a step, see grid_step.c.
static inline double pl_grid_reference(const pl_grid_body* b, int axis, int index) {
    const double now = b->before[axis][index];
    return b->uses_past ? (4.0 * now - b->past[axis][index]) / 3.0 : now;
}

// The mass of each vertex of the body.
void pl_grid_body_masses(const pl_grid_body* body, const pl_method_body* def, double* out);
// Positions and velocities of the body's vertices, as shown to the world.
void pl_grid_body_vertices(pl_grid_body* body, double* positions, double* velocities);
// Positions of its points for a displacement field whose exterior faces have been extended. Forces
// on points are conjugate to these positions.
void pl_grid_body_points(pl_grid_body* body, double* const u[3], double* out);
// Rest position of a face across an axis. `offset` counts cells along the segment.
void pl_grid_face_place(const pl_grid_body* body, const pl_grid_segment* segment, int axis,
                        int offset, double place[3]);
// Adds linear + gradient x to a field of all faces.
void pl_grid_body_add_field(const pl_grid_body* body, double* const field[3], pl_vec3 linear,
                            const pl_mat3* gradient);
pl_method_energies pl_grid_body_energies(const pl_grid_body* body);

#endif
