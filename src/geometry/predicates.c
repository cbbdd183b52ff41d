// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates, 1997: the error bound of the filter (section 4) and the growing of expansions
// (section 2.3, theorem 10). There is only one stage after the filter: every product of the
// determinant is split into its exact parts, which are added to one expansion. This is slower than
// the four stages of the paper, but rarely needed.
#include "geometry/predicates.h"

#include <stdbool.h>

// A sum of nonzero doubles that do not overlap, smallest first. Its sign is that of the last one.
typedef struct expansion {
    int count;
    double parts[200];
} expansion;

// sum += x, exactly
static void add(expansion* sum, double x) {
    int kept = 0;
    for (int i = 0; i < sum->count; i++) {
        double part = sum->parts[i], total = x + part;
        double seen = total - x;
        double rest = (x - (total - seen)) + (part - seen);
        if (rest != 0.0) sum->parts[kept++] = rest;
        x = total;
    }
    if (x != 0.0) sum->parts[kept++] = x;
    sum->count = kept;
}

// The exact difference of two doubles, as high + low.
typedef struct pair {
    double part[2];
} pair;

static pair difference(double a, double b) {
    double high = a - b, seen = a - high;
    return (pair){{high, (a - (high + seen)) + (seen - b)}};
}

// sum += sign x y z, exactly: the product of two doubles has two parts, that of three has four
static void add_product(expansion* sum, double sign, pair x, pair y, pair z) {
    for (int i = 0; i < 8; i++) {
        double p = sign * x.part[i & 1], q = y.part[i >> 1 & 1], r = z.part[i >> 2];
        if (p == 0.0 || q == 0.0 || r == 0.0) continue;
        double high = p * q, low = fma(p, q, -high);
        double top = high * r, middle = low * r;
        add(sum, fma(low, r, -middle));
        add(sum, middle);
        add(sum, fma(high, r, -top));
        add(sum, top);
    }
}

static int sign_of(const expansion* sum) {
    if (sum->count == 0) return 0;
    return sum->parts[sum->count - 1] > 0.0 ? 1 : -1;
}

// A power of two that scales the largest coordinate to about 1, to avoid overflow and underflow.
static double scale_for(const double* values, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(values[i]));
    int exponent = 0;
    frexp(largest, &exponent);
    return exponent > -900 ? ldexp(1.0, -exponent) : ldexp(1.0, 900);
}

static int orient3d_exact(const double v[12]) {
    double s = scale_for(v, 12);
    pair d[3][3]; // b - a, c - a, d - a
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) d[i][k] = difference(s * v[3 * (i + 1) + k], s * v[k]);
    expansion sum = {0};
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        add_product(&sum, 1.0, d[0][k], d[1][l], d[2][m]);
        add_product(&sum, -1.0, d[0][k], d[1][m], d[2][l]);
    }
    return sign_of(&sum);
}

// True if all points are in one plane x, y or z = constant. This is common in meshes of boxes and
// cloth, and needs no arithmetic.
static bool in_axis_plane(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 d) {
    return (a.x == b.x && a.x == c.x && a.x == d.x) || (a.y == b.y && a.y == c.y && a.y == d.y) ||
           (a.z == b.z && a.z == c.z && a.z == d.z);
}

int pl_orient3d(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 d) {
    pl_vec3 x = pl_sub(b, a), y = pl_sub(c, a), z = pl_sub(d, a);
    double yz = y.y * z.z, zy = y.z * z.y, zx = y.z * z.x, xz = y.x * z.z, xy = y.x * z.y,
           yx = y.y * z.x;
    double det = x.x * (yz - zy) + x.y * (zx - xz) + x.z * (xy - yx);
    double size = fabs(x.x) * (fabs(yz) + fabs(zy)) + fabs(x.y) * (fabs(zx) + fabs(xz)) +
                  fabs(x.z) * (fabs(xy) + fabs(yx));
    // the bound (7 + 56 e) e with e = 2^-53, rounded up; not valid if products are below the normal
    // range
    if (fabs(det) > 8.0 * 0x1p-53 * size && size > 1e-200) return det > 0.0 ? 1 : -1;
    if (in_axis_plane(a, b, c, d)) return 0;
    return orient3d_exact((double[12]){a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z});
}

int pl_orient2d(const double a[2], const double b[2], const double c[2]) {
    double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]);
    double det = left - right, size = fabs(left) + fabs(right);
    if (fabs(det) > 4.0 * 0x1p-53 * size && size > 1e-200) return det > 0.0 ? 1 : -1;
    double v[6] = {a[0], a[1], b[0], b[1], c[0], c[1]};
    double s = scale_for(v, 6);
    for (int i = 0; i < 6; i++) v[i] *= s;
    pair one = {{1.0, 0.0}};
    expansion sum = {0};
    add_product(&sum, 1.0, difference(v[2], v[0]), difference(v[5], v[1]), one);
    add_product(&sum, -1.0, difference(v[3], v[1]), difference(v[4], v[0]), one);
    return sign_of(&sum);
}
