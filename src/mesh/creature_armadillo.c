// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// An upright figure that resembles an armadillo, with a banded shell, ears and fingers.
#include "mesh/creature.h"
#include "mesh/generator.h"

static const pl_part parts[] = {
    PL_BALL("body", 0.0, 0.450, 0.0, 0.160, 0.200, 0.140, 0.0),
    {.kind = PL_PART_ELLIPSOID,
     .region = "shell",
     .a = {0.0, 0.475, -0.060},
     .b = {0.185, 0.245, 0.165},
     .bow = -0.10,
     .blend = 0.03,
     .ripple = 0.008,
     .waves = 16.0},
    PL_BALL("belly", 0.0, 0.420, 0.070, 0.130, 0.160, 0.095, 0.05),
    PL_BALL("hip", 0.0, 0.285, -0.010, 0.140, 0.100, 0.120, 0.06),
    PL_LIMB("neck", 0.0, 0.600, 0.030, 0.085, 0.0, 0.720, 0.060, 0.075, 0.05),
    PL_BALL("head", 0.0, 0.765, 0.065, 0.100, 0.100, 0.115, 0.05),
    PL_LIMB("snout", 0.0, 0.745, 0.120, 0.066, 0.0, 0.690, 0.250, 0.034, 0.04),
    PL_BALL("nose", 0.0, 0.695, 0.282, 0.022, 0.018, 0.016, 0.012),
    PL_TILTED("ear", 0.085, 0.895, 0.030, 0.040, 0.105, 0.026, -0.35, 0.0, 0.025),
    PL_BALL("eye", 0.068, 0.795, 0.140, 0.020, 0.023, 0.020, 0.006),
    PL_LIMB("arm", 0.145, 0.580, 0.010, 0.062, 0.290, 0.530, 0.070, 0.047, 0.05),
    PL_LIMB("forearm", 0.290, 0.530, 0.070, 0.047, 0.350, 0.655, 0.160, 0.042, 0.02),
    PL_BALL("hand", 0.362, 0.700, 0.180, 0.045, 0.050, 0.032, 0.025),
    PL_LIMB("hand", 0.335, 0.725, 0.180, 0.020, 0.305, 0.800, 0.200, 0.014, 0.012),
    PL_LIMB("hand", 0.362, 0.735, 0.180, 0.020, 0.362, 0.825, 0.205, 0.014, 0.012),
    PL_LIMB("hand", 0.388, 0.725, 0.180, 0.020, 0.420, 0.800, 0.200, 0.014, 0.012),
    PL_LIMB("hand", 0.385, 0.690, 0.185, 0.019, 0.445, 0.715, 0.225, 0.014, 0.012),
    PL_LIMB("thigh", 0.105, 0.285, 0.0, 0.095, 0.165, 0.170, 0.080, 0.070, 0.05),
    PL_LIMB("shin", 0.165, 0.170, 0.080, 0.066, 0.150, 0.065, 0.015, 0.052, 0.02),
    PL_BALL("foot", 0.155, 0.036, 0.075, 0.060, 0.040, 0.105, 0.03),
    PL_LIMB("foot", 0.120, 0.026, 0.150, 0.024, 0.105, 0.018, 0.215, 0.014, 0.012),
    PL_LIMB("foot", 0.155, 0.026, 0.165, 0.024, 0.158, 0.018, 0.230, 0.014, 0.012),
    PL_LIMB("foot", 0.190, 0.026, 0.150, 0.024, 0.210, 0.018, 0.215, 0.014, 0.012),
    PL_LIMB("tail", 0.0, 0.270, -0.080, 0.085, 0.0, 0.140, -0.250, 0.060, 0.05),
    PL_LIMB("tail", 0.0, 0.140, -0.250, 0.060, 0.0, 0.065, -0.400, 0.040, 0.015),
    PL_LIMB("tail", 0.0, 0.065, -0.400, 0.040, 0.0, 0.045, -0.560, 0.020, 0.015),
    // hollows of the ears
    {.kind = PL_PART_ELLIPSOID,
     .a = {0.088, 0.900, 0.062},
     .b = {0.022, 0.078, 0.020},
     .lean = -0.35,
     .blend = 0.02,
     .carves = true},
};

pl_status pl_generate_armadillo(const pl_generate_options* options, pl_mesh** out,
                                pl_error* error) {
    pl_creature armadillo = {.name = "armadillo",
                             .parts = parts,
                             .part_count = sizeof parts / sizeof parts[0],
                             .symmetric = true,
                             .flat_soles = true};
    pl_creature_measure(&armadillo);
    return pl_generate_creature(&armadillo, options, out, error);
}
