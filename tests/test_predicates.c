// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The references compute in integers wide enough to be exact.
#include "base/random.h"
#include "geometry/predicates.h"
#include "geometry/triangle_intersection.h"
#include "test.h"

__extension__ typedef __int128 wide;

typedef struct int3 {
    int64_t v[3];
} int3;

static int sign_of(wide x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

static int3 minus(int3 a, int3 b) {
    return (int3){{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};
}

static int exact_orient3d(int3 a, int3 b, int3 c, int3 d) {
    int3 x = minus(b, a), y = minus(c, a), z = minus(d, a);
    wide det = 0;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        det += x.v[k] * ((wide)y.v[l] * z.v[m] - (wide)y.v[m] * z.v[l]);
    }
    return sign_of(det);
}

static int3 random_point(pl_random* random, int64_t range) {
    int3 p;
    for (int k = 0; k < 3; k++)
        p.v[k] = (int64_t)(pl_random_bits(random) % (uint64_t)(2 * range + 1)) - range;
    return p;
}

static pl_vec3 scaled(int3 p, double scale) {
    return (pl_vec3){scale * (double)p.v[0], scale * (double)p.v[1], scale * (double)p.v[2]};
}

// a point in the plane of a b c, moved off it by at most one unit
static int3 nearly_coplanar(pl_random* random, int3 a, int3 b, int3 c) {
    int64_t s = pl_random_int(random, 5) - 2, t = pl_random_int(random, 5) - 2;
    int3 u = minus(b, a), v = minus(c, a), p;
    for (int k = 0; k < 3; k++) p.v[k] = a.v[k] + s * u.v[k] + t * v.v[k];
    p.v[pl_random_int(random, 3)] += pl_random_int(random, 3) - 1;
    return p;
}

TEST(predicates_orient3d_is_exact)
{
    pl_random random = {11};
    int seen[3] = {0};
    for (int i = 0; i < 200000; i++) {
        int64_t range = INT64_C(1) << (2 + i % 34);
        int3 a = random_point(&random, range), b = random_point(&random, range),
             c = random_point(&random, range);
        int3 d = i % 4 ? nearly_coplanar(&random, a, b, c) : random_point(&random, range);
        int expected = exact_orient3d(a, b, c, d);
        // powers of two change nothing; the extreme ones would over- or underflow in the filter
        double scale = i % 3 == 0 ? 1.0 : i % 3 == 1 ? 0x1p-330 : 0x1p+380;
        pl_vec3 p = scaled(a, scale), q = scaled(b, scale), r = scaled(c, scale),
                s = scaled(d, scale);
        CHECK_INT(pl_orient3d(p, q, r, s), expected);
        CHECK_INT(pl_orient3d(q, p, r, s), -expected);
        CHECK_INT(pl_orient3d(s, q, r, p), -expected);
        seen[expected + 1]++;
    }
    CHECK(seen[0] > 10000 && seen[1] > 10000 && seen[2] > 10000);
}

TEST(predicates_orient2d_is_exact)
{
    // points a few units in the last place from a line at 45 degrees
    double b[2] = {12.0, 12.0}, c[2] = {24.0, 24.0};
    int seen[3] = {0};
    for (int64_t i = 0; i < 256; i++)
        for (int64_t j = 0; j < 256; j++) {
            double a[2] = {0.5 + (double)i * 0x1p-53, 0.5 + (double)j * 0x1p-53};
            wide one = (wide)1 << 53, x = one / 2 + i, y = one / 2 + j;
            wide det = (12 * one - x) * (24 * one - y) - (12 * one - y) * (24 * one - x);
            int expected = sign_of(det);
            CHECK_INT(pl_orient2d(a, b, c), expected);
            CHECK_INT(pl_orient2d(c, b, a), -expected);
            seen[expected + 1]++;
        }
    CHECK(seen[0] && seen[1] && seen[2]);
}

static int3 cross(int3 a, int3 b) {
    int3 c;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        c.v[k] = a.v[l] * b.v[m] - a.v[m] * b.v[l];
    }
    return c;
}

