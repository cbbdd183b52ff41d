// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Surfaces that keep apart during a step of Newton's method: a term of its objective, with a
// barrier between all surfaces that come near (contact/pair_barrier.h), and friction. No iterate is
// reached on a path that crosses a surface, so surfaces that do not cross at the start of a step do
// not cross at its end.
#ifndef PL_STEP_MEETING_H
#define PL_STEP_MEETING_H

#include "base/array.h"
#include "contact/contact_report.h"
#include "contact/pair_barrier.h"
#include "contact/surface_set.h"
#include "step/step_objective.h"
#include "step/step_pieces.h"

// A part r r' of the Hessian for the four corners of a pair.
typedef struct pl_meeting_row {
    int v[4];
    double r[12];
} pl_meeting_row;

// Friction of a pair that touches, with the normal force and the contact points of an earlier
// iterate.
typedef struct pl_meeting_friction {
    int v[4];
    bool is_edges; // two edges, else a vertex and a triangle
    double weights[4];
    pl_vec3 normal;
    double limit; // coefficient times normal force [N]
    pl_vec3 slip; // at the last iterate [m]
    pl_vec3 dual; // estimate of friction as a fraction of its limit, length at most 1
} pl_meeting_friction;

typedef struct pl_step_meeting {
    struct pl_step_meeting* self; // points to this struct; the term reads it through its const user
    int vertex_count;
    const pl_step_pieces* pieces; // of the system; borrowed
    int* roots;     // disjoint sets of pieces with pairs between them in this step, one per piece
    double* limits; // fractions of the paths of pieces: work
    pl_surface_set* surfaces;   // of the step; borrowed. NULL: nothing collides
    const pl_step_objective* f; // of the step
    // The searched paths: straight, from `from` to `to`, 3 numbers per vertex. All pairs that can
    // come within reach are listed as long as each vertex is near its path.
    double *from, *to;
    double* covered; // last positions that were found to be covered, 3 per vertex; avoids a second
                     // check
    bool has_covered;
    bool is_searched;
    bool is_apart; // there are no pairs as long as each vertex is in the box of its surface; no
                   // paths are kept
    bool has_met;  // a search of this step has found pairs
    bool out_of_memory;
    pl_array pairs;    // of pl_contact_pair
    pl_array barriers; // of pl_pair_barrier, one per pair
    pl_array parts;    // of double, per pair: work
    pl_array active;   // of int: pairs within reach at the positions evaluated last
    pl_array forces;   // of pl_vec3, 4 per active pair: work
    pl_array blocks;   // rows of a few pairs: work
    pl_array rows;     // of pl_meeting_row
    pl_array frictions, next_frictions; // of pl_meeting_friction
    int friction_rounds;                // updates of friction in this step, at minima
    int early_rounds;                   // and before a minimum was reached
    double* ends[2];                    // 3 per vertex: work
    double* way[2];                     // positions on part of a path: work
} pl_step_meeting;

pl_status pl_step_meeting_create(const pl_step_pieces* pieces, pl_step_meeting** out,
                                 pl_error* error);
// Accepts NULL.
void pl_step_meeting_destroy(pl_step_meeting* meeting);

pl_step_term pl_step_meeting_term(pl_step_meeting* meeting);

// Computes the Hessian at x as rows, without negative eigenvalues; they are valid until the next
// call. They are not in the matrix: step_pair_solver.h applies them.
pl_status pl_step_meeting_update(pl_step_meeting* meeting, const double* x, pl_error* error);

// How far vertices of a surface may leave the searched paths [m].
double pl_step_meeting_slack(const pl_step_meeting* meeting, int surface);
// For step_meeting_ways.c: resizes an array to `count` items, with room for more. False if memory
// runs out.
bool pl_step_meeting_resize(pl_array* array, size_t count);
// True if bounding boxes show that nothing comes near on paths from `from` to `to`, positions at
// the end of the step. Surfaces that are near are marked (is_near of surface_set.h).
bool pl_step_meeting_is_apart(pl_step_meeting* meeting, const double* from, const double* to);
// Makes sure that all pairs that may come within reach on these paths are listed. False if memory
// runs out.
bool pl_step_meeting_covers(pl_step_meeting* meeting, const double* from, const double* to);
bool pl_step_meeting_cover(pl_step_meeting* meeting, const double* from, const double* to);
// limits[piece] = the fraction of the straight path between two iterates that the piece may move
void pl_step_meeting_limit(pl_step_meeting* meeting, const double* x_from, const double* x_to);

// The bound of each vertex at x, for `bound` of step_term.h.
void pl_step_meeting_bound(pl_step_meeting* meeting, const double* x, pl_vertex_bound* bounds);

// For step_meeting_friction.c: makes sure that all pairs near z, positions at the end of the step,
// are listed, and finds those within reach. False if memory runs out.
bool pl_step_meeting_activate(pl_step_meeting* meeting, const double* z);

// The energy of the barriers at x, without friction [J]. Infinite if memory ran out.
double pl_step_meeting_energy(pl_step_meeting* meeting, const double* x);

// Adds the contacts at x, the end of the step, to a list of pl_contact_report. False if memory runs
// out.
bool pl_step_meeting_tell(pl_step_meeting* meeting, const double* x, pl_array* out);

// Energy of friction with the current list; x: what the step solves for.
double pl_meeting_friction_energy(const pl_step_meeting* meeting, const double* x);
// energies[piece] += the same, as in `energies` of step_term.h
void pl_meeting_friction_energies(const pl_step_meeting* meeting, const int* piece_of,
                                  const bool* chosen, const double* x, double* energies);
void pl_meeting_friction_gradient(const pl_step_meeting* meeting, const double* x,
                                  double* gradient);
bool pl_meeting_friction_rows(pl_step_meeting* meeting, const double* x);
// As `follow` of step_term.h.
void pl_meeting_friction_advance(pl_step_meeting* meeting, const double* x, const int* piece_of,
                                 const double* lengths);
// Returns true, and takes the normal forces and contact points at x, if friction with them would
// differ from the current one by more than its tolerance, and not by much less than `left`, the
// length of the gradient.
bool pl_meeting_friction_follow(pl_step_meeting* meeting, const double* x, double left);

#endif
