// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What searches leave out because it is flat is never near: against searches that leave out
// nothing.
#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "contact/surface_set.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 20, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
static const double EDGE = 0.1, THICKNESS = 0.01, SLACK = 0.008;

typedef struct sheet {
    double rest[3 * VERTICES], x[3 * VERTICES], end[3 * VERTICES];
    int vertices[VERTICES], triangles[3 * TRIANGLES];
} sheet;

static double noise(pl_random* random, double size) {
    return pl_random_uniform(random, -size, size);
}

// Uneven triangles, on a plane or on a cylinder.
static void make_rest(sheet* s, pl_random* random, bool is_round) {
    int t = 0;
    for (int v = 0; v < VERTICES; v++) {
        const double a = EDGE * (v % SIDE) + noise(random, 0.012);
        const double b = EDGE * (v / SIDE) + noise(random, 0.012);
        const double rest[3] = {is_round ? 0.8 * sin(a / 0.8) : a, b,
                                is_round ? 0.8 * cos(a / 0.8) : 0.0};
        memcpy(s->rest + 3 * v, rest, sizeof rest);
        s->vertices[v] = v;
    }
    for (int i = 0; i + 1 < SIDE; i++)
        for (int j = 0; j + 1 < SIDE; j++, t += 6) {
            const int a = SIDE * j + i;
            const int corners[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            memcpy(s->triangles + t, corners, sizeof corners);
        }
}

// Rolled to a radius, wavy, stretched, sheared, crumpled here and there, and turned.
static void deform(const sheet* s, pl_random* random, double* x) {
    const double radius = pl_random_uniform(random, 0.08, 2.0), wave = noise(random, 0.1);
    const double stretch = pl_random_uniform(random, 0.8, 1.3), shear = noise(random, 0.3);
    const double crumple = pl_random_uniform(random, 0.0, 0.05), turn = noise(random, 3.0);
    const int place = (int)pl_random_uniform(random, 0.0, VERTICES);
    for (int v = 0; v < VERTICES; v++) {
        const double a = stretch * s->rest[3 * v] + shear * s->rest[3 * v + 1];
        const double near = abs(v / SIDE - place / SIDE) < 5 ? crumple : 0.002;
        const pl_vec3 p = {radius * sin(a / radius) + noise(random, near),
                           s->rest[3 * v + 1] + noise(random, near),
                           radius * cos(a / radius) + wave * sin(9.0 * s->rest[3 * v + 1]) +
                               s->rest[3 * v + 2] + noise(random, near)};
        pl_vec3_store(x + 3 * v, (pl_vec3){p.x * cos(turn) + p.z * sin(turn), p.y,
                                           p.z * cos(turn) - p.x * sin(turn)});
    }
}

static pl_surface_set* make_set(const sheet* s, bool has_patches) {
    pl_error error;
    pl_surface_set* set;
    const pl_surface_source source = {.positions = s->rest,
                                      .vertices = s->vertices,
                                      .vertex_count = VERTICES,
                                      .triangles = s->triangles,
                                      .triangle_count = TRIANGLES,
                                      .meets_itself = true};
    CHECK_OK(pl_surface_set_create(&source, 1, VERTICES, &set, &error), &error);
    set->surfaces[0].thickness = THICKNESS;
    set->surfaces[0].reach = THICKNESS + SLACK;
    set->surfaces[0].moves_as_one = true;
    if (has_patches) CHECK_OK(pl_surface_set_find_patches(set, NULL, &error), &error);
    return set;
}

static int compare_pairs(const void* a, const void* b) {
    const pl_contact_pair *p = a, *q = b;
    if (p->is_edges != q->is_edges) return p->is_edges ? 1 : -1;
    return memcmp(p->v, q->v, sizeof p->v);
}

// Two edges may be listed in either order: the smaller vertices first.
static void sort_pairs(pl_array* list) {
    pl_contact_pair* pairs = list->data;
    for (size_t k = 0; k < list->count; k++) {
        pl_contact_pair* p = &pairs[k];
        if (!p->is_edges || p->v[0] < p->v[2]) continue;
        const int v[4] = {p->v[2], p->v[3], p->v[0], p->v[1]};
        memcpy(p->v, v, sizeof v);
    }
    if (list->count > 0) qsort(pairs, list->count, sizeof *pairs, compare_pairs);
}

// How many pairs are as near at x as they are never to be; each has to be in the list.
static int count_near(pl_surface_set* all, const double* x, const pl_array* listed) {
    pl_array now = pl_array_of(sizeof(pl_contact_pair));
    pl_error error;
    int count = 0;
    all->surfaces[0].reach = THICKNESS;
    CHECK_OK(pl_surface_set_find(all, NULL, x, NULL, &now, &error), &error);
    sort_pairs(&now);
    const pl_contact_pair* pairs = now.data;
    for (size_t k = 0; k < now.count; k++) {
        const pl_quad at = pl_pair_places(&pairs[k], x),
                      rest = pl_pair_places(&pairs[k], all->rest);
        if (pl_quad_distance(&at, pairs[k].is_edges, NULL) >
            PL_REST_PART * pl_quad_distance(&rest, pairs[k].is_edges, NULL))
            continue;
        CHECK(listed->count &&
              bsearch(&pairs[k], listed->data, listed->count, sizeof *pairs, compare_pairs));
        count++;
    }
    pl_array_free(&now);
    return count;
}

static int count_flat(const pl_surface_set* set) {
    int count = 0;
    for (int k = 0; k < set->surfaces[0].patches->count; k++)
        count += set->surfaces[0].patches->is_flat[k];
    return count;
}

// places on the way from x to end, each vertex by less than the slack beside it
static void place_near_way(const sheet* s, pl_random* random, double* out) {
    const double part = pl_random_uniform(random, 0.0, 1.0);
    const double aside = pl_random_uniform(random, 0.0, 0.57) * SLACK;
    for (int i = 0; i < 3 * VERTICES; i++)
        out[i] = s->x[i] + part * (s->end[i] - s->x[i]) + noise(random, aside);
}

typedef struct totals {
    int near, flat, held;
} totals;

static void compare_searches(int seed, bool is_round, totals* sums) {
    static sheet s;
    static double x[2][3 * VERTICES], middle[3 * VERTICES];
    pl_random random = {(uint64_t)seed};
    pl_error error;
    pl_array listed = pl_array_of(sizeof(pl_contact_pair));
    make_rest(&s, &random, is_round);
    deform(&s, &random, s.x);
    for (int i = 0; i < 3 * VERTICES; i++)
        s.end[i] = s.x[i] + (i % 3 ? 0.3 : 0.0) + noise(&random, 0.003);
    pl_surface_set *set = make_set(&s, true), *all = make_set(&s, false);
    CHECK_OK(pl_surface_set_find(set, NULL, s.x, s.end, &listed, &error), &error);
    sort_pairs(&listed);
    sums->flat += count_flat(set);
    for (int k = 0; k < 4; k++) {
        place_near_way(&s, &random, x[k % 2]);
        if (!pl_surface_set_stays_flat(set, NULL, x[k % 2])) break;
        sums->near += count_near(all, x[k % 2], &listed);
        sums->held++;
        // what is flat at both ends of a way is so on it
        for (int i = 0; k > 0 && i < 3 * VERTICES; i++) middle[i] = 0.5 * (x[0][i] + x[1][i]);
        CHECK(k == 0 || pl_surface_set_stays_flat(set, NULL, middle));
    }
    pl_array_free(&listed);
    pl_surface_set_destroy(set);
    pl_surface_set_destroy(all);
}

TEST(flat_patches_leave_out_nothing_that_is_near)
{
    totals sums = {0, 0, 0};
    for (int k = 0; k < 60; k++) compare_searches(k + 1, k % 3 == 0, &sums);
    CHECK(sums.near > 1000);
    CHECK(sums.flat > 1000);
    CHECK(sums.held > 60);
}

TEST(flat_patches_leave_out_no_crossings)
{
    static sheet s;
    pl_error error;
    pl_array some = pl_array_of(sizeof(pl_crossing)), all = some;
    size_t count = 0;
    int flat = 0;
    for (int k = 0; k < 40; k++) {
        pl_random random = {(uint64_t)k + 100};
        make_rest(&s, &random, k % 3 == 0);
        deform(&s, &random, s.x);
        pl_surface_set *set = make_set(&s, true), *plain = make_set(&s, false);
        CHECK_OK(pl_surface_set_cross(set, NULL, s.x, &some, &error), &error);
        CHECK_OK(pl_surface_set_cross(plain, NULL, s.x, &all, &error), &error);
        CHECK_INT(some.count, all.count);
        count += all.count;
        flat += count_flat(set);
        pl_surface_set_destroy(set);
        pl_surface_set_destroy(plain);
    }
    CHECK(count > 1000);
    CHECK(flat > 1000);
    pl_array_free(&some);
    pl_array_free(&all);
}

// Cloth that hangs in soft folds is flat everywhere, wherever it is and however it is turned.
TEST(flat_patches_of_a_soft_fold)
{
    static sheet s;
    pl_error error;
    pl_random random = {5};
    pl_array pairs = pl_array_of(sizeof(pl_contact_pair));
    make_rest(&s, &random, false);
    for (int v = 0; v < VERTICES; v++) {
        const double a = s.rest[3 * v] / 0.7;
        const double x[3] = {50.0 + 0.7 * sin(a), 0.97 * s.rest[3 * v + 1], 0.7 * cos(a)};
        memcpy(s.x + 3 * v, x, sizeof x);
    }
    pl_surface_set* set = make_set(&s, true);
    CHECK_OK(pl_surface_set_find(set, NULL, s.x, NULL, &pairs, &error), &error);
    CHECK_INT(count_flat(set), set->surfaces[0].patches->count);
    CHECK_INT(pairs.count, 0);
    CHECK(pl_surface_set_stays_flat(set, NULL, s.x));
    s.x[3 * (SIDE + 3)] = NAN;
    CHECK(!pl_surface_set_stays_flat(set, NULL, s.x));
    pl_surface_set_destroy(set);
    pl_array_free(&pairs);
}

TEST(flat_patches_give_the_same_bits_at_any_thread_count)
{
    static sheet s;
    pl_error error;
    pl_pool* pool;
    pl_array one = pl_array_of(sizeof(pl_contact_pair)), many = one;
    pl_random random = {9};
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    make_rest(&s, &random, false);
    deform(&s, &random, s.x);
    pl_surface_set* set = make_set(&s, true);
    set->surfaces[0].reach = 0.05;
    CHECK_OK(pl_surface_set_find(set, NULL, s.x, NULL, &one, &error), &error);
    CHECK_OK(pl_surface_set_find(set, pool, s.x, NULL, &many, &error), &error);
    CHECK(one.count > 0);
    CHECK_INT(one.count, many.count);
    const pl_contact_pair *a = one.data, *b = many.data;
    for (size_t k = 0; k < one.count; k++)
        CHECK(a[k].is_edges == b[k].is_edges && memcmp(a[k].v, b[k].v, sizeof a[k].v) == 0);
    pl_surface_set_destroy(set);
    pl_array_free(&one);
    pl_array_free(&many);
    pl_pool_destroy(pool);
}

TEST(flat_patches_survive_lack_of_memory)
{
    static sheet s;
    pl_error error;
    pl_random random = {3};
    bool done = false;
    make_rest(&s, &random, false);
    for (int nth = 1; !done && nth < 100; nth++) {
        pl_surface_set* set = make_set(&s, false);
        pl_inject_failure(nth);
        const pl_status status = pl_surface_set_find_patches(set, NULL, &error);
        done = pl_inject_failure(0) < nth;
        CHECK(done ? status == PL_OK : status == PL_ERROR_MEMORY);
        pl_surface_set_destroy(set);
    }
    CHECK(done);
}
