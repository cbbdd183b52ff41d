// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pressure on the triangles of a surface. It acts across each triangle as the triangle is, a third
// of it on each corner.
#ifndef PL_CONTACT_PRESSURE_H
#define PL_CONTACT_PRESSURE_H

#include "math/vec3.h"

#include <stddef.h>

typedef struct pl_pressure {
    double pressure; // [Pa], against the normals
    int count;
    const int* triangles; // vertices of a system, 3 per triangle
} pl_pressure;

// Twice the area times the normal of a triangle; v: its three vertices.
static inline pl_vec3 pl_doubled_area(const double* x, const int* v) {
    pl_vec3 a = pl_vec3_load(x + 3 * (size_t)v[0]);
    return pl_cross(pl_sub(pl_vec3_load(x + 3 * (size_t)v[1]), a),
                    pl_sub(pl_vec3_load(x + 3 * (size_t)v[2]), a));
}

// force += sign times the forces of the pressure at x [N], 3 per vertex.
void pl_pressure_add(const pl_pressure* load, const double* x, double sign, double* force);

// The volume that a triangle sweeps along its normal on the straight way of its corners from
// `from` to `to` [m^3], exactly. For closed surfaces the sum is the change of the enclosed volume.
double pl_swept_volume(const double* from, const double* to, const int* v);
// The work of pressure on the straight way of all vertices from `from` to `to`, beyond that of its
// forces at `from` [J].
double pl_pressure_excess(const pl_pressure* load, const double* from, const double* to);

#endif
