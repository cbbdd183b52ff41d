// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "material/bending.h"
#include <string.h>

// The quantities behind the angle. Its gradient is m1 = n1 / |n1|^2 and m2 = n2 / |n2|^2, weighted
// by t.
typedef struct hinge {
    pl_vec3 e, a, b, n1, n2, m1, m2; // edge, x2 - x0, x3 - x0, normals
    double length, t1, t2;           // t: feet of the heights along the edge
} hinge;

static bool make_hinge(const pl_vec3 x[4], hinge* h) {
    h->e = pl_sub(x[1], x[0]), h->a = pl_sub(x[2], x[0]), h->b = pl_sub(x[3], x[0]);
    h->n1 = pl_cross(h->e, h->a), h->n2 = pl_cross(h->b, h->e);
    double e2 = pl_norm2(h->e), least = 1e-10 * e2 * e2;
    if (!(pl_norm2(h->n1) > least && pl_norm2(h->n2) > least)) return false;
    h->length = sqrt(e2);
    h->t1 = pl_dot(h->a, h->e) / h->length, h->t2 = pl_dot(h->b, h->e) / h->length;
    h->m1 = pl_scale(1.0 / pl_norm2(h->n1), h->n1);
    h->m2 = pl_scale(1.0 / pl_norm2(h->n2), h->n2);
    return true;
}

static void gradient_of(const hinge* h, pl_vec3 g[4]) {
    g[0] = pl_madd(pl_scale(h->t1 - h->length, h->m1), h->t2 - h->length, h->m2);
    g[1] = pl_madd(pl_scale(-h->t1, h->m1), -h->t2, h->m2);
    g[2] = pl_scale(h->length, h->m1);
    g[3] = pl_scale(h->length, h->m2);
}

bool pl_bending_angle(const pl_vec3 x[4], double* angle, pl_vec3 gradient[4]) {
    hinge h;
    *angle = 0.0;
    if (gradient) memset(gradient, 0, 4 * sizeof *gradient);
    if (!make_hinge(x, &h)) return false;
    *angle = atan2(pl_dot(pl_cross(h.n2, h.n1), h.e) / h.length, pl_dot(h.n1, h.n2));
    if (gradient) gradient_of(&h, gradient);
    return true;
}

// change of n / |n|^2 when n changes by dn
static pl_vec3 normal_change(pl_vec3 n, pl_vec3 dn) {
    double n2 = pl_norm2(n);
    return pl_scale(1.0 / n2, pl_madd(dn, -2.0 * pl_dot(n, dn) / n2, n));
}

// change of a.e / |e|
static double foot_change(const hinge* h, pl_vec3 a, double t, pl_vec3 da, pl_vec3 de,
                          double dlength) {
    return (pl_dot(da, h->e) + pl_dot(a, de) - t * dlength) / h->length;
}

// Change of the gradient when vertex v moves by d: the product rule on gradient_of.
static void gradient_change(const hinge* h, int v, pl_vec3 d, pl_vec3 dg[4]) {
    const pl_vec3 none = {0.0, 0.0, 0.0}, back = pl_scale(-1.0, d);
    pl_vec3 de = v == 1 ? d : v == 0 ? back : none;
    pl_vec3 da = v == 2 ? d : v == 0 ? back : none, db = v == 3 ? d : v == 0 ? back : none;
    double dlength = pl_dot(h->e, de) / h->length;
    double dt1 = foot_change(h, h->a, h->t1, da, de, dlength);
    double dt2 = foot_change(h, h->b, h->t2, db, de, dlength);
    pl_vec3 dm1 = normal_change(h->n1, pl_add(pl_cross(de, h->a), pl_cross(h->e, da)));
    pl_vec3 dm2 = normal_change(h->n2, pl_add(pl_cross(db, h->e), pl_cross(h->b, de)));
    dg[0] = pl_madd(pl_scale(dt1 - dlength, h->m1), dt2 - dlength, h->m2);
    dg[0] = pl_madd(pl_madd(dg[0], h->t1 - h->length, dm1), h->t2 - h->length, dm2);
    dg[1] = pl_madd(pl_scale(-dt1, h->m1), -dt2, h->m2);
    dg[1] = pl_madd(pl_madd(dg[1], -h->t1, dm1), -h->t2, dm2);
    dg[2] = pl_madd(pl_scale(dlength, h->m1), h->length, dm1);
    dg[3] = pl_madd(pl_scale(dlength, h->m2), h->length, dm2);
}

