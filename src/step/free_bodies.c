// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/free_bodies.h"
#include "base/fail.h"
#include "base/memory.h"
#include "mesh/disjoint_sets.h"
#include "step/step_holds.h"

#include <string.h>

void pl_free_bodies_free(pl_free_bodies* b) {
    PL_FREE(b->first, int, b->vertex_count);
    PL_FREE(b->held, bool, b->vertex_count);
    PL_FREE(b->force, double, 4 * (size_t)b->vertex_count);
    PL_FREE(b->body_of, int, b->vertex_count);
    PL_FREE(b->motions, pl_body_motion, b->body_count);
    *b = (pl_free_bodies){0};
}

pl_status pl_free_bodies_setup(pl_free_bodies* b, int vertex_count, const int* neighbour_offsets,
                               const int* neighbours, pl_error* error) {
    *b = (pl_free_bodies){.vertex_count = vertex_count};
    b->first = PL_ALLOC(int, vertex_count);
    b->held = PL_ALLOC(bool, vertex_count);
    b->force = PL_ALLOC(double, 4 * (size_t)vertex_count);
    b->body_of = PL_ALLOC(int, vertex_count);
    if (!b->first || !b->held || !b->force || !b->body_of) {
        pl_free_bodies_free(b);
        return pl_fail_memory(error, "free bodies");
    }
    for (int v = 0; v < vertex_count; v++) b->first[v] = v;
    for (int v = 0; v < vertex_count; v++)
        for (int e = neighbour_offsets[v]; e < neighbour_offsets[v + 1]; e++)
            pl_set_join(b->first, v, neighbours[e]);
    for (int v = 0; v < vertex_count; v++) b->first[v] = pl_set_root(b->first, v);
    // a root is the lowest vertex of its body
    for (int v = 0; v < vertex_count; v++)
        b->body_of[v] = b->first[v] == v ? b->body_count++ : b->body_of[b->first[v]];
    b->motions = PL_ALLOC(pl_body_motion, b->body_count);
    if (b->motions) return PL_OK;
    b->body_count = 0;
    pl_free_bodies_free(b);
    return pl_fail_memory(error, "free bodies");
}

static void sum_forces(pl_free_bodies* b, const double* force) {
    memset(b->force, 0, 4 * (size_t)b->vertex_count * sizeof(double));
    for (int v = 0; v < b->vertex_count; v++) {
        double* sum = b->force + 4 * (size_t)b->first[v];
        pl_vec3 f = pl_vec3_load(force + 3 * (size_t)v);
        pl_vec3_store(sum, pl_add(pl_vec3_load(sum), f));
        sum[3] += pl_norm(f);
    }
}

// The directions in which pins hold each body, as sums of projections.
static void sum_pins(pl_free_bodies* b, const pl_pin* pins, int pin_count) {
    memset(b->held, 0, (size_t)b->vertex_count * sizeof(bool));
    for (int k = 0; k < b->body_count; k++) b->motions[k].inertia = pl_mat3_diagonal(0.0, 0.0, 0.0);
    for (int k = 0; k < pin_count; k++) {
        const pl_pin* pin = &pins[k];
        pl_mat3* sum = &b->motions[b->body_of[pin->vertex]].inertia;
        b->held[b->first[pin->vertex]] = true;
        *sum = pl_mat3_add(*sum, pin->partial ? pin->held : pl_mat3_identity());
    }
}

pl_status pl_free_bodies_check(pl_free_bodies* b, const double* force, const pl_pin* pins,
                               int pin_count, int* rigid_mode_count, pl_error* error) {
    enum { MODES = 6 };
    sum_pins(b, pins, pin_count);
    sum_forces(b, force);
    *rigid_mode_count = 0;
    b->any_free = false;
    int pushed = -1;
    for (int v = 0; v < b->vertex_count; v++) {
        if (b->first[v] != v) continue;
        pl_mat3 span, inverse;
        int held = pl_held_span(b->motions[b->body_of[v]].inertia, &span, &inverse);
        b->any_free = b->any_free || !b->held[v];
        *rigid_mode_count += b->held[v] ? 3 - held : MODES;
        const double* sum = b->force + 4 * (size_t)v;
        pl_vec3 push = pl_vec3_load(sum);
        push = pl_sub(push, pl_mat3_apply(&span, push));
        if (pushed < 0 && held < 3 && pl_norm(push) > 1e-6 * sum[3]) pushed = v;
    }
    if (pushed < 0) return PL_OK;
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "the body of vertex %d is pushed and nothing holds it%s, so that it has no "
                   "equilibrium; %d rigid modes: attach the body or use a dynamic integrator",
                   pushed, b->held[pushed] ? " in that direction" : "", *rigid_mode_count);
}

static void find_centres(pl_free_bodies* b, const double* mass, const double* force,
                         const double* x, const double* d) {
    memset(b->motions, 0, (size_t)b->body_count * sizeof(pl_body_motion));
    for (int v = 0; v < b->vertex_count; v++) {
        pl_body_motion* m = &b->motions[b->body_of[v]];
        m->mass += mass[v];
        m->is_loaded = m->is_loaded || pl_norm2(pl_vec3_load(force + 3 * (size_t)v)) > 0.0;
        m->centre = pl_madd(m->centre, mass[v], pl_vec3_load(x + 3 * (size_t)v));
        m->shift = pl_madd(m->shift, mass[v], pl_vec3_load(d + 3 * (size_t)v));
    }
    for (int k = 0; k < b->body_count; k++) {
        pl_body_motion* m = &b->motions[k];
        m->centre = pl_scale(1.0 / m->mass, m->centre);
        m->shift = pl_scale(1.0 / m->mass, m->shift);
    }
}

// A body whose vertices lie in a point or on a line has no rotation about it.
static void find_turns(pl_free_bodies* b, const double* mass, const double* x, const double* d) {
    for (int v = 0; v < b->vertex_count; v++) {
        pl_body_motion* m = &b->motions[b->body_of[v]];
        pl_vec3 arm = pl_sub(pl_vec3_load(x + 3 * (size_t)v), m->centre);
        double square = pl_norm2(arm);
        m->angular = pl_madd(m->angular, mass[v], pl_cross(arm, pl_vec3_load(d + 3 * (size_t)v)));
        m->inertia = pl_mat3_madd(m->inertia, mass[v], pl_mat3_diagonal(square, square, square));
        m->inertia = pl_mat3_madd(m->inertia, -mass[v], pl_outer(arm, arm));
    }
    for (int k = 0; k < b->body_count; k++) {
        pl_mat3 inverse;
        if (!b->motions[k].is_loaded && pl_mat3_inverse(b->motions[k].inertia, &inverse))
            b->motions[k].turn = pl_mat3_apply(&inverse, b->motions[k].angular);
    }
}

void pl_free_bodies_keep_place(pl_free_bodies* b, const double* mass, const double* force,
                               const double* x, double* direction) {
    if (!b->any_free) return;
    find_centres(b, mass, force, x, direction);
    find_turns(b, mass, x, direction);
    for (int v = 0; v < b->vertex_count; v++) {
        if (b->held[b->first[v]]) continue;
        const pl_body_motion* m = &b->motions[b->body_of[v]];
        double* d = direction + 3 * (size_t)v;
        pl_vec3 arm = pl_sub(pl_vec3_load(x + 3 * (size_t)v), m->centre);
        pl_vec3 rigid = pl_add(m->shift, pl_cross(m->turn, arm));
        pl_vec3_store(d, pl_sub(pl_vec3_load(d), rigid));
    }
}
