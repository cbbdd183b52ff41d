// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Table 3: how much of the error is left after the coarse solve of a two-grid cycle, for nodes
// of 12 or 3 unknowns, and weights that are piecewise constant or smooth. Frame 30 of the swinging
// armadillo; three sweeps of symmetric Gauss-Seidel go first.
//
// The matrix acts on each coordinate alone, so 12 unknowns are 4 for each of three right-hand
// sides. All of it dense and in double: this is a study, not a solver.
//
// In place of bounded biharmonic weights: the piecewise constant ones, smoothed by one implicit
// step of diffusion over a length of half the distance between nodes, (M + t L) w = M chi. They lie
// between 0 and 1 and add up to 1 as well. Weights below 1e-3 are dropped.
//
// --quick: a quarter of the nodes on the smallest armadillo, under names that say so.
#include "base/memory.h"
#include "mesh/sampling.h"
#include "s0_system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAME = 30, SWEEPS = 3 };

typedef struct study {
    const s0_system* s;
    int n, nodes, dofs, unknowns; // unknowns: nodes * dofs
    double* W;                    // weights, n x nodes
    double* U;                    // n x unknowns
    double* AU;                   // the same
    double* C;                    // U' A U, then its factor
    double *x, *error, *residual; // 3 per vertex
} study;

static void free_study(study* t) {
    size_t n = (size_t)t->n, m = (size_t)t->unknowns;
    PL_FREE(t->W, double, n*(size_t)t->nodes);
    PL_FREE(t->U, double, n* m);
    PL_FREE(t->AU, double, n* m);
    PL_FREE(t->C, double, m* m);
    PL_FREE(t->x, double, 3 * n);
    PL_FREE(t->error, double, 3 * n);
    PL_FREE(t->residual, double, 3 * n);
}

static bool alloc_study(study* t) {
    size_t n = (size_t)t->n, m = (size_t)t->unknowns;
    t->W = PL_ALLOC(double, n*(size_t)t->nodes);
    t->U = PL_ALLOC(double, n* m);
    t->AU = PL_ALLOC(double, n* m);
    t->C = PL_ALLOC(double, m* m);
    t->x = PL_ALLOC(double, 3 * n);
    t->error = PL_ALLOC(double, 3 * n);
    t->residual = PL_ALLOC(double, 3 * n);
    return t->W && t->U && t->AU && t->C && t->x && t->error && t->residual;
}

// (M + t L) w = M chi, from the matrix M / h^2 + L of the system
static pl_status smooth_weights(study* t, double length, pl_error* error) {
    pl_block_matrix D;
    const pl_block_matrix* A = &t->s->A;
    pl_status status =
        pl_block_matrix_setup(&D, t->n, 1, t->s->graph.offsets, t->s->graph.items, error);
    if (status != PL_OK) return status;
    // the stiffness 2 mu of the system is divided out again: rows of L have the sum 0
    for (int i = 0; i < t->n; i++) {
        double sum = 0.0;
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            if (A->columns[e] == i) continue;
            D.values[e] = A->values[e] / 1000.0 * length * length;
            sum += D.values[e];
        }
        D.values[A->diagonal[i]] = t->s->mass[i] - sum;
    }
    pl_direct* direct = NULL;
    double* w = PL_ALLOC(double, t->n);
    status = w ? pl_direct_setup(&D, &direct, error) : pl_fail_memory(error, "weights");
    if (status == PL_OK) status = pl_direct_update(direct, &D, NULL, error);
    for (int k = 0; status == PL_OK && k < t->nodes; k++) {
        for (int i = 0; i < t->n; i++)
            w[i] = t->s->mass[i] * t->W[(size_t)i * (size_t)t->nodes + (size_t)k];
        pl_direct_solve(direct, 1, w, w);
        for (int i = 0; i < t->n; i++)
            t->W[(size_t)i * (size_t)t->nodes + (size_t)k] = w[i] > 1e-3 ? w[i] : 0.0;
    }
    for (int i = 0; status == PL_OK && i < t->n; i++) {
        double sum = 0.0, *row = t->W + (size_t)i * (size_t)t->nodes;
        for (int k = 0; k < t->nodes; k++) sum += row[k];
        for (int k = 0; k < t->nodes; k++) row[k] /= sum;
    }
    PL_FREE(w, double, t->n);
    pl_direct_destroy(direct);
    pl_block_matrix_free(&D);
    return status;
}

