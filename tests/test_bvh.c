// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Trees over boxes and triangles against brute force.
#include "base/memory.h"
#include "base/random.h"
#include "geometry/triangle_tree.h"
#include "test.h"

#include <stdlib.h>

enum { TRIANGLES = 700, QUERIES = 400 };

typedef struct soup {
    double positions[9 * TRIANGLES];
    int triangles[3 * TRIANGLES];
} soup;

static pl_vec3 random_point(pl_random* random, double size) {
    double x = pl_random_uniform(random, -size, size), y = pl_random_uniform(random, -size, size);
    return (pl_vec3){x, y, pl_random_uniform(random, -size, size)};
}

// small triangles all over, among them points, lines and copies
static void make_soup(soup* s, uint64_t seed) {
    pl_random random = {seed};
    for (int t = 0; t < TRIANGLES; t++) {
        pl_vec3 at = random_point(&random, 1.0);
        for (int k = 0; k < 3; k++) {
            pl_vec3 corner = pl_add(at, random_point(&random, 0.1));
            if (t % 50 == 0) corner = at;
            if (t % 50 == 1) corner = pl_madd(at, k, (pl_vec3){0.1, 0.05, -0.1});
            pl_vec3_store(s->positions + 9 * t + 3 * k, corner);
            s->triangles[3 * t + k] = 3 * t + k;
        }
        if (t % 50 == 2) memcpy(s->positions + 9 * t, s->positions, 9 * sizeof(double));
    }
}

static const pl_vec3* corner_of(const soup* s, int t, pl_vec3* corners) {
    for (int k = 0; k < 3; k++) corners[k] = pl_vec3_load(s->positions + 9 * t + 3 * k);
    return corners;
}

static pl_box box_of(const soup* s, int t) {
    pl_vec3 c[3];
    corner_of(s, t, c);
    return pl_box_of_triangle(c[0], c[1], c[2]);
}

TEST(bvh_nearest_as_brute_force)
{
    soup s;
    make_soup(&s, 1);
    pl_triangle_tree tree;
    pl_error error;
    CHECK_OK(pl_triangle_tree_build(s.positions, s.triangles, TRIANGLES, &tree, &error), &error);
    pl_random random = {2};
    for (int q = 0; q < QUERIES; q++) {
        pl_vec3 p = random_point(&random, q % 2 ? 1.0 : 3.0);
        double limit = q % 3 == 0 ? 0.1 : INFINITY, best = limit * limit;
        int nearest = -1;
        for (int t = 0; t < TRIANGLES; t++) {
            pl_vec3 c[3];
            corner_of(&s, t, c);
            double distance2 = pl_closest_on_triangle(p, c[0], c[1], c[2]).distance2;
            if (distance2 < best) best = distance2, nearest = t;
        }
        pl_nearest found = pl_triangle_tree_nearest(&tree, p, limit);
        CHECK_INT(found.triangle, nearest);
        CHECK(found.at.distance2 == best);
    }
    pl_triangle_tree_free(&tree);
}

TEST(bvh_ray_as_brute_force)
{
    soup s;
    make_soup(&s, 3);
    pl_triangle_tree tree, one;
    pl_error error;
    CHECK_OK(pl_triangle_tree_build(s.positions, s.triangles, TRIANGLES, &tree, &error), &error);
    pl_random random = {4};
    int hits = 0;
    for (int q = 0; q < QUERIES; q++) {
        pl_vec3 p = random_point(&random, 2.0), d = pl_sub(random_point(&random, 0.7), p);
        double length = q % 3 ? INFINITY : 0.8;
        pl_hit best = {.triangle = -1, .t = length};
        for (int t = 0; q % 8 == 0 && t < TRIANGLES; t++) {
            CHECK_OK(pl_triangle_tree_build(s.positions, s.triangles + 3 * t, 1, &one, &error),
                     &error);
            pl_hit hit = pl_triangle_tree_ray(&one, p, d, length);
            if (hit.triangle == 0 && hit.t < best.t) best = hit, best.triangle = t;
            pl_triangle_tree_free(&one);
        }
        pl_hit found = pl_triangle_tree_ray(&tree, p, d, length);
        if (q % 8 == 0) CHECK_INT(found.triangle, best.triangle);
        if (q % 8 == 0) CHECK(found.t == best.t);
        if (found.triangle < 0) continue;
        hits++;
        // the hit lies on the ray and on the triangle
        pl_vec3 c[3], at = pl_madd(p, found.t, d);
        corner_of(&s, found.triangle, c);
        CHECK_NEAR(pl_closest_on_triangle(at, c[0], c[1], c[2]).distance2, 0.0, 1e-24);
        pl_vec3 mixed = pl_scale(found.weights[0], c[0]);
        mixed = pl_madd(pl_madd(mixed, found.weights[1], c[1]), found.weights[2], c[2]);
        CHECK_NEAR(pl_distance(mixed, at), 0.0, 1e-12);
    }
    CHECK(hits > QUERIES / 4);
    pl_triangle_tree_free(&tree);
}

