// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Curves and motions: they go through their keys, are as continuous as they claim, and their rates
// are the derivatives of their values.
#include "scene/animation.h"
#include "test.h"

static const double keys[] = {0.0, 1.0, 0.5, 3.0, 1.0, 3.0, 2.0, -1.0, 2.1, 0.5};
enum { KEY_COUNT = 5 };

static pl_curve curve_of(pl_interpolation interpolation) {
    pl_curve curve = pl_default_curve();
    curve.keys = keys;
    curve.key_count = KEY_COUNT;
    curve.interpolation = interpolation;
    return curve;
}

static void check_rate(const pl_curve* curve, double time) {
    double rate, h = 1e-6;
    pl_curve_value(curve, time, &rate);
    double difference =
        (pl_curve_value(curve, time + h, NULL) - pl_curve_value(curve, time - h, NULL)) / (2.0 * h);
    CHECK_NEAR(rate, difference, 1e-6 * (1.0 + fabs(rate)));
}

TEST(curves_pass_through_their_keys)
{
    for (int i = 0; i < PL_KEYS_COUNT; i++) {
        pl_curve curve = curve_of((pl_interpolation)i);
        for (int k = 0; k < KEY_COUNT; k++)
            CHECK_NEAR(pl_curve_value(&curve, keys[2 * k], NULL), keys[2 * k + 1], 1e-14);
        CHECK_NEAR(pl_curve_value(&curve, -5.0, NULL), 1.0, 0.0);
        CHECK_NEAR(pl_curve_value(&curve, 99.0, NULL), 0.5, 0.0);
    }
    pl_curve step = curve_of(PL_KEYS_STEP), linear = curve_of(PL_KEYS_LINEAR);
    CHECK_NEAR(pl_curve_value(&step, 0.499, NULL), 1.0, 0.0);
    CHECK_NEAR(pl_curve_value(&linear, 0.25, NULL), 2.0, 1e-15);
}

TEST(curve_rates_are_derivatives)
{
    pl_curve smooth = curve_of(PL_KEYS_SMOOTH), linear = curve_of(PL_KEYS_LINEAR);
    smooth.amplitude = 0.3;
    smooth.frequency = 2.5;
    smooth.phase = 40.0;
    for (int i = 0; i < 100; i++) {
        double time = -0.3 + 0.02537 * i;
        check_rate(&smooth, time);
        check_rate(&linear, time);
    }
}

TEST(smooth_curves_have_no_corners_and_stay_between_their_keys)
{
    pl_curve curve = curve_of(PL_KEYS_SMOOTH);
    double before, after, e = 1e-9;
    for (int k = 0; k < KEY_COUNT; k++) {
        double low = pl_curve_value(&curve, keys[2 * k] - e, &before);
        double high = pl_curve_value(&curve, keys[2 * k] + e, &after);
        CHECK_NEAR(low, high, 1e-7);
        CHECK_NEAR(before, after, 1e-6);
    }
    for (int k = 0; k + 1 < KEY_COUNT; k++) {
        double low = fmin(keys[2 * k + 1], keys[2 * k + 3]),
               high = fmax(keys[2 * k + 1], keys[2 * k + 3]);
        for (int i = 0; i <= 50; i++) {
            double time = keys[2 * k] + (keys[2 * k + 2] - keys[2 * k]) * i / 50.0;
            double value = pl_curve_value(&curve, time, NULL);
            CHECK(value >= low - 1e-12 && value <= high + 1e-12);
        }
    }
    double low, high;
    curve.amplitude = 0.5;
    pl_curve_bounds(&curve, &low, &high);
    CHECK(low == -1.5 && high == 3.5);
}

TEST(curves_repeat)
{
    pl_curve curve = curve_of(PL_KEYS_LINEAR);
    curve.repeat = true;
    for (int i = 0; i < 20; i++) {
        double time = 0.1 * i + 0.05;
        double value = pl_curve_value(&curve, time, NULL);
        CHECK_NEAR(pl_curve_value(&curve, time + 2.1, NULL), value, 1e-12);
        CHECK_NEAR(pl_curve_value(&curve, time - 21.0, NULL), value, 1e-12);
    }
}

static const pl_pose_key poses[] = {
    {.time = 0.0},
    {.time = 1.0, .translate = {1, 0, 0}, .rotate = {0, 90, 0}},
    {.time = 1.5, .translate = {1, 2, 0}, .rotate = {30, 120, -45}},
    {.time = 3.0, .translate = {0, 2, 1}, .rotate = {-80, 10, 160}},
};

static pl_motion motion_of(pl_interpolation interpolation) {
    pl_motion motion = pl_default_motion();
    motion.keys = poses;
    motion.key_count = 4;
    motion.interpolation = interpolation;
    return motion;
}

static const pl_oscillation waves[] = {
    {.translate = {0.1, 0, 0.2}, .rotate = {10, 20, 0}, .frequency = 1.5, .phase = 30},
    {.translate = {0, 0.3, 0}, .rotate = {0, 0, 45}, .frequency = 0.7},
};

