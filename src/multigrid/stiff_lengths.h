// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Lengths of edges for the sampling of heterogeneous bodies, which the paper leaves open (S0
// section 6).
#ifndef PL_MULTIGRID_STIFF_LENGTHS_H
#define PL_MULTIGRID_STIFF_LENGTHS_H

#include "mesh/topology.h"

#include <stdbool.h>

// Edges between a stiff and a soft vertex become longer than they are, so that nodes hold vertices
// of one kind. values: block^2 per entry; entries: of each item of the graph its entry, or NULL:
// the same; lengths: per item. False, with lengths undone, if the body is of one stiffness, or
// memory is out: then plain distances serve.
bool pl_stiff_lengths(const pl_adjacency* graph, const double* positions, const double* values,
                      int block, const int* entries, double* lengths);

#endif
