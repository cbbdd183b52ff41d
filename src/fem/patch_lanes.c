// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/patch_lanes.h"
#include "material/bend_patch.h"
#include "math/double4.h"

typedef struct vec3_d4 {
    pl_d4 c[3];
} vec3_d4;

// of four patches
typedef struct lanes {
    vec3_d4 x[6];
    pl_d4 rest[3], form[6];
    pl_d4 delta[3], moment[3];
    vec3_d4 slope[3][4]; // of angle i by corner k of its hinge
} lanes;

PL_WIDE vec3_d4 sub(const vec3_d4* a, const vec3_d4* b) {
    return (vec3_d4){{a->c[0] - b->c[0], a->c[1] - b->c[1], a->c[2] - b->c[2]}};
}
PL_WIDE pl_d4 dot(const vec3_d4* a, const vec3_d4* b) {
    return a->c[0] * b->c[0] + a->c[1] * b->c[1] + a->c[2] * b->c[2];
}
PL_WIDE vec3_d4 cross(const vec3_d4* a, const vec3_d4* b) {
    return (vec3_d4){{a->c[1] * b->c[2] - a->c[2] * b->c[1], a->c[2] * b->c[0] - a->c[0] * b->c[2],
                      a->c[0] * b->c[1] - a->c[1] * b->c[0]}};
}

// Lanes past the last patch repeat it.
PL_WIDE void load(lanes* l, const int* corners, const pl_patch_values* patches, int first,
                  int count, const double* x) {
    const pl_patch_values* p[PL_FOUR];
    const int* corner[PL_FOUR];
    for (int k = 0; k < PL_FOUR; k++) {
        int e = first + (k < count ? k : count - 1);
        p[k] = &patches[e];
        corner[k] = corners + 6 * (size_t)e;
    }
    for (int i = 0; i < 6; i++) {
        const double *a = x + 3 * (size_t)corner[0][i], *b = x + 3 * (size_t)corner[1][i];
        const double *c = x + 3 * (size_t)corner[2][i], *d = x + 3 * (size_t)corner[3][i];
        for (int r = 0; r < 3; r++) l->x[i].c[r] = (pl_d4){a[r], b[r], c[r], d[r]};
        l->form[i] = (pl_d4){p[0]->form[i], p[1]->form[i], p[2]->form[i], p[3]->form[i]};
    }
    for (int i = 0; i < 3; i++)
        l->rest[i] = (pl_d4){p[0]->rest[i], p[1]->rest[i], p[2]->rest[i], p[3]->rest[i]};
}

PL_WIDE pl_d4 abs_d4(pl_d4 a) { return (pl_d4)((pl_i4)a & INT64_MAX); }

// atan2(s, c) by half the angle. Two further halvings leave at most 0.2, where eleven terms of the
// series of the arc tangent are exact to the last bits.
PL_WIDE pl_d4 angle_of(pl_d4 s, pl_d4 c) {
    pl_d4 r = pl_sqrt_d4(s * s + c * c), size = abs_d4(s);
    pl_d4 top = pl_select_d4(c >= 0.0, size, r - c), bottom = pl_select_d4(c >= 0.0, c + r, size);
    pl_d4 high = pl_max_d4(top, bottom), low = pl_min_d4(top, bottom);
    pl_d4 z = low / pl_select_d4(high > 0.0, high, pl_splat_d4(1.0));
    z = z / (1.0 + pl_sqrt_d4(1.0 + z * z));
    z = z / (1.0 + pl_sqrt_d4(1.0 + z * z));
    pl_d4 q = z * z, sum = pl_splat_d4(1.0 / 23.0);
    for (int k = 21; k > 0; k -= 2) sum = 1.0 / k - q * sum;
    pl_d4 half = 4.0 * z * sum;
    half = pl_select_d4(top > bottom, 0.5 * PL_PI - half, half);
    return pl_select_d4(s < 0.0, -2.0 * half, 2.0 * half);
}

