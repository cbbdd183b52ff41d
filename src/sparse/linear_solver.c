// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The solvers behind one interface: direct (CHOLMOD or our own), conjugate gradients with two
// simple preconditioners, coloured symmetric Gauss-Seidel (Fratarcangeli 2016, "Vivace") and the
// Chebyshev semi-iterative method (Wang 2015).
#include "sparse/linear_solver.h"
#include "base/memory.h"
#include "base/timer.h"
#include "sparse/cholmod_direct.h"
#include "sparse/direct.h"
#include "sparse/krylov.h"
#include "sparse/preconditioner.h"
#include "sparse/row_colouring.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SCRATCH_VECTORS = 4 };
// unknowns from which on CHOLMOD is faster than our own solver (measured on one core)
enum { CHOLMOD_FROM = 5000 };
enum { LANCZOS_STEPS = 40 };

struct pl_linear_solver {
    pl_linear kind;
    const pl_block_matrix* A;
    int rhs_count;
    int count; // of values in a vector
    pl_pool* pool;
    pl_direct* direct;   // our own; with CHOLMOD made when first needed
    pl_cholmod* cholmod; // or NULL
    bool definite;       // the factor of CHOLMOD can be used
    double* inverse_diagonal;
    double* incomplete;
    pl_row_colours colours;
    double lowest, highest; // eigenvalues of D^-1 A, estimated
    int lanczos_count;      // work of that
    double lanczos_diagonal[LANCZOS_STEPS], lanczos_square[LANCZOS_STEPS], alpha_before;
    double* scratch[SCRATCH_VECTORS];
    double update_seconds;
};

static size_t diagonal_size(const pl_linear_solver* s) {
    return (size_t)s->A->row_count * (size_t)(s->A->block * s->A->block);
}
static size_t value_count(const pl_linear_solver* s) {
    return (size_t)pl_block_matrix_entry_count(s->A) * (size_t)(s->A->block * s->A->block);
}

void pl_linear_destroy(pl_linear_solver* s) {
    if (!s) return;
    pl_direct_destroy(s->direct);
    pl_cholmod_destroy(s->cholmod);
    PL_FREE(s->inverse_diagonal, double, diagonal_size(s));
    PL_FREE(s->incomplete, double, value_count(s));
    pl_row_colours_free(&s->colours);
    for (int i = 0; i < SCRATCH_VECTORS; i++) PL_FREE(s->scratch[i], double, s->count);
    PL_FREE(s, pl_linear_solver, 1);
}

bool pl_linear_is_known(pl_linear kind) {
    return kind == PL_LINEAR_DIRECT || kind == PL_LINEAR_PCG || kind == PL_LINEAR_ICPCG ||
           kind == PL_LINEAR_GAUSS_SEIDEL || kind == PL_LINEAR_CHEBYSHEV;
}

bool pl_linear_sees_indefinite(pl_linear kind) {
    return kind == PL_LINEAR_DIRECT || kind == PL_LINEAR_PCG || kind == PL_LINEAR_ICPCG ||
           kind == PL_LINEAR_MGPCG;
}

static pl_status allocate(pl_linear_solver* s, pl_direct_choice choice, pl_error* error) {
    for (int i = 0; i < SCRATCH_VECTORS; i++) {
        s->scratch[i] = PL_ALLOC(double, s->count);
        if (!s->scratch[i]) return pl_fail_memory(error, "a linear solver");
    }
    if (s->kind == PL_LINEAR_DIRECT) {
        bool large = s->A->row_count * s->A->block >= CHOLMOD_FROM;
        if (choice == PL_DIRECT_CHOLMOD ||
            (choice == PL_DIRECT_ANY && large && pl_cholmod_is_built()))
            return pl_cholmod_setup(s->A, s->rhs_count, &s->cholmod, error);
        return pl_direct_setup(s->A, &s->direct, error);
    }
    s->inverse_diagonal = PL_ALLOC(double, diagonal_size(s));
    if (!s->inverse_diagonal) return pl_fail_memory(error, "a linear solver");
    if (s->kind == PL_LINEAR_ICPCG) {
        s->incomplete = PL_ALLOC(double, value_count(s));
        if (!s->incomplete) return pl_fail_memory(error, "an incomplete factor");
    }
    if (s->kind == PL_LINEAR_GAUSS_SEIDEL) return pl_row_colours_setup(&s->colours, s->A, error);
    return PL_OK;
}

