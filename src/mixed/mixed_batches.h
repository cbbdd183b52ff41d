// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Adds mixed tets to a matrix in float with 4 unknowns per vertex, PL_LANES tets at a time. Like
// elements/tet_batches.h, but with a pressure.
#ifndef PL_MIXED_BATCHES_H
#define PL_MIXED_BATCHES_H

#include "elements/tet_batches.h"

// blocks += [K G'; G 0] for each pair of vertices. K = d2(Psi_d + p Phi)/dx2, projected by a
// fraction from 0 to 1, with p the mean pressure of the corners; G = dphi/dx. x: position and
// pressure of each vertex, aligned to 16 bytes. blocks: 16 floats per entry, row-major, aligned to
// 16 bytes.
void pl_mixed_batches_add(const pl_tet_batches* set, pl_pool* pool, const float* x, float projected,
                          float* blocks);

#endif
