// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Distances of segments, continuous collision, and the pairs of surfaces that are near.
#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "contact/surface_set.h"
#include "geometry/distance.h"
#include "test.h"
#include "verify_contact.h"

#include <stdlib.h>

static pl_vec3 random_point(pl_random* random) {
    double x = pl_random_uniform(random, -1.0, 1.0), y = pl_random_uniform(random, -1.0, 1.0);
    return (pl_vec3){x, y, pl_random_uniform(random, -1.0, 1.0)};
}

static double sampled_distance2(pl_vec3 a0, pl_vec3 a1, pl_vec3 b0, pl_vec3 b1) {
    double least = INFINITY;
    for (int i = 0; i <= 40; i++)
        least = fmin(least, pl_closest_on_segment(pl_lerp(a0, a1, i / 40.0), b0, b1).distance2);
    return least;
}

TEST(distance_of_segments_as_sampled)
{
    pl_random random = {11};
    for (int k = 0; k < 3000; k++) {
        pl_vec3 a0 = random_point(&random), a1 = random_point(&random);
        pl_vec3 b0 = random_point(&random), b1 = random_point(&random);
        if (k % 8 == 1) b1 = pl_add(b0, pl_sub(a1, a0));                       // parallel
        if (k % 8 == 2) b0 = pl_lerp(a0, a1, 1.5), b1 = pl_lerp(a0, a1, -0.5); // on one line
        if (k % 8 == 3) a1 = a0;                                               // points
        if (k % 8 == 4) a1 = a0, b1 = b0;
        if (k % 8 == 5) b0 = pl_lerp(a0, a1, 0.25), b1 = a1; // inside the other
        if (k % 8 == 6) b1 = pl_madd(pl_add(b0, pl_sub(a1, a0)), 1e-9, random_point(&random));
        pl_segment_pair at = pl_closest_segments(a0, a1, b0, b1);
        CHECK(at.s >= 0.0 && at.s <= 1.0 && at.t >= 0.0 && at.t <= 1.0);
        double own = pl_norm2(pl_sub(pl_lerp(a0, a1, at.s), pl_lerp(b0, b1, at.t)));
        CHECK_NEAR(own, at.distance2, 1e-14);
        double sampled = sampled_distance2(a0, a1, b0, b1);
        CHECK(at.distance2 <= sampled + 1e-14);
        CHECK(sqrt(at.distance2) >= sqrt(sampled) - pl_distance(a0, a1) / 40.0);
    }
    // two that cross
    pl_segment_pair at = pl_closest_segments((pl_vec3){-1, 0, 0}, (pl_vec3){1, 0, 0},
                                             (pl_vec3){0, -1, 0.5}, (pl_vec3){0, 3, 0.5});
    CHECK_NEAR(at.s, 0.5, 0.0);
    CHECK_NEAR(at.t, 0.25, 0.0);
    CHECK_NEAR(at.distance2, 0.25, 0.0);
}

TEST(quad_weights_give_the_distance)
{
    pl_random random = {12};
    for (int k = 0; k < 200; k++) {
        pl_quad quad;
        double weights[4];
        for (int i = 0; i < 4; i++) quad.x[i] = random_point(&random);
        const double distance = pl_quad_distance(&quad, k % 2, weights);
        pl_vec3 sum = {0, 0, 0};
        for (int i = 0; i < 4; i++) sum = pl_madd(sum, weights[i], quad.x[i]);
        CHECK_NEAR(pl_norm(sum), distance, 1e-14);
        CHECK_NEAR(weights[0] + weights[1] + weights[2] + weights[3], 0.0, 1e-15);
    }
}

// room is near the distance, where rounding would tell
TEST(cheap_answers_about_distances_are_those_of_the_distance)
{
    pl_random random = {13};
    int beyond = 0, within = 0, wrong = 0;
    const int count = 40000;
    for (int k = 0; k < count; k++) {
        const bool is_edges = k % 2;
        pl_quad quad;
        for (int i = 0; i < 4; i++) quad.x[i] = random_point(&random);
        pl_vec3* x = quad.x;
        if (k % 14 < 2) x[3] = pl_add(x[2], pl_sub(x[1], x[0])); // parallel
        if (k % 14 == 2 || k % 14 == 3) x[3] = pl_lerp(x[1], x[2], 0.3);
        if (k % 14 == 4 || k % 14 == 5) x[3] = x[2];
        if (k % 14 == 6 || k % 14 == 7)
            x[3] = pl_madd(pl_add(x[2], pl_sub(x[1], x[0])), 1e-9, random_point(&random));
        const pl_vec3 away = pl_scale(k % 3 ? 0.0 : 100.0, random_point(&random));
        for (int i = 0; i < 4; i++) x[i] = pl_add(x[i], away);
        const double distance = pl_quad_distance(&quad, is_edges, NULL);
        const double room = distance * (1.0 + pl_random_uniform(&random, -0.4, 0.4));
        const bool is_beyond = pl_quad_is_beyond(&quad, is_edges, room),
                   is_within = pl_quad_is_within(&quad, is_edges, room);
        wrong += (is_beyond && distance <= room) || (is_within && distance > room);
        beyond += is_beyond, within += is_within;
    }
    CHECK_INT(wrong, 0);
    CHECK(beyond > count / 8 && within > count / 20); // and they do answer
}

