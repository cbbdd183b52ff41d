// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Reading and writing of meshes: a box of a million tets (60 000 with --quick) as .msh, binary and
// text. Reading text is compared with the least that any reader has to do: a loop that turns the
// same bytes, already in memory, into numbers and keeps nothing but their sum. Files lie in the
// temporary folder and are in the page cache when timed.
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"
#include "mesh/mesh_object.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct task {
    const pl_mesh* mesh;
    char path[300];
    bool ascii;
    char* text; // of the file, for the parse loops
    size_t size;
    double sum; // what keeps the loops from being optimised away
    pl_error error;
    bool failed;
} task;

// a box of n^3 cubes with six tets each, vertices moved a little so that no coordinate is short
static pl_mesh* make_box(int n) {
    pl_mesh* mesh = pl_mesh_new();
    int side = n + 1;
    if (!mesh || !pl_mesh_set_vertex_count(mesh, side * side * side) ||
        !pl_mesh_set_tet_count(mesh, 6 * n * n * n)) {
        pl_mesh_destroy(mesh);
        return NULL;
    }
    pl_random random = {7};
    for (int i = 0; i < mesh->vertex_count; i++) {
        int cell[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; k++)
            mesh->positions[3 * i + k] = (cell[k] + pl_random_uniform(&random, -0.1, 0.1)) / n;
    }
    static const int paths[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    static const bool even[6] = {true, false, false, true, true, false};
    int* tet = mesh->tets;
    for (int c = 0; c < n * n * n; c++) {
        int first = c % n + side * (c / n % n + side * (c / n / n));
        for (int t = 0; t < 6; t++, tet += 4) {
            int corners[4] = {0, paths[t][0], paths[t][1], 7};
            for (int k = 0; k < 4; k++)
                tet[k] = first + (corners[k] & 1) +
                         side * ((corners[k] >> 1 & 1) + side * (corners[k] >> 2));
            if (!even[t]) {
                int swapped = tet[1];
                tet[1] = tet[2];
                tet[2] = swapped;
            }
        }
    }
    return mesh;
}

static void run_write(void* user) {
    task* t = user;
    pl_mesh_write_options options = {.ascii = t->ascii};
    if (pl_mesh_write(t->mesh, t->path, &options, NULL, &t->error) != PL_OK) t->failed = true;
}

static void run_read(void* user) {
    task* t = user;
    pl_mesh* mesh;
    if (pl_mesh_read(t->path, NULL, &mesh, NULL, &t->error) != PL_OK ||
        mesh->tet_count != t->mesh->tet_count)
        t->failed = true;
    pl_mesh_destroy(mesh);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// digits and a power of ten, without care for the last bit
static const char* parse_number(const char* p, double* value) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool negative = *p == '-';
    p += negative;
    uint64_t digits = 0;
    int exponent = 0;
    while (is_digit(*p)) digits = 10 * digits + (uint64_t)(*p++ - '0');
    if (*p == '.') {
        const char* point = ++p;
        while (is_digit(*p)) digits = 10 * digits + (uint64_t)(*p++ - '0');
        exponent = (int)(point - p);
    }
    if (*p == 'e') {
        int sign = *++p == '-' ? -1 : 1, e = 0;
        if (*p == '-' || *p == '+') p++;
        while (is_digit(*p)) e = 10 * e + (*p++ - '0');
        exponent += sign * e;
    }
    double x = exponent < 0 ? (double)digits / power[-exponent > 22 ? 22 : -exponent]
                            : (double)digits * power[exponent > 22 ? 22 : exponent];
    *value = negative ? -x : x;
    return p;
}

static void run_parse_loop(void* user) {
    task* t = user;
    double value;
    t->sum = 0.0;
    for (const char* p = t->text; *p;) {
        if (!is_digit(*p) && *p != '-') {
            p++;
            continue;
        }
        p = parse_number(p, &value);
        t->sum += value;
    }
}

static void run_strtod_loop(void* user) {
    task* t = user;
    t->sum = 0.0;
    for (char* p = t->text; *p;) {
        char* end;
        double value = strtod(p, &end);
        t->sum += value;
        p = end > p ? end : p + 1;
    }
}

static bool load_text(task* t) {
    FILE* file = fopen(t->path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return false;
    t->size = (size_t)ftell(file);
    rewind(file);
    t->text = calloc(t->size + 1, 1);
    bool done = t->text && fread(t->text, 1, t->size, file) == t->size;
    fclose(file);
    return done;
}

static void run_tasks(bench* b, task* binary, task* text) {
    int repeats = bench_quick(b) ? 3 : 7;
    bench_result(b, "msh_binary_1m_write_s", bench_seconds(run_write, binary, 3), "s", NAN);
    bench_result(b, "msh_binary_1m_s", bench_seconds(run_read, binary, repeats), "s", NAN);
    bench_result(b, "msh_ascii_1m_write_s", bench_seconds(run_write, text, 1), "s", NAN);
    if (!load_text(text)) {
        text->failed = true;
        return;
    }
    bench_result(b, "msh_ascii_1m_s", bench_seconds(run_read, text, repeats), "s", NAN);
    bench_result(b, "msh_ascii_size", (double)text->size / 1e6, "MB", NAN);
    double loop = bench_ratio(run_read, text, run_parse_loop, text, repeats);
    bench_result(b, "msh_ascii_vs_parse_loop", 1.0 / loop, "times", NAN);
    double strtod_loop = bench_ratio(run_read, text, run_strtod_loop, text, 3);
    bench_result(b, "msh_ascii_vs_strtod_loop", 1.0 / strtod_loop, "times", NAN);
}

bool bench_mesh_io(bench* b) {
    const char* base = getenv("TMPDIR");
    char folder[200];
    snprintf(folder, sizeof folder, "%s/pliant-bench-XXXXXX", base ? base : "/tmp");
    pl_mesh* mesh = make_box(bench_quick(b) ? 22 : 56);
    if (!mesh || !mkdtemp(folder)) {
        fprintf(stderr, "no memory, or no temporary folder %s\n", folder);
        pl_mesh_destroy(mesh);
        return false;
    }
    task binary = {.mesh = mesh}, text = {.mesh = mesh, .ascii = true};
    snprintf(binary.path, sizeof binary.path, "%s/binary.msh", folder);
    snprintf(text.path, sizeof text.path, "%s/text.msh", folder);
    run_tasks(b, &binary, &text);
    if (binary.failed || text.failed)
        fprintf(stderr, "%s\n", binary.failed ? binary.error.text : text.error.text);
    free(text.text);
    unlink(binary.path);
    unlink(text.path);
    rmdir(folder);
    pl_mesh_destroy(mesh);
    return !binary.failed && !text.failed;
}
