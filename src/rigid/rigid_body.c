// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The state contains the angular momentum L instead of the angular velocity w = R I^-1 R' L. Only
// torques change L, so it is conserved exactly. The rotation is integrated by the implicit midpoint
// rule, which is symmetric in time, so the energy L w / 2 oscillates but does not drift.
#include "rigid/rigid_body.h"
#include "math/polar.h"

#include <math.h>
#include <string.h>

// Largest rotation in a substep [rad], and the largest number of substeps.
static const double MAX_ANGLE = 0.1;
enum { MAX_PARTS = 1000, MAX_ITERATIONS = 20 };
// Points are on a line if their variance across it is below this fraction of that along it.
static const double FLAT = 1e-10;

static pl_quat multiply(pl_quat a, pl_quat b) {
    return (pl_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                     a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static pl_quat normalize(pl_quat q) {
    const double s = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (pl_quat){s * q.x, s * q.y, s * q.z, s * q.w};
}

// rotation about the direction of `angle` by its length
static pl_quat rotation_by(pl_vec3 angle) {
    const double size = pl_norm(angle);
    const double s = size > 1e-8 ? sin(0.5 * size) / size : 0.5;
    return (pl_quat){s * angle.x, s * angle.y, s * angle.z, cos(0.5 * size)};
}

pl_mat3 pl_rigid_rotation(const pl_rigid_state* s) { return pl_quat_to_mat3(s->rotation); }

pl_mat3 pl_rigid_rotate_tensor(pl_mat3 rotation, pl_mat3 tensor) {
    return pl_mat3_mult(pl_mat3_mul(rotation, tensor), rotation);
}

pl_vec3 pl_rigid_velocity(const pl_rigid_body* b) {
    return pl_scale(1.0 / b->mass, b->state.momentum);
}

static pl_vec3 rate_from(const pl_rigid_body* b, pl_quat rotation, pl_vec3 angular_momentum) {
    const pl_mat3 inverse = pl_rigid_rotate_tensor(pl_quat_to_mat3(rotation), b->inverse);
    return pl_mat3_apply(&inverse, angular_momentum);
}

pl_vec3 pl_rigid_angular_velocity(const pl_rigid_body* b, const pl_rigid_state* s) {
    return rate_from(b, s->rotation, s->angular_momentum);
}

double pl_rigid_kinetic(const pl_rigid_body* b) {
    return 0.5 * (pl_norm2(b->state.momentum) / b->mass +
                  pl_dot(b->state.angular_momentum, pl_rigid_angular_velocity(b, &b->state)));
}

pl_quat pl_rigid_rotate_freely(const pl_rigid_body* b, pl_quat rotation, pl_vec3 angular_momentum,
                               double time) {
    pl_vec3 rate = rate_from(b, rotation, angular_momentum);
    const double angle = pl_norm(rate) * time;
    if (!(angle > 0.0)) return rotation;
    const double count = fmin(ceil(angle / MAX_ANGLE), MAX_PARTS), part = time / count;
    for (int k = 0; k < (int)count; k++) {
        for (int i = 0; i < MAX_ITERATIONS; i++) {
            const pl_quat middle = multiply(rotation_by(pl_scale(0.5 * part, rate)), rotation);
            const pl_vec3 next = rate_from(b, middle, angular_momentum);
            const double change = pl_distance(next, rate);
            rate = next;
            if (!(change > 1e-15 * pl_norm(next))) break;
        }
        rotation = normalize(multiply(rotation_by(pl_scale(part, rate)), rotation));
    }
    return rotation;
}

pl_vec3 pl_rigid_rate(pl_quat from, pl_quat to, double time) {
    pl_quat d = multiply(to, (pl_quat){-from.x, -from.y, -from.z, from.w});
    if (d.w < 0.0) d = (pl_quat){-d.x, -d.y, -d.z, -d.w};
    const pl_vec3 axis = {d.x, d.y, d.z};
    const double sine = pl_norm(axis);
    return pl_scale((sine > 1e-12 ? 2.0 * atan2(sine, d.w) / sine : 2.0) / time, axis);
}

pl_rigid_state pl_rigid_between(const pl_rigid_state* from, const pl_rigid_state* to, double part) {
    pl_rigid_state at = *to;
    if (part >= 1.0) return at;
    at.centre = pl_lerp(from->centre, to->centre, part);
    at.rotation = from->rotation; // exactly equal if part = 0
    if (part > 0.0)
        at.rotation = normalize(
            multiply(rotation_by(pl_scale(part, pl_rigid_rate(from->rotation, to->rotation, 1.0))),
                     from->rotation));
    return at;
}

void pl_rigid_show(const pl_rigid_body* b, const pl_rigid_state* s, double* positions,
                   double* velocities) {
    const pl_mat3 R = pl_rigid_rotation(s);
    const pl_vec3 speed = pl_scale(1.0 / b->mass, s->momentum);
    const pl_vec3 rate = pl_rigid_angular_velocity(b, s);
    for (size_t v = 0; v < (size_t)b->vertex_count; v++) {
        const pl_vec3 arm = pl_mat3_apply(&R, pl_vec3_load(b->arms + 3 * v));
        pl_vec3_store(positions + 3 * v, pl_add(s->centre, arm));
        if (velocities) pl_vec3_store(velocities + 3 * v, pl_add(speed, pl_cross(rate, arm)));
    }
}

// ------------------------------------------------------------------ from vertices

static pl_vec3 arm_of(const pl_rigid_body* b, const int* items, int k) {
    return pl_vec3_load(b->arms + 3 * (size_t)(items ? items[k] : k));
}

bool pl_rigid_fit(pl_rigid_body* b, const int* items, int count, const double* places,
                  const double* weights) {
    pl_vec3 middle = {0, 0, 0}, at = {0, 0, 0};
    pl_mat3 product = {{0}}, spread = {{0}}, rotation, stretch, axes;
    double all = 0.0, values[3];
    for (int k = 0; k < count; k++) {
        const double weight = weights ? weights[k] : 1.0;
        middle = pl_madd(middle, weight, arm_of(b, items, k));
        at = pl_madd(at, weight, pl_vec3_load(places + 3 * (size_t)k));
        all += weight;
    }
    if (!(all > 0.0)) return false;
    middle = pl_scale(1.0 / all, middle), at = pl_scale(1.0 / all, at);
    for (int k = 0; k < count; k++) {
        const double weight = weights ? weights[k] : 1.0;
        const pl_vec3 arm = pl_scale(weight, pl_sub(arm_of(b, items, k), middle));
        const pl_vec3 place = pl_sub(pl_vec3_load(places + 3 * (size_t)k), at);
        product = pl_mat3_add(product, pl_outer(place, arm));
        spread = pl_mat3_add(spread, pl_outer(arm, arm));
    }
    if (!pl_mat3_eigen(spread, values, &axes) || !(values[1] > FLAT * values[0])) return false;
    if (!pl_polar(product, &rotation, &stretch)) return false;
    const pl_vec3 rate = pl_rigid_angular_velocity(b, &b->state);
    b->state.rotation = pl_quat_from_mat3(rotation);
    rotation = pl_rigid_rotation(&b->state);
    b->state.centre = pl_sub(at, pl_mat3_apply(&rotation, middle));
    const pl_mat3 inertia = pl_rigid_rotate_tensor(rotation, b->inertia);
    b->state.angular_momentum = pl_mat3_apply(&inertia, rate);
    return true;
}

// finds the velocity and angular velocity with the same momentum and angular momentum as the change
void pl_rigid_change_velocities(pl_rigid_body* b, const double* now, const double* before,
                                const double* masses) {
    const pl_mat3 R = pl_rigid_rotation(&b->state);
    pl_vec3 middle = {0, 0, 0}, mean = {0, 0, 0}, turn = {0, 0, 0};
    pl_mat3 spread = {{0}}, inverse;
    double mass = 0.0;
    for (size_t v = 0; v < (size_t)b->vertex_count; v++) {
        const pl_vec3 change = pl_sub(pl_vec3_load(now + 3 * v), pl_vec3_load(before + 3 * v));
        middle = pl_madd(middle, masses[v], pl_mat3_apply(&R, pl_vec3_load(b->arms + 3 * v)));
        mean = pl_madd(mean, masses[v], change);
        mass += masses[v];
    }
    middle = pl_scale(1.0 / mass, middle), mean = pl_scale(1.0 / mass, mean);
    for (size_t v = 0; v < (size_t)b->vertex_count; v++) {
        const pl_vec3 change = pl_sub(pl_vec3_load(now + 3 * v), pl_vec3_load(before + 3 * v));
        const pl_vec3 r = pl_sub(pl_mat3_apply(&R, pl_vec3_load(b->arms + 3 * v)), middle);
        turn = pl_madd(turn, masses[v], pl_cross(r, pl_sub(change, mean)));
        spread = pl_mat3_madd(spread, masses[v], pl_outer(r, r));
    }
    const double trace = pl_mat3_trace(spread);
    const pl_mat3 lumped = pl_mat3_sub(pl_mat3_diagonal(trace, trace, trace), spread);
    pl_vec3 rate = {0, 0, 0};
    if (pl_mat3_inverse(lumped, &inverse)) rate = pl_mat3_apply(&inverse, turn);
    const pl_mat3 inertia = pl_rigid_rotate_tensor(R, b->inertia);
    b->state.momentum = pl_madd(b->state.momentum, b->mass, pl_sub(mean, pl_cross(rate, middle)));
    b->state.angular_momentum = pl_add(b->state.angular_momentum, pl_mat3_apply(&inertia, rate));
}
