// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projected Gauss-Seidel on impulses, with six unknowns a body. An impulse j at a point that is r
// from the centre changes
//
//   v by j / m,   w by I^-1 (r x j),   the speed of the point by both: v + w x r.
//
// Speeds are distances at the end of the step over its length. So two bodies that near each other
// end the step just as far apart as they should be, and touch without a bounce in the next one.
// Sweeps go forth and back in turn: a stack then settles from below and from above.
#include "rigid/rigid_system.h"

enum { MAX_SWEEPS = 600 };

// ------------------------------------------------------------------ speeds as placed

static pl_vec3 sum_of(const pl_pair_row* row, const double* x, int begin, int end) {
    pl_vec3 sum = {0, 0, 0};
    for (int i = begin; i < end; i++)
        sum = pl_madd(sum, row->weights[i], pl_vec3_load(x + 3 * (size_t)row->v[i]));
    return sum;
}

// how much the speed at a point changes along an axis, for an impulse along it
static double share_of(const pl_rigid_body* b, pl_vec3 arm, pl_vec3 axis) {
    const pl_vec3 lever = pl_cross(arm, axis);
    return b->inverse_mass + pl_dot(lever, pl_mat3_apply(&b->inverse_turned, lever));
}

// both bodies of a pair are pushed at one point: their angular momentum stays
static void set_arms(const pl_rigid_system* s, pl_rigid_row* row) {
    const int middle = row->is_edges ? 2 : 1;
    const pl_vec3 first = sum_of(&row->pair, s->end, 0, middle);
    const pl_vec3 second = pl_scale(-1.0, sum_of(&row->pair, s->end, middle, 4));
    const pl_vec3 at = row->bodies[1] < 0 ? first : pl_lerp(first, second, 0.5);
    const pl_vec3 axes[3] = {row->pair.normal, row->across[0], row->across[1]};
    for (int d = 0; d < 3; d++) row->shares[d] = 0.0;
    for (int i = 0; i < 2 && row->bodies[i] >= 0; i++) {
        const pl_rigid_body* b = &s->bodies[row->bodies[i]];
        row->arms[i] = pl_sub(at, b->state.centre);
        for (int d = 0; d < 3; d++) row->shares[d] += share_of(b, row->arms[i], axes[d]);
    }
}

static double measure_row(const pl_rigid_system* s, pl_rigid_row* row, double h) {
    set_arms(s, row);
    const pl_vec3 at = sum_of(&row->pair, s->end, 0, 4);
    const pl_vec3 way = pl_sub(pl_sub(at, sum_of(&row->pair, s->start, 0, 4)), row->motion);
    row->gap = (pl_dot(row->pair.normal, at) - row->pair.distance) / h;
    for (int d = 0; d < 2; d++) row->slip[d] = pl_dot(way, row->across[d]) / h;
    return fmax(-row->gap, 0.0);
}

static double measure_pin(const pl_rigid_system* s, const pl_pin* pin, pl_rigid_pin* p, double h) {
    static const pl_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const pl_rigid_body* b = &s->bodies[p->body];
    const pl_vec3 at = pl_vec3_load(s->end + 3 * (size_t)pin->vertex);
    p->arm = pl_sub(at, b->state.centre);
    p->miss = pl_scale(1.0 / h, pl_sub(at, pin->target));
    for (int d = 0; d < 3; d++) p->shares[d] = share_of(b, p->arm, axes[d]);
    return pl_norm(pl_madd(p->miss, p->softness, p->impulse));
}

double pl_rigid_measure(pl_rigid_system* s, const pl_method_step* step) {
    pl_rigid_row* rows = s->rows.data;
    pl_rigid_pin* pins = s->pins.data;
    double most = 0.0;
    for (int b = 0; b < s->body_count; b++) {
        pl_rigid_body* body = &s->bodies[b];
        body->inverse_mass = body->is_held ? 0.0 : 1.0 / body->mass;
        body->inverse_turned = pl_rigid_turned(pl_rigid_rotation(&body->state), body->inverse);
        if (body->is_held) body->inverse_turned = (pl_mat3){{0}};
        body->pushed = body->turned = (pl_vec3){0, 0, 0};
    }
    for (size_t k = 0; k < s->rows.count; k++)
        most = fmax(most, measure_row(s, &rows[k], step->time_step));
    for (size_t k = 0; k < s->pins.count; k++)
        most = fmax(most, measure_pin(s, &step->pins[pins[k].pin], &pins[k], step->time_step));
    return most;
}

