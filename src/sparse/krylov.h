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

typedef enum pl_krylov_end {
    PL_KRYLOV_GOING, // not at an end
    PL_KRYLOV_CONVERGED,
    PL_KRYLOV_ITERATIONS,     // all that were allowed
    PL_KRYLOV_STALLED,        // the watch found that it leads nowhere
    PL_KRYLOV_INDEFINITE,     // cg: negative curvature, or one that is not finite
    PL_KRYLOV_PRECONDITIONER, // M is not positive definite, or gives numbers that are not finite
    PL_KRYLOV_NOT_FINITE      // the residual is not
} pl_krylov_end;

typedef struct pl_krylov_operations {
    void (*apply)(void* user, const void* x, void* y);        // y = A x
    void (*precondition)(void* user, const void* r, void* z); // z = M r; NULL: z = r
    // NULL, both of them: vectors are `count` doubles
    double (*dot)(void* user, const void* a, const void* b);
    void (*combine)(void* user, double s, const void* x, double t, void* y); // y = s x + t y; t =
                                                                             // 0: y is not read
    // What a stationary iteration leaves of the residual, as a part of it, for less than a product
    // costs; asked after the last iteration. NULL: the true residual.
    double (*part_left)(void* user);
} pl_krylov_operations;

typedef struct pl_krylov pl_krylov;

typedef struct pl_cg_sums {
    bool first; // iteration: p and q hold nothing yet
    double rz, zq, pq, rp;
} pl_cg_sums;

// The three passes of an iteration of conjugate gradients, for callers who do several operations in
// one pass over memory. A pass that is NULL is made of the operations.
typedef struct pl_cg_passes {
    void (*correct)(pl_krylov* k, pl_cg_sums* s); // z = M r; sums rz, and zq unless it is the first
    void (*direct)(pl_krylov* k, double beta, pl_cg_sums* s); // p = z + beta p, q = A p; pq and rp
    double (*advance)(pl_krylov* k, double alpha); // x += alpha p, r -= alpha q; gives |r|
} pl_cg_passes;

// When an iteration is given up. The residual that is carried along drifts away from b - A x;
// `look` finds the true one, which then takes its place (van der Vorst and Ye 2000).
typedef struct pl_krylov_watch {
    int period;  // iterations in which the residual must fall to `slow` of what it was; 0: any
    double slow; // the true residual is looked at by then at the latest
    double look_ratio; // it is also looked at when the carried one has fallen to this part of it
    double drift;      // the true one is at most so many times the carried one; 0: any, as long as
                       // looking again finds at most half of it
} pl_krylov_watch;

struct pl_krylov {
    const pl_krylov_operations* operations;
    void* user; // of the operations
    pl_pool* pool;
    int count; // of doubles in a vector, if vectors are doubles
    const void* b;
    void *x, *r;     // x may be NULL in cg: then only r is found
    void *z, *p, *q; // work: stationary iteration takes z, cg all three
    double scale;    // residuals are relative to it: |b|
    bool x_is_zero;  // stationary: at the start; then r is not looked at, and the residual is 1
    bool flexible;   // cg
    const pl_cg_passes* passes;   // cg; or NULL
    double (*look)(pl_krylov* k); // r = b - A x, gives |r|; NULL: cg never looks again
    pl_krylov_watch watch;
    void (*observe)(void* user, double alpha, double beta); // cg: each iteration; or NULL
};

// r = b - A x and its norm; a `look` for those who need no other.
double pl_krylov_residual(pl_krylov* k);
// Finds and notes the residual of x. Anything but GOING: there is nothing to iterate for.
pl_krylov_end pl_krylov_begin(pl_krylov* k, const pl_linear_options* options, pl_linear_info* info);

// All of these go on from x, r = b - A x and info->residual, count on from info->iterations, and
// set the flags of info.

// x += M r, again and again. With a watch: stalls if three times in a row more than `slow` of the
// residual is left, or once ten times of it.
pl_krylov_end pl_krylov_stationary(pl_krylov* k, const pl_linear_options* options,
                                   pl_linear_info* info);
pl_krylov_end pl_krylov_cg(pl_krylov* k, const pl_linear_options* options, pl_linear_info* info);

// Vectors that minres and gmres work in, of any layout.
typedef struct pl_krylov_work {
    int vector_count;
    size_t bytes; // of a vector
    void** vectors;
} pl_krylov_work;

enum { PL_MINRES_VECTORS = 6, PL_GMRES_MAX_RESTART = 50 };
// of gmres that starts again after so many iterations
static inline int pl_gmres_vectors(int restart) { return 2 * restart + 1; }
pl_status pl_krylov_work_setup(pl_krylov_work* work, int vector_count, size_t bytes,
                               pl_error* error);
void pl_krylov_work_free(pl_krylov_work* work);

// Both converge by the true residual. They need b, x, r and the work.
pl_krylov_end pl_krylov_minres(pl_krylov* k, const pl_krylov_work* work,
                               const pl_linear_options* options, pl_linear_info* info);
// Starts again as often as the work has vectors for.
pl_krylov_end pl_krylov_gmres(pl_krylov* k, const pl_krylov_work* work,
                              const pl_linear_options* options, pl_linear_info* info);

// For the methods: the operations, whatever the layout, and the flags that go with an end.
void pl_krylov_apply(const pl_krylov* k, const void* x, void* y);
void pl_krylov_precondition(const pl_krylov* k, const void* r, void* z);
double pl_krylov_dot(const pl_krylov* k, const void* a, const void* b);
void pl_krylov_combine(const pl_krylov* k, double s, const void* x, double t, void* y);
pl_krylov_end pl_krylov_finish(pl_linear_info* info, pl_krylov_end end);

#endif
