// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Four vertices at a time that nothing couples, each with the springs of its own: what sweeps over
// a cloth solve together (spring_relax.h).
#ifndef PL_FEM_SPRING_QUADS_H
#define PL_FEM_SPRING_QUADS_H

#include "fem/spring_gather.h"
#include "math/double4.h"

typedef struct pl_spring_quad {
    int32_t vertices[4]; // those past the last repeat the first
    int count;
    int begin, end; // groups; each has one spring of every vertex
} pl_spring_quad;

typedef struct pl_spring_quads {
    const pl_spring_gather* gather; // borrowed
    int quad_count, group_count;
    pl_spring_quad* quads;
    pl_gather_group* groups; // lane i belongs to vertex i of the quad
} pl_spring_quads;

// vertices, counts: of the quads, 4 and 1 each; all are copied.
pl_status pl_spring_quads_setup(pl_spring_quads* quads, const pl_spring_gather* gather,
                                const int32_t* vertices, const int* counts, int quad_count,
                                pl_error* error);
void pl_spring_quads_free(pl_spring_quads* quads);
// Takes rest lengths and stiffnesses again, which may have changed.
void pl_spring_quads_refresh(pl_spring_quads* quads);

// dE/dx of the four vertices of a quad at `own`, by coordinate, and d2E/dx2 with every spring
// projected: the upper part, row by row.
void pl_spring_quad_forces(const pl_spring_quads* quads, const pl_spring_quad* quad,
                           const double* x, const pl_d4 own[3], pl_d4 gradient[3],
                           pl_d4 hessian[6]);

#endif
