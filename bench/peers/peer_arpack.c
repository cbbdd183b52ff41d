// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// peer_arpack FILE COUNT SIGMA: the COUNT lowest modes by ARPACK in shift-and-invert mode around
// -SIGMA, with the factor of K + SIGMA M by CHOLMOD (supernodal, METIS where it has it). COUNT has
// the six rigid modes of a free body in it. Prints what peer_modes prints. The tolerance is 1e-6,
// that of the shapes which pliant is asked for.
#include "../system_file.h"
#include "peer.h"

#include <arpack.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include <time.h>

typedef struct solver {
    const system_rows* s;
    double* mass; // per unknown
    int n;
    cholmod_common common;
    cholmod_factor* L;
    cholmod_dense *b, *x, *Y, *E;
} solver;

// the lower triangle by columns, with sigma M on the diagonal
static cholmod_sparse* shifted(solver* v, double sigma) {
    const system_rows* s = v->s;
    size_t n = (size_t)v->n, most = 9 * ((size_t)s->header.entry_count + (size_t)s->count) / 2;
    cholmod_sparse* A = cholmod_l_allocate_sparse(n, n, most, 1, 1, 1, CHOLMOD_REAL, &v->common);
    if (!A) return NULL;
    SuiteSparse_long *starts = A->p, *rows = A->i, count = 0;
    double* values = A->x;
    for (int i = 0; i < v->n; i++) {
        int row = i / 3, r = i % 3;
        starts[i] = count;
        for (int e = s->offsets[row]; e < s->offsets[row + 1]; e++)
            for (int c = 0; c < 3; c++) {
                int column = 3 * s->columns[e] + c;
                if (column > i) continue;
                rows[count] = column;
                values[count++] = s->values[9 * (size_t)e + (size_t)(3 * r + c)] +
                                  (column == i ? sigma * v->mass[i] : 0.0);
            }
    }
    starts[n] = count;
    return A;
}

static int factor(solver* v, double sigma) {
    cholmod_sparse* A = shifted(v, sigma);
    if (!A) return 1;
    v->common.supernodal = CHOLMOD_SUPERNODAL;
    v->common.nmethods = 1;
    v->common.method[0].ordering = CHOLMOD_METIS;
    v->common.postorder = 1;
    v->L = cholmod_l_analyze(A, &v->common);
    if (!v->L) {
        v->common.method[0].ordering = CHOLMOD_AMD;
        v->L = cholmod_l_analyze(A, &v->common);
    }
    bool ok = v->L && cholmod_l_factorize(A, v->L, &v->common) && v->common.status == CHOLMOD_OK;
    cholmod_l_free_sparse(&A, &v->common);
    v->b = cholmod_l_allocate_dense((size_t)v->n, 1, (size_t)v->n, CHOLMOD_REAL, &v->common);
    return ok && v->b ? 0 : 1;
}

static int apply_inverse(solver* v, const double* Mx, double* y) {
    memcpy(v->b->x, Mx, (size_t)v->n * sizeof(double));
    if (!cholmod_l_solve2(CHOLMOD_A, v->L, v->b, NULL, &v->x, NULL, &v->Y, &v->E, &v->common))
        return 1;
    memcpy(y, v->x->x, (size_t)v->n * sizeof(double));
    return 0;
}

static void apply_mass(const solver* v, const double* x, double* y) {
    for (int i = 0; i < v->n; i++) y[i] = v->mass[i] * x[i];
}

// |K u - lambda M u| / |K u|
static double residual_of(const solver* v, double lambda, const double* u) {
    const system_rows* s = v->s;
    double top = 0.0, bottom = 0.0;
    for (int i = 0; i < v->n; i++) {
        double sum = 0.0;
        for (int e = s->offsets[i / 3]; e < s->offsets[i / 3 + 1]; e++)
            for (int c = 0; c < 3; c++)
                sum += s->values[9 * (size_t)e + (size_t)(3 * (i % 3) + c)] *
                       u[3 * (size_t)s->columns[e] + (size_t)c];
        double r = sum - lambda * v->mass[i] * u[i];
        top += r * r;
        bottom += sum * sum;
    }
    return sqrt(top / bottom);
}