static bool is_zero(int3 a) { return a.v[0] == 0 && a.v[1] == 0 && a.v[2] == 0; }

// strictly apart along the axis?
static bool separates(int3 axis, const int3* s, int s_count, const int3* t, int t_count) {
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (int i = 0; i < s_count + t_count; i++) {
        const int3* p = i < s_count ? &s[i] : &t[i - s_count];
        int64_t d = axis.v[0] * p->v[0] + axis.v[1] * p->v[1] + axis.v[2] * p->v[2];
        int which = i >= s_count;
        if (d < low[which]) low[which] = d;
        if (d > high[which]) high[which] = d;
    }
    return high[0] < low[1] || high[1] < low[0];
}

// Convex sets are apart if and only if one of these axes separates them: normals of the triangles,
// products of edges, and within a common plane the normals of the edges. A segment has one edge.
static bool apart(const int3* s, int s_count, const int3* t, int t_count) {
    int3 edges[6], normals[2], axes[64];
    int edge_count = 0, normal_count = 0, axis_count = 0;
    for (int i = 0; i < (s_count == 3 ? 3 : 1); i++)
        edges[edge_count++] = minus(s[(i + 1) % s_count], s[i]);
    int own = edge_count;
    for (int i = 0; i < t_count; i++) edges[edge_count++] = minus(t[(i + 1) % t_count], t[i]);
    if (s_count == 3) normals[normal_count++] = cross(edges[0], edges[1]);
    normals[normal_count++] = cross(edges[own], edges[own + 1]);
    for (int i = 0; i < normal_count; i++) {
        axes[axis_count++] = normals[i];
        for (int j = 0; j < edge_count; j++) axes[axis_count++] = cross(normals[i], edges[j]);
    }
    for (int i = 0; i < own; i++) {
        for (int j = own; j < edge_count; j++) axes[axis_count++] = cross(edges[i], edges[j]);
        axes[axis_count++] = edges[i];
    }
    for (int i = 0; i < axis_count; i++)
        if (!is_zero(axes[i]) && separates(axes[i], s, s_count, t, t_count)) return true;
    return false;
}

TEST(predicates_triangles_meet_as_exact_separation_says)
{
    pl_random random = {5};
    int met = 0, apart_count = 0, flat = 0;
    for (int i = 0; i < 150000; i++) {
        int3 s[3], t[3];
        pl_vec3 p[3], q[3];
        int64_t range = 1 + i % 4; // small, so that touching and common planes are frequent
        for (int k = 0; k < 3; k++) {
            s[k] = random_point(&random, range);
            t[k] = random_point(&random, range);
            if (i % 5 == 0) s[k].v[2] = t[k].v[2] = 1; // in one plane
            p[k] = scaled(s[k], 1.0), q[k] = scaled(t[k], 1.0);
        }
        bool s_flat = is_zero(cross(minus(s[1], s[0]), minus(s[2], s[0])));
        bool t_flat = is_zero(cross(minus(t[1], t[0]), minus(t[2], t[0])));
        CHECK_INT(pl_triangle_is_flat(p[0], p[1], p[2]), s_flat);
        flat += s_flat;
        if (s_flat || t_flat) continue;
        bool expected = !apart(s, 3, t, 3);
        CHECK_INT(pl_triangles_meet(p, q), expected);
        CHECK_INT(pl_triangles_meet(q, p), expected);
        if (!is_zero(minus(s[0], s[1])))
            CHECK_INT(pl_segment_meets_triangle(p[0], p[1], q), !apart(s, 2, t, 3));
        met += expected;
        apart_count += !expected;
    }
    CHECK(met > 10000 && apart_count > 10000 && flat > 100);
}

TEST(predicates_folded_triangles)
{
    pl_vec3 e = {0, 0, 0}, f = {1, 0, 0}, up = {0.3, 1, 0}, other = {0.6, 2, 0},
            down = {0.5, -1, 0};
    CHECK(pl_triangles_fold(e, f, up, other));
    CHECK(!pl_triangles_fold(e, f, up, down));
    CHECK(!pl_triangles_fold(e, f, up, (pl_vec3){0.5, 1, 1e-30}));
}
