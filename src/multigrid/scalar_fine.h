// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The finest level of the multigrid of Projective Dynamics: one value per pair of vertices, three
// right-hand sides (the coordinates) as float4 per vertex, everything at the places of a slab
// order.
//
// Rows are kept in two halves, L (columns visited before) and U (after), four rows side by side. A
// forward sweep needs U x of the old x only, which the backward sweep before it has computed on
// its way: with that half sum kept (u), each sweep reads one half of the matrix, and the residual
// after a sweep as well. Two symmetric sweeps, residual, two symmetric sweeps are five passes over
// the matrix in place of nine, with the same result.
#ifndef PL_MULTIGRID_SCALAR_FINE_H
#define PL_MULTIGRID_SCALAR_FINE_H

#include "multigrid/slab_order.h"
#include "sparse/block_matrix.h"

// What a vertex has on the diagonal besides the fixed matrix: a spring to a place (soft pin), and a
// symmetric 3x3 block (contact). In ascending order of places, one per place.
typedef struct pl_mg_spring {
    int place;
    bool has_block;
    double stiffness;
    double block[6]; // xx xy xz yy yz zz
} pl_mg_spring;

// half of the rows: chunk c has the entries 4 starts[c] to 4 starts[c + 1], in fours, one per row
typedef struct pl_half_rows {
    int* starts;   // chunk_count + 1
    int* columns;  // 4 times the place of the column
    float* values; // 0 where a row is shorter than its chunk
    int* sources;  // entry of the matrix, or -1
} pl_half_rows;

// a row whose diagonal is a 3x3 block
typedef struct pl_fine_block {
    int place;
    float block[9], inverse[9];
} pl_fine_block;

typedef struct pl_scalar_fine {
    pl_slab_order order;
    pl_half_rows lower, upper;
    double* fixed_diagonal; // per place
    float* diagonal;        // with springs
    float* inverse;         // 0 for vertices that are held, and empty places
    float *b, *x, *u;       // float4 per place
    pl_fine_block* blocks;  // of springs that have one
    int block_count, block_capacity;
    bool u_is_lower; // u = L x, else U x
    bool u_is_known; // false after Jacobi, for which u is a vector like any other
    float damping;   // of Jacobi

    // to and from level 1
    float* point; // float4 per place: X, zero for held vertices and empty places
    int* parent;  // node of level 1
    // Residuals are summed over groups of chunks first, each with a list of the nodes it touches.
    int* slot; // per place: where its node stands in the list of its group
    int slot_count;
    int* slot_offsets; // group_count + 1
    int group_count;
    float* sums; // 16 per slot
    int node_count;
    int* node_slot_offsets; // node_count + 1
    int* node_slots;
} pl_scalar_fine;

pl_status pl_scalar_fine_setup(pl_scalar_fine* f, const pl_block_matrix* A, pl_error* error);
// Which node each row belongs to.
pl_status pl_scalar_fine_set_parents(pl_scalar_fine* f, const int* parent, int node_count,
                                     pl_error* error);
void pl_scalar_fine_free(pl_scalar_fine* f);

// Values of A, points (4 per row), and rows that are held (1) or NULL; springs are gone.
void pl_scalar_fine_update(pl_scalar_fine* f, pl_pool* pool, const pl_block_matrix* A,
                           const float* point, const unsigned char* held);
// Takes back the springs before and puts these on the diagonal.
pl_status pl_scalar_fine_set_springs(pl_scalar_fine* f, const pl_mg_spring* before,
                                     int before_count, const pl_mg_spring* springs, int count,
                                     pl_error* error);

// One sweep of Gauss-Seidel on A x = b; from_zero: x counts as 0, whatever is in it.
void pl_scalar_fine_sweep(pl_scalar_fine* f, pl_pool* pool, bool backward, bool from_zero);
// The same for an x that came from elsewhere, whose u is not known: reads both halves.
void pl_scalar_fine_sweep_both(pl_scalar_fine* f, pl_pool* pool, bool backward);
// Residual of x after sweeps, times U': 16 per node (X_a times each coordinate).
void pl_scalar_fine_restrict(pl_scalar_fine* f, pl_pool* pool, float* coarse_b);
void pl_scalar_fine_prolong_add(pl_scalar_fine* f, pl_pool* pool, const float* coarse_x);
// y = A x, both float4 per place; rows that are held give 0.
void pl_scalar_fine_apply(const pl_scalar_fine* f, pl_pool* pool, const float* x, float* y);

#endif
