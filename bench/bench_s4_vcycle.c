// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Seconds of a V-cycle of method grid (Zhu 2010, Fig. 22 and 23): boxes between two held walls and
// the armadillo held at hands and feet, nu = 0.48 as in the paper, the whole cycle with boundaries;
// the interior sweep against a plain scalar one in the paper's order; bytes of what a cycle
// touches.
#include "bench.h"
#include "grid/grid_linear.h"
#include "grid/grid_linear_level.h"
#include "s4_corot.h"
#include "s4_lattice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PAPER_NU = 0.48;

typedef struct body {
    int n; // cells along an axis, of a box
    pl_pool* pool;
    pl_grid_cells cells;
    pl_grid_lattice lattice;
    pl_grid_linear mg;
    float* plain[8]; // u, p, f of the plain sweep, n + 2 cells along each axis
} body;

// levels of cells, with a right side
static pl_status prepare(body* b, pl_error* error) {
    pl_status status = pl_grid_lattice_create(&b->cells, &b->lattice, error);
    if (status == PL_OK)
        status = pl_grid_linear_create(&b->lattice, &b->cells, b->pool, &b->mg, error);
    if (status != PL_OK) return status;
    pl_grid_linear_update(&b->mg, (1.0 - 2.0 * PAPER_NU) / (2.0 * PAPER_NU), 0.0);
    pl_grid_linear_level* fine = &b->mg.levels[0];
    for (int i = 0; i < fine->layout->field_size; i++)
        for (int a = 0; a < 3; a++)
            fine->f[a][i] =
                pl_grid_bit(fine->split[i / PL_GRID_CHUNK].face[a], i) ? sinf((float)i) : 0.0f;
    return PL_OK;
}

static void free_body(body* b) {
    for (int k = 0; k < 8; k++) free(b->plain[k]);
    pl_grid_linear_free(&b->mg);
    pl_grid_lattice_free(&b->lattice);
    pl_grid_cells_free(&b->cells);
    pl_pool_destroy(b->pool);
    *b = (body){0};
}

// bytes of all that a cycle touches
static double working_set(const pl_grid_linear* mg) {
    double sum = 0.0;
    for (int l = 0; l < mg->level_count; l++) {
        const pl_grid_linear_level* level = &mg->levels[l];
        double chunks = level->layout->field_size / PL_GRID_CHUNK;
        sum +=
            9.0 * sizeof(float) * level->layout->field_size +
            chunks * (sizeof(pl_grid_masks) + sizeof(uint8_t) + 2 * sizeof(int)) +
            level->band_count *
                (double)(sizeof(pl_grid_band_chunk) + sizeof *level->band_residual) +
            level->band_face_count * (double)sizeof(pl_grid_single_face) +
            PL_BAND_LISTS * (double)sizeof(int) * level->layout->size[1] * level->layout->size[2] +
            level->wall_count * (double)sizeof *level->wall_q +
            level->run_count * (double)sizeof(pl_grid_run) +
            chunks * (double)sizeof *level->layout->parents;
        // springs to Dirichlet cells and values outside are of coarse levels
        if (level->has_stiff_walls) sum += level->wall_count * (double)sizeof(pl_grid_wall_chunk);
        if (l) sum += level->ghost_count * (double)sizeof(pl_grid_ghost);
    }
    return sum;
}

static void run_cycle(void* user) { pl_grid_linear_cycle(&((body*)user)->mg); }
static void run_sweep(void* user) { pl_grid_smooth_interior(&((body*)user)->mg.levels[0], NULL); }

// What a sweep reads and writes, once and in order: nine fields read, five of them written.
enum { STREAM_BLOCK = 1 << 14 };
static void stream_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_grid_linear_level* l = user;
    float* restrict u = l->u[0], * restrict v = l->u[1], * restrict w = l->u[2];
    float* restrict c = l->c, * restrict q = l->q;
    const float* restrict f = l->f[0], * restrict g = l->f[1], * restrict h = l->f[2], * restrict k = l->g;
    for (int i = begin; i < end; i++) {
        const float sum = 1e-9f * ((f[i] + g[i]) + (h[i] + k[i]));
        u[i] += sum, v[i] += sum, w[i] += sum, c[i] += sum, q[i] += sum;
    }
}
static void run_stream(void* user) {
    body* b = user;
    pl_grid_linear_level* l = &b->mg.levels[0];
    pl_parallel_for(b->pool, stream_task, l->layout->field_size, STREAM_BLOCK, l);
}

