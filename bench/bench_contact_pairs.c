// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Detection of contact: continuous collision and pairs against brute force at length, what a search
// costs in piles of balls of 1 000 to 1 000 000 triangles that nearly touch, and searches among
// moving surfaces against those of FCL and Bullet. Parts: brute, sizes, peers.
#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "contact/surface_set.h"
#include "pair_contest.h"
#include "verify_contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// ------------------------------------------------------------------ against other libraries

// between -1 and 1, different for each seed
static double noise(unsigned seed) {
    seed = (seed ^ 61u) * 0x9e3779b1u;
    seed = (seed ^ (seed >> 15)) * 0x85ebca6bu;
    return (double)((seed ^ (seed >> 13)) & 0xffffu) / 32767.5 - 1.0;
}

// Every ball flies on its own and is bent a little on the way.
static void move_balls(const pile* p, double* end) {
    for (int b = 0; b < p->ball_count; b++) {
        const unsigned seed = 3u * (unsigned)b;
        const pl_vec3 way = {0.05 * noise(seed), 0.05 * noise(seed + 1), 0.05 * noise(seed + 2)};
        for (size_t v = (size_t)b * BALL_VERTICES; v < (size_t)(b + 1) * BALL_VERTICES; v++) {
            const pl_vec3 x = pl_vec3_load(p->x + 3 * v);
            const pl_vec3 bend = {0.01 * sin(3.0 * x.y), 0.01 * sin(3.0 * x.z),
                                  0.01 * sin(3.0 * x.x)};
            pl_vec3_store(end + 3 * v, pl_add(x, pl_add(way, bend)));
        }
    }
}

static bool contest_of_balls(bench* b, int side, const char* name, double* ratio) {
    pile p;
    bool ok = pile_create(&p, side, NULL);
    double* end = malloc(3 * (size_t)p.ball_count * BALL_VERTICES * sizeof *end);
    if (ok && end) {
        move_balls(&p, end);
        const pair_contest c = {name, p.sources, p.ball_count, p.ball_count * BALL_VERTICES,
                                0.02, p.x,       end};
        ok = pair_contest_run(b, &c, ratio);
    }
    free(end);
    pile_free(&p);
    return ok && end;
}

// A sheet that lies in folds on itself, with edges of 1 cm.
typedef struct sheet {
    int columns, rows; // of cells, the folds along the columns
    double* places[2]; // at the start and at the end of the way
    int *triangles, *vertices;
} sheet;

static pl_vec3 on_fold(double s, double across) {
    const double length = 0.4, radius = 0.0012, pi = 3.141592653589793;
    const double period = length + pi * radius;
    const int fold = (int)(s / period);
    const double u = s - fold * period, turn = u > length ? (u - length) / radius : 0.0;
    const double along = u > length ? length + radius * sin(turn) : u;
    return (pl_vec3){fold % 2 ? length - along : along, radius * (2.0 * fold + 1.0 - cos(turn)),
                     across};
}

static void place_sheet(sheet* c) {
    const double edge = 0.01;
    int* t = c->triangles;
    for (int i = 0, v = 0; i <= c->columns; i++)
        for (int j = 0; j <= c->rows; j++, v++) {
            const pl_vec3 x = on_fold(edge * i, edge * j);
            const pl_vec3 way = {0.0005, 0.0002 * sin(40.0 * x.x + 900.0 * x.y),
                                 0.0004 * sin(700.0 * x.y)};
            pl_vec3_store(c->places[0] + 3 * (size_t)v, x);
            pl_vec3_store(c->places[1] + 3 * (size_t)v, pl_add(x, way));
            c->vertices[v] = v;
            if (i == c->columns || j == c->rows) continue;
            const int w = v + c->rows + 1;
            const int own[6] = {v, w, w + 1, v, w + 1, v + 1};
            memcpy(t, own, sizeof own);
            t += 6;
        }
}

static bool contest_of_sheet(bench* b, int columns, int rows, const char* name, double* ratio) {
    const size_t count = (size_t)(columns + 1) * (size_t)(rows + 1);
    const int triangle_count = 2 * columns * rows;
    sheet c = {columns,
               rows,
               {malloc(3 * count * sizeof(double)), malloc(3 * count * sizeof(double))},
               malloc(3 * (size_t)triangle_count * sizeof(int)),
               malloc(count * sizeof(int))};
    bool ok = c.places[0] && c.places[1] && c.triangles && c.vertices;
    if (ok) {
        place_sheet(&c);
        const pl_surface_source source = {.positions = c.places[0],
                                          .vertices = c.vertices,
                                          .vertex_count = (int)count,
                                          .triangles = c.triangles,
                                          .triangle_count = triangle_count,
                                          .meets_others = true,
                                          .meets_itself = true};
        const pair_contest contest = {name,   &source,     1,          (int)count,
                                      0.0015, c.places[0], c.places[1]};
        ok = pair_contest_run(b, &contest, ratio);
    }
    free(c.places[0]);
    free(c.places[1]);
    free(c.triangles);
    free(c.vertices);
    return ok;
}

static bool meet_peers(bench* b) {
    const bool quick = bench_quick(b);
    double balls = NAN, folds = NAN;
    if (!contest_of_balls(b, quick ? 3 : 8, quick ? "balls_8k" : "balls_147k", &balls) ||
        !contest_of_sheet(b, quick ? 100 : 200, quick ? 50 : 100, quick ? "folds_10k" : "folds_40k",
                          &folds))
        return false;
    bench_result(b, "detect_vs_best", fmin(balls, folds), "1", NAN);
    return true;
}

// ------------------------------------------------------------------ all

static bool meet_brute_force(bench* b, pl_pool* pool) {
    const bool quick = bench_quick(b);
    const verify_ccd_result ccd = verify_ccd(quick ? 5000 : 100000, 400, 77);
    bench_result(b, "ccd_motions", ccd.motion_count, "1", NAN);
    bench_result(b, "ccd_late", ccd.late_count, "1", NAN);
    bench_result(b, "ccd_hits", ccd.hit_count, "1", NAN);
    bench_result(b, "ccd_least_left", ccd.least_left, "1", NAN);
    bench_result(b, "ccd_too_early", ccd.mean_earlier, "1", NAN);
    verify_pairs_result pairs;
    pl_error error;
    if (verify_pairs(quick ? 200 : 10000, 5, pool, &pairs, &error) != PL_OK) {
        fprintf(stderr, "contact-pairs: %s\n", error.text);
        return false;
    }
    bench_result(b, "pairs", pairs.pair_count, "1", NAN);
    bench_result(b, "pairs_missing", pairs.missing_count, "1", NAN);
    bench_result(b, "pairs_extra", pairs.extra_count, "1", NAN);
    bench_result(b, "pairs_unseen", pairs.unseen_count, "1", NAN);
    return true;
}

static bool is_asked(const bench* b, const char* part) {
    return !bench_part(b) || strcmp(bench_part(b), part) == 0;
}

bool bench_contact_pairs(bench* b) {
    pl_error error;
    pl_pool* pool;
    if (pl_pool_create(0, &pool, &error) != PL_OK) return false;
    bool ok = !is_asked(b, "brute") || meet_brute_force(b, pool);
    ok = ok && (!is_asked(b, "sizes") || time_piles(b, pool));
    ok = ok && (!is_asked(b, "peers") || meet_peers(b));
    pl_pool_destroy(pool);
    return ok;
}
