// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A car body with wheels.
#include "mesh/creature.h"
#include "mesh/generator.h"

static const pl_part parts[] = {
    {.kind = PL_PART_BLOCK,
     .region = "body",
     .a = {0.0, 0.420, 0.0},
     .b = {0.560, 0.230, 1.250},
     .ra = 0.16},
    {.kind = PL_PART_BLOCK,
     .region = "cabin",
     .a = {0.0, 0.740, -0.120},
     .b = {0.470, 0.260, 0.680},
     .ra = 0.22,
     .blend = 0.12},
    PL_BALL("hood", 0.0, 0.560, 0.800, 0.430, 0.160, 0.400, 0.12),
    PL_BALL("light", 0.370, 0.520, 1.210, 0.105, 0.095, 0.100, 0.02),
    PL_LIMB("bumper", 0.010, 0.300, 1.270, 0.085, 0.470, 0.300, 1.190, 0.085, 0.02),
    PL_LIMB("bumper", 0.010, 0.300, -1.270, 0.085, 0.470, 0.300, -1.190, 0.085, 0.02),
    {.kind = PL_PART_ELLIPSOID,
     .a = {0.560, 0.220, 0.760},
     .b = {0.240, 0.290, 0.290},
     .blend = 0.04,
     .carves = true},
    {.kind = PL_PART_ELLIPSOID,
     .a = {0.560, 0.220, -0.760},
     .b = {0.240, 0.290, 0.290},
     .blend = 0.04,
     .carves = true},
    PL_LIMB("axle", 0.0, 0.220, 0.760, 0.075, 0.480, 0.220, 0.760, 0.075, 0.02),
    PL_LIMB("axle", 0.0, 0.220, -0.760, 0.075, 0.480, 0.220, -0.760, 0.075, 0.02),
    PL_BALL("wheel_front", 0.490, 0.220, 0.760, 0.115, 0.220, 0.220, 0.02),
    PL_BALL("wheel_back", 0.490, 0.220, -0.760, 0.115, 0.220, 0.220, 0.02),
};

pl_status pl_generate_car(const pl_generate_options* options, pl_mesh** out, pl_error* error) {
    pl_creature car = {.name = "car",
                       .parts = parts,
                       .part_count = sizeof parts / sizeof parts[0],
                       .symmetric = true,
                       .flat_soles = true};
    pl_creature_measure(&car);
    return pl_generate_creature(&car, options, out, error);
}
