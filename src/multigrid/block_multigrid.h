// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Galerkin multigrid in skinning space for symmetric matrices of small blocks, one per vertex pair:
// levels, values, one cycle. All of it in float.
//
//   unknowns  matrix                                          iteration around it, in double
//   3         positive definite (S0, Xian, Tong and Liu 2019)  mg_krylov.h
//   4         displacements and pressures [K G'; G -C], K and  the caller's, as pl_krylov_gmres
//             C (semi)definite (S3, Ruan et al. 2024)
//
// Affine maps of a node move each unknown alike: it has 12 or 16.
#ifndef PL_MULTIGRID_BLOCK_MULTIGRID_H
#define PL_MULTIGRID_BLOCK_MULTIGRID_H

#include "base/array.h"
#include "multigrid/block_bottom.h"
#include "multigrid/block_galerkin.h"
#include "multigrid/block_inner.h"
#include "multigrid/sparse_bottom.h"

#include <pliant/multigrid.h>

typedef struct pl_mg_settings {
    int unknowns;      // of a vertex: 3 or 4; 0: 3
    const int* levels; // nodes of the coarse levels, coarsest first; NULL: from the vertex count
    int level_count;
    const int* starts; // vertices that come first in the sampling, or NULL
    int start_count;
    pl_smoother smoother;
    int pre_sweeps, post_sweeps;        // a Gauss-Seidel sweep goes forward and backward
    int level_sweeps[PL_MG_MAX_LEVELS]; // on each side, in place of both, where it is not 0
    bool half_sweep;      // the last one before and the first one after go one way only
    bool stiffness_aware; // sampling follows the values at setup
    float omega;          // relaxation of Gauss-Seidel, 4 unknowns only; 0: see pl_block_mg_relax
    bool v_cycle;         // 4 unknowns: no iterations on coarse levels (block_inner.h)
    pl_mg_bottom bottom;  // solver of the coarsest level, or none: a dense or sparse factor
} pl_mg_settings;

typedef struct pl_mg_times {
    double copy, product, factor;       // of the last update
    double smooth_fine, coarse, bottom; // summed over cycles
} pl_mg_times;

// An added block as the levels use it.
typedef struct pl_mg_addition {
    int row, order;
    float block[16]; // unknowns^2 of them
} pl_mg_addition;

// A symmetric block that is added to the diagonal at a vertex of 4 unknowns.
typedef struct pl_mg_diagonal4 {
    int vertex;
    double block[16];
} pl_mg_diagonal4;

typedef struct pl_block_mg {
    pl_mg_settings settings; // levels and starts are not kept
    int unknowns;            // of a vertex: 3 or 4
    pl_pool* pool;
    struct pl_block_sampling* sampling; // while nodes are found beside the caller, else NULL
    int row_count;
    int* old_of_new; // rows are numbered for sweeps
    int* new_of_old;
    int* diagonal_source;         // entry of the matrix that is the diagonal block of each row
    double* positions;            // at rest, in the order of rows
    unsigned char* held;          // rows that are coupled with no other one
    unsigned char* held_unknowns; // 4 unknowns: of each row, bit c for an unknown coupled with none
    unsigned char* held_before;   // the one of both that tells more, before an update
    pl_mg_hierarchy hierarchy;
    pl_block_level levels[PL_MG_MAX_LEVELS];
    pl_block_product products[PL_MG_MAX_LEVELS]; // products[l]: from level l - 1 to l
    bool last_forward[PL_MG_MAX_LEVELS];
    bool one_sided; // the last cycle
    bool uneven;    // stiffness jumps: a cycle goes through the coarse levels several times
    float* step;    // of level 1, for that, if there is a level above it; else NULL
    float* stepped; // the sum of steps
    pl_block_inner inner[PL_MG_MAX_LEVELS]; // 4 unknowns: of levels between the first and the last
    pl_mg_bottom bottom;
    // the users of the bottom, unless the settings gave another one
    pl_dense_bottom dense;
    pl_sparse_bottom sparse;
    bool bottom_failed;              // there is no factor, and no cycle may run
    float scale;                     // of the values, a power of two
    pl_array additions;              // of pl_mg_addition, by row
    float* unseen[PL_MG_MAX_LEVELS]; // 4 unknowns: 64 per node, a projector for each; else NULL
    int* marks[PL_MG_MAX_LEVELS];    // per node: the last partial update that touched it
    int* touched[PL_MG_MAX_LEVELS];  // nodes
    int touched_count[PL_MG_MAX_LEVELS];
    int stamp;
    pl_mg_times times;
} pl_block_mg;

