// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_sphere.h"

#include <math.h>
#include <string.h>

static const double SCALE = 1.1283791670955126; // 2 / sqrt(pi)
static const double WAVE = 1.5707963267948966;  // pi / 2

pl_vec3 s4_displacement(pl_vec3 X) {
    return (pl_vec3){SCALE * X.x * cos(WAVE * X.y) - X.x, SCALE * X.x * sin(WAVE * X.y) - X.y, 0.0};
}

void s4_gradient(pl_vec3 X, double out[3][3]) {
    double c = SCALE * cos(WAVE * X.y), s = SCALE * sin(WAVE * X.y);
    const double g[3][3] = {{c - 1.0, -WAVE * X.x * s, 0.0}, {s, WAVE * X.x * c - 1.0, 0.0}};
    memcpy(out, g, sizeof g);
}

void s4_stress(pl_vec3 X, double lambda, double out[3][3]) {
    double g[3][3];
    s4_gradient(X, g);
    double trace = g[0][0] + g[1][1] + g[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[i][j] = g[i][j] + g[j][i] + (i == j ? lambda * trace : 0.0);
}

pl_vec3 s4_force(pl_vec3 X, double lambda) {
    double c = SCALE * cos(WAVE * X.y), s = SCALE * sin(WAVE * X.y);
    // Laplacians of phi_1 and phi_2, and the gradient of the divergence c + WAVE x c
    double slope_x = WAVE * c, slope_y = -WAVE * s - WAVE * WAVE * X.x * s;
    return (pl_vec3){-WAVE * WAVE * X.x * c + (1.0 + lambda) * slope_x,
                     -WAVE * WAVE * X.x * s + (1.0 + lambda) * slope_y, 0.0};
}

bool s4_is_held(pl_vec3 X) { return fabs(X.y - 0.5) < fabs(X.x - 0.5); }
