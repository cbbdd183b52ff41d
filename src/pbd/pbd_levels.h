// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What a level of a hierarchy of particles holds, and the hierarchy as their list.
#ifndef PL_PBD_LEVELS_H
#define PL_PBD_LEVELS_H

#include "pbd/particle_graph.h"
#include "pbd/points.h"
#include "pbd/sweeper.h"

enum { PL_MAX_LEVELS = 33 };
// Instead of the coarsest level of a particle: it is chosen anew.
enum { PL_LEVEL_OPEN = 255 };

typedef struct pl_pbd_level {
    pl_particle_graph graph;
    pl_coarsening to_coarser; // empty on the coarsest
    bool* torn;               // no coarse constraint and no parent may be here; NULL: nowhere
    unsigned char* last;      // the coarsest level that has each particle in the whole cloth, if it
                              // has torn since; NULL: levels are not known beforehand
    int set_count;
    pl_constraint_set sets[PL_MAX_SETS];
    pl_sweeper sweeper;
    double* mass;    // what each particle stands for [kg]
    double* modulus; // at each particle: of the sheet [N/m] or the solid [Pa]; NULL: none
    double mean_stiffness, mean_weight; // of edges [N/m], and their inverse masses [1/kg]
    float* particles;                   // x y z and the inverse mass
    float* before;                      // the same before the pass; then what it has changed
    int room;                           // float4 in these two
    pl_point_list points;
} pl_pbd_level;

typedef struct pl_hierarchy {
    int level_count; // with level 0
    pl_pbd_level levels[PL_MAX_LEVELS];
} pl_hierarchy;

#endif
