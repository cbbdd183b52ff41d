// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What a set of surfaces keeps for its searches.
#ifndef PL_CONTACT_SURFACE_SET_DATA_H
#define PL_CONTACT_SURFACE_SET_DATA_H

#include "contact/wide_box.h"

// Leaves of a task. Each block of them has a list of its own for what it finds.
enum { PL_LEAF_BLOCK = 32 };

// A leaf of a surface's tree.
typedef struct pl_surface_leaf {
    int surface, node;
} pl_surface_leaf;

// A vertex in the present search: the box around its way with the reach, and how long that way is.
typedef struct pl_vertex_way {
    pl_wide_box box;
    double length;
} pl_vertex_way;

#endif
