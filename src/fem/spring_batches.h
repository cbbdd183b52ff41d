// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs in float, PL_LANES at a time, colour by colour: springs of a colour share no vertex, so
// that they can be done in any order and by any number of threads with the same bits.
#ifndef PL_FEM_SPRING_BATCHES_H
#define PL_FEM_SPRING_BATCHES_H

#include "base/pool.h"
#include "math/vec3w.h"

typedef struct pl_coloured_springs {
    int32_t ends[2][PL_LANES];
    pl_fw rest, stiffness;
} pl_coloured_springs;

typedef struct pl_spring_batches {
    int spring_count;
    int* slots;      // of each spring: PL_LANES * batch + lane
    int batch_count; // lanes past the last spring of a colour repeat one of its springs, with no
                     // stiffness
    pl_coloured_springs* batches;
    int colour_count;
    int* colour_offsets; // colour_count + 1, batches
} pl_spring_batches;

// ends: 2 per spring. Values are all zero at first.
pl_status pl_spring_batches_setup(pl_spring_batches* set, const int* ends, int spring_count,
                                  int vertex_count, pl_error* error);
void pl_spring_batches_free(pl_spring_batches* set);
void pl_spring_batches_set(pl_spring_batches* set, int spring, double rest, double stiffness);

// gradient += dE/dx at x + low (NULL: at x), whose sum has more digits than a float; all are float4
// per vertex.
void pl_spring_batches_gradient(const pl_spring_batches* set, pl_pool* pool, const float* x,
                                const float* low, float* gradient);

#endif
