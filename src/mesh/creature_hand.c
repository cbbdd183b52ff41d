// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A right hand that stands on its wrist with its fingers spread, the palm along +z.
#include "mesh/creature.h"
#include "mesh/generator.h"

static const pl_part parts[] = {
    {.kind = PL_PART_BLOCK,
     .region = "palm",
     .a = {0.0, 0.370, 0.0},
     .b = {0.160, 0.155, 0.066},
     .ra = 0.062},
    PL_BALL("palm", -0.085, 0.300, 0.030, 0.070, 0.120, 0.058, 0.06),
    PL_LIMB("wrist", 0.0, -0.050, -0.005, 0.098, 0.0, 0.240, 0.0, 0.092, 0.08),
    PL_LIMB("thumb", 0.085, 0.250, 0.025, 0.078, 0.200, 0.345, 0.055, 0.064, 0.06),
    PL_LIMB("thumb", 0.200, 0.345, 0.055, 0.060, 0.285, 0.430, 0.070, 0.052, 0.02),
    PL_LIMB("thumb", 0.285, 0.430, 0.070, 0.052, 0.325, 0.535, 0.085, 0.040, 0.02),
    PL_LIMB("index", 0.112, 0.480, 0.0, 0.054, 0.170, 0.650, 0.005, 0.047, 0.04),
    PL_LIMB("index", 0.170, 0.650, 0.005, 0.047, 0.208, 0.770, 0.025, 0.042, 0.01),
    PL_LIMB("index", 0.208, 0.770, 0.025, 0.042, 0.225, 0.860, 0.055, 0.035, 0.01),
    PL_LIMB("middle", 0.028, 0.500, 0.0, 0.055, 0.040, 0.700, 0.005, 0.048, 0.03),
    PL_LIMB("middle", 0.040, 0.700, 0.005, 0.048, 0.048, 0.840, 0.025, 0.043, 0.01),
    PL_LIMB("middle", 0.048, 0.840, 0.025, 0.043, 0.050, 0.945, 0.060, 0.036, 0.01),
    PL_LIMB("ring", -0.055, 0.490, 0.0, 0.052, -0.100, 0.670, 0.005, 0.046, 0.03),
    PL_LIMB("ring", -0.100, 0.670, 0.005, 0.046, -0.128, 0.800, 0.025, 0.041, 0.01),
    PL_LIMB("ring", -0.128, 0.800, 0.025, 0.041, -0.140, 0.890, 0.058, 0.034, 0.01),
    PL_LIMB("little", -0.125, 0.450, 0.0, 0.046, -0.210, 0.590, 0.005, 0.040, 0.03),
    PL_LIMB("little", -0.210, 0.590, 0.005, 0.040, -0.258, 0.680, 0.020, 0.036, 0.01),
    PL_LIMB("little", -0.258, 0.680, 0.020, 0.036, -0.285, 0.750, 0.045, 0.030, 0.01),
};

pl_status pl_generate_hand(const pl_generate_options* options, pl_mesh** out, pl_error* error) {
    pl_creature hand = {.name = "hand",
                        .parts = parts,
                        .part_count = sizeof parts / sizeof parts[0],
                        .flat_soles = true};
    pl_creature_measure(&hand);
    return pl_generate_creature(&hand, options, out, error);
}
