// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What bodies of method grid weigh: the volume comes from cells, wherever the body stands and
// whichever way its triangles face.
#include "math/vec3.h"
#include "sample_meshes.h"
#include "surface_samples.h"

// the mass of a surface in a file of the test's folder, of density 1000
static double weigh(const char* mesh, double cell, const char* law, double up) {
    char text[600];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"%s\", \"method\":"
             " \"grid\", \"grid\": {\"cell\": %g}, \"transform\": {\"translate\": [0, %g, 0]},"
             " \"material\": {\"law\": \"%s\", \"density\": 1000}}]}",
             mesh, cell, up, law);
    pl_error error;
    pl_world* world = sample_try(text, NULL, &error);
    if (!world) pl_test_fail(__FILE__, __LINE__, "%s", error.text);
    double mass = sample_mass(world);
    pl_world_destroy(world);
    return mass;
}

TEST(grid_mass_of_an_open_box_is_the_same_anywhere)
{
    static const char* const laws[] = {"linear", "corotated"};
    sample_write(sample_cut(sample_box_surface(0, 0, 0, 1, 1, 1), 10), "lidless.obj");
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(weigh("lidless.obj", 0.1, laws[k], 0.0), 1000.0, 30.0);
        CHECK_NEAR(weigh("lidless.obj", 0.1, laws[k], 50.0), 1000.0, 30.0);
    }
}

TEST(grid_mass_does_not_depend_on_which_way_parts_face)
{
    pl_mesh *ball = sample_sphere(3), *both = sample_join(ball, ball, 3.0);
    double volume = 0.0; // of one ball
    for (int t = 0; t < ball->triangle_count; t++) {
        pl_vec3 x[3];
        for (int i = 0; i < 3; i++)
            x[i] = pl_vec3_load(ball->positions + 3 * (size_t)ball->triangles[3 * t + i]);
        volume += pl_dot(x[0], pl_cross(x[1], x[2])) / 6.0;
    }
    sample_write(both, "same.obj");
    both = sample_join(ball, ball, 3.0);
    sample_flip(both, ball->triangle_count);
    sample_write(both, "flipped.obj");
    pl_mesh_destroy(ball);
    const double same = weigh("same.obj", 0.25, "linear", 0.0);
    CHECK_NEAR(same, 2000.0 * volume, 1e-6);
    CHECK_NEAR(weigh("flipped.obj", 0.25, "linear", 0.0), same, 1e-6 * same);
}

TEST(grid_mass_counts_overlapping_parts_once)
{
    pl_mesh *box = sample_box_surface(0, 0, 0, 1, 1, 1), *both = sample_join(box, box, 0.5);
    pl_mesh_destroy(box);
    sample_write(both, "overlap.obj");
    CHECK_NEAR(weigh("overlap.obj", 0.125, "linear", 0.0), 1500.0, 5.0);
}

TEST(grid_mass_of_a_box_between_cells_is_right)
{
    // 3.3 cells across, so that every side cuts cells
    sample_write(sample_box_surface(0.2, -3, 0, 0.33, 0.33, 0.66), "box.obj");
    CHECK_NEAR(weigh("box.obj", 0.1, "corotated", 0.0), 71.874, 1e-6);
}

TEST(grid_mass_leaves_cavities_out)
{
    pl_mesh* outer = sample_box_surface(0, 0, 0, 1, 1, 1);
    pl_mesh* inner = sample_box_surface(0.25, 0.25, 0.25, 0.5, 0.5, 0.5);
    sample_flip(inner, 0);
    pl_mesh* both = sample_join(outer, inner, 0.0);
    pl_mesh_destroy(outer), pl_mesh_destroy(inner);
    sample_write(both, "hollow.obj");
    CHECK_NEAR(weigh("hollow.obj", 0.11, "linear", 0.0), 875.0, 1e-6);
}
