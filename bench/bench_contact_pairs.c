// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Detection of contact: continuous collision and pairs against brute force at length, and what a
// search costs in piles of balls of 1 000 to 1 000 000 triangles that nearly touch.
#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "contact/surface_set.h"
#include "verify_contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUND = 16, RINGS = 10, BALL_VERTICES = ROUND * (RINGS - 1) + 2 };
enum { BALL_TRIANGLES = 2 * ROUND * (RINGS - 1) };

typedef struct pile {
    int ball_count;
    int triangles[3 * BALL_TRIANGLES];
    int vertices[BALL_VERTICES];
    double* x;
    pl_surface_source* sources;
    pl_surface_set* set;
    pl_pool* pool;
    pl_array found;
    pl_status status;
    pl_error error;
} pile;

static void ball_triangles(int* out) {
    const int last = BALL_VERTICES - 1;
    for (int j = 0; j < ROUND; j++) {
        const int next = (j + 1) % ROUND, low = ROUND * (RINGS - 2) + 1;
        *out++ = 0, *out++ = 1 + j, *out++ = 1 + next;
        *out++ = last, *out++ = low + next, *out++ = low + j;
        for (int i = 0; i + 2 < RINGS; i++) {
            const int a = 1 + ROUND * i, b = a + ROUND;
            *out++ = a + j, *out++ = b + j, *out++ = b + next;
            *out++ = a + j, *out++ = b + next, *out++ = a + next;
        }
    }
}

// of radius 1
static void ball_places(pl_vec3 middle, double* out) {
    for (int v = 0; v < BALL_VERTICES; v++) {
        const int ring = v == 0 ? 0 : v == BALL_VERTICES - 1 ? RINGS : 1 + (v - 1) / ROUND;
        const double down = PL_PI * ring / RINGS, around = 2.0 * PL_PI * ((v - 1) % ROUND) / ROUND;
        const pl_vec3 at = {sin(down) * cos(around), cos(down), sin(down) * sin(around)};
        pl_vec3_store(out + 3 * (size_t)v, pl_add(middle, at));
    }
}

static void pile_free(pile* p) {
    pl_surface_set_destroy(p->set);
    pl_array_free(&p->found);
    free(p->x);
    free(p->sources);
}

// a lattice of balls a hundredth of a radius apart
static bool pile_create(pile* p, int side, pl_pool* pool) {
    *p = (pile){.ball_count = side * side * side,
                .pool = pool,
                .found = pl_array_of(sizeof(pl_contact_pair))};
    const size_t count = (size_t)p->ball_count;
    p->x = malloc(3 * count * BALL_VERTICES * sizeof *p->x);
    p->sources = malloc(count * sizeof *p->sources);
    if (!p->x || !p->sources) return false;
    ball_triangles(p->triangles);
    for (int v = 0; v < BALL_VERTICES; v++) p->vertices[v] = v;
    for (int b = 0; b < p->ball_count; b++) {
        const pl_vec3 middle = {2.01 * (b % side), 2.01 * (b / side % side),
                                2.01 * (b / side / side)};
        double* x = p->x + 3 * (size_t)b * BALL_VERTICES;
        ball_places(middle, x);
        p->sources[b] = (pl_surface_source){.positions = x,
                                            .vertices = p->vertices,
                                            .first = b * BALL_VERTICES,
                                            .vertex_count = BALL_VERTICES,
                                            .triangles = p->triangles,
                                            .triangle_count = BALL_TRIANGLES,
                                            .meets_others = true,
                                            .meets_itself = true};
    }
    if (pl_surface_set_create(p->sources, p->ball_count, p->ball_count * BALL_VERTICES, &p->set,
                              &p->error) != PL_OK)
        return false;
    for (int b = 0; b < p->ball_count; b++) p->set->surfaces[b].reach = 0.02;
    return true;
}

static void run_search(void* user) {
    pile* p = user;
    p->status = pl_surface_set_find(p->set, p->pool, p->x, NULL, &p->found, &p->error);
}

static bool time_piles(bench* b, pl_pool* pool) {
    const int sides[4] = {2, 4, 8, 15}, count = bench_quick(b) ? 3 : 4;
    double first = 0.0, first_size = 0.0, slope = NAN;
    for (int k = 0; k < count; k++) {
        pile p;
        bool ok = pile_create(&p, sides[k], pool);
        const double seconds = ok ? bench_seconds(run_search, &p, 5) : NAN;
        if (!ok || p.status != PL_OK) fprintf(stderr, "contact-pairs: %s\n", p.error.text);
        ok = ok && p.status == PL_OK;
        const double size = (double)p.ball_count * BALL_TRIANGLES, pairs = (double)p.found.count;
        pile_free(&p);
        if (!ok) return false;
        char name[64];
        snprintf(name, sizeof name, "ns_per_triangle_%.0f", size);
        bench_result(b, name, 1e9 * seconds / size, "ns", NAN);
        snprintf(name, sizeof name, "pairs_per_triangle_%.0f", size);
        bench_result(b, name, pairs / size, "1", NAN);
        if (k == 0) first = seconds, first_size = size;
        else slope = log(seconds / first) / log(size / first_size);
    }
    bench_result(b, "slope_time", slope, "1", NAN);
    return true;
}

bool bench_contact_pairs(bench* b) {
    const bool quick = bench_quick(b);
    pl_error error;
    pl_pool* pool;
    if (pl_pool_create(0, &pool, &error) != PL_OK) return false;
    const verify_ccd_result ccd = verify_ccd(quick ? 5000 : 100000, 400, 77);
    bench_result(b, "ccd_motions", ccd.motion_count, "1", NAN);
    bench_result(b, "ccd_late", ccd.late_count, "1", NAN);
    bench_result(b, "ccd_hits", ccd.hit_count, "1", NAN);
    bench_result(b, "ccd_least_left", ccd.least_left, "1", NAN);
    bench_result(b, "ccd_too_early", ccd.mean_earlier, "1", NAN);
    verify_pairs_result pairs;
    bool ok = verify_pairs(quick ? 200 : 10000, 5, pool, &pairs, &error) == PL_OK;
    if (ok) {
        bench_result(b, "pairs", pairs.pair_count, "1", NAN);
        bench_result(b, "pairs_missing", pairs.missing_count, "1", NAN);
        bench_result(b, "pairs_extra", pairs.extra_count, "1", NAN);
        bench_result(b, "pairs_unseen", pairs.unseen_count, "1", NAN);
        ok = time_piles(b, pool);
    }
    pl_pool_destroy(pool);
    return ok;
}
