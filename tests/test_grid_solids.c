// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method grid in the world: the corotated law, regions, held parts that turn, degenerate lattices.
#include "base/memory.h"
#include "grid/grid_body.h"
#include "grid/grid_lattice.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <pliant/generate.h>
#include <pliant/mesh_surface.h>

static pl_status create(const char* scene_text, pl_world** world, pl_notes* notes,
                        pl_error* error) {
    const char* path = pl_test_path("scene.json");
    pl_scene* scene;
    pl_test_write_file(path, scene_text, strlen(scene_text));
    pl_status status = pl_scene_read(path, NULL, 0, &scene, NULL, error);
    if (status != PL_OK) return status;
    status = pl_world_create(scene, world, notes, error);
    pl_scene_destroy(scene);
    return status;
}

// the mean way of the vertices of a body's end at high x, along an axis
static double tip(pl_world* world, int body, int axis) {
    const pl_mesh* mesh = pl_world_mesh(world, body);
    double far = -1e30, sum = 0.0;
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) far = fmax(far, mesh->positions[3 * v]);
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (mesh->positions[3 * v] < far - 1e-9) continue;
        sum += pl_world_positions(world, body)[3 * v + axis] - mesh->positions[3 * v + axis];
        count++;
    }
    return sum / count;
}

#define BAR(edge)                                                                                  \
    "\"generate\": {\"shape\": \"bar\", \"size_x\": 1, \"size_y\": 0.25, \"size_z\": 0.25,"        \
    " \"edge\": " edge "}, \"integrator\": \"quasistatic\", "
#define MATERIAL(law, young)                                                                       \
    "\"material\": {\"law\": \"" law "\", \"young\": " young ", \"poisson\": 0.3,"                 \
    " \"density\": 1000}"

// how far the end of a bar of a law sinks, held at its low x, in a lattice
static double sunk(const char* law, const char* method, const char* cell, const char* edge) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"%s\", %s%s%s "
             "\"linear_tolerance\": 1e-3, \"generate\": {\"shape\": \"bar\", \"size_x\": 1, "
             "\"size_y\": 0.25, \"size_z\": 0.25, \"edge\": %s}, \"integrator\": \"quasistatic\", "
             "\"material\": {\"law\": \"%s\", \"young\": 3e6, \"poisson\": 0.3, \"density\": "
             "1000}}], \"attachments\": [{\"body\": \"b\", \"where\": {\"side\": \"-x\"}}]}",
             method, cell ? "\"grid\": {\"cell\": " : "", cell ? cell : "", cell ? "}," : "", edge,
             law);
    pl_world* world = sample_start(text);
    sample_step(world, 1, NULL);
    double y = tip(world, 0, 1);
    pl_world_destroy(world);
    return y;
}

// A lattice holds a whole layer of cells where the fem bar holds a side, and is of first order at
// its surface: from two lattices the value for cells of no size. And where nothing turns far, the
// corotated law goes to what the linear one gives as cells get smaller.
LONG_TEST(grid_bar_bends_like_fem_and_like_the_linear_law)
{
    double fem = sunk("corotated", "fem", NULL, "0.03125");
    double wide = sunk("corotated", "grid", "0.0625", "0.125");
    double fine = sunk("corotated", "grid", "0.03125", "0.125");
    CHECK(fem < -0.07);
    CHECK_NEAR((2.0 * fine - wide) / fem, 1.0, 0.06);
    CHECK(fine / fem > 0.84); // eight cells across; 0.76 if faces do not carry the outer half cells
    double fine_ratio = fine / sunk("linear", "grid", "0.03125", "0.125");
    double wide_ratio = wide / sunk("linear", "grid", "0.0625", "0.125");
    CHECK(fine_ratio > 0.9 && fine_ratio < 1.02);
    CHECK(fabs(1.0 - fine_ratio) < 0.6 * fabs(1.0 - wide_ratio));
}

// A bar of 3.1 cells across lies in four: as stiff as these it would sink 0.4 of what one of four
// does.
TEST(grid_cut_cells_are_as_stiff_as_they_are_full)
{
    double cut = sunk("corotated", "grid", "0.08", "0.125");
    double full = sunk("corotated", "grid", "0.0625", "0.125");
    CHECK(cut / full > 0.7 && cut / full < 1.0);
}

