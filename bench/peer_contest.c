// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "peer_contest.h"
#include "base/array.h"
#include "base/timer.h"
#include "child_process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 64, CHILD_LIMIT = 900 };

static const struct {
    const char *name, *unit;
} measured[PEER_MEASURED] = {
    {"setup", "s"},     {"update", "s"},  {"solve", "s"}, {"total", "s"}, {"cpu", "s"},
    {"iterations", ""}, {"residual", ""}, {"peak", "MB"}, {"cycle", "s"}, {"cycle_residual", ""}};

static void say(const peer_contest* c, const char* what, const char* text) {
    fprintf(stderr, "%s: %s%s\n", c->bench_name, what, text);
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

static bool run_peer(const peer* p, const peer_contest* c, child_results* out) {
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
             p->role == PEER_ITERATIVE ? c->iterative_repeats
             : p->role == PEER_DIRECT  ? c->direct_repeats
                                       : c->repeats);
    snprintf(options, sizeof options, "%s", p->options);
    int count = p->ranks ? add_words(launcher, words, 0) : 0;
    words[count++] = path;
    words[count++] = (char*)c->path;
    words[count++] = repeats;
    add_words(options, words, count);
    return child_run(words, settings, CHILD_LIMIT, out);
}

static void take_turns(peer_contest* c) {
    for (int round = 0; round < c->rounds; round++)
        for (int i = 0; i < c->peer_count; i++) {
            child_results results;
            if (c->absent[i]) continue;
            if (!run_peer(c->peers[i], c, &results)) {
                say(c, "failed and is left out: ", c->peers[i]->name);
                c->absent[i] = true;
                continue;
            }
            if (round == 0 && results.notes[0])
                fprintf(stderr, "%s: %s: %s\n", c->bench_name, c->peers[i]->name, results.notes);
            for (int m = 0; m < PEER_MEASURED; m++)
                c->values[i][m][round] = child_value(&results, measured[m].name);
        }
}

double peer_contest_median(const peer_contest* c, const peer* p, const char* name) {
    double sorted[PEER_MAX_ROUNDS];
    for (int i = 0; i < c->peer_count; i++)
        for (int m = 0; m < PEER_MEASURED; m++) {
            if (c->peers[i] != p || strcmp(measured[m].name, name) != 0) continue;
            if (c->absent[i]) return NAN;
            for (int r = 0; r < c->rounds; r++) sorted[r] = c->values[i][m][r];
            if (isnan(sorted[0])) return NAN;
            qsort(sorted, (size_t)c->rounds, sizeof(double), pl_compare_doubles);
            return 0.5 * (sorted[(c->rounds - 1) / 2] + sorted[c->rounds / 2]);
        }
    return NAN;
}

double peer_contest_best_total(const peer_contest* c, peer_role role) {
    double best = INFINITY;
    for (int i = 0; i < c->peer_count; i++)
        if (c->peers[i]->role == role)
            best = fmin(best, peer_contest_median(c, c->peers[i], "total"));
    return isinf(best) ? NAN : best;
}

void peer_contest_report(const peer_contest* c, bench* b, const char* name, const char* system,
                         double value) {
    char full[96];
    snprintf(full, sizeof full, "%s%s", name, system);
    if (isnan(value)) say(c, "not measured: ", full);
    else bench_result(b, full, value, "x", NAN);
}

static void report_raw(bench* b, const peer_contest* c) {
    for (int i = 0; i < c->peer_count; i++)
        for (int m = 0; m < PEER_MEASURED; m++) {
            char name[96];
            double value = peer_contest_median(c, c->peers[i], measured[m].name);
            snprintf(name, sizeof name, "%s_%s_%s", c->peers[i]->name, measured[m].name, c->system);
            if (!isnan(value)) bench_result(b, name, value, measured[m].unit, NAN);
        }
}

bool peer_contest_store(peer_contest* c, const system_rows* rows) {
    const char* folder = getenv("TMPDIR");
    snprintf(c->path, sizeof c->path, "%s/pliant-%s-%s-%ld.system", folder ? folder : "/tmp",
             c->bench_name, c->system, (long)getpid());
    return system_file_write(c->path, rows);
}

static void look_for_programs(peer_contest* c) {
    for (int i = 0; i < c->peer_count; i++) {
        char path[1024];
        c->absent[i] = !child_find(c->peers[i]->program, path, sizeof path);
        if (!c->absent[i]) continue;
        fprintf(stderr, "%s: %s is absent: there is no %s beside pliant-bench\n", c->bench_name,
                c->peers[i]->name, c->peers[i]->program);
    }
}

void peer_contest_run(peer_contest* c, bench* b) {
    look_for_programs(c);
    take_turns(c);
    if (getenv("PLIANT_KEEP_SYSTEMS")) say(c, "kept: ", c->path);
    else remove(c->path);
    report_raw(b, c);
}

bool peer_contest_is_wanted(const char* system) {
    const char *names = getenv("PLIANT_SYSTEMS"), *at = names ? strstr(names, system) : system;
    // 53k is no part of another name's end
    return at && (!names || at == names || at[-1] == ' ');
}

int peer_contest_rounds(int usual) {
    const char* given = getenv("PLIANT_ROUNDS");
    int rounds = given ? atoi(given) : usual;
    return rounds < 1 ? 1 : rounds > PEER_MAX_ROUNDS ? PEER_MAX_ROUNDS : rounds;
}

peer_load peer_load_begin(void) {
    peer_load load = {.start = pl_seconds()};
    load.known = child_cpu_seconds(&load.machine, &load.own);
    return load;
}

void peer_load_report(const peer_load* load, bench* b) {
    double machine, own, seconds = pl_seconds() - load->start;
    if (load->known && child_cpu_seconds(&machine, &own))
        bench_result(b, "cores_used_by_others",
                     (machine - load->machine - own + load->own) / seconds, "", NAN);
}
