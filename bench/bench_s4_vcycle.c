// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Seconds of a V-cycle of method grid (Zhu 2010, Fig. 22 and 23): boxes between two held walls, nu
// = 0.48 as in the paper, the whole cycle with boundaries; and the interior sweep against a plain
// scalar one in the paper's order.
#include "bench.h"
#include "grid/grid_multigrid.h"
#include "grid/grid_operator.h"
#include "grid/grid_smooth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PAPER_NU = 0.48;

typedef struct box {
    int n;
    pl_pool* pool;
    pl_grid_cells cells;
    pl_grid_multigrid mg;
    float* plain[8]; // u, p, f of the plain sweep, n + 2 cells along each axis
} box;

static pl_status make_box(int n, int threads, box* out, pl_error* error) {
    *out = (box){.n = n};
    const int low[3] = {-2, 0, 0}, size[3] = {n + 4, n, n};
    pl_status status = pl_pool_create(threads, &out->pool, error);
    if (status == PL_OK) status = pl_grid_cells_create(low, size, &out->cells, error);
    for (int k = 0; status == PL_OK && k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = -2; i < n + 2; i++)
                out->cells.kinds[pl_grid_cells_index(&out->cells, i, j, k)] =
                    i < 0 || i >= n ? PL_CELL_DIRICHLET : PL_CELL_INTERIOR;
    if (status == PL_OK) status = pl_grid_multigrid_create(&out->cells, out->pool, &out->mg, error);
    if (status != PL_OK) return status;
    pl_grid_multigrid_set_material(&out->mg, (1.0 - 2.0 * PAPER_NU) / (2.0 * PAPER_NU), 0.0);
    pl_grid_level* fine = &out->mg.levels[0];
    for (int i = 0; i < fine->field_size; i++)
        for (int a = 0; a < 3; a++)
            fine->f[a][i] =
                pl_grid_bit(fine->masks[i / PL_GRID_CHUNK].face[a], i) ? sinf((float)i) : 0.0f;
    return PL_OK;
}

static void free_box(box* b) {
    for (int k = 0; k < 8; k++) free(b->plain[k]);
    pl_grid_multigrid_free(&b->mg);
    pl_grid_cells_free(&b->cells);
    pl_pool_destroy(b->pool);
    *b = (box){0};
}

// bytes of all that a cycle touches
static double working_set(const pl_grid_multigrid* mg) {
    double sum = 0.0;
    for (int l = 0; l < mg->level_count; l++) {
        const pl_grid_level* level = &mg->levels[l];
        double chunks = level->field_size / PL_GRID_CHUNK;
        sum += 12.0 * sizeof(float) * level->field_size +
               chunks * (sizeof(pl_grid_masks) + sizeof(int)) +
               (double)level->band_count * sizeof(pl_grid_band_chunk) +
               (double)level->wall_count * sizeof(pl_grid_wall_chunk) +
               (double)level->segment_count * sizeof(pl_grid_segment) +
               (double)level->ghost_count * sizeof(pl_grid_ghost) +
               mg->transfers[l].parent_count * 9.0 * sizeof(int);
    }
    return sum + (double)mg->bottom.count * mg->bottom.count * sizeof(double);
}

static void run_cycle(void* user) { pl_grid_multigrid_cycle(&((box*)user)->mg); }
static void run_sweep(void* user) { pl_grid_smooth_interior(&((box*)user)->mg.levels[0], NULL); }
// all sweeps of the bands of a cycle, with what goes before and after
static void run_bands(void* user) {
    box* b = user;
    for (int l = 0; l + 1 < b->mg.level_count; l++)
        for (int half = 0; half < 4; half++) {
            pl_grid_level* level = &b->mg.levels[l];
            pl_pool* pool = level->cell_count < 20000 ? NULL : b->pool;
            pl_grid_band_smooth(level, half % 2 ? b->mg.band_sweeps : (b->mg.band_sweeps + 1) / 2,
                                half == 1, pool);
        }
}

static size_t plain_index(int n, int i, int j, int k) {
    size_t side = (size_t)n + 2;
    return ((size_t)k * side + (size_t)j) * side + (size_t)i;
}

// Algorithm 2 as it stands: gather a residual, scatter a correction, in lexicographic order
static void run_plain(void* user) {
    box* b = user;
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

static bool compare_sweeps(bench* b, box* x, int repeats) {
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

// one size: ms, share of the boundary, memory
static bool measure(bench* b, int n, double paper_ms, double paper_mb, bool details) {
    pl_error error;
    box x;
    char name[64];
    pl_status status = make_box(n, 2, &x, &error);
    if (status != PL_OK) {
        printf("%d^3: %s\n", n, error.text);
        free_box(&x);
        return false;
    }
    int repeats = bench_quick(b) ? 3 : 7;
    double seconds = bench_seconds(run_cycle, &x, repeats);
    snprintf(name, sizeof name, "ms_%d", n);
    bench_result(b, name, 1e3 * seconds, "ms", paper_ms);
    snprintf(name, sizeof name, "vs_paper_2core_%d", n);
    if (n >= 128) bench_result(b, name, paper_ms * 1e-3 / seconds, "x", NAN);
    snprintf(name, sizeof name, "mb_%d", n);
    if (n >= 128) bench_result(b, name, working_set(&x.mg) * 1e-6, "MB", paper_mb);
    bool ok = true;
    if (details) {
        snprintf(name, sizeof name, "boundary_share_%d", n);
        // interleaved, so that both see the same machine
        bench_result(b, name, 1.0 / bench_ratio(run_bands, &x, run_cycle, &x, repeats), "", 0.23);
        ok = compare_sweeps(b, &x, repeats);
    }
    free_box(&x);
    return ok;
}

bool bench_s4_vcycle(bench* b) {
    bool ok = measure(b, 32, 98.6, 26.0, false) && measure(b, 64, 447.0, 45.0, false) &&
              measure(b, 128, 1990.0, 180.0, true);
    if (!bench_quick(b)) ok = ok && measure(b, 256, 10800.0, 1200.0, false);
    return ok;
}
