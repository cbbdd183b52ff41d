// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The scene that a mesh file alone gets.
#include "base/memory.h"
#include "scene/scene_read.h"
#include "test.h"

#include <pliant/pliant.h>
#include <string.h>

// A cube of side 1 with its lowest corner at (3, 4, 5), closed or without its lid; or a square of
// side 1 at height 4.
static const char CORNERS[] = "v 3 4 5\nv 4 4 5\nv 4 4 6\nv 3 4 6\n"
                              "v 3 5 5\nv 4 5 5\nv 4 5 6\nv 3 5 6\n";
static const char SIDES[] = "f 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n";
static const char FLOOR[] = "f 1 2 3 4\n", LID[] = "f 5 8 7 6\n";

static const char* write_mesh(const char* name, const char* a, const char* b, const char* c) {
    char text[1024];
    const int size = snprintf(text, sizeof text, "%s%s%s%s", CORNERS, a, b, c);
    const char* path = pl_test_path(name);
    pl_test_write_file(path, text, (size_t)size);
    return path;
}

static pl_scene* starter_of(const char* path) {
    pl_scene* scene;
    pl_error error;
    CHECK_OK(pl_scene_read_checked(path, NULL, 0, &scene, NULL, &error), &error);
    CHECK_INT(scene->body_count, 1);
    return scene;
}

TEST(scene_of_a_closed_mesh_drops_it_on_the_ground)
{
    pl_scene* scene = starter_of(write_mesh("cube.obj", SIDES, FLOOR, LID));
    const pl_body* body = &scene->bodies[0];
    CHECK_INT(body->kind, PL_BODY_SOLID);
    CHECK_INT(scene->attachment_count, 0);
    CHECK_INT(scene->collider_count, 1);
    CHECK_NEAR(body->transform.translate[0], -3.5, 1e-6);
    CHECK_NEAR(body->transform.translate[1], 0.3 - 4.0, 1e-6);
    CHECK_NEAR(body->transform.translate[2], -5.5, 1e-6);
    CHECK_NEAR(body->material.young, 200000.0, 1.0); // 20 rho g H, to two digits
    pl_scene_destroy(scene);
}

TEST(scene_of_an_open_mesh_hangs_it_by_its_top)
{
    pl_scene* scene = starter_of(write_mesh("curtain.obj", SIDES, "", ""));
    CHECK_INT(scene->bodies[0].kind, PL_BODY_CLOTH);
    CHECK_INT(scene->attachment_count, 1);
    pl_scene_destroy(scene);
}

TEST(scene_of_a_flat_mesh_drops_it_over_a_ball)
{
    pl_scene* scene = starter_of(write_mesh("cloth.obj", FLOOR, "", ""));
    CHECK_INT(scene->bodies[0].kind, PL_BODY_CLOTH);
    CHECK_INT(scene->attachment_count, 0);
    CHECK_INT(scene->collider_count, 2);
    pl_scene_destroy(scene);
}

TEST(scene_of_a_mesh_in_millimetres_is_scaled)
{
    const char text[] = "v 0 0 0\nv 900 0 0\nv 0 900 0\nv 0 0 900\n"
                        "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    const char* path = pl_test_path("large.obj");
    pl_test_write_file(path, text, sizeof text - 1);
    pl_scene* scene = starter_of(path);
    CHECK_NEAR(scene->bodies[0].transform.scale[1], 0.001, 1e-12);
    CHECK_NEAR(scene->bodies[0].transform.translate[1], 0.3 * 0.9, 1e-6);
    pl_scene_destroy(scene);
}

TEST(scene_of_a_mesh_tells_why_there_is_none)
{
    pl_scene* scene;
    pl_error error;
    CHECK(pl_scene_read(pl_test_path("nowhere.obj"), NULL, 0, &scene, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, "nowhere.obj");
    const char text[] = "v 1 2 3\nv 1 2 3\nv 1 2 3\nf 1 2 3\n";
    pl_test_write_file(pl_test_path("point.obj"), text, sizeof text - 1);
    CHECK(pl_scene_read(pl_test_path("point.obj"), NULL, 0, &scene, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, "nothing to simulate");
    CHECK(!scene);
}

TEST(scene_of_a_mesh_survives_every_failing_allocation)
{
    const char* path = write_mesh("cube.obj", SIDES, FLOOR, LID);
    const size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_scene* scene;
        pl_error error;
        pl_inject_failure(nth);
        const pl_status status = pl_scene_read(path, NULL, 0, &scene, NULL, &error);
        pl_scene_destroy(scene);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(nth < 5000);
    }
    pl_inject_failure(0);
}

TEST(run_of_a_mesh_alone_needs_no_scene)
{
    char mesh[512], command[1536], output[1 << 14];
    snprintf(mesh, sizeof mesh, "%s", write_mesh("cube.obj", SIDES, FLOOR, LID));
    snprintf(command, sizeof command,
             "pliant run %s -o %s --frames 2 --quiet --set bodies[0].edge=0.3", mesh,
             pl_test_path("out"));
    CHECK_INT(pl_test_run(command, output, sizeof output), 0);
    CHECK_TEXT(output, "is a mesh, so pliant made a scene for it");
    CHECK_TEXT(output, "2 of 2 frames");
}