TEST(ccd_is_never_late)
{
    const verify_ccd_result r = verify_ccd(4000, 200, 1);
    CHECK_INT(r.late_count, 0);
    CHECK(r.hit_count > 400);
    CHECK(r.least_left > 0.05);
    // and not much too early: most of the way to a tenth of the distance is gone
    CHECK(r.mean_earlier < 0.1);
}

TEST(ccd_of_a_vertex_and_a_triangle)
{
    pl_quad start = {{{0.2, 0.2, 1.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    pl_quad motion = {{{0, 0, -2.0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    double part = pl_quad_advance(&start, &motion, false);
    CHECK(part > 0.42 && part < 0.5); // contact is at one half
    motion.x[0].z = -0.8;
    CHECK(pl_quad_advance(&start, &motion, false) == 1.0);
    motion.x[0] = (pl_vec3){5.0, 0.0, -2.0}; // past the triangle
    CHECK(pl_quad_advance(&start, &motion, false) == 1.0);
    for (int i = 0; i < 4; i++) motion.x[i] = (pl_vec3){1e3, 1e3, 1e3}; // together
    CHECK(pl_quad_advance(&start, &motion, false) == 1.0);
    motion = (pl_quad){{{0, 0, -1000.0 / 60.0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}; // 1000 m/s
    part = pl_quad_advance(&start, &motion, false);
    CHECK(part > 0.05 && part < 0.06);
    start.x[0].z = 0.0; // touching
    CHECK(pl_quad_advance(&start, &motion, false) == 0.0);
}

TEST(pairs_of_surfaces_as_brute_force)
{
    verify_pairs_result r;
    pl_error error;
    CHECK_OK(verify_pairs(60, 1, NULL, &r, &error), &error);
    CHECK(r.pair_count > 10000);
    CHECK_INT(r.missing_count, 0);
    CHECK_INT(r.extra_count, 0);
    CHECK_INT(r.unseen_count, 0);
}

// ------------------------------------------------------------------ a sheet folded on itself

enum { SIDE = 24, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

typedef struct sheet {
    double rest[3 * VERTICES], x[3 * VERTICES];
    int vertices[VERTICES], triangles[3 * TRIANGLES];
} sheet;

// folded in the middle, both halves `gap` apart
static void make_sheet(sheet* s, double gap) {
    int t = 0;
    for (int v = 0; v < VERTICES; v++) {
        const int i = v % SIDE, j = v / SIDE;
        const double rest[3] = {0.1 * i, 0.1 * j, 0.0};
        const double x[3] = {0.1 * (i < SIDE / 2 ? i : SIDE - 1 - i), 0.1 * j,
                             i < SIDE / 2 ? 0.0 : gap};
        memcpy(s->rest + 3 * v, rest, sizeof rest);
        memcpy(s->x + 3 * v, x, sizeof x);
        s->vertices[v] = v;
    }
    for (int i = 0; i + 1 < SIDE; i++)
        for (int j = 0; j + 1 < SIDE; j++, t += 6) {
            const int a = SIDE * j + i;
            const int corners[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            memcpy(s->triangles + t, corners, sizeof corners);
        }
}

static pl_status sheet_set(const sheet* s, pl_surface_set** out, pl_error* error) {
    const pl_surface_source source = {.positions = s->rest,
                                      .vertices = s->vertices,
                                      .vertex_count = VERTICES,
                                      .triangles = s->triangles,
                                      .triangle_count = TRIANGLES,
                                      .meets_itself = true};
    return pl_surface_set_create(&source, 1, VERTICES, out, error);
}

TEST(pairs_are_the_same_at_any_thread_count_and_warm_searches_do_not_allocate)
{
    sheet s;
    make_sheet(&s, 0.01);
    pl_error error;
    pl_pool* pool;
    pl_surface_set* set;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    CHECK_OK(sheet_set(&s, &set, &error), &error);
    set->surfaces[0].reach = 0.02;
    pl_array one = pl_array_of(sizeof(pl_contact_pair)), many = one;
    CHECK_OK(pl_surface_set_find(set, NULL, s.x, NULL, &one, &error), &error);
    CHECK_OK(pl_surface_set_find(set, pool, s.x, NULL, &many, &error), &error);
    CHECK(one.count > VERTICES);
    CHECK_INT(one.count, many.count);
    for (size_t k = 0; k < one.count; k++) {
        const pl_contact_pair *a = (pl_contact_pair*)one.data + k,
                              *b = (pl_contact_pair*)many.data + k;
        CHECK(memcmp(a->v, b->v, sizeof a->v) == 0);
        CHECK(memcmp(a->surfaces, b->surfaces, sizeof a->surfaces) == 0);
        CHECK_INT(a->is_edges, b->is_edges);
    }
    pl_inject_failure(0);
    CHECK_OK(pl_surface_set_find(set, pool, s.x, NULL, &many, &error), &error);
    CHECK_INT(pl_inject_failure(0), 0);
    pl_array_free(&one);
    pl_array_free(&many);
    pl_surface_set_destroy(set);
    pl_pool_destroy(pool);
}

static int compare_pairs(const void* a, const void* b) {
    const pl_contact_pair *p = a, *q = b;
    if (p->is_edges != q->is_edges) return p->is_edges ? 1 : -1;
    return memcmp(p->v, q->v, sizeof p->v);
}

// A folded sheet flies and trembles. All pairs that are near on the way are listed, and not
// many others.
TEST(pairs_of_a_surface_that_moves_as_one)
{
    sheet s;
    make_sheet(&s, 0.05);
    double end[3 * VERTICES], middle[3 * VERTICES];
    pl_random random = {8};
    for (int i = 0; i < 3 * VERTICES; i++)
        end[i] = s.x[i] + (i % 3 ? 0.2 : 0.5) + pl_random_uniform(&random, -0.05, 0.05);
    pl_error error;
    pl_surface_set* set;
    CHECK_OK(sheet_set(&s, &set, &error), &error);
    set->surfaces[0].reach = 0.01;
    pl_array all = pl_array_of(sizeof(pl_contact_pair)), listed = all, now = all;
    CHECK_OK(pl_surface_set_find(set, NULL, s.x, end, &all, &error), &error);
    set->surfaces[0].moves_as_one = true;
    CHECK_OK(pl_surface_set_find(set, NULL, s.x, end, &listed, &error), &error);
    CHECK(4 * listed.count < all.count);
    qsort(listed.data, listed.count, sizeof(pl_contact_pair), compare_pairs);
    size_t found = 0;
    for (int k = 0; k <= 5; k++) {
        for (int i = 0; i < 3 * VERTICES; i++) middle[i] = s.x[i] + 0.2 * k * (end[i] - s.x[i]);
        CHECK_OK(pl_surface_set_find(set, NULL, middle, NULL, &now, &error), &error);
        const pl_contact_pair* pairs = now.data;
        for (size_t p = 0; p < now.count; p++)
            CHECK(bsearch(&pairs[p], listed.data, listed.count, sizeof *pairs, compare_pairs));
        found += now.count;
    }
    CHECK(found > VERTICES);
    pl_array_free(&all);
    pl_array_free(&listed);
    pl_array_free(&now);
    pl_surface_set_destroy(set);
}

TEST(crossings_of_a_sheet_with_itself)
{
    sheet s;
    make_sheet(&s, 0.01);
    pl_error error;
    pl_surface_set* set;
    CHECK_OK(sheet_set(&s, &set, &error), &error);
    pl_array crossings = pl_array_of(sizeof(pl_crossing));
    CHECK_OK(pl_surface_set_cross(set, NULL, s.x, &crossings, &error), &error);
    CHECK_INT(crossings.count, 0);
    // one vertex of the upper half pushed through the lower one: all edges of its fan cross
    const int v = SIDE * 12 + SIDE - 5;
    s.x[3 * v + 2] = -0.013;
    s.x[3 * v] += 0.031, s.x[3 * v + 1] += 0.017;
    CHECK_OK(pl_surface_set_cross(set, NULL, s.x, &crossings, &error), &error);
    CHECK(crossings.count >= 6);
    const pl_crossing* all = crossings.data;
    for (size_t k = 0; k < crossings.count; k++)
        CHECK(all[k].edge[0] == v || all[k].edge[1] == v || all[k].triangle[0] == v ||
              all[k].triangle[1] == v || all[k].triangle[2] == v);
    pl_array_free(&crossings);
    pl_surface_set_destroy(set);
}

TEST(surface_set_survives_lack_of_memory)
{
    sheet s;
    make_sheet(&s, 0.01);
    pl_error error;
    pl_array pairs = pl_array_of(sizeof(pl_contact_pair));
    pl_array crossings = pl_array_of(sizeof(pl_crossing));
    s.x[3 * (SIDE * 12 + SIDE - 5) + 2] = -0.013;
    bool done = false;
    for (int nth = 1; !done && nth < 1000; nth++) {
        pl_surface_set* set = NULL;
        pl_inject_failure(nth);
        pl_status status = sheet_set(&s, &set, &error);
        if (status == PL_OK) {
            set->surfaces[0].reach = 0.02;
            status = pl_surface_set_find(set, NULL, s.x, NULL, &pairs, &error);
        }
        if (status == PL_OK) status = pl_surface_set_cross(set, NULL, s.x, &crossings, &error);
        done = pl_inject_failure(0) < nth;
        CHECK(done ? status == PL_OK : status == PL_ERROR_MEMORY);
        pl_surface_set_destroy(set);
        pl_array_free(&pairs);
        pl_array_free(&crossings);
    }
    CHECK(done);
}
