// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "material/bend_patch.h"

#include <string.h>

static void load_hinge(const pl_vec3 x[6], int i, pl_vec3 out[4]) {
    for (int k = 0; k < 4; k++) out[k] = x[pl_patch_hinge[i][k]];
}

bool pl_patch_hinge_angles(const pl_vec3 x[4], double* nn, double* tn, double* tt) {
    pl_vec3 e = pl_sub(x[1], x[0]);
    double length = pl_norm(e), s[2], h[2];
    for (int k = 0; k < 2; k++) {
        pl_vec3 d = pl_sub(x[2 + k], x[0]);
        s[k] = pl_dot(d, e) / length;
        h[k] = pl_norm(pl_cross(e, d)) / length;
        if (!(h[k] > 1e-6 * length)) return false;
    }
    *nn = 0.5 * (h[0] + h[1]);
    *tn = s[0] - s[1];
    *tt = -0.5 * (s[0] * (length - s[0]) / h[0] + s[1] * (length - s[1]) / h[1]);
    return true;
}

bool pl_patch_guess(const pl_vec3 x[6], const int corners[6], double form[6]) {
    double area = 0.5 * pl_norm(pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0]))), nn, tn, tt;
    pl_vec3 edges[3];
    bool any = false;
    for (int i = 0; i < 3; i++) {
        pl_vec3 p[4];
        load_hinge(x, i, p);
        bool present = pl_patch_has_hinge(corners, i) && pl_patch_hinge_angles(p, &nn, &tn, &tt);
        edges[i] = present ? pl_sub(p[1], p[0]) : (pl_vec3){0, 0, 0};
        any = any || present;
    }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double length = sqrt(pl_norm2(edges[i]) * pl_norm2(edges[j]));
            double cosine = length > 0.0 ? pl_dot(edges[i], edges[j]) / length : 0.0;
            form[pl_patch_entry[i][j]] = area > 0.0 ? 0.25 * length * cosine * cosine / area : 0.0;
        }
    return any && area > 0.0;
}

void pl_patch_angles(const pl_vec3 x[6], double angles[3]) {
    for (int i = 0; i < 3; i++) {
        pl_vec3 p[4];
        load_hinge(x, i, p);
        pl_bending_angle(p, &angles[i], NULL);
    }
}

// maps an angle between -2 pi and 2 pi to the short way round
static double short_way(double angle) {
    return angle > PL_PI ? angle - 2.0 * PL_PI : angle < -PL_PI ? angle + 2.0 * PL_PI : angle;
}

// The differences from the rest angles and, if wanted, the gradients of the angles by all 18
// coordinates.
static void differentiate(const pl_vec3 x[6], const double rest[3], double delta[3],
                          double (*g)[PL_PATCH_DOFS]) {
    for (int i = 0; i < 3; i++) {
        pl_vec3 p[4], by_vertex[4];
        double angle;
        load_hinge(x, i, p);
        bool exists = pl_bending_angle(p, &angle, g ? by_vertex : NULL);
        delta[i] = exists ? short_way(angle - rest[i]) : 0.0;
        if (!g) continue;
        memset(g[i], 0, PL_PATCH_DOFS * sizeof(double));
        for (int k = 0; k < 4; k++) pl_vec3_store(g[i] + 3 * pl_patch_hinge[i][k], by_vertex[k]);
    }
}

// the moment of hinge i: (M delta)_i
static double moment_of(const double form[6], const double delta[3], int i) {
    double sum = 0.0;
    for (int j = 0; j < 3; j++) sum += form[pl_patch_entry[i][j]] * delta[j];
    return sum;
}

// H = sum_ij M_ij g_i g_j'
static void make_outer(double g[3][PL_PATCH_DOFS], const double form[6], double* hessian) {
    for (int a = 0; a < PL_PATCH_DOFS; a++) {
        double Mg[3];
        for (int i = 0; i < 3; i++) {
            const double column[3] = {g[0][a], g[1][a], g[2][a]};
            Mg[i] = moment_of(form, column, i);
        }
        for (int b = 0; b < PL_PATCH_DOFS; b++)
            hessian[PL_PATCH_DOFS * a + b] = Mg[0] * g[0][b] + Mg[1] * g[1][b] + Mg[2] * g[2][b];
    }
}

// H += moment_i d2 theta_i / dx2
static void add_curving(const pl_vec3 x[6], int i, double moment, double* hessian) {
    double second[144];
    pl_vec3 p[4];
    load_hinge(x, i, p);
    pl_bending_curving(p, moment, second);
    for (int r = 0; r < 12; r++)
        for (int c = 0; c < 12; c++) {
            int row = 3 * pl_patch_hinge[i][r / 3] + r % 3, to = 3 * pl_patch_hinge[i][c / 3];
            hessian[PL_PATCH_DOFS * row + to + c % 3] += second[12 * r + c];
        }
}

double pl_patch_energy(const pl_vec3 x[6], const double rest[3], const double form[6],
                       bool projected, double* gradient, double* hessian) {
    double delta[3], g[3][PL_PATCH_DOFS], moment[3], energy = 0.0;
    differentiate(x, rest, delta, gradient || hessian ? g : NULL);
    for (int i = 0; i < 3; i++) {
        moment[i] = moment_of(form, delta, i);
        energy += 0.5 * moment[i] * delta[i];
    }
    for (int a = 0; gradient && a < PL_PATCH_DOFS; a++)
        gradient[a] = moment[0] * g[0][a] + moment[1] * g[1][a] + moment[2] * g[2][a];
    if (!hessian) return energy;
    make_outer(g, form, hessian);
    for (int i = 0; !projected && i < 3; i++) add_curving(x, i, moment[i], hessian);
    return energy;
}

void pl_patch_slopes(const pl_vec3 x[6], double slopes[3][4]) {
    for (int i = 0; i < 3; i++) {
        pl_vec3 p[4];
        load_hinge(x, i, p);
        pl_bending_flat_slopes(p, slopes[i]);
    }
}

void pl_patch_flat(double slopes[3][4], const double form[6], double Q[36]) {
    double c[3][6] = {{0.0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) c[i][pl_patch_hinge[i][k]] = slopes[i][k];
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) {
            const double column[3] = {c[0][b], c[1][b], c[2][b]};
            Q[6 * a + b] = 0.0;
            for (int i = 0; i < 3; i++) Q[6 * a + b] += c[i][a] * moment_of(form, column, i);
        }
}
