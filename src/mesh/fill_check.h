// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Checks that the tets in a surface have as many pieces and the same volume as the surface.
#ifndef PL_MESH_FILL_CHECK_H
#define PL_MESH_FILL_CHECK_H

#include "geometry/solid.h"

#include <pliant/mesh.h>

// Largest relative volume error of a fill.
#define PL_FILL_VOLUME_TOLERANCE 0.05

// The target that tets in a surface must match.
typedef struct pl_fill_target {
    int part_count; // connected parts of the surface; more pieces of tets mean that some have split
    int least_pieces; // parts that are certainly separate; fewer pieces of tets mean that one is
                      // lost
    double volume;    // inside the surface, overlaps counted once [m^3]
} pl_fill_target;

// signed_volume: enclosed by the triangles as they are. simple: one closed part that does not
// intersect itself; then that volume is used, otherwise it is measured by rays. Parts below
// crumb_share of the volume may be lost.
pl_status pl_fill_target_measure(const pl_mesh* surface, const pl_solid* solid,
                                 double signed_volume, bool simple, double crumb_share,
                                 pl_fill_target* out, pl_error* error);

typedef struct pl_fill_result {
    int piece_count;
    double volume; // [m^3]
    double change; // of the volume, by that of the target
    bool sound;    // not split, nothing lost, and the volume within the tolerance
} pl_fill_result;

pl_status pl_fill_check(const pl_mesh* tets, const pl_fill_target* target, pl_fill_result* out,
                        pl_error* error);

#endif
