// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Colliders in pictures: what is drawn is what bodies collide with.
#include "base/memory.h"
#include "record/run_folder.h"
#include "record/show.h"
#include "run_samples.h"
#include "sample_meshes.h"
#include "test.h"
#include "world/world_build.h"

#include <stdlib.h>

static const char zoo[] =
    "{\"pliant\": 1, \"frames\": 4, \"time_step\": 0.05, \"bodies\": [{\"generate\": {\"shape\": "
    "\"box\",\n"
    " \"size_x\": 0.3, \"size_y\": 0.3, \"size_z\": 0.3, \"edge\": 0.3}, \"transform\": "
    "{\"translate\": [0, 9, 0]}}],\n"
    " \"colliders\": [{\"plane\": {\"point\": [0, 0.25, 0]}},\n"
    " {\"sphere\": {\"center\": [0, 0.5, 0], \"radius\": {\"keyframes\": [[0, 0.5], [1, 1]], "
    "\"interpolation\": \"linear\"}}},\n"
    " {\"box\": {\"min\": [0.8, 0, -0.3], \"max\": [1.4, 0.5, 0.3]}, \"motion\": {\"spin_rate\": "
    "200}},\n"
    " {\"capsule\": {\"from\": [-1.2, 0.2, 0.5], \"to\": [-1.2, 0.8, -0.5], \"radius\": 0.2}},\n"
    " {\"cylinder\": {\"from\": [2, 0, 0], \"to\": [2, 1, 0.2], \"radius\": 0.3}},\n"
    " {\"torus\": {\"center\": [0, 0.2, 1.3], \"axis\": [0, 1, 0.3], \"radius\": 0.5, \"tube\": "
    "0.15}},\n"
    " {\"chain\": {\"points\": [[1.2, 0.2, 1.2], [1.8, 0.6, 1.2]], \"radii\": [0.1, 0.3]}},\n"
    " {\"mesh\": {\"file\": \"ball.obj\", \"transform\": {\"translate\": [3, 0, 0]}}, \"motion\":\n"
    "  {\"oscillations\": [{\"translate\": [0, 0.3, 0], \"frequency\": 1}]}}]}";

static void make_run(pl_scene* scene) {
    pl_run* run;
    pl_error error;
    pl_frame_info info;
    CHECK_OK(pl_run_start(scene, pl_test_path("run"), true, &run, NULL, &error), &error);
    while (!pl_run_is_done(run)) CHECK_OK(pl_run_frame(run, &info, &error), &error);
    CHECK_OK(pl_run_close(run, &error), &error);
}

// all kinds of colliders; the ball is read from ball.obj
static pl_scene* make_zoo_run(int ball_levels) {
    pl_mesh* ball = sample_sphere(ball_levels);
    pl_error error;
    CHECK_OK(pl_mesh_write(ball, pl_test_path("ball.obj"), NULL, NULL, &error), &error);
    pl_mesh_destroy(ball);
    pl_scene* scene = sample_scene(zoo);
    make_run(scene);
    return scene;
}

static double volume_of(const pl_render_body* b) {
    double sum = 0.0;
    for (int t = 0; t < b->triangle_count; t++) {
        pl_vec3 p[3];
        for (int k = 0; k < 3; k++) {
            const float* at = b->positions + 3 * (size_t)b->triangles[3 * t + k];
            p[k] = (pl_vec3){at[0], at[1], at[2]};
        }
        sum += pl_dot(p[0], pl_cross(p[1], p[2])) / 6.0;
    }
    return sum;
}

// every vertex on the surface of its obstacle, at the end of the world's last frame
static void check_on_surface(const pl_render_body* b, const pl_moving_obstacle* m, double limit) {
    for (int v = 0; v < b->vertex_count; v++) {
        const float* at = b->positions + 3 * (size_t)v;
        pl_vec3 normal, p = pl_rigid_to_local(&m->end, (pl_vec3){at[0], at[1], at[2]});
        double distance = pl_obstacle_distance(&m->obstacle, p, &normal);
        // the middle of a cylinder's cap and the inside of a chain's joints are on it or within
        CHECK(distance < limit && distance > -limit);
    }
}

