// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Impulses keep bodies apart only as far as they have converged. So continuous collision detection
// checks all paths once more. A body that would still hit another one moves only along a part of
// its path. Bodies that stop each other in this way continue as if they were one body: momentum and
// angular momentum are conserved, and energy is lost. If they kept their velocities, they would
// gain speed as long as they block each other.
#include "rigid/rigid_system.h"

// After PARTIAL_ROUNDS, bodies that would still meet do not move at all.
enum { PARTIAL_ROUNDS = 4, MAX_ROUNDS = 30 };
static const double MARGIN = 0.9;

void pl_rigid_shorten(pl_rigid_system* s, int body, double part) {
    pl_rigid_body* b = &s->bodies[body];
    if (b->is_held || part >= 1.0) return;
    b->path_fraction *= part;
    b->state = pl_rigid_between(&b->before, &b->uncut, b->path_fraction);
    pl_rigid_show(b, &b->state, s->end + 3 * (size_t)b->first_vertex, NULL);
}

static int root_of(const pl_rigid_system* s, int body) {
    while (s->clusters[body] != body) body = s->clusters[body];
    return body;
}

static void join(pl_rigid_system* s, int a, int b) {
    const int first = root_of(s, a), second = root_of(s, b);
    s->clusters[first < second ? second : first] = first < second ? first : second;
}

static void cut_paths(pl_rigid_system* s, double margin) {
    const pl_contact_pair* pairs = s->pairs.data;
    const double* parts = s->parts.data;
    for (int b = 0; b < s->body_count; b++) s->limits[b] = 1.0;
    for (size_t k = 0; k < s->pairs.count; k++) {
        if (!(parts[k] < 1.0)) continue;
        const int bodies[2] = {s->body_of_vertex[pairs[k].v[0]], s->body_of_vertex[pairs[k].v[3]]};
        for (int i = 0; i < 2; i++)
            s->limits[bodies[i]] = fmin(s->limits[bodies[i]], margin * parts[k]);
        join(s, bodies[0], bodies[1]);
    }
    for (int b = 0; b < s->body_count; b++) pl_rigid_shorten(s, b, s->limits[b]);
}

// removes pairs inside one body, whose distances never change
static void drop_internal_pairs(pl_rigid_system* s) {
    pl_contact_pair* pairs = s->pairs.data;
    size_t kept = 0;
    for (size_t k = 0; k < s->pairs.count; k++)
        if (pairs[k].surfaces[0] != pairs[k].surfaces[1]) pairs[kept++] = pairs[k];
    s->pairs.count = kept;
}

// The common motion of a cluster of bodies. If one of them is held, it is that body's motion;
// otherwise it follows from the total momentum.
typedef struct common_motion {
    pl_vec3 centre, velocity, rate;
} common_motion;

static common_motion motion_of_cluster(const pl_rigid_system* s, int root) {
    common_motion all = {0};
    double mass = 0.0;
    pl_vec3 angular_momentum = {0, 0, 0};
    pl_mat3 inertia = {{0}}, inverse;
    for (int b = 0; b < s->body_count; b++) {
        const pl_rigid_body* body = &s->bodies[b];
        if (root_of(s, b) != root) continue;
        if (body->is_held)
            return (common_motion){body->state.centre, pl_rigid_velocity(body),
                                   pl_rigid_angular_velocity(body, &body->state)};
        all.centre = pl_madd(all.centre, body->mass, body->state.centre);
        all.velocity = pl_add(all.velocity, body->state.momentum);
        mass += body->mass;
    }
    all.centre = pl_scale(1.0 / mass, all.centre);
    all.velocity = pl_scale(1.0 / mass, all.velocity);
    for (int b = 0; b < s->body_count; b++) {
        const pl_rigid_body* body = &s->bodies[b];
        if (root_of(s, b) != root) continue;
        const pl_vec3 d = pl_sub(body->state.centre, all.centre);
        const double d2 = pl_norm2(d);
        angular_momentum = pl_add(angular_momentum, pl_add(body->state.angular_momentum,
                                                           pl_cross(d, body->state.momentum)));
        inertia = pl_mat3_add(
            inertia, pl_rigid_rotate_tensor(pl_rigid_rotation(&body->state), body->inertia));
        inertia = pl_mat3_madd(inertia, body->mass,
                               pl_mat3_sub(pl_mat3_diagonal(d2, d2, d2), pl_outer(d, d)));
    }
    if (pl_mat3_inverse(inertia, &inverse)) all.rate = pl_mat3_apply(&inverse, angular_momentum);
    return all;
}

static void move_as_one(pl_rigid_system* s, int root) {
    const common_motion all = motion_of_cluster(s, root);
    for (int b = 0; b < s->body_count; b++) {
        pl_rigid_body* body = &s->bodies[b];
        if (root_of(s, b) != root || body->is_held) continue;
        const pl_vec3 d = pl_sub(body->state.centre, all.centre);
        const pl_mat3 inertia =
            pl_rigid_rotate_tensor(pl_rigid_rotation(&body->state), body->inertia);
        body->state.momentum = pl_scale(body->mass, pl_add(all.velocity, pl_cross(all.rate, d)));
        body->state.angular_momentum = pl_mat3_apply(&inertia, all.rate);
    }
}

static void stop_each_other(pl_rigid_system* s) {
    for (int b = 0; b < s->body_count; b++) {
        bool has_others = false;
        for (int k = b + 1; s->clusters[b] == b && k < s->body_count; k++)
            has_others = has_others || root_of(s, k) == b;
        if (has_others) move_as_one(s, b);
    }
}

// Shortens paths in rounds, because a shortened path may block another body.
static pl_status cut_rounds(pl_rigid_system* s, const pl_method_step* step, pl_error* error) {
    const pl_pair_motion motion = {step->surfaces, s->start, s->end,         s->mass,
                                   s->held,        1.0,      step->time_step};
    for (int round = 0; round < MAX_ROUNDS; round++) {
        if (pl_surface_set_is_apart(step->surfaces, s->pool, s->start, s->end)) return PL_OK;
        pl_status status =
            pl_surface_set_find(step->surfaces, s->pool, s->start, s->end, &s->pairs, error);
        if (status != PL_OK) return status;
        drop_internal_pairs(s);
        s->parts.count = 0;
        double* parts = pl_array_add(&s->parts, s->pairs.count);
        if (s->pairs.count && !parts) return pl_rigid_fail_memory(error);
        if (pl_pairs_advance(&motion, s->pool, s->pairs.data, (int)s->pairs.count, parts) >= 1.0)
            return PL_OK;
        cut_paths(s, round < PARTIAL_ROUNDS ? MARGIN : 0.0);
    }
    for (int b = 0; b < s->body_count; b++) pl_rigid_shorten(s, b, 0.0);
    return PL_OK;
}

pl_status pl_rigid_keep_apart(pl_rigid_system* s, const pl_method_step* step, pl_error* error) {
    if (!step->surfaces) return PL_OK;
    for (int b = 0; b < s->body_count; b++) s->clusters[b] = b;
    pl_status status = cut_rounds(s, step, error);
    if (status == PL_OK) stop_each_other(s);
    return status;
}
