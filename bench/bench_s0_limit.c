// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How near the multigrid of Projective Dynamics comes to what the machine can do. The finest level
// of a cycle (two symmetric sweeps, residual, two symmetric sweeps) is compared with reading as
// many bytes from a buffer as large as its data, in turn; two threads with one on a whole frame.
// The mesh is the dragon of PLIANT_DATA, or without that a generated bar of the same size.
#include "base/memory.h"
#include "bench.h"
#include "bench_meshes.h"
#include "bench_systems.h"
#include "fem/fem_system.h"
#include "machine_limits.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };

typedef struct limit {
    verify_body body[THREADS]; // the same, on one and on two threads
    pl_pool* pool[THREADS];
    pl_pin* pins;
    int pin_count;
    // what the finest level moves in a cycle, and a buffer of the size of its data
    size_t bytes;
    float* buffer;
    size_t buffer_size;
    double sink;
    bool failed;
    pl_error error;
} limit;

// one system with its level at hand
typedef struct side {
    limit* l;
    int threads;
    pl_method_info info;
} side;

static const char DRAGON[] = "tets_generated/dragon_200k.msh.gz";

static pl_status load_mesh(bench* b, pl_mesh** out, pl_error* error) {
    if (!bench_quick(b)) return bench_solid_mesh(b, DRAGON, 199937, out, error);
    int cells = 12;
    pl_status status =
        verify_box(4.0, 1.0, 1.0, 4 * cells, cells, cells, PL_PATTERN_KUHN, out, error);
    if (status == PL_OK) bench_mesh_used(b, DRAGON, "generated box", (*out)->vertex_count);
    return status;
}

static pl_step_settings frame_settings(const bench* b) {
    static const int levels[2] = {50, 1000}, few[2] = {20, 200};
    pl_step_settings s = pl_default_step_settings();
    s.nonlinear = PL_NONLINEAR_PROJECTIVE;
    s.linear = PL_LINEAR_MULTIGRID;
    s.max_iterations = 1;
    s.all_iterations = true;
    s.line_search = false;
    s.linear_max_iterations = 1;
    s.multigrid.levels = bench_quick(b) ? few : levels;
    s.multigrid.level_count = 2;
    s.multigrid.pre_sweeps = s.multigrid.post_sweeps = 2;
    return s;
}

// the lowest part in x is held softly
static pl_status make_pins(limit* l, pl_error* error) {
    const pl_mesh* mesh = l->body[0].mesh;
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) {
        low = fmin(low, mesh->positions[3 * (size_t)v]);
        high = fmax(high, mesh->positions[3 * (size_t)v]);
    }
    l->pins = PL_ALLOC(pl_pin, mesh->vertex_count);
    if (!l->pins) return pl_fail_memory(error, "the bench");
    l->pin_count = verify_pin_left(mesh, low + 0.03 * (high - low), l->pins);
    for (int k = 0; k < l->pin_count; k++) {
        l->pins[k].hard = false;
        l->pins[k].stiffness = 1e4;
        l->pins[k].from = l->pins[k].target;
    }
    return PL_OK;
}

static pl_status create(bench* b, limit* l, pl_error* error) {
    pl_step_settings settings = frame_settings(b);
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < THREADS; k++) {
        pl_mesh* mesh;
        status = pl_pool_create(k + 1, &l->pool[k], error);
        if (status == PL_OK) status = load_mesh(b, &mesh, error);
        if (status == PL_OK)
            status = verify_body_create(&l->body[k], mesh, PL_MATERIAL_ARAP, 1e5, 0.3, 1000.0,
                                        &settings, l->pool[k], error);
    }
    if (status == PL_OK) status = make_pins(l, error);
    if (status != PL_OK) return status;
    for (int k = 0; k < THREADS; k++)
        for (int v = 0; v < l->body[k].mesh->vertex_count; v++)
            l->body[k].force[3 * (size_t)v + 1] = -9.81 * l->body[k].mass[v];
    return PL_OK;
}

