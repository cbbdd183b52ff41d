// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The same linear systems solved by pliant's multigrid, PETSc GAMG, hypre BoomerAMG and CHOLMOD, in
// programs of their own (bench/peers) that take turns, two cores each. docs/peers.md says what is
// measured, why the settings below are the peers' best, and how to run one alone.
//
// A system travels as a file (system_file.h) in $TMPDIR; with PLIANT_KEEP_SYSTEMS set in the
// environment it stays there and its path is printed. PLIANT_SYSTEMS names the systems to be solved
// ("53k 203k pd_bar pd_dragon"; not set: all), PLIANT_ROUNDS how often, where less is enough.
#include "base/timer.h"
#include "bench.h"
#include "bench_meshes.h"
#include "bench_systems.h"
#include "child_process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ROUNDS = 5, LARGE_ROUNDS = 3, MAX_WORDS = 64, CHILD_LIMIT = 900 };

typedef struct peer {
    const char* name;
    const char* program;
    bool ranks;          // two processes of MPI, one thread each; else one process with two threads
    bool amg;            // stands for itself in "best AMG"
    const char* options; // after file and repeats
} peer;

#define GAMG                                                                                       \
    "-pc_type gamg -pc_gamg_type agg -pc_gamg_aggressive_coarsening 2 "                            \
    "-mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi "
#define SMOOTHED GAMG "-pc_gamg_agg_nsmooths 1 -mg_levels_ksp_max_it 1 "
#define PLAIN GAMG "-pc_gamg_agg_nsmooths 0 -mg_levels_ksp_max_it 2 -pc_mg_cycle_type w "
#define BOOMER                                                                                     \
    "-pc_type hypre -pc_hypre_type boomeramg -pc_hypre_boomeramg_strong_threshold 0.5 "            \
    "-pc_hypre_boomeramg_coarsen_type HMIS -pc_hypre_boomeramg_interp_type ext+i "                 \
    "-pc_hypre_boomeramg_P_max 4 -pc_hypre_boomeramg_agg_nl 1 "

static const peer pliant = {"pliant", "peer_pliant", false, false, ""};
static const peer cholmod = {"cholmod", "peer_cholmod", false, false, ""};
// smoothed aggregation, what GAMG is made for
static const peer gamg = {"gamg", "peer_petsc", true, true,
                          SMOOTHED "-pc_gamg_reuse_interpolation false"};
static const peer gamg_reused = {"gamg_reused", "peer_petsc", true, true,
                                 SMOOTHED "-pc_gamg_reuse_interpolation true"};
// plain aggregation: more iterations, but far less to compute when values change
static const peer gamg_plain = {"gamg_plain", "peer_petsc", true, true,
                                PLAIN "-pc_gamg_reuse_interpolation true"};
static const peer hypre = {"hypre", "peer_petsc", true, true,
                           BOOMER "-pc_hypre_boomeramg_nodal_coarsen 4 "
                                  "-pc_hypre_boomeramg_relax_type_all Chebyshev"};

static const struct {
    const char *name, *unit;
} measured[] = {{"setup", "s"}, {"update", "s"},    {"solve", "s"},
                {"total", "s"}, {"iterations", ""}, {"residual", ""},
                {"peak", "MB"}, {"cycle", "s"},     {"cycle_residual", ""}};
enum { MEASURED_COUNT = sizeof measured / sizeof measured[0], MAX_PEERS = 6 };

// Peers that solve one system in turn.
typedef struct contest {
    const char* system; // in the names of results
    int peer_count;
    const peer* peers[MAX_PEERS];
    bool absent[MAX_PEERS];
    int rounds;
    int repeats, amg_repeats, direct_repeats; // within a round: ours, theirs, CHOLMOD's
    double values[MAX_PEERS][MEASURED_COUNT][MAX_ROUNDS];
    char path[1024]; // of the file
} contest;