// the surface of a generated mesh in a lattice: the sum of all fractions, or 0 if all are full
static double filled(const char* shape, double cell, int* cell_count) {
    pl_generate_options options;
    pl_mesh* mesh;
    pl_surface* surface;
    pl_grid_frame frame = {.cell = cell};
    pl_grid_cells cells;
    pl_grid_lattice lattice;
    pl_error error;
    pl_grid_filling filling;
    CHECK_OK(pl_generate_defaults(shape, &options, &error), &error);
    options.radius = 0.5, options.size_x = options.size_y = options.size_z = 1.0;
    options.edge = 0.125;
    CHECK_OK(pl_generate(shape, &options, &mesh, &error), &error);
    CHECK_OK(pl_mesh_surface(mesh, &surface, &error), &error);
    CHECK_OK(pl_grid_voxelise(surface->mesh, 0, NULL, &frame, &cells, NULL, &error), &error);
    CHECK_OK(pl_grid_lattice_create(&cells, &lattice, &error), &error);
    const pl_grid_level* l = &lattice.levels[0];
    CHECK_OK(pl_grid_fractions(surface->mesh, l, &cells, &frame, NULL, &filling, &error), &error);
    float* fractions = filling.fractions;
    pl_grid_filling again; // the same with threads
    pl_pool* pool;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    CHECK_OK(pl_grid_fractions(surface->mesh, l, &cells, &frame, pool, &again, &error), &error);
    CHECK(!fractions == !again.fractions);
    CHECK(!fractions ||
          memcmp(fractions, again.fractions, (size_t)l->field_size * sizeof(float)) == 0);
    CHECK(filling.cells == again.cells);
    PL_FREE(again.fractions, float, l->field_size);
    pl_pool_destroy(pool);
    double sum = 0.0;
    for (int i = 0; fractions && i < l->field_size; i++)
        if (pl_grid_bit(l->masks[i / PL_GRID_CHUNK].interior, i)) sum += fractions[i];
    *cell_count = l->cell_count;
    PL_FREE(fractions, float, l->field_size);
    pl_grid_lattice_free(&lattice);
    pl_grid_cells_free(&cells);
    pl_surface_destroy(surface);
    pl_mesh_destroy(mesh);
    return sum;
}

TEST(grid_fractions_add_up_to_the_volume)
{
    int count;
    double sum = filled("sphere", 0.0625, &count) * pow(0.0625, 3.0);
    // triangles of 0.125 in the sphere take 3 % off it
    CHECK_NEAR(sum, 0.97 * 3.14159265 / 6.0, 0.02);
    CHECK(count * pow(0.0625, 3.0) > 0.62);
    CHECK(filled("bar", 0.125, &count) == 0.0);
    CHECK_INT(count, 512);
    CHECK_NEAR(filled("bar", 0.15, &count) * pow(0.15, 3.0), 1.0, 0.02);
    CHECK_INT(count, 343);
}

// held at one end, which is turned by 180 degrees: the bar comes along, as long as it was
TEST(grid_bar_turns_by_half_a_turn)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.05, \"bodies\": ["
        "{\"name\": \"bar\", \"method\": \"grid\", \"grid\": {\"cell\": 0.0625}, " BAR("0.125")
            MATERIAL("corotated", "1e6") "}], \"attachments\": [{\"body\": \"bar\", \"where\": "
                                         "{\"side\": \"-x\"}, \"motion\": {\"pivot\": [0, 0, 0], "
                                         "\"keyframes\": [{\"time\": 0}, "
                                         "{\"time\": 0.5, \"rotate\": [0, 0, 180]}]}}]}");
    sample_step(world, 12, NULL);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    for (int v = 0; v < mesh->vertex_count; v++) {
        CHECK_NEAR(x[3 * v], -mesh->positions[3 * v], 0.02);
        CHECK_NEAR(x[3 * v + 1], -mesh->positions[3 * v + 1], 0.02);
    }
    pl_world_destroy(world);
}

// the half with a tenth of the modulus stretches ten times as much
TEST(grid_soft_half_stretches_more)
{
    static const char* const laws[] = {"linear", "corotated"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"bar\", "
            "\"method\": \"grid\", \"grid\": {\"cell\": 0.0625}, " BAR(
                "0.0625") "\"linear_tolerance\": 1e-4, \"material\": {\"law\": \"%s\", "
                          "\"poisson\": 0}, "
                          "\"vary\": [{\"parameter\": \"young\", \"gradient\": {\"from\": 1e5, "
                          "\"to\": "
                          "1e6, \"direction\": [1, 0, 0]}}]}], \"attachments\": [{\"body\": "
                          "\"bar\", "
                          "\"where\": {\"side\": \"-x\"}}, {\"body\": \"bar\", \"where\": "
                          "{\"side\": "
                          "\"+x\"}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 1e-6, "
                          "\"translate\": [0.05, 0, 0]}]}}]}",
            laws[k]);
        pl_world* world = sample_start(text);
        sample_step(world, 1, NULL);
        const pl_mesh* mesh = pl_world_mesh(world, 0);
        double middle = 0.0;
        int count = 0;
        for (int v = 0; v < mesh->vertex_count; v++) {
            if (fabs(mesh->positions[3 * v] - 0.5) > 1e-6) continue;
            middle += pl_world_positions(world, 0)[3 * v] - 0.5, count++;
        }
        // E = 1e5 + 9e5 x
        double expected = log(5.5) / log(10.0);
        CHECK_NEAR(middle / count / 0.05, expected, 0.005);
        pl_world_destroy(world);
    }
}

