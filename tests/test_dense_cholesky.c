// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "base/random.h"
#include "multigrid/dense_cholesky.h"
#include "test.h"

// A = B B' / n + I of random B with entries in [-1, 1], row-major
static double* random_spd(int n, uint64_t seed) {
    double *B = PL_ALLOC(double, (size_t)n*(size_t)n), *A = PL_ALLOC(double, (size_t)n*(size_t)n);
    pl_random random = {seed};
    for (int i = 0; i < n * n; i++) B[i] = pl_random_uniform(&random, -1.0, 1.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += B[i * n + k] * B[j * n + k];
            // float is what the factorisation is given
            A[i * n + j] = A[j * n + i] = (float)(sum / n + (i == j));
        }
    PL_FREE(B, double, (size_t)n*(size_t)n);
    return A;
}

static void fill(pl_dense_cholesky* c, const double* A) {
    pl_dense_cholesky_zero(c);
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j <= i; j++) *pl_dense_cholesky_at(c, i, j) = (float)A[i * c->n + j];
}

static int nodes_of(pl_rhs_layout layout, int n) { return (n + layout.run - 1) / layout.run; }

// the largest relative residual of rhs_count systems, in double
static double largest_residual(const double* A, int n, int rhs_count, pl_rhs_layout layout,
                               const float* b, const float* x) {
    double worst = 0.0;
    for (int r = 0; r < rhs_count; r++) {
        double rest = 0.0, size = 0.0;
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += A[i * n + j] *
                       x[j / layout.run * layout.stride + r * layout.rhs_stride + j % layout.run];
            double bi = b[i / layout.run * layout.stride + r * layout.rhs_stride + i % layout.run];
            rest += (bi - sum) * (bi - sum);
            size += bi * bi;
        }
        worst = fmax(worst, sqrt(rest / size));
    }
    return worst;
}

static double solve_error(int n, int rhs_count, int capacity, pl_rhs_layout layout, pl_pool* pool) {
    pl_error error;
    pl_dense_cholesky c;
    CHECK_OK(pl_dense_cholesky_setup(&c, n, capacity, &error), &error);
    double* A = random_spd(n, (uint64_t)n);
    fill(&c, A);
    CHECK_INT(pl_dense_cholesky_factor(&c, pool), -1);
    size_t size = (size_t)(nodes_of(layout, n) * layout.stride + rhs_count * layout.rhs_stride);
    float *b = PL_ALLOC(float, size), *x = PL_ALLOC(float, size);
    pl_random random = {5};
    for (size_t i = 0; i < size; i++) b[i] = (float)(pl_random_uniform(&random, -1.0, 1.0));
    pl_dense_cholesky_solve(&c, pool, rhs_count, layout, b, x);
    double error_found = largest_residual(A, n, rhs_count, layout, b, x);
    PL_FREE(b, float, size);
    PL_FREE(x, float, size);
    PL_FREE(A, double, (size_t)n*(size_t)n);
    pl_dense_cholesky_free(&c);
    return error_found;
}

TEST(dense_cholesky_solves)
{
    for (int n = 1; n <= 40; n++)
        CHECK(solve_error(n, 1, 1, (pl_rhs_layout){n, n, n}, NULL) < 2e-6);
    CHECK(solve_error(97, 2, 2, (pl_rhs_layout){97, 97, 97}, NULL) < 2e-6);
    CHECK(solve_error(300, 5, 3, (pl_rhs_layout){300, 300, 300}, NULL) < 2e-6);
    // nodes of four unknowns, three right-hand sides inside each
    CHECK(solve_error(400, 3, 3, (pl_rhs_layout){4, 12, 4}, NULL) < 2e-6);
}

