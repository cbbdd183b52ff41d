// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Vertices that are held in some directions and free in others: rollers, planes of symmetry.
#ifndef PL_STEP_HOLDS_H
#define PL_STEP_HOLDS_H

#include "base/array.h"
#include "base/fail.h"
#include "contact/contact.h"
#include "sparse/block_matrix.h"

typedef struct pl_hold {
    int vertex;
    pl_mat3 free;  // projection to the free directions
    pl_vec3 place; // position in the held directions [m]
} pl_hold;

typedef struct pl_step_holds {
    int vertex_count;
    bool* fixed;    // per vertex: held in all directions
    int* hold_of;   // per vertex: number in holds + 1, or 0
    pl_array holds; // of pl_hold
} pl_step_holds;

pl_status pl_step_holds_setup(pl_step_holds* h, int vertex_count, pl_error* error);
void pl_step_holds_free(pl_step_holds* h);
// Marks the directions that hard pins hold; a vertex with several pins is held in the directions of
// all.
pl_status pl_step_holds_mark(pl_step_holds* h, const pl_pin* pins, int pin_count, pl_error* error);
// Moves held vertices to where pins hold them; x: 3 per vertex.
void pl_step_holds_place(const pl_step_holds* h, const pl_pin* pins, int pin_count, double* x);

// Removes the held directions of `count` holds from a vector, 3 per vertex.
void pl_holds_project(const pl_hold* holds, int count, double* vector);
// Replaces rows and columns of held directions by a diagonal of the magnitude of the vertex's own.
void pl_holds_eliminate(const pl_hold* holds, int count, pl_block_matrix* A);
// block = left block right
void pl_block_between(const pl_mat3* left, const pl_mat3* right, double block[9]);

// For a sum S of projections: the projection to the directions that it spans, and its
// pseudo-inverse. Returns the number of these directions.
int pl_held_span(pl_mat3 S, pl_mat3* span, pl_mat3* inverse);

#endif
