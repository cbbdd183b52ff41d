// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Levels of skinning-space multigrid (S0 sections 4.1 and 4.2): each vertex belongs to one node of
// level 1, each node to one node of the next level, and a node moves what belongs to it by an
// affine map.
//
//   paper   here
//   Omega_l nodes of level l; level 0 are the vertices, the last level is the coarsest
//   A_j     the 3x4 affine map of node j, three rows of four
//   X_i     point: coordinates of vertex i in the frame of its node, (x - centre) / scale and 1
//   U       x_i = A_j X_i on level 0, A_j = A_k T_j above, T_j = [ratio I, shift; 0 1]
//
// The paper takes world coordinates and an identity in place of T. Frames of their own keep float
// blocks well conditioned wherever the object is, and T keeps every affine motion of a coarse node
// exact on all levels below.
#ifndef PL_MULTIGRID_HIERARCHY_H
#define PL_MULTIGRID_HIERARCHY_H

#include "base/pool.h"
#include "mesh/topology.h"

enum { PL_MG_MAX_LEVELS = 8 };

typedef struct pl_mg_frame {
    double centre[3]; // [m]
    double scale;     // [m]
} pl_mg_frame;

// From a level to the next coarser one.
typedef struct pl_mg_transfer {
    int fine_count, coarse_count;
    int* parent;        // of each fine node
    int* child_offsets; // coarse_count + 1; no list is empty
    int* children;      // fine nodes by parent, ascending
    float* point;       // 4 per fine node. Level 0: X_i, zero for a held vertex. Above: T_j as
                        // shift (3) and ratio
    // What affine maps of a coarse node move nothing that belongs to it (flat, collinear, single
    // vertex): the projector on them, 16 per coarse node, symmetric; zero where all four
    // directions are seen.
    float* unseen;
} pl_mg_transfer;

typedef struct pl_mg_hierarchy {
    int level_count; // with the vertices; at least 2
    int node_counts[PL_MG_MAX_LEVELS];
    pl_mg_transfer transfers[PL_MG_MAX_LEVELS - 1];
    pl_mg_frame* frames[PL_MG_MAX_LEVELS]; // of the nodes; NULL on level 0
    int* samples;                          // the vertices that nodes were sampled at: node k of
                                           // every level >= 1 sits at samples[k]
    pl_pool* pool;                         // or NULL
} pl_mg_hierarchy;

typedef struct pl_mg_hierarchy_options {
    const int* counts; // nodes of the coarse levels, coarsest first; NULL: from the vertex count
    int count_count;
    bool keeps_ratio;  // level 1 of large bodies, too, has 40 vertices to a node: mixed levels take
                       // 16 iterations so where they take 23 by the law for others
    const int* starts; // vertices that come first in the sampling, or NULL
    int start_count;
    const double* lengths; // per item of the graph, or NULL: distances between rest positions.
                           // Where lengths keep parts apart (stiff_lengths.h), more nodes are taken
                           // than the automatic choice, until nodes are as near to each other as
                           // there.
    const double* plain_lengths; // the same without parts kept apart, if somebody has them, or NULL
    pl_pool* pool;               // or NULL
} pl_mg_hierarchy_options;

// Levels for so many vertices, coarsest first; returns how many. keeps_ratio: see above.
int pl_mg_automatic_counts(int vertex_count, bool keeps_ratio, int counts[PL_MG_MAX_LEVELS - 1]);

// The graph says which vertices are coupled; positions: 3 per vertex, at rest. Counts above the
// vertex count are cut to it, and equal levels become one. Parts that are not connected each get a
// node on level 1, even if there are then more than asked for (and a level more if that is more
// than twice as many). PL_ERROR_ARGUMENT if counts do not grow, or starts are wrong.
pl_status pl_mg_hierarchy_setup(pl_mg_hierarchy* out, const pl_adjacency* graph,
                                const double* positions, const pl_mg_hierarchy_options* options,
                                pl_error* error);
// New rest positions, the same nodes: frames and points follow. held: 1 for vertices that no node
// moves (hard attachments), or NULL.
void pl_mg_hierarchy_move(pl_mg_hierarchy* hierarchy, const double* positions,
                          const unsigned char* held);
// `unseen` of a node of level l >= 1 (16 values) if vertices with one of the bits in left_out were
// not there.
void pl_mg_hierarchy_unseen(const pl_mg_hierarchy* hierarchy, int l, int node,
                            const unsigned char* left_out, int bits, float* unseen);
void pl_mg_hierarchy_free(pl_mg_hierarchy* hierarchy);

#endif
