// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "base/random.h"
#include "sparse/cholmod_direct.h"
#include "sparse/direct.h"
#include "sparse/linear_solver.h"
#include "sparse/ordering.h"
#include "test.h"

typedef struct grid_graph {
    int* offsets;
    int* neighbours;
    int row_count;
    int size[3];
} grid_graph;

// neighbours of a lattice within one step in each direction (27-point), ascending
static grid_graph make_grid(int nx, int ny, int nz) {
    grid_graph g = {.row_count = nx * ny * nz, .size = {nx, ny, nz}};
    g.offsets = PL_ALLOC(int, g.row_count + 1);
    g.neighbours = PL_ALLOC(int, 26 * g.row_count);
    int k = 0, row = 0;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++, row++) {
                g.offsets[row] = k;
                for (int c = z - 1; c <= z + 1; c++)
                    for (int b = y - 1; b <= y + 1; b++)
                        for (int a = x - 1; a <= x + 1; a++) {
                            if (a < 0 || b < 0 || c < 0 || a >= nx || b >= ny || c >= nz) continue;
                            int other = (c * ny + b) * nx + a;
                            if (other != row) g.neighbours[k++] = other;
                        }
            }
    g.offsets[row] = k;
    return g;
}

static void free_grid(grid_graph* g) {
    PL_FREE(g->offsets, int, g->row_count + 1);
    PL_FREE(g->neighbours, int, 26 * g->row_count);
}

// symmetric with random off-diagonal blocks; the diagonal dominates by the given margin (0:
// singular for block 1)
static void fill_random(pl_block_matrix* A, double margin, uint64_t seed) {
    int b = A->block;
    for (int row = 0; row < A->row_count; row++) {
        double* diagonal = A->values + (size_t)A->diagonal[row] * (size_t)(b * b);
        for (int c = 0; c < b; c++) diagonal[c * b + c] += margin;
        for (int e = A->diagonal[row] + 1; e < A->offsets[row + 1]; e++) {
            int column = A->columns[e], mirror = pl_block_matrix_find(A, column, row);
            double* other = A->values + (size_t)A->diagonal[column] * (size_t)(b * b);
            pl_random random = {seed + (uint64_t)row * 1000003u + (uint64_t)column};
            for (int r = 0; r < b; r++)
                for (int c = 0; c < b; c++) {
                    double value = pl_random_uniform(&random, -1.0, 0.0);
                    A->values[(size_t)e * (size_t)(b * b) + (size_t)(r * b + c)] = value;
                    A->values[(size_t)mirror * (size_t)(b * b) + (size_t)(c * b + r)] = value;
                    diagonal[r * b + r] -= value;
                    other[c * b + c] -= value;
                }
        }
    }
}

static double solve_error(const pl_block_matrix* A, pl_direct* direct, int rhs_count) {
    size_t n = (size_t)A->row_count * (size_t)A->block * (size_t)rhs_count;
    double* x = PL_ALLOC(double, n);
    double* b = PL_ALLOC(double, n);
    pl_random random = {5};
    for (size_t i = 0; i < n; i++) x[i] = pl_random_normal(&random);
    pl_block_matrix_apply(A, NULL, rhs_count, x, b);
    pl_direct_solve(direct, rhs_count, b, b);
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - b[i]));
    PL_FREE(x, double, n);
    PL_FREE(b, double, n);
    return worst;
}

TEST(order_is_a_permutation)
{
    grid_graph g = make_grid(9, 8, 7);
    int* order = PL_ALLOC(int, g.row_count);
    bool* seen = PL_ALLOC(bool, g.row_count);
    pl_error error;
    CHECK_OK(pl_order_minimum_degree(g.row_count, g.offsets, g.neighbours, order, &error), &error);
    for (int k = 0; k < g.row_count; k++) {
        CHECK(order[k] >= 0 && order[k] < g.row_count && !seen[order[k]]);
        seen[order[k]] = true;
    }
    PL_FREE(order, int, g.row_count);
    PL_FREE(seen, bool, g.row_count);
    free_grid(&g);
}

TEST(direct_solves_random_systems)
{
    static const int sizes[][3] = {{1, 1, 1},  {2, 1, 1},   {5, 4, 1},  {7, 6, 5},
                                   {12, 9, 8}, {40, 40, 1}, {200, 1, 1}};
    for (int block = 1; block <= 3; block += 2)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            grid_graph g = make_grid(sizes[s][0], sizes[s][1], sizes[s][2]);
            pl_block_matrix A;
            pl_direct* direct;
            pl_error error;
            CHECK_OK(pl_block_matrix_setup(&A, g.row_count, block, g.offsets, g.neighbours, &error),
                     &error);
            fill_random(&A, 0.1, s);
            CHECK_OK(pl_direct_setup(&A, &direct, &error), &error);
            CHECK_OK(pl_direct_update(direct, &A, NULL, &error), &error);
            CHECK_INT(pl_direct_get_info(direct).tiny_pivot_count, 0);
            CHECK_INT(pl_direct_get_info(direct).negative_pivot_count, 0);
            for (int rhs = 1; rhs <= (block == 1 ? 3 : 1); rhs++)
                CHECK_NEAR(solve_error(&A, direct, rhs), 0.0, 1e-10);
            pl_direct_destroy(direct);
            pl_block_matrix_free(&A);
            free_grid(&g);
        }
}

