// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The hanging cloth of the s1 benches: a regular one whose first row is held, under gravity, with
// steps of 1/60 s.
#ifndef PL_BENCH_S1_CLOTH_H
#define PL_BENCH_S1_CLOTH_H

#include "pbd/pbd_system.h"

typedef struct s1_cloth {
    int columns, rows; // of vertices
    pl_mesh* mesh;
    pl_body body; // settings; change them before s1_cloth_start
    pl_pbd_system* system;
    double* force;
    pl_pin* pins;
    pl_pool* pool; // borrowed
    pl_error error;
} s1_cloth;

// Distances along edges only, stiffness 1.
bool s1_cloth_create(int columns, int rows, pl_pool* pool, s1_cloth* out);
// From rest, with the settings of the body.
bool s1_cloth_start(s1_cloth* cloth);
bool s1_cloth_step(s1_cloth* cloth, int count);
void s1_cloth_free(s1_cloth* cloth);

// The longest column over its length at rest, minus 1.
double s1_cloth_stretch(const s1_cloth* cloth);

// The stretch after 5 s with these settings, or a negative number and a message. The mean of the
// last second: a cloth that is not stiff still swings up and down then.
double s1_stretch_after(s1_cloth* cloth, int hierarchy, int iterations);

#endif
