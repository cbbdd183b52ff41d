// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth that tears (S1 section 8): particles are split, and levels are rebuilt.
//
// The mesh of such a body never changes. Each triangle has three vertices that no other triangle
// has, its corners. Tearing changes which corners form one particle: a split moves some corners of
// a particle to a new one. So vertices can be counted, drawn, recorded and exported like those of
// any other body, and a checkpoint only needs the particle of each corner in addition to the state.
#ifndef PL_PBD_TEARING_H
#define PL_PBD_TEARING_H

#include "pbd/pbd_build.h"
#include "pbd/pbd_hierarchy.h"

typedef struct pl_tearing {
    double limit; // stretch above which an edge breaks
    int corner_count;
    int particle_count;
    int* particle_of_corner; // numbered by their first corner
    int* whole;              // the same before anything tore
    int whole_count;
    int* rank_of_whole;      // inner number of each particle in `whole`; NULL before it is known
    pl_particle_graph graph; // of the untorn cloth, in this numbering
    unsigned char* last;     // coarsest level of each of its particles, for its attachments
    bool has_last;
    double* rest; // of each corner, 3 each
    double* mass; // of each corner [kg]
    pl_element_material* materials;
    pl_body body; // settings only; name and lists are not used
    // scratch, so that splitting allocates nothing
    int* number;
    int *offsets, *items; // corners of each particle
    int* part;            // per corner of the particle being split
    bool* beyond;         // per corner: whether it is beyond the splitting plane
    bool* is_split;
} pl_tearing;

// Corners at the same rest position form one particle. Returns PL_ERROR_ARGUMENT if triangles share
// vertices.
pl_status pl_tearing_create(const pl_method_body* body, pl_tearing* out, pl_error* error);
void pl_tearing_free(pl_tearing* tearing);

// Updates changed materials and settings.
void pl_tearing_update(pl_tearing* tearing, const pl_method_body* body);

// Restores particle_of_corner. Invalid values, from a damaged state, become particle 0.
void pl_tearing_load(pl_tearing* tearing, const void* saved);

// Particles and constraints of the cloth in its current torn state.
pl_status pl_tearing_parts(pl_tearing* tearing, pl_pbd_parts* out, pl_error* error);

// The coarsest level of each particle (inner numbering) in the untorn cloth with the current
// attachments. Torn cloth has the same levels except near a tear.
pl_status pl_tearing_last_levels(pl_tearing* tearing, const pl_hierarchy_options* options,
                                 const pl_ordering* order, const bool* attached,
                                 unsigned char* last, pl_error* error);

// Marks particles that have been split; torn: per particle in the inner numbering.
void pl_tearing_mark(pl_tearing* tearing, const pl_ordering* order, bool* torn);

// Splits particles at edges stretched above the limit. positions: 3 per corner. Returns the number
// of new particles.
int pl_tearing_split(pl_tearing* tearing, const double* positions);
// Splits the particles of edges that cross the triangle swept by a knife, along its plane.
// Returns the number of new particles.
int pl_tearing_cut(pl_tearing* tearing, const double* positions, const double sweep[9]);

#endif
