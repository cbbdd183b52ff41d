// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// peer_cholmod FILE REPEATS [amd]: CHOLMOD, supernodal, nested dissection by METIS where it has it.
// setup is its analysis, update its factorisation, solve that of all right-hand sides at once with
// workspace kept from solve to solve, on two threads or on one, whichever is faster.
#include "../system_file.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <suitesparse/cholmod.h>

// column j of the upper triangle is row j of the lower one, A being symmetric
static void fill_upper(const system_rows* s, cholmod_sparse* A) {
    int block = s->header.block;
    SuiteSparse_long *starts = A->p, *rows = A->i, count = 0;
    double* values = A->x;
    for (int i = 0; i < block * s->count; i++) {
        int row = i / block, r = i % block;
        starts[i] = count;
        for (int e = s->offsets[row]; e < s->offsets[row + 1]; e++)
            for (int c = 0; c < block; c++) {
                int column = block * s->columns[e] + c;
                if (column > i) continue;
                rows[count] = column;
                values[count++] =
                    s->values[(size_t)(block * block) * (size_t)e + (size_t)(block * r + c)];
            }
    }
    starts[block * s->count] = count;
}

static cholmod_sparse* make_matrix(const system_rows* s, cholmod_common* common) {
    size_t n = (size_t)(s->header.block * s->count), block = (size_t)s->header.block;
    size_t most = block * block * ((size_t)s->header.entry_count + (size_t)s->count) / 2;
    cholmod_sparse* A = cholmod_l_allocate_sparse(n, n, most, 1, 1, 1, CHOLMOD_REAL, common);
    if (A) fill_upper(s, A);
    return A;
}

static cholmod_dense* make_rhs(const system_rows* s, cholmod_common* common) {
    size_t n = (size_t)(s->header.block * s->count), count = (size_t)s->header.rhs_count;
    cholmod_dense* b = cholmod_l_allocate_dense(n, count, n, CHOLMOD_REAL, common);
    if (!b) return NULL;
    double* to = b->x;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count; k++) to[k * n + i] = s->rhs[count * i + k];
    return b;
}

static double relative_residual(cholmod_sparse* A, cholmod_dense* b, cholmod_dense* x,
                                cholmod_common* common) {
    cholmod_dense* r = cholmod_l_copy_dense(b, common);
    double minus_one[2] = {-1.0, 0.0}, one[2] = {1.0, 0.0}, largest = 0.0;
    if (!r || !cholmod_l_sdmult(A, 0, minus_one, one, x, r, common)) return NAN;
    for (size_t k = 0; k < b->ncol; k++) {
        double top = 0.0, bottom = 0.0;
        for (size_t i = 0; i < b->nrow; i++) {
            double ri = ((double*)r->x)[k * b->nrow + i], bi = ((double*)b->x)[k * b->nrow + i];
            top += ri * ri;
            bottom += bi * bi;
        }
        largest = fmax(largest, sqrt(top / bottom));
    }
    cholmod_l_free_dense(&r, common);
    return largest;
}

static cholmod_factor* analyse(cholmod_sparse* A, int ordering, cholmod_common* common) {
    common->supernodal = CHOLMOD_SUPERNODAL;
    common->nmethods = 1;
    common->method[0].ordering = ordering;
    common->postorder = 1;
    double start = peer_seconds();
    cholmod_factor* L = cholmod_l_analyze(A, common);
    if (L) {
        peer_result("setup", peer_seconds() - start);
        printf("note ordering by %s\n", L->ordering == CHOLMOD_METIS ? "METIS" : "AMD");
    }
    return L;
}

// Kept from solve to solve.
typedef struct vectors {
    cholmod_dense *x, *Y, *E;
} vectors;

// median seconds, negative on failure
static double solve(cholmod_dense* b, cholmod_factor* L, vectors* v, int repeats,
                    cholmod_common* common) {
    double seconds[PEER_MAX_REPEATS];
    for (int k = -1; k < repeats; k++) {
        double start = peer_seconds();
        if (!cholmod_l_solve2(CHOLMOD_A, L, b, NULL, &v->x, NULL, &v->Y, &v->E, common))
            return -1.0;
        if (k >= 0) seconds[k] = peer_seconds() - start;
    }
    return peer_median(seconds, repeats);
}

static int factor_and_solve(cholmod_sparse* A, cholmod_dense* b, cholmod_factor* L, int repeats,
                            cholmod_common* common) {
    vectors v = {0};
    // a factorisation takes long and varies little: one is enough, solves are repeated
    double start = peer_seconds();
    if (!cholmod_l_factorize(A, L, common) || common->status != CHOLMOD_OK) return 1;
    double update = peer_seconds() - start;
    double best = solve(b, L, &v, repeats, common);
    // the panels of a solve are small: one thread is often faster than two
    if (peer_blas_threads(1)) {
        double alone = solve(b, L, &v, repeats, common);
        printf("note solve %.4g s on two threads, %.4g s on one\n", best, alone);
        best = fmin(best, alone);
    }
    if (best < 0.0) return 1;
    peer_result("update", update);
    peer_result("solve", best);
    peer_result("total", update + best);
    peer_result("iterations", 0);
    peer_result("peak", peer_peak());
    peer_result("residual", relative_residual(A, b, v.x, common));
    cholmod_l_free_dense(&v.x, common);
    cholmod_l_free_dense(&v.Y, common);
    cholmod_l_free_dense(&v.E, common);
    return 0;
}

int main(int argc, char** argv) {
    system_rows s;
    if (argc < 3) {
        fprintf(stderr, "usage: peer_cholmod FILE REPEATS [amd]\n");
        return 2;
    }
    if (!system_file_read(argv[1], 0, 1, &s)) return 1;
    cholmod_common common;
    cholmod_l_start(&common);
    cholmod_sparse* A = make_matrix(&s, &common);
    cholmod_dense* b = make_rhs(&s, &common);
    system_rows_free(&s);
    peer_reset_peak();
    peer_note_blas();
    int ordering = argc > 3 && strcmp(argv[3], "amd") == 0 ? CHOLMOD_AMD : CHOLMOD_METIS;
    cholmod_factor* L = A && b ? analyse(A, ordering, &common) : NULL;
    // built without METIS it fails: then AMD
    if (A && b && !L && ordering == CHOLMOD_METIS) L = analyse(A, CHOLMOD_AMD, &common);
    int result = L ? factor_and_solve(A, b, L, peer_repeats(argv[2]), &common) : 1;
    if (result) fprintf(stderr, "peer_cholmod: failed with status %d\n", common.status);
    cholmod_l_free_factor(&L, &common);
    cholmod_l_free_dense(&b, &common);
    cholmod_l_free_sparse(&A, &common);
    cholmod_l_finish(&common);
    return result;
}
