// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pressure on the triangles of a surface. It acts along the current normal of each triangle, a
// third on each corner.
#ifndef PL_CONTACT_PRESSURE_H
#define PL_CONTACT_PRESSURE_H

#include "math/vec3.h"

#include <stddef.h>

typedef struct pl_pressure {
    double pressure; // [Pa], opposite to the normals
    int count;
    const int* triangles; // 3 per triangle, vertices of a system
} pl_pressure;

// Twice the area of a triangle times its normal; v: its three vertices.
static inline pl_vec3 pl_doubled_area(const double* x, const int* v) {
    pl_vec3 a = pl_vec3_load(x + 3 * (size_t)v[0]);
    return pl_cross(pl_sub(pl_vec3_load(x + 3 * (size_t)v[1]), a),
                    pl_sub(pl_vec3_load(x + 3 * (size_t)v[2]), a));
}

// force += sign times the forces of the pressure at x [N], 3 per vertex.
void pl_pressure_add(const pl_pressure* load, const double* x, double sign, double* force);

// Volume that a triangle sweeps along its normal while its corners move straight from `from` to
// `to` [m^3], exact. For a closed surface the sum is the change of the enclosed volume.
double pl_swept_volume(const double* from, const double* to, const int* v);
// Work of the pressure while all vertices move straight from `from` to `to`, minus that of its
// forces at `from` [J].
double pl_pressure_excess(const pl_pressure* load, const double* from, const double* to);

#endif
