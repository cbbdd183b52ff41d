// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes against ARPACK (Lehoucq, Sorensen and Yang 1998), which works on explicit dense matrices
// with a dense factor, and so shares nothing with the solvers that it checks.
#include "base/array.h"
#include "base/memory.h"
#include "modes/mode_set.h"
#include "test.h"
#include "verify.h"

#include <arpack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// L L' of a dense matrix, in its lower triangle
static void factor(int n, double* A) {
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++) A[i * n + j] -= A[i * n + k] * A[j * n + k];
        double pivot = sqrt(A[j * n + j]);
        for (int i = j; i < n; i++) A[i * n + j] /= pivot;
    }
}

static void solve(int n, const double* L, double* x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

static void multiply(int n, const double* A, const double* x, double* y) {
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
    }
}

// The lowest values of K u = lambda M u by shift and invert: mode 3 of dsaupd around -sigma.
static void arpack(int n, const double* K, const double* M, double sigma, int wanted,
                   double* values) {
    a_int ido = 0, info = 0, room = 2 * wanted + 10, iparam[11] = {1, 0, 300}, ipntr[11];
    iparam[6] = 3;
    a_int work_size = room * (room + 8);
    double *L = malloc((size_t)n * (size_t)n * sizeof *L), *residual = calloc((size_t)n, sizeof *L);
    double *V = calloc((size_t)n * (size_t)room, sizeof *L),
           *work = calloc(3 * (size_t)n, sizeof *L);
    double *more = calloc((size_t)work_size, sizeof *L), *Mx = calloc((size_t)n, sizeof *L);
    for (int i = 0; i < n * n; i++) L[i] = K[i] + sigma * M[i];
    factor(n, L);
    for (;;) {
        dsaupd_c(&ido, "G", n, "LM", wanted, 1e-13, residual, room, V, n, iparam, ipntr, work, more,
                 work_size, &info);
        double *x = work + ipntr[0] - 1, *y = work + ipntr[1] - 1;
        if (ido == -1 || ido == 1) {
            if (ido == 1) memcpy(y, work + ipntr[2] - 1, (size_t)n * sizeof *y);
            else multiply(n, M, x, y);
            solve(n, L, y);
        } else if (ido == 2) {
            multiply(n, M, x, y);
        } else {
            break;
        }
    }
    CHECK_INT(info, 0);
    a_int* select = calloc((size_t)room, sizeof *select);
    dseupd_c(0, "A", select, values, V, n, -sigma, "G", n, "LM", wanted, 1e-13, residual, room, V,
             n, iparam, ipntr, work, more, work_size, &info);
    CHECK_INT(info, 0);
    void* all[] = {L, residual, V, work, more, Mx, select};
    for (int k = 0; k < 7; k++) free(all[k]);
}

// The dense matrices of what is free: index[v] counts free vertices, or is -1.
static void to_dense(const pl_block_matrix* K, const pl_block_matrix* M, const int* index, int n,
                     double* dense_K, double* dense_M) {
    memset(dense_K, 0, (size_t)n * (size_t)n * sizeof(double));
    memset(dense_M, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int v = 0; v < K->row_count; v++)
        for (int e = K->offsets[v]; e < K->offsets[v + 1]; e++)
            for (int i = 0; i < 9; i++) {
                int a = index[v], b = index[K->columns[e]];
                if (a < 0 || b < 0) continue;
                int at = (3 * a + i / 3) * n + 3 * b + i % 3;
                dense_K[at] = K->values[9 * e + i];
                if (i % 4 == 0) dense_M[at] = M->values[e];
            }
}

static void compare(bool held, pl_modes_solver solver) {
    enum { MODES = 12, RIGID = 6 };
    pl_mesh* mesh;
    pl_block_matrix K, M;
    double *mass, values[MODES + RIGID];
    pl_error error = {0};
    pl_material material;
    CHECK_OK(verify_box(0.3, 0.1, 0.1, 3, 1, 1, PL_PATTERN_BCC, &mesh, &error), &error);
    CHECK_OK(pl_material_from_young(PL_MATERIAL_LINEAR, 1e6, 0.3, &material, &error), &error);
    int vertices = mesh->vertex_count, count = 0;
    bool* fixed = calloc((size_t)vertices, sizeof *fixed);
    int* index = malloc((size_t)vertices * sizeof *index);
    for (int v = 0; v < vertices; v++) {
        fixed[v] = held && mesh->positions[3 * v] < 1e-9;
        index[v] = fixed[v] ? -1 : count++;
    }
    CHECK_OK(verify_stiffness(mesh, &material, 1000.0, fixed, &K, &M, &mass, &error), &error);
    int n = 3 * count;
    double *dense_K = malloc((size_t)n * (size_t)n * sizeof *dense_K),
           *dense_M = malloc((size_t)n * (size_t)n * sizeof *dense_M);
    to_dense(&K, &M, index, n, dense_K, dense_M);
    pl_modes_problem p = {
        .K = &K, .mass = mass, .M = &M, .positions = mesh->positions, .fixed = fixed};
    pl_mode_set m;
    pl_modes_settings settings = {.count = MODES, .tolerance = 1e-13, .solver = solver};
    CHECK_OK(pl_modes_find(&p, &settings, NULL, &m, &error), &error);
    CHECK_INT(m.rigid_count, held ? 0 : RIGID);
    double sigma = 0.5 * m.lambda[m.rigid_count];
    arpack(n, dense_K, dense_M, sigma, m.count, values);
    qsort(values, (size_t)m.count, sizeof(double), pl_compare_doubles);
    for (int k = 0; k < m.count; k++)
        CHECK_NEAR(m.lambda[k], values[k], 1e-9 * fmax(values[k], sigma));
    pl_mode_set_free(&m);
    pl_block_matrix_free(&K);
    pl_block_matrix_free(&M);
    PL_FREE(mass, double, vertices);
    pl_mesh_destroy(mesh);
    void* all[] = {fixed, index, dense_K, dense_M};
    for (int k = 0; k < 4; k++) free(all[k]);
}

TEST(modes_equal_those_of_arpack)
{
    for (int held = 0; held < 2; held++) {
        compare(held, PL_MODES_DIRECT);
        compare(held, PL_MODES_MULTIGRID);
    }
}
