// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Connected components of a mesh, and a consistent orientation of their elements.
#ifndef PL_MESH_COMPONENTS_H
#define PL_MESH_COMPONENTS_H

#include "mesh/topology.h"

// Elements joined across their sides. Components are numbered by their lowest element.
typedef struct pl_components {
    int count;
    int element_count;
    int* component;           // of each element
    signed char* orientation; // 1, or -1 if the element must be reversed to agree with the lowest
                              // element of its component
    int twisted_side;         // a side where no orientation agrees (a Moebius strip), or -1
} pl_components;

// neighbours as from pl_side_neighbours: only regular sides join.
pl_status pl_components_create(const int* elements, int element_count, int corners,
                               const int* neighbours, pl_components* out, pl_error* error);
void pl_components_free(pl_components* components);

// Elements joined through common vertices: component of each element (NULL if not wanted), and how
// many there are.
pl_status pl_vertex_components(const int* elements, int element_count, int corners,
                               int vertex_count, int* component, int* count, pl_error* error);

// True if the element names its vertices along the side in the opposite sense to its neighbour
// there, as two elements of one orientation do.
bool pl_sides_agree(const int* elements, int corners, int side, int neighbour_side);

#endif