static size_t plain_index(int n, int i, int j, int k) {
    size_t side = (size_t)n + 2;
    return ((size_t)k * side + (size_t)j) * side + (size_t)i;
}

// Algorithm 2 as it stands: gather a residual, scatter a correction, in lexicographic order
static void run_plain(void* user) {
    body* b = user;
    int n = b->n;
    size_t side = (size_t)n + 2;
    const size_t up[3] = {1, side, side * side};
    float **u = b->plain, *p = b->plain[3], **f = b->plain + 4;
    float eps = (float)((1.0 - 2.0 * PAPER_NU) / (2.0 * PAPER_NU));
    for (int a = 0; a < 3; a++)
        for (int k = 2; k < n; k++)
            for (int j = 2; j < n; j++)
                for (int i = 2; i < n; i++) {
                    size_t at = plain_index(n, i, j, k), low = at - up[a];
                    float r = f[a][at] + 6.0f * u[a][at] + (p[at] - p[low]);
                    for (int c = 0; c < 3; c++) {
                        r -= u[a][at + up[c]] + u[a][at - up[c]];
                        r -= u[c][at + up[c]] - u[c][at] - (u[c][low + up[c]] - u[c][low]);
                    }
                    float delta = r * (-1.0f / 6.0f);
                    u[a][at] += delta;
                    p[low] += delta;
                    p[at] -= delta;
                }
    for (int k = 2; k < n; k++)
        for (int j = 2; j < n; j++)
            for (int i = 2; i < n; i++) {
                size_t at = plain_index(n, i, j, k);
                float r = f[3][at] - eps * p[at];
                for (int c = 0; c < 3; c++) r -= u[c][at + up[c]] - u[c][at];
                float delta = r / (6.0f * (1.0f + 2.0f * eps));
                for (int c = 0; c < 3; c++) {
                    u[c][at] -= delta;
                    u[c][at + up[c]] += delta;
                    p[at + up[c]] -= 2.0f * delta;
                    p[at - up[c]] -= 2.0f * delta;
                }
                p[at] += 12.0f * delta;
            }
}

static bool compare_sweeps(bench* b, body* x, int repeats) {
    size_t size = (size_t)(x->n + 2) * (size_t)(x->n + 2) * (size_t)(x->n + 2);
    for (int k = 0; k < 8; k++) {
        x->plain[k] = calloc(size, sizeof(float));
        if (!x->plain[k]) return false;
        for (size_t i = 0; i < size; i++) x->plain[k][i] = sinf((float)i) * 1e-3f;
    }
    char name[64];
    snprintf(name, sizeof name, "sweep_vs_scalar_%d", x->n);
    bench_result(b, name, bench_ratio(run_sweep, x, run_plain, x, repeats), "x", NAN);
    return true;
}

// Median seconds of a cycle; prints what its parts take, and gives the share of the boundary.
static double time_cycles(body* x, const char* what, int threads, int repeats, double* share) {
    for (int k = 0; k < PL_GRID_TIMES; k++) x->mg.seconds[k] = 0.0;
    double seconds = bench_seconds(run_cycle, x, repeats), sum = 0.0;
    for (int k = 0; k < PL_GRID_TIMES; k++) sum += x->mg.seconds[k];
    const double* s = x->mg.seconds;
    double ms = 1e3 / (repeats + 1);
    *share = s[PL_GRID_BOUNDARY] / sum;
    printf("%-16s %d %8.2f | %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f\n", what, threads, 1e3 * seconds,
           ms * s[PL_GRID_BOUNDARY], ms * s[PL_GRID_INTERIOR], ms * s[PL_GRID_RESTRICTION],
           ms * s[PL_GRID_PROLONGATION], ms * s[PL_GRID_EXACT], ms * s[PL_GRID_OTHER]);
    return seconds;
}

static bool fail(const char* what, const pl_error* error, body* x) {
    printf("%s: %s\n", what, error->text);
    free_body(x);
    return false;
}