TEST(dense_cholesky_same_bits)
{
    pl_error error;
    enum { N = 700 };
    double* A = random_spd(N, 3);
    float *b = PL_ALLOC(float, 3 * N), *x = PL_ALLOC(float, 3 * N), *first = PL_ALLOC(float, 3 * N);
    for (int i = 0; i < 3 * N; i++) b[i] = (float)(i % 17 - 8);
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_pool* pool;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        pl_dense_cholesky c;
        CHECK_OK(pl_dense_cholesky_setup(&c, N, 3, &error), &error);
        fill(&c, A);
        CHECK_INT(pl_dense_cholesky_factor(&c, pool), -1);
        pl_dense_cholesky_solve(&c, pool, 3, (pl_rhs_layout){N, N, N}, b, x);
        if (threads == 1) memcpy(first, x, 3 * N * sizeof(float));
        CHECK(memcmp(first, x, 3 * N * sizeof(float)) == 0);
        pl_dense_cholesky_free(&c);
        pl_pool_destroy(pool);
    }
    CHECK(largest_residual(A, N, 3, (pl_rhs_layout){N, N, N}, b, x) < 2e-6);
    PL_FREE(A, double, N* N);
    PL_FREE(b, float, 3 * N);
    PL_FREE(x, float, 3 * N);
    PL_FREE(first, float, 3 * N);
}

TEST(dense_cholesky_reports_pivots)
{
    pl_error error;
    pl_dense_cholesky c;
    CHECK_OK(pl_dense_cholesky_setup(&c, 100, 1, &error), &error);
    double* A = random_spd(100, 7);
    A[70 * 100 + 70] = -1.0;
    fill(&c, A);
    CHECK_INT(pl_dense_cholesky_factor(&c, NULL), 70);
    // two rows that are the same: the pivot of the second is zero but for round-off
    pl_dense_cholesky_zero(&c);
    for (int i = 0; i < 100; i++) *pl_dense_cholesky_at(&c, i, i) = 0.1f;
    *pl_dense_cholesky_at(&c, 70, 20) = 0.1f;
    CHECK_INT(pl_dense_cholesky_factor(&c, NULL), 70);
    A[0] = NAN;
    fill(&c, A);
    CHECK_INT(pl_dense_cholesky_factor(&c, NULL), 0);
    PL_FREE(A, double, 100 * 100);
    pl_dense_cholesky_free(&c);
}

// [K G'; G -B] from definite matrices: D is -1 from row `positive` on.
static void make_saddle(double* A, int n, int positive) {
    for (int i = positive; i < n; i++)
        for (int j = positive; j < n; j++) A[i * n + j] = -A[i * n + j];
}

LONG_TEST(dense_cholesky_solves_saddle_points)
{
    pl_error error;
    for (int n = 17; n <= 401; n += 96)
        for (int tiles = 1; tiles * PL_TILE < n; tiles += 5) {
            pl_dense_cholesky c;
            double* A = random_spd(n, (uint64_t)n);
            float *b = PL_ALLOC(float, n), *x = PL_ALLOC(float, n);
            make_saddle(A, n, tiles * PL_TILE);
            CHECK_OK(pl_dense_cholesky_setup(&c, n, 1, &error), &error);
            pl_dense_cholesky_make_signed(&c, c.tile_rows - tiles, 1e-5f);
            fill(&c, A);
            CHECK_INT(pl_dense_cholesky_factor(&c, NULL), -1);
            for (int i = 0; i < n; i++) b[i] = (float)(i % 17 - 8);
            pl_dense_cholesky_solve(&c, NULL, 1, (pl_rhs_layout){n, n, n}, b, x);
            CHECK(largest_residual(A, n, 1, (pl_rhs_layout){n, n, n}, b, x) < 4e-6);
            // the sign is part of the factor: without it there is none
            make_saddle(A, n, tiles * PL_TILE);
            fill(&c, A);
            CHECK_INT(pl_dense_cholesky_factor(&c, NULL), tiles * PL_TILE);
            PL_FREE(A, double, (size_t)n*(size_t)n);
            PL_FREE(b, float, n);
            PL_FREE(x, float, n);
            pl_dense_cholesky_free(&c);
        }
}

TEST(dense_cholesky_memory)
{
    pl_error error;
    pl_dense_cholesky c;
    for (int k = 1; k <= 4; k++) {
        pl_inject_failure(k);
        CHECK_INT(pl_dense_cholesky_setup(&c, 50, 3, &error), PL_ERROR_MEMORY);
        pl_inject_failure(0);
    }
    CHECK_OK(pl_dense_cholesky_setup(&c, 0, 3, &error), &error);
    CHECK_INT(pl_dense_cholesky_factor(&c, NULL), -1);
    pl_dense_cholesky_free(&c);
}
