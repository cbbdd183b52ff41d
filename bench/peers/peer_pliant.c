// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// peer_pliant FILE REPEATS [TOLERANCE]: pliant's own multigrid on two threads, with the settings
// that everybody gets: conjugate gradients around the cycle, for mixed systems (4 x 4 blocks)
// flexible GMRES, to 1e-3 or as given. For matrices of Projective Dynamics it also measures one
// cycle (two symmetric sweeps on each side, three right-hand sides at once):
//
//   cycle           seconds of one cycle from b to x
//   cycle_residual  |b - A x| / |b| after that one
#include "../system_file.h"
#include "base/memory.h"
#include "mixed/mixed_cycles.h"
#include "multigrid/scalar_multigrid.h"
#include "peer.h"

#include <math.h>
#include <pliant/multigrid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, MAX_ITERATIONS = 1000 };
static double tolerance = 1e-3;

typedef struct times {
    double update[PEER_MAX_REPEATS], solve[PEER_MAX_REPEATS], total[PEER_MAX_REPEATS];
    double cpu[PEER_MAX_REPEATS], used; // used: processor seconds at the last change of values
} times;

static int fail(const pl_error* error) {
    fprintf(stderr, "peer_pliant: %s\n", error->text);
    return 1;
}

// twice the matrix and back, as the peers do
static void change_values(system_rows* s, int repeat, times* t) {
    size_t block = (size_t)s->header.block, count = block * block * (size_t)s->header.entry_count;
    for (size_t i = 0; i < count; i++) s->values[i] *= repeat % 2 ? 0.5 : 2.0;
    t->used = peer_cpu_seconds();
}

// A as pliant's reference matrix; the arrays stay those of s
static pl_block_matrix view(const system_rows* s, int* diagonal) {
    for (int i = 0; i < s->count; i++)
        for (int e = s->offsets[i]; e < s->offsets[i + 1]; e++)
            if (s->columns[e] == i) diagonal[i] = e;
    return (pl_block_matrix){.row_count = s->count,
                             .block = s->header.block,
                             .offsets = s->offsets,
                             .columns = s->columns,
                             .diagonal = diagonal,
                             .values = s->values};
}

// the largest over the right-hand sides
static double relative_residual(const system_rows* s, const pl_block_matrix* A, const double* x) {
    int rhs_count = s->header.rhs_count, count = s->header.block * s->count;
    double* r = PL_ALLOC(double, (size_t)count*(size_t)rhs_count);
    if (!r) return NAN;
    double largest = 0.0;
    pl_block_matrix_apply(A, NULL, rhs_count, x, r);
    for (int k = 0; k < rhs_count; k++) {
        double top = 0.0, bottom = 0.0;
        for (int i = k; i < count * rhs_count; i += rhs_count) {
            top += (s->rhs[i] - r[i]) * (s->rhs[i] - r[i]);
            bottom += s->rhs[i] * s->rhs[i];
        }
        largest = fmax(largest, sqrt(top / bottom));
    }
    PL_FREE(r, double, (size_t)count*(size_t)rhs_count);
    return largest;
}

static void print_times(times* t, int repeats, double setup, int iterations) {
    peer_result("setup", setup);
    peer_result("update", peer_median(t->update, repeats));
    peer_result("solve", peer_median(t->solve, repeats));
    peer_result("total", peer_median(t->total, repeats));
    peer_result("iterations", iterations);
    peer_result("peak", peer_peak());
    peer_result("cpu", peer_median(t->cpu, repeats));
}

static void take_time(times* t, int repeat, double start, double middle, double end) {
    t->update[repeat] = middle - start;
    t->solve[repeat] = end - middle;
    t->total[repeat] = end - start;
    t->cpu[repeat] = peer_cpu_seconds() - t->used;
}

static int solve_elasticity(system_rows* s, pl_pool* pool, const pl_block_matrix* A, double* x,
                            int repeats) {
    pl_error error;
    pl_mg_solver* solver;
    pl_mg_info info;
    pl_mg_def def = pl_default_mg_def();
    def.conjugate_gradients = true;
    def.pool = pool;
    pl_mg_blocks blocks = {s->count, s->offsets, s->columns, s->values};
    times t;
    double start = peer_seconds();
    if (pl_mg_create(&def, &blocks, s->positions, &solver, &error) != PL_OK) return fail(&error);
    double setup = peer_seconds() - start;
    pl_mg_solve(solver, s->rhs, x, tolerance, MAX_ITERATIONS, &info);
    for (int k = 0; k < repeats; k++) {
        change_values(s, k, &t);
        memset(x, 0, 3 * (size_t)s->count * sizeof(double));
        start = peer_seconds();
        if (pl_mg_update(solver, NULL, &error) != PL_OK) return fail(&error);
        double middle = peer_seconds();
        pl_mg_solve(solver, s->rhs, x, tolerance, MAX_ITERATIONS, &info);
        take_time(&t, k, start, middle, peer_seconds());
    }
    print_times(&t, repeats, setup, info.iterations);
    peer_result("residual", relative_residual(s, A, x));
    printf("note levels");
    for (int l = info.level_count - 1; l > 0; l--) printf(" %d", info.node_counts[l]);
    printf("\n");
    pl_mg_destroy(solver);
    return info.converged ? 0 : 1;
}