TEST(direct_has_the_same_bits_for_all_thread_counts)
{
    grid_graph g = make_grid(14, 13, 12);
    pl_block_matrix A;
    pl_direct* direct;
    pl_error error;
    CHECK_OK(pl_block_matrix_setup(&A, g.row_count, 3, g.offsets, g.neighbours, &error), &error);
    fill_random(&A, 0.1, 1);
    CHECK_OK(pl_direct_setup(&A, &direct, &error), &error);
    size_t n = 3 * (size_t)g.row_count;
    double* b = PL_ALLOC(double, n);
    double* x = PL_ALLOC(double, n);
    double* y = PL_ALLOC(double, n);
    for (size_t i = 0; i < n; i++) b[i] = (double)(i % 7) - 3.0;
    CHECK_OK(pl_direct_update(direct, &A, NULL, &error), &error);
    pl_direct_solve(direct, 1, b, x);
    for (int threads = 2; threads <= 4; threads += 2) {
        pl_pool* pool;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        CHECK_OK(pl_direct_update(direct, &A, pool, &error), &error);
        pl_direct_solve(direct, 1, b, y);
        CHECK(memcmp(x, y, n * sizeof(double)) == 0);
        pl_pool_destroy(pool);
    }
    PL_FREE(b, double, n);
    PL_FREE(x, double, n);
    PL_FREE(y, double, n);
    pl_direct_destroy(direct);
    pl_block_matrix_free(&A);
    free_grid(&g);
}

TEST(direct_tells_singular_and_indefinite)
{
    // two separate chains whose rows sum to zero: one tiny pivot each
    grid_graph g = make_grid(30, 1, 1);
    pl_block_matrix A;
    pl_direct* direct;
    pl_error error;
    CHECK_OK(pl_block_matrix_setup(&A, g.row_count, 1, g.offsets, g.neighbours, &error), &error);
    fill_random(&A, 0.0, 3);
    int cut = pl_block_matrix_find(&A, 14, 15), mirror = pl_block_matrix_find(&A, 15, 14);
    A.values[A.diagonal[14]] += A.values[cut];
    A.values[A.diagonal[15]] += A.values[cut];
    A.values[cut] = A.values[mirror] = 0.0;
    CHECK_OK(pl_direct_setup(&A, &direct, &error), &error);
    CHECK_OK(pl_direct_update(direct, &A, NULL, &error), &error);
    CHECK_INT(pl_direct_get_info(direct).tiny_pivot_count, 2);
    A.values[A.diagonal[3]] = -5.0;
    CHECK_OK(pl_direct_update(direct, &A, NULL, &error), &error);
    CHECK_INT(pl_direct_get_info(direct).negative_pivot_count, 1);
    A.values[A.diagonal[3]] = NAN;
    CHECK_INT(pl_direct_update(direct, &A, NULL, &error), PL_ERROR_DIVERGED);
    pl_direct_destroy(direct);
    pl_block_matrix_free(&A);
    free_grid(&g);
}

TEST(direct_survives_every_failing_allocation)
{
    grid_graph g = make_grid(6, 5, 4);
    pl_error error;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_block_matrix A = {0};
        pl_direct* direct = NULL;
        pl_inject_failure(nth);
        pl_status status =
            pl_block_matrix_setup(&A, g.row_count, 3, g.offsets, g.neighbours, &error);
        if (status == PL_OK) status = pl_direct_setup(&A, &direct, &error);
        pl_inject_failure(0);
        pl_direct_destroy(direct);
        pl_block_matrix_free(&A);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    free_grid(&g);
}

// a lattice with blocks of 1 or 3, three vectors of its size and random numbers in the first
typedef struct lattice_system {
    grid_graph g;
    pl_block_matrix A; // zero
    int rhs_count, n;
    double* vectors[3];
} lattice_system;

static lattice_system make_system(int block) {
    lattice_system s = {.g = make_grid(9, 8, 7), .rhs_count = block == 1 ? 3 : 1};
    pl_error error;
    pl_random random = {5};
    s.n = 3 * s.g.row_count;
    CHECK_OK(pl_block_matrix_setup(&s.A, s.g.row_count, block, s.g.offsets, s.g.neighbours, &error),
             &error);
    for (int k = 0; k < 3; k++) s.vectors[k] = PL_ALLOC(double, s.n);
    for (int i = 0; i < s.n; i++) s.vectors[0][i] = pl_random_normal(&random);
    return s;
}

static void free_system(lattice_system* s) {
    for (int k = 0; k < 3; k++) PL_FREE(s->vectors[k], double, s->n);
    pl_block_matrix_free(&s->A);
    free_grid(&s->g);
}