static pl_status make_weights(study* t, bool smooth, pl_error* error) {
    int item_count = t->s->graph.offsets[t->n];
    double* lengths = PL_ALLOC(double, item_count);
    if (!lengths) return pl_fail_memory(error, "weights");
    pl_samples samples;
    pl_edge_lengths(&t->s->graph, t->s->rest, lengths);
    pl_status status =
        pl_sample_furthest(&t->s->graph, lengths, NULL, 0, t->nodes, &samples, error);
    PL_FREE(lengths, double, item_count);
    if (status != PL_OK) return status;
    for (int i = 0; i < t->n; i++)
        t->W[(size_t)i * (size_t)t->nodes + (size_t)samples.nearest[i]] = 1.0;
    if (smooth) status = smooth_weights(t, 0.5 * samples.radii[t->nodes - 1], error);
    // U: the weight times the point, relative to the sample, and 1
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < t->nodes; k++) {
            double w = t->W[(size_t)i * (size_t)t->nodes + (size_t)k];
            double* u = t->U + (size_t)i * (size_t)t->unknowns + (size_t)(k * t->dofs);
            u[0] = w;
            for (int c = 0; c + 1 < t->dofs; c++)
                u[c + 1] =
                    w * 10.0 * (t->s->rest[3 * i + c] - t->s->rest[3 * samples.vertices[k] + c]);
        }
    pl_samples_free(&samples);
    return status;
}

static void coarse_matrix(study* t) {
    const pl_block_matrix* A = &t->s->A;
    size_t m = (size_t)t->unknowns;
    for (int i = 0; i < t->n; i++)
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            const double* u = t->U + (size_t)A->columns[e] * m;
            double *out = t->AU + (size_t)i * m, a = A->values[e];
            for (size_t c = 0; c < m; c++) out[c] += a * u[c];
        }
    for (int i = 0; i < t->n; i++) {
        const double *u = t->U + (size_t)i * m, *au = t->AU + (size_t)i * m;
        for (size_t r = 0; r < m; r++)
            for (size_t c = 0; u[r] != 0.0 && c < m; c++) t->C[r * m + c] += u[r] * au[c];
    }
}

// non-zeros of U' A U with all three coordinates
static double count_non_zeros(const study* t) {
    size_t count = 0, m = (size_t)t->unknowns;
    for (size_t k = 0; k < m * m; k++) count += t->C[k] != 0.0;
    return 9.0 * (double)count;
}

// C = L L', with a little on the diagonal for what is not seen
static void factor(study* t) {
    size_t m = (size_t)t->unknowns;
    double* C = t->C;
    for (size_t j = 0; j < m; j++) {
        double pivot = C[j * m + j] * (1.0 + 1e-12);
        for (size_t k = 0; k < j; k++) pivot -= C[j * m + k] * C[j * m + k];
        C[j * m + j] = sqrt(pivot > 0.0 ? pivot : 1e300);
        for (size_t i = j + 1; i < m; i++) {
            double sum = C[i * m + j];
            for (size_t k = 0; k < j; k++) sum -= C[i * m + k] * C[j * m + k];
            C[i * m + j] = sum / C[j * m + j];
        }
    }
}

static void solve_coarse(const study* t, double* y) {
    size_t m = (size_t)t->unknowns;
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < i; k++) y[i] -= t->C[i * m + k] * y[k];
        y[i] /= t->C[i * m + i];
    }
    for (size_t i = m; i-- > 0;) {
        for (size_t k = i + 1; k < m; k++) y[i] -= t->C[k * m + i] * y[k];
        y[i] /= t->C[i * m + i];
    }
}

