// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A frame of Projective Dynamics with one linear solver or another, all on the same ground: the
// matrix, the order of rows, the elements and the threads of the product, vertices as float4, and
// every pass over them on all threads. Only the direct solver works in double.
#ifndef PL_BENCH_S0_RIVALS_H
#define PL_BENCH_S0_RIVALS_H

#include "fem/fem_system.h"
#include "s0_example.h"
#include "sparse/linear_solver.h"

typedef enum rival_kind { MULTIGRID, MGPCG, VIVACE, CHEBYSHEV, PCG, DIRECT } rival_kind;

typedef struct rival {
    const char* name;
    rival_kind kind;
    int count;          // iterations of a solve
    float rho, damping; // of Chebyshev: the spectral radius it counts on, and of its Jacobi
} rival;

typedef struct rival_frame {
    s0_example* e;
    pl_projective_fast* p;                          // of the example, which has done a step
    pl_step_objective f;                            // in double, for energies
    int count;                                      // 3 per vertex
    double *y, *x, *reference, *no_force, *scratch; // y: with the outer forces in it
    bool* fixed;                                    // none
    float *y4, *u, *before, *r, *d, *Ad;            // float4: y4 by number, the others by place
    int iteration;
    double omega;
    // direct
    pl_block_matrix A;
    pl_linear_solver* direct;
    double *b, *direction;
} rival_frame;

// The frame after the present state of the example. False after a message.
bool rival_frame_create(rival_frame* out, s0_example* e);
void rival_frame_free(rival_frame* r);
// To the first guess.
void rival_start(rival_frame* r);
// One iteration: gradient, solve, step.
void rival_iterate(rival_frame* r, const rival* who);
// g at the present iterate, in double; x is where it was.
double rival_energy(rival_frame* r);

#endif