typedef struct visited {
    const soup* s;
    unsigned char* seen; // per item, or per pair
    int count, limit;
} visited;

static bool visit_item(int item, void* user) {
    visited* v = user;
    v->seen[item]++;
    return ++v->count != v->limit;
}

static bool visit_pair(int a, int b, void* user) {
    visited* v = user;
    CHECK(a < b);
    v->seen[a * TRIANGLES + b]++;
    return ++v->count != v->limit;
}

TEST(bvh_overlaps_as_brute_force)
{
    soup s;
    make_soup(&s, 5);
    pl_bvh tree;
    pl_error error;
    CHECK_OK(pl_bvh_build_triangles(s.positions, s.triangles, TRIANGLES, &tree, &error), &error);
    pl_random random = {6};
    for (int q = 0; q < QUERIES; q++) {
        pl_vec3 a = random_point(&random, 1.2), b = random_point(&random, 1.2);
        pl_box box = {pl_min3(a, b), pl_max3(a, b)};
        unsigned char seen[TRIANGLES] = {0};
        CHECK(pl_bvh_overlap(&tree, box, visit_item, &(visited){.seen = seen}));
        for (int t = 0; t < TRIANGLES; t++) CHECK_INT(seen[t], pl_box_overlaps(box_of(&s, t), box));
        memset(seen, 0, sizeof seen);
        pl_vec3 along = pl_sub(b, a), inverse = pl_ray_inverse(along);
        CHECK(pl_bvh_ray(&tree, a, along, 1.0, visit_item, &(visited){.seen = seen}));
        for (int t = 0; t < TRIANGLES; t++)
            CHECK_INT(seen[t], pl_box_ray(box_of(&s, t), a, inverse, 1.0) < INFINITY);
    }
    visited pairs = {.seen = calloc(TRIANGLES, TRIANGLES)};
    CHECK(pl_bvh_self_overlap(&tree, visit_pair, &pairs));
    for (int a = 0; a < TRIANGLES; a++)
        for (int b = a + 1; b < TRIANGLES; b++)
            CHECK_INT(pairs.seen[a * TRIANGLES + b], pl_box_overlaps(box_of(&s, a), box_of(&s, b)));
    CHECK(pairs.count > 100);
    visited few = {.seen = pairs.seen, .limit = 7};
    CHECK(!pl_bvh_self_overlap(&tree, visit_pair, &few));
    CHECK_INT(few.count, 7);
    free(pairs.seen);
    pl_bvh_free(&tree);
}