TEST(show_colliders_are_the_obstacles)
{
    pl_error error;
    pl_scene* scene = make_zoo_run(3);
    pl_world* world = sample_world(scene);
    for (int k = 0; k < 4; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
    pl_show* show;
    const pl_render_scene* drawn;
    const char* folder = pl_test_path("run");
    CHECK_OK(pl_show_open(folder, "displacement", NULL, &show, NULL, &error), &error);
    CHECK_OK(pl_show_load(show, 4, &drawn, &error), &error);
    CHECK_INT(drawn->body_count, 1);
    CHECK_OK(pl_show_add_colliders(show, folder, NULL, &error), &error);
    CHECK_OK(pl_show_load(show, 4, &drawn, &error), &error);
    CHECK_INT(drawn->body_count, 8); // the flat plane is the ground
    for (int k = 1; k < 8; k++)
        check_on_surface(&drawn->bodies[k], &world->obstacles[k], k == 7 ? 0.02 : 1e-6);
    // closed, with their outsides outside
    static const double volumes[] = {4.18879 * 0.6 * 0.6 * 0.6, // radius at 0.2 s
                                     0.18, 4.18879 * 0.008 + 3.14159 * 0.04 * 1.16619,
                                     3.14159 * 0.09 * 1.0198, 2.0 * 9.8696 * 0.5 * 0.0225};
    for (int k = 1; k <= 5; k++)
        CHECK_NEAR(volume_of(&drawn->bodies[k]), volumes[k - 1], 0.02 * volumes[k - 1]);
    CHECK(volume_of(&drawn->bodies[6]) > 0.0 && volume_of(&drawn->bodies[7]) > 3.9);
    CHECK(drawn->bodies[7].vertex_values == NULL);
    // the ground is the plane, and the large sphere is not what the camera is fitted to
    pl_render_options options = pl_default_render_options();
    pl_view view = pl_default_view();
    options.value_low = options.value_high = 0.0;
    CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
    CHECK_NEAR(options.ground_height, 0.25, 0.0);
    CHECK(options.radius < 2.0);
    pl_show_close(show);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// the ground alone: there is nothing more to draw, and the bodies are still there
TEST(show_colliders_of_a_scene_with_only_a_plane)
{
    pl_scene* scene = sample_scene(sample_falling_box);
    pl_error error;
    CHECK_OK(pl_scene_set(scene, "frames", "2", &error), &error);
    make_run(scene);
    pl_show* show;
    const pl_render_scene* drawn;
    CHECK_OK(pl_show_open(pl_test_path("run"), NULL, NULL, &show, NULL, &error), &error);
    CHECK_OK(pl_show_add_colliders(show, pl_test_path("run"), NULL, &error), &error);
    CHECK_OK(pl_show_load(show, 2, &drawn, &error), &error);
    CHECK_INT(drawn->body_count, 1);
    CHECK(drawn->bodies[0].positions != NULL && drawn->bodies[0].triangle_count > 0);
    pl_show_close(show);
    pl_scene_destroy(scene);
}

// whether all vertices of a body are inside the picture
static bool is_in_picture(const pl_camera* c, const pl_render_body* body) {
    for (int i = 0; i < body->vertex_count; i++) {
        const float* p = body->positions + 3 * (size_t)i;
        pl_vec3 d = pl_sub((pl_vec3){p[0], p[1], p[2]}, c->eye);
        double depth = -pl_dot(d, c->back);
        if (fabs(pl_dot(d, c->right)) > c->tan_x * depth ||
            fabs(pl_dot(d, c->up)) > c->tan_y * depth)
            return false;
    }
    return true;
}

// A cube of 0.3 m has a diagonal of 0.52 m. A wall that is twice as high is in the picture of one
// frame, one that is eight times as high is not: the cube would be small.
TEST(show_single_frame_holds_colliders_that_are_not_much_larger)
{
    for (int large = 0; large < 2; large++) {
        char text[800];
        snprintf(
            text, sizeof text,
            "{\"pliant\": 1, \"frames\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"generate\": "
            "{\"shape\": \"box\", \"size_x\": 0.3, \"size_y\": 0.3, \"size_z\": 0.3, "
            "\"edge\": 0.3}}], \"colliders\": [{\"box\": {\"min\": [-0.2, 0, 0], \"max\": "
            "[-0.1, %g, 0.2]}}]}",
            large ? 4.0 : 1.0);
        pl_scene* scene = sample_scene(text);
        make_run(scene);
        pl_show* show;
        const pl_render_scene* drawn;
        pl_error error;
        pl_render_options options = pl_default_render_options();
        pl_view view = pl_default_view();
        CHECK_OK(pl_show_open(pl_test_path("run"), NULL, NULL, &show, NULL, &error), &error);
        CHECK_OK(pl_show_add_colliders(show, pl_test_path("run"), NULL, &error), &error);
        CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
        CHECK_OK(pl_show_aim_at(show, 1, &options, &error), &error);
        CHECK_OK(pl_show_load(show, 1, &drawn, &error), &error);
        CHECK_INT(drawn->body_count, 2);
        CHECK(is_in_picture(&options.camera, &drawn->bodies[0]));
        CHECK(is_in_picture(&options.camera, &drawn->bodies[1]) == !large);
        pl_show_close(show);
        pl_scene_destroy(scene);
    }
}

TEST(show_colliders_that_cannot_be_read_are_said)
{
    pl_error error;
    pl_scene_destroy(make_zoo_run(2));
    CHECK_INT(remove(pl_test_path("ball.obj")), 0);
    pl_notes* notes;
    pl_show* show;
    const pl_render_scene* drawn;
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_show_open(pl_test_path("run"), NULL, NULL, &show, notes, &error), &error);
    CHECK_OK(pl_show_add_colliders(show, pl_test_path("run"), notes, &error), &error);
    CHECK_OK(pl_show_load(show, 0, &drawn, &error), &error);
    CHECK_INT(drawn->body_count, 7);
    CHECK_INT(pl_notes_count(notes), 1);
    CHECK_TEXT(pl_notes_text(notes, 0, NULL), "is not drawn");
    pl_show_close(show);
    pl_notes_destroy(notes);
    char command[1200], text[4096];
    snprintf(command, sizeof command, "pliant render %s -o %s/a.png --size 64x48 --no-colliders",
             pl_test_path("run"), pl_test_folder());
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK(strstr(text, "is not drawn") == NULL);
}

TEST(show_colliders_survive_every_failing_allocation)
{
    pl_error error;
    pl_scene_destroy(make_zoo_run(2));
    size_t before = pl_byte_count();
    pl_status status = PL_ERROR_MEMORY;
    for (int64_t nth = 1; status != PL_OK; nth += 1 + nth / 20) {
        pl_show* show;
        CHECK_OK(pl_show_open(pl_test_path("run"), NULL, NULL, &show, NULL, &error), &error);
        pl_inject_failure(nth);
        status = pl_show_add_colliders(show, pl_test_path("run"), NULL, &error);
        pl_inject_failure(0);
        const pl_render_scene* drawn;
        CHECK_OK(pl_show_load(show, 0, &drawn, &error), &error);
        CHECK_INT(drawn->body_count, status == PL_OK ? 8 : 1);
        pl_show_close(show);
        CHECK_INT(pl_byte_count(), before);
        if (status != PL_OK) CHECK_INT(status, PL_ERROR_MEMORY);
    }
}
