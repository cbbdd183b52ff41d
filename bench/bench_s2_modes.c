// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Twenty modes of a free gummy bear of 14 000 and of 200 000 vertices: pliant as built against
// ARPACK in shift-and-invert mode on the factor of CHOLMOD, and SLEPc's Krylov-Schur method on that
// of MUMPS, in programs of their own (bench/peers) that take turns on two threads or processes.
// Both are given the shift that pliant would find, so that the search for one costs them nothing.
// modes_vs_best is the time of the faster one over ours. Factors of the large one take minutes and
// 9 GB; --quick leaves it out. PLIANT_SYSTEMS names one of 14k and 200k.
#include "base/memory.h"
#include "bench.h"
#include "child_process.h"
#include "system_file.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODES = 20, RIGID = 6, LIMIT = 3600, MAX_ROUNDS = 3 };

typedef struct size_case {
    const char* name;
    double edge; // [m]
    int rounds;
} size_case;

static const size_case CASES[] = {{"14k", 0.00255, 3}, {"200k", 0.00101, 1}};

static bool failed(const char* text) {
    fprintf(stderr, "pliant-bench s2-modes: %s\n", text);
    return false;
}

static pl_status make_mesh(double edge, pl_mesh** out, pl_error* error) {
    pl_generate_options options;
    pl_status status = pl_generate_defaults("gummy_bear", &options, error);
    if (status == PL_OK)
        status = pl_generate_set_number("gummy_bear", &options, "edge", edge, error);
    return status == PL_OK ? pl_generate("gummy_bear", &options, out, error) : status;
}

// The stiffness at rest as the matrix, the masses as the right-hand side.
static bool store(const pl_mesh* mesh, const char* path) {
    pl_error error;
    pl_material material;
    pl_block_matrix K;
    double* mass;
    pl_status status = pl_material_from_young(PL_MATERIAL_LINEAR, 1e5, 0.4, &material, &error);
    if (status == PL_OK)
        status = verify_stiffness(mesh, &material, 1000.0, NULL, &K, NULL, &mass, &error);
    if (status != PL_OK) return failed(error.text);
    int n = mesh->vertex_count;
    double* rhs = PL_ALLOC(double, 3 * (size_t)n);
    for (int i = 0; rhs && i < 3 * n; i++) rhs[i] = mass[i / 3];
    system_rows rows = {.header = {.block = 3,
                                   .row_count = n,
                                   .rhs_count = 1,
                                   .entry_count = pl_block_matrix_entry_count(&K)},
                        .count = n,
                        .offsets = K.offsets,
                        .columns = K.columns,
                        .values = K.values,
                        .rhs = rhs,
                        .positions = mesh->positions};
    bool done = rhs && system_file_write(path, &rows);
    PL_FREE(rhs, double, 3 * (size_t)n);
    PL_FREE(mass, double, n);
    pl_block_matrix_free(&K);
    return done;
}

typedef struct rival {
    const char *name, *program;
    bool has_ranks; // two processes in place of two threads
} rival;
static const rival OURS = {"pliant", "peer_modes", false};
static const rival RIVALS[] = {{"arpack", "peer_arpack", false}, {"slepc", "peer_slepc", true}};
enum { RIVAL_COUNT = sizeof RIVALS / sizeof RIVALS[0] };

static bool run(const rival* r, const char* path, int modes, double sigma, child_results* out) {
    char found[1024], count[16], shift[32];
    const char* settings[] = {r->has_ranks ? "OPENBLAS_NUM_THREADS=1" : "OPENBLAS_NUM_THREADS=2",
                              r->has_ranks ? "OMP_NUM_THREADS=1" : "OMP_NUM_THREADS=2",
                              "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", NULL};
    if (!child_find(r->program, found, sizeof found)) return false;
    snprintf(count, sizeof count, "%d", modes);
    snprintf(shift, sizeof shift, "%.6g", sigma);
    char* words[] = {"mpirun", "-n",  "2", "--oversubscribe", found, (char*)path,
                     count,    shift, NULL};
    return child_run(r->has_ranks ? words : words + 4, settings, LIMIT, out);
}

static void report_program(bench* b, const char* name, const size_case* c, const child_results* r) {
    static const char* const measured[] = {"total", "cpu", "peak", "residual", "lowest", "highest"};
    static const char* const units[] = {"s", "s", "MB", "", "1/s^2", "1/s^2"};
    for (int k = 0; k < 6; k++) {
        char text[96];
        snprintf(text, sizeof text, "%s_%s_%s", name, measured[k], c->name);
        bench_result(b, text, child_value(r, measured[k]), units[k], NAN);
    }
    if (r->notes[0]) fprintf(stderr, "s2-modes: %s: %s\n", name, r->notes);
}

static double middle(double* values, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
            double swap = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
    return values[count / 2];
}

// the seconds of the fastest of the others, INFINITY if there is none
static double best_of_others(bench* b, const size_case* c, const char* path, double sigma,
                             bool first) {
    double best = INFINITY;
    for (int k = 0; k < RIVAL_COUNT; k++) {
        child_results theirs;
        if (!run(&RIVALS[k], path, MODES + RIGID, sigma, &theirs)) {
            if (first)
                fprintf(stderr, "s2-modes: %s did not run (it needs -DPLIANT_PEERS=ON)\n",
                        RIVALS[k].program);
            continue;
        }
        if (first) report_program(b, RIVALS[k].name, c, &theirs);
        best = fmin(best, child_value(&theirs, "total"));
    }
    return best;
}

static bool compete(bench* b, const size_case* c, const char* path, int rounds) {
    double ratio[MAX_ROUNDS];
    int measured = 0;
    for (int round = 0; round < rounds; round++) {
        child_results ours;
        if (!run(&OURS, path, MODES, 0.0, &ours)) return failed("peer_modes failed");
        if (round == 0) report_program(b, "pliant", c, &ours);
        if (bench_quick(b)) return true;
        double best = best_of_others(b, c, path, 0.5 * child_value(&ours, "lowest"), round == 0);
        if (isinf(best)) break;
        ratio[measured++] = best / child_value(&ours, "total");
    }
    char name[64];
    snprintf(name, sizeof name, "modes_vs_best_%s", c->name);
    if (measured > 0) bench_result(b, name, middle(ratio, measured), "x", NAN);
    else fprintf(stderr, "s2-modes: not measured: %s\n", name);
    return true;
}

bool bench_s2_modes(bench* b) {
    const char *folder = getenv("TMPDIR"), *wanted = getenv("PLIANT_SYSTEMS");
    for (int k = 0; k < 2 - bench_quick(b); k++) {
        const size_case* c = &CASES[k];
        char path[1024];
        pl_error error;
        pl_mesh* mesh;
        if (wanted && strcmp(wanted, c->name) != 0) continue;
        if (make_mesh(c->edge, &mesh, &error) != PL_OK) return failed(error.text);
        bench_mesh_used(b, c->name, "gummy_bear", mesh->vertex_count);
        snprintf(path, sizeof path, "%s/pliant-s2-%s-%ld.system", folder ? folder : "/tmp", c->name,
                 (long)getpid());
        bool done = store(mesh, path) && compete(b, c, path, bench_quick(b) ? 1 : c->rounds);
        pl_mesh_destroy(mesh);
        remove(path);
        if (!done) return false;
    }
    return true;
}
