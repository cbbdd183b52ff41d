// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/patch_lanes.h"
#include "material/bend_patch.h"

#define LANES PL_PATCH_LANES
#define INLINE static inline __attribute__((always_inline))

// of LANES patches
typedef struct lanes {
    double x[6][3][LANES];
    double rest[3][LANES], form[6][LANES];
    double delta[3][LANES], moment[3][LANES];
    double slope[3][4][3][LANES]; // of angle i by corner k of its hinge
} lanes;

// Lanes past the last patch repeat it.
INLINE void load(lanes* l, const int* corners, const pl_patch_values* patches, int first, int count,
                 const double* x) {
    for (int k = 0; k < LANES; k++) {
        int e = first + (k < count ? k : count - 1);
        for (int i = 0; i < 6; i++)
            for (int c = 0; c < 3; c++)
                l->x[i][c][k] = x[3 * (size_t)corners[6 * (size_t)e + (size_t)i] + (size_t)c];
        for (int i = 0; i < 3; i++) l->rest[i][k] = patches[e].rest[i];
        for (int i = 0; i < 6; i++) l->form[i][k] = patches[e].form[i];
    }
}

// atan2(s, c) by half the angle; two more halvings leave 0.2, where eleven terms of the series of
// the arc tangent are exact to the last bits.
INLINE double angle_of(double s, double c) {
    const double pi = 3.14159265358979323846;
    double r = sqrt(s * s + c * c);
    double top = c >= 0.0 ? fabs(s) : r - c, bottom = c >= 0.0 ? c + r : fabs(s);
    double high = top > bottom ? top : bottom, low = top > bottom ? bottom : top;
    double z = low / (high > 0.0 ? high : 1.0);
    z = z / (1.0 + sqrt(1.0 + z * z));
    z = z / (1.0 + sqrt(1.0 + z * z));
    double q = z * z, sum = 1.0 / 23.0;
    for (int k = 21; k > 0; k -= 2) sum = 1.0 / k - q * sum;
    double half = 4.0 * z * sum;
    half = top > bottom ? 0.5 * pi - half : half;
    return s < 0.0 ? -2.0 * half : 2.0 * half;
}

// The angle of hinge i less its rest angle, and its slopes; as in bending.c.
INLINE void hinge(lanes* l, int i, bool with_slopes) {
    const double pi = 3.14159265358979323846;
    const int* v = pl_patch_hinge[i];
    for (int k = 0; k < LANES; k++) {
        double e[3], a[3], b[3], n1[3], n2[3];
        for (int c = 0; c < 3; c++) {
            e[c] = l->x[v[1]][c][k] - l->x[v[0]][c][k];
            a[c] = l->x[v[2]][c][k] - l->x[v[0]][c][k];
            b[c] = l->x[v[3]][c][k] - l->x[v[0]][c][k];
        }
        n1[0] = e[1] * a[2] - e[2] * a[1], n2[0] = b[1] * e[2] - b[2] * e[1];
        n1[1] = e[2] * a[0] - e[0] * a[2], n2[1] = b[2] * e[0] - b[0] * e[2];
        n1[2] = e[0] * a[1] - e[1] * a[0], n2[2] = b[0] * e[1] - b[1] * e[0];
        double e2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        double m1 = n1[0] * n1[0] + n1[1] * n1[1] + n1[2] * n1[2];
        double m2 = n2[0] * n2[0] + n2[1] * n2[1] + n2[2] * n2[2];
        double least = 1e-10 * e2 * e2, exists = ((m1 > least) & (m2 > least)) ? 1.0 : 0.0;
        double length = sqrt(e2), inverse = 1.0 / (exists > 0.0 ? length : 1.0);
        double x = n2[1] * n1[2] - n2[2] * n1[1], y = n2[2] * n1[0] - n2[0] * n1[2];
        double z = n2[0] * n1[1] - n2[1] * n1[0];
        double sine = (x * e[0] + y * e[1] + z * e[2]) * inverse;
        double cosine = n1[0] * n2[0] + n1[1] * n2[1] + n1[2] * n2[2];
        double d = angle_of(sine, cosine) - l->rest[i][k];
        d = d > pi ? d - 2.0 * pi : d;
        d = d < -pi ? d + 2.0 * pi : d;
        l->delta[i][k] = exists * d;
        if (!with_slopes) continue;
        double s1 = exists / (exists > 0.0 ? m1 : 1.0), s2 = exists / (exists > 0.0 ? m2 : 1.0);
        double t1 = (a[0] * e[0] + a[1] * e[1] + a[2] * e[2]) * inverse;
        double t2 = (b[0] * e[0] + b[1] * e[1] + b[2] * e[2]) * inverse;
        for (int c = 0; c < 3; c++) {
            double g1 = s1 * n1[c], g2 = s2 * n2[c];
            l->slope[i][0][c][k] = (t1 - length) * g1 + (t2 - length) * g2;
            l->slope[i][1][c][k] = -t1 * g1 - t2 * g2;
            l->slope[i][2][c][k] = length * g1;
            l->slope[i][3][c][k] = length * g2;
        }
    }
}

INLINE void find_moments(lanes* l) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < LANES; k++)
            l->moment[i][k] = l->form[pl_patch_entry[i][0]][k] * l->delta[0][k] +
                              l->form[pl_patch_entry[i][1]][k] * l->delta[1][k] +
                              l->form[pl_patch_entry[i][2]][k] * l->delta[2][k];
}

double pl_patch_lanes_energy(const int* corners, const pl_patch_values* patches, int first,
                             int last, const double* x) {
    double sum = 0.0;
    for (; first < last; first += LANES) {
        lanes l;
        int count = last - first < LANES ? last - first : LANES;
        load(&l, corners, patches, first, count, x);
        for (int i = 0; i < 3; i++) hinge(&l, i, false);
        find_moments(&l);
        for (int k = 0; k < count; k++)
            for (int i = 0; i < 3; i++) sum += 0.5 * l.moment[i][k] * l.delta[i][k];
    }
    return sum;
}

void pl_patch_lanes_gradient(const int* corners, const pl_patch_values* patches, int first,
                             int last, const double* x, double* gradient) {
    for (; first < last; first += LANES) {
        lanes l;
        double sums[6][3][LANES] = {{{0.0}}};
        int count = last - first < LANES ? last - first : LANES;
        load(&l, corners, patches, first, count, x);
        for (int i = 0; i < 3; i++) hinge(&l, i, true);
        find_moments(&l);
        for (int i = 0; i < 3; i++)
            for (int v = 0; v < 4; v++)
                for (int c = 0; c < 3; c++)
                    for (int k = 0; k < LANES; k++)
                        sums[pl_patch_hinge[i][v]][c][k] += l.moment[i][k] * l.slope[i][v][c][k];
        for (int k = 0; k < count; k++) {
            const int* corner = corners + 6 * (size_t)(first + k);
            for (int v = 0; v < 6; v++)
                for (int c = 0; c < 3; c++)
                    gradient[3 * (size_t)corner[v] + (size_t)c] += sums[v][c][k];
        }
    }
}
