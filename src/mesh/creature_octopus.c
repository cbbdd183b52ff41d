// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// An octopus that stands on eight arms with curled tips.
#include "mesh/creature.h"
#include "mesh/generator.h"

#include <string.h>

enum { ARMS = 8, ARM_PARTS = 11, HEAD_PARTS = 7 };

static const pl_part head[HEAD_PARTS] = {
    PL_TILTED("head", 0.0, 0.690, -0.060, 0.235, 0.300, 0.240, 0.0, -0.20, 0.0),
    PL_BALL("head", 0.0, 0.430, 0.010, 0.185, 0.140, 0.175, 0.10),
    PL_BALL("skirt", 0.0, 0.320, 0.0, 0.205, 0.075, 0.200, 0.08),
    PL_BALL("eye_left", 0.120, 0.520, 0.150, 0.080, 0.084, 0.070, 0.020),
    PL_BALL("eye_right", -0.120, 0.520, 0.150, 0.080, 0.084, 0.070, 0.020),
    PL_BALL("eye_left", 0.142, 0.523, 0.212, 0.034, 0.040, 0.022, 0.004),
    PL_BALL("eye_right", -0.142, 0.523, 0.212, 0.034, 0.040, 0.022, 0.004),
};

static const char* const arm_names[ARMS] = {"arm_1", "arm_2", "arm_3", "arm_4",
                                            "arm_5", "arm_6", "arm_7", "arm_8"};

static double smooth_step(double low, double high, double x) {
    double t = fmin(1.0, fmax(0.0, (x - low) / (high - low)));
    return t * t * (3.0 - 2.0 * t);
}

// A point of an arm's centre line, s from 0 at the head to 1 at the tip. The arm goes down to the
// ground and along it, bends to one side, and curls up at the tip.
static pl_vec3 arm_point(int arm, double s) {
    double way = arm % 2 ? 1.0 : -1.0, start = 0.7853981633974483 * (arm + 0.5);
    double out = 0.120 + 0.52 * s - 0.15 * smooth_step(0.75, 1.0, s);
    double angle = start + way * (0.10 * sin(5.0 * s) + 0.30 * s * s);
    double height = 0.310 - 0.262 * smooth_step(0.0, 0.5, s) + 0.150 * smooth_step(0.65, 1.0, s);
    return (pl_vec3){out * sin(angle), height, out * cos(angle)};
}

static double arm_radius(double s) { return 0.075 - 0.053 * pow(s, 0.8); }

static void make_arm(int arm, pl_part* parts) {
    for (int i = 0; i < ARM_PARTS; i++) {
        double s = (double)i / ARM_PARTS, next = (double)(i + 1) / ARM_PARTS;
        parts[i] = (pl_part){.kind = PL_PART_LIMB,
                             .region = arm_names[arm],
                             .a = arm_point(arm, s),
                             .ra = arm_radius(s),
                             .b = arm_point(arm, next),
                             .rb = arm_radius(next),
                             .blend = i == 0 ? 0.06 : 0.004};
    }
}

pl_status pl_generate_octopus(const pl_generate_options* options, pl_mesh** out, pl_error* error) {
    pl_part parts[HEAD_PARTS + ARMS * ARM_PARTS];
    memcpy(parts, head, sizeof head);
    for (int arm = 0; arm < ARMS; arm++) make_arm(arm, parts + HEAD_PARTS + arm * ARM_PARTS);
    pl_creature octopus = {.name = "octopus",
                           .parts = parts,
                           .part_count = HEAD_PARTS + ARMS * ARM_PARTS,
                           .flat_soles = true};
    pl_creature_measure(&octopus);
    return pl_generate_creature(&octopus, options, out, error);
}
