// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A level of a particle hierarchy, and the hierarchy as a list of levels.
#ifndef PL_PBD_LEVELS_H
#define PL_PBD_LEVELS_H

#include "pbd/particle_graph.h"
#include "pbd/points.h"
#include "pbd/sweeper.h"

enum { PL_MAX_LEVELS = 33 };
// Value of `last` for a particle whose coarsest level is undecided.
enum { PL_LEVEL_OPEN = 255 };

typedef struct pl_pbd_level {
    pl_particle_graph graph;
    pl_coarsening to_coarser; // empty on the coarsest
    bool* torn;               // these particles must have no coarse constraint and no parent; NULL:
                              // none
    unsigned char* last;      // coarsest level of each particle in the untorn cloth, if the cloth
                              // has torn; NULL: levels are not known in advance
    int set_count;
    pl_constraint_set sets[PL_MAX_SETS];
    pl_sweeper sweeper;
    double* mass;    // mass that each particle represents [kg]
    double* modulus; // at each particle, of the sheet [N/m] or solid [Pa]; NULL: none
    double mean_stiffness, mean_weight; // stiffness of edges [N/m], and inverse mass of
                                        // their two ends together [1/kg]
    float* particles;                   // 4 floats each: x y z and the inverse mass
    float* before;                      // the same before the pass; later the change by the pass
    int room;                           // capacity of both arrays, in float4
    pl_point_list points;
} pl_pbd_level;

typedef struct pl_hierarchy {
    int level_count; // including level 0
    pl_pbd_level levels[PL_MAX_LEVELS];
} pl_hierarchy;

#endif
