// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Data of a set of surfaces that its searches use.
#ifndef PL_CONTACT_SURFACE_SET_DATA_H
#define PL_CONTACT_SURFACE_SET_DATA_H

#include "contact/wide_box.h"

// Leaves in a block, which is the work of one task and has its own list of results.
enum { PL_LEAF_BLOCK = 32 };

// A leaf of a surface's tree.
typedef struct pl_surface_leaf {
    int surface, node;
} pl_surface_leaf;

// A vertex in the current search, in one cache line, relative to the origin of the search.
typedef struct pl_vertex_way {
    pl_wide_box box;              // around its path, grown by the reach
    _Alignas(16) float place[4];  // at the start; then the length of its path
    _Alignas(16) float motion[4]; // displacement to the end; then 0
} pl_vertex_way;

#endif