static int solve_mixed(system_rows* s, pl_pool* pool, const pl_block_matrix* A, double* x,
                       int repeats) {
    pl_error error;
    pl_mixed_cycles* cycles;
    const pl_multigrid keys = pl_default_body().multigrid;
    const pl_linear_options options = {.tolerance = tolerance, .max_iterations = MAX_ITERATIONS};
    pl_linear_info info = {0};
    times t;
    double start = peer_seconds();
    if (pl_mixed_cycles_create(A, s->positions, &keys, NAN, pool, &cycles, &error) != PL_OK)
        return fail(&error);
    bool ok = pl_mixed_cycles_update(cycles, false);
    double setup = peer_seconds() - start;
    if (ok) pl_mixed_cycles_solve(cycles, &options, s->rhs, x, &info);
    for (int k = 0; ok && k < repeats; k++) {
        change_values(s, k, &t);
        info = (pl_linear_info){0};
        start = peer_seconds();
        ok = pl_mixed_cycles_update(cycles, false);
        double middle = peer_seconds();
        if (ok) pl_mixed_cycles_solve(cycles, &options, s->rhs, x, &info);
        take_time(&t, k, start, middle, peer_seconds());
    }
    if (ok) {
        print_times(&t, repeats, setup, info.iterations);
        peer_result("residual", relative_residual(s, A, x));
    }
    pl_mixed_cycles_destroy(cycles);
    return ok && info.converged ? 0 : 1;
}

// right-hand sides to the places of the finest level
static void put_rhs(const system_rows* s, pl_scalar_fine* fine) {
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++)
            fine->b[4 * (size_t)fine->order.place[i] + (size_t)k] =
                (float)s->rhs[3 * (size_t)i + (size_t)k];
}

static void measure_cycle(const system_rows* s, const pl_block_matrix* A, pl_scalar_mg* mg,
                          double* x, int repeats) {
    pl_scalar_fine* fine = pl_scalar_mg_fine(mg);
    double seconds[PEER_MAX_REPEATS];
    for (int k = -2; k < repeats; k++) {
        put_rhs(s, fine);
        double start = peer_seconds();
        pl_scalar_mg_cycle(mg);
        if (k >= 0) seconds[k] = peer_seconds() - start;
    }
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++)
            x[3 * (size_t)i + (size_t)k] =
                (double)fine->x[4 * (size_t)fine->order.place[i] + (size_t)k];
    peer_result("cycle", peer_median(seconds, repeats));
    peer_result("cycle_residual", relative_residual(s, A, x));
}

static int solve_projective(system_rows* s, pl_pool* pool, const pl_block_matrix* A, double* x,
                            int repeats) {
    pl_error error;
    pl_scalar_mg* mg;
    pl_scalar_mg_options options = {.half_sweeps = 4};
    pl_linear_options linear = {.tolerance = tolerance, .max_iterations = MAX_ITERATIONS};
    pl_linear_info info = {0};
    times t;
    double start = peer_seconds();
    if (pl_scalar_mg_setup(A, s->positions, &options, pool, &mg, &error) != PL_OK ||
        pl_scalar_mg_update(mg, s->positions, NULL, &error) != PL_OK)
        return fail(&error);
    double setup = peer_seconds() - start;
    pl_scalar_mg_solve(mg, true, &linear, s->rhs, x, &info);
    for (int k = 0; k < repeats; k++) {
        change_values(s, k, &t);
        memset(x, 0, 3 * (size_t)s->count * sizeof(double));
        start = peer_seconds();
        if (pl_scalar_mg_update(mg, s->positions, NULL, &error) != PL_OK) return fail(&error);
        double middle = peer_seconds();
        pl_scalar_mg_solve(mg, true, &linear, s->rhs, x, &info);
        take_time(&t, k, start, middle, peer_seconds());
    }
    print_times(&t, repeats, setup, info.iterations);
    peer_result("residual", relative_residual(s, A, x));
    measure_cycle(s, A, mg, x, repeats);
    const pl_mg_hierarchy* hierarchy = pl_scalar_mg_hierarchy(mg);
    printf("note levels");
    for (int l = hierarchy->level_count - 1; l > 0; l--) printf(" %d", hierarchy->node_counts[l]);
    printf("\n");
    pl_scalar_mg_destroy(mg);
    return info.converged ? 0 : 1;
}

int main(int argc, char** argv) {
    system_rows s;
    pl_pool* pool;
    pl_error error;
    if (argc < 3) {
        fprintf(stderr, "usage: peer_pliant FILE REPEATS [TOLERANCE]\n");
        return 2;
    }
    if (argc > 3) tolerance = atof(argv[3]);
    if (!system_file_read(argv[1], 0, 1, &s)) return 1;
    if (pl_pool_create(THREADS, &pool, &error) != PL_OK) return fail(&error);
    int* diagonal = PL_ALLOC(int, s.count);
    double* x = PL_ALLOC(double, 4 * (size_t)s.count);
    int result = 1, repeats = peer_repeats(argv[2]);
    peer_reset_peak();
    if (diagonal && x) {
        pl_block_matrix A = view(&s, diagonal);
        int block = s.header.block;
        result = (block == 4   ? solve_mixed
                  : block == 3 ? solve_elasticity
                               : solve_projective)(&s, pool, &A, x, repeats);
    }
    PL_FREE(diagonal, int, s.count);
    PL_FREE(x, double, 4 * (size_t)s.count);
    pl_pool_destroy(pool);
    system_rows_free(&s);
    return result;
}
