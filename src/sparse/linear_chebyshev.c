// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The Chebyshev semi-iterative method (Wang 2015). Unlike there, the range of eigenvalues is
// estimated, not tuned.
#include "base/memory.h"
#include "sparse/linear_kind.h"
#include "sparse/preconditioner.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LANCZOS_STEPS = 40 };

typedef struct chebyshev {
    double* inverse_diagonal;
    double lowest, highest; // eigenvalues of D^-1 A, estimated
    int lanczos_count;      // scratch for that
    double lanczos_diagonal[LANCZOS_STEPS], lanczos_square[LANCZOS_STEPS], alpha_before;
} chebyshev;

static void destroy(pl_linear_solver* s) {
    chebyshev* c = s->own;
    PL_FREE(c->inverse_diagonal, double, pl_linear_diagonal_size(s));
    PL_FREE(c, chebyshev, 1);
}

static pl_status setup(pl_linear_solver* s, pl_error* error) {
    chebyshev* c = s->own = PL_ALLOC(chebyshev, 1);
    if (c) c->inverse_diagonal = PL_ALLOC(double, pl_linear_diagonal_size(s));
    return c && c->inverse_diagonal ? PL_OK : pl_fail_memory(error, "a linear solver");
}

static void apply_inverse_diagonal(const pl_linear_solver* s, const double* r, double* z) {
    const chebyshev* c = s->own;
    pl_apply_diagonal(s->A, s->pool, s->rhs_count, c->inverse_diagonal, r, z);
}

static void precondition(void* user, const void* r, void* z) { apply_inverse_diagonal(user, r, z); }

// how many eigenvalues of the symmetric tridiagonal matrix are below a value (Sturm)
static int count_below(int n, const double* diagonal, const double* square, double value) {
    int count = 0;
    double pivot = 1.0;
    for (int i = 0; i < n; i++) {
        pivot = diagonal[i] - value - (i > 0 ? square[i - 1] / pivot : 0.0);
        if (pivot == 0.0) pivot = -DBL_MIN;
        if (pivot < 0.0) count++;
    }
    return count;
}

// the k-th eigenvalue from below, in (0, high]
static double bisect_eigenvalue(const chebyshev* c, int k, double high) {
    double low = 0.0;
    for (int round = 0; round < 60; round++) {
        double middle = 0.5 * (low + high);
        if (count_below(c->lanczos_count, c->lanczos_diagonal, c->lanczos_square, middle) > k)
            high = middle;
        else low = middle;
    }
    return 0.5 * (low + high);
}

// collects the Lanczos matrix that belongs to conjugate gradients
static void observe(void* user, double alpha, double beta) {
    chebyshev* c = ((pl_linear_solver*)user)->own;
    int n = c->lanczos_count++;
    c->lanczos_diagonal[n] = 1.0 / alpha + (n > 0 ? beta / c->alpha_before : 0.0);
    if (n > 0) c->lanczos_square[n - 1] = beta / (c->alpha_before * c->alpha_before);
    c->alpha_before = alpha;
}

static void run_lanczos(pl_linear_solver* s) {
    static const pl_krylov_operations operations = {.apply = pl_linear_apply,
                                                    .precondition = precondition};
    pl_krylov k = pl_linear_krylov(s, &operations);
    pl_linear_info info = {.residual = 1.0};
    pl_linear_options options = {.tolerance = 1e-14, .max_iterations = LANCZOS_STEPS};
    double* r = s->scratch[0];
    for (int i = 0; i < s->count; i++) r[i] = i % 2 ? 1.0 : -0.7;
    k.scale = pl_vector_norm(s->pool, s->count, r);
    k.observe = observe;
    ((chebyshev*)s->own)->lanczos_count = 0;
    if (s->count > 0) pl_krylov_cg(&k, &options, &info);
}

// an upper bound of the eigenvalues of the Lanczos matrix (Gershgorin)
static double highest_possible(const chebyshev* c) {
    double high = 0.0;
    for (int i = 0, n = c->lanczos_count; i < n; i++)
        high = fmax(high, c->lanczos_diagonal[i] + (i > 0 ? sqrt(c->lanczos_square[i - 1]) : 0.0) +
                              (i + 1 < n ? sqrt(c->lanczos_square[i]) : 0.0));
    return high;
}

// Estimates the range of the eigenvalues of D^-1 A from the Lanczos matrix of a few steps of
// conjugate gradients. The lower end comes out too high, which only costs time. The upper end comes
// out too low, which would prevent convergence, so it is raised a little.
static pl_status update(pl_linear_solver* s, pl_error* error) {
    (void)error;
    chebyshev* c = s->own;
    pl_invert_diagonal(s->A, s->pool, c->inverse_diagonal);
    run_lanczos(s);
    c->lowest = c->highest = 1.0;
    if (c->lanczos_count == 0) return PL_OK;
    double high = highest_possible(c);
    c->lowest = bisect_eigenvalue(c, 0, high);
    c->highest = 1.05 * bisect_eigenvalue(c, c->lanczos_count - 1, high);
    return PL_OK;
}

// x_{k+1} = omega (gamma D^-1 r + x_k - x_{k-1}) + x_{k-1}, Wang 2015 Eq. 6; rho is the spectral
// radius.
static void solve(pl_linear_solver* s, const pl_linear_task* task) {
    const chebyshev* c = s->own;
    double gamma = 2.0 / (c->lowest + c->highest), omega = 1.0;
    double rho = (c->highest - c->lowest) / (c->highest + c->lowest);
    double *r = s->scratch[0], *z = s->scratch[1], *previous = s->scratch[2], *x = task->x;
    memcpy(previous, x, (size_t)s->count * sizeof(double));
    for (;;) {
        pl_linear_residual(s, task->b, x, r);
        if (pl_linear_note_norm(task, pl_vector_norm(s->pool, s->count, r))) break;
        apply_inverse_diagonal(s, r, z);
        int k = task->info->iterations++;
        if (k == 1) omega = 2.0 / (2.0 - rho * rho);
        else if (k > 1) omega = 4.0 / (4.0 - rho * rho * omega);
        for (int i = 0; i < s->count; i++) {
            double next = omega * (gamma * z[i] + x[i] - previous[i]) + previous[i];
            previous[i] = x[i];
            x[i] = next;
        }
    }
}

const pl_linear_kind pl_linear_chebyshev = {
    .setup = setup, .update = update, .solve = solve, .destroy = destroy};
