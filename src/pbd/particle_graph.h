// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A level of the hierarchy as a graph: particles, edges with rest lengths, and triangles; and the
// mapping from a level to the next coarser one (S1 sections 6.2 and 6.3).
#ifndef PL_PBD_PARTICLE_GRAPH_H
#define PL_PBD_PARTICLE_GRAPH_H

#include "base/fail.h"
#include "mesh/topology.h"

#include <pliant/scene.h>

typedef struct pl_particle_graph {
    int particle_count;
    double* places; // rest positions, 3 each [m]
    bool* attached; // held exactly
    int edge_count;
    int* edges;   // 2 each, the smaller first, ascending
    double* rest; // of each edge [m]
    int triangle_count;
    int* triangles;
    int columns, rows; // size of a regular grid, numbered row by row; else 0
} pl_particle_graph;

// Allocates everything, zeroed.
pl_status pl_particle_graph_create(int particle_count, int edge_count, int triangle_count,
                                   pl_particle_graph* out, pl_error* error);
void pl_particle_graph_free(pl_particle_graph* graph);

// Sets the edges and rest lengths of a graph from a list. An edge that occurs several times keeps
// its shortest rest length; edges from a particle to itself are dropped.
pl_status pl_particle_graph_set_edges(pl_particle_graph* graph, const int* ends, const double* rest,
                                      int count, pl_error* error);

// Keeps only the first `count` triangles.
pl_status pl_particle_graph_cut_triangles(pl_particle_graph* graph, int count, pl_error* error);

// The hinge at two coinciding sides (corner 3 t + side k of pl_side_groups): its vertices in the
// order of the constraint, and its rest angle. Returns false if there is none.
bool pl_particle_hinge(const pl_particle_graph* graph, const int sides[2], int vertices[4],
                       double* angle);

// Maps the particles of a level to the next coarser one.
typedef struct pl_coarsening {
    int fine_count, coarse_count;
    int* fine_of_coarse; // ascending
    int* coarse_of_fine; // -1: not on the coarse level
    int* parent_offsets; // first parent of each fine particle; a coarse particle is its own parent
    int* parents;
    float* weights; // sum to 1
} pl_coarsening;

void pl_coarsening_free(pl_coarsening* coarsening);

typedef struct pl_coarsen_options {
    int parents; // minimum number of parents of a fine particle
    pl_rest_length rest_length;
    double keep_attached; // probability that an attached particle stays coarse; NAN: attached ones
                          // are visited last
} pl_coarsen_options;

// What a particle becomes, if known in advance.
enum { PL_BECOMES_ANYTHING, PL_BECOMES_FINE, PL_BECOMES_COARSE };

// Builds the next coarser level. coarse->particle_count equals that of the fine level if no
// particle can be dropped. becomes: per particle; NULL: all undecided. A particle with too few
// parents always stays coarse.
pl_status pl_coarsen(const pl_particle_graph* fine, const pl_coarsen_options* options,
                     const unsigned char* becomes, pl_coarsening* out, pl_particle_graph* coarse,
                     pl_error* error);

// The same for a grid: keeps every second row and column, and the last ones. Returns false and
// makes nothing if particles would have too few parents, or an attached particle no attached
// parent.
bool pl_can_coarsen_grid(const pl_particle_graph* fine, const pl_coarsen_options* options);
pl_status pl_coarsen_grid(const pl_particle_graph* fine, const pl_coarsen_options* options,
                          pl_coarsening* out, pl_particle_graph* coarse, pl_error* error);

// True if the triangles are those of a grid: vertices numbered row by row, two triangles per cell.
bool pl_find_grid(const int* triangles, int triangle_count, int vertex_count, int* columns,
                  int* rows);

// Used by both.
pl_status pl_coarsening_create(int fine_count, int coarse_count, int parent_count,
                               pl_coarsening* out, pl_error* error);
// Weights of the parents of particle i by Eq. 6.
void pl_set_weights(const pl_particle_graph* fine, pl_coarsening* c, int i);
// Sets positions and attachment of the coarse particles.
void pl_copy_particles(const pl_particle_graph* fine, const pl_coarsening* c,
                       pl_particle_graph* coarse);

#endif
