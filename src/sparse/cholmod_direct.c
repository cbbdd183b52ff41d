// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "sparse/cholmod_direct.h"
#include "base/fail.h"
#include "base/memory.h"

#ifdef PL_HAVE_CHOLMOD
#include <cholmod.h>
#include <dlfcn.h>
#include <limits.h>

// matrices with a smaller reciprocal condition estimate are factored again by our own solver, which
// distinguishes singular from stiff
static const double MIN_RCOND = 1e-13;

struct pl_cholmod {
    cholmod_common common;
    cholmod_sparse* A; // upper triangle by columns, the same as the lower one by rows
    cholmod_factor* L;
    cholmod_dense *b, *x, *y, *e; // y, e: CHOLMOD's scratch
    int row_count;
    int rhs_count;
};

bool pl_cholmod_is_built(void) { return true; }

// OpenBLAS threads spin long after a solve has ended and take processors from the pool's threads.
// Results would also depend on their number. So BLAS runs on one thread while CHOLMOD does. Returns
// the previous number of threads, or 0 with another BLAS.
static int set_blas_threads(int count) {
    int (*get)(void);
    void (*set)(int);
    *(void**)&get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    *(void**)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (!get || !set || count < 1) return 0;
    const int before = get();
    if (before != count) set(count);
    return before;
}

void pl_cholmod_destroy(pl_cholmod* c) {
    if (!c) return;
    cholmod_free_sparse(&c->A, &c->common);
    cholmod_free_factor(&c->L, &c->common);
    cholmod_free_dense(&c->b, &c->common);
    cholmod_free_dense(&c->x, &c->common);
    cholmod_free_dense(&c->y, &c->common);
    cholmod_free_dense(&c->e, &c->common);
    cholmod_finish(&c->common);
    PL_FREE(c, pl_cholmod, 1);
}

// Column 3 r + i of the upper triangle is row 3 r + i of the lower one. Writes the pattern (if rows
// is not NULL) or the values, and returns their number.
static int64_t visit_lower(const pl_block_matrix* A, int* columns, int* rows, double* values) {
    int64_t k = 0;
    int b = A->block;
    for (int r = 0; r < A->row_count; r++)
        for (int i = 0; i < b; i++) {
            if (columns) columns[r * b + i] = (int)k;
            for (int e = A->offsets[r]; e <= A->diagonal[r]; e++) {
                int count = e == A->diagonal[r] ? i + 1 : b;
                for (int j = 0; j < count; j++, k++) {
                    if (rows) rows[k] = A->columns[e] * b + j;
                    if (values)
                        values[k] = A->values[(size_t)e * (size_t)(b * b) + (size_t)(i * b + j)];
                }
            }
        }
    if (columns) columns[A->row_count * b] = (int)k;
    return k;
}

static void configure(cholmod_common* common) {
    cholmod_start(common);
    common->print = 0;
    common->error_handler = NULL;
    common->supernodal = CHOLMOD_SUPERNODAL; // L L', which notices if A is not definite
    common->quick_return_if_not_posdef = 1;
}

pl_status pl_cholmod_setup(const pl_block_matrix* A, int rhs_count, pl_cholmod** out,
                           pl_error* error) {
    *out = NULL;
    int64_t value_count = visit_lower(A, NULL, NULL, NULL);
    if (value_count > INT_MAX)
        return pl_fail(
            error, PL_ERROR_LIMIT,
            "a matrix of %lld values is too large for CHOLMOD; use another linear solver",
            (long long)value_count);
    pl_cholmod* c = PL_ALLOC(pl_cholmod, 1);
    if (!c) return pl_fail_memory(error, "a direct solver");
    configure(&c->common);
    size_t n = (size_t)A->row_count * (size_t)A->block;
    c->row_count = (int)n;
    c->rhs_count = rhs_count;
    c->A = cholmod_allocate_sparse(n, n, (size_t)value_count, 1, 1, 1, CHOLMOD_REAL, &c->common);
    c->b = cholmod_allocate_dense(n, (size_t)rhs_count, n, CHOLMOD_REAL, &c->common);
    if (c->A) {
        visit_lower(A, c->A->p, c->A->i, c->A->x);
        c->L = cholmod_analyze(c->A, &c->common);
    }
    if (c->A && c->b && c->L) {
        *out = c;
        return PL_OK;
    }
    pl_cholmod_destroy(c);
    return pl_fail_memory(error, "a direct solver");
}

pl_status pl_cholmod_update(pl_cholmod* c, const pl_block_matrix* A, bool* definite,
                            pl_error* error) {
    visit_lower(A, NULL, NULL, c->A->x);
    c->common.status = CHOLMOD_OK;
    const int threads = set_blas_threads(1);
    cholmod_factorize(c->A, c->L, &c->common);
    *definite = c->common.status == CHOLMOD_OK && c->L->minor == c->L->n &&
                cholmod_rcond(c->L, &c->common) > MIN_RCOND;
    set_blas_threads(threads);
    return c->common.status == CHOLMOD_OUT_OF_MEMORY ? pl_fail_memory(error, "a factor") : PL_OK;
}

bool pl_cholmod_solve(pl_cholmod* c, const double* b, double* x) {
    double* columns = c->b->x;
    for (int i = 0; i < c->row_count; i++)
        for (int k = 0; k < c->rhs_count; k++)
            columns[(size_t)k * (size_t)c->row_count + (size_t)i] = b[i * c->rhs_count + k];
    const int threads = set_blas_threads(1);
    const bool is_solved =
        cholmod_solve2(CHOLMOD_A, c->L, c->b, NULL, &c->x, NULL, &c->y, &c->e, &c->common);
    set_blas_threads(threads);
    if (!is_solved) return false;
    const double* solved = c->x->x;
    for (int i = 0; i < c->row_count; i++)
        for (int k = 0; k < c->rhs_count; k++)
            x[i * c->rhs_count + k] = solved[(size_t)k * (size_t)c->row_count + (size_t)i];
    return true;
}

#else

bool pl_cholmod_is_built(void) { return false; }
void pl_cholmod_destroy(pl_cholmod* c) { (void)c; }

pl_status pl_cholmod_setup(const pl_block_matrix* A, int rhs_count, pl_cholmod** out,
                           pl_error* error) {
    (void)A, (void)rhs_count;
    *out = NULL;
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "this pliant has no CHOLMOD; build it with -DPLIANT_CHOLMOD=ON");
}

pl_status pl_cholmod_update(pl_cholmod* c, const pl_block_matrix* A, bool* definite,
                            pl_error* error) {
    (void)c, (void)A;
    *definite = false;
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "this pliant has no CHOLMOD");
}

bool pl_cholmod_solve(pl_cholmod* c, const double* b, double* x) {
    (void)c, (void)b, (void)x;
    return false;
}
#endif
