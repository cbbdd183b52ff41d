// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Two triangles intersect if and only if an edge of one intersects the other, so it is enough to
// test segments. A segment intersects a triangle if the plane of the triangle separates its ends or
// contains one of them, and its line passes all edges on the same side. If the plane contains both
// ends, the test is in 2D, in a coordinate plane in which the projected triangle has an area.
#include "geometry/triangle_intersection.h"
#include "geometry/predicates.h"

// projects along an axis
static void project(pl_vec3 v, int axis, double out[2]) {
    out[0] = pl_component(v, (axis + 1) % 3);
    out[1] = pl_component(v, (axis + 2) % 3);
}

static int orient_projected(pl_vec3 a, pl_vec3 b, pl_vec3 c, int axis) {
    double p[2], q[2], r[2];
    project(a, axis, p);
    project(b, axis, q);
    project(c, axis, r);
    return pl_orient2d(p, q, r);
}

// The axis to project along: the largest component of the normal, which gives the largest projected
// area. If rounding spoils this choice, any axis that gives an area; -1 if there is none.
static int best_axis(pl_vec3 a, pl_vec3 b, pl_vec3 c) {
    pl_vec3 n = pl_cross(pl_sub(b, a), pl_sub(c, a));
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    for (int i = 0; i < 3; i++)
        if (orient_projected(a, b, c, (axis + i) % 3) != 0) return (axis + i) % 3;
    return -1;
}

bool pl_triangle_is_flat(pl_vec3 a, pl_vec3 b, pl_vec3 c) { return best_axis(a, b, c) < 0; }

static bool ranges_meet(double a, double b, double c, double d) {
    return fmin(a, b) <= fmax(c, d) && fmin(c, d) <= fmax(a, b);
}

static bool segments_meet(const double a[2], const double b[2], const double p[2],
                          const double q[2]) {
    int p_side = pl_orient2d(a, b, p), q_side = pl_orient2d(a, b, q);
    if (p_side * q_side > 0) return false;
    int a_side = pl_orient2d(p, q, a), b_side = pl_orient2d(p, q, b);
    if (a_side * b_side > 0) return false;
    if (p_side || q_side || a_side || b_side) return true;
    return ranges_meet(a[0], b[0], p[0], q[0]) && ranges_meet(a[1], b[1], p[1], q[1]);
}

// the test if all points are in one plane
static bool coplanar_meets(pl_vec3 p, pl_vec3 q, const pl_vec3 t[3]) {
    int axis = best_axis(t[0], t[1], t[2]);
    if (axis < 0) return false;
    double u[2], v[2], corner[3][2];
    project(p, axis, u);
    project(q, axis, v);
    for (int i = 0; i < 3; i++) project(t[i], axis, corner[i]);
    int positive = 0, negative = 0;
    for (int i = 0; i < 3; i++) {
        int side = pl_orient2d(corner[i], corner[(i + 1) % 3], u);
        positive += side > 0, negative += side < 0;
    }
    if (!positive || !negative) return true; // p is inside
    for (int i = 0; i < 3; i++)
        if (segments_meet(corner[i], corner[(i + 1) % 3], u, v)) return true;
    return false;
}

// p_side, q_side: sides of the plane of t on which p and q are
static bool meets_with_sides(pl_vec3 p, pl_vec3 q, int p_side, int q_side, const pl_vec3 t[3]) {
    if (p_side * q_side > 0) return false;
    if (p_side == 0 && q_side == 0) return coplanar_meets(p, q, t);
    int positive = 0, negative = 0;
    for (int i = 0; i < 3; i++) {
        int side = pl_orient3d(p, q, t[i], t[(i + 1) % 3]);
        positive += side > 0, negative += side < 0;
        if (positive && negative) return false;
    }
    return true;
}

bool pl_segment_meets_triangle(pl_vec3 p, pl_vec3 q, const pl_vec3 t[3]) {
    return meets_with_sides(p, q, pl_orient3d(t[0], t[1], t[2], p),
                            pl_orient3d(t[0], t[1], t[2], q), t);
}

// true if an edge of s meets t
static bool edges_meet(const pl_vec3 s[3], const int side[3], const pl_vec3 t[3]) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (meets_with_sides(s[i], s[j], side[i], side[j], t)) return true;
    }
    return false;
}

static bool all_on_one_side(const pl_vec3 s[3], const pl_vec3 t[3], int side[3]) {
    for (int i = 0; i < 3; i++) side[i] = pl_orient3d(t[0], t[1], t[2], s[i]);
    return side[0] != 0 && side[0] == side[1] && side[1] == side[2];
}

bool pl_triangles_meet(const pl_vec3 s[3], const pl_vec3 t[3]) {
    int s_side[3], t_side[3];
    if (all_on_one_side(s, t, s_side) || all_on_one_side(t, s, t_side)) return false;
    return edges_meet(s, s_side, t) || edges_meet(t, t_side, s);
}

bool pl_triangles_fold(pl_vec3 e, pl_vec3 f, pl_vec3 g, pl_vec3 h) {
    if (pl_orient3d(e, f, g, h) != 0) return false;
    int axis = best_axis(e, f, g);
    return axis >= 0 && orient_projected(e, f, g, axis) == orient_projected(e, f, h, axis);
}
