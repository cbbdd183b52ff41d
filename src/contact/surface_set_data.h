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

// A vertex in the present search, in one line of the cache. All is relative to the origin of the
// search.
typedef struct pl_vertex_way {
    pl_wide_box box;              // around its way, with the reach
    _Alignas(16) float place[4];  // at the start; then how long its way is
    _Alignas(16) float motion[4]; // to the end; then 0
} pl_vertex_way;

#endif
