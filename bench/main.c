// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant-bench NAME [PART] [--quick] [--frames N] [--json]: runs one bench, or one part of a bench
// that has parts, and prints its results; `pliant-bench list` names them. --frames sets how many
// frames the benches simulate that ask for it. With --json, stdout has the JSON document and
// nothing else: all other lines that benches and the programs they start print go to stderr.
#include "base/pool.h"
#include "bench.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench {
    json_t *results, *meshes;
    FILE* json_out;
    bool quick;
    bool as_json;
    const char* part;
    int frames; // 0: as many as the bench has
};

typedef struct entry {
    const char* name;
    bool (*run)(bench* b);
    const char* summary;
} entry;

#define BENCH_ROW(name, text, summary) {text, bench_##name, summary},
static const entry entries[] = {BENCH_LIST(BENCH_ROW){NULL, NULL, NULL}};
#undef BENCH_ROW

bool bench_quick(const bench* b) { return b->quick; }
const char* bench_part(const bench* b) { return b->part; }
int bench_frames(const bench* b, int usual) { return b->frames ? b->frames : usual; }

static json_t* number_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static void add_result(bench* b, const char* name, double value, const char* unit, double paper,
                       double reference) {
    json_t* result = json_pack("{s:s, s:o, s:s, s:o}", "name", name, "value", number_or_null(value),
                               "unit", unit, "paper", number_or_null(paper));
    if (!isnan(reference)) json_object_set_new(result, "reference", number_or_null(reference));
    json_array_append_new(b->results, result);
    if (b->as_json) return;
    printf("%-36s %12.6g %-10s", name, value, unit);
    if (!isnan(paper)) printf(" (paper %g)", paper);
    if (!isnan(reference)) printf(" (reference %g)", reference);
    printf("\n");
    fflush(stdout);
}

void bench_result(bench* b, const char* name, double value, const char* unit, double paper) {
    add_result(b, name, value, unit, paper, NAN);
}

void bench_compare(bench* b, const char* name, double value, const char* unit, double reference) {
    add_result(b, name, value, unit, NAN, reference);
}

void bench_mesh_used(bench* b, const char* file, const char* source, int vertex_count) {
    if (json_object_get(b->meshes, file)) return;
    json_object_set_new(b->meshes, file,
                        json_pack("{s:s, s:i}", "from", source, "vertices", vertex_count));
    fprintf(stderr, "mesh for %s: %s, %d vertices\n", file, source, vertex_count);
}

static json_t* describe_machine(void) {
    char model[128] = "unknown";
    FILE* file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %127[^\n]", model) == 1) break;
    if (file) fclose(file);
    return json_pack("{s:s, s:i}", "cpu", model, "threads", pl_usable_cpu_count());
}

// Keeps stdout for the JSON document and lets everything else that prints to it go to stderr.
static bool reserve_stdout(bench* b) {
    int copy = dup(STDOUT_FILENO);
    b->json_out = copy >= 0 ? fdopen(copy, "w") : NULL;
    return b->json_out && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

static bool write_json(const entry* e, bench* b) {
    json_t* document = json_pack("{s:s, s:o, s:O, s:O}", "bench", e->name, "machine",
                                 describe_machine(), "meshes", b->meshes, "results", b->results);
    bool written =
        json_dumpf(document, b->json_out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0 &&
        fprintf(b->json_out, "\n") > 0 && fclose(b->json_out) == 0;
    json_decref(document);
    return written;
}

static int run_bench(const entry* e, bench* b) {
    if (b->as_json && !reserve_stdout(b)) {
        fprintf(stderr, "pliant-bench: stdout cannot be written\n");
        return 1;
    }
    b->results = json_array();
    b->meshes = json_object();
    bool done = e->run(b);
    if (done && b->as_json) done = write_json(e, b);
    json_decref(b->results);
    json_decref(b->meshes);
    return done ? 0 : 1;
}

int main(int argc, char** argv) {
    const char* name = NULL;
    bench b = {0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) b.quick = true;
        else if (strcmp(argv[i], "--json") == 0) b.as_json = true;
        else if (strcmp(argv[i], "--frames") == 0 && i + 1 < argc && atoi(argv[i + 1]) > 0)
            b.frames = atoi(argv[++i]);
        else if (argv[i][0] != '-' && !name) name = argv[i];
        else if (argv[i][0] != '-' && !b.part) b.part = argv[i];
        else name = "";
    }
    for (const entry* e = entries; e->name; e++) {
        if (name && strcmp(name, "list") == 0) printf("%-16s %s\n", e->name, e->summary);
        else if (name && strcmp(name, e->name) == 0) return run_bench(e, &b);
    }
    if (name && strcmp(name, "list") == 0) return 0;
    fprintf(stderr,
            "usage: pliant-bench NAME [PART] [--quick] [--frames N] [--json]; `pliant-bench list` "
            "names the benches; verify, s3-cantilever, contact-heap, contact-pairs and "
            "contact-stack have parts; "
            "contact-heap and contact-cloth take --frames, N from 1 on\n");
    return 2;
}
