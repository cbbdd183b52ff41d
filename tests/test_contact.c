// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/random.h"
#include "collider/collider_kind.h"
#include "contact/collision.h"
#include "test.h"

static const double chain_points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0};
static const double chain_radii[] = {0.3, 0.2, 0.4};

static const pl_obstacle obstacles[] = {
    {.kind = &pl_collider_plane.solid, .a = {0, 0.1, 0}, .b = {0, 2, 0.5}},
    {.kind = &pl_collider_sphere.solid, .a = {0.1, 0.2, 0.3}, .radius = 0.7},
    {.kind = &pl_collider_box.solid, .a = {-0.5, -0.4, -0.3}, .b = {0.6, 0.5, 0.4}},
    {.kind = &pl_collider_chain.solid,
     .point_count = 2,
     .points = chain_points,
     .radius_count = 1,
     .radii = chain_radii},
    {.kind = &pl_collider_chain.solid,
     .point_count = 3,
     .points = chain_points,
     .radius_count = 3,
     .radii = chain_radii},
    {.kind = &pl_collider_chain.solid,
     .point_count = 1,
     .points = chain_points,
     .radius_count = 3,
     .radii = chain_radii},
    {.kind = &pl_collider_capsule.solid, .a = {0, -0.5, 0}, .b = {0.2, 0.6, 0.1}, .radius = 0.4},
    {.kind = &pl_collider_cylinder.solid, .a = {0, -0.5, 0}, .b = {0.2, 0.6, 0.1}, .radius = 0.4},
    {.kind = &pl_collider_torus.solid, .a = {0, 0, 0}, .b = {0, 1, 1}, .radius = 0.8, .tube = 0.25},
};
enum { OBSTACLE_COUNT = sizeof obstacles / sizeof obstacles[0] };

static pl_vec3 random_point(pl_random* random, double reach) {
    return (pl_vec3){pl_random_uniform(random, -reach, reach),
                     pl_random_uniform(random, -reach, reach),
                     pl_random_uniform(random, -reach, reach)};
}

// is the point in the solid? by definition of the shape, not by distance
static bool is_inside(const pl_obstacle* s, pl_vec3 p) {
    pl_vec3 d = pl_sub(p, s->a);
    if (s->kind == &pl_collider_plane.solid) return pl_dot(d, s->b) < 0.0;
    if (s->kind == &pl_collider_sphere.solid) return pl_norm(d) < s->radius;
    if (s->kind == &pl_collider_box.solid) return pl_box_contains((pl_box){s->a, s->b}, p);
    if (s->kind == &pl_collider_cylinder.solid) {
        pl_vec3 axis = pl_normalize(pl_sub(s->b, s->a));
        double x = pl_dot(d, axis);
        return x > 0 && x < pl_distance(s->a, s->b) && pl_norm(pl_madd(d, -x, axis)) < s->radius;
    }
    if (s->kind == &pl_collider_torus.solid) {
        pl_vec3 axis = pl_normalize(s->b);
        double x = pl_dot(d, axis), y = pl_norm(pl_madd(d, -x, axis)) - s->radius;
        return x * x + y * y < s->tube * s->tube;
    }
    if (s->kind == &pl_collider_capsule.solid) {
        pl_vec3 axis = pl_sub(s->b, s->a);
        double t = fmin(fmax(pl_dot(d, axis) / pl_norm2(axis), 0.0), 1.0);
        return pl_norm(pl_madd(d, -t, axis)) < s->radius;
    }
    // a chain: in one of its many balls
    for (int k = 0; k + 1 < s->point_count || k == 0; k++)
        for (int i = 0; i <= 4000; i++) {
            int next = s->point_count > 1 ? k + 1 : k;
            double t = i / 4000.0, first = s->radii[k % s->radius_count];
            double radius = first + t * (s->radii[next % s->radius_count] - first);
            pl_vec3 centre =
                pl_lerp(pl_vec3_load(s->points + 3 * k), pl_vec3_load(s->points + 3 * next), t);
            if (pl_distance(p, centre) < radius) return true;
        }
    return false;
}

TEST(obstacle_distances_are_distances)
{
    for (int k = 0; k < OBSTACLE_COUNT; k++) {
        pl_random random = {(uint64_t)k};
        for (int i = 0; i < 400; i++) {
            pl_vec3 p = random_point(&random, 2.0), normal, unused;
            double distance = pl_obstacle_distance(&obstacles[k], p, &normal);
            if (fabs(distance) > 1e-3) CHECK_INT(distance < 0.0, is_inside(&obstacles[k], p));
            CHECK_NEAR(pl_norm(normal), 1.0, 1e-12);
            // the nearest surface point lies against the normal, on the surface
            pl_vec3 foot = pl_madd(p, -distance, normal);
            if (distance > 0.0 || obstacles[k].kind != &pl_collider_chain.solid)
                CHECK_NEAR(pl_obstacle_distance(&obstacles[k], foot, &unused), 0.0, 1e-9);
            // and no point nearer than that is on the other side
            for (int n = 0; n < 10; n++) {
                pl_vec3 step =
                    pl_scale(0.999 * fabs(distance), pl_normalize(random_point(&random, 1.0)));
                double other = pl_obstacle_distance(&obstacles[k], pl_add(p, step), &unused);
                if (obstacles[k].kind != &pl_collider_chain.solid || distance > 0.0)
                    CHECK(other * distance >= 0.0);
            }
        }
    }
}

