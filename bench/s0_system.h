// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The linear system of a frame of the paper's armadillo (S0 section 5.2): Projective Dynamics of a
// swinging body that is held at its ears, solved exactly up to that frame, in the plainest way.
#ifndef PL_BENCH_S0_SYSTEM_H
#define PL_BENCH_S0_SYSTEM_H

#include "bench.h"
#include "mesh/topology.h"
#include "sparse/direct.h"

#include <pliant/mesh.h>

typedef struct s0_system {
    pl_mesh* mesh; // of unit size
    pl_adjacency graph;
    pl_block_matrix A; // M / h^2 + L, block 1
    pl_direct* direct;
    double* b; // -dg/dx at the first guess of the frame, 3 per vertex
    double *x, *velocity, *rest;
    double* mass;
    double* pins; // attachment stiffness per vertex
} s0_system;

// mu: stiffness; frames: how many are simulated before. False after a message.
bool s0_system_create(s0_system* out, bench* b, double mu, int frames);
void s0_system_free(s0_system* system);

#endif
