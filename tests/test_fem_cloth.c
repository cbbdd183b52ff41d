// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth of springs and hinges: outer solvers, contact with friction.
#include "run_samples.h"
#include "test.h"

#include <pliant/pliant.h>

static const char hanging[] =
    "{\"pliant\": 1, \"frames\": 6, \"bodies\": [{\"name\": \"cloth\", \"tolerance\": 1e-8,"
    " \"iterations\": 2000, \"linear\": \"direct\", \"generate\": {\"shape\": \"cloth\", "
    "\"size_x\": 0.5, \"size_y\": 0.5, \"count_x\": 5, \"count_y\": 5},"
    " \"transform\": {\"rotate\": [-80, 0, 0]},"
    " \"material\": {\"stretch\": 100, \"shear\": 10, \"bend\": 1e-3}}],"
    " \"attachments\": [{\"body\": \"cloth\", \"where\": {\"side\": \"-x\"}}]}";

// both outer solvers minimise the same function, also where cloth resists bending
TEST(fem_cloth_bends_the_same_by_newton_and_projective)
{
    pl_scene* scene = sample_scene(hanging);
    pl_error error;
    pl_world* newton = sample_world(scene);
    CHECK_OK(pl_scene_set(scene, "bodies[0].nonlinear", "projective", &error), &error);
    pl_world* projective = sample_world(scene);
    CHECK_OK(pl_scene_set(scene, "bodies[0].material.bend", "0", &error), &error);
    pl_world* limp = sample_world(scene);
    for (int k = 0; k < 6; k++) {
        pl_frame_info info;
        CHECK_OK(pl_world_step(newton, NULL, &error), &error);
        CHECK_OK(pl_world_step(projective, &info, &error), &error);
        CHECK_INT(info.unconverged_count, 0);
        CHECK_OK(pl_world_step(limp, NULL, &error), &error);
    }
    int count = 3 * pl_world_mesh(newton, 0)->vertex_count;
    const double *a = pl_world_positions(newton, 0), *b = pl_world_positions(projective, 0);
    const double* c = pl_world_positions(limp, 0);
    double bent = 0.0;
    for (int i = 0; i < count; i++) {
        CHECK_NEAR(a[i], b[i], 1e-6);
        bent = fmax(bent, fabs(a[i] - c[i]));
    }
    CHECK(bent > 1e-3); // bending is not a detail here
    pl_world_destroy(newton);
    pl_world_destroy(projective);
    pl_world_destroy(limp);
    pl_scene_destroy(scene);
}
