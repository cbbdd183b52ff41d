// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pair_contest.h"
#include "child_process.h"
#include "pair_sum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// A peer, and the names under which it tells what its ways to search take.
typedef struct peer {
    const char *program, *library;
    const char* ways[4];
} peer;
static const peer PEERS[] = {{"peer_fcl", "fcl", {"surfaces", "centres", "one"}},
                             {"peer_dbvt", "bullet", {"surfaces", "one", "gimpact"}}};
enum { PEER_COUNT = 2, ROUNDS = 3, QUICK_ROUNDS = 1, REPEATS = 3, LIMIT = 300 };

// What a program found, and the processor seconds of its fastest way, in each round.
typedef struct score {
    double seconds[ROUNDS];
    double pairs, high, low;
    const char* way;
    bool absent, differs; // differs: its ways found different pairs
} score;

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(const double* values, int count) {
    double sorted[ROUNDS];
    for (int k = 0; k < count; k++) sorted[k] = values[k];
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return sorted[count / 2];
}

// ------------------------------------------------------------------ ours

static void take_sum(const pl_array* found, score* s) {
    const pl_contact_pair* pairs = found->data;
    uint64_t sum = 0;
    for (size_t k = 0; k < found->count; k++) sum += pair_sum(pairs[k].v, pairs[k].is_edges);
    s->pairs = (double)found->count;
    s->high = (double)(sum >> 35);
    s->low = (double)(sum & 0x1fffffffu);
}

static bool run_ours(const pair_contest* c, pl_surface_set* set, pl_pool* pool, int round,
                     score* s) {
    pl_array found = pl_array_of(sizeof(pl_contact_pair));
    pl_error error;
    double seconds[REPEATS];
    bool ok = true;
    for (int k = -1; ok && k < REPEATS; k++) {
        const double begin = cpu_seconds();
        ok = pl_surface_set_find(set, pool, c->start, c->end, &found, &error) == PL_OK;
        if (k >= 0) seconds[k] = cpu_seconds() - begin;
    }
    if (ok) {
        s->seconds[round] = median(seconds, REPEATS);
        take_sum(&found, s);
    } else {
        fprintf(stderr, "contact-pairs: %s\n", error.text);
    }
    pl_array_free(&found);
    return ok;
}

// ------------------------------------------------------------------ the others

static bool write_surfaces(FILE* file, const pair_contest* c) {
    int counts[3] = {c->vertex_count, 0, c->source_count};
    for (int s = 0; s < c->source_count; s++) counts[1] += c->sources[s].triangle_count;
    bool ok = fwrite(counts, sizeof(int), 3, file) == 3;
    for (int s = 0, first = 0; ok && s <= c->source_count; s++) {
        ok = fwrite(&first, sizeof(int), 1, file) == 1;
        if (s < c->source_count) first += c->sources[s].triangle_count;
    }
    for (int s = 0; s < c->source_count; s++) {
        const pl_surface_source* source = &c->sources[s];
        for (int k = 0; ok && k < 3 * source->triangle_count; k++) {
            const int v = source->first + source->vertices[source->triangles[k]];
            ok = fwrite(&v, sizeof(int), 1, file) == 1;
        }
    }
    return ok;
}

static bool write_contest(const char* path, const pair_contest* c) {
    const size_t count = 3 * (size_t)c->vertex_count;
    FILE* file = fopen(path, "wb");
    bool ok = file && write_surfaces(file, c) && fwrite(&c->reach, sizeof(double), 1, file) == 1 &&
              fwrite(c->start, sizeof(double), count, file) == count &&
              fwrite(c->end, sizeof(double), count, file) == count;
    if (file && fclose(file) != 0) ok = false;
    if (!ok) fprintf(stderr, "contact-pairs: %s cannot be written\n", path);
    return ok;
}

static double value_of(const child_results* results, const char* way, const char* what) {
    char name[24];
    snprintf(name, sizeof name, "%s%s", way, what);
    return child_value(results, name);
}

