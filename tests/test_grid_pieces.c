// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of method grid in several pieces: in equilibrium each of them has to be held.
#include "run_samples.h"
#include "sample_meshes.h"
#include "surface_samples.h"

// two boxes with a gap of a cell between them, the left one held
static pl_world* two_boxes(const char* integrator, double gravity, const char* attachments) {
    pl_mesh *box = sample_box_surface(0, 0, 0, 1, 1, 1), *both = sample_join(box, box, 1.25);
    pl_mesh_destroy(box);
    sample_write(both, "boxes.obj");
    char text[900];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, %g, 0], \"bodies\": [{\"name\": \"b\", \"mesh\":"
             " \"boxes.obj\", \"method\": \"grid\", \"integrator\": \"%s\", \"grid\": {\"cell\":"
             " 0.25}, \"material\": {\"young\": 1e6}}], \"attachments\": [{\"body\": \"b\","
             " \"where\": {\"side\": \"-x\"}}%s]}",
             gravity, integrator, attachments);
    return sample_start(text);
}

TEST(grid_refuses_a_floating_piece_without_equilibrium)
{
    pl_world* world = two_boxes("quasistatic", -9.81, "");
    pl_error error;
    CHECK_INT(pl_world_step(world, NULL, &error), PL_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, "body \"b\": its lattice has 2 pieces, and the one of 64 cells near");
    CHECK_TEXT(error.text, "nothing holds it");
    // and nothing has moved
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        CHECK_NEAR(pl_world_positions(world, 0)[i], mesh->positions[i], 1e-12);
    pl_world_destroy(world);
}

TEST(grid_pieces_that_are_held_or_not_pushed_have_an_equilibrium)
{
    static const char held[] = ", {\"body\": \"b\", \"where\": {\"side\": \"+x\"}}";
    static const char spring[] =
        ", {\"body\": \"b\", \"where\": {\"side\": \"+x\"}, \"stiffness\": 1e4}";
    pl_world* worlds[] = {two_boxes("quasistatic", -9.81, held),
                          two_boxes("quasistatic", -9.81, spring),
                          two_boxes("quasistatic", 0.0, ""), two_boxes("euler", -9.81, "")};
    for (int k = 0; k < 4; k++) {
        pl_frame_info info;
        sample_step(worlds[k], 1, &info);
        const double* x = pl_world_positions(worlds[k], 0);
        for (int i = 0; i < 3 * pl_world_mesh(worlds[k], 0)->vertex_count; i++)
            CHECK(fabs(x[i]) < 3.0);
        pl_world_destroy(worlds[k]);
    }
}
