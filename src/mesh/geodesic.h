// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Distance along the edges of a mesh from the nearest of a set of sources. Sources can be added
// one after the other; each addition touches only the vertices that come nearer.
#ifndef PL_MESH_GEODESIC_H
#define PL_MESH_GEODESIC_H

#include "mesh/topology.h"
#include "mesh/vertex_heap.h"

// The length of the edge behind each item of the graph; lengths: as many as the graph has items.
void pl_edge_lengths(const pl_adjacency* graph, const double* positions, double* lengths);
// Those of the vertices [begin, end) only.
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
