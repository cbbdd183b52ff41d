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
// An affine map of a node moves each unknown in the same way, so nodes have 12 or 16 unknowns.
#ifndef PL_MULTIGRID_BLOCK_MULTIGRID_H
#define PL_MULTIGRID_BLOCK_MULTIGRID_H

#include "base/array.h"
#include "multigrid/block_bottom.h"
#include "multigrid/block_galerkin.h"
#include "multigrid/block_inner.h"
#include "multigrid/sparse_bottom.h"

#include <pliant/multigrid.h>

typedef struct pl_mg_settings {
    int unknowns;      // per vertex: 3 or 4; 0: 3
    const int* levels; // node counts, coarsest first; NULL: from the vertex count
    int level_count;
    const int* starts; // vertices to sample first, or NULL
    int start_count;
    pl_smoother smoother;
    int pre_sweeps, post_sweeps;        // a sweep is forward and backward Gauss-Seidel
    int level_sweeps[PL_MG_MAX_LEVELS]; // sweeps on each side, replacing both; 0: not set
    bool half_sweep;      // the last pre-sweep and the first post-sweep go one way only
    bool stiffness_aware; // sampling follows the values at setup
    float omega;          // relaxation of Gauss-Seidel, 4 unknowns only; 0: see pl_block_mg_relax
    bool v_cycle; // 4 unknowns: plain V-cycle, no iterations on coarse levels (block_inner.h)
    pl_mg_bottom bottom; // solver of the coarsest level; none: a dense or sparse factor
} pl_mg_settings;

typedef struct pl_mg_times {
    double copy, product, factor;       // seconds of the last update
    double smooth_fine, coarse, bottom; // seconds, summed over cycles
} pl_mg_times;

// An added block in the form that the levels use.
typedef struct pl_mg_addition {
    int row, order;
    float block[16]; // unknowns^2 used
} pl_mg_addition;

// A symmetric block to add to the diagonal at a vertex with 4 unknowns.
typedef struct pl_mg_diagonal4 {
    int vertex;
    double block[16];
} pl_mg_diagonal4;

typedef struct pl_block_mg {
    pl_mg_settings settings; // `levels` and `starts` are not kept
    int unknowns;            // per vertex: 3 or 4
    pl_pool* pool;
    struct pl_block_sampling* sampling; // while another thread finds the nodes, else NULL
    int row_count;
    int* old_of_new; // numbering of rows for sweeps
    int* new_of_old;
    int* diagonal_source;         // of each row, the entry of the matrix with its diagonal block
    double* positions;            // at rest, in row order
    unsigned char* held;          // rows that are coupled with no other row
    unsigned char* held_unknowns; // 4 unknowns: per row, bit c for an unknown coupled with none
    unsigned char* held_before;   // copy of the more detailed of both, before an update
    pl_mg_hierarchy hierarchy;
    pl_block_level levels[PL_MG_MAX_LEVELS];
    pl_block_product products[PL_MG_MAX_LEVELS]; // products[l]: from level l - 1 to l
    bool last_forward[PL_MG_MAX_LEVELS];
    bool one_sided; // kind of the last cycle
    bool uneven;    // stiffness jumps: a cycle visits the coarse levels several times
    float* step;    // of level 1, if `uneven` and a coarser level exists; else NULL
    float* stepped; // the sum of steps
    pl_block_inner inner[PL_MG_MAX_LEVELS]; // 4 unknowns: for levels between the first and the last
    pl_mg_bottom bottom;
    // data of the coarsest solvers, unless the settings gave another solver
    pl_dense_bottom dense;
    pl_sparse_bottom sparse;
    bool bottom_failed;              // no factor, so no cycle may run
    float scale;                     // of the values, a power of two
    pl_array additions;              // of pl_mg_addition, sorted by row
    float* unseen[PL_MG_MAX_LEVELS]; // 4 unknowns: 64 floats per node, one projector per unknown;
                                     // else NULL
    int* marks[PL_MG_MAX_LEVELS];    // per node: number of the last partial update that changed it
    int* touched[PL_MG_MAX_LEVELS];  // list of changed nodes
    int touched_count[PL_MG_MAX_LEVELS];
    int stamp;
    pl_mg_times times;
} pl_block_mg;

