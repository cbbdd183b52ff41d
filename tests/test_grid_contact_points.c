// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contact of lattices whose surface has triangles larger than cells.
#include "grid/grid_embedding.h"
#include "math/vec3.h"
#include "run_samples.h"
#include "sample_meshes.h"
#include "surface_samples.h"

// how far a place is from the nearest vertex or point
static double distance_to(const pl_mesh* mesh, const pl_grid_surface_points* p, pl_vec3 at) {
    double nearest = INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++)
        nearest = fmin(nearest, pl_distance(at, pl_vec3_load(mesh->positions + 3 * (size_t)v)));
    for (int k = 0; k < p->count; k++)
        nearest = fmin(nearest, pl_distance(at, pl_vec3_load(p->positions + 3 * (size_t)k)));
    return nearest;
}

TEST(grid_surface_points_cover_large_triangles)
{
    pl_mesh* box = sample_box_surface(0, 0, 0, 1, 0.4, 2);
    pl_grid_surface_points p;
    pl_error error;
    CHECK_OK(pl_grid_surface_points_create(box, 0.1, &p, &error), &error);
    CHECK(p.count > 500 && p.count < 1000); // 6.8 m^2 in squares of 0.1 m
    double area = 0.0;
    for (int k = 0; k < p.count; k++) area += p.areas[k];
    for (int v = 0; v < 8; v++) area += p.vertex_area[v];
    CHECK_NEAR(area, 2.0 * (0.4 + 2.0 + 0.8), 1e-9);
    enum { N = 9 };
    for (int t = 0; t < box->triangle_count; t++)
        for (int n = 0; n < N * N; n++) {
            double a = (double)(n % N) / N, b = (double)(n / N) / N * (1.0 - a);
            pl_vec3 x[3];
            for (int i = 0; i < 3; i++)
                x[i] = pl_vec3_load(box->positions + 3 * (size_t)box->triangles[3 * t + i]);
            pl_vec3 at =
                pl_add(pl_scale(1.0 - a - b, x[0]), pl_add(pl_scale(a, x[1]), pl_scale(b, x[2])));
            CHECK(distance_to(box, &p, at) <= 0.1);
        }
    pl_grid_surface_points_free(&p);
    // vertices as dense as the spacing need no points
    CHECK_OK(pl_grid_surface_points_create(box, 2.5, &p, &error), &error);
    CHECK_INT(p.count, 0);
    pl_grid_surface_points_free(&p);
    pl_mesh_destroy(box);
}

TEST(grid_surface_points_are_few_on_slivers)
{
    const double positions[] = {0, 0, 0, 10, 0, 0, 5, 0.01, 0, 5, 0.01, 0};
    const int triangles[] = {0, 1, 2, 2, 3, 3}; // the second has no area
    pl_mesh* sliver = sample_mesh(positions, 4, NULL, 0, triangles, 2);
    pl_grid_surface_points p;
    pl_error error;
    CHECK_OK(pl_grid_surface_points_create(sliver, 0.1, &p, &error), &error);
    CHECK_INT(p.count, 99 + 2 * 50);
    pl_grid_surface_points_free(&p);
    pl_mesh_destroy(sliver);
}

// a cube of 12 triangles and 6^3 cells that falls on the ground
static const char* falling_cube(const char* law, int threads) {
    static char text[700];
    sample_write(sample_box_surface(0, 0.02, 0, 0.6, 0.6, 0.6), "cube.obj");
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"threads\": %d, \"time_step\": 0.01, \"bodies\": [{\"name\": \"c\","
             " \"mesh\": \"cube.obj\", \"method\": \"grid\", \"integrator\": \"euler\", \"grid\":"
             " {\"cell\": 0.1}, \"linear_tolerance\": 0.01, \"linear_iterations\": 40,"
             " \"material\": {\"law\": \"%s\", \"young\": 1e5, \"poisson\": 0.4}}],"
             " \"colliders\": [{\"plane\": {}}]}",
             threads, law);
    return text;
}

LONG_TEST(grid_large_triangles_rest_on_the_ground)
{
    static const char* const laws[] = {"linear", "corotated"};
    for (int k = 0; k < 2; k++) {
        pl_world* world = sample_start(falling_cube(laws[k], 0));
        pl_frame_info info;
        double lowest = 0.0;
        for (int n = 0; n < 40; n++) {
            sample_step(world, 1, &info);
            lowest = fmin(lowest, sample_lowest(world, 0));
        }
        CHECK(info.contact_count > 49); // one for each corner of the 36 cells at the ground
        CHECK(lowest > -0.02);          // a fifth of a cell, at the impact
        CHECK_NEAR(sample_lowest(world, 0), 0.0, 0.012);
        pl_world_destroy(world);
    }
}

TEST(grid_contact_points_have_the_same_bits_on_any_threads_and_from_a_state)
{
    static char state[1 << 20];
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        pl_world* world = sample_start(falling_cube("corotated", k == 1 ? 3 : 1));
        pl_error error;
        if (k < 2) sample_step(world, 8, NULL);
        else
            CHECK_OK(pl_world_state_load(world, state, pl_world_state_size(world), &error), &error);
        CHECK(pl_world_state_size(world) <= sizeof state);
        if (k == 0) pl_world_state_save(world, state);
        sample_step(world, 2, NULL);
        hash[k] = sample_world_hash(world);
        pl_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
    CHECK(hash[0] == hash[2]);
}