static void say(const char* text, const char* what) {
    fprintf(stderr, "s0-peers: %s%s\n", what, text);
}

// The core that OpenBLAS should work for: old packages do not know new processors and fall back to
// code of 2004, half as fast.
static const char* blas_core(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return "OPENBLAS_CORETYPE=SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return __builtin_cpu_is("amd") ? "OPENBLAS_CORETYPE=Zen" : "OPENBLAS_CORETYPE=Haswell";
#endif
    return ""; // sets nothing
}

// splits text in place
static int add_words(char* text, char** words, int count) {
    for (char* word = strtok(text, " "); word && count + 1 < MAX_WORDS; word = strtok(NULL, " "))
        words[count++] = word;
    return count;
}

static bool run_peer(const peer* p, const contest* c, child_results* out) {
    char path[1024], repeats[16], options[1024];
    char* words[MAX_WORDS] = {NULL};
    char launcher[] = "mpirun -n 2 --oversubscribe";
    const char* settings[] = {blas_core(),
                              p->ranks ? "OPENBLAS_NUM_THREADS=1" : "OPENBLAS_NUM_THREADS=2",
                              p->ranks ? "OMP_NUM_THREADS=1" : "OMP_NUM_THREADS=2",
                              "OMPI_ALLOW_RUN_AS_ROOT=1",
                              "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                              NULL};
    if (!child_find(p->program, path, sizeof path)) return false;
    snprintf(repeats, sizeof repeats, "%d",
             p->amg          ? c->amg_repeats
             : p == &cholmod ? c->direct_repeats
                             : c->repeats);
    snprintf(options, sizeof options, "%s", p->options);
    int count = p->ranks ? add_words(launcher, words, 0) : 0;
    words[count++] = path;
    words[count++] = (char*)c->path;
    words[count++] = repeats;
    add_words(options, words, count);
    return child_run(words, settings, CHILD_LIMIT, out);
}

static void take_turns(contest* c) {
    for (int round = 0; round < c->rounds; round++)
        for (int i = 0; i < c->peer_count; i++) {
            child_results results;
            if (c->absent[i]) continue;
            if (!run_peer(c->peers[i], c, &results)) {
                say(c->peers[i]->name, "failed and is left out: ");
                c->absent[i] = true;
                continue;
            }
            if (round == 0 && results.notes[0])
                fprintf(stderr, "s0-peers: %s: %s\n", c->peers[i]->name, results.notes);
            for (int m = 0; m < MEASURED_COUNT; m++)
                c->values[i][m][round] = child_value(&results, measured[m].name);
        }
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// over the rounds; NAN if the peer is absent or does not measure that
static double median(const contest* c, const peer* p, const char* name) {
    double sorted[MAX_ROUNDS];
    for (int i = 0; i < c->peer_count; i++)
        for (int m = 0; m < MEASURED_COUNT; m++) {
            if (c->peers[i] != p || strcmp(measured[m].name, name) != 0) continue;
            if (c->absent[i]) return NAN;
            for (int r = 0; r < c->rounds; r++) sorted[r] = c->values[i][m][r];
            if (isnan(sorted[0])) return NAN;
            qsort(sorted, (size_t)c->rounds, sizeof(double), compare);
            return 0.5 * (sorted[(c->rounds - 1) / 2] + sorted[c->rounds / 2]);
        }
    return NAN;
}

static double best_amg_total(const contest* c) {
    double best = INFINITY;
    for (int i = 0; i < c->peer_count; i++)
        if (c->peers[i]->amg) best = fmin(best, median(c, c->peers[i], "total"));
    return isinf(best) ? NAN : best;
}

// a ratio, where both sides were measured
static void report(bench* b, const char* name, const char* system, double value) {
    char full[96];
    snprintf(full, sizeof full, "%s%s", name, system);
    if (isnan(value)) say(full, "not measured: ");
    else bench_result(b, full, value, "x", NAN);
}

static void report_raw(bench* b, const contest* c) {
    for (int i = 0; i < c->peer_count; i++)
        for (int m = 0; m < MEASURED_COUNT; m++) {
            char name[96];
            double value = median(c, c->peers[i], measured[m].name);
            snprintf(name, sizeof name, "%s_%s_%s", c->peers[i]->name, measured[m].name, c->system);
            if (!isnan(value)) bench_result(b, name, value, measured[m].unit, NAN);
        }
}

static bool store(const bench_system* system, contest* c) {
    const char* folder = getenv("TMPDIR");
    snprintf(c->path, sizeof c->path, "%s/pliant-s0-%s-%ld.system", folder ? folder : "/tmp",
             c->system, (long)getpid());
    system_rows rows = bench_system_rows(system);
    return system_file_write(c->path, &rows);
}

static void look_for_programs(contest* c) {
    for (int i = 0; i < c->peer_count; i++) {
        char path[1024];
        c->absent[i] = !child_find(c->peers[i]->program, path, sizeof path);
        if (!c->absent[i]) continue;
        fprintf(stderr, "s0-peers: %s is absent: there is no %s beside pliant-bench\n",
                c->peers[i]->name, c->peers[i]->program);
    }
}

static void compete(bench* b, contest* c) {
    look_for_programs(c);
    take_turns(c);
    if (getenv("PLIANT_KEEP_SYSTEMS")) say(c->path, "kept: ");
    else remove(c->path);
    report_raw(b, c);
}

static bool failed(const pl_error* error) {
    fprintf(stderr, "pliant-bench s0-peers: %s\n", error->text);
    return false;
}

static bool store_elasticity(bench_bar bar, contest* c) {
    pl_error error;
    pl_mesh* mesh;
    bench_system system;
    bench_solid material = bench_default_solid();
    if (bench_bar_mesh(bar, &mesh, &error) != PL_OK) return failed(&error);
    pl_status status = bench_elasticity(mesh, &material, "left", &system, &error);
    pl_mesh_destroy(mesh);
    if (status != PL_OK) return failed(&error);
    bool done = store(&system, c);
    bench_system_free(&system);
    return done;
}

// takes the mesh over
static bool store_projective(pl_mesh* mesh, contest* c) {
    pl_error error;
    bench_system system;
    bench_solid material = bench_default_solid();
    pl_status status = bench_projective(mesh, &material, &system, &error);
    pl_mesh_destroy(mesh);
    if (status != PL_OK) return failed(&error);
    bool done = store(&system, c);
    bench_system_free(&system);
    return done;
}

static bool elasticity_53k(bench* b, int rounds) {
    contest c = {.system = "53k",
                 .peer_count = bench_quick(b) ? 5 : 6,
                 .peers = {&pliant, &gamg, &gamg_reused, &gamg_plain, &hypre, &cholmod},
                 .rounds = rounds,
                 .repeats = 3,
                 .amg_repeats = bench_quick(b) ? 1 : 3,
                 .direct_repeats = 1};
    if (!store_elasticity(BENCH_BAR_53K, &c)) return false;
    compete(b, &c);
    report(b, "total_vs_best_amg_", c.system, best_amg_total(&c) / median(&c, &pliant, "total"));
    return true;
}

// Without CHOLMOD, which takes minutes and 9 GB for the factor, and without smoothed aggregation
// that keeps its interpolation, which is the slowest of the others in total.
static bool elasticity_203k(bench* b, int rounds) {
    contest c = {.system = "203k",
                 .peer_count = 4,
                 .peers = {&pliant, &gamg, &gamg_plain, &hypre},
                 .rounds = rounds,
                 .repeats = 3,
                 .amg_repeats = 1};
    if (!store_elasticity(BENCH_BAR_203K, &c)) return false;
    compete(b, &c);
    double update = median(&c, &pliant, "update"), peak = median(&c, &pliant, "peak");
    report(b, "total_vs_best_amg_", c.system, best_amg_total(&c) / median(&c, &pliant, "total"));
    report(b, "setup_vs_gamg_", c.system, update / median(&c, &gamg, "update"));
    report(b, "setup_vs_gamg_plain_", c.system, update / median(&c, &gamg_plain, "update"));
    report(b, "memory_vs_gamg_", c.system, peak / median(&c, &gamg, "peak"));
    report(b, "memory_vs_gamg_plain_", c.system, peak / median(&c, &gamg_plain, "peak"));
    return true;
}

static void projective_contest(bench* b, contest* c, const char* ratio) {
    compete(b, c);
    report(b, ratio, "", median(c, &cholmod, "solve") / median(c, &pliant, "cycle"));
}

static bool projective_bar(bench* b, bench_bar bar, int rounds) {
    bool small = bar == BENCH_BAR_53K;
    contest c = {.system = small ? "pd_bar_53k" : "pd_bar",
                 .peer_count = 2,
                 .peers = {&pliant, &cholmod},
                 .rounds = rounds,
                 .repeats = small ? 5 : 15,
                 .direct_repeats = small ? 5 : 9};
    pl_error error;
    pl_mesh* mesh;
    if (bench_bar_mesh(bar, &mesh, &error) != PL_OK) return failed(&error);
    if (!store_projective(mesh, &c)) return false;
    projective_contest(b, &c, small ? "cycle_vs_cholmod_bar_53k" : "cycle_vs_cholmod_bar");
    return true;
}

static bool projective_dragon(bench* b, int rounds) {
    contest c = {.system = "pd_dragon",
                 .peer_count = 2,
                 .peers = {&pliant, &cholmod},
                 .rounds = rounds,
                 .repeats = 15,
                 .direct_repeats = 9};
    pl_error error;
    pl_mesh *read, *mesh;
    if (bench_solid_mesh(b, "tets_generated/dragon_200k.msh.gz", 199937, &read, &error) != PL_OK ||
        bench_reorder(read, &mesh, &error) != PL_OK)
        return failed(&error);
    if (!store_projective(mesh, &c)) return false;
    projective_contest(b, &c, "cycle_vs_cholmod_dragon");
    return true;
}

// The ratios are to be believed only when little else runs.
static void report_others(bench* b, double start, double machine, double own) {
    double machine_now, own_now, seconds = pl_seconds() - start;
    if (child_cpu_seconds(&machine_now, &own_now))
        bench_result(b, "cores_used_by_others", (machine_now - machine - own_now + own) / seconds,
                     "", NAN);
}

static bool is_wanted(const char* system) {
    const char *names = getenv("PLIANT_SYSTEMS"), *at = names ? strstr(names, system) : system;
    // 53k is no part of another name's end
    return at && (!names || at == names || at[-1] == ' ');
}

static int rounds_of(int usual) {
    const char* given = getenv("PLIANT_ROUNDS");
    int rounds = given ? atoi(given) : usual;
    return rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
}

static bool full_run(bench* b) {
    int rounds = rounds_of(MAX_ROUNDS);
    return (!is_wanted("53k") || elasticity_53k(b, rounds)) &&
           (!is_wanted("203k") || elasticity_203k(b, rounds_of(LARGE_ROUNDS))) &&
           (!is_wanted("pd_bar") || projective_bar(b, BENCH_BAR_203K, rounds)) &&
           (!is_wanted("pd_dragon") || projective_dragon(b, rounds));
}

bool bench_s0_peers(bench* b) {
    double start = pl_seconds(), machine = 0.0, own = 0.0;
    bool known = child_cpu_seconds(&machine, &own);
    bool done =
        bench_quick(b) ? elasticity_53k(b, 1) && projective_bar(b, BENCH_BAR_53K, 1) : full_run(b);
    if (done && known) report_others(b, start, machine, own);
    return done;
}
