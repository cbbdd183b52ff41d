// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Panels: several long vectors of doubles, stored consecutively. Each operation reads its panels
// once, in chunks of rows that stay in the cache, and gives the same bits for any pool.
#ifndef PL_MODES_PANEL_H
#define PL_MODES_PANEL_H

#include "sparse/block_matrix.h"

#include <stdbool.h>
#include <stddef.h>

// G = V' W, v_count x w_count, row-major. partials: pl_panel_partials numbers.
void pl_panel_dots(pl_pool* pool, int count, int v_count, const double* V, int w_count,
                   const double* W, double* partials, double* G);
size_t pl_panel_partials(int v_count, int w_count);
// Result_k (+)= sign * sum_j Y[j * stride + k] V_j for k < r_count. The result may not overlap V.
void pl_panel_combine(pl_pool* pool, int count, int v_count, const double* V, int r_count,
                      const double* Y, int stride, double sign, bool add, double* result);
// The first r_count vectors of V become sum_j Y[j * stride + k] V_j. v_count: at most
// PL_PANEL_MAX_ROTATED.
enum { PL_PANEL_MAX_ROTATED = 600 };
void pl_panel_rotate(pl_pool* pool, int count, int v_count, double* V, int r_count, const double* Y,
                     int stride);

// Y_k = A X_k for `vectors` vectors, A of block 3. work: PL_PANEL_APPLY numbers per row of a
// vector.
enum { PL_PANEL_APPLY = 4 };
void pl_panel_apply(pl_pool* pool, const pl_block_matrix* A, int vectors, const double* X,
                    double* work, double* Y);

#endif
