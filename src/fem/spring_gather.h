// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs by vertex: each vertex has the list of its springs, four at a time, and gathers its force
// from them. Every spring is computed twice, but nothing is scattered: vertices are independent,
// and consecutive springs do not wait for the same sum. In double, because the round-off of float
// in the forces of stiff springs exceeds the tolerance of solvers.
#ifndef PL_FEM_SPRING_GATHER_H
#define PL_FEM_SPRING_GATHER_H

#include "base/fail.h"
#include "math/vec3.h"

#include <stdint.h>

// Lanes past the last spring of a vertex lead to the vertex itself, with zero stiffness.
typedef struct pl_gather_group {
    int32_t others[4]; // the other ends
    double rest[4], stiffness[4];
} pl_gather_group;

typedef struct pl_spring_gather {
    int vertex_count, spring_count, group_count;
    int* offsets; // vertex_count + 1, groups
    pl_gather_group* groups;
    int* places; // 2 per spring: 4 group + lane
} pl_spring_gather;

// ends: 2 per spring; all inputs are copied.
pl_status pl_spring_gather_create(pl_spring_gather** out, const int* ends, const double* rest,
                                  const double* stiffness, int spring_count, int vertex_count,
                                  pl_error* error);
void pl_spring_gather_destroy(pl_spring_gather* gather);
void pl_spring_gather_set(pl_spring_gather* gather, int spring, double stiffness);

// gradient += dE/dx for vertices [begin, end). Returns half the energy of each of their springs,
// summed.
double pl_spring_gather_add(const pl_spring_gather* gather, int begin, int end, const double* x,
                            double* gradient);

#endif
