// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The finest level of the multigrid of Projective Dynamics. The matrix has one value per pair of
// vertices. The three coordinates are three right-hand sides, a float4 per vertex. All arrays are
// in the order of places (slab_order.h).
//
// The matrix is stored in two halves, four rows side by side: L has the columns that a forward
// sweep visits before the row, U those it visits after. A forward sweep needs U x of the old x,
// which the backward sweep before it has computed as a by-product. That half sum is kept (u), so
// each sweep reads only one half of the matrix, and so does the residual after a sweep. Two
// symmetric sweeps, residual, two symmetric sweeps are five passes over the matrix instead of nine,
// with the same result.
#ifndef PL_MULTIGRID_SCALAR_FINE_DATA_H
#define PL_MULTIGRID_SCALAR_FINE_DATA_H

#include "multigrid/slab_order.h"
#include "sparse/block_matrix.h"

#include <stdint.h>

// What is added to the diagonal of one vertex: the stiffness of a soft pin, and the symmetric 3x3
// block of contacts. Lists are in ascending order of places, one per place.
typedef struct pl_mg_spring {
    int place;
    bool has_block;
    double stiffness;
    double block[6]; // xx xy xz yy yz zz
} pl_mg_spring;

// One entry of each of the four rows of a chunk. A column is twice its distance from the chunk's
// lowest column, so that its address takes one instruction. The four columns are packed into one
// number, because the number of loads limits the speed of a pass.
typedef struct pl_near_entries {
    uint64_t columns; // 16 bits each; the first row has the lowest bits
    float values[4];  // 0 where a row is shorter than its chunk
} pl_near_entries;

// The same if the columns of some chunk span too far for 16 bits: a column is 4 times its place.
typedef struct pl_far_entries {
    int columns[4];
    float values[4];
} pl_far_entries;

// one half of the matrix: chunk c has the entries starts[c] to starts[c + 1] - 1
typedef struct pl_half_rows {
    int* starts;           // chunk_count + 1
    int* lowest;           // per chunk: 4 times its lowest column
    pl_near_entries* near; // or NULL
    pl_far_entries* far;   // or NULL
    int* sources;          // 4 per entry: entry of the matrix, or -1
} pl_half_rows;

// a row with a contact: its diagonal is a 3x3 block
typedef struct pl_fine_block {
    int place;
    float block[9], inverse[9];
} pl_fine_block;

typedef struct pl_scalar_fine {
    pl_slab_order order;
    pl_half_rows lower, upper;
    double* fixed_diagonal; // per place
    float* diagonal;        // including springs
    float* inverse;         // 0 at held vertices and empty places
    float *b, *x, *u;       // float4 per place
    pl_fine_block* blocks;  // of springs with a block, by place
    int block_count, block_capacity;
    bool u_is_lower; // u = L x, else U x
    bool u_is_known; // false after Jacobi, which uses u as a work vector
    float damping;   // of Jacobi

    // transfer to and from level 1
    float* point; // float4 per place: X, zero at held vertices and empty places
    int* parent;  // node of level 1
    // Restriction in parallel: each group of chunks sums into its own slots, one for each node that
    // it touches. Then each node adds up its slots.
    int* slot; // per place: the slot of its node in its group
    int slot_count;
    int* slot_offsets; // group_count + 1
    int group_count;
    float* sums; // 16 per slot
    int node_count;
    int* node_slot_offsets; // node_count + 1
    int* node_slots;
} pl_scalar_fine;

#endif
