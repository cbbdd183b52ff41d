// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Keyframes and periodic motion.
//
// Smooth curves are monotone cubic Hermite interpolants (Fritsch and Butland 1984: the slope at an
// inner key is a weighted harmonic mean of the two neighbouring slopes, zero at a turning point),
// so they never leave the range of their keys. Smooth rotations are cubic Bezier curves of unit
// quaternions in cumulative form (Kim, Kim and Shin 1995):
//   q(u) = q0 exp(w1 b1(u)) exp(w2 b2(u)) exp(w3 b3(u)),
//   b1 = 1 - (1-u)^3, b2 = 3u^2 - 2u^3, b3 = u^3,
// whose angular velocity at a key is the one that w1 and w3 prescribe. Everything is at rest before
// the first key and after the last, so the slopes there are zero and all smooth curves are C1.
#include "scene/animation.h"

#include <math.h>
#include <string.h>

static const double degree = 0.017453292519943295;
static const double turn = 6.283185307179586;

// ---------------------------------------------------------------- where in the keys

// Times of keys, at a stride in bytes, so that both kinds of keys can be searched.
typedef struct key_times {
    const char* first;
    size_t stride;
    int count;
} key_times;

static double time_of(const key_times* keys, int k) {
    double time;
    memcpy(&time, keys->first + (size_t)k * keys->stride, sizeof time);
    return time;
}

// The key at or before a time, -1 before the first. Subtracts whole repeats from *time.
static int find_key(const key_times* keys, bool repeat, double* time) {
    double begin = time_of(keys, 0), length = time_of(keys, keys->count - 1) - begin;
    if (repeat && length > 0.0) {
        *time = begin + fmod(*time - begin, length);
        if (*time < begin) *time += length;
    }
    if (!(*time >= begin)) return -1;
    int low = 0, high = keys->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (time_of(keys, middle) <= *time) low = middle;
        else high = middle;
    }
    return low;
}

// ---------------------------------------------------------------- numbers

static double wave(double frequency, double phase, double time, double* rate) {
    double angle = turn * (frequency * time + phase / 360.0);
    *rate = turn * frequency * cos(angle);
    return sin(angle);
}

// slope at an inner key from the steps and slopes on both sides
static double inner_slope(double h0, double h1, double slope0, double slope1) {
    if (slope0 * slope1 <= 0.0) return 0.0;
    double weight = (h0 + 2.0 * h1) / (3.0 * (h0 + h1));
    return slope0 * slope1 / (weight * slope1 + (1.0 - weight) * slope0);
}

// slope of the smooth curve at key k; stride: doubles between values
static double key_slope(const key_times* keys, const double* values, size_t stride, int k) {
    if (k == 0 || k == keys->count - 1) return 0.0;
    double h0 = time_of(keys, k) - time_of(keys, k - 1);
    double h1 = time_of(keys, k + 1) - time_of(keys, k);
    const double* v = values + (size_t)k * stride;
    return inner_slope(h0, h1, (v[0] - *(v - stride)) / h0, (v[stride] - v[0]) / h1);
}

static double key_value(const key_times* keys, const double* values, size_t stride,
                        pl_interpolation interpolation, int k, double time, double* rate) {
    *rate = 0.0;
    if (k < 0) return values[0];
    double y0 = values[(size_t)k * stride];
    if (k == keys->count - 1 || interpolation == PL_KEYS_STEP) return y0;
    double y1 = values[(size_t)(k + 1) * stride];
    double h = time_of(keys, k + 1) - time_of(keys, k), u = (time - time_of(keys, k)) / h;
    if (interpolation == PL_KEYS_LINEAR) {
        *rate = (y1 - y0) / h;
        return y0 + u * (y1 - y0);
    }
    double m0 = h * key_slope(keys, values, stride, k);
    double m1 = h * key_slope(keys, values, stride, k + 1);
    double c2 = 3.0 * (y1 - y0) - 2.0 * m0 - m1, c3 = 2.0 * (y0 - y1) + m0 + m1;
    *rate = (m0 + u * (2.0 * c2 + u * 3.0 * c3)) / h;
    return y0 + u * (m0 + u * (c2 + u * c3));
}

double pl_curve_value(const pl_curve* curve, double time, double* rate) {
    double wave_rate, key_rate = 0.0, value = curve->value;
    double w = wave(curve->frequency, curve->phase, time, &wave_rate);
    if (curve->key_count > 0) {
        key_times keys = {(const char*)curve->keys, 2 * sizeof(double), curve->key_count};
        int k = find_key(&keys, curve->repeat, &time);
        value = key_value(&keys, curve->keys + 1, 2, curve->interpolation, k, time, &key_rate);
    }
    if (rate) *rate = key_rate + curve->amplitude * wave_rate;
    return value + curve->amplitude * w;
}

