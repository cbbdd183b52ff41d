// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contacts that know the curvature of what they touch, and vertices that slide around thin solids.
#include "base/random.h"
#include "collider/collider_kind.h"
#include "contact/collision.h"
#include "run_samples.h"
#include "step/step_objective.h"
#include "test.h"

#include <math.h>
#include <pliant/pliant.h>

static const double chain_points[6] = {0, 0, 0, 0.5, 0, 0}, chain_radii[2] = {0.1, 0.2};

// an obstacle, and a place outside whose nearest place has the curvature to test
typedef struct sample {
    pl_obstacle obstacle;
    pl_vec3 place;
} sample;

static const sample samples[] = {
    {{.kind = &pl_collider_sphere.solid, .a = {0, 0, 0}, .radius = 0.3}, {0.2, 0.5, 0.3}},
    {{.kind = &pl_collider_capsule.solid, .a = {0, 0, 0}, .b = {1, 0, 0}, .radius = 0.1},
     {0.4, 0.3, 0.2}},
    {{.kind = &pl_collider_capsule.solid, .a = {0, 0, 0}, .b = {1, 0, 0}, .radius = 0.1},
     {1.2, 0.2, 0.1}},
    {{.kind = &pl_collider_cylinder.solid, .a = {0, 0, 0}, .b = {0, 1, 0}, .radius = 0.2},
     {0.3, 0.4, 0.2}},
    {{.kind = &pl_collider_cylinder.solid, .a = {0, 0, 0}, .b = {0, 1, 0}, .radius = 0.5},
     {0.6, 1.2, 0.3}},
    {{.kind = &pl_collider_box.solid, .a = {-1, -1, -1}, .b = {0, 0, 0}}, {-0.5, 0.2, 0.1}},
    {{.kind = &pl_collider_box.solid, .a = {-1, -1, -1}, .b = {0, 0, 0}}, {0.1, 0.2, 0.15}},
    {{.kind = &pl_collider_chain.solid,
      .point_count = 2,
      .points = chain_points,
      .radius_count = 2,
      .radii = chain_radii},
     {0.2, 0.4, 0.1}},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static const double thickness = 0.05;

static pl_moving_obstacle resting(const pl_obstacle* obstacle) {
    pl_rigid here = {.rotation = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    pl_moving_obstacle m = {.obstacle = *obstacle, .begin = here, .end = here, .stiffness = 100.0};
    pl_moving_obstacle_bound(&m);
    return m;
}

// the contact of a vertex that came in by 2 mm; *at: where it is
static pl_contact touch(const sample* s, pl_vec3* at) {
    pl_moving_obstacle m = resting(&s->obstacle);
    pl_contact contact = {0};
    pl_vec3 normal;
    double distance = pl_obstacle_distance(&s->obstacle, s->place, &normal);
    *at = pl_madd(s->place, thickness - distance - 2e-3, normal);
    CHECK(pl_find_contact(&m, s->place, *at, thickness, &contact));
    CHECK(!contact.has_entered);
    return contact;
}

static pl_vec3 shift(pl_random* random, double size) {
    return (pl_vec3){pl_random_uniform(random, -size, size), pl_random_uniform(random, -size, size),
                     pl_random_uniform(random, -size, size)};
}

// To second order the depth is that below the obstacle itself; a plane has the first order only.
// The rim of a cylinder is taken to be straight.
TEST(contact_depth_follows_round_obstacles)
{
    pl_random random = {.state = 3};
    for (int k = 0; k < SAMPLES; k++) {
        pl_vec3 at, normal;
        pl_contact contact = touch(&samples[k], &at);
        double flat = 0.0, curved = 0.0;
        for (int round = 0; round < 50; round++) {
            pl_vec3 p = pl_add(at, shift(&random, 1e-3));
            double depth = thickness - pl_obstacle_distance(&samples[k].obstacle, p, &normal);
            flat = fmax(flat, fabs(pl_contact_flat(&contact, p).depth - depth));
            curved = fmax(curved, fabs(pl_contact_round(&contact, p).depth - depth));
        }
        CHECK(flat > 1e-6);
        if (!(curved < 0.1 * flat))
            pl_test_fail(__FILE__, __LINE__, "obstacle %d: %g of %g", k, curved, flat);
    }
}

// differences of the depth, also where the surface goes on straight
TEST(contact_place_has_the_derivatives_of_its_depth)
{
    pl_random random = {.state = 4};
    const double h = 1e-6;
    for (int k = 0; k < SAMPLES; k++) {
        pl_vec3 at;
        pl_contact contact = touch(&samples[k], &at);
        for (int round = 0; round < 20; round++) {
            pl_vec3 p = pl_add(at, shift(&random, round < 10 ? 1e-2 : 0.5)), e = shift(&random, 1);
            pl_contact_place here = pl_contact_round(&contact, p);
            double ahead = pl_contact_round(&contact, pl_madd(p, h, e)).depth;
            double behind = pl_contact_round(&contact, pl_madd(p, -h, e)).depth;
            CHECK_NEAR((ahead - behind) / (2.0 * h), -pl_dot(here.normal, e), 1e-6);
        }
    }
}

static void contact_objective(pl_step_objective* f, const pl_contact* contact) {
    static const double zero[3], mass[1] = {1.0};
    static const bool fixed[1];
    *f = (pl_step_objective){.vertex_count = 1,
                             .mass = mass,
                             .force = zero,
                             .contacts = contact,
                             .contact_count = 1,
                             .round_contacts = true,
                             .friction_dual = zero,
                             .start = zero,
                             .slip_length = 1e-5,
                             .fixed = fixed};
}

// Gradient and Hessian of the energy of a contact; projected, the Hessian is definite.
TEST(contact_hessian_has_the_curvature_of_the_obstacle)
{
    const double h = 1e-6;
    for (int k = 0; k < SAMPLES; k++) {
        pl_vec3 at;
        pl_contact contact = touch(&samples[k], &at);
        double x[3], scratch[6], ahead[3], behind[3], exact[9], projected[9];
        pl_step_objective f;
        contact_objective(&f, &contact);
        pl_vec3_store(x, at);
        pl_step_contact_block(&f, 0, x, 0.0, exact);
        pl_step_contact_block(&f, 0, x, 1.0, projected);
        double bent = 0.0;
        for (int c = 0; c < 3; c++) {
            x[c] += h;
            pl_step_gradient(&f, x, ahead, scratch);
            x[c] -= 2.0 * h;
            pl_step_gradient(&f, x, behind, scratch);
            x[c] += h;
            for (int r = 0; r < 3; r++) {
                CHECK_NEAR(exact[3 * r + c], (ahead[r] - behind[r]) / (2.0 * h), 1e-3);
                bent = fmax(bent, fabs(exact[3 * r + c] - projected[3 * r + c]));
            }
        }
        CHECK(bent > 0.1); // of 100 N/m along the normal
        CHECK(projected[0] >= 0.0 && projected[4] >= 0.0 && projected[8] >= 0.0);
    }
}

// The straight way cuts a corner of the rail: where it went in, and what is nearest to its end.
TEST(contact_of_a_way_through_knows_the_nearest_place)
{
    pl_obstacle rail = {
        .kind = &pl_collider_capsule.solid, .a = {-1, 0, 0}, .b = {1, 0, 0}, .radius = 0.1};
    pl_moving_obstacle m = resting(&rail);
    pl_contact contact = {0};
    pl_vec3 to = {0, -0.08, 0.09}, normal;
    CHECK(pl_find_contact(&m, (pl_vec3){0, 0.12, 0.03}, to, 0.0, &contact));
    double distance = pl_obstacle_distance(&rail, to, &normal);
    CHECK(distance > 0.0);
    CHECK(contact.has_entered);
    CHECK_NEAR(contact.nearest_depth, -distance, 1e-15);
    CHECK_NEAR(pl_distance(contact.nearest_normal, normal), 0.0, 1e-15);
    CHECK(contact.normal.y > 0.5 && normal.y < 0.0);
}

// A soft block slides over thin rails, by more than their radius in a step: pushed back to where
// their straight ways went in, its vertices jumped on and off, and 6 of these frames did not end.
LONG_TEST(contact_frames_end_where_a_body_slides_around_rails)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"frames\": 20, \"bodies\": [{\"name\": \"block\","
        " \"generate\": {\"shape\": \"box\", \"size_x\": 0.04, \"size_y\": 0.02, \"size_z\": 0.02,"
        " \"count_x\": 4, \"count_y\": 2, \"count_z\": 2},"
        " \"transform\": {\"translate\": [-0.012, 0.05, -0.01]}, \"velocity\": [0, -0.3, 0],"
        " \"material\": {\"young\": 6e3, \"poisson\": 0.4}, \"iterations\": 5}], \"colliders\": ["
        "{\"capsule\": {\"from\": [0, 0.035, -0.1], \"to\": [0, 0.035, 0.1], \"radius\": 0.003},"
        " \"friction\": 0.1},"
        "{\"capsule\": {\"from\": [0.02, 0.03, -0.1], \"to\": [0.02, 0.03, 0.1],"
        " \"radius\": 0.003}, \"friction\": 0.1}, {\"plane\": {}}]}");
    pl_world* world = sample_world(scene);
    pl_error error;
    int contacts = 0;
    for (int k = 0; k < 20; k++) {
        pl_frame_info info;
        CHECK_OK(pl_world_step(world, &info, &error), &error);
        CHECK_INT(info.unconverged_count, 0);
        if (info.contact_count > contacts) contacts = info.contact_count;
    }
    CHECK(contacts > 5);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// A ring lands on its edge: its steps take up to 21 iterations, and may although the scene says 8.
LONG_TEST(contact_steps_may_take_more_iterations)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"ring\","
        " \"generate\": {\"shape\": \"torus\", \"radius\": 0.08, \"ring_radius\": 0.25,"
        " \"edge\": 0.07}, \"transform\": {\"rotate\": [0, 20, 70], \"translate\": [0, 0.4, 0]},"
        " \"velocity\": [0.5, -1.5, 0], \"material\": {\"young\": 5e4, \"poisson\": 0.45},"
        " \"iterations\": 8}], \"colliders\": [{\"plane\": {}, \"friction\": 0.4}]}");
    pl_world* world = sample_world(scene);
    pl_error error;
    int most = 0;
    for (int k = 0; k < 10; k++) {
        pl_frame_info info;
        CHECK_OK(pl_world_step(world, &info, &error), &error);
        CHECK_INT(info.unconverged_count, 0);
        if (info.iterations > most) most = info.iterations;
    }
    CHECK(most > 8); // else the ring no longer tests anything
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}
