// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Iterative methods for A x = b, each written once for all matrices, preconditioners and layouts of
// vectors: stationary iteration, conjugate gradients (plain and flexible), MINRES and flexible
// GMRES. Vectors are opaque; the caller's operations know their layout. Sums must have the same
// bits at any thread count, as those of vector.h have.
//
//   method       A                       M
//   stationary   any                     any
//   cg           positive semi-definite  positive definite; the same in every iteration unless
//                                        `flexible`
//   minres       symmetric               positive definite, the same in every iteration
//   gmres        any                     any, may change from iteration to iteration
//
// Singular systems are solved if they are consistent.
#ifndef PL_SPARSE_KRYLOV_H
#define PL_SPARSE_KRYLOV_H

#include "base/pool.h"
#include "sparse/linear_info.h"

#include <stddef.h>

// Why an iteration ended.
typedef enum pl_krylov_end {
    PL_KRYLOV_GOING, // it has not
    PL_KRYLOV_CONVERGED,
    PL_KRYLOV_ITERATIONS,     // max_iterations are used up
    PL_KRYLOV_STALLED,        // too little progress, see pl_krylov_watch
    PL_KRYLOV_INDEFINITE,     // cg: p.A p is not positive, or not finite
    PL_KRYLOV_PRECONDITIONER, // M is not positive definite, or M r is not finite
    PL_KRYLOV_NOT_FINITE      // the residual is not finite
} pl_krylov_end;

typedef struct pl_krylov_operations {
    // y = A x
    void (*apply)(void* user, const void* x, void* y);
    // z = M r. NULL: z = r.
    void (*precondition)(void* user, const void* r, void* z);
    // a.b, and y = s x + t y, which does not read y if t = 0. If both are NULL, vectors are `count`
    // doubles.
    double (*dot)(void* user, const void* a, const void* b);
    void (*combine)(void* user, double s, const void* x, double t, void* y);
    // Factor by which the last stationary iteration reduced the residual, if the caller knows it
    // without a product with A. NULL: it is computed.
    double (*part_left)(void* user);
} pl_krylov_operations;

typedef struct pl_krylov pl_krylov;

// Dot products of an iteration of cg.
typedef struct pl_cg_sums {
    bool first; // iteration: p and q have no values yet
    double rz, zq, pq, rp;
} pl_cg_sums;

// The three passes of an iteration of cg, for callers that can fuse operations into one pass over
// memory. A pass that is NULL is composed of the operations above.
typedef struct pl_cg_passes {
    // z = M r; sets rz, and zq unless this is the first iteration
    void (*correct)(pl_krylov* k, pl_cg_sums* s);
    // p = z + beta p, q = A p; sets pq and rp
    void (*direct)(pl_krylov* k, double beta, pl_cg_sums* s);
    // x += alpha p, r -= alpha q; returns |r|
    double (*advance)(pl_krylov* k, double alpha);
} pl_cg_passes;

// When to give up an iteration. cg updates its residual by a recurrence, which drifts away from the
// true residual, b - A x. `look` computes the true residual, which then replaces that of the
// recurrence (van der Vorst and Ye 2000). All zero: cg looks only when it seems to have converged.
typedef struct pl_krylov_watch {
    int period;        // cg, gmres: stalled if `period` iterations leave more than `slow` of the
    double slow;       // residual; cg computes the true residual at least that often. 0: never
    double look_ratio; // cg also looks when the residual has fallen by this factor
    double growth;     // gmres: stalled if a residual v leaves more than this of |v| in v - A M v,
                       // so that M alone diverges. 0: never
    double drift;      // stalled if the true residual exceeds that of the recurrence by this
                       // factor. 0: stalled if a look finds more than half of what the last one
                       // found
} pl_krylov_watch;

struct pl_krylov {
    const pl_krylov_operations* operations;
    void* user; // of the operations
    pl_pool* pool;
    int count; // of doubles in a vector, if vectors are doubles
    const void* b;
    void *x, *r;                  // x may be NULL in cg: then only r is found
    void *z, *p, *q;              // work: stationary iteration takes z, cg all three
    double scale;                 // residuals are relative to it: |b|
    bool x_is_zero;               // x starts as 0; stationary: r need not be set
    bool trusts_recurrence;       // gmres: the residual of the recurrence counts as the true one
    bool flexible;                // cg
    const pl_cg_passes* passes;   // cg; or NULL
    double (*look)(pl_krylov* k); // r = b - A x, returns |r|. NULL: cg trusts its recurrence
    pl_krylov_watch watch;
    void (*observe)(void* user, double alpha, double beta); // cg: called in each iteration, or NULL
};

// r = b - A x; returns |r|. The usual `look`.
double pl_krylov_residual(pl_krylov* k);
// Computes r and records its norm in info. Returns GOING unless x is already good enough.
pl_krylov_end pl_krylov_begin(pl_krylov* k, const pl_linear_options* options, pl_linear_info* info);

// Each method starts from x, r = b - A x and info->residual, adds to info->iterations, and sets the
// flags of info.

// Repeats x += M r. If watch.slow is set: stalled if three iterations in a row leave more than that
// fraction of the residual, or one multiplies it by ten.
pl_krylov_end pl_krylov_stationary(pl_krylov* k, const pl_linear_options* options,
                                   pl_linear_info* info);
pl_krylov_end pl_krylov_cg(pl_krylov* k, const pl_linear_options* options, pl_linear_info* info);

// Work vectors for minres and gmres, in the caller's layout.
typedef struct pl_krylov_work {
    int vector_count;
    size_t bytes; // of a vector
    void** vectors;
} pl_krylov_work;

enum { PL_MINRES_VECTORS = 6, PL_GMRES_MAX_RESTART = 50 };
// Number of work vectors for gmres that restarts after `restart` iterations.
static inline int pl_gmres_vectors(int restart) { return 2 * restart + 1; }
pl_status pl_krylov_work_setup(pl_krylov_work* work, int vector_count, size_t bytes,
                               pl_error* error);
void pl_krylov_work_free(pl_krylov_work* work);

// minres and gmres check the true residual before they report convergence, unless
// k->trusts_recurrence is set.
pl_krylov_end pl_krylov_minres(pl_krylov* k, const pl_krylov_work* work,
                               const pl_linear_options* options, pl_linear_info* info);
// Restarts when the work vectors are used up.
pl_krylov_end pl_krylov_gmres(pl_krylov* k, const pl_krylov_work* work,
                              const pl_linear_options* options, pl_linear_info* info);

// For the methods: the operations with their defaults, and setting the flags of info.
void pl_krylov_apply(const pl_krylov* k, const void* x, void* y);
void pl_krylov_precondition(const pl_krylov* k, const void* r, void* z);
double pl_krylov_dot(const pl_krylov* k, const void* a, const void* b);
void pl_krylov_combine(const pl_krylov* k, double s, const void* x, double t, void* y);
pl_krylov_end pl_krylov_finish(pl_linear_info* info, pl_krylov_end end);

#endif
