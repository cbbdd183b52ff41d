// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Distances on a level of triangles as if they were cut out and laid flat.
#ifndef PL_PBD_UNFOLD_H
#define PL_PBD_UNFOLD_H

#include "pbd/particle_graph.h"

// The neighbours of each particle and the rest length to them.
typedef struct pl_neighbours {
    int particle_count, entry_count;
    int* offsets; // particle_count + 1
    int* to;
    double* rest;
} pl_neighbours;

pl_status pl_neighbours_create(const pl_particle_graph* graph, pl_neighbours* out, pl_error* error);
void pl_neighbours_free(pl_neighbours* neighbours);
// Rest length from a to its neighbour b; 0 from a to itself, negative if they are none.
double pl_neighbour_rest(const pl_neighbours* neighbours, int a, int b);

// The distance from p, a neighbour of a or a itself, over the edge a b to q, a neighbour of b or b
// itself, in the triangles around a and around b laid flat. Negative if they cannot be.
// around: the triangles of each particle.
double pl_unfolded_distance(const pl_particle_graph* graph, const pl_neighbours* neighbours,
                            const pl_adjacency* around, int p, int a, int b, int q);

#endif
