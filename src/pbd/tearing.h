// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth that tears (S1 section 8): particles are split, and the levels are made for what is left.
//
// The mesh of such a body has three vertices of its own for each triangle, its corners, and never
// changes. What changes is which corners are the same particle: a split gives some of a particle's
// corners to a new one. So vertices can be counted, drawn, recorded and written as those of any
// other body, and the particle of each corner is all that a checkpoint has to hold beside the
// state.
#ifndef PL_PBD_TEARING_H
#define PL_PBD_TEARING_H

#include "pbd/pbd_build.h"
#include "pbd/pbd_hierarchy.h"

typedef struct pl_tearing {
    double limit; // stretch above which an edge breaks
    int corner_count;
    int particle_count;
    int* particle_of_corner; // numbered by their first corner
    int* whole;              // the same before anything was torn
    int whole_count;
    int* rank_of_whole;      // inner number of each of those particles; NULL before it is known
    pl_particle_graph graph; // of the whole cloth, in this numbering
    unsigned char* last;     // coarsest level of each of its particles, for those attached there
    bool has_last;
    double* rest; // of each corner, 3 each
    double* mass; // of each corner [kg]
    pl_element_material* materials;
    pl_body body; // settings; its name and lists are not used
    // what splitting needs, so that it never asks for memory
    int* number;
    int *offsets, *items; // corners of each particle
    int* part;            // of the corners of the particle that is split
    bool* beyond;         // the plane that splits it
    bool* is_split;
} pl_tearing;

// Corners in the same place at rest are one particle. PL_ERROR_ARGUMENT if triangles share
// vertices.
pl_status pl_tearing_create(const pl_method_body* body, pl_tearing* out, pl_error* error);
void pl_tearing_free(pl_tearing* tearing);

// Takes over materials and settings that have changed.
void pl_tearing_update(pl_tearing* tearing, const pl_method_body* body);

// Takes over the particle of each corner, as it was saved (particle_of_corner). What cannot be one,
// in a state that something has damaged, becomes particle 0.
void pl_tearing_load(pl_tearing* tearing, const void* saved);

// Particles and constraints of the cloth as it is torn now.
pl_status pl_tearing_parts(pl_tearing* tearing, pl_pbd_parts* out, pl_error* error);

// The coarsest level of each particle (inner numbering) in the whole cloth, had what is attached
// now been attached there: levels of torn cloth are those of the whole one, but beside the tear.
pl_status pl_tearing_last_levels(pl_tearing* tearing, const pl_hierarchy_options* options,
                                 const pl_ordering* order, const bool* attached,
                                 unsigned char* last, pl_error* error);

// Marks particles that have been split off from one another; torn: of each particle in the inner
// numbering.
void pl_tearing_mark(pl_tearing* tearing, const pl_ordering* order, bool* torn);

// Splits particles at edges that are stretched above the limit. positions: 3 per corner. Gives the
// number of particles that are new.
int pl_tearing_split(pl_tearing* tearing, const double* positions);
// Splits the particles of edges that pass through the triangle that a knife has swept, by its
// plane. Gives the number of particles that are new.
int pl_tearing_cut(pl_tearing* tearing, const double* positions, const double sweep[9]);

#endif
