// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projective Dynamics on the scalar multigrid, for "linear": "multigrid" and "mgpcg". Vertices are
// float4 in a separate order; the state stays in double in its own order.
//
// Within a step the position of a vertex is y + u: y (double) is where the vertex would move under
// its forces without elements, u (float) is the correction by the step. So float rounds the small
// u, not the position. Elements get float positions relative to a vertex of their own body.
#ifndef PL_FEM_PROJECTIVE_FAST_H
#define PL_FEM_PROJECTIVE_FAST_H

#include "fem/spring_batches.h"
#include "elements/tet_batches.h"
#include "multigrid/scalar_multigrid.h"
#include "step/step_projective.h"

typedef struct pl_projective_fast pl_projective_fast;

enum { PL_PROJECTIVE_LAWS = 2 };     // ARAP, corotated
enum { PL_PROJECTIVE_BLOCK = 2048 }; // vertices per task

// What pl_projective_balance sums over a connected piece.
typedef struct pl_piece_balance {
    bool is_used, is_held;
    pl_vec3 origin;        // of r: its first vertex
    double mass;           // sum of the weights w
    pl_vec3 first;         // of w r
    pl_vec3 squares;       // of w r_x^2, w r_y^2, w r_z^2
    pl_vec3 products;      // of w r_y r_z, w r_z r_x, w r_x r_y
    pl_vec3 force, torque; // of -gradient
    double K[6][6], b[6];  // b becomes the motion: translation, then rotation
} pl_piece_balance;

struct pl_projective_fast {
    int vertex_count;
    pl_pool* pool;
    pl_block_matrix* A; // the minimiser's: without pins and contacts, and with nothing held
    const pl_element_set* sets;
    int set_count;
    double* rest; // 3 per vertex
    int* root;    // per vertex: the vertex of its body that is the origin of its float positions
    pl_scalar_mg* mg;

    // float elements, if all kinds of elements have a float form
    bool in_float;
    const pl_element_set *tet_set, *spring_set; // or NULL
    int* tet_order;                             // elements of tet_set in the order of batches
    pl_tet_batches tets[PL_PROJECTIVE_LAWS];
    pl_spring_batches springs;
    bool is_cold;      // the stored rotations are far off: the next gradient computes them anew
    bool values_stale; // masses or materials have changed

    bool is_checked, cycles_fail, cycles_slow; // see `check` in fem_projective_fast.c
    bool direct_first;                         // cycles have failed in this step

    // what the levels were made for
    bool matrix_is_there;
    double inertia, drag, stiffness_drag;
    unsigned char *held, *held_now; // per vertex; held_now is 0 between steps
    int held_count;

    // Vertices are numbered in the order of the band, which is best for elements (1.6 times faster
    // than the order of the smoother, which follows colours).
    int* number;    // of each vertex: its number
    int* vertex_of; // of each number: its vertex
    int* place_of;  // of each number: its place in the smoother
    // Float4 per number. y: rounded, with (w + drag) m as fourth value. y_low: the rounding error
    // of y, with the longest rest edge as fourth value. x: y + u, or (in steps that are solved to a
    // tolerance) y_low + u.
    float *x, *y, *y_low, *u;
    double u_inertia;      // of the step in which u was found; 0: u is of no use
    float* edge;           // per vertex: its longest rest edge
    pl_quasi_newton quasi; // by number too
    // soft pins and contacts of an iteration
    pl_array pending;  // of pl_mg_spring, in the order in which they are added
    int* pending_slot; // per place: number in pending + 1, or 0
    pl_array ordered;  // of pl_mg_spring, by place
    bool* block_turns; // per block of vertices: some rotate fast about the first vertex of their
                       // body
    pl_array balances; // of pl_piece_balance, one per connected piece
    pl_array pins;     // of pl_pin: those of the step, softened; empty if all are soft enough
    int softened_pin_count, softened_contact_count; // in the last step, and the last detection
};

// A and the sets are kept by reference. A holds the stiffness, which the sampling of coarse nodes
// may follow; positions: at rest.
pl_status pl_projective_fast_setup(pl_projective_fast** out, pl_block_matrix* A,
                                   const double* positions, const pl_element_set* sets,
                                   int set_count, const pl_step_settings* settings, pl_pool* pool,
                                   pl_error* error);
void pl_projective_fast_destroy(pl_projective_fast* p);
// Updates the float elements after the materials of the sets have changed.
void pl_projective_fast_update_elements(pl_projective_fast* p);

// A whole step in float, from state to state; f->y and f->reference are not read. *finished becomes
// false if the tolerance is below the precision of float: then the state is unchanged and m->x
// holds the best iterate.
pl_status pl_projective_fast_step(pl_projective_fast* p, pl_minimiser* m, pl_step_objective* f,
                                  const pl_projective_motion* motion,
                                  const pl_step_settings* settings, pl_detect detect,
                                  void* detect_user, pl_method_info* info, bool* finished,
                                  pl_error* error);
// Parts of a step: prepares the levels for this objective, puts the pins and contacts of f on them,
// and finds the direction of a step from the right-hand side b of the finest level.
pl_status pl_projective_fast_prepare(pl_projective_fast* p, pl_step_objective* f, pl_error* error);
pl_status pl_projective_fast_attach(pl_projective_fast* p, const pl_step_objective* f,
                                    const double* x, pl_error* error);
void pl_projective_fast_solve(pl_projective_fast* p, const pl_step_settings* settings,
                              const pl_deadline* deadline, pl_method_info* info);

// As a solver of a step: a view of p, and the solver for "linear": "multigrid" and "mgpcg" (none
// for other values).
pl_projective_solver pl_projective_fast_view(pl_projective_fast* p);
// The inverse of pl_projective_fast_view: NULL if it is another solver.
pl_projective_fast* pl_projective_fast_of(const pl_projective_solver* solver);
pl_status pl_projective_fast_solver(const pl_solver_input* input, pl_projective_solver* out,
                                    pl_error* error);

#endif
