// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The pushes between bodies that are solved apart: one list for all of them, so that what one side
// gets the other side gives. Vertices have one numbering over all systems.
#ifndef PL_CONTACT_PUSH_LIST_H
#define PL_CONTACT_PUSH_LIST_H

#include "base/array.h"
#include "contact/pair_rows.h"
#include "contact/push_response.h"

// A pair that is near, and the push between the two: in units of a force times the time step
// squared [kg m].
typedef struct pl_push {
    pl_contact_pair pair;
    pl_pair_row row;   // as it was when the pair was found
    pl_vec3 across[2]; // to its normal and to each other
} pl_push;

typedef struct pl_push_list {
    pl_array pushes;   // of pl_push, sorted by their vertices
    pl_array found;    // of pl_push: new ones
    pl_array products; // of double: see push_list.c
    pl_array moved;    // of double
} pl_push_list;

// The systems: response s is that of the vertices from firsts[s] on.
typedef struct pl_push_systems {
    int count;
    const int* firsts; // count + 1
    const pl_push_response* responses;
    const int* system_of_surface;
} pl_push_systems;

// The order of pushes in a list, by what their pairs are and by their four vertices: below 0, 0 or
// above 0.
int pl_push_order(bool a_is_edges, const int* a, bool b_is_edges, const int* b);

// The row of a pair that may come too near on the ways of the motion, if its normal parts the two
// at the start of the step: among surfaces that are far beyond each other at the end there are
// nearest points on wrong sides.
bool pl_push_row_make(const pl_pair_motion* motion, const pl_contact_pair* pair, pl_pair_row* row);

pl_push_list pl_push_list_empty(void);
void pl_push_list_free(pl_push_list* list);

// Adds those of the pairs that are not in the list and may come too near on the ways of the motion.
// Normals and closest points of a pair stay as they are when it is added.
// False if memory is out.
bool pl_push_list_add(pl_push_list* list, const pl_pair_motion* motion, const pl_array* pairs);

// Takes out those that do not push and whose two are far from each other at x: trials that went
// astray leave many.
void pl_push_list_drop(pl_push_list* list, const double* x);

// How much of the distance that they should keep the two of any push miss, at most.
double pl_push_list_miss(const pl_push_list* list, const double* x);
// How much farther apart than they should be any two are that push each other, as such a part.
double pl_push_list_lift(const pl_push_list* list, const double* x);
// How many push.
int pl_push_list_active(const pl_push_list* list);

// Finds pushes with which, by the model, no two are too near at the end of the step, none pulls,
// and friction is at most its coefficient times the push. end: where the present pushes lead to.
// False if memory is out.
bool pl_push_list_solve(pl_push_list* list, const pl_push_systems* systems, const double* start,
                        const double* end);

// What all pushes add up to on each vertex, 3 each [kg m].
void pl_push_list_sum(const pl_push_list* list, int vertex_count, double* out);

#endif
