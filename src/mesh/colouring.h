// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Colouring: items of one colour do not touch, so they can be processed in parallel. Deterministic.
#ifndef PL_MESH_COLOURING_H
#define PL_MESH_COLOURING_H

#include "mesh/topology.h"

typedef struct pl_colouring {
    int item_count;
    int* colours;        // of each item, from 0
    pl_adjacency groups; // the items of each colour, ascending
} pl_colouring;

void pl_colouring_free(pl_colouring* colouring);

// Vertices of a graph: neighbours get different colours.
pl_status pl_colour_graph(const pl_adjacency* graph, pl_colouring* out, pl_error* error);
// Elements: those that share a vertex get different colours.
pl_status pl_colour_elements(const int* elements, int element_count, int corners, int vertex_count,
                             pl_colouring* out, pl_error* error);

#endif
