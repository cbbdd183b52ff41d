// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The level hierarchy of skinning-space multigrid (S0 sections 4.1 and 4.2). Each vertex has one
// parent node on level 1, and each node has one parent on the next level. The unknown of a node is
// an affine map, which moves all its children.
//
//   paper   here
//   Omega_l nodes of level l; level 0: the vertices; the last level is the coarsest
//   A_j     the 3x4 affine map of node j, three rows of four
//   X_i     point: coordinates of vertex i in the frame of its node, (x - centre) / scale and 1
//   U       x_i = A_j X_i on level 0, A_j = A_k T_j above, T_j = [ratio I, shift; 0 1]
//
// The paper uses world coordinates, where T is the identity. Here each node has a frame of its own,
// so that float blocks are well conditioned wherever the object is. T converts between frames: an
// affine motion of a coarse node is reproduced exactly on all finer levels.
#ifndef PL_MULTIGRID_HIERARCHY_H
#define PL_MULTIGRID_HIERARCHY_H

#include "base/pool.h"
#include "mesh/topology.h"

enum { PL_MG_MAX_LEVELS = 8 };

typedef struct pl_mg_frame {
    double centre[3]; // [m]
    double scale;     // [m]
} pl_mg_frame;

// Transfer between a level and the next coarser one.
typedef struct pl_mg_transfer {
    int fine_count, coarse_count;
    int* parent;        // of each fine node
    int* child_offsets; // coarse_count + 1; no list is empty
    int* children;      // fine nodes by parent, ascending
    float* point;       // 4 per fine node. Level 0: X_i, zero for a held vertex. Above: T_j as
                        // shift (3) and ratio
    // Projector on the affine maps of a coarse node that leave all its children in place. They
    // exist if the children are flat, collinear or a single vertex; otherwise it is zero. 16 per
    // coarse node, symmetric.
    float* unseen;
} pl_mg_transfer;

typedef struct pl_mg_hierarchy {
    int level_count; // includes level 0; at least 2
    int node_counts[PL_MG_MAX_LEVELS];
    pl_mg_transfer transfers[PL_MG_MAX_LEVELS - 1];
    pl_mg_frame* frames[PL_MG_MAX_LEVELS]; // one per node; NULL on level 0
    int* samples;  // vertices, in sampling order: node k of every level >= 1 is at samples[k]
    pl_pool* pool; // or NULL
} pl_mg_hierarchy;

typedef struct pl_mg_hierarchy_options {
    const int* counts; // nodes of the coarse levels, coarsest first; NULL: automatic
    int count_count;
    // Level 1 has 40 vertices per node whatever the size of the body. Mixed levels use this: they
    // take 16 iterations instead of 23 with the growing ratio of other levels.
    bool keeps_ratio;
    const int* starts; // vertices to sample first, or NULL
    int start_count;
    // Edge lengths for the sampling, per item of the graph. NULL: distances between rest positions.
    // If lengths keep parts apart (stiff_lengths.h), the automatic choice takes more nodes, until
    // they are as dense as with plain distances.
    const double* lengths;
    const double* plain_lengths; // distances between rest positions, if already known, or NULL
    pl_pool* pool;               // or NULL
} pl_mg_hierarchy_options;

// The automatic node counts, coarsest level first; returns the number of levels. keeps_ratio: see
// above.
int pl_mg_automatic_counts(int vertex_count, bool keeps_ratio, int counts[PL_MG_MAX_LEVELS - 1]);

// Builds all levels. graph: which vertices are coupled. positions: 3 per vertex, at rest. Counts
// above the vertex count are reduced to it, and equal levels are merged. Each connected part gets a
// node on level 1, even if that exceeds the given count; if it more than doubles the count, a level
// is added. Returns PL_ERROR_ARGUMENT if counts do not grow or starts are wrong.
pl_status pl_mg_hierarchy_setup(pl_mg_hierarchy* out, const pl_adjacency* graph,
                                const double* positions, const pl_mg_hierarchy_options* options,
                                pl_error* error);
// Updates frames and points for new rest positions; nodes and parents stay. held: 1 for vertices
// that no node moves (hard attachments), or NULL.
void pl_mg_hierarchy_move(pl_mg_hierarchy* hierarchy, const double* positions,
                          const unsigned char* held);
// Computes `unseen` (16 values) of a node of level l >= 1, ignoring the vertices that have one of
// the bits in left_out.
void pl_mg_hierarchy_unseen(const pl_mg_hierarchy* hierarchy, int l, int node,
                            const unsigned char* left_out, int bits, float* unseen);
void pl_mg_hierarchy_free(pl_mg_hierarchy* hierarchy);

#endif
