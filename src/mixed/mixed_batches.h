// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What mixed tets add to a matrix of 4 unknowns per vertex in float, PL_LANES of them at a time:
// elements/tet_batches.h with a pressure.
#ifndef PL_MIXED_BATCHES_H
#define PL_MIXED_BATCHES_H

#include "elements/tet_batches.h"

// blocks += [K G'; G 0] of each pair of vertices, K = d2(Psi_d + p Phi)/dx2 projected by a fraction
// from 0 to 1, p the mean pressure of the corners, and G = dphi/dx. x: position and pressure of
// each vertex, aligned to 16 bytes. blocks: 16 per entry, row-major, aligned to 16 bytes.
void pl_mixed_batches_add(const pl_tet_batches* set, pl_pool* pool, const float* x, float projected,
                          float* blocks);

#endif
