// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "material/rotation_trace.h"

#include <math.h>
#include <stdbool.h>

enum { W = PL_TRACE_LANES, MAX_STEPS = 60 };

// a polynomial t^4 + c2 t^2 + c1 t + c0
typedef struct quartics {
    double c0[W], c1[W], c2[W];
} quartics;

static void prepare(double F[9][W], double I2[W], quartics* p) {
    for (int i = 0; i < W; i++) {
        double a = F[0][i], b = F[1][i], c = F[2][i], d = F[3][i], e = F[4][i], f = F[5][i],
               g = F[6][i], h = F[7][i], k = F[8][i];
        double xx = a * a + d * d + g * g, yy = b * b + e * e + h * h, zz = c * c + f * f + k * k;
        double xy = a * b + d * e + g * h, xz = a * c + d * f + g * k, yz = b * c + e * f + h * k;
        double J = a * (e * k - f * h) + b * (f * g - d * k) + c * (d * h - e * g);
        double square =
            xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz); // |F'F|^2
        I2[i] = xx + yy + zz;
        p->c2[i] = -2.0 * I2[i];
        p->c1[i] = -8.0 * J;
        p->c0[i] = 2.0 * square - I2[i] * I2[i];
    }
}

// One Newton step for all; true if some have not converged. All exact steps go down, so one that
// does not is rounding. Near a double root (two stretches are zero) the slope vanishes too, and the
// remaining value of the polynomial is rounding as well.
static bool step(const quartics* p, double t[W]) {
    double longest = 0.0;
    for (int i = 0; i < W; i++) {
        double square = t[i] * t[i];
        double value = (square + p->c2[i]) * square + p->c1[i] * t[i] + p->c0[i];
        double slope = (4.0 * square + 2.0 * p->c2[i]) * t[i] + p->c1[i];
        double change = slope > 0.0 && value > 0.0 ? value / slope : 0.0;
        t[i] -= change;
        double part = change > 1e-9 * t[i] ? 1.0 : 0.0;
        longest = part > longest ? part : longest;
    }
    return longest > 0.0;
}

void pl_rotation_traces(double F[9][W], double I2[W], double I1[W]) {
    quartics p;
    prepare(F, I2, &p);
    for (int i = 0; i < W; i++) I1[i] = sqrt(3.0 * I2[i]);
    for (int k = 0; k < MAX_STEPS && step(&p, I1); k++) {}
}
