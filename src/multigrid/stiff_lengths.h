// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Edge lengths for the sampling of heterogeneous bodies, which the paper leaves open (S0 section
// 6). They are derived from the matrix alone.
#ifndef PL_MULTIGRID_STIFF_LENGTHS_H
#define PL_MULTIGRID_STIFF_LENGTHS_H

#include "base/pool.h"
#include "mesh/topology.h"

#include <stdbool.h>

// Computes edge lengths that keep stiff parts apart. Edges inside stiff parts, and edges from a
// stiff vertex to a soft one, become longer. Edges from a soft vertex to a stiff one, and edges
// through something soft between two stiff vertices, become longer than the body, so that no node
// reaches across them as long as there are enough nodes. Lengths therefore depend on the direction.
// values: block^2 per entry. entries: the entry of each item of the graph; NULL: the same index.
// lengths: per item. Returns false if the body has one stiffness or allocation fails; lengths are
// then plain distances.
bool pl_stiff_lengths(const pl_adjacency* graph, const double* positions, const double* values,
                      int block, const int* entries, pl_pool* pool, double* lengths);

#endif
