// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Vertices at the same place, or nearly so.
#ifndef PL_MESH_CLOSE_VERTICES_H
#define PL_MESH_CLOSE_VERTICES_H

#include "base/fail.h"

// first[v] is the lowest vertex r with first[r] == r that lies within the tolerance of v (exactly
// at v's place if the tolerance is 0), or v itself if there is none. Vertices that are not finite
// stand alone. A tolerance that is not finite counts as 0. Linear time whatever the positions.
pl_status pl_first_of_close_vertices(const double* positions, int vertex_count, double tolerance,
                                     int* first, pl_error* error);

#endif