static pl_status setup(pl_linear kind, pl_direct_choice choice, const pl_block_matrix* A,
                       int rhs_count, pl_pool* pool, pl_linear_solver** out, pl_error* error) {
    *out = NULL;
    if (!pl_linear_is_known(kind))
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "the linear solver is not one of direct, pcg, icpcg, "
                       "gauss-seidel and chebyshev");
    pl_linear_solver* s = PL_ALLOC(pl_linear_solver, 1);
    if (!s) return pl_fail_memory(error, "a linear solver");
    *s = (pl_linear_solver){.kind = kind, .A = A, .rhs_count = rhs_count, .pool = pool};
    s->count = A->row_count * A->block * rhs_count;
    pl_status status = allocate(s, choice, error);
    if (status == PL_OK) *out = s;
    else pl_linear_destroy(s);
    return status;
}

pl_status pl_linear_setup(pl_linear kind, const pl_block_matrix* A, int rhs_count, pl_pool* pool,
                          pl_linear_solver** out, pl_error* error) {
    return setup(kind, PL_DIRECT_ANY, A, rhs_count, pool, out, error);
}

pl_status pl_linear_setup_direct(pl_direct_choice choice, const pl_block_matrix* A, int rhs_count,
                                 pl_pool* pool, pl_linear_solver** out, pl_error* error) {
    return setup(PL_LINEAR_DIRECT, choice, A, rhs_count, pool, out, error);
}

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
static double bisect_eigenvalue(int n, const double* diagonal, const double* square, int k,
                                double high) {
    double low = 0.0;
    for (int round = 0; round < 60; round++) {
        double middle = 0.5 * (low + high);
        if (count_below(n, diagonal, square, middle) > k) high = middle;
        else low = middle;
    }
    return 0.5 * (low + high);
}

static void apply(void* user, const void* x, void* y) {
    const pl_linear_solver* s = user;
    pl_block_matrix_apply(s->A, s->pool, s->rhs_count, x, y);
}

static void precondition(void* user, const void* r, void* z) {
    const pl_linear_solver* s = user;
    if (s->kind == PL_LINEAR_ICPCG) pl_ic_apply(s->A, s->rhs_count, s->incomplete, r, z);
    else pl_apply_diagonal(s->A, s->pool, s->rhs_count, s->inverse_diagonal, r, z);
}

static pl_krylov krylov_of(pl_linear_solver* s) {
    static const pl_krylov_operations operations = {.apply = apply, .precondition = precondition};
    return (pl_krylov){.operations = &operations,
                       .user = s,
                       .pool = s->pool,
                       .count = s->count,
                       .r = s->scratch[0],
                       .z = s->scratch[1],
                       .p = s->scratch[2],
                       .q = s->scratch[3]};
}

// the matrix of Lanczos that conjugate gradients belong to
static void observe(void* user, double alpha, double beta) {
    pl_linear_solver* s = user;
    int n = s->lanczos_count++;
    s->lanczos_diagonal[n] = 1.0 / alpha + (n > 0 ? beta / s->alpha_before : 0.0);
    if (n > 0) s->lanczos_square[n - 1] = beta / (s->alpha_before * s->alpha_before);
    s->alpha_before = alpha;
}