static void run_peer(const peer* p, char* path, int round, score* s) {
    char program[1024], repeats[16];
    char* words[] = {program, path, repeats, NULL};
    const char* settings[] = {NULL};
    child_results results;
    if (s->absent) return;
    snprintf(repeats, sizeof repeats, "%d", REPEATS);
    s->absent = !child_find(p->program, program, sizeof program) ||
                !child_run(words, settings, LIMIT, &results);
    if (s->absent) {
        fprintf(stderr,
                "contact-pairs: without %s; `make deps-bench`, then configure with "
                "-DPLIANT_PEERS=ON\n",
                p->program);
        return;
    }
    s->seconds[round] = INFINITY;
    for (int k = 0; p->ways[k]; k++) {
        const double seconds = value_of(&results, p->ways[k], "");
        const double pairs = value_of(&results, p->ways[k], "_pairs");
        const double high = value_of(&results, p->ways[k], "_high"),
                     low = value_of(&results, p->ways[k], "_low");
        if (k > 0 && (pairs != s->pairs || high != s->high || low != s->low)) s->differs = true;
        s->pairs = pairs, s->high = high, s->low = low;
        if (seconds < s->seconds[round]) s->seconds[round] = seconds, s->way = p->ways[k];
    }
}

// ------------------------------------------------------------------ all

static void report(bench* b, const pair_contest* c, const char* what, double value,
                   const char* unit) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", what, c->name);
    bench_result(b, name, value, unit, NAN);
}

static double report_all(bench* b, const pair_contest* c, const score* ours, const score* theirs,
                         int rounds) {
    double best = INFINITY;
    report(b, c, "pairs", ours->pairs, "1");
    report(b, c, "seconds_pliant", median(ours->seconds, rounds), "s");
    for (int k = 0; k < PEER_COUNT; k++) {
        char name[32];
        if (theirs[k].absent) continue;
        const double seconds = median(theirs[k].seconds, rounds);
        const bool same = !theirs[k].differs && theirs[k].pairs == ours->pairs &&
                          theirs[k].high == ours->high && theirs[k].low == ours->low;
        snprintf(name, sizeof name, "seconds_%s", PEERS[k].library);
        report(b, c, name, seconds, "s");
        snprintf(name, sizeof name, "same_pairs_%s", PEERS[k].library);
        report(b, c, name, same, "1");
        if (!same)
            fprintf(stderr, "contact-pairs: %s finds %.0f pairs%s\n", PEERS[k].library,
                    theirs[k].pairs, theirs[k].differs ? ", not the same in all ways" : "");
        fprintf(stderr, "contact-pairs: fastest of %s: %s\n", PEERS[k].library, theirs[k].way);
        best = fmin(best, seconds);
    }
    if (!isfinite(best)) return NAN;
    report(b, c, "detect_vs_best", best / median(ours->seconds, rounds), "1");
    return best / median(ours->seconds, rounds);
}

bool pair_contest_run(bench* b, const pair_contest* c, double* ratio) {
    const char* folder = getenv("TMPDIR");
    const int rounds = bench_quick(b) ? QUICK_ROUNDS : ROUNDS;
    char path[1024];
    score ours = {0}, theirs[PEER_COUNT] = {0};
    pl_error error;
    pl_pool* pool = NULL;
    pl_surface_set* set = NULL;
    snprintf(path, sizeof path, "%s/pliant-pairs-%d", folder ? folder : "/tmp", (int)getpid());
    bool ok =
        pl_pool_create(1, &pool, &error) == PL_OK &&
        pl_surface_set_create(c->sources, c->source_count, c->vertex_count, &set, &error) == PL_OK;
    if (!ok) fprintf(stderr, "contact-pairs: %s\n", error.text);
    for (int s = 0; ok && s < c->source_count; s++) set->surfaces[s].reach = c->reach;
    ok = ok && write_contest(path, c);
    for (int round = 0; ok && round < rounds; round++) {
        ok = run_ours(c, set, pool, round, &ours);
        for (int k = 0; ok && k < PEER_COUNT; k++) run_peer(&PEERS[k], path, round, &theirs[k]);
    }
    remove(path);
    pl_surface_set_destroy(set);
    pl_pool_destroy(pool);
    if (ok) *ratio = report_all(b, c, &ours, theirs, rounds);
    return ok;
}