// every kind of solver reaches the tolerance it was asked for, and all agree
LONG_TEST(linear_solvers_converge)
{
    for (int block = 1; block <= 3; block += 2) {
        lattice_system s = make_system(block);
        double *exact = s.vectors[0], *b = s.vectors[1], *x = s.vectors[2];
        pl_error error;
        fill_random(&s.A, 0.5, 7);
        pl_block_matrix_apply(&s.A, NULL, s.rhs_count, exact, b);
        pl_linear_options options = {.tolerance = 1e-10, .max_iterations = 5000};
        for (int kind = 0; kind < PL_LINEAR_COUNT; kind++) {
            if (!pl_linear_is_known((pl_linear)kind)) continue;
            pl_linear_solver* solver;
            pl_linear_info info;
            CHECK_OK(pl_linear_setup((pl_linear)kind, &s.A, s.rhs_count, NULL, &solver, &error),
                     &error);
            CHECK_OK(pl_linear_update(solver, &error), &error);
            memset(x, 0, (size_t)s.n * sizeof(double));
            pl_linear_solve(solver, &options, b, x, &info);
            CHECK(info.converged && info.residual <= 1e-10 && info.history_count > 1);
            for (int i = 0; i < s.n; i++) CHECK_NEAR(x[i], exact[i], 1e-7);
            pl_linear_destroy(solver);
        }
        free_system(&s);
    }
}

TEST(linear_solvers_survive_every_failing_allocation)
{
    grid_graph g = make_grid(4, 3, 3);
    pl_block_matrix A;
    pl_error error;
    CHECK_OK(pl_block_matrix_setup(&A, g.row_count, 3, g.offsets, g.neighbours, &error), &error);
    size_t before = pl_byte_count();
    for (int kind = 0; kind < PL_LINEAR_COUNT; kind++)
        for (int64_t nth = 1; pl_linear_is_known((pl_linear)kind); nth++) {
            pl_linear_solver* solver;
            pl_inject_failure(nth);
            pl_status status = pl_linear_setup((pl_linear)kind, &A, 1, NULL, &solver, &error);
            pl_inject_failure(0);
            pl_linear_destroy(solver);
            CHECK_INT(pl_byte_count(), before);
            if (status == PL_OK) break;
            CHECK_INT(status, PL_ERROR_MEMORY);
        }
    pl_block_matrix_free(&A);
    free_grid(&g);
}

static void solve_with(pl_direct_choice choice, const pl_block_matrix* A, int rhs_count,
                       const double* b, double* x, pl_linear_info* info) {
    pl_linear_solver* solver;
    pl_error error;
    pl_linear_options options = {.tolerance = 1e-15, .max_iterations = 1};
    CHECK_OK(pl_linear_setup_direct(choice, A, rhs_count, NULL, &solver, &error), &error);
    CHECK_OK(pl_linear_update(solver, &error), &error);
    memset(x, 0, (size_t)(A->row_count * A->block * rhs_count) * sizeof(double));
    pl_linear_solve(solver, &options, b, x, info);
    pl_linear_destroy(solver);
}

// CHOLMOD and our own solver agree to round-off, and tell the same of matrices without a solution
TEST(direct_equals_cholmod)
{
    if (!pl_cholmod_is_built()) SKIP("built without PLIANT_CHOLMOD");
    for (int block = 1; block <= 3; block += 2) {
        lattice_system s = make_system(block);
        double *b = s.vectors[0], *own = s.vectors[1], *theirs = s.vectors[2];
        for (int kind = 0; kind < 3; kind++) { // definite, singular (block 1), indefinite
            pl_linear_info a, c;
            pl_block_matrix_zero(&s.A);
            fill_random(&s.A, kind == 0 ? 0.5 : kind == 1 ? 0.0 : -20.0, 7);
            solve_with(PL_DIRECT_OWN, &s.A, s.rhs_count, b, own, &a);
            solve_with(PL_DIRECT_CHOLMOD, &s.A, s.rhs_count, b, theirs, &c);
            CHECK(a.indefinite == c.indefinite && a.singular == c.singular);
            CHECK(a.tiny_pivot_count == c.tiny_pivot_count);
            CHECK(kind != 2 || a.indefinite);
            CHECK(kind != 1 || block == 3 || a.singular);
            for (int i = 0; i < s.n && kind == 0; i++) CHECK_NEAR(own[i], theirs[i], 1e-12);
        }
        free_system(&s);
    }
}

TEST(direct_says_if_cholmod_is_not_there)
{
    if (pl_cholmod_is_built()) SKIP("built with PLIANT_CHOLMOD");
    grid_graph g = make_grid(2, 2, 2);
    pl_block_matrix A;
    pl_linear_solver* solver;
    pl_error error;
    CHECK_OK(pl_block_matrix_setup(&A, g.row_count, 1, g.offsets, g.neighbours, &error), &error);
    CHECK_INT(pl_linear_setup_direct(PL_DIRECT_CHOLMOD, &A, 1, NULL, &solver, &error),
              PL_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, "PLIANT_CHOLMOD");
    CHECK(!solver);
    pl_block_matrix_free(&A);
    free_grid(&g);
}