// The range of the eigenvalues of D^-1 A, from the Lanczos matrix of some steps of conjugate
// gradients. The lower end comes out too high, which costs Chebyshev time; the upper one too low,
// which would cost convergence, so it is raised a little.
static void estimate_spectrum(pl_linear_solver* s) {
    pl_krylov k = krylov_of(s);
    pl_linear_info info = {.residual = 1.0};
    pl_linear_options options = {.tolerance = 1e-14, .max_iterations = LANCZOS_STEPS};
    const double *diagonal = s->lanczos_diagonal, *square = s->lanczos_square;
    double* r = s->scratch[0];
    for (int i = 0; i < s->count; i++) r[i] = i % 2 ? 1.0 : -0.7;
    k.scale = pl_vector_norm(s->pool, s->count, r);
    k.observe = observe;
    s->lanczos_count = 0;
    if (s->count > 0) pl_krylov_cg(&k, &options, &info);
    int n = s->lanczos_count;
    s->lowest = s->highest = 1.0;
    if (n == 0) return;
    double high = 0.0; // Gershgorin
    for (int i = 0; i < n; i++)
        high = fmax(high, diagonal[i] + (i > 0 ? sqrt(square[i - 1]) : 0.0) +
                              (i + 1 < n ? sqrt(square[i]) : 0.0));
    s->lowest = bisect_eigenvalue(n, diagonal, square, 0, high);
    s->highest = 1.05 * bisect_eigenvalue(n, diagonal, square, n - 1, high);
}

// Our own solver takes over where CHOLMOD cannot go on: it tells how many pivots vanish or are
// negative.
static pl_status update_direct(pl_linear_solver* s, pl_error* error) {
    pl_status status = PL_OK;
    s->definite = false;
    if (s->cholmod) status = pl_cholmod_update(s->cholmod, s->A, &s->definite, error);
    if (status != PL_OK || s->definite) return status;
    if (!s->direct) status = pl_direct_setup(s->A, &s->direct, error);
    return status == PL_OK ? pl_direct_update(s->direct, s->A, s->pool, error) : status;
}

pl_status pl_linear_update(pl_linear_solver* s, pl_error* error) {
    double start = pl_seconds();
    pl_status status = PL_OK;
    if (s->kind == PL_LINEAR_DIRECT) {
        status = update_direct(s, error);
    } else {
        pl_invert_diagonal(s->A, s->pool, s->inverse_diagonal);
        if (s->kind == PL_LINEAR_ICPCG) pl_ic_factor(s->A, s->incomplete);
        if (s->kind == PL_LINEAR_CHEBYSHEV) estimate_spectrum(s);
    }
    s->update_seconds = pl_seconds() - start;
    return status;
}

// r = b - A x
static void residual(pl_linear_solver* s, const double* b, const double* x, double* r) {
    pl_block_matrix_apply(s->A, s->pool, s->rhs_count, x, r);
    pl_vector_xpay(s->pool, s->count, b, -1.0, r);
}

// notes a residual; true when the solve is over
static bool note_residual(pl_linear_info* info, const pl_linear_options* options, double norm,
                          double scale) {
    pl_linear_note(info, scale == 0.0 ? 0.0 : norm / scale);
    info->converged = info->residual <= options->tolerance;
    return info->converged || pl_linear_is_over(options, info) || !isfinite(norm);
}

static void solve_direct(pl_linear_solver* s, const pl_linear_options* options, const double* b,
                         double* x, double scale, pl_linear_info* info) {
    double *r = s->scratch[0], *correction = s->scratch[1];
    pl_direct_info direct = s->definite ? (pl_direct_info){0} : pl_direct_get_info(s->direct);
    info->tiny_pivot_count = direct.tiny_pivot_count;
    info->indefinite = direct.negative_pivot_count > 0;
    info->singular = info->tiny_pivot_count > 0;
    // a second pass refines what round-off left
    for (int pass = 0; pass < 3; pass++) {
        residual(s, b, x, r);
        double norm = pl_vector_norm(s->pool, s->count, r);
        bool over = note_residual(info, options, norm, scale);
        if (over && (pass > 0 || info->converged)) break;
        if (!s->definite) pl_direct_solve(s->direct, s->rhs_count, r, correction);
        else if (!pl_cholmod_solve(s->cholmod, r, correction)) break;
        pl_vector_axpy(s->pool, s->count, 1.0, correction, x);
        info->iterations++;
    }
}

