// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Sweeps over the finest level of Projective Dynamics against Gauss-Seidel written down row by row
// in double.
#include "base/memory.h"
#include "base/random.h"
#include "multigrid/scalar_fine.h"
#include "test.h"

#include <math.h>
#include <string.h>

typedef struct sample {
    pl_block_matrix A;
    pl_scalar_fine f;
} sample;

// the neighbours of row i of a bar of nx * side * side, or of a chain whose rows are also coupled
// with row 0 (side 0)
static int neighbours_of(int nx, int side, int i, int out[]) {
    int count = 0;
    if (side == 0) {
        if (i > 1) out[count++] = 0;
        if (i > 0) out[count++] = i - 1;
        if (i + 1 < nx) out[count++] = i + 1;
        for (int j = 2; i == 0 && j < nx; j++) out[count++] = j;
        return count;
    }
    int layer = side * side, p[3] = {i % side, i / side % side, i / layer};
    const int step[3] = {1, side, layer}, size[3] = {side, side, nx};
    for (int c = 2; c >= 0; c--)
        if (p[c] > 0) out[count++] = i - step[c];
    for (int c = 0; c < 3; c++)
        if (p[c] + 1 < size[c]) out[count++] = i + step[c];
    return count;
}

static sample create(int nx, int side) {
    pl_error error;
    pl_random random = {5};
    sample s;
    int n = nx * (side ? side * side : 1);
    pl_adjacency graph = {.count = n, .offsets = PL_ALLOC(int, n + 1)};
    int* found = PL_ALLOC(int, n + 6);
    for (int i = 0; i < n; i++)
        graph.offsets[i + 1] = graph.offsets[i] + neighbours_of(nx, side, i, found);
    graph.items = PL_ALLOC(int, graph.offsets[n]);
    for (int i = 0; i < n; i++) neighbours_of(nx, side, i, graph.items + graph.offsets[i]);
    CHECK_OK(pl_block_matrix_setup(&s.A, n, 1, graph.offsets, graph.items, &error), &error);
    for (int i = 0; i < n; i++)
        for (int e = s.A.offsets[i]; e < s.A.offsets[i + 1]; e++) {
            int j = s.A.columns[e];
            if (j <= i) continue;
            double stiffness = pl_random_uniform(&random, 0.5, 1.5);
            s.A.values[e] = s.A.values[pl_block_matrix_find(&s.A, j, i)] = -stiffness;
            s.A.values[s.A.diagonal[i]] += stiffness;
            s.A.values[s.A.diagonal[j]] += stiffness;
        }
    for (int i = 0; i < n; i++) s.A.values[s.A.diagonal[i]] += 0.1;
    CHECK_OK(pl_scalar_fine_setup(&s.f, &s.A, &error), &error);
    float* points = PL_ALLOC(float, 4 * n);
    pl_scalar_fine_update(&s.f, NULL, &s.A, points, NULL);
    PL_FREE(points, float, 4 * n);
    PL_FREE(found, int, n + 6);
    pl_adjacency_free(&graph);
    return s;
}

static void destroy(sample* s) {
    pl_scalar_fine_free(&s->f);
    pl_block_matrix_free(&s->A);
}

static void relax_row(const sample* s, int row, const double* b, double* x) {
    for (int c = 0; c < 3; c++) {
        double rest = b[3 * row + c];
        for (int e = s->A.offsets[row]; e < s->A.offsets[row + 1]; e++)
            if (s->A.columns[e] != row) rest -= s->A.values[e] * x[3 * s->A.columns[e] + c];
        x[3 * row + c] = rest / s->A.values[s->A.diagonal[row]];
    }
}

// one sweep in the order of the runs
static void reference_sweep(const sample* s, bool backward, const double* b, double* x) {
    const pl_slab_order* o = &s->f.order;
    for (int k = 0; k < o->run_count; k++) {
        int run = backward ? o->run_count - 1 - k : k, first = o->run_chunks[run] * o->chunk_rows;
        int count = o->run_ends[run] * o->chunk_rows - first;
        for (int p = 0; p < count; p++) {
            int row = o->row[first + (backward ? count - 1 - p : p)];
            if (row >= 0) relax_row(s, row, b, x);
        }
    }
}

static void check_sweeps(sample* s, int sweep_count, bool backward, bool from_zero, int threads) {
    pl_error error;
    pl_pool* pool;
    pl_random random = {7};
    int n = s->A.row_count;
    double *b = PL_ALLOC(double, 3 * n), *x = PL_ALLOC(double, 3 * n), size = 0.0;
    CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
    for (int i = 0; i < 3 * n; i++) {
        size_t at = 4 * (size_t)s->f.order.place[i / 3] + (size_t)(i % 3);
        s->f.b[at] = (float)(b[i] = pl_random_uniform(&random, -1.0, 1.0));
        s->f.x[at] = (float)(x[i] = pl_random_uniform(&random, -1.0, 1.0));
        if (from_zero) x[i] = 0.0;
    }
    pl_scalar_fine_smooth(&s->f, pool, sweep_count, backward, from_zero);
    for (int k = 0; k < sweep_count; k++) reference_sweep(s, k % 2 ? !backward : backward, b, x);
    for (int i = 0; i < 3 * n; i++) size = fmax(size, fabs(x[i]));
    for (int i = 0; i < 3 * n; i++) {
        size_t at = 4 * (size_t)s->f.order.place[i / 3] + (size_t)(i % 3);
        CHECK_NEAR((double)s->f.x[at], x[i], 1e-5 * size);
    }
    pl_pool_destroy(pool);
    PL_FREE(b, double, 3 * n);
    PL_FREE(x, double, 3 * n);
}

static void check_all(sample* s) {
    for (int count = 1; count <= 4; count++)
        for (int k = 0; k < 4; k++) check_sweeps(s, count, k % 2, k / 2, 1 + count % 2);
}

TEST(scalar_fine_slabs)
{
    sample s = create(60, 9);
    CHECK_INT(s.f.order.phase_count, 2);
    CHECK(s.f.lower.near && s.f.upper.near);
    check_all(&s);
    destroy(&s);
}

TEST(scalar_fine_one_slab)
{
    sample s = create(20, 5);
    CHECK_INT(s.f.order.phase_count, 1);
    check_all(&s);
    destroy(&s);
}

// a row that is coupled with all others: colours, and columns too far apart for 16 bits
TEST(scalar_fine_far_columns)
{
    sample s = create(36000, 0);
    CHECK(s.f.order.phase_count > 2);
    CHECK(s.f.lower.far || s.f.upper.far);
    check_sweeps(&s, 4, false, true, 2);
    check_sweeps(&s, 3, true, false, 1);
    destroy(&s);
}