TEST(obstacle_normals_are_gradients)
{
    for (int k = 0; k < OBSTACLE_COUNT; k++) {
        pl_random random = {(uint64_t)k + 100};
        int checked = 0;
        for (int i = 0; i < 200; i++) {
            pl_vec3 p = random_point(&random, 1.5), n, unused;
            pl_obstacle_distance(&obstacles[k], p, &n);
            double e = 1e-6, g[3];
            for (int c = 0; c < 3; c++) {
                pl_vec3 step = {c == 0 ? e : 0, c == 1 ? e : 0, c == 2 ? e : 0};
                g[c] = (pl_obstacle_distance(&obstacles[k], pl_add(p, step), &unused) -
                        pl_obstacle_distance(&obstacles[k], pl_sub(p, step), &unused)) /
                       (2 * e);
            }
            // at ridges inside, where two surface points are nearest, there is no gradient
            if (pl_distance(n, (pl_vec3){g[0], g[1], g[2]}) < 1e-5) checked++;
        }
        CHECK(checked >= 196);
    }
}

TEST(obstacle_bounds_hold_the_solid)
{
    pl_random random = {9};
    for (int k = 0; k < OBSTACLE_COUNT; k++)
        for (int i = 0; i < 2000; i++) {
            pl_vec3 p = random_point(&random, 2.0), n;
            if (pl_obstacle_distance(&obstacles[k], p, &n) < 0.0)
                CHECK(pl_box_contains(pl_obstacle_bounds(&obstacles[k]), p));
        }
}

TEST(obstacle_sweep_finds_the_first_touch)
{
    for (int k = 0; k < OBSTACLE_COUNT; k++) {
        pl_random random = {(uint64_t)k + 5};
        for (int i = 0; i < 200; i++) {
            pl_vec3 from = random_point(&random, 3.0), to = random_point(&random, 3.0), normal;
            double room = 0.05, part = -1.0, brute = -1.0;
            bool hit = pl_obstacle_sweep(&obstacles[k], from, to, room, &part, &normal);
            for (int n = 0; n <= 2000 && brute < 0.0; n++)
                if (pl_obstacle_distance(&obstacles[k], pl_lerp(from, to, n / 2000.0), &normal) <=
                    room)
                    brute = n / 2000.0;
            if (brute >= 0.0) {
                CHECK(hit);
                CHECK_NEAR(part, brute, 1.0 / 1500.0);
            }
        }
    }
}

// A vertex is pushed back to the side it came from, at 0.4, 1 and 3 thicknesses of a plate a step,
// whether it moves or the plate does.
TEST(contact_knows_the_entry_side)
{
    const double thickness = 0.02;
    pl_moving_obstacle plate = {
        .obstacle = {.kind = &pl_collider_box.solid, .a = {-1, -thickness, -1}, .b = {1, 0, 1}},
        .begin = pl_rigid_identity(),
        .end = pl_rigid_identity()};
    static const double steps[] = {0.4, 1.0, 3.0, 50.0};
    for (int k = 0; k < 4; k++)
        for (int plate_moves = 0; plate_moves < 2; plate_moves++) {
            double way = steps[k] * thickness;
            pl_vec3 start = {0.1, 0.3 * way + 1e-6, 0.2}, end = start;
            plate.end = plate.begin = pl_rigid_identity();
            if (plate_moves) plate.end.translation.y = way;
            else end.y -= way;
            pl_contact contact;
            CHECK(pl_find_contact(&plate, start, end, 0.0, &contact));
            CHECK_NEAR(contact.normal.y, 1.0, 1e-9);
            CHECK_NEAR(contact.point.y, plate_moves ? way : 0.0, 1e-9);
            CHECK_NEAR(contact.motion.y, plate_moves ? way : 0.0, 1e-9);
        }
}

TEST(contact_leaves_what_only_passes)
{
    pl_moving_obstacle ball = {.obstacle = {.kind = &pl_collider_sphere.solid, .radius = 1.0},
                               .begin = pl_rigid_identity(),
                               .end = pl_rigid_identity(),
                               .thickness = 0.1};
    pl_contact contact;
    CHECK(!pl_find_contact(&ball, (pl_vec3){-3, 1.2, 0}, (pl_vec3){3, 1.2, 0}, 0.0, &contact));
    CHECK(pl_find_contact(&ball, (pl_vec3){-3, 1.2, 0}, (pl_vec3){3, 1.2, 0}, 0.2, &contact));
    CHECK(!pl_find_contact(&ball, (pl_vec3){0, 1.1, 0}, (pl_vec3){0, 1.3, 0}, 0.0, &contact));
    // turning under a vertex drags it along
    double angle = 0.1;
    ball.end.rotation = (pl_mat3){{cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1}};
    CHECK(pl_find_contact(&ball, (pl_vec3){0, 1.05, 0}, (pl_vec3){0, 1.05, 0}, 0.0, &contact));
    CHECK_NEAR(contact.motion.x, -1.1 * sin(angle), 0.01);
    CHECK_NEAR(contact.normal.y, 1.0, 1e-9);
}

