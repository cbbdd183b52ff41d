// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A gummy bear, pliant's own model: at any resolution, and without third-party rights.
#include "mesh/creature.h"
#include "mesh/generator.h"

static const pl_part parts[] = {
    PL_BALL("body", 0.0, 0.345, 0.0, 0.245, 0.255, 0.195, 0.0),
    PL_BALL("belly", 0.0, 0.330, 0.10, 0.165, 0.175, 0.125, 0.10),
    PL_BALL("chest", 0.0, 0.510, 0.0, 0.190, 0.150, 0.155, 0.10),
    PL_BALL("head", 0.0, 0.745, 0.015, 0.205, 0.178, 0.168, 0.06),
    PL_BALL("muzzle", 0.0, 0.695, 0.162, 0.100, 0.078, 0.092, 0.05),
    PL_TILTED("ear", 0.137, 0.914, 0.0, 0.080, 0.087, 0.054, -0.435, 0.0, 0.035),
    PL_TILTED("leg", 0.140, 0.150, 0.015, 0.115, 0.165, 0.120, 0.15, 0.0, 0.06),
    PL_BALL("foot", 0.155, 0.060, 0.110, 0.098, 0.072, 0.135, 0.05),
    PL_TILTED("arm", 0.215, 0.500, 0.075, 0.072, 0.080, 0.130, 0.0, 0.435, 0.05),
    PL_BALL("paw", 0.192, 0.440, 0.188, 0.072, 0.070, 0.068, 0.03),
    PL_BALL("tail", 0.0, 0.215, -0.185, 0.060, 0.058, 0.055, 0.04),
    PL_BALL("nose", 0.0, 0.738, 0.240, 0.036, 0.026, 0.024, 0.012),
    PL_BALL("eye", 0.080, 0.792, 0.162, 0.027, 0.029, 0.024, 0.010),
    // hollows of the ears
    {.kind = PL_PART_ELLIPSOID,
     .a = {0.142, 0.918, 0.060},
     .b = {0.044, 0.049, 0.030},
     .lean = -0.435,
     .blend = 0.03,
     .carves = true},
};

static const pl_creature bear = {.name = "bear",
                                 .parts = parts,
                                 .part_count = sizeof parts / sizeof parts[0],
                                 .symmetric = true,
                                 .flat_soles = true,
                                 .low = {-0.32, 0.0, -0.27},
                                 .high = {0.32, 1.0, 0.30}};

double pl_gummy_bear_distance(const double* point, double height) {
    pl_vec3 x = pl_scale(1.0 / height, pl_vec3_load(point));
    return height * pl_creature_value(&bear, x, NULL);
}

pl_status pl_gummy_bear(double height, const pl_tetrahedralise_options* options, pl_mesh** out,
                        pl_notes* notes, pl_error* error) {
    return pl_creature_create(&bear, height, options, out, notes, error);
}

pl_status pl_generate_gummy_bear(const pl_generate_options* options, pl_mesh** out,
                                 pl_error* error) {
    return pl_generate_creature(&bear, options, out, error);
}
