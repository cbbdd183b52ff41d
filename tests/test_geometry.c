// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Winding numbers, signed distance grids, spatial hashing and surface edges against brute force and
// known shapes.
#include "base/memory.h"
#include "base/random.h"
#include "geometry/sdf_grid.h"
#include "mesh/surface_edges.h"
#include "sample_meshes.h"
#include "test.h"

static pl_vec3 random_point(pl_random* random, double size) {
    double x = pl_random_uniform(random, -size, size), y = pl_random_uniform(random, -size, size);
    return (pl_vec3){x, y, pl_random_uniform(random, -size, size)};
}

static void build_solid(const pl_mesh* mesh, bool closed, pl_solid* solid) {
    pl_error error;
    CHECK_OK(pl_solid_build(mesh->positions, mesh->triangles, mesh->triangle_count, closed, solid,
                            &error),
             &error);
}

TEST(winding_of_closed_and_open_surfaces)
{
    pl_mesh* sphere = sample_sphere(4);
    pl_mesh* pair = sample_join(sphere, sphere, 0.5);
    pl_solid solid;
    pl_random random = {1};
    build_solid(pair, true, &solid);
    for (int q = 0; q < 500; q++) {
        pl_vec3 p = random_point(&random, 2.0);
        double r1 = pl_norm(p), r2 = pl_distance(p, (pl_vec3){0.5, 0, 0});
        if (fabs(r1 - 1.0) < 0.01 || fabs(r2 - 1.0) < 0.01) continue; // between sphere and facets
        double exact = pl_winding_number(&solid.winding, p, INFINITY);
        CHECK_NEAR(exact, (r1 < 1.0) + (r2 < 1.0), 1e-12);
        CHECK_INT(pl_solid_inside(&solid, p), r1 < 1.0 || r2 < 1.0);
    }
    pl_solid_free(&solid);
    // half a sphere: the rough number stays near the exact one, and nearer with more accuracy
    double errors[3] = {0};
    pl_mesh half = *sphere;
    half.triangle_count = sphere->triangle_count / 2;
    build_solid(&half, false, &solid);
    for (int q = 0; q < 500; q++) {
        pl_vec3 p = random_point(&random, 1.5);
        double exact = pl_winding_number(&solid.winding, p, INFINITY);
        for (int k = 0; k < 3; k++)
            errors[k] = fmax(errors[k], fabs(pl_winding_number(&solid.winding, p, 2 << k) - exact));
    }
    if (!(errors[0] < 0.05 && errors[1] < 0.01 && errors[2] < 0.001))
        pl_test_fail(__FILE__, __LINE__, "errors %g %g %g", errors[0], errors[1], errors[2]);
    CHECK(errors[0] > 0.0);
    pl_solid_free(&solid);
    pl_mesh_destroy(pair);
    pl_mesh_destroy(sphere);
}

TEST(sdf_grid_of_a_sphere)
{
    pl_mesh* sphere = sample_sphere(5);
    pl_solid solid;
    pl_error error;
    build_solid(sphere, true, &solid);
    pl_pool* pool;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    pl_sdf_grid exact, band;
    pl_sdf_options options = {.spacing = 0.1, .margin = 0.25};
    CHECK_OK(pl_sdf_grid_build(&solid, &options, pool, &exact, &error), &error);
    options.band = 0.35;
    CHECK_OK(pl_sdf_grid_build(&solid, &options, NULL, &band, &error), &error);
    pl_random random = {3};
    for (int q = 0; q < 1000; q++) {
        pl_vec3 p = random_point(&random, 1.2), gradient;
        double distance = pl_norm(p) - 1.0;
        CHECK_NEAR(pl_solid_distance(&solid, p, INFINITY), distance, 0.002);
        double value = pl_sdf_grid_value(&exact, p, &gradient);
        CHECK_NEAR(value, distance, pl_norm(p) > 0.3 ? 0.012 : 0.12);
        if (fabs(distance) < 0.2) CHECK(value == pl_sdf_grid_value(&band, p, NULL));
        else if (pl_norm(p) > 0.3)
            CHECK(fabs(pl_sdf_grid_value(&band, p, NULL)) < fabs(value) + 0.02);
        if (pl_norm(p) < 0.5) continue;
        pl_vec3 normal = pl_normalize(p);
        CHECK_NEAR(pl_distance(gradient, normal), 0.0, 0.2);
        // the gradient is the slope of the value
        double step = 1e-7;
        double ahead = pl_sdf_grid_value(&exact, pl_madd(p, step, normal), NULL);
        CHECK_NEAR((ahead - value) / step, pl_dot(gradient, normal), 0.05);
    }
    // beyond the grid the way to it is added
    CHECK_NEAR(pl_sdf_grid_value(&exact, (pl_vec3){3.0, 0.0, 0.0}, NULL), 2.0, 0.05);
    pl_sdf_grid_free(&exact);
    options.spacing = 1e-5;
    CHECK_INT(pl_sdf_grid_build(&solid, &options, NULL, &exact, &error), PL_ERROR_LIMIT);
    options.spacing = 0.0;
    CHECK_INT(pl_sdf_grid_build(&solid, &options, NULL, &exact, &error), PL_ERROR_ARGUMENT);
    pl_sdf_grid_free(&band);
    pl_pool_destroy(pool);
    pl_solid_free(&solid);
    pl_mesh_destroy(sphere);
}

TEST(surface_edges_are_counted)
{
    pl_mesh *sphere = sample_sphere(3), *sheet = sample_sheet(4, 3);
    pl_surface_edges e;
    pl_error error;
    CHECK_OK(pl_surface_edges_count(sphere->positions, sphere->vertex_count, sphere->triangles,
                                    sphere->triangle_count, &e, &error),
             &error);
    CHECK(e.boundary_count == 0 && e.manifold_count == e.edge_count && e.part_count == 1);
    CHECK_INT(2 * e.edge_count, 3 * sphere->triangle_count);
    CHECK_NEAR(e.area, 4.0 * acos(-1.0), 0.2);
    CHECK_NEAR(e.signed_volume, 4.0 / 3.0 * acos(-1.0), 0.1);
    CHECK_OK(pl_surface_edges_count(sheet->positions, sheet->vertex_count, sheet->triangles,
                                    sheet->triangle_count, &e, &error),
             &error);
    CHECK(e.boundary_count == 14 && e.hole_count == 1 && e.turned_count == 0);
    int swap = sheet->triangles[0];
    sheet->triangles[0] = sheet->triangles[1];
    sheet->triangles[1] = swap;
    CHECK_OK(pl_surface_edges_count(sheet->positions, sheet->vertex_count, sheet->triangles,
                                    sheet->triangle_count, &e, &error),
             &error);
    CHECK(e.turned_count >= 1);
    pl_mesh_destroy(sheet);
    pl_mesh_destroy(sphere);
}

TEST(geometry_survives_every_failing_allocation)
{
    pl_mesh* sphere = sample_sphere(1);
    size_t before = pl_byte_count();
    pl_error error;
    for (int64_t nth = 1;; nth++) {
        pl_solid solid = {0};
        pl_sdf_grid grid = {0};
        pl_inject_failure(nth);
        pl_status status = pl_solid_build(sphere->positions, sphere->triangles,
                                          sphere->triangle_count, true, &solid, &error);
        if (status == PL_OK)
            status =
                pl_sdf_grid_build(&solid, &(pl_sdf_options){.spacing = 0.5}, NULL, &grid, &error);
        pl_inject_failure(0);
        pl_sdf_grid_free(&grid);
        pl_solid_free(&solid);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    pl_mesh_destroy(sphere);
}