// The angle of hinge i minus its rest angle, and its slopes; as in bending.c.
PL_WIDE void hinge(lanes* l, int i, bool with_slopes) {
    const pl_d4 one = pl_splat_d4(1.0);
    const int* v = pl_patch_hinge[i];
    const vec3_d4 e = sub(&l->x[v[1]], &l->x[v[0]]), a = sub(&l->x[v[2]], &l->x[v[0]]);
    const vec3_d4 b = sub(&l->x[v[3]], &l->x[v[0]]), n1 = cross(&e, &a), n2 = cross(&b, &e);
    const vec3_d4 n = cross(&n2, &n1);
    pl_d4 e2 = dot(&e, &e), m1 = dot(&n1, &n1), m2 = dot(&n2, &n2), least = 1e-10 * e2 * e2;
    pl_i4 exists = (m1 > least) & (m2 > least);
    pl_d4 length = pl_sqrt_d4(e2), inverse = 1.0 / pl_select_d4(exists, length, one);
    pl_d4 d = angle_of(dot(&n, &e) * inverse, dot(&n1, &n2)) - l->rest[i];
    d = pl_select_d4(d > PL_PI, d - 2.0 * PL_PI, d);
    d = pl_select_d4(d < -PL_PI, d + 2.0 * PL_PI, d);
    l->delta[i] = pl_where_d4(exists, d);
    if (!with_slopes) return;
    pl_d4 s1 = pl_where_d4(exists, 1.0 / pl_select_d4(exists, m1, one));
    pl_d4 s2 = pl_where_d4(exists, 1.0 / pl_select_d4(exists, m2, one));
    pl_d4 t1 = dot(&a, &e) * inverse, t2 = dot(&b, &e) * inverse;
    for (int c = 0; c < 3; c++) {
        pl_d4 g1 = s1 * n1.c[c], g2 = s2 * n2.c[c];
        l->slope[i][0].c[c] = (t1 - length) * g1 + (t2 - length) * g2;
        l->slope[i][1].c[c] = -t1 * g1 - t2 * g2;
        l->slope[i][2].c[c] = length * g1;
        l->slope[i][3].c[c] = length * g2;
    }
}

// moments of the angles; returns the energy of the first `count` lanes
PL_WIDE double find_moments(lanes* l, int count) {
    pl_d4 energy = {0};
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        l->moment[i] = l->form[pl_patch_entry[i][0]] * l->delta[0] +
                       l->form[pl_patch_entry[i][1]] * l->delta[1] +
                       l->form[pl_patch_entry[i][2]] * l->delta[2];
        energy += l->moment[i] * l->delta[i];
    }
    for (int k = 0; k < count; k++) sum += energy[k];
    return 0.5 * sum;
}

PL_WIDE void add_gradient(const lanes* l, const int* corners, int count, double* gradient) {
    vec3_d4 sums[6] = {{{{0}}}};
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
#pragma GCC unroll 4
        for (int v = 0; v < 4; v++)
            for (int c = 0; c < 3; c++)
                sums[pl_patch_hinge[i][v]].c[c] += l->moment[i] * l->slope[i][v].c[c];
    for (int k = 0; k < count; k++)
        for (int v = 0; v < 6; v++) {
            double* g = gradient + 3 * (size_t)corners[6 * k + v];
            for (int c = 0; c < 3; c++) g[c] += sums[v].c[c][k];
        }
}

double pl_patch_lanes_energy(const int* corners, const pl_patch_values* patches, int first,
                             int last, const double* x) {
    double sum = 0.0;
    for (; first < last; first += PL_FOUR) {
        lanes l;
        int count = last - first < PL_FOUR ? last - first : PL_FOUR;
        load(&l, corners, patches, first, count, x);
#pragma GCC unroll 3
        for (int i = 0; i < 3; i++) hinge(&l, i, false);
        sum += find_moments(&l, count);
    }
    return sum;
}

double pl_patch_lanes_gradient(const int* corners, const pl_patch_values* patches, int first,
                               int last, const double* x, double* gradient) {
    double sum = 0.0;
    for (; first < last; first += PL_FOUR) {
        lanes l;
        int count = last - first < PL_FOUR ? last - first : PL_FOUR;
        load(&l, corners, patches, first, count, x);
#pragma GCC unroll 3
        for (int i = 0; i < 3; i++) hinge(&l, i, true);
        sum += find_moments(&l, count);
        add_gradient(&l, corners + 6 * (size_t)first, count, gradient);
    }
    return sum;
}
