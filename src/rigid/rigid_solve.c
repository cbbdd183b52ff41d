// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projected Gauss-Seidel on impulses, with six unknowns a body. An impulse j at a point that is r
// from the centre changes
//
//   v by j / m,   w by I^-1 (r x j),   the speed of the point by both: v + w x r.
//
// Speeds are the distances at the end of the step divided by its length. So two approaching bodies
// end the step exactly at the required distance, and touch without a bounce in the next one.
//
// A sweep runs forwards and backwards over all rows. Sweeps alone converge slowly in stacks, so
// they are accelerated by a nonsmooth conjugate gradient method (Silcowitz, Niebe, Erleben 2010,
// section 4): the change by a sweep is the gradient, and a fraction of the last direction is added
// to it. The method ends with a sweep, so all impulses are admissible.
#include "rigid/rigid_system.h"

#include <string.h>

enum { MAX_SWEEPS = 100 };
// Contacts yield by this fraction of their bodies' response, so that the impulses on a body jammed
// between two others are bounded.
static const double SOFTNESS = 1e-4;

// ------------------------------------------------------------------ speeds as placed

static pl_vec3 sum_of(const pl_pair_row* row, const double* x, int begin, int end) {
    pl_vec3 sum = {0, 0, 0};
    for (int i = begin; i < end; i++)
        sum = pl_madd(sum, row->weights[i], pl_vec3_load(x + 3 * (size_t)row->v[i]));
    return sum;
}

// inverse effective mass: the change of a point's speed along an axis by a unit impulse along it
static double inverse_mass_at(const pl_rigid_body* b, pl_vec3 arm, pl_vec3 axis) {
    const pl_vec3 lever = pl_cross(arm, axis);
    return b->inverse_mass + pl_dot(lever, pl_mat3_apply(&b->inverse_rotated, lever));
}

// The point where a row acts: the contact point at the end of the step, moved with the body's
// centre back to the start. The angular momentum of an impulse j is (centre at the start + arm) x
// j. Both bodies of a pair use the same point, so angular momentum is conserved.
static pl_vec3 place_of(const pl_rigid_system* s, const pl_rigid_row* row) {
    const int middle = row->is_edges ? 2 : 1;
    pl_vec3 at[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 2 && row->bodies[i] >= 0; i++) {
        const pl_rigid_body* b = &s->bodies[row->bodies[i]];
        const pl_vec3 end = i ? pl_scale(-1.0, sum_of(&row->pair, s->end, middle, 4))
                              : sum_of(&row->pair, s->end, 0, middle);
        at[i] = pl_add(pl_sub(end, b->state.centre), b->before.centre);
    }
    return row->bodies[1] < 0 ? at[0] : pl_lerp(at[0], at[1], 0.5);
}

static void set_arms(const pl_rigid_system* s, pl_rigid_row* row) {
    const pl_vec3 at = place_of(s, row);
    for (int d = 0; d < 3; d++) row->inverse_masses[d] = 0.0;
    for (int i = 0; i < 2 && row->bodies[i] >= 0; i++) {
        const pl_rigid_body* b = &s->bodies[row->bodies[i]];
        row->arms[i] = pl_sub(at, b->before.centre);
        for (int d = 0; d < 3; d++) {
            row->levers[i][d] = pl_cross(row->arms[i], row->axes[d]);
            row->rate_changes[i][d] = pl_mat3_apply(&b->inverse_rotated, row->levers[i][d]);
            row->inverse_masses[d] +=
                b->inverse_mass + pl_dot(row->levers[i][d], row->rate_changes[i][d]);
        }
    }
}

static double measure_row(const pl_rigid_system* s, pl_rigid_row* row, double h) {
    set_arms(s, row);
    const pl_vec3 at = sum_of(&row->pair, s->end, 0, 4);
    const pl_vec3 way = pl_sub(pl_sub(at, sum_of(&row->pair, s->start, 0, 4)), row->motion);
    row->speeds[0] = (pl_dot(row->axes[0], at) - row->pair.distance) / h;
    for (int d = 1; d < 3; d++) row->speeds[d] = pl_dot(way, row->axes[d]) / h;
    return fmax(-row->speeds[0], 0.0);
}

