// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The solvers of a step, as tables of operations. Every method can use the assembled matrix
// (step_assembled.h). A method that has something faster gives the step a pl_step_solvers table.
#ifndef PL_STEP_SOLVERS_H
#define PL_STEP_SOLVERS_H

#include "method/method.h"
#include "multigrid/hierarchy.h"
#include "sparse/linear_info.h"
#include "step/quasi_newton.h"
#include "step/rigid_start.h"
#include "step/step_objective.h"
#include "step/step_settings.h"

typedef struct pl_minimiser pl_minimiser; // step_minimiser.h

// The input from which a solver is made. Everything except `rest` is borrowed for the life of the
// solver.
typedef struct pl_solver_input {
    pl_block_matrix* A; // pattern of the step's matrix, with its values at rest; block 3 for
                        // Newton, block 1 for Projective Dynamics
    const double* rest; // 3 per vertex
    const pl_element_set* sets;
    int set_count;
    const pl_step_settings* settings;
    pl_pool* pool;
} pl_solver_input;

// A part J of a matrix outside its sparsity pattern.
typedef struct pl_join {
    // y += J x, 3 per vertex.
    void (*add)(void* user, const double* x, double* y);
    // z += the displacement under the forces r of the vertices that J joins, with all others held;
    // 3 per vertex.
    void (*smooth)(void* user, const double* r, double* z);
    void* user;
} pl_join;

// Solves the linear systems A d = -gradient of Newton's method, A the Hessian of the objective.
typedef struct pl_newton_functions {
    // Called when a step starts. NULL: not needed.
    void (*begin)(void* data);
    // A becomes the Hessian at x; projected: see pl_step_hessian. Adds its seconds to info.
    pl_status (*update)(void* data, const pl_step_objective* f, const double* x, double projected,
                        pl_method_info* info, pl_error* error);
    // As pl_linear_solve. residual_unread: the residual of the last iteration is not needed.
    void (*solve)(void* data, const pl_linear_options* options, bool residual_unread,
                  const double* b, double* x, pl_linear_info* info);
    // y = A x. And z = approximately A^-1 r, by nearly the same operator in every call; returns
    // false if A turned out not to be positive definite. Both are NULL if the solver has `join`.
    void (*apply)(void* data, const double* x, double* y);
    bool (*precondition)(void* data, const double* r, double* z);
    // Until the next call, solves use A + J instead of A; J is symmetric and borrowed. J NULL: A
    // again. For solvers with unknowns besides positions.
    pl_status (*join)(void* data, const pl_join* J, pl_error* error);
    // |D x|^2 over the vertices [begin, end), D the diagonal of A; end -1: over all of them, on all
    // threads.
    double (*force_square)(const void* data, int begin, int end, const double* x);
    // The materials of the elements have changed. NULL: the solver stores nothing that depends on
    // them.
    void (*forget)(void* data);
    // The levels of multigrid, and the row of each vertex in them. NULL: no levels.
    const pl_mg_hierarchy* (*levels)(const void* data, const int** rows);
    void (*destroy)(void* data);
} pl_newton_functions;

typedef struct pl_newton_solver {
    const pl_newton_functions* functions;
    void* data;           // NULL: there is none
    bool sees_indefinite; // solve notices if A is not positive definite (info->indefinite)
} pl_newton_solver;

// The state of an integrator, for solvers that do whole steps.
typedef struct pl_projective_motion {
    double *positions, *velocities, *positions_before, *velocities_before; // 3 per vertex
    double step;                                                           // tau
    pl_rigid_start* rigid_start;
    bool bdf2, midpoint;
    bool keeps_before; // later steps need positions_before and velocities_before
} pl_projective_motion;

// Solves with the constant matrix of Projective Dynamics, for the directions of L-BFGS.
typedef struct pl_projective_functions {
    // Computes the matrix of this objective without pins and contacts. May replace f->pins by
    // softer ones.
    pl_status (*prepare)(void* data, pl_step_objective* f, pl_error* error);
    // Limits the stiffness of contacts that were found. NULL: any stiffness is supported.
    void (*soften)(void* data, pl_contact* contacts, int count);
    // Adds pins and contacts of f, at x, to the matrix.
    pl_status (*attach)(void* data, const pl_step_objective* f, const double* x,
                        pl_method_info* info, pl_error* error);
    // Finds the direction of `quasi` and the slope along it. m->trial and m->direction are scratch.
    pl_status (*find_direction)(void* data, pl_minimiser* m, const pl_step_objective* f,
                                const pl_step_settings* settings, pl_method_info* info,
                                double* slope, pl_error* error);
    // The number of pins and contacts softened in this step. NULL: none.
    int (*softened_count)(const void* data);

    // The functions below may be NULL: for solvers that do whole steps, keep state, or have levels.
    //
    // Tests whether the solver can solve with the matrix of f; sets *fails if it cannot.
    pl_status (*check)(void* data, pl_step_objective* f, pl_minimiser* m, bool* fails,
                       pl_error* error);
    // True if `step` supports everything in this objective.
    bool (*can_step)(const void* data, const pl_step_objective* f);
    // A whole step from state to state; f->y and f->reference are not read. *finished becomes false
    // if the tolerance is below the precision of the solver: then the state is unchanged and m->x
    // holds the best iterate.
    pl_status (*step)(void* data, pl_minimiser* m, pl_step_objective* f,
                      const pl_projective_motion* motion, const pl_step_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, bool* finished,
                      pl_error* error);
    void (*forget)(void* data);  // masses or materials have changed
    void (*restart)(void* data); // positions have changed outside a step
    size_t (*state_size)(const void* data);
    void (*state_save)(const void* data, void* out);
    void (*state_load)(void* data, const void* in);
    const pl_mg_hierarchy* (*levels)(const void* data);

    void (*destroy)(void* data);
} pl_projective_functions;

typedef struct pl_projective_solver {
    const pl_projective_functions* functions;
    void* data;             // NULL: there is none
    pl_quasi_newton* quasi; // of data
    const int* number;      // of each vertex in quasi; NULL: the same
} pl_projective_solver;

// Relaxes vertices one by one: before a step of Newton's method is judged, and between iterations
// of Projective Dynamics.
typedef struct pl_relax_functions {
    // Before the first call of a step: everything except springs and contacts.
    void (*begin)(void* data, const pl_step_objective* f);
    // After contacts were found, before the next sweep.
    pl_status (*contacts)(void* data, const pl_step_objective* f, pl_error* error);
    // A few sweeps over x, where Phi has the given gradient. chosen: the pieces to relax; NULL:
    // all. bounds: further bounds of single vertices; NULL: none.
    void (*sweep)(void* data, const pl_step_objective* f, const double* gradient,
                  const int* piece_of, const bool* chosen, const pl_vertex_bound* bounds,
                  double* x);
    void (*destroy)(void* data);
} pl_relax_functions;

typedef struct pl_step_relax {
    const pl_relax_functions* functions;
    void* data; // NULL: there is none
} pl_step_relax;

// The solvers of a method. Each function creates a solver, or leaves out->data NULL if it has none
// for this input; then the step uses the assembled matrix, or does without.
typedef struct pl_step_solvers {
    pl_status (*newton)(const pl_solver_input* input, pl_newton_solver* out, pl_error* error);
    pl_status (*projective)(const pl_solver_input* input, pl_projective_solver* out,
                            pl_error* error);
    pl_status (*relax)(const pl_solver_input* input, pl_step_relax* out, pl_error* error);
} pl_step_solvers;

#endif
