// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The levels of a particle system (S1 sections 6 and 7). Level 0 is the body itself. Each coarser
// level has fewer particles, and its own numbering and constraints.
#ifndef PL_PBD_HIERARCHY_H
#define PL_PBD_HIERARCHY_H

#include "pbd/pbd_levels.h"

typedef struct pl_hierarchy_options {
    pl_coarsen_options coarsen;
    int level_count; // maximum number of coarse levels
    bool lumped_mass;
    bool bilateral;      // coarse distances push as well as pull
    bool coarse_bending; // coarse levels have angles too
    int drawn_level;     // finest level that is simulated
    float stretch, bend; // stiffness of coarse constraints
    float compliance;    // of coarse distances; 0: use the modulus, or `stretch`
} pl_hierarchy_options;

// Takes over the graph and the sets of level 0; the caller's become empty. Copies masses and moduli
// (NULL: none).
pl_status pl_hierarchy_setup(pl_particle_graph* graph, pl_constraint_set* sets, int set_count,
                             const double* mass, const double* modulus, pl_hierarchy* out,
                             pl_error* error);
// Rebuilds the coarse levels for the particles of level 0 that are attached now.
pl_status pl_hierarchy_update(pl_hierarchy* hierarchy, const pl_hierarchy_options* options,
                              pl_error* error);
void pl_hierarchy_free(pl_hierarchy* hierarchy);

// The coarsest level of each particle of a graph, the same as pl_hierarchy_update would give.
pl_status pl_find_last_levels(const pl_particle_graph* graph, const pl_hierarchy_options* options,
                              unsigned char* last, pl_error* error);

// Copies the positions of particles from each level to the next coarser one, starting at `finest`.
void pl_hierarchy_restrict(pl_hierarchy* hierarchy, pl_pool* pool, int finest);

// One pass of section 7: `sweeps` sweeps on each level from the coarsest to the one above `finest`.
// Corrections are prolonged from each level to the next finer one (Eq. 7), and finally to `finest`.
void pl_hierarchy_pass(pl_hierarchy* hierarchy, pl_pool* pool, double time_step, int finest,
                       int sweeps);

// One sweep over a level: constraints between particles, then constraints of single particles.
void pl_level_sweep(pl_pbd_level* level, pl_pool* pool, double time_step, bool backward);

// Interpolates the particles of level l that are not on the next coarser level from their parents.
void pl_hierarchy_interpolate(pl_hierarchy* hierarchy, pl_pool* pool, int l);

#endif