// a free corotated body keeps its spin
LONG_TEST(grid_free_body_spins)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.01, \"bodies\": [{\"name\": "
        "\"bar\", \"method\": \"grid\", \"grid\": {\"cell\": 0.0625}, \"angular_velocity\": "
        "[0, 0, 200], \"linear_tolerance\": 1e-5, \"generate\": {\"shape\": \"bar\", \"size_x\": "
        "0.5, "
        "\"size_y\": 0.25, \"size_z\": 0.25, \"edge\": 0.125}, \"integrator\": "
        "\"euler\", " MATERIAL("corotated", "1e6") "}]}");
    sample_step(world, 30, NULL); // by 60 degrees
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double low = 1e30, high = -1e30;
    for (int v = 0; v < mesh->vertex_count; v++) {
        low = fmin(low, x[3 * v + 1]), high = fmax(high, x[3 * v + 1]);
        CHECK(isfinite(x[3 * v]));
    }
    // 0.5 sin + 0.25 cos of about 57 degrees; backward Euler slows it down a little
    CHECK_NEAR(high - low, 0.555, 0.03);
    pl_world_destroy(world);
}

TEST(grid_degenerate_lattices_have_an_answer)
{
    // everything held; a surface within one cell; a plate one cell thin
    static const char* const bodies[][2] = {
        {"\"size_x\": 0.2, \"size_y\": 0.2, \"size_z\": 0.2, \"edge\": 0.1}, \"grid\": {\"cell\": "
         "0.1}",
         "{\"body\": \"b\", \"where\": {\"box\": {\"min\": [-9, -9, -9], \"max\": [9, 9, 9]}}}"},
        {"\"size_x\": 1, \"size_y\": 0.05, \"size_z\": 0.5, \"edge\": 0.05}, \"grid\": {\"cell\": "
         "0.1}",
         "{\"body\": \"b\", \"where\": {\"side\": \"-x\"}}"}};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"grid\", "
                 "\"generate\": {\"shape\": \"bar\", %s}], \"attachments\": [%s]}",
                 bodies[k][0], bodies[k][1]);
        pl_world* world = sample_start(text);
        sample_step(world, 3, NULL);
        const pl_mesh* mesh = pl_world_mesh(world, 0);
        for (int i = 0; i < 3 * mesh->vertex_count; i++) {
            CHECK(isfinite(pl_world_positions(world, 0)[i]));
            if (k == 0) CHECK_NEAR(pl_world_positions(world, 0)[i], mesh->positions[i], 1e-6);
        }
        pl_world_destroy(world);
    }
    pl_error error;
    pl_world* world;
    CHECK(create("{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"grid\", "
                 "\"generate\": {\"shape\": \"bar\"}, \"grid\": {\"cell\": 100}}]}",
                 &world, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, "smaller cells");
}

TEST(grid_refuses_regions_of_another_ratio)
{
    pl_error error;
    pl_world* world;
    CHECK(
        create("{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"grid\", \"generate\": "
               "{\"shape\": \"bar\"}, \"vary\": [{\"parameter\": \"poisson\", \"gradient\": "
               "{\"from\": 0.1, \"to\": 0.4, \"direction\": [1, 0, 0]}}]}]}",
               &world, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, "may differ in young, not in poisson");
}

// springs that would be stiffer than everything else are bounded: the bar hangs, and stays finite
TEST(grid_very_stiff_springs_do_no_harm)
{
    static const char* const laws[] = {"linear", "corotated"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{\"pliant\": 1, \"time_step\": 0.02, \"bodies\": [{\"name\": \"b\", \"method\": "
            "\"grid\", \"grid\": {\"cell\": 0.0625}, \"generate\": {\"shape\": \"bar\", "
            "\"size_x\": 0.5, \"size_y\": 0.25, \"size_z\": 0.25, \"edge\": 0.125}, "
            "\"material\": {\"law\": \"%s\", \"young\": 2e5, \"poisson\": 0.4}}], "
            "\"attachments\": [{\"body\": \"b\", \"where\": {\"side\": \"-x\"}, \"stiffness\": "
            "1e12}]}",
            laws[k]);
        pl_world* world = sample_start(text);
        sample_step(world, 5, NULL);
        double y = tip(world, 0, 1);
        CHECK(y < -1e-3 && y > -0.2);
        pl_world_destroy(world);
    }
}

TEST(grid_says_that_parts_are_thin)
{
    pl_error error;
    pl_world* world;
    pl_notes* notes;
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(
        create("{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"grid\", \"generate\": "
               "{\"shape\": \"bar\", \"size_x\": 1, \"size_y\": 0.05, \"size_z\": 0.5, \"edge\": "
               "0.05}, \"grid\": {\"cell\": 0.1}}]}",
               &world, notes, &error),
        &error);
    CHECK_INT(pl_notes_count(notes), 2);
    CHECK_TEXT(pl_notes_text(notes, 1, NULL), "50 cells are in parts one cell thin");
    pl_world_destroy(world);
    pl_notes_destroy(notes);
}
