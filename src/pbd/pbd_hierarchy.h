// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The levels of a particle system (S1 sections 6 and 7). Level 0 is the body itself; each coarser
// one has fewer particles, numbered on their own, and constraints of its own.
#ifndef PL_PBD_HIERARCHY_H
#define PL_PBD_HIERARCHY_H

#include "pbd/pbd_levels.h"

typedef struct pl_hierarchy_options {
    pl_coarsen_options coarsen;
    int level_count; // coarse ones, at most
    bool lumped_mass;
    bool bilateral;      // coarse constraints also push
    bool coarse_bending; // angles on coarse levels too
    int drawn_level;     // the finest that is simulated
    float stretch, bend; // stiffness of coarse constraints
    float compliance;    // of coarse distances; 0: by the modulus, or by stiffness without one
} pl_hierarchy_options;

// Takes level 0's graph and sets over, which are empty then; masses and moduli (NULL: none) are
// copied.
pl_status pl_hierarchy_setup(pl_particle_graph* graph, pl_constraint_set* sets, int set_count,
                             const double* mass, const double* modulus, pl_hierarchy* out,
                             pl_error* error);
// Makes the coarse levels anew, for those particles of level 0 that are attached now.
pl_status pl_hierarchy_update(pl_hierarchy* hierarchy, const pl_hierarchy_options* options,
                              pl_error* error);
void pl_hierarchy_free(pl_hierarchy* hierarchy);

// The coarsest level that each particle of a graph is on: what pl_hierarchy_update would find.
pl_status pl_find_last_levels(const pl_particle_graph* graph, const pl_hierarchy_options* options,
                              unsigned char* last, pl_error* error);

// From each level's next finer one: the places of its particles, down from level `finest`.
void pl_hierarchy_restrict(pl_hierarchy* hierarchy, pl_pool* pool, int finest);

// One pass of section 7: from the coarsest level down to the one above `finest`, `sweeps` sweeps on
// each, corrections passed down (Eq. 7) and last onto `finest` itself.
void pl_hierarchy_pass(pl_hierarchy* hierarchy, pl_pool* pool, double time_step, int finest,
                       int sweeps);

// A sweep over one level: its constraints, then what acts on single particles.
void pl_level_sweep(pl_pbd_level* level, pl_pool* pool, double time_step, bool backward);

// Puts the particles of level l that are not on the coarser one between their parents.
void pl_hierarchy_interpolate(pl_hierarchy* hierarchy, pl_pool* pool, int l);

#endif
