// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pushes between bodies of systems that are solved separately. There is one list for all, so both
// sides get opposite momentum. Vertices are numbered over all systems.
#ifndef PL_CONTACT_PUSH_LIST_H
#define PL_CONTACT_PUSH_LIST_H

#include "base/array.h"
#include "contact/pair_rows.h"
#include "contact/push_response.h"

// A pair that is near, and the push between its two features [kg m]: force times the time step
// squared.
typedef struct pl_push {
    pl_contact_pair pair;
    pl_pair_row row;   // computed when the pair was found
    pl_vec3 across[2]; // unit vectors perpendicular to its normal and to each other
} pl_push;

typedef struct pl_push_list {
    pl_array pushes;   // of pl_push, sorted by vertices
    pl_array found;    // of pl_push: new ones
    pl_array products; // of double: see push_list.c
    pl_array moved;    // of double
} pl_push_list;

// The systems. Response s belongs to the vertices from firsts[s] on.
typedef struct pl_push_systems {
    int count;
    const int* firsts; // count + 1
    const pl_push_response* responses;
    const int* system_of_surface;
} pl_push_systems;

// Order of pushes in a list, by kind of pair and then by the four vertices: negative, 0 or
// positive.
int pl_push_order(bool a_is_edges, const int* a, bool b_is_edges, const int* b);

// Makes the row of a pair that may come too near on its path, if its normal separates the two
// features at the start of the step. (If surfaces have passed far through each other at the end,
// closest points can be on wrong sides.)
bool pl_push_row_make(const pl_pair_motion* motion, const pl_contact_pair* pair, pl_pair_row* row);

pl_push_list pl_push_list_empty(void);
void pl_push_list_free(pl_push_list* list);

// Adds the pairs that are not in the list yet and may come too near on their paths. Normal and
// closest points of a pair stay as they were when it was added. Returns false if allocation fails.
bool pl_push_list_add(pl_push_list* list, const pl_pair_motion* motion, const pl_array* pairs);

// Removes pairs that do not push and are far apart at x; failed trial steps leave many of them.
void pl_push_list_drop(pl_push_list* list, const double* x);

// Largest violation at x: missing distance as a fraction of the required distance.
double pl_push_list_miss(const pl_push_list* list, const double* x);
// The same for pairs that push but are too far apart: largest excess distance.
double pl_push_list_lift(const pl_push_list* list, const double* x);
// Number of pairs that push.
int pl_push_list_active(const pl_push_list* list);

// Solves for pushes such that, by the model, no two features are too near at the end of the step,
// no push pulls, and friction is at most its coefficient times the push. end: result of the current
// pushes. Returns false if allocation fails.
bool pl_push_list_solve(pl_push_list* list, const pl_push_systems* systems, const double* start,
                        const double* end);

// Sum of all pushes on each vertex, 3 each [kg m].
void pl_push_list_sum(const pl_push_list* list, int vertex_count, double* out);

#endif
