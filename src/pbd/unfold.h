// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Distances on a level with triangles, measured after unfolding them into the plane.
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
// Rest length from a to its neighbour b; 0 if a = b, negative if they are not neighbours.
double pl_neighbour_rest(const pl_neighbours* neighbours, int a, int b);

// Distance from p (a, or a neighbour of a) across the edge a b to q (b, or a neighbour of b), with
// the triangles around a and b unfolded. Negative if they cannot be. around: triangles of each
// particle.
double pl_unfolded_distance(const pl_particle_graph* graph, const pl_neighbours* neighbours,
                            const pl_adjacency* around, int p, int a, int b, int q);

#endif
