// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which closed components of a surface are inside out.
#ifndef PL_MESH_WINDING_H
#define PL_MESH_WINDING_H

#include "mesh/components.h"

// Judges each component, with its triangles oriented by components->orientation: 1 if it is closed
// and faces the right way, -1 if it is closed and must be turned, 0 if it is open or one-sided. A
// component inside another is a cavity or a separate solid; it is turned if and only if the
// outermost component around it is.
pl_status pl_judge_winding(const double* positions, const int* triangles, int triangle_count,
                           const int* neighbours, const pl_components* components,
                           signed char* verdict, pl_error* error);

// Six times the volume of the cone from the origin over the triangle.
double pl_cone_volume6(const double* positions, const int* triangle);

#endif