static void gauss_seidel(const pl_block_matrix* A, const double* b, double* x, bool backward) {
    for (int k = 0; k < A->row_count; k++) {
        int i = backward ? A->row_count - 1 - k : k;
        double sum[3] = {b[3 * i], b[3 * i + 1], b[3 * i + 2]};
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            for (int c = 0; A->columns[e] != i && c < 3; c++)
                sum[c] -= A->values[e] * x[3 * A->columns[e] + c];
        for (int c = 0; c < 3; c++) x[3 * i + c] = sum[c] / A->values[A->diagonal[i]];
    }
}

static void norms(const study* t, const double* v, double* plain, double* energy) {
    double* Av = t->residual; // free by then
    pl_block_matrix_apply(&t->s->A, NULL, 3, v, Av);
    *plain = *energy = 0.0;
    for (int i = 0; i < 3 * t->n; i++) {
        *plain += v[i] * v[i];
        *energy += v[i] * Av[i];
    }
    *plain = sqrt(*plain);
    *energy = sqrt(*energy);
}

// error before and after the coarse solve, in both norms
static bool reduce(study* t, double* rho, double* rho_energy) {
    const s0_system* s = t->s;
    size_t m = (size_t)t->unknowns;
    double *y = PL_ALLOC(double, m), before[2], after[2];
    if (!y) return false;
    for (int k = 0; k < 2 * SWEEPS; k++) gauss_seidel(&s->A, s->b, t->x, k % 2 == 1);
    pl_direct_solve(s->direct, 3, s->b, t->error);
    for (int i = 0; i < 3 * t->n; i++) t->error[i] -= t->x[i];
    norms(t, t->error, &before[0], &before[1]);
    pl_block_matrix_apply(&s->A, NULL, 3, t->error, t->residual);
    for (int c = 0; c < 3; c++) {
        memset(y, 0, m * sizeof(double));
        for (int i = 0; i < t->n; i++)
            for (size_t k = 0; k < m; k++) y[k] += t->U[(size_t)i * m + k] * t->residual[3 * i + c];
        solve_coarse(t, y);
        for (int i = 0; i < t->n; i++)
            for (size_t k = 0; k < m; k++) t->error[3 * i + c] -= t->U[(size_t)i * m + k] * y[k];
    }
    norms(t, t->error, &after[0], &after[1]);
    PL_FREE(y, double, m);
    *rho = after[0] / before[0];
    *rho_energy = after[1] / before[1];
    return true;
}

// the paper's value stands beside results of its set-ups only
static bool run(bench* b, const s0_system* s, int nodes, int dofs, bool smooth, double paper) {
    char name[32];
    snprintf(name, sizeof name, "%dx%d_%s", nodes, 3 * dofs, smooth ? "smooth" : "const");
    if (bench_quick(b)) paper = NAN;
    pl_error error;
    study t = {.s = s, .n = s->A.row_count, .nodes = nodes, .dofs = dofs, .unknowns = nodes * dofs};
    double rho = 0.0, rho_energy = 0.0;
    char text[64];
    bool ok = alloc_study(&t);
    ok = ok && make_weights(&t, smooth, &error) == PL_OK;
    if (ok) {
        coarse_matrix(&t);
        double non_zeros = count_non_zeros(&t);
        factor(&t);
        ok = reduce(&t, &rho, &rho_energy);
        snprintf(text, sizeof text, "rho_%s", name);
        bench_result(b, text, rho, "", paper);
        snprintf(text, sizeof text, "rho_A_%s", name);
        bench_result(b, text, rho_energy, "", NAN);
        snprintf(text, sizeof text, "non_zeros_%s", name);
        bench_result(b, text, non_zeros, "", NAN);
    }
    free_study(&t);
    return ok;
}

bool bench_s0_table3(bench* b) {
    s0_system s;
    int nodes = bench_quick(b) ? 20 : 100;
    if (!s0_system_create(&s, b, 500.0, FRAME)) return false;
    printf("  %d vertices, %d tets, frame %d\n", s.mesh->vertex_count, s.mesh->tet_count, FRAME);
    bool ok = run(b, &s, nodes, 4, false, 0.058) && run(b, &s, nodes, 4, true, 0.019) &&
              run(b, &s, nodes, 1, false, 0.494) && run(b, &s, 4 * nodes, 1, false, 0.407);
    s0_system_free(&s);
    return ok;
}
