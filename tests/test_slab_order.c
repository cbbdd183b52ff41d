// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "multigrid/slab_order.h"
#include "test.h"

// a grid of nx * ny * nz with the 6 neighbours; items are allocated for the worst case
static void grid_graph(int nx, int ny, int nz, pl_adjacency* g) {
    int n = nx * ny * nz;
    *g = (pl_adjacency){.count = n, .offsets = PL_ALLOC(int, n + 1)};
    int step[6][3] = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int pass = 0; pass < 2; pass++) {
        int total = 0;
        for (int i = 0; i < n; i++) {
            int p[3] = {i % nx, i / nx % ny, i / nx / ny}, size[3] = {nx, ny, nz};
            g->offsets[i] = total;
            for (int k = 0; k < 6; k++) {
                bool inside = true;
                for (int c = 0; c < 3; c++)
                    inside = inside && p[c] + step[k][c] >= 0 && p[c] + step[k][c] < size[c];
                if (!inside) continue;
                if (pass) g->items[total] = i + step[k][0] + nx * (step[k][1] + ny * step[k][2]);
                total++;
            }
        }
        g->offsets[n] = total;
        if (!pass) g->items = PL_ALLOC(int, total);
    }
}

static int run_of_chunk(const pl_slab_order* o, int chunk) {
    int run = 0;
    while (chunk < o->run_chunks[run] || chunk >= o->run_ends[run]) run++;
    return run;
}

static int phase_of_run(const pl_slab_order* o, int run) {
    int phase = 0;
    while (o->phase_runs[phase + 1] <= run) phase++;
    return phase;
}

// every row has one place; rows of a chunk, and of different runs in a phase, are not coupled
static void check_order(const pl_slab_order* o, const pl_adjacency* g) {
    CHECK_INT(o->place_count, o->chunk_count * o->chunk_rows);
    CHECK_INT(o->run_chunks[o->run_count], o->chunk_count);
    int in_runs = 0;
    for (int run = 0; run < o->run_count; run++) in_runs += o->run_ends[run] - o->run_chunks[run];
    CHECK_INT(in_runs, o->chunk_count);
    CHECK_INT(o->phase_runs[o->phase_count], o->run_count);
    int filled = 0;
    for (int p = 0; p < o->place_count; p++)
        if (o->row[p] >= 0) {
            filled++;
            CHECK_INT(o->place[o->row[p]], p);
        }
    CHECK_INT(filled, g->count);
    for (int i = 0; i < g->count; i++)
        for (int e = g->offsets[i]; e < g->offsets[i + 1]; e++) {
            int a = o->place[i] / o->chunk_rows, b = o->place[g->items[e]] / o->chunk_rows;
            CHECK(a != b);
            int run_a = run_of_chunk(o, a), run_b = run_of_chunk(o, b);
            CHECK(run_a == run_b || phase_of_run(o, run_a) != phase_of_run(o, run_b));
        }
}

static void check_grid(int nx, int ny, int nz, int chunk_rows, int phases_least, int phases_most) {
    pl_error error;
    pl_adjacency g;
    grid_graph(nx, ny, nz, &g);
    pl_slab_order o;
    CHECK_OK(pl_slab_order_setup(&o, &g, chunk_rows, &error), &error);
    CHECK(o.phase_count >= phases_least && o.phase_count <= phases_most);
    check_order(&o, &g);
    pl_slab_order_free(&o);
    pl_adjacency_free(&g);
}

TEST(slab_order_slabs)
{
    check_grid(80, 9, 9, 4, 2, 2);
    check_grid(80, 9, 9, 1, 2, 2);
    check_grid(300, 20, 1, 4, 2, 2);
}

TEST(slab_order_small)
{
    check_grid(1, 1, 1, 4, 1, 1);
    check_grid(10, 10, 5, 4, 1, 1);
    check_grid(10, 10, 5, 1, 1, 1);
}

// a band as wide as the graph: a row that everything is coupled with
TEST(slab_order_wide_band)
{
    pl_error error;
    enum { N = 5000 };
    pl_adjacency g = {
        .count = N, .offsets = PL_ALLOC(int, N + 1), .items = PL_ALLOC(int, 2 * N - 2)};
    int total = 0;
    for (int i = 0; i < N; i++) {
        g.offsets[i] = total;
        if (i == 0)
            for (int j = 1; j < N; j++) g.items[total++] = j;
        else g.items[total++] = 0;
    }
    g.offsets[N] = total;
    pl_slab_order o;
    CHECK_OK(pl_slab_order_setup(&o, &g, 4, &error), &error);
    CHECK_INT(o.phase_count, 2); // its colours
    CHECK(o.run_count > 10);
    check_order(&o, &g);
    pl_slab_order_free(&o);
    pl_adjacency_free(&g);
}

// couplings with earlier rows and with later ones: rows of a chunk have nearly the same numbers
TEST(slab_order_little_padding)
{
    pl_error error;
    pl_adjacency g;
    grid_graph(120, 12, 12, &g);
    pl_slab_order o;
    CHECK_OK(pl_slab_order_setup(&o, &g, 4, &error), &error);
    int64_t padded = 0;
    for (int c = 0; c < o.chunk_count; c++) {
        int longest[2] = {0, 0};
        for (int q = 0; q < 4; q++) {
            int i = o.row[4 * c + q], length[2] = {0, 0};
            if (i < 0) continue;
            for (int e = g.offsets[i]; e < g.offsets[i + 1]; e++)
                length[o.place[g.items[e]] > o.place[i]]++;
            for (int k = 0; k < 2; k++)
                longest[k] = length[k] > longest[k] ? length[k] : longest[k];
        }
        padded += 4 * (longest[0] + longest[1]);
    }
    CHECK((double)padded < 1.05 * g.offsets[g.count]);
    pl_slab_order_free(&o);
    pl_adjacency_free(&g);
}

TEST(slab_order_memory)
{
    pl_error error;
    pl_adjacency g;
    grid_graph(8, 8, 8, &g);
    pl_slab_order o;
    pl_inject_failure(0);
    CHECK_OK(pl_slab_order_setup(&o, &g, 4, &error), &error);
    int64_t count = pl_inject_failure(0);
    pl_slab_order_free(&o);
    for (int64_t k = 1; k <= count; k++) {
        pl_inject_failure(k);
        CHECK_INT(pl_slab_order_setup(&o, &g, 4, &error), PL_ERROR_MEMORY);
    }
    pl_inject_failure(0);
    pl_adjacency_free(&g);
}
