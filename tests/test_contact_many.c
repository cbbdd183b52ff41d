// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Detection with hundreds of obstacles finds what a test of every vertex with every obstacle finds.
#include "base/random.h"
#include "collider/collider_kind.h"
#include "contact/collision.h"
#include "test.h"

enum { OBSTACLES = 700, VERTICES = 3000, ROOM = 60000 };

static pl_vec3 random_place(pl_random* random, double size) {
    double x = pl_random_uniform(random, -size, size), y = pl_random_uniform(random, -size, size);
    return (pl_vec3){x, y, pl_random_uniform(random, -size, size)};
}

static pl_rigid turned(pl_random* random, double angle) {
    double c = cos(angle), s = sin(angle);
    pl_rigid pose = {
        pl_mat3_from_columns((pl_vec3){c, s, 0}, (pl_vec3){-s, c, 0}, (pl_vec3){0, 0, 1}),
        random_place(random, 0.2)};
    return pose;
}

// spheres, boxes, capsules, planes; at rest, moving, turning
static void make_obstacles(pl_random* random, pl_moving_obstacle* out) {
    for (int k = 0; k < OBSTACLES; k++) {
        pl_vec3 a = random_place(random, 4.0), b = pl_add(a, random_place(random, 0.3));
        pl_moving_obstacle m = {.begin = pl_rigid_identity(),
                                .end = pl_rigid_identity(),
                                .thickness = 0.01 * (k % 3),
                                .stiffness = 1.0 + k}; // tells which one it was
        m.obstacle =
            (pl_obstacle){.kind = &pl_collider_capsule.solid, .a = a, .b = b, .radius = 0.1};
        if (k % 4 == 0) m.obstacle.kind = &pl_collider_sphere.solid;
        if (k % 4 == 1)
            m.obstacle = (pl_obstacle){
                .kind = &pl_collider_box.solid, .a = pl_min3(a, b), .b = pl_max3(a, b)};
        if (k == 77)
            m.obstacle =
                (pl_obstacle){.kind = &pl_collider_plane.solid, .a = {0, -3, 0}, .b = {0, 1, 0}};
        if (k % 5 == 1) m.end.translation = random_place(random, 0.3);
        if (k % 5 == 2) m.begin = turned(random, 0.4), m.end = turned(random, 0.9);
        pl_moving_obstacle_bound(&m);
        out[k] = m;
    }
}

TEST(contact_with_many_obstacles_equals_testing_all)
{
    static pl_moving_obstacle obstacles[OBSTACLES];
    static double start[3 * VERTICES], x[3 * VERTICES];
    static int vertices[VERTICES];
    static pl_contact found[ROOM];
    pl_random random = {12};
    make_obstacles(&random, obstacles);
    for (int v = 0; v < VERTICES; v++) {
        // neighbours are near one another in the first half, anywhere in the second
        pl_vec3 at = random_place(&random, v < VERTICES / 2 ? 0.2 : 4.0);
        if (v < VERTICES / 2) at.x += -4.0 + 8.0 * v / (VERTICES / 2);
        pl_vec3_store(start + 3 * v, at);
        pl_vec3_store(x + 3 * v, pl_add(at, random_place(&random, 0.2)));
        vertices[v] = v;
    }
    pl_colliding_vertices group = {.vertices = vertices, .count = VERTICES, .thickness = 0.005};
    pl_pool* pool;
    pl_error error;
    CHECK_OK(pl_pool_create(2, &pool, &error), &error);
    pl_collision_job job = {obstacles, OBSTACLES, &group, 1, pool};
    int count = pl_detect_collisions(&job, start, x, found, ROOM), expected = 0;
    for (int v = 0; v < VERTICES; v++)
        for (int k = 0; k < OBSTACLES; k++) {
            pl_contact contact;
            if (!pl_find_contact(&obstacles[k], pl_vec3_load(start + 3 * v),
                                 pl_vec3_load(x + 3 * v), group.thickness, &contact))
                continue;
            CHECK(expected < count);
            CHECK_INT(found[expected].vertex, v);
            CHECK_NEAR(found[expected].stiffness, 1.0 + k, 0.0);
            CHECK(memcmp(&found[expected].point, &contact.point, sizeof contact.point) == 0);
            expected++;
        }
    CHECK_INT(count, expected);
    CHECK(count > 300 && count < ROOM);
    pl_pool_destroy(pool);
}