static void run_frame(void* user) {
    side* s = user;
    limit* l = s->l;
    verify_body* body = &l->body[s->threads - 1];
    pl_method_step step = {
        .time_step = 1.0 / 30.0, .force = body->force, .pins = l->pins, .pin_count = l->pin_count};
    if (pl_step_system_step(body->system, &step, &s->info, &l->error) != PL_OK) l->failed = true;
}

static pl_scalar_mg* mg_of(const side* s) {
    return pl_fem_projective_of(s->l->body[s->threads - 1].system)->mg;
}

static void run_cycle(void* user) { pl_scalar_mg_cycle(mg_of(user)); }

static void run_gradient(void* user) {
    const side* s = user;
    pl_projective_fast* p = pl_fem_projective_of(s->l->body[s->threads - 1].system);
    pl_tet_batches_gradient_warm(&p->tets[0], p->pool, p->y, p->quasi.gradient);
}

// the finest level of a cycle
static void run_fine(void* user) {
    const side* s = user;
    pl_scalar_fine* f = pl_scalar_mg_fine(mg_of(s));
    pl_pool* pool = s->l->pool[s->threads - 1];
    pl_scalar_fine_smooth(f, pool, 4, false, true);
    pl_scalar_fine_restrict(f, pool, pl_scalar_mg_level(mg_of(s), 1)->b);
    pl_scalar_fine_prolong_add(f, pool, pl_scalar_mg_level(mg_of(s), 1)->x);
    pl_scalar_fine_smooth(f, pool, 4, false, false);
}

// Bytes that the above has to read and write, each vector counted once per pass: halves of the
// matrix, and per row x (read and written), b, u (read and written), the inverse diagonal.
static void count_bytes(limit* l) {
    const pl_scalar_fine* f = pl_scalar_mg_fine(pl_fem_projective_of(l->body[0].system)->mg);
    size_t places = (size_t)f->order.place_count, chunks = (size_t)f->order.chunk_count;
    size_t lower = 24 * (size_t)f->lower.starts[chunks],
           upper = 24 * (size_t)f->upper.starts[chunks];
    size_t sweep = places * (16 + 16 + 16 + 16 + 4) + 4 * chunks, first = sweep - 16 * places;
    size_t restriction = places * (16 + 16 + 16 + 4 + 16 + 4) + 4 * chunks;
    size_t prolongation = places * (16 + 16 + 16 + 4);
    // the first sweep and the first after the prolongation read no u, the latter reads both halves
    l->bytes = 4 * (lower + upper) + upper + 4 * chunks + 2 * first + 6 * sweep + restriction +
               lower + prolongation;
    l->buffer_size = (lower + upper + places * (4 * 16 + 8 + 8)) / sizeof(float) / 64 * 64;
}

// reads as many bytes as run_fine moves
static void run_read(void* user) {
    const side* s = user;
    limit* l = s->l;
    for (size_t left = l->bytes / sizeof(float); left > 0;) {
        size_t count = left < l->buffer_size ? left : l->buffer_size;
        l->sink += machine_read(l->pool[s->threads - 1], l->buffer, count);
        left -= count;
    }
}

// what the machine can do at this moment, whatever is computed on it
static void report_machine(bench* b, limit* l) {
    static const struct {
        const char *one, *two;
        size_t bytes;
    } sizes[] = {{"read_256kB_1t", "read_256kB", (size_t)1 << 18},
                 {"read_8MB_1t", "read_8MB", (size_t)1 << 23},
                 {"read_256MB_1t", "read_256MB", (size_t)1 << 28}};
    for (int k = 0; k < 3; k++) {
        bench_result(b, sizes[k].one, machine_read_speed(l->pool[0], sizes[k].bytes), "GB/s", NAN);
        bench_result(b, sizes[k].two, machine_read_speed(l->pool[1], sizes[k].bytes), "GB/s", NAN);
    }
    bench_result(b, "core_shared_part", machine_shared_part(), "", NAN);
}

