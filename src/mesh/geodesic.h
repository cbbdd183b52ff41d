// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Distance along the edges of a mesh to the nearest of a set of sources. Sources can be added
// incrementally; each addition only touches vertices whose distance decreases.
#ifndef PL_MESH_GEODESIC_H
#define PL_MESH_GEODESIC_H

#include "mesh/topology.h"
#include "mesh/vertex_heap.h"

// Sets the edge length of each item of the graph; lengths: one per item.
void pl_edge_lengths(const pl_adjacency* graph, const double* positions, double* lengths);
// The same for the vertices [begin, end) only.
void pl_edge_lengths_of(const pl_adjacency* graph, const double* positions, int begin, int end,
                        double* lengths);

typedef struct pl_geodesic {
    const pl_adjacency* graph; // borrowed
    const double* lengths;     // borrowed; one per item of the graph
    double* distances;         // of each vertex; INFINITY: no source reaches it
    int* nearest;              // the number of its nearest source (as added, from 0), or -1
    int source_count;
    pl_vertex_heap heap;
} pl_geodesic;

// PL_ERROR_MESH if a length is negative or not finite (the text names the edge). No source yet.
pl_status pl_geodesic_create(const pl_adjacency* graph, const double* lengths, pl_geodesic* out,
                             pl_error* error);
void pl_geodesic_free(pl_geodesic* geodesic);

// Sources are vertices; they get the next numbers. Allocates nothing. A vertex equally near to two
// sources belongs to the one with the lower number if both were added in one call, else to the one
// added first.
void pl_geodesic_add(pl_geodesic* geodesic, const int* sources, int count);

#endif
