// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One level of the hierarchy as a graph: particles joined by distances, and the triangles between
// them; and the way from one level to the next coarser one (S1 sections 6.2 and 6.3).
#ifndef PL_PBD_PARTICLE_GRAPH_H
#define PL_PBD_PARTICLE_GRAPH_H

#include "base/fail.h"
#include "mesh/topology.h"

#include <pliant/scene.h>

typedef struct pl_particle_graph {
    int particle_count;
    double* places; // 3 each, at rest [m]
    bool* attached; // held exactly
    int edge_count;
    int* edges;   // 2 each, the smaller first, ascending
    double* rest; // of each edge [m]
    int triangle_count;
    int* triangles;
    int columns, rows; // of a regular grid, numbered row by row; else 0
} pl_particle_graph;

// Room for everything, all zero.
pl_status pl_particle_graph_create(int particle_count, int edge_count, int triangle_count,
                                   pl_particle_graph* out, pl_error* error);
void pl_particle_graph_free(pl_particle_graph* graph);

// Edges and rest of a graph are those of the given ones, each once with its shortest rest. Pairs
// from a particle to itself are left out.
pl_status pl_particle_graph_set_edges(pl_particle_graph* graph, const int* ends, const double* rest,
                                      int count, pl_error* error);

// Only the first `count` triangles stay.
pl_status pl_particle_graph_cut_triangles(pl_particle_graph* graph, int count, pl_error* error);

// The hinge of two sides that coincide (corner 3 t + side k of pl_side_groups): its vertices as
// constraints have them, and its angle at rest. False if there is none.
bool pl_particle_hinge(const pl_particle_graph* graph, const int sides[2], int vertices[4],
                       double* angle);

// Where the particles of a level have gone on the next coarser one.
typedef struct pl_coarsening {
    int fine_count, coarse_count;
    int* fine_of_coarse; // ascending
    int* coarse_of_fine; // -1: only on the finer level
    int* parent_offsets; // the parents of each fine particle; a coarse one has itself
    int* parents;
    float* weights; // sum to 1
} pl_coarsening;

void pl_coarsening_free(pl_coarsening* coarsening);

typedef struct pl_coarsen_options {
    int parents; // at least, of each fine particle
    pl_rest_length rest_length;
    double keep_attached; // probability that one stays; NAN: they are looked at last
} pl_coarsen_options;

// What a particle is to become, where that is known beforehand.
enum { PL_BECOMES_ANYTHING, PL_BECOMES_FINE, PL_BECOMES_COARSE };

// The next coarser level. coarse->particle_count is that of the fine one if nothing can be left
// out. becomes: of each particle, or NULL: anything; one that would have too few parents stays
// coarse all the same.
pl_status pl_coarsen(const pl_particle_graph* fine, const pl_coarsen_options* options,
                     const unsigned char* becomes, pl_coarsening* out, pl_particle_graph* coarse,
                     pl_error* error);

// The same for a grid: every other row and column, and the last ones. False, without a result, if
// that would leave parents too few or attached particles without one that is attached.
bool pl_can_coarsen_grid(const pl_particle_graph* fine, const pl_coarsen_options* options);
pl_status pl_coarsen_grid(const pl_particle_graph* fine, const pl_coarsen_options* options,
                          pl_coarsening* out, pl_particle_graph* coarse, pl_error* error);

// True if the triangles are those of a grid of vertices numbered row by row, two in each cell.
bool pl_find_grid(const int* triangles, int triangle_count, int vertex_count, int* columns,
                  int* rows);

// Parts of the above that share their ways.
pl_status pl_coarsening_create(int fine_count, int coarse_count, int parent_count,
                               pl_coarsening* out, pl_error* error);
// Weights of the parents of particle i by Eq. 6.
void pl_set_weights(const pl_particle_graph* fine, pl_coarsening* c, int i);
// Places and attachment of the coarse particles.
void pl_copy_particles(const pl_particle_graph* fine, const pl_coarsening* c,
                       pl_particle_graph* coarse);

#endif