void pl_curve_bounds(const pl_curve* curve, double* low, double* high) {
    *low = *high = curve->key_count > 0 ? curve->keys[1] : curve->value;
    for (int k = 1; k < curve->key_count; k++) {
        *low = fmin(*low, curve->keys[2 * k + 1]);
        *high = fmax(*high, curve->keys[2 * k + 1]);
    }
    *low -= fabs(curve->amplitude);
    *high += fabs(curve->amplitude);
}

// ---------------------------------------------------------------- rotations

static const pl_quat no_turn = {0.0, 0.0, 0.0, 1.0};

static pl_quat quat_of(double w, pl_vec3 v) { return (pl_quat){v.x, v.y, v.z, w}; }
static pl_vec3 vector_of(pl_quat q) { return (pl_vec3){q.x, q.y, q.z}; }

static pl_quat multiply(pl_quat p, pl_quat q) {
    pl_vec3 a = vector_of(p), b = vector_of(q);
    return quat_of(p.w * q.w - pl_dot(a, b),
                   pl_add(pl_madd(pl_scale(p.w, b), q.w, a), pl_cross(a, b)));
}

static pl_quat inverse(pl_quat q) { return (pl_quat){-q.x, -q.y, -q.z, q.w}; }

static pl_vec3 rotated(pl_quat q, pl_vec3 x) {
    pl_vec3 c = pl_scale(2.0, pl_cross(vector_of(q), x));
    return pl_add(pl_madd(x, q.w, c), pl_cross(vector_of(q), c));
}

// rotation by |r| about r
static pl_quat exponential(pl_vec3 r) {
    double angle = pl_norm(r);
    if (angle < 1e-9) return quat_of(1.0, pl_scale(0.5, r));
    return quat_of(cos(0.5 * angle), pl_scale(sin(0.5 * angle) / angle, r));
}

// shortest rotation vector r with exponential(r) = q or -q
static pl_vec3 logarithm(pl_quat q) {
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    pl_vec3 v = pl_scale(sign, vector_of(q));
    double sine = pl_norm(v);
    if (sine < 1e-9) return pl_scale(2.0, v);
    return pl_scale(2.0 * atan2(sine, sign * q.w) / sine, v);
}

static pl_quat quat_of_angles(const double angles[3]) {
    pl_quat x = exponential((pl_vec3){angles[0] * degree, 0.0, 0.0});
    pl_quat y = exponential((pl_vec3){0.0, angles[1] * degree, 0.0});
    pl_quat z = exponential((pl_vec3){0.0, 0.0, angles[2] * degree});
    return multiply(z, multiply(y, x));
}

pl_mat3 pl_rotation_of_angles(const double angles[3]) {
    return pl_quat_to_mat3(quat_of_angles(angles));
}

// rotation vector from key k to the next, in the frame of either
static pl_vec3 turn_between(const pl_motion* motion, int k) {
    pl_quat a = quat_of_angles(motion->keys[k].rotate),
            b = quat_of_angles(motion->keys[k + 1].rotate);
    return logarithm(multiply(inverse(a), b));
}

// angular velocity of the smooth curve at key k, in the frame of the key
static pl_vec3 key_spin(const pl_motion* motion, int k) {
    if (k == 0 || k == motion->key_count - 1) return (pl_vec3){0.0, 0.0, 0.0};
    double h0 = motion->keys[k].time - motion->keys[k - 1].time;
    double h1 = motion->keys[k + 1].time - motion->keys[k].time;
    // each side is weighted by how close its key is
    pl_vec3 before = pl_scale(h1 / (h0 * (h0 + h1)), turn_between(motion, k - 1));
    pl_vec3 after = pl_scale(h0 / (h1 * (h0 + h1)), turn_between(motion, k));
    return pl_add(before, after);
}