// positions: 3 per row, at rest. A has unknowns^2 values per block; setup reads them only for
// stiffness_aware sampling.
pl_status pl_block_mg_setup(pl_block_mg** out, const pl_mg_blocks* A, const double* positions,
                            const pl_mg_settings* settings, pl_pool* pool, pl_error* error);
// The same in two parts. After `begin`, order and pattern of the finest level are ready, while
// another thread finds the nodes of coarser levels. A, positions and settings need not stay valid.
pl_status pl_block_mg_begin(pl_block_mg** out, const pl_mg_blocks* A, const double* positions,
                            const pl_mg_settings* settings, pl_pool* pool, pl_error* error);
pl_status pl_block_mg_finish(pl_block_mg* mg, pl_error* error);
// Waits for the thread started by `begin`; `finish` and `destroy` call it.
void pl_block_mg_end_sampling(pl_block_mg* mg);
void pl_block_mg_destroy(pl_block_mg* mg);
// 4 unknowns: finds the relaxation of the smoother on all levels, somewhat below the largest value
// with which sweeps converge for the values of the last update. Costs about five cycles. Until the
// first call the relaxation is 0.5, or that of the settings.
void pl_block_mg_relax(pl_block_mg* mg);
// New rest positions with the same nodes; an update must follow.
void pl_block_mg_move(pl_block_mg* mg, const double* positions);
// Updates all values of all levels. Returns false if the coarsest matrix has no factor, for example
// because A is not finite or far from positive definite. Then solves fail immediately until an
// update succeeds.
bool pl_block_mg_update(pl_block_mg* mg, const pl_mg_blocks* A);
// For callers that write values of the finest level themselves, in float: block (i, j), row-major,
// of entry e of the matrix given to setup goes to offset unknowns^2 places[e]. Symmetric matrices
// only. Call the update below afterwards.
void pl_block_mg_places(const pl_block_mg* mg, const pl_mg_blocks* A, int* places);
float* pl_block_mg_blocks(pl_block_mg* mg);
bool pl_block_mg_update_written(pl_block_mg* mg);
// y = A x with the values of the finest level, in double; `unknowns` numbers per vertex.
void pl_block_mg_multiply(const pl_block_mg* mg, const double* x, double* y);
// Replaces the blocks added to the diagonal; count 0: none. Only affected sums are recomputed, in
// the order of a full update, so that the bits are the same. PL_ERROR_DIVERGED if the coarsest
// matrix then has no factor.
pl_status pl_block_mg_update_diagonal(pl_block_mg* mg, const pl_mg_diagonal* blocks, int count,
                                      pl_error* error);
pl_status pl_block_mg_update_diagonal4(pl_block_mg* mg, const pl_mg_diagonal4* blocks, int count,
                                       pl_error* error);
// z = one cycle on the residual r from zero; both have `unknowns` numbers per vertex, of any size.
void pl_block_mg_apply(pl_block_mg* mg, const double* r, double* z);
// The same if |r| is known.
void pl_block_mg_apply_sized(pl_block_mg* mg, const double* r, double size, double* z);
// Fraction of the residual that the last cycle left, by the matrix in float. Costs half a pass.
double pl_block_mg_left(pl_block_mg* mg);
// One cycle on the finest level itself, in its scale and row order: x from b. one_sided: without
// pre-smoothing, so that it reads the matrix half as often; it is then not symmetric.
void pl_block_mg_cycle(pl_block_mg* mg, bool one_sided);
// y = A x for rows begin to end of the finest level, right after a cycle, whose last sweep already
// has half of the sums.
void pl_block_mg_product(const pl_block_mg* mg, int begin, int end, float* y);
size_t pl_block_mg_bytes(const pl_block_mg* mg);
// The error for a coarsest matrix without a factor.
pl_status pl_block_mg_fail(pl_error* error);

// Used by updates: sets the values of the finest level, their scale, and which rows are held.
void pl_block_mg_copy_values(pl_block_mg* mg, const pl_mg_blocks* A);
void pl_block_mg_take_written(pl_block_mg* mg);
// Updates frames, points and unseen maps to the positions and the held unknowns; or unseen maps
// only.
void pl_block_mg_follow_held(pl_block_mg* mg);
void pl_block_mg_find_unseen(pl_block_mg* mg);
pl_unseen pl_block_mg_unseen(const pl_block_mg* mg, int l);
// The coarsest level in the form its solver takes.
pl_coarsest pl_block_mg_coarsest(const pl_block_mg* mg);

#endif
