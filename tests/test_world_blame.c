// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solves that do not converge name the place where forces are least balanced.
#include "run_samples.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

// two tets: one falls freely, one that is nearly flat meets the ground
static const char mesh[] = "MeshVersionFormatted 2\nDimension 3\nVertices\n8\n"
                           "0 5 0 0\n1 5 0 0\n0 5 1 0\n0 6 0 0\n"
                           "5 0.0001 0 0\n6 0.0001 0 0\n5 0.0001 1 0\n5.3 0.001 0.3 0\n"
                           "Tetrahedra\n2\n1 2 4 3 0\n5 6 8 7 0\nEnd\n";

static void step_tets(int iterations, pl_frame_info* info) {
    char text[512];
    pl_test_write_file(pl_test_path("tets.mesh"), mesh, strlen(mesh));
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"tets\", \"mesh\": \"tets.mesh\",\n"
             "  \"iterations\": %d, \"fixed\": %s, \"velocity\": [0, -3, 0]}],\n"
             "  \"colliders\": [{\"plane\": {}}]}",
             iterations, iterations == 1 ? "true" : "false");
    pl_world* world = sample_start(text);
    sample_step(world, 1, info);
    pl_world_destroy(world);
}

TEST(world_names_the_element_where_a_solve_did_not_converge)
{
    pl_frame_info info;
    step_tets(1, &info);
    CHECK(info.unconverged_count > 0);
    CHECK(strstr(info.unbalanced, "of \"tets\", beside tet ") != NULL);
    CHECK(strstr(info.unbalanced, "tet 1 of poor quality") != NULL);
    step_tets(100, &info);
    CHECK_INT(info.unconverged_count, 0);
    CHECK(info.unbalanced[0] == '\0');
}
