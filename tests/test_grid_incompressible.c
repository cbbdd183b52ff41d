// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of method grid that hardly change their volume.
#include "run_samples.h"
#include "test.h"

LONG_TEST(grid_corotated_impact_converges_near_incompressibility)
{
    // a box of 8^3 cells falls on the ground with a whole side at once
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"box\", \"method\": \"grid\", \"material\":"
        " {\"law\": \"corotated\", \"young\": 1e5, \"poisson\": 0.4998}, \"grid\": {\"cell\":"
        " 0.04}, \"generate\": {\"shape\": \"bar\", \"size_x\": 0.32, \"size_y\": 0.32, \"size_z\":"
        " 0.32, \"edge\": 0.04}, \"transform\": {\"translate\": [0, 0.02, 0]}}],"
        " \"colliders\": [{\"plane\": {\"normal\": [0, 1, 0]}}]}");
    pl_frame_info info;
    int contacts = 0;
    for (int k = 0; k < 12; k++) {
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        contacts += info.contact_count;
    }
    CHECK(contacts > 0);
    pl_world_destroy(world);
}
