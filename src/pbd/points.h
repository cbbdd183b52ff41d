// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Constraints on single particles (cardinality 1 in S1 section 6.1): contacts and soft attachments.
// They act on every level that has the particle.
#ifndef PL_PBD_POINTS_H
#define PL_PBD_POINTS_H

#include "base/array.h"
#include "base/pool.h"

#include <stdbool.h>

typedef struct pl_point_constraint {
    int particle; // of level 0
    int order;    // sequence number, for a fixed order of evaluation
    bool is_contact;
    int obstacle;    // of a contact
    float place[3];  // point on the obstacle's surface, or target of an attachment
    float normal[3]; // of a contact
    float origin[3]; // where a particle without slip would be at the end of the step
    float friction;
    float compliance; // of an attachment [m/N]
    float push;       // total push of a contact in this step [m]
    float drag[3];    // total friction of a contact, or multiplier of an attachment
} pl_point_constraint;

// The constraints of one particle of a level.
typedef struct pl_point_group {
    int particle; // of the level
    int first, count;
} pl_point_group;

typedef struct pl_point_list {
    pl_point_constraint* constraints; // owned by level 0
    pl_array groups;                  // of pl_point_group
} pl_point_list;

static inline pl_point_list pl_point_list_empty(void) {
    return (pl_point_list){.groups = pl_array_of(sizeof(pl_point_group))};
}

// Sorts constraints by particle.
void pl_points_sort(pl_point_constraint* constraints, int count);

// Groups sorted constraints on level 0; returns false if allocation fails.
bool pl_points_group(pl_point_list* list, pl_point_constraint* constraints, int count);
// The same on the next coarser level, for groups whose particle is on it.
bool pl_points_coarsen(const pl_point_list* fine, const int* coarse_of_fine, pl_point_list* coarse);

// Projects all constraints once.
void pl_points_project(pl_point_list* list, pl_pool* pool, double time_step, float* particles);

#endif
