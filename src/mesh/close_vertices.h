// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Finds coincident or nearly coincident vertices.
#ifndef PL_MESH_CLOSE_VERTICES_H
#define PL_MESH_CLOSE_VERTICES_H

#include "base/fail.h"

// first[v] is the lowest vertex r with first[r] == r within the tolerance of v (at exactly the same
// position if the tolerance is 0), or v itself if there is none. Vertices that are not finite match
// no other. A tolerance that is not finite counts as 0. Takes linear time for any positions.
pl_status pl_first_of_close_vertices(const double* positions, int vertex_count, double tolerance,
                                     int* first, pl_error* error);

#endif
