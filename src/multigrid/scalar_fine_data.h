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
#ifndef PL_MULTIGRID_SCALAR_FINE_DATA_H
#define PL_MULTIGRID_SCALAR_FINE_DATA_H

#include "multigrid/slab_order.h"
#include "sparse/block_matrix.h"

#include <stdint.h>

// What a vertex has on the diagonal besides the fixed matrix: a spring to a place (soft pin), and a
// symmetric 3x3 block (contact). In ascending order of places, one per place.
typedef struct pl_mg_spring {
    int place;
    bool has_block;
    double stiffness;
    double block[6]; // xx xy xz yy yz zz
} pl_mg_spring;

// One entry of each row of a chunk. Columns count places from the lowest column of the chunk, times
// two, which makes an address in one instruction; four of them are one number, because a pass is
// bound by its loads.
typedef struct pl_near_entries {
    uint64_t columns; // 16 bits each, the first row's lowest
    float values[4];  // 0 where a row is shorter than its chunk
} pl_near_entries;

// The same where the columns of some chunk lie too far apart: columns are 4 times the place.
typedef struct pl_far_entries {
    int columns[4];
    float values[4];
} pl_far_entries;

// half of the rows: chunk c has the entries starts[c] to starts[c + 1], four rows side by side
typedef struct pl_half_rows {
    int* starts;           // chunk_count + 1
    int* lowest;           // per chunk: 4 times its lowest column
    pl_near_entries* near; // or NULL
    pl_far_entries* far;   // or NULL
    int* sources;          // 4 per entry: entry of the matrix, or -1
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

#endif
