// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Farthest-point sampling along mesh edges. Each sample is the vertex farthest from all samples
// before it, so each prefix of the sample list is an even, coarser sampling.
#ifndef PL_MESH_SAMPLING_H
#define PL_MESH_SAMPLING_H

#include "mesh/geodesic.h"

typedef struct pl_samples {
    int count;
    int* vertices; // samples: the given starts, then the others
    double* radii; // how far the sample was from those before it; INFINITY for the starts and for
                   // the first one of a part that no earlier one reaches
    int vertex_count;
    int* nearest;      // the number of each vertex's nearest sample
    double* distances; // to it
} pl_samples;

// count samples of the vertices of a graph, with the lengths of its edges (one per item). Starts
// come first (different vertices; none: the sampling begins at vertex 0). Each unconnected part
// gets a sample, even if that makes more than count. Of equally far vertices the lowest is chosen.
// PL_ERROR_ARGUMENT if count is below 1 or above the vertices, or starts are out of range or
// repeated.
pl_status pl_sample_furthest(const pl_adjacency* graph, const double* lengths, const int* starts,
                             int start_count, int count, pl_samples* out, pl_error* error);
// Snapshots during sampling: nearest[k] (one number per vertex) gets each vertex's nearest sample
// after counts[k] samples; -1 if none of them reaches it.
typedef struct pl_sample_stops {
    int count;
    const int* counts;
    int** nearest;
} pl_sample_stops;

// The same with stops, or NULL.
pl_status pl_sample_with_stops(const pl_adjacency* graph, const double* lengths, const int* starts,
                               int start_count, int count, const pl_sample_stops* stops,
                               pl_samples* out, pl_error* error);
void pl_samples_free(pl_samples* samples);

#endif