TEST(contact_detection_counts_past_its_room)
{
    pl_moving_obstacle floor = {.obstacle = {.kind = &pl_collider_plane.solid, .b = {0, 1, 0}},
                                .begin = pl_rigid_identity(),
                                .end = pl_rigid_identity(),
                                .friction = 0.3};
    double x[30] = {0};
    int vertices[10];
    for (int v = 0; v < 10; v++) vertices[v] = v, x[3 * v + 1] = v % 2 ? -0.1 : 0.1;
    pl_colliding_vertices group = {vertices, 10, 0, 0.0, 1e4, 0.5, false, NULL, NULL, NULL};
    pl_moving_obstacle_bound(&floor);
    pl_collision_job job = {&floor, 1, &group, 1, NULL};
    pl_contact contacts[5];
    CHECK_INT(pl_detect_collisions(&job, x, x, contacts, 2), 5);
    CHECK_INT(pl_detect_collisions(&job, x, x, contacts, 5), 5);
    CHECK_INT(contacts[4].vertex, 9);
    CHECK_NEAR(contacts[4].stiffness, 1e4, 0.0);
    CHECK_NEAR(contacts[4].friction, 0.3, 0.0);
}

// A collider's own friction counts, whatever the body says. A collider without one takes that of
// the body. Of two bodies the larger one counts.
TEST(contact_friction_is_that_of_the_collider)
{
    static const struct {
        double obstacle, vertices;
        bool is_body;
        double expected;
    } cases[] = {{0.1, 0.3, false, 0.1}, {0.0, 0.3, false, 0.0}, {0.5, 0.3, false, 0.5},
                 {NAN, 0.2, false, 0.2}, {0.1, 0.3, true, 0.3},  {0.4, 0.3, true, 0.4}};
    for (int k = 0; k < 6; k++) {
        pl_moving_obstacle floor = {.obstacle = {.kind = &pl_collider_plane.solid, .b = {0, 1, 0}},
                                    .begin = pl_rigid_identity(),
                                    .end = pl_rigid_identity(),
                                    .friction = cases[k].obstacle,
                                    .is_body = cases[k].is_body,
                                    .reach = {{-1, -1, -1}, {1, 1, 1}}};
        double x[3] = {0, -0.1, 0};
        int vertex = 0;
        pl_colliding_vertices group = {.vertices = &vertex,
                                       .count = 1,
                                       .stiffness = 1,
                                       .friction = cases[k].vertices,
                                       .meets = true};
        pl_moving_obstacle_bound(&floor);
        pl_collision_job job = {&floor, 1, &group, 1, NULL};
        pl_contact contact;
        CHECK_INT(pl_detect_collisions(&job, x, x, &contact, 1), 1);
        CHECK_NEAR(contact.friction, cases[k].expected, 0.0);
    }
}

// A ball that grows and a ring that closes carry their surfaces along their normals.
TEST(contact_moves_with_surfaces_whose_size_changes)
{
    pl_moving_obstacle m = {.obstacle = {.kind = &pl_collider_sphere.solid, .radius = 1.1},
                            .changes_size = true,
                            .begin = pl_rigid_identity(),
                            .end = pl_rigid_identity()};
    pl_contact contact;
    m.obstacle_before = m.obstacle;
    m.obstacle_before.radius = 1.0;
    pl_moving_obstacle_bound(&m);
    const pl_vec3 at = {0, 1.05, 0};
    CHECK(pl_may_touch(&m, at, at, 0.0) && pl_find_contact(&m, at, at, 0.0, &contact));
    CHECK_NEAR(pl_distance(contact.motion, (pl_vec3){0, 0.1, 0}), 0.0, 1e-12);
    CHECK_NEAR(pl_distance(contact.point, (pl_vec3){0, 1.1, 0}), 0.0, 1e-12);

    // a ring of tube 0.1 closes from 1 to 0.96
    m.obstacle = (pl_obstacle){
        .kind = &pl_collider_torus.solid, .b = {0, 1, 0}, .radius = 0.96, .tube = 0.1};
    m.obstacle_before = m.obstacle;
    m.obstacle_before.radius = 1.0;
    pl_moving_obstacle_bound(&m);
    const pl_vec3 inside = {0.88, 0, 0};
    CHECK(pl_may_touch(&m, inside, inside, 0.0));
    CHECK(pl_find_contact(&m, inside, inside, 0.0, &contact));
    CHECK_NEAR(pl_distance(contact.normal, (pl_vec3){-1, 0, 0}), 0.0, 1e-9);
    CHECK_NEAR(pl_distance(contact.motion, (pl_vec3){-0.04, 0, 0}), 0.0, 1e-9);
}
