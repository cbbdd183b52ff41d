// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Vectors of three doubles, by value.
#ifndef PL_MATH_VEC3_H
#define PL_MATH_VEC3_H

#include <math.h>

#define PL_PI 3.14159265358979323846

typedef struct pl_vec3 {
    double x, y, z;
} pl_vec3;

static inline pl_vec3 pl_vec3_load(const double* p) { return (pl_vec3){p[0], p[1], p[2]}; }
static inline void pl_vec3_store(double* p, pl_vec3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline pl_vec3 pl_add(pl_vec3 a, pl_vec3 b) {
    return (pl_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline pl_vec3 pl_sub(pl_vec3 a, pl_vec3 b) {
    return (pl_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline pl_vec3 pl_scale(double s, pl_vec3 a) { return (pl_vec3){s * a.x, s * a.y, s * a.z}; }
// a + s b
static inline pl_vec3 pl_madd(pl_vec3 a, double s, pl_vec3 b) {
    return (pl_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double pl_component(pl_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}
static inline double pl_dot(pl_vec3 a, pl_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline pl_vec3 pl_cross(pl_vec3 a, pl_vec3 b) {
    return (pl_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double pl_norm2(pl_vec3 a) { return pl_dot(a, a); }
static inline double pl_norm(pl_vec3 a) { return sqrt(pl_dot(a, a)); }
static inline double pl_distance(pl_vec3 a, pl_vec3 b) { return pl_norm(pl_sub(a, b)); }
// a / |a|, or zero for a zero vector
static inline pl_vec3 pl_normalize(pl_vec3 a) {
    double length = pl_norm(a);
    return length > 0.0 ? pl_scale(1.0 / length, a) : (pl_vec3){0.0, 0.0, 0.0};
}
static inline pl_vec3 pl_lerp(pl_vec3 a, pl_vec3 b, double t) {
    return pl_madd(a, t, pl_sub(b, a));
}
// component-wise
static inline pl_vec3 pl_min3(pl_vec3 a, pl_vec3 b) {
    return (pl_vec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
static inline pl_vec3 pl_max3(pl_vec3 a, pl_vec3 b) {
    return (pl_vec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
// six times the volume of the tet a b c d, positive if d sees a b c counter-clockwise from behind:
// the convention of pl_mesh
static inline double pl_det4(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 d) {
    return pl_dot(pl_sub(b, a), pl_cross(pl_sub(c, a), pl_sub(d, a)));
}

#endif