static pl_quat smooth_rotation(const pl_motion* motion, int k, double u, double h, pl_vec3* spin) {
    pl_quat q0 = quat_of_angles(motion->keys[k].rotate);
    pl_quat q1 = quat_of_angles(motion->keys[k + 1].rotate);
    pl_vec3 w1 = pl_scale(h / 3.0, key_spin(motion, k));
    pl_vec3 w3 = pl_scale(h / 3.0, key_spin(motion, k + 1));
    pl_quat gap = multiply(multiply(exponential(pl_scale(-1.0, w1)), multiply(inverse(q0), q1)),
                           exponential(pl_scale(-1.0, w3)));
    pl_vec3 w2 = logarithm(gap);
    double v = 1.0 - u;
    pl_quat e1 = exponential(pl_scale(1.0 - v * v * v, w1));
    pl_quat e2 = exponential(pl_scale(u * u * (3.0 - 2.0 * u), w2));
    pl_quat e3 = exponential(pl_scale(u * u * u, w3));
    // each factor rotates about its own axis, transformed by the factors before it
    pl_vec3 inner =
        pl_add(pl_scale(6.0 * u * v / h, w2), rotated(e2, pl_scale(3.0 * u * u / h, w3)));
    pl_vec3 all = pl_add(pl_scale(3.0 * v * v / h, w1), rotated(e1, inner));
    *spin = rotated(q0, all);
    return multiply(q0, multiply(e1, multiply(e2, e3)));
}

static pl_quat key_rotation(const pl_motion* motion, int k, double time, pl_vec3* spin) {
    *spin = (pl_vec3){0.0, 0.0, 0.0};
    if (k < 0) return quat_of_angles(motion->keys[0].rotate);
    pl_quat q0 = quat_of_angles(motion->keys[k].rotate);
    if (k == motion->key_count - 1 || motion->interpolation == PL_KEYS_STEP) return q0;
    double h = motion->keys[k + 1].time - motion->keys[k].time;
    double u = (time - motion->keys[k].time) / h;
    if (motion->interpolation == PL_KEYS_SMOOTH) return smooth_rotation(motion, k, u, h, spin);
    pl_vec3 r = turn_between(motion, k);
    *spin = rotated(q0, pl_scale(1.0 / h, r));
    return multiply(q0, exponential(pl_scale(u, r)));
}

// ---------------------------------------------------------------- motions

// a pose under construction
typedef struct moving {
    pl_quat q;
    pl_vec3 translate, velocity, spin;
} moving;

static moving key_pose(const pl_motion* motion, double time) {
    moving m = {.q = no_turn};
    if (motion->key_count == 0) return m;
    key_times keys = {(const char*)&motion->keys[0].time, sizeof(pl_pose_key), motion->key_count};
    int k = find_key(&keys, motion->repeat, &time);
    double value[3], rate[3];
    for (int c = 0; c < 3; c++)
        value[c] =
            key_value(&keys, &motion->keys[0].translate[c], sizeof(pl_pose_key) / sizeof(double),
                      motion->interpolation, k, time, &rate[c]);
    m.translate = pl_vec3_load(value);
    m.velocity = pl_vec3_load(rate);
    m.q = key_rotation(motion, k, time, &m.spin);
    return m;
}

// adds a rotation by `angle` radians about a fixed axis
static void turn_further(moving* m, pl_vec3 axis, double angle, double rate) {
    pl_quat q = exponential(pl_scale(angle, axis));
    m->q = multiply(q, m->q);
    m->spin = pl_add(pl_scale(rate, axis), rotated(q, m->spin));
}

pl_pose pl_motion_pose(const pl_motion* motion, pl_vec3 middle, double time) {
    moving m = key_pose(motion, time);
    double spin_rate = motion->spin_rate * degree;
    turn_further(&m, pl_normalize(pl_vec3_load(motion->spin_axis)), spin_rate * time, spin_rate);
    for (int i = 0; i < motion->oscillation_count; i++) {
        const pl_oscillation* o = &motion->oscillations[i];
        double rate, w = wave(o->frequency, o->phase, time, &rate);
        m.translate = pl_madd(m.translate, w, pl_vec3_load(o->translate));
        m.velocity = pl_madd(m.velocity, rate, pl_vec3_load(o->translate));
        turn_further(&m, pl_scale(degree, pl_vec3_load(o->rotate)), w, rate);
    }
    pl_pose pose = {.pivot = isnan(motion->pivot[0]) ? middle : pl_vec3_load(motion->pivot),
                    .translate = m.translate,
                    .velocity = m.velocity,
                    .angular_velocity = m.spin,
                    .rotation = pl_quat_to_mat3(m.q)};
    return pose;
}

pl_vec3 pl_pose_point(const pl_pose* pose, pl_vec3 start) {
    pl_vec3 d = pl_sub(start, pose->pivot);
    pl_vec3 turned = pl_mat3_apply(&pose->rotation, d);
    return pl_add(pl_add(pose->pivot, pose->translate), turned);
}
