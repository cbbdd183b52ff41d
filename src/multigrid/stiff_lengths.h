// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Lengths of edges for the sampling of heterogeneous bodies, which the paper leaves open (S0
// section 6). They come from the matrix alone.
#ifndef PL_MULTIGRID_STIFF_LENGTHS_H
#define PL_MULTIGRID_STIFF_LENGTHS_H

#include "base/pool.h"
#include "mesh/topology.h"

#include <stdbool.h>

// Edges inside stiff parts and from a stiff vertex to a soft one become longer; an edge from a soft
// vertex to a stiff one, or through something soft between two stiff ones, longer than the body, so
// that no node reaches across while there are nodes enough. So lengths depend on the direction.
// values: block^2 per entry; entries: of each item of the graph its entry, or NULL: the same;
// lengths: per item. False if the body is of one stiffness, or memory is out: then lengths are
// plain distances.
bool pl_stiff_lengths(const pl_adjacency* graph, const double* positions, const double* values,
                      int block, const int* entries, pl_pool* pool, double* lengths);

#endif
