// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A human-like figure with its arms a little away from the body.
#include "mesh/creature.h"
#include "mesh/generator.h"

static const pl_part parts[] = {
    PL_BALL("chest", 0.0, 0.735, 0.0, 0.112, 0.100, 0.076, 0.0),
    PL_LIMB("shoulder", 0.010, 0.795, -0.010, 0.050, 0.125, 0.785, -0.010, 0.044, 0.04),
    PL_BALL("belly", 0.0, 0.620, 0.004, 0.092, 0.105, 0.068, 0.06),
    PL_BALL("hip", 0.0, 0.530, -0.004, 0.116, 0.080, 0.082, 0.06),
    PL_LIMB("neck", 0.0, 0.820, -0.006, 0.036, 0.0, 0.880, 0.004, 0.034, 0.03),
    PL_BALL("head", 0.0, 0.925, 0.010, 0.058, 0.076, 0.068, 0.02),
    PL_BALL("head", 0.0, 0.885, 0.035, 0.036, 0.030, 0.036, 0.03),
    PL_BALL("nose", 0.0, 0.913, 0.080, 0.012, 0.018, 0.014, 0.012),
    PL_BALL("ear", 0.060, 0.920, 0.0, 0.011, 0.022, 0.016, 0.008),
    PL_LIMB("arm", 0.135, 0.780, -0.010, 0.042, 0.240, 0.620, 0.0, 0.034, 0.04),
    PL_LIMB("forearm", 0.240, 0.620, 0.0, 0.034, 0.328, 0.485, 0.030, 0.025, 0.015),
    PL_BALL("hand", 0.348, 0.446, 0.036, 0.022, 0.038, 0.030, 0.015),
    PL_LIMB("hand", 0.362, 0.425, 0.014, 0.0125, 0.385, 0.375, 0.012, 0.010, 0.006),
    PL_LIMB("hand", 0.362, 0.420, 0.034, 0.0125, 0.386, 0.362, 0.038, 0.010, 0.006),
    PL_LIMB("hand", 0.360, 0.424, 0.056, 0.0125, 0.382, 0.374, 0.064, 0.010, 0.006),
    PL_LIMB("hand", 0.338, 0.452, 0.056, 0.0130, 0.330, 0.418, 0.086, 0.010, 0.008),
    PL_LIMB("thigh", 0.062, 0.515, 0.0, 0.074, 0.084, 0.290, 0.006, 0.052, 0.04),
    PL_LIMB("shin", 0.084, 0.290, 0.006, 0.052, 0.090, 0.060, -0.010, 0.033, 0.015),
    PL_BALL("shin", 0.088, 0.205, -0.024, 0.040, 0.085, 0.042, 0.03),
    PL_BALL("foot", 0.094, 0.026, 0.045, 0.038, 0.030, 0.088, 0.03),
};

pl_status pl_generate_human(const pl_generate_options* options, pl_mesh** out, pl_error* error) {
    pl_creature human = {.name = "human",
                         .parts = parts,
                         .part_count = sizeof parts / sizeof parts[0],
                         .symmetric = true,
                         .flat_soles = true};
    pl_creature_measure(&human);
    return pl_generate_creature(&human, options, out, error);
}
