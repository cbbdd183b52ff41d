// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// On which side of a plane or line is a point? Answers are exact: a floating-point filter decides
// clear cases, exact arithmetic the others. Coordinates must be finite; magnitudes within one call
// may differ by 90 decades.
#ifndef PL_GEOMETRY_PREDICATES_H
#define PL_GEOMETRY_PREDICATES_H

#include "math/vec3.h"

// The sign (1, 0, -1) of the volume of the tet a b c d: of pl_det4.
int pl_orient3d(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 d);

// The sign of the area of the triangle a b c in the plane: 1 for counter-clockwise.
int pl_orient2d(const double a[2], const double b[2], const double c[2]);

#endif
