// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which vertices of a system share an element: the sparsity pattern of its matrix.
#ifndef PL_STEP_PATTERN_H
#define PL_STEP_PATTERN_H

#include "step/element_set.h"

// The elements of a set around each vertex.
pl_status pl_step_elements_around(const pl_element_set* set, int vertex_count, pl_pool* pool,
                                  pl_adjacency* out, pl_error* error);

// For each vertex, the other vertices that share an element with it. around: of each set.
pl_status pl_step_neighbours(const pl_element_set* sets, const pl_adjacency* around, int set_count,
                             int vertex_count, pl_pool* pool, pl_adjacency* out, pl_error* error);

#endif