// ------------------------------------------------------------------ sweeps

static pl_vec3 velocity_at(const pl_rigid_body* b, pl_vec3 arm) {
    return pl_add(b->pushed, pl_cross(b->turned, arm));
}

static void push(pl_rigid_body* b, pl_vec3 arm, double by, pl_vec3 axis) {
    b->pushed = pl_madd(b->pushed, by * b->inverse_mass, axis);
    b->turned = pl_madd(b->turned, by, pl_mat3_apply(&b->inverse_turned, pl_cross(arm, axis)));
}

static double speed_along(const pl_rigid_system* s, const pl_rigid_row* row, pl_vec3 axis) {
    pl_vec3 v = velocity_at(&s->bodies[row->bodies[0]], row->arms[0]);
    if (row->bodies[1] >= 0) v = pl_sub(v, velocity_at(&s->bodies[row->bodies[1]], row->arms[1]));
    return pl_dot(axis, v);
}

static void push_row(pl_rigid_system* s, const pl_rigid_row* row, double by, pl_vec3 axis) {
    if (by == 0.0) return;
    push(&s->bodies[row->bodies[0]], row->arms[0], by, axis);
    if (row->bodies[1] >= 0) push(&s->bodies[row->bodies[1]], row->arms[1], -by, axis);
}

static double sweep_row(pl_rigid_system* s, pl_rigid_row* row) {
    pl_pair_row* pair = &row->pair;
    if (!(row->shares[0] > 0.0)) return 0.0;
    const double speed = row->gap + speed_along(s, row, pair->normal);
    const double total = fmax(pair->push - speed / row->shares[0], 0.0), by = total - pair->push;
    push_row(s, row, by, pair->normal);
    pair->push = total;
    const double change = fabs(by) * row->shares[0];
    const double limit = pair->friction * pair->push;
    if (!(limit > 0.0) && pl_norm2(pair->drag) == 0.0) return change;
    const double share = fmax(row->shares[1], row->shares[2]);
    pl_vec3 drag = {0, 0, 0};
    for (int d = 0; d < 2; d++) {
        const double slip = row->slip[d] + speed_along(s, row, row->across[d]);
        drag = pl_madd(drag, pl_dot(pair->drag, row->across[d]) - slip / share, row->across[d]);
    }
    const double size = pl_norm(drag);
    if (size > limit) drag = pl_scale(limit / size, drag);
    const pl_vec3 more = pl_sub(drag, pair->drag);
    push_row(s, row, 1.0, more);
    pair->drag = drag;
    return fmax(change, pl_norm(more) * share);
}

static double sweep_pin(pl_rigid_system* s, pl_rigid_pin* p) {
    pl_rigid_body* b = &s->bodies[p->body];
    double change = 0.0;
    for (int d = 0; d < 3; d++) {
        const pl_vec3 axis = {d == 0, d == 1, d == 2};
        const double miss = pl_dot(axis, pl_add(p->miss, velocity_at(b, p->arm)));
        const double by =
            -(miss + p->softness * pl_dot(axis, p->impulse)) / (p->shares[d] + p->softness);
        push(b, p->arm, by, axis);
        p->impulse = pl_madd(p->impulse, by, axis);
        change = fmax(change, fabs(by) * p->shares[d]);
    }
    return change;
}

int pl_rigid_solve(pl_rigid_system* s, double tolerance) {
    pl_rigid_row* rows = s->rows.data;
    pl_rigid_pin* pins = s->pins.data;
    const size_t count = s->rows.count;
    int sweeps = 0;
    for (double change = INFINITY; change > tolerance && sweeps < MAX_SWEEPS; sweeps++) {
        change = 0.0;
        for (size_t k = 0; k < count; k++)
            change = fmax(change, sweep_row(s, &rows[sweeps % 2 ? count - 1 - k : k]));
        for (size_t k = 0; k < s->pins.count; k++) change = fmax(change, sweep_pin(s, &pins[k]));
    }
    for (int b = 0; b < s->body_count; b++) {
        pl_rigid_body* body = &s->bodies[b];
        if (body->is_held) continue;
        const pl_mat3 inertia = pl_rigid_turned(pl_rigid_rotation(&body->state), body->inertia);
        body->state.momentum = pl_madd(body->state.momentum, body->mass, body->pushed);
        body->state.spin = pl_add(body->state.spin, pl_mat3_apply(&inertia, body->turned));
    }
    return sweeps;
}
