// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A sparse symmetric matrix that is a sum of small dense ones, and its factor. Used where a lattice
// is too thin for a coarser level: the factors of plates and limbs are small.
//
// A clique is a list of unknowns coupled by one small matrix. The cliques are set once; each update
// adds the values of all of them.
#ifndef PL_GRID_FACTOR_H
#define PL_GRID_FACTOR_H

#include "base/array.h"
#include "sparse/direct.h"

// A clique has at most this many unknowns.
enum { PL_CLIQUE_MAX = 32 };

// Cliques in the order in which they were added.
typedef struct pl_grid_cliques {
    pl_array offsets, members; // ints
    bool lost;                 // an allocation failed
} pl_grid_cliques;

pl_grid_cliques pl_grid_cliques_none(void);
void pl_grid_cliques_add(pl_grid_cliques* cliques, int count, const int* unknowns);
void pl_grid_cliques_free(pl_grid_cliques* cliques);

typedef struct pl_grid_factor {
    int clique_count, member_count;
    int* clique_offsets; // clique_count + 1
    int* members;        // unknowns of the cliques
    int64_t* slot_offsets;
    int* slots; // positions in matrix.values of each clique's entries, row by row
    int64_t slot_count;
    pl_block_matrix matrix;
    pl_direct* direct; // NULL: no unknowns
} pl_grid_factor;

// Takes the cliques and finds the pattern. pl_grid_factor_reserve or the first update allocates the
// factor itself. Fails if the factor would be larger than 2 GB; the error tells its size and what
// to do.
pl_status pl_grid_factor_setup(pl_grid_factor* out, int row_count, pl_grid_cliques* cliques,
                               pl_error* error);
void pl_grid_factor_free(pl_grid_factor* f);
// Allocates the factor.
pl_status pl_grid_factor_reserve(pl_grid_factor* f, pl_error* error);

// clear sets the matrix to zero. add adds the values of a clique (count * count, row by row).
// diagonal returns a diagonal entry, to add to. update factors the matrix; it returns the number of
// negative pivots, or -1 if allocation fails or the matrix is not finite.
void pl_grid_factor_clear(pl_grid_factor* f);
void pl_grid_factor_add(pl_grid_factor* f, int clique, const double* values);
double* pl_grid_factor_diagonal(pl_grid_factor* f, int row);
int pl_grid_factor_update(pl_grid_factor* f, pl_pool* pool);
// x = A^-1 x
void pl_grid_factor_solve(pl_grid_factor* f, double* x);

#endif