static double measure_pin(const pl_rigid_system* s, const pl_pin* pin, pl_rigid_pin* p, double h) {
    static const pl_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const pl_rigid_body* b = &s->bodies[p->body];
    const pl_vec3 at = pl_vec3_load(s->end + 3 * (size_t)pin->vertex);
    p->arm = pl_sub(at, b->state.centre);
    p->velocity_error = pl_scale(1.0 / h, pl_sub(at, pin->target));
    for (int d = 0; d < 3; d++) p->inverse_masses[d] = inverse_mass_at(b, p->arm, axes[d]);
    return pl_norm(pl_madd(p->velocity_error, p->softness, p->impulse));
}

double pl_rigid_measure(pl_rigid_system* s, const pl_method_step* step) {
    pl_rigid_row* rows = s->rows.data;
    pl_rigid_pin* pins = s->pins.data;
    double most = 0.0;
    for (int b = 0; b < s->body_count; b++) {
        pl_rigid_body* body = &s->bodies[b];
        body->inverse_mass = body->is_held ? 0.0 : 1.0 / body->mass;
        body->inverse_rotated =
            pl_rigid_rotate_tensor(pl_rigid_rotation(&body->state), body->inverse);
        if (body->is_held) body->inverse_rotated = (pl_mat3){{0}};
        body->velocity_change = body->rate_change = (pl_vec3){0, 0, 0};
    }
    for (size_t k = 0; k < s->rows.count; k++)
        most = fmax(most, measure_row(s, &rows[k], step->time_step));
    for (size_t k = 0; k < s->pins.count; k++)
        most = fmax(most, measure_pin(s, &step->pins[pins[k].pin], &pins[k], step->time_step));
    return most;
}

// ------------------------------------------------------------------ sweeps

static double speed_along(const pl_rigid_system* s, const pl_rigid_row* row, int d) {
    const pl_rigid_body* a = &s->bodies[row->bodies[0]];
    double speed = row->speeds[d] + pl_dot(row->axes[d], a->velocity_change) +
                   pl_dot(row->levers[0][d], a->rate_change);
    if (row->bodies[1] < 0) return speed;
    const pl_rigid_body* b = &s->bodies[row->bodies[1]];
    return speed - pl_dot(row->axes[d], b->velocity_change) -
           pl_dot(row->levers[1][d], b->rate_change);
}

void pl_rigid_push(pl_rigid_system* s, pl_rigid_row* row, int d, double by) {
    row->impulse[d] += by;
    for (int i = 0; i < 2 && row->bodies[i] >= 0; i++) {
        pl_rigid_body* b = &s->bodies[row->bodies[i]];
        const double own = i ? -by : by;
        b->velocity_change = pl_madd(b->velocity_change, own * b->inverse_mass, row->axes[d]);
        b->rate_change = pl_madd(b->rate_change, own, row->rate_changes[i][d]);
    }
}

// friction reduces slip, up to its limit
static double sweep_slip(pl_rigid_system* s, pl_rigid_row* row) {
    const double limit = fmax(row->pair.friction * row->impulse[0], 0.0);
    const double share = fmax(row->inverse_masses[1], row->inverse_masses[2]);
    double drag[3] = {0};
    if (limit == 0.0 && row->impulse[1] == 0.0 && row->impulse[2] == 0.0) return 0.0;
    for (int d = 1; d < 3; d++) drag[d] = row->impulse[d] - speed_along(s, row, d) / share;
    const double size = sqrt(drag[1] * drag[1] + drag[2] * drag[2]);
    const double scale = size > limit ? limit / size : 1.0;
    double change = 0.0;
    for (int d = 1; d < 3; d++) {
        const double by = scale * drag[d] - row->impulse[d];
        pl_rigid_push(s, row, d, by);
        change = fmax(change, fabs(by) * share);
    }
    return change;
}

static double sweep_row(pl_rigid_system* s, pl_rigid_row* row) {
    if (!(row->inverse_masses[0] > 0.0)) return 0.0;
    const double speed =
        speed_along(s, row, 0) / row->inverse_masses[0] + SOFTNESS * row->impulse[0];
    const double by = fmax(-speed / (1.0 + SOFTNESS), -row->impulse[0]);
    if (by != 0.0) pl_rigid_push(s, row, 0, by);
    return fmax(fabs(by) * row->inverse_masses[0], sweep_slip(s, row));
}

