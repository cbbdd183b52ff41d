// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "math/vec3.h"
#include "test.h"
#include "tet_checks.h"

#include <pliant/generate.h>
#include <pliant/tetrahedralise.h>

TEST(gummy_bear_is_a_bear)
{
    // inside of body, head and limbs, outside between the legs, above the head, below the ground
    static const double inside[][3] = {
        {0, 0.035, 0},         {0, 0.075, 0.002},        {0.0137, 0.0915, 0}, {-0.0137, 0.0915, 0},
        {0.015, 0.008, 0.011}, {-0.0192, 0.044, 0.0188}, {0, 0.0695, 0.022},  {0, 0.0005, 0.4}};
    for (int i = 0; i < 7; i++) CHECK(pl_gummy_bear_distance(inside[i], 0.1) < 0.0);
    CHECK(pl_gummy_bear_distance(inside[7], 0.1) > 0.0);
    CHECK(pl_gummy_bear_distance((double[]){0, 0.005, 0.01}, 0.1) > 0.0);
    CHECK(pl_gummy_bear_distance((double[]){0, 0.097, 0}, 0.1) > 0.0);
    CHECK(pl_gummy_bear_distance((double[]){0.015, -0.001, 0.01}, 0.1) > 0.0);
    // symmetric, and of any size
    double p[3] = {0.011, 0.05, 0.013}, mirrored[3] = {-0.011, 0.05, 0.013};
    double large[3] = {1.1, 5.0, 1.3};
    CHECK(pl_gummy_bear_distance(p, 0.1) == pl_gummy_bear_distance(mirrored, 0.1));
    CHECK_NEAR(pl_gummy_bear_distance(large, 10.0), 100.0 * pl_gummy_bear_distance(p, 0.1), 1e-12);
}

static void check_bear(double edge, double volume_tolerance) {
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = edge;
    options.strict = true;
    pl_mesh* bear;
    pl_error error;
    CHECK_OK(pl_gummy_bear(0.1, &options, &bear, NULL, &error), &error);
    tet_quality q = check_tets(bear);
    CHECK(q.min_angle > 10.78 && q.max_angle < 164.84);
    CHECK(q.part_count == 1 && q.euler == 2); // one piece, no handle
    CHECK_NEAR(q.volume, 0.0001175, volume_tolerance * 0.0001175);
    CHECK_INT(bear->triangle_count, q.boundary_triangle_count);
    double low = 1.0, high = 0.0, sideways = 0.0;
    for (int v = 0; v < bear->vertex_count; v++) {
        low = fmin(low, bear->positions[3 * v + 1]);
        high = fmax(high, bear->positions[3 * v + 1]);
        sideways += bear->positions[3 * v] / bear->vertex_count;
    }
    CHECK_NEAR(low, 0.0, 1e-9);
    CHECK_NEAR(high, 0.1, 0.5 * edge);
    CHECK_NEAR(sideways, 0.0, 1e-5);
    const pl_region* soles = pl_mesh_region(bear, PL_ELEMENT_TRIANGLE, "soles");
    const pl_region* surface = pl_mesh_region(bear, PL_ELEMENT_TRIANGLE, "surface");
    CHECK(soles && soles->count >= 4);
    CHECK(surface && surface->count == bear->triangle_count);
    pl_mesh_destroy(bear);
}

LONG_TEST(gummy_bear_at_three_resolutions)
{
    check_bear(0.008, 0.10);
    check_bear(0.004, 0.03);
    check_bear(0.002, 0.01);
}

TEST(gummy_bear_is_a_generator)
{
    pl_generate_options options;
    pl_mesh *bear, *again;
    pl_error error;
    CHECK_OK(pl_generate_defaults("gummy_bear", &options, &error), &error);
    CHECK_NEAR(options.height, 0.1, 0.0);
    CHECK_OK(pl_generate("gummy_bear", &options, &bear, &error), &error);
    CHECK_OK(pl_generate("gummy_bear", NULL, &again, &error), &error);
    CHECK(same_tets(bear, again));
    pl_mesh_destroy(bear);
    pl_mesh_destroy(again);
    CHECK_INT(pl_gummy_bear(-1.0, NULL, &bear, NULL, &error), PL_ERROR_ARGUMENT);
    CHECK(!bear);
}

TEST(gummy_bear_survives_every_failing_allocation)
{
    pl_mesh* bear;
    pl_error error;
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.012;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_gummy_bear(0.1, &options, &bear, NULL, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!bear);
        CHECK_INT(pl_byte_count(), before);
    }
    pl_mesh_destroy(bear);
}
