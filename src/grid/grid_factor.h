// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A symmetric matrix that is a sum of small dense ones, and its factor: a sparse one where a
// lattice is too thin for a coarser level, as plates and limbs have factors of few values, or a
// dense one of a small level.
//
// A clique is a list of unknowns that one small matrix couples. The cliques are given once; each
// update adds the values of all of them.
#ifndef PL_GRID_FACTOR_H
#define PL_GRID_FACTOR_H

#include "sparse/direct.h"

// A clique has at most this many unknowns.
enum { PL_CLIQUE_MAX = 32 };

typedef struct pl_grid_factor {
    int clique_count, member_count;
    int* clique_offsets; // clique_count + 1
    int* members;        // unknowns of the cliques
    int64_t* slot_offsets;
    int* slots; // positions in matrix.values of each clique's entries, row by row
    int64_t slot_count;
    pl_block_matrix matrix;
    pl_direct* direct; // NULL: no unknowns, or a dense factor
    // The dense factor: row_count^2 values, upper triangle of L D L' with unit L', by rows; and
    // 1 / D, 0 where a row is without stiffness.
    double *dense, *inverse_pivots;
    int row_count;
} pl_grid_factor;

// Takes the pattern from the cliques (offsets: clique_count + 1), which are copied. The factor is
// dense up to max_dense unknowns. The memory of a sparse one is not taken before
// pl_grid_factor_reserve or the first update. Fails if it would be larger than 2 GB; the error says
// how large, and what to do.
pl_status pl_grid_factor_setup(pl_grid_factor* out, int row_count, int max_dense, int clique_count,
                               const int* clique_offsets, const int* members, pl_error* error);
void pl_grid_factor_free(pl_grid_factor* f);
// Takes the memory of the factor.
pl_status pl_grid_factor_reserve(pl_grid_factor* f, pl_error* error);

// Sets the matrix to zero; adds the values of a clique (all of its count * count, row by row) and
// single values on the diagonal; factors it. Returns how many pivots are negative, or -1 if the
// memory is out or the matrix is not finite.
void pl_grid_factor_clear(pl_grid_factor* f);
void pl_grid_factor_add(pl_grid_factor* f, int clique, const double* values);
double* pl_grid_factor_diagonal(pl_grid_factor* f, int row);
int pl_grid_factor_update(pl_grid_factor* f, pl_pool* pool);
// x = A^-1 x
void pl_grid_factor_solve(pl_grid_factor* f, double* x);

#endif