static void push_pin(pl_rigid_system* s, pl_rigid_pin* p, pl_vec3 impulse) {
    pl_rigid_body* b = &s->bodies[p->body];
    b->velocity_change = pl_madd(b->velocity_change, b->inverse_mass, impulse);
    b->rate_change =
        pl_add(b->rate_change, pl_mat3_apply(&b->inverse_rotated, pl_cross(p->arm, impulse)));
    p->impulse = pl_add(p->impulse, impulse);
}

static double sweep_pin(pl_rigid_system* s, pl_rigid_pin* p) {
    const pl_rigid_body* b = &s->bodies[p->body];
    double change = 0.0;
    for (int d = 0; d < 3; d++) {
        const pl_vec3 axis = {d == 0, d == 1, d == 2};
        const pl_vec3 speed =
            pl_add(p->velocity_error, pl_add(b->velocity_change, pl_cross(b->rate_change, p->arm)));
        const double left = pl_dot(axis, pl_madd(speed, p->softness, p->impulse));
        const double by = -left / (p->inverse_masses[d] + p->softness);
        push_pin(s, p, pl_scale(by, axis));
        change = fmax(change, fabs(by) * p->inverse_masses[d]);
    }
    return change;
}

// Sweeps forwards and backwards. Returns the largest change of a speed on the way back.
static double sweep(pl_rigid_system* s) {
    pl_rigid_row* rows = s->rows.data;
    pl_rigid_pin* pins = s->pins.data;
    double change = 0.0;
    for (size_t k = 0; k < s->rows.count; k++) {
        memcpy(rows[k].before, rows[k].impulse, sizeof rows[k].before);
        sweep_row(s, &rows[k]);
    }
    for (size_t k = 0; k < s->pins.count; k++) {
        pins[k].before = pins[k].impulse;
        sweep_pin(s, &pins[k]);
    }
    for (size_t k = s->pins.count; k-- > 0;) change = fmax(change, sweep_pin(s, &pins[k]));
    for (size_t k = s->rows.count; k-- > 0;) change = fmax(change, sweep_row(s, &rows[k]));
    return change;
}

// the squared norm of the change by the last sweep
static double gradient2(const pl_rigid_system* s) {
    const pl_rigid_row* rows = s->rows.data;
    const pl_rigid_pin* pins = s->pins.data;
    double sum = 0.0;
    for (size_t k = 0; k < s->rows.count; k++)
        for (int d = 0; d < 3; d++) {
            const double change = rows[k].impulse[d] - rows[k].before[d];
            sum += change * change;
        }
    for (size_t k = 0; k < s->pins.count; k++)
        sum += pl_norm2(pl_sub(pins[k].impulse, pins[k].before));
    return sum;
}

// Adds a fraction of the last direction to the impulses. The new direction is that plus the change
// by the last sweep.
static void step_along(pl_rigid_system* s, double part) {
    pl_rigid_row* rows = s->rows.data;
    pl_rigid_pin* pins = s->pins.data;
    for (size_t k = 0; k < s->rows.count; k++)
        for (int d = 0; d < 3; d++) {
            const double by = part * rows[k].direction[d];
            rows[k].direction[d] = by + rows[k].impulse[d] - rows[k].before[d];
            if (by != 0.0) pl_rigid_push(s, &rows[k], d, by);
        }
    for (size_t k = 0; k < s->pins.count; k++) {
        const pl_vec3 by = pl_scale(part, pins[k].direction);
        pins[k].direction = pl_add(by, pl_sub(pins[k].impulse, pins[k].before));
        push_pin(s, &pins[k], by);
    }
}

void pl_rigid_take_momentum(pl_rigid_system* s) {
    for (int b = 0; b < s->body_count; b++) {
        pl_rigid_body* body = &s->bodies[b];
        if (body->is_held) continue;
        const pl_mat3 inertia =
            pl_rigid_rotate_tensor(pl_rigid_rotation(&body->state), body->inertia);
        body->state.momentum = pl_madd(body->state.momentum, body->mass, body->velocity_change);
        body->state.angular_momentum =
            pl_add(body->state.angular_momentum, pl_mat3_apply(&inertia, body->rate_change));
    }
}

int pl_rigid_solve(pl_rigid_system* s, double tolerance) {
    double before = 0.0;
    int sweeps = 1;
    for (; sweep(s) > tolerance && sweeps < MAX_SWEEPS; sweeps++) {
        const double now = gradient2(s);
        step_along(s, before > 0.0 && now <= before ? now / before : 0.0);
        before = now;
    }
    pl_rigid_take_momentum(s);
    return sweeps;
}
