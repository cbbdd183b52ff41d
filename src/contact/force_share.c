// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "contact/force_share.h"

#include <stddef.h>

void pl_force_share_add(pl_force_share* s, pl_vec3 place, double weight) {
    const pl_vec3 r = pl_sub(place, s->origin);
    s->weight += weight;
    s->moment = pl_madd(s->moment, weight, r);
    s->spread = pl_mat3_madd(s->spread, weight, pl_outer(r, r));
}

// solution of A x = b in the span of the eigenvectors with nonzero eigenvalues
static pl_vec3 pseudo_solve(pl_mat3 A, pl_vec3 b) {
    static const double FLAT = 1e-9;
    double values[3];
    pl_mat3 V;
    pl_vec3 x = {0.0, 0.0, 0.0};
    const double size = pl_mat3_trace(A);
    if (!(size > 0.0) || !pl_mat3_eigen(A, values, &V)) return x;
    for (int k = 0; k < 3; k++) {
        const pl_vec3 v = pl_mat3_column(&V, k);
        if (values[k] > FLAT * size) x = pl_madd(x, pl_dot(v, b) / values[k], v);
    }
    return x;
}

void pl_force_share_solve(pl_force_share* s, pl_vec3 force, pl_vec3 torque) {
    s->force = s->turn = (pl_vec3){0.0, 0.0, 0.0};
    if (!(s->weight > 0.0)) return;
    const pl_vec3 middle = pl_scale(1.0 / s->weight, s->moment);
    pl_mat3 inertia = pl_mat3_madd(pl_outer(pl_scale(s->weight, middle), middle), -1.0, s->spread);
    const double trace = pl_mat3_trace(inertia);
    for (int a = 0; a < 3; a++) inertia.m[4 * a] -= trace;
    s->moment = pl_add(s->origin, middle);
    s->force = pl_scale(1.0 / s->weight, force);
    s->turn = pseudo_solve(inertia, pl_sub(torque, pl_cross(s->moment, force)));
}

pl_vec3 pl_force_share_at(const pl_force_share* s, pl_vec3 place, double weight) {
    const pl_vec3 r = pl_sub(place, s->moment);
    return pl_scale(weight, pl_add(s->force, pl_cross(s->turn, r)));
}

typedef struct pin_set {
    const pl_pin* pins;
    int pin_count, first_vertex, vertex_count;
    const double* x;
} pin_set;

// true if a pin belongs to the body; *place: where its force acts
static bool find_place(const pin_set* s, int k, pl_vec3* place) {
    const pl_pin* pin = &s->pins[k];
    const int v = pin->vertex - s->first_vertex;
    if (v < 0 || v >= s->vertex_count) return false;
    *place = pin->hard ? pin->target : pl_vec3_load(s->x + 3 * (size_t)v);
    return true;
}

// sum of the magnitudes of the pins' forces; subtracts these forces from the given total
static double take_own(const pin_set* s, const double* forces, pl_vec3* force, pl_vec3* torque) {
    double size = 0.0;
    pl_vec3 place;
    for (int k = 0; k < s->pin_count; k++) {
        if (!find_place(s, k, &place)) continue;
        const pl_vec3 own = pl_vec3_load(forces + 3 * (size_t)k);
        *force = pl_sub(*force, own);
        *torque = pl_sub(*torque, pl_cross(place, own));
        size += pl_norm(own);
    }
    return size;
}

void pl_force_share_fill(const pl_pin* pins, int pin_count, int first_vertex, int vertex_count,
                         const double* x, pl_vec3 force, pl_vec3 torque, double* pin_forces) {
    const pin_set set = {pins, pin_count, first_vertex, vertex_count, x};
    const double size = take_own(&set, pin_forces, &force, &torque);
    pl_force_share share = {.weight = 0.0};
    for (int pass = 0; pass < 2; pass++) {
        pl_vec3 place;
        for (int k = 0; k < pin_count; k++) {
            if (!find_place(&set, k, &place)) continue;
            const pl_vec3 own = pl_vec3_load(pin_forces + 3 * (size_t)k);
            const double weight = size > 0.0 ? pl_norm(own) / size : 1.0;
            if (pass == 0 && share.weight == 0.0) share.origin = place;
            if (pass == 0) pl_force_share_add(&share, place, weight);
            else
                pl_vec3_store(pin_forces + 3 * (size_t)k,
                              pl_add(own, pl_force_share_at(&share, place, weight)));
        }
        if (pass == 0) pl_force_share_solve(&share, force, torque);
    }
}
