// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A rabbit that sits up, with long ears.
#include "mesh/creature.h"
#include "mesh/generator.h"

static const pl_part parts[] = {
    PL_TILTED("body", 0.0, 0.255, -0.060, 0.195, 0.215, 0.240, 0.0, -0.25, 0.0),
    PL_BALL("chest", 0.0, 0.370, 0.090, 0.150, 0.170, 0.135, 0.10),
    PL_BALL("head", 0.0, 0.555, 0.150, 0.135, 0.125, 0.150, 0.05),
    PL_BALL("muzzle", 0.050, 0.520, 0.255, 0.060, 0.052, 0.055, 0.04),
    PL_BALL("muzzle", 0.0, 0.495, 0.250, 0.040, 0.035, 0.045, 0.03),
    PL_BALL("nose", 0.0, 0.553, 0.298, 0.024, 0.017, 0.016, 0.010),
    PL_BALL("eye", 0.098, 0.582, 0.225, 0.026, 0.030, 0.028, 0.008),
    // each ear is a fan of two blades, so that it bends forward at the tip
    PL_TILTED("ear", 0.070, 0.740, 0.085, 0.054, 0.130, 0.036, -0.12, -0.16, 0.030),
    PL_TILTED("ear", 0.100, 0.865, 0.075, 0.050, 0.132, 0.034, -0.22, 0.05, 0.040),
    PL_BALL("haunch", 0.165, 0.180, -0.050, 0.090, 0.140, 0.155, 0.05),
    PL_BALL("foot", 0.155, 0.045, 0.085, 0.058, 0.046, 0.150, 0.04),
    PL_LIMB("arm", 0.085, 0.330, 0.150, 0.058, 0.080, 0.110, 0.215, 0.043, 0.05),
    PL_BALL("paw", 0.080, 0.050, 0.238, 0.047, 0.046, 0.068, 0.03),
    PL_BALL("tail", 0.0, 0.170, -0.305, 0.080, 0.078, 0.075, 0.025),
    // hollows of the ears
    {.kind = PL_PART_ELLIPSOID,
     .a = {0.078, 0.770, 0.122},
     .b = {0.026, 0.105, 0.020},
     .lean = -0.16,
     .bow = -0.05,
     .blend = 0.02,
     .carves = true},
};

pl_status pl_generate_bunny(const pl_generate_options* options, pl_mesh** out, pl_error* error) {
    pl_creature bunny = {.name = "bunny",
                         .parts = parts,
                         .part_count = sizeof parts / sizeof parts[0],
                         .symmetric = true,
                         .flat_soles = true};
    pl_creature_measure(&bunny);
    return pl_generate_creature(&bunny, options, out, error);
}
