// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Renumbering for locality, and its inverse: the engine uses its own numbering, the user sees
// theirs.
#ifndef PL_MESH_REORDER_H
#define PL_MESH_REORDER_H

#include "mesh/mesh_object.h"
#include "mesh/topology.h"

// A permutation, kept both ways.
typedef struct pl_ordering {
    int count;
    int* new_of_old;
    int* old_of_new;
} pl_ordering;

void pl_ordering_free(pl_ordering* ordering);

// Reverse Cuthill-McKee of a graph (vertices and their neighbours): neighbours get near numbers.
pl_status pl_order_rcm(const pl_adjacency* graph, pl_ordering* out, pl_error* error);

// Elements by their lowest new vertex, so that a pass over them walks along the vertices.
pl_status pl_order_elements(const int* elements, int element_count, int corners,
                            const pl_ordering* vertices, pl_ordering* out, pl_error* error);

// The largest difference of numbers along an edge; ordering NULL: as the graph is.
int pl_bandwidth(const pl_adjacency* graph, const pl_ordering* ordering);

// Permutes items (of item_size bytes each) from the user's order to the inner one, and back.
void pl_ordering_in(const pl_ordering* ordering, const void* user_items, size_t item_size,
                    void* inner_items);
void pl_ordering_out(const pl_ordering* ordering, const void* inner_items, size_t item_size,
                     void* user_items);

#endif
