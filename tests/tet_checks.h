// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What every tet mesh that pliant makes must be: positive tets, good angles, a manifold boundary.
#ifndef PL_TET_CHECKS_H
#define PL_TET_CHECKS_H

#include "test.h"

#include <pliant/mesh.h>

typedef struct tet_quality {
    double volume;
    double min_angle, max_angle; // dihedral [degrees]
    double mean_edge;
    int boundary_triangle_count;
    int part_count;
    int euler; // of the boundary: 2 per sphere, 0 per torus
} tet_quality;

// Fails the test if a tet is not positive, a vertex is unused, or the boundary is not a closed
// oriented manifold.
tet_quality check_tets(const pl_mesh* mesh);

// True if both have the same bits.
bool same_tets(const pl_mesh* a, const pl_mesh* b);

#endif
