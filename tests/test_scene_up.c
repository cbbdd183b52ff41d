// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// `up` turns gravity and the default planes.
#include "run_samples.h"
#include "test.h"

#include <pliant/world.h>

static const char falling[] =
    "{\"pliant\": 1, \"up\": \"%s\", \"bodies\": [{\"name\": \"box\", \"generate\": {\"shape\":"
    " \"box\", \"size_x\": 0.2, \"size_y\": 0.2, \"size_z\": 0.2, \"edge\": 0.1}, \"transform\":"
    " {\"translate\": [0.05, 0.05, 0.05]}, \"material\": {\"young\": 1e5}}], \"colliders\":"
    " [{\"plane\": {}}], \"forces\": [{\"force\": [0, 0, 0], \"where\": {\"and\": [{\"half_space\":"
    " {\"point\": [0.06, 0.06, 0.06]}}]}}]}";

// A box falls on the default ground and stays there, whichever axis is up.
TEST(scene_up_turns_the_default_plane)
{
    static const char* const axes[] = {"x", "y", "z"};
    for (int up = 0; up < 3; up++) {
        char text[1024];
        snprintf(text, sizeof text, falling, axes[up]);
        pl_scene* scene = sample_scene(text);
        for (int k = 0; k < 3; k++) {
            CHECK(scene->gravity[k] == (k == up ? -9.81 : 0.0));
            CHECK(scene->colliders[0].plane.normal[k] == (k == up));
            CHECK(scene->forces[0].where.parts[0].half_space.normal[k] == (k == up));
        }
        pl_world* world = sample_world(scene);
        sample_step(world, 40, NULL);
        const double* x = pl_world_positions(world, 0);
        for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++) {
            CHECK(x[3 * v + up] > -0.005 && x[3 * v + up] < 0.25);
            for (int k = 1; k < 3; k++) CHECK_NEAR(x[3 * v + (up + k) % 3], 0.15, 0.12);
        }
        pl_world_destroy(world);
        pl_scene_destroy(scene);
    }
}

// A normal that is given stays, and one that is left open is found after the scene was changed.
TEST(scene_up_leaves_given_normals)
{
    pl_scene* scene =
        sample_scene("{\"pliant\": 1, \"up\": \"z\", \"bodies\": [{\"generate\":"
                     " \"box\"}], \"colliders\": [{\"plane\": {\"normal\": [0, 2, 0]}},"
                     " {\"plane\": {\"point\": [0, 0, -1]}}]}");
    CHECK(scene->colliders[0].plane.normal[1] == 2.0 && scene->colliders[0].plane.normal[2] == 0.0);
    CHECK(scene->colliders[1].plane.normal[1] == 0.0 && scene->colliders[1].plane.normal[2] == 1.0);
    pl_scene_destroy(scene);
}