TEST(bvh_of_bad_boxes)
{
    enum { COUNT = 5000 };
    pl_error error;
    pl_bvh tree;
    CHECK_OK(pl_bvh_build(NULL, 0, &tree, &error), &error);
    unsigned char seen[COUNT] = {0};
    pl_box all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    visited v = {.seen = seen};
    CHECK(pl_bvh_overlap(&tree, all, visit_item, &v) && v.count == 0);
    pl_bvh_free(&tree);
    // all the same place, huge, not finite, and a geometric series that cuts off one box at a time
    pl_box* boxes = PL_ALLOC(pl_box, COUNT);
    for (int i = 0; i < COUNT; i++) {
        double x = i % 4 == 0   ? 1.0
                   : i % 4 == 1 ? ldexp(1.0, i / 4 % 1000)
                   : i % 4 == 2 ? 1e308
                                : NAN;
        boxes[i] = (pl_box){{x, -x, 0.0}, {x, x, x}};
    }
    CHECK_OK(pl_bvh_build(boxes, COUNT, &tree, &error), &error);
    CHECK_INT(tree.slot_count, COUNT / 4 * 3);
    v = (visited){.seen = seen};
    CHECK(pl_bvh_overlap(&tree, all, visit_item, &v));
    for (int i = 0; i < COUNT; i++) CHECK_INT(seen[i], i % 4 != 3);
    pl_bvh_free(&tree);
    PL_FREE(boxes, pl_box, COUNT);
}

TEST(bvh_survives_every_failing_allocation)
{
    soup s;
    make_soup(&s, 7);
    size_t before = pl_byte_count();
    pl_triangle_tree tree;
    pl_error error;
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status =
            pl_triangle_tree_build(s.positions, s.triangles, TRIANGLES, &tree, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK_INT(pl_byte_count(), before);
    }
    pl_triangle_tree_free(&tree);
}

// the squared distance by fine sampling of the triangle, from above
static double sampled_distance2(pl_vec3 p, const pl_vec3* c) {
    enum { STEPS = 60 };
    double best = INFINITY;
    for (int i = 0; i <= STEPS; i++)
        for (int j = 0; i + j <= STEPS; j++) {
            double v = (double)i / STEPS, w = (double)j / STEPS;
            pl_vec3 at = pl_madd(pl_madd(c[0], v, pl_sub(c[1], c[0])), w, pl_sub(c[2], c[0]));
            best = fmin(best, pl_norm2(pl_sub(p, at)));
        }
    return best;
}

TEST(distance_to_triangles_good_and_degenerate)
{
    pl_random random = {8};
    for (int i = 0; i < 300; i++) {
        pl_vec3 c[3], p = random_point(&random, 2.0);
        for (int k = 0; k < 3; k++) c[k] = random_point(&random, 1.0);
        if (i % 5 == 1) c[2] = pl_lerp(c[0], c[1], pl_random_uniform(&random, -1.0, 2.0));
        if (i % 5 == 2) c[2] = c[1];
        if (i % 5 == 3) c[2] = c[1] = c[0];
        if (i % 5 == 4) c[2] = pl_madd(pl_lerp(c[0], c[1], 0.3), 1e-13, c[2]);
        pl_triangle_point at = pl_closest_on_triangle(p, c[0], c[1], c[2]);
        double sampled = sampled_distance2(p, c);
        CHECK(at.distance2 <= sampled + 1e-12 && sqrt(at.distance2) >= sqrt(sampled) - 0.1);
        double sum = 0.0;
        pl_vec3 mixed = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            CHECK(at.weights[k] >= 0.0 && at.weights[k] <= 1.0);
            sum += at.weights[k];
            mixed = pl_madd(mixed, at.weights[k], c[k]);
        }
        CHECK_NEAR(sum, 1.0, 1e-14);
        CHECK_NEAR(pl_distance(mixed, at.point), 0.0, 1e-13);
    }
    pl_vec3 a = {1, 2, 3}, b = {3, 2, 3};
    CHECK_NEAR(pl_closest_on_segment((pl_vec3){1.5, 4, 3}, a, b).t, 0.25, 1e-15);
    CHECK_NEAR(pl_closest_on_segment((pl_vec3){0, 2, 3}, a, b).distance2, 1.0, 1e-15);
    CHECK_NEAR(pl_closest_on_segment((pl_vec3){5, 2, 3}, a, b).distance2, 4.0, 1e-15);
    CHECK_NEAR(pl_closest_on_segment((pl_vec3){1, 2, 5}, a, a).distance2, 4.0, 1e-15);
}