static void solve_pcg(pl_linear_solver* s, const pl_linear_options* options, const double* b,
                      double* x, double scale, pl_linear_info* info) {
    pl_krylov k = krylov_of(s);
    k.b = b;
    k.x = x;
    k.scale = scale;
    if (pl_krylov_begin(&k, options, info) != PL_KRYLOV_GOING) return;
    // diagonal blocks or a factor that are not definite are those of a matrix that is not
    if (pl_krylov_cg(&k, options, info) == PL_KRYLOV_PRECONDITIONER) info->indefinite = true;
}

static void solve_gauss_seidel(pl_linear_solver* s, const pl_linear_options* options,
                               const double* b, double* x, double scale, pl_linear_info* info) {
    double* r = s->scratch[0];
    for (;;) {
        residual(s, b, x, r);
        if (note_residual(info, options, pl_vector_norm(s->pool, s->count, r), scale)) break;
        pl_row_colours_sweep(&s->colours, s->A, s->pool, s->rhs_count, s->inverse_diagonal, b, x,
                             false);
        pl_row_colours_sweep(&s->colours, s->A, s->pool, s->rhs_count, s->inverse_diagonal, b, x,
                             true);
        info->iterations++;
    }
}

// x_{k+1} = omega (gamma D^-1 r + x_k - x_{k-1}) + x_{k-1}, Wang 2015 Eq. 6. Unlike there, gamma
// and the spectral radius rho come from estimated eigenvalues, not from tuning.
static void solve_chebyshev(pl_linear_solver* s, const pl_linear_options* options, const double* b,
                            double* x, double scale, pl_linear_info* info) {
    double gamma = 2.0 / (s->lowest + s->highest);
    double rho = (s->highest - s->lowest) / (s->highest + s->lowest);
    double *r = s->scratch[0], *z = s->scratch[1], *previous = s->scratch[2];
    double omega = 1.0;
    memcpy(previous, x, (size_t)s->count * sizeof(double));
    for (;;) {
        residual(s, b, x, r);
        if (note_residual(info, options, pl_vector_norm(s->pool, s->count, r), scale)) break;
        pl_apply_diagonal(s->A, s->pool, s->rhs_count, s->inverse_diagonal, r, z);
        int k = info->iterations++;
        if (k == 1) omega = 2.0 / (2.0 - rho * rho);
        else if (k > 1) omega = 4.0 / (4.0 - rho * rho * omega);
        for (int i = 0; i < s->count; i++) {
            double next = omega * (gamma * z[i] + x[i] - previous[i]) + previous[i];
            previous[i] = x[i];
            x[i] = next;
        }
    }
}

void pl_linear_solve(pl_linear_solver* s, const pl_linear_options* options, const double* b,
                     double* x, pl_linear_info* info) {
    double start = pl_seconds();
    *info = (pl_linear_info){.update_seconds = s->update_seconds};
    double scale = pl_vector_norm(s->pool, s->count, b);
    switch (s->kind) {
    case PL_LINEAR_DIRECT: solve_direct(s, options, b, x, scale, info); break;
    case PL_LINEAR_GAUSS_SEIDEL: solve_gauss_seidel(s, options, b, x, scale, info); break;
    case PL_LINEAR_CHEBYSHEV: solve_chebyshev(s, options, b, x, scale, info); break;
    default: solve_pcg(s, options, b, x, scale, info); break;
    }
    info->solve_seconds = pl_seconds() - start;
}