static void report(bench* b, limit* l) {
    side one = {.l = l, .threads = 1}, two = {.l = l, .threads = 2};
    int repeats = bench_quick(b) ? 9 : 31;
    for (int k = 0; k < 3; k++) run_frame(&one), run_frame(&two);
    const pl_scalar_mg* mg = mg_of(&one);
    bench_result(b, "vertices", l->body[0].mesh->vertex_count, "", NAN);
    bench_result(b, "tets", l->body[0].mesh->tet_count, "", NAN);
    bench_result(b, "pins", l->pin_count, "", NAN);
    bench_result(b, "working_set", 1e-6 * (double)l->buffer_size * sizeof(float), "MB", NAN);
    bench_result(b, "moved", 1e-6 * (double)l->bytes, "MB", NAN);
    bench_result(b, "runs", pl_scalar_mg_fine(mg_of(&one))->order.run_count, "", NAN);
    bench_result(
        b, "coarsest_nodes",
        pl_scalar_mg_hierarchy(mg)->node_counts[pl_scalar_mg_hierarchy(mg)->level_count - 1], "",
        NAN);
    bench_result(b, "bandwidth_fraction_1t", bench_ratio(run_fine, &one, run_read, &one, repeats),
                 "", NAN);
    bench_result(b, "bandwidth_fraction", bench_ratio(run_fine, &two, run_read, &two, repeats), "",
                 NAN);
    double gigabytes = (double)l->bytes / 1e9;
    bench_result(b, "fine_gb_per_s", gigabytes / bench_seconds(run_fine, &two, repeats), "GB/s",
                 NAN);
    bench_result(b, "read_gb_per_s", gigabytes / bench_seconds(run_read, &two, repeats), "GB/s",
                 NAN);
    bench_result(b, "threads_2_vs_1", bench_ratio(run_frame, &two, run_frame, &one, repeats), "x",
                 NAN);
    static const struct {
        const char *one, *two;
        bench_run run;
    } rows[] = {{"gradient_ms_1t", "gradient_ms", run_gradient},
                {"fine_ms_1t", "fine_ms", run_fine},
                {"cycle_ms_1t", "cycle_ms", run_cycle},
                {"frame_ms_1t", "frame_ms", run_frame}};
    for (int k = 0; k < 4; k++) {
        bench_result(b, rows[k].one, 1e3 * bench_seconds(rows[k].run, &one, repeats), "ms", NAN);
        bench_result(b, rows[k].two, 1e3 * bench_seconds(rows[k].run, &two, repeats), "ms", NAN);
    }
    // a dragon of about the same size, one iteration a frame: 39.4 fps on an RTX 2080 (Table 1)
    bench_result(b, "frames_per_s", 1.0 / bench_seconds(run_frame, &two, repeats), "1/s",
                 bench_quick(b) ? NAN : 39.4);
}

bool bench_s0_limit(bench* b) {
    limit l = {0};
    bool done = create(b, &l, &l.error) == PL_OK;
    if (done) {
        side one = {.l = &l, .threads = 1};
        run_frame(&one); // makes the levels
        count_bytes(&l);
        l.buffer = PL_ALLOC(float, l.buffer_size);
        done = l.buffer && !l.failed;
    }
    if (done) report(b, &l);
    if (done) report_machine(b, &l);
    if (!done || l.failed) fprintf(stderr, "pliant-bench s0-limit: %s\n", l.error.text);
    PL_FREE(l.buffer, float, l.buffer_size);
    if (l.pins) PL_FREE(l.pins, pl_pin, l.body[0].mesh->vertex_count);
    for (int k = 0; k < THREADS; k++) {
        verify_body_free(&l.body[k]);
        pl_pool_destroy(l.pool[k]);
    }
    return done && !l.failed;
}