// positions: 3 per row, at rest. A has unknowns^2 values per block. They are looked at only for
// stiffness_aware sampling.
pl_status pl_block_mg_setup(pl_block_mg** out, const pl_mg_blocks* A, const double* positions,
                            const pl_mg_settings* settings, pl_pool* pool, pl_error* error);
// The same in two parts: in between, the nodes of coarser levels are found by another thread, and
// order and pattern of the finest level are there. A, positions and settings may go.
pl_status pl_block_mg_begin(pl_block_mg** out, const pl_mg_blocks* A, const double* positions,
                            const pl_mg_settings* settings, pl_pool* pool, pl_error* error);
pl_status pl_block_mg_finish(pl_block_mg* mg, pl_error* error);
// Ends what `begin` has started; `finish` and `destroy` call it.
void pl_block_mg_end_sampling(pl_block_mg* mg);
void pl_block_mg_destroy(pl_block_mg* mg);
// 4 unknowns: relaxation of the smoother anew on all levels, as large as its sweeps converge with
// for the values of the last update, times a little less. A few power iterations: about five
// cycles. Until the first call it is 0.5, or the one of the settings.
void pl_block_mg_relax(pl_block_mg* mg);
// New rest positions, the same nodes; an update must follow.
void pl_block_mg_move(pl_block_mg* mg, const double* positions);
// All values of all levels. False if the coarsest matrix has no factor, as where A is not finite or
// far from positive definite; until the next update that succeeds, solves end at once and say so.
bool pl_block_mg_update(pl_block_mg* mg, const pl_mg_blocks* A);
// Where the caller may write values of the finest level itself, in float: the block (i, j), row by
// row, of entry e of the matrix that setup was given belongs at unknowns^2 places[e] of the blocks.
// Symmetric matrices only. The update then follows.
void pl_block_mg_places(const pl_block_mg* mg, const pl_mg_blocks* A, int* places);
float* pl_block_mg_blocks(pl_block_mg* mg);
bool pl_block_mg_update_written(pl_block_mg* mg);
// y = A x with the values of the finest level, in double; `unknowns` per vertex.
void pl_block_mg_multiply(const pl_block_mg* mg, const double* x, double* y);
// What is added to the diagonal from now on, in place of what was; count 0: nothing. Only what it
// touches is summed again, in the same order as in a full update: the same bits. PL_ERROR_DIVERGED
// if the coarsest matrix then has no factor.
pl_status pl_block_mg_update_diagonal(pl_block_mg* mg, const pl_mg_diagonal* blocks, int count,
                                      pl_error* error);
pl_status pl_block_mg_update_diagonal4(pl_block_mg* mg, const pl_mg_diagonal4* blocks, int count,
                                       pl_error* error);
// z = one cycle for the residual r, from zero; both `unknowns` per vertex, of any size.
void pl_block_mg_apply(pl_block_mg* mg, const double* r, double* z);
// The same for one who knows |r|.
void pl_block_mg_apply_sized(pl_block_mg* mg, const double* r, double size, double* z);
// The part of the residual that the last cycle left, as the matrix in float sees it: half a pass.
double pl_block_mg_left(pl_block_mg* mg);
// The same on the finest level itself, in its scale and the order of its rows: x from b. One-sided:
// without the sweeps before the coarse levels, so that it reads the matrix half as often, and is no
// symmetric operator.
void pl_block_mg_cycle(pl_block_mg* mg, bool one_sided);
// y = A x for rows begin to end of the finest level, right after a cycle, of whose last sweep half
// of it is left over.
void pl_block_mg_product(const pl_block_mg* mg, int begin, int end, float* y);
size_t pl_block_mg_bytes(const pl_block_mg* mg);
// The error of a coarsest matrix without a factor.
pl_status pl_block_mg_fail(pl_error* error);

// Used by updates: values of the finest level, their scale, and which rows are held.
void pl_block_mg_copy_values(pl_block_mg* mg, const pl_mg_blocks* A);
void pl_block_mg_take_written(pl_block_mg* mg);
// Frames, points and unseen maps for the positions and what is held now; or the last alone.
void pl_block_mg_follow_held(pl_block_mg* mg);
void pl_block_mg_find_unseen(pl_block_mg* mg);
pl_unseen pl_block_mg_unseen(const pl_block_mg* mg, int l);
// The coarsest level, for its solver.
pl_coarsest pl_block_mg_coarsest(const pl_block_mg* mg);

#endif