static void report(const solver* v, int count, double sigma, const double* values,
                   const double* vectors) {
    double lowest = INFINITY, highest = 0.0, largest = 0.0;
    for (int k = 0; k < count; k++) {
        highest = fmax(highest, values[k]);
        if (values[k] < 1e-3 * sigma) continue; // rigid
        lowest = fmin(lowest, values[k]);
        largest = fmax(largest, residual_of(v, values[k], vectors + (size_t)k * (size_t)v->n));
    }
    peer_result("residual", largest);
    peer_result("lowest", lowest);
    peer_result("highest", highest);
}

// Seconds count from the starts.
static int find(solver* v, int count, double sigma, double start, clock_t cpu_start) {
    const double tolerance = 1e-6;
    int room = 2 * count + 10, solves = 0;
    size_t n = (size_t)v->n;
    a_int ido = 0, info = 0, iparam[11] = {1, 0, 300}, ipntr[11], work_size = room * (room + 8);
    iparam[6] = 3;
    double *residual = calloc(n, sizeof(double)), *V = calloc(n * (size_t)room, sizeof(double));
    double *work = calloc(3 * n, sizeof(double)), *values = calloc((size_t)count, sizeof(double));
    double* more = calloc((size_t)work_size, sizeof(double));
    a_int* select = calloc((size_t)room, sizeof(a_int));
    int result = residual && V && work && values && more && select ? 0 : 1;
    while (result == 0) {
        dsaupd_c(&ido, "G", v->n, "LM", count, tolerance, residual, room, V, v->n, iparam, ipntr,
                 work, more, work_size, &info);
        double *x = work + ipntr[0] - 1, *y = work + ipntr[1] - 1;
        if (ido != -1 && ido != 1 && ido != 2) break;
        if (ido == 1) memcpy(y, work + ipntr[2] - 1, n * sizeof(double));
        else apply_mass(v, x, y);
        if (ido != 2) result = apply_inverse(v, y, y), solves++;
    }
    if (result == 0 && info == 0)
        dseupd_c(1, "A", select, values, V, v->n, -sigma, "G", v->n, "LM", count, tolerance,
                 residual, room, V, v->n, iparam, ipntr, work, more, work_size, &info);
    result = result || info != 0;
    printf("note %d solves\n", solves);
    peer_result("total", peer_seconds() - start);
    peer_result("cpu", (double)(clock() - cpu_start) / CLOCKS_PER_SEC);
    if (result == 0) report(v, count, sigma, values, V);
    void* all[] = {residual, V, work, values, more, select};
    for (int k = 0; k < 6; k++) free(all[k]);
    return result;
}

int main(int argc, char** argv) {
    system_rows s;
    if (argc < 4) {
        fprintf(stderr, "usage: peer_arpack FILE COUNT SIGMA\n");
        return 2;
    }
    if (!system_file_read(argv[1], 0, 1, &s)) return 1;
    solver v = {.s = &s, .mass = s.rhs, .n = 3 * s.count};
    cholmod_l_start(&v.common);
    peer_reset_peak();
    peer_note_blas();
    clock_t cpu_start = clock();
    double sigma = atof(argv[3]), start = peer_seconds();
    int result = factor(&v, sigma);
    if (result == 0) result = find(&v, atoi(argv[2]), sigma, start, cpu_start);
    if (result) fprintf(stderr, "peer_arpack: failed, CHOLMOD's status is %d\n", v.common.status);
    else peer_result("peak", peer_peak());
    cholmod_l_free_dense(&v.b, &v.common);
    cholmod_l_free_dense(&v.x, &v.common);
    cholmod_l_free_dense(&v.Y, &v.common);
    cholmod_l_free_dense(&v.E, &v.common);
    cholmod_l_free_factor(&v.L, &v.common);
    cholmod_l_finish(&v.common);
    system_rows_free(&s);
    return result;
}
