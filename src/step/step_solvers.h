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

// The input from which a solver is made. All but `rest` is borrowed for the life of the solver.
typedef struct pl_solver_input {
    pl_block_matrix* A; // pattern of the step's matrix, with its values at rest; block 3 for
                        // Newton, block 1 for Projective Dynamics
    const double* rest; // 3 per vertex
    const pl_element_set* sets;
    int set_count;
    const pl_step_settings* settings;
    pl_pool* pool;
} pl_solver_input;

// A part J of a matrix, which lies outside its pattern.
typedef struct pl_join {
    // y += J x, 3 per vertex.
    void (*add)(void* user, const double* x, double* y);
    // z += the displacement of the vertices that J joins under the forces r, all others held; 3 per
    // vertex.
    void (*smooth)(void* user, const double* r, double* z);
    void* user;
} pl_join;

// Solves the linear systems A d = -gradient of Newton's method, A the Hessian of the objective.
typedef struct pl_newton_functions {
    // A new step starts. NULL: nothing to do.
    void (*begin)(void* data);
    // A becomes the Hessian at x; projected: see pl_step_hessian. Adds its seconds to info.
    pl_status (*update)(void* data, const pl_step_objective* f, const double* x, double projected,
                        pl_method_info* info, pl_error* error);
    // As pl_linear_solve. residual_unread: nobody reads the residual of the last iteration.
    void (*solve)(void* data, const pl_linear_options* options, bool residual_unread,
                  const double* b, double* x, pl_linear_info* info);
    // y = A x; and z, roughly A^-1 r by an operator that is about the same in every call, which
    // returns false if A turned out not to be positive definite. NULL, both: the solver has `join`.
    void (*apply)(void* data, const double* x, double* y);
    bool (*precondition)(void* data, const double* r, double* z);
    // Solves have A + J in place of A until the next call; J is symmetric, and borrowed. NULL: A
    // again. For solvers with unknowns besides positions.
    pl_status (*join)(void* data, const pl_join* J, pl_error* error);
    // |D x|^2 over the vertices [begin, end), D the diagonal of A; end -1: over all of them, on all
    // threads.
    double (*force_square)(const void* data, int begin, int end, const double* x);
    // The materials of the elements have changed. NULL: the solver keeps nothing of them.
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
    bool keeps_before; // positions_before and velocities_before are of use to later steps
} pl_projective_motion;

// Solves with the constant matrix of Projective Dynamics, for the directions of L-BFGS.
typedef struct pl_projective_functions {
    // The matrix of this objective without pins and contacts. May replace f->pins by softer ones.
    pl_status (*prepare)(void* data, pl_step_objective* f, pl_error* error);
    // Limits the stiffness of contacts that were found. NULL: any stiffness will do.
    void (*soften)(void* data, pl_contact* contacts, int count);
    // Pins and contacts of f, at x, join the matrix.
    pl_status (*attach)(void* data, const pl_step_objective* f, const double* x,
                        pl_method_info* info, pl_error* error);
    // The direction of `quasi` and the slope along it. m->trial and m->direction are scratch.
    pl_status (*find_direction)(void* data, pl_minimiser* m, const pl_step_objective* f,
                                const pl_step_settings* settings, pl_method_info* info,
                                double* slope, pl_error* error);
    // The number of pins and contacts softened in this step. NULL: none.
    int (*softened_count)(const void* data);

    // The rest may be NULL: solvers that do whole steps, keep state, or have levels.
    //
    // Tests whether the solver can solve with the matrix of f; sets *fails if it cannot.
    pl_status (*check)(void* data, pl_step_objective* f, pl_minimiser* m, bool* fails,
                       pl_error* error);
    // True if `step` knows all that is in this objective.
    bool (*can_step)(const void* data, const pl_step_objective* f);
    // A whole step from state to state; f->y and f->reference are not read. *finished becomes false
    // if the tolerance is below what the solver reaches: then the state is unchanged and m->x holds
    // the best iterate.
    pl_status (*step)(void* data, pl_minimiser* m, pl_step_objective* f,
                      const pl_projective_motion* motion, const pl_step_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, bool* finished,
                      pl_error* error);
    void (*forget)(void* data);  // masses or materials have changed
    void (*restart)(void* data); // positions have jumped
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
    const int* number;      // of each vertex among those of quasi; NULL: its own
} pl_projective_solver;

// Vertices that settle one by one: before a step of Newton's method is judged, and between those of
// Projective Dynamics.
typedef struct pl_relax_functions {
    // Before the first call of a step: all but springs and contacts.
    void (*begin)(void* data, const pl_step_objective* f);
    // After contacts were found, before the next call.
    pl_status (*contacts)(void* data, const pl_step_objective* f, pl_error* error);
    // A few sweeps over x, where Phi has the given gradient; of chosen pieces, or (chosen NULL) of
    // all. bounds: what else keeps single vertices where they are (NULL: nothing does).
    void (*sweep)(void* data, const pl_step_objective* f, const double* gradient,
                  const int* piece_of, const bool* chosen, const pl_vertex_bound* bounds,
                  double* x);
    void (*destroy)(void* data);
} pl_relax_functions;

typedef struct pl_step_relax {
    const pl_relax_functions* functions;
    void* data; // NULL: there is none
} pl_step_relax;

// The solvers of a method. Each function makes a solver, or leaves out->data NULL if it has none
// for this input; then the step uses the assembled matrix, or does without.
typedef struct pl_step_solvers {
    pl_status (*newton)(const pl_solver_input* input, pl_newton_solver* out, pl_error* error);
    pl_status (*projective)(const pl_solver_input* input, pl_projective_solver* out,
                            pl_error* error);
    pl_status (*relax)(const pl_solver_input* input, pl_step_relax* out, pl_error* error);
} pl_step_solvers;

#endif
