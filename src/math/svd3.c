// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The double version of svd3.h, step by step the same.
#include "math/svd3.h"

// Rotates columns p and q of B and V, p < q, so that those of B become orthogonal, the longer one
// first. Returns true if they were not so already.
static bool rotate_columns(pl_mat3* B, pl_mat3* V, int p, int q) {
    pl_vec3 bp = pl_mat3_column(B, p), bq = pl_mat3_column(B, q);
    double alpha = pl_norm2(bp), beta = pl_norm2(bq), gamma = pl_dot(bp, bq);
    double difference = alpha - beta, twice = 2.0 * gamma;
    double r = sqrt(difference * difference + twice * twice);
    bool keeps_order = difference >= 0.0, matters = r > 1e-120;
    double sum = fabs(difference) + r;
    double x = keeps_order ? sum : fabs(twice), y = keeps_order ? twice : copysign(sum, gamma);
    if (!matters) x = keeps_order ? 1.0 : 0.0, y = keeps_order ? 0.0 : 1.0;
    double scale = 1.0 / sqrt(x * x + y * y), c = x * scale, s = y * scale;
    for (int i = 0; i < 9; i += 3) {
        double b = B->m[i + p], v = V->m[i + p];
        B->m[i + p] = c * b + s * B->m[i + q];
        B->m[i + q] = c * B->m[i + q] - s * b;
        V->m[i + p] = c * v + s * V->m[i + q];
        V->m[i + q] = c * V->m[i + q] - s * v;
    }
    return matters && (!keeps_order || gamma * gamma > 1e-31 * (alpha * beta));
}

// a / |a|, or fallback where the square of |a| is below least
static pl_vec3 direction(pl_vec3 a, double least, pl_vec3 fallback) {
    double norm2 = pl_norm2(a);
    return norm2 > least ? pl_scale(1.0 / sqrt(norm2), a) : fallback;
}

static pl_vec3 orthogonal(pl_vec3 a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    pl_vec3 axis = {x < y && x < z, !(x < y && x < z) && y < z, !(x < y && x < z) && !(y < z)};
    return pl_normalize(pl_cross(a, axis));
}

pl_mat3 pl_svd3_frame(pl_vec3 a, pl_vec3 b) {
    pl_vec3 u0 = direction(a, 1e-240, (pl_vec3){1.0, 0.0, 0.0});
    pl_vec3 any = orthogonal(u0);
    pl_vec3 u1 = direction(pl_madd(b, -pl_dot(u0, b), u0), 1e-240, any);
    u1 = direction(pl_madd(u1, -pl_dot(u0, u1), u0), 0.5, any);
    return pl_mat3_from_columns(u0, u1, pl_cross(u0, u1));
}

// The exponent that brings the entries near 1, 0 where they are near enough for their fourth
// powers.
static int scaling_exponent(pl_mat3 F) {
    double largest = pl_mat3_max_abs(F);
    if (largest == 0.0 || (largest > 1e-10 && largest < 1e10)) return 0;
    int exponent;
    frexp(largest, &exponent);
    return exponent;
}

bool pl_svd3(pl_mat3 F, pl_mat3* U, double s[3], pl_mat3* V) {
    enum { MAX_SWEEPS = 12 };
    *U = *V = pl_mat3_identity();
    s[0] = s[1] = s[2] = 0.0;
    if (!pl_mat3_is_finite(F)) return false;
    int exponent = scaling_exponent(F);
    if (exponent)
        for (int i = 0; i < 9; i++) F.m[i] = ldexp(F.m[i], -exponent);

    pl_mat3 B = F;
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        bool turned = rotate_columns(&B, V, 0, 1);
        turned |= rotate_columns(&B, V, 0, 2);
        turned |= rotate_columns(&B, V, 1, 2);
        if (!turned) break;
    }
    *V = pl_svd3_frame(pl_mat3_column(V, 0), pl_mat3_column(V, 1));
    B = pl_mat3_mul(F, *V);
    *U = pl_svd3_frame(pl_mat3_column(&B, 0), pl_mat3_column(&B, 1));
    for (int i = 0; i < 3; i++) s[i] = pl_dot(pl_mat3_column(U, i), pl_mat3_column(&B, i));
    // round-off may have swapped equal ones
    s[1] = fmax(s[1], fabs(s[2]));
    s[0] = fmax(s[0], s[1]);
    if (exponent)
        for (int i = 0; i < 3; i++) s[i] = ldexp(s[i], exponent);
    return true;
}
