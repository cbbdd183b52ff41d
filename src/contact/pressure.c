// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "contact/pressure.h"

void pl_pressure_add(const pl_pressure* load, const double* x, double sign, double* force) {
    for (int t = 0; t < load->count; t++) {
        const int* v = load->triangles + 3 * (size_t)t;
        pl_vec3 push = pl_scale(-sign * load->pressure / 6.0, pl_doubled_area(x, v));
        for (int i = 0; i < 3; i++) {
            double* f = force + 3 * (size_t)v[i];
            pl_vec3_store(f, pl_add(pl_vec3_load(f), push));
        }
    }
}

static pl_vec3 moved(const double* from, const double* to, int v) {
    return pl_sub(pl_vec3_load(to + 3 * (size_t)v), pl_vec3_load(from + 3 * (size_t)v));
}

// If edges e, f change by g, h, twice the area vector at the fraction s of the path (0 to 1) is
// e x f + s (e x h + g x f) + s^2 g x h.
double pl_swept_volume(const double* from, const double* to, const int* v) {
    pl_vec3 a = pl_vec3_load(from + 3 * (size_t)v[0]);
    pl_vec3 e = pl_sub(pl_vec3_load(from + 3 * (size_t)v[1]), a);
    pl_vec3 f = pl_sub(pl_vec3_load(from + 3 * (size_t)v[2]), a);
    pl_vec3 d0 = moved(from, to, v[0]), d1 = moved(from, to, v[1]), d2 = moved(from, to, v[2]);
    pl_vec3 g = pl_sub(d1, d0), h = pl_sub(d2, d0);
    pl_vec3 mean = pl_madd(pl_cross(e, f), 0.5, pl_add(pl_cross(e, h), pl_cross(g, f)));
    mean = pl_madd(mean, 1.0 / 3.0, pl_cross(g, h));
    return pl_dot(pl_add(pl_add(d0, d1), d2), mean) / 6.0;
}

double pl_pressure_excess(const pl_pressure* load, const double* from, const double* to) {
    double sum = 0.0;
    for (int t = 0; t < load->count; t++) {
        const int* v = load->triangles + 3 * (size_t)t;
        pl_vec3 d = {0.0, 0.0, 0.0};
        for (int i = 0; i < 3; i++) d = pl_add(d, moved(from, to, v[i]));
        sum += pl_dot(d, pl_doubled_area(from, v)) / 6.0 - pl_swept_volume(from, to, v);
    }
    return load->pressure * sum;
}
