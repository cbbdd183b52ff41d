// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A solver for sparse symmetric positive definite matrices of 3 x 3 blocks, such as those of
// elasticity: Galerkin multigrid in skinning space (Xian, Tong and Liu 2019). It needs the matrix
// and the rest positions of the vertices, nothing else of pliant:
//
//   create   structure and positions: which vertices move together on coarse levels
//   update   values; call whenever they change
//   solve    A x = b
#ifndef PLIANT_MULTIGRID_H
#define PLIANT_MULTIGRID_H

#include <pliant/parallel.h>
#include <pliant/scene_names.h>
#include <pliant/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PL_MG_HISTORY = 256, PL_MG_LEVELS = 8 };

/// From pl_default_mg_def, the only way to get one.
typedef struct pl_mg_def {
    int level_count;
    const int* levels; ///< nodes of the coarse levels, coarsest first; none: chosen by pliant
    int start_count;
    const int* starts; ///< vertices where the first coarse nodes are placed; none: chosen by pliant
    pl_smoother smoother;
    int pre_sweeps, post_sweeps; ///< a Gauss-Seidel sweep goes forward and backward
    bool conjugate_gradients;    ///< preconditioned by a cycle; false: plain cycles
    bool fallback;               ///< plain cycles that stall switch to conjugate gradients
    bool stiffness_aware;        ///< coarse nodes keep soft and stiff parts apart
    pl_pool* pool;               ///< threads; NULL: only the caller's
    int cookie;
} pl_mg_def;

PL_API pl_mg_def pl_default_mg_def(void);

/// A borrowed matrix in rows of blocks. Each row stores all its blocks, on both sides of the
/// diagonal and on it, with ascending columns; the structure is symmetric.
typedef struct pl_mg_blocks {
    int row_count;
    const int* offsets; ///< row_count + 1
    const int* columns;
    const double* values; ///< 9 per block, row by row
} pl_mg_blocks;

/// A symmetric block that is added to the diagonal at a vertex: an attachment k I, a contact k n
/// n'.
typedef struct pl_mg_diagonal {
    int vertex;
    double block[9];
} pl_mg_diagonal;

/// What a solve did. A solve that does not converge is not an error: see `converged`.
typedef struct pl_mg_info {
    int iterations;
    bool converged;
    bool switched;   ///< cycles stalled, and conjugate gradients took over
    bool indefinite; ///< the matrix is not positive definite: x is useless
    double residual; ///< |b - A x| / |b|
    int history_count;
    float history[PL_MG_HISTORY]; ///< relative residuals, the first of them
    int level_count;              ///< with the vertices
    int node_counts[PL_MG_LEVELS];
    int64_t bytes;         ///< of the solver, without the caller's matrix
    double setup_seconds;  ///< of create
    double update_seconds; ///< of the last update, and its parts
    double update_copy_seconds, update_product_seconds, update_factor_seconds;
    double solve_seconds; ///< of this solve, and its parts
    double fine_seconds, coarse_seconds, bottom_seconds, outer_seconds;
} pl_mg_info;

typedef struct pl_mg_solver pl_mg_solver;

/// positions: 3 per row, at rest. The arrays of A, including the values, belong to the caller and
/// must outlive the solver. pl_mg_create also makes the first update from these values.
/// PL_ERROR_ARGUMENT if the structure or a setting breaks the rules above.
PL_API pl_status pl_mg_create(const pl_mg_def* def, const pl_mg_blocks* A, const double* positions,
                              pl_mg_solver** out, pl_error* error);
/// The values of the matrix changed, or moved to another array (9 per block; NULL: the same array).
/// PL_ERROR_DIVERGED if they are not finite or so far from positive definite that the coarsest
/// level cannot be factored: solves then leave x unchanged and report `indefinite` until the next
/// update. pl_mg_create makes the first update; if that fails, the first solve reports it.
PL_API pl_status pl_mg_update(pl_mg_solver* solver, const double* values, pl_error* error);
/// Adds blocks to the diagonal, replacing those of an earlier call. Gives the same bits as an
/// update of a matrix with these blocks, at a fraction of the cost. The blocks are copied. Fails as
/// an update does.
PL_API pl_status pl_mg_update_diagonal(pl_mg_solver* solver, const pl_mg_diagonal* blocks,
                                       int count, pl_error* error);
/// Call when rest positions have changed: coarse nodes stay, and their maps are recomputed. Call an
/// update next.
PL_API void pl_mg_move(pl_mg_solver* solver, const double* positions);
/// x is the initial guess and becomes the solution; b and x have 3 numbers per row. Stops at |b - A
/// x| <= tolerance |b|. info may be NULL.
PL_API void pl_mg_solve(pl_mg_solver* solver, const double* b, double* x, double tolerance,
                        int max_iterations, pl_mg_info* info);
PL_API void pl_mg_destroy(pl_mg_solver* solver);

#ifdef __cplusplus
}
#endif

#endif
