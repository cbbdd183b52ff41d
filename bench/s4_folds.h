// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A fine surface that a simulation in a coarse lattice moves (Zhu 2010, Fig. 18): how much it is
// folded where it goes from one cell to the next.
#ifndef PL_BENCH_S4_FOLDS_H
#define PL_BENCH_S4_FOLDS_H

#include "base/fail.h"

// By how much the angles between neighbouring triangles have changed [deg].
typedef struct s4_folds {
    int triangle_count;
    double mean, most; // most: of all but one in fifty, which are at what holds the body
} s4_folds;

// Of the first body of a scene with a generated mesh, with triangles of this edge in cells of that
// one, after so many frames.
pl_status s4_scene_folds(const char* scene, const char* embedding, double edge, double cell,
                         int frames, s4_folds* out, pl_error* error);

#endif
