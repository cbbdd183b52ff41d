// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_corot.h"
#include "base/memory.h"
#include "grid/grid_corot.h"
#include "s4_lattice.h"

#include <math.h>
#include <stdio.h>

// The paper's material (Fig. 22), and a few iterations so that rotations are those of a pull.
static const double PAPER_NU = 0.48;
enum { FIRST_CYCLES = 2 };

typedef struct body {
    s4_lattice lattice;
    pl_quat* turn;
    pl_grid_corot corot;
} body;

static void run_residual(void* user) {
    body* x = user;
    pl_grid_corot_residual(&x->corot, &x->lattice.state, 1.0, PL_COROT_TURN_ALL);
}
static void run_update(void* user) {
    body* x = user;
    pl_grid_corot_update(&x->corot, x->lattice.state.compressibility, x->lattice.state.inertia);
}
static void run_cycle(void* user) { pl_grid_corot_cycle(&((body*)user)->corot); }
static void run_correct(void* user) {
    body* x = user;
    pl_grid_corot_correct(&x->corot, &x->lattice.state, true);
}

static pl_status prepare(bench* b, int count, int threads, body* x, pl_error* error) {
    double cell;
    pl_grid_frame frame;
    pl_grid_cells cells = {0};
    pl_status status = s4_armadillo_cell(b, count, NULL, &cell, error);
    if (status == PL_OK) status = s4_armadillo_cells(b, cell, NULL, &frame, &cells, error);
    if (status == PL_OK) status = s4_lattice_create(&cells, &x->lattice, error);
    if (status != PL_OK) return status;
    pl_pool_destroy(x->lattice.pool);
    x->lattice.pool = NULL;
    status = pl_pool_create(threads, &x->lattice.pool, error);
    if (status != PL_OK) return status;
    int size = x->lattice.levels.levels[0].field_size;
    x->turn = PL_ALLOC(pl_quat, size);
    if (!x->turn) return pl_fail_memory(error, "rotations");
    for (int i = 0; i < size; i++) x->turn[i] = (pl_quat){0.0, 0.0, 0.0, 1.0};
    s4_set_material(&x->lattice, PAPER_NU, 0.0);
    s4_start_pulled(&x->lattice, 10.0);
    return pl_grid_corot_create(&x->lattice.levels, NULL, true, x->turn, x->lattice.pool, &x->corot,
                                error);
}

static void free_body(body* x) {
    if (x->turn) PL_FREE(x->turn, pl_quat, x->lattice.levels.levels[0].field_size);
    pl_grid_corot_free(&x->corot);
    s4_lattice_free(&x->lattice);
}

static void measure(bench* b, body* x, int count, int threads, double paper_ms) {
    static const struct {
        const char* name;
        bench_run run;
    } parts[] = {{"cycle", run_cycle},
                 {"update", run_update},
                 {"residual", run_residual},
                 {"correct", run_correct}};
    for (int k = 0; k < FIRST_CYCLES; k++) {
        run_residual(x);
        run_update(x);
        run_cycle(x);
        run_correct(x);
    }
    run_residual(x);
    run_update(x);
    for (int k = 0; k < 4; k++) {
        char name[64];
        snprintf(name, sizeof name, "ms_corot_%dk_%s%s", count / 1000, parts[k].name,
                 threads == 1 ? "" : "_2");
        double seconds = bench_seconds(parts[k].run, x, bench_quick(b) ? 3 : 5);
        bench_result(b, name, 1e3 * seconds, "ms", k == 0 && threads == 1 ? paper_ms : NAN);
    }
}

bool s4_corot_rows(bench* b, int count, double paper_ms) {
    for (int threads = 1; threads <= 2; threads++) {
        pl_error error;
        body x = {0};
        pl_status status = prepare(b, count, threads, &x, &error);
        if (status == PL_OK) measure(b, &x, count, threads, paper_ms);
        else fprintf(stderr, "ms_corot_%dk: %s\n", count / 1000, error.text);
        free_body(&x);
        if (status != PL_OK) return false;
    }
    return true;
}