// A box with one and two threads: ms, working set, and at 128^3 shares and the plain sweep. In
// Fig. 23 the paper has a two-core time and a working set for each.
static bool measure_box(bench* b, int n, double paper_ms, double paper_mb) {
    pl_error error;
    char name[64], what[32];
    snprintf(what, sizeof what, "box %d^3", n);
    int repeats = bench_quick(b) || n > 128 ? 3 : 9;
    double seconds = 0.0, share = 0.0;
    for (int threads = bench_quick(b) ? 2 : 1; threads <= 2; threads++) {
        body x = {.n = n};
        pl_status status = pl_pool_create(threads, &x.pool, &error);
        if (status == PL_OK) status = s4_box_cells(n, &x.cells, &error);
        if (status == PL_OK) status = prepare(&x, &error);
        if (status != PL_OK) return fail(what, &error, &x);
        seconds = time_cycles(&x, what, threads, repeats, &share);
        if (n == 128) {
            const double stream = bench_seconds(run_stream, &x, repeats);
            bench_result(b, threads == 1 ? "stream_128_1" : "stream_128_2",
                         1e9 * stream / x.lattice.levels[0].field_size, "ns/cell", NAN);
        }
        if (threads == 2) {
            snprintf(name, sizeof name, "mb_%d", n);
            double state = 8.0 * sizeof(double) * x.lattice.levels[0].field_size;
            printf("%-16s the state in double takes %.0f MB more\n", what, 1e-6 * state);
            bench_result(b, name, working_set(&x.mg) * 1e-6, "MB", paper_mb);
            if (n == 128 && !compare_sweeps(b, &x, repeats)) return fail(what, &error, &x);
        }
        free_body(&x);
    }
    snprintf(name, sizeof name, "ms_%d", n);
    bench_result(b, name, 1e3 * seconds, "ms", paper_ms);
    snprintf(name, sizeof name, "vs_paper_2core_%d", n);
    if (n >= 128) bench_result(b, name, paper_ms * 1e-3 / seconds, "x", NAN);
    snprintf(name, sizeof name, "boundary_share_%d", n);
    if (n == 128) bench_result(b, name, share, "", 0.23);
    return true;
}

// What the interior sweep costs with all of its data in the cache, and from memory: what
// instructions take, and what memory adds.
static bool measure_sweep(bench* b, const char* name, int length, int width) {
    pl_error error;
    body x = {.n = length};
    pl_status status = s4_bar_cells(length, width, &x.cells, &error);
    if (status == PL_OK) status = prepare(&x, &error);
    if (status != PL_OK) return fail(name, &error, &x);
    const double cells = (double)length * width * width;
    const int repeats = cells < 1e5 ? 200 : 9;
    bench_result(b, name, 1e9 * bench_seconds(run_sweep, &x, repeats) / cells, "ns/cell", NAN);
    free_body(&x);
    return true;
}

// The paper gives single-core seconds (Fig. 22).
static bool measure_armadillo(bench* b, const char* what, int count, double paper_ms) {
    pl_error error;
    char name[64];
    for (int threads = 1; threads <= 2; threads++) {
        body x = {0};
        double share, cell;
        pl_grid_frame frame;
        pl_status status = pl_pool_create(threads, &x.pool, &error);
        if (status == PL_OK) status = s4_armadillo_cell(b, count, x.pool, &cell, &error);
        if (status == PL_OK) status = s4_armadillo_cells(b, cell, x.pool, &frame, &x.cells, &error);
        if (status == PL_OK) status = prepare(&x, &error);
        if (status != PL_OK) return fail(what, &error, &x);
        double seconds = time_cycles(&x, what, threads, bench_quick(b) ? 3 : 9, &share);
        snprintf(name, sizeof name, "ms_armadillo_%dk_%d", count / 1000, threads);
        bench_result(b, name, 1e3 * seconds, "ms", threads == 1 ? paper_ms : NAN);
        free_body(&x);
    }
    return true;
}

bool bench_s4_vcycle(bench* b) {
    printf("%-16s %s %8s | %7s %7s %7s %7s %7s %7s\n", "milliseconds", "t", "cycle", "bound.",
           "inter.", "restr.", "prol.", "exact", "other");
    bool ok = measure_box(b, 32, 98.6, 26.0) && measure_box(b, 64, 447.0, 45.0) &&
              measure_box(b, 128, 1990.0, 180.0) && measure_sweep(b, "sweep_in_cache", 124, 28) &&
              measure_sweep(b, "sweep_from_memory", 124, 124) &&
              measure_armadillo(b, "armadillo 38k", 38000, 336.0) && s4_corot_rows(b, 38000, NAN);
    if (ok && !bench_quick(b))
        ok = measure_armadillo(b, "armadillo 302k", 302000, 1737.0) &&
             s4_corot_rows(b, 302000, 5100.0) && measure_box(b, 256, 10800.0, 1200.0);
    return ok;
}