// the velocity of the point that is at x
static pl_vec3 velocity_at(const pl_pose* pose, pl_vec3 x) {
    pl_vec3 d = pl_sub(x, pl_add(pose->pivot, pose->translate));
    return pl_add(pose->velocity, pl_cross(pose->angular_velocity, d));
}

// the velocity field of the pose against differences of where points go
static void check_motion(const pl_motion* motion, double time) {
    pl_vec3 middle = {0.3, -0.2, 0.1}, start = {0.7, 0.4, -0.9};
    double h = 1e-6;
    pl_pose now = pl_motion_pose(motion, middle, time);
    pl_pose before = pl_motion_pose(motion, middle, time - h);
    pl_pose after = pl_motion_pose(motion, middle, time + h);
    pl_vec3 difference =
        pl_scale(0.5 / h, pl_sub(pl_pose_point(&after, start), pl_pose_point(&before, start)));
    pl_vec3 velocity = velocity_at(&now, pl_pose_point(&now, start));
    CHECK_NEAR(pl_distance(velocity, difference), 0.0, 1e-6 * (1.0 + pl_norm(difference)));
    // rigid: distances stay
    CHECK_NEAR(pl_distance(pl_pose_point(&now, start), pl_pose_point(&now, middle)),
               pl_distance(start, middle), 1e-13);
}

TEST(motion_velocities_are_derivatives)
{
    for (int i = PL_KEYS_LINEAR; i < PL_KEYS_COUNT; i++) {
        pl_motion motion = motion_of((pl_interpolation)i);
        motion.spin_axis[2] = 2.0;
        motion.spin_rate = 77.0;
        motion.oscillations = waves;
        motion.oscillation_count = 2;
        for (int k = 0; k < 60; k++) check_motion(&motion, -0.4 + 0.0637 * k);
    }
}

TEST(smooth_motions_have_no_corners)
{
    pl_motion motion = motion_of(PL_KEYS_SMOOTH);
    pl_vec3 middle = {0, 0, 0};
    double e = 1e-8;
    for (int k = 0; k < 4; k++) {
        pl_pose before = pl_motion_pose(&motion, middle, poses[k].time - e);
        pl_pose after = pl_motion_pose(&motion, middle, poses[k].time + e);
        for (int i = 0; i < 9; i++) CHECK_NEAR(before.rotation.m[i], after.rotation.m[i], 1e-6);
        CHECK_NEAR(pl_distance(before.translate, after.translate), 0.0, 1e-6);
        CHECK_NEAR(pl_distance(before.velocity, after.velocity), 0.0, 1e-5);
        CHECK_NEAR(pl_distance(before.angular_velocity, after.angular_velocity), 0.0, 1e-5);
    }
}

TEST(motions_pass_through_their_keys)
{
    for (int i = 0; i < PL_KEYS_COUNT; i++) {
        pl_motion motion = motion_of((pl_interpolation)i);
        for (int k = 0; k < 4; k++) {
            pl_pose pose = pl_motion_pose(&motion, (pl_vec3){0, 0, 0}, poses[k].time);
            pl_mat3 rotation = pl_rotation_of_angles(poses[k].rotate);
            for (int c = 0; c < 9; c++) CHECK_NEAR(pose.rotation.m[c], rotation.m[c], 1e-14);
            CHECK_NEAR(pl_distance(pose.translate, pl_vec3_load(poses[k].translate)), 0.0, 1e-14);
        }
    }
    // half way between two linear keys about one axis: half the turn, at constant speed
    pl_motion motion = motion_of(PL_KEYS_LINEAR);
    pl_pose pose = pl_motion_pose(&motion, (pl_vec3){0, 0, 0}, 0.5);
    CHECK_NEAR(pose.rotation.m[0], sqrt(0.5), 1e-14);
    CHECK_NEAR(pose.angular_velocity.y, acos(-1.0) / 2.0, 1e-14);
}

TEST(rotation_of_angles_turns_about_x_then_y_then_z)
{
    double angles[3] = {90, 90, 0};
    pl_mat3 R = pl_rotation_of_angles(angles);
    // y goes to z by x, then to x by y
    pl_vec3 image = pl_mat3_apply(&R, (pl_vec3){0, 1, 0});
    CHECK_NEAR(pl_distance(image, (pl_vec3){1, 0, 0}), 0.0, 1e-15);
    pl_motion still = pl_default_motion();
    pl_pose pose = pl_motion_pose(&still, (pl_vec3){1, 2, 3}, 7.0);
    pl_vec3 x = {4, 5, 6};
    CHECK_NEAR(pl_distance(pl_pose_point(&pose, x), x), 0.0, 0.0);
    CHECK_NEAR(pl_norm(velocity_at(&pose, x)), 0.0, 0.0);
}
