// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs in float, PL_LANES at a time, colour by colour. Springs of a colour share no vertex, so
// any order and any number of threads gives the same bits.
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
    int batch_count; // lanes past the last spring of a colour repeat one of its springs with zero
                     // stiffness
    pl_coloured_springs* batches;
    int colour_count;
    int* colour_offsets; // colour_count + 1, batches
} pl_spring_batches;

// ends: 2 per spring. All values are zero initially.
pl_status pl_spring_batches_setup(pl_spring_batches* set, const int* ends, int spring_count,
                                  int vertex_count, pl_error* error);
void pl_spring_batches_free(pl_spring_batches* set);
void pl_spring_batches_set(pl_spring_batches* set, int spring, double rest, double stiffness);

// gradient += dE/dx at x + low, a sum with more digits than a float (low NULL: at x). All are
// float4 per vertex.
void pl_spring_batches_gradient(const pl_spring_batches* set, pl_pool* pool, const float* x,
                                const float* low, float* gradient);

#endif