bool pl_bending_flat_slopes(const pl_vec3 x[4], double c[4]) {
    hinge h;
    memset(c, 0, 4 * sizeof *c);
    if (!make_hinge(x, &h)) return false;
    double m1 = pl_norm(h.m1), m2 = pl_norm(h.m2);
    c[0] = (h.t1 - h.length) * m1 + (h.t2 - h.length) * m2;
    c[1] = -h.t1 * m1 - h.t2 * m2;
    c[2] = h.length * m1, c[3] = h.length * m2;
    return true;
}

// k g g'
static void make_outer(const double g[12], double stiffness, double* hessian) {
    for (int i = 0; i < 144; i++) hessian[i] = stiffness * g[i / 12] * g[i % 12];
}

// moment d2 theta / dx2, made symmetric to the last bit
static void make_curving(const hinge* h, double moment, double* out) {
    for (int j = 0; j < 12; j++) {
        pl_vec3 d = {j % 3 == 0, j % 3 == 1, j % 3 == 2}, change[4];
        double column[12];
        gradient_change(h, j / 3, d, change);
        for (int v = 0; v < 4; v++) pl_vec3_store(column + 3 * v, change[v]);
        for (int i = 0; i < 12; i++) out[12 * i + j] = moment * column[i];
    }
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < i; j++)
            out[12 * i + j] = out[12 * j + i] = 0.5 * (out[12 * i + j] + out[12 * j + i]);
}

void pl_bending_curving(const pl_vec3 x[4], double moment, double out[144]) {
    hinge h;
    if (make_hinge(x, &h)) make_curving(&h, moment, out);
    else memset(out, 0, 144 * sizeof *out);
}

// k (g g' + delta dg/dx)
static void make_hessian(const hinge* h, const double g[12], double stiffness, double delta,
                         double* hessian) {
    make_curving(h, stiffness * delta, hessian);
    for (int i = 0; i < 144; i++) hessian[i] += stiffness * g[i / 12] * g[i % 12];
}

double pl_bending_energy(const pl_vec3 x[4], double rest, double stiffness, bool projected,
                         double* gradient, double* hessian) {
    if (gradient) memset(gradient, 0, 12 * sizeof *gradient);
    if (hessian) memset(hessian, 0, 144 * sizeof *hessian);
    hinge h;
    double angle;
    pl_vec3 by_vertex[4];
    if (!make_hinge(x, &h) || !pl_bending_angle(x, &angle, by_vertex)) return 0.0;
    double delta = remainder(angle - rest, 2.0 * PL_PI), g[12];
    for (int v = 0; v < 4; v++) pl_vec3_store(g + 3 * v, by_vertex[v]);
    for (int i = 0; gradient && i < 12; i++) gradient[i] = stiffness * delta * g[i];
    if (hessian && projected) make_outer(g, stiffness, hessian);
    else if (hessian) make_hessian(&h, g, stiffness, delta, hessian);
    return 0.5 * stiffness * delta * delta;
}

double pl_bending_hinge(const pl_vec3 x[4]) {
    pl_vec3 edge = pl_sub(x[1], x[0]);
    double areas = 0.5 * (pl_norm(pl_cross(edge, pl_sub(x[2], x[0]))) +
                          pl_norm(pl_cross(edge, pl_sub(x[3], x[0]))));
    return areas > 0.0 ? pl_norm2(edge) / areas : 0.0;
}
