// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What solvers work with, in pictures: nodes of multigrid's levels, cells of lattices.
#include "base/memory.h"
#include "record/run_folder.h"
#include "record/show.h"
#include "run_samples.h"
#include "sample_meshes.h"
#include "sample_pictures.h"
#include "test.h"
#include "world/world_build.h"

#include <stdlib.h>

// a bar of soft tets, and a box in a lattice, that fall freely
static const char falling[] =
    "{\"pliant\": 1, \"frames\": 3, \"time_step\": 0.02, \"bodies\": [\n"
    " {\"name\": \"bar\", \"generate\": {\"shape\": \"bar\", \"size_x\": 4, \"edge\": 0.34}, "
    "\"linear\": \"multigrid\", \"levels\": [6, 30]},\n"
    " {\"name\": \"box\", \"generate\": {\"shape\": \"box\", \"edge\": 0.25}, \"method\": "
    "\"grid\", \"transform\": {\"translate\": [0, 3, 0]}}]}";

static const char* make_run(const char* text) {
    pl_scene* scene = sample_scene(text);
    pl_run* run;
    pl_error error;
    pl_frame_info info;
    CHECK_OK(pl_run_start(scene, pl_test_path("run"), false, &run, NULL, &error), &error);
    while (!pl_run_is_done(run)) CHECK_OK(pl_run_frame(run, &info, &error), &error);
    CHECK_OK(pl_run_close(run, &error), &error);
    pl_scene_destroy(scene);
    return pl_test_path("run");
}

TEST(show_level_colours_vertices_by_their_nodes)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", make_run(falling));
    pl_world* world = sample_start(falling);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    int* nodes = PL_ALLOC(int, mesh->vertex_count);
    CHECK_INT(pl_world_aggregates(world, 0, 1, nodes), 30);
    pl_surface* surface;
    pl_error error;
    CHECK_OK(pl_mesh_surface(mesh, &surface, &error), &error);

    pl_show* show;
    const pl_render_scene* scene;
    CHECK_OK(pl_show_open(path, NULL, NULL, &show, NULL, &error), &error);
    CHECK_OK(pl_show_set_level(show, path, 1, NULL, &error), &error);
    CHECK_OK(pl_show_load(show, 2, &scene, &error), &error);
    const float* values = scene->bodies[0].vertex_values;
    CHECK(values && scene->bodies[0].vertex_count == surface->mesh->vertex_count);
    for (int i = 0; i < surface->mesh->vertex_count; i++)
        CHECK_INT((int)values[i], nodes[surface->vertices[i]]);
    CHECK(isnan(scene->bodies[1].vertex_values[0])); // a lattice has no nodes
    pl_render_options options = pl_default_render_options();
    pl_view view = pl_default_view();
    CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
    CHECK_TEXT(options.legend, "level 1: 30 nodes");
    pl_show_close(show);

    CHECK_OK(pl_show_open(path, NULL, NULL, &show, NULL, &error), &error);
    CHECK_INT(pl_show_set_level(show, path, 3, NULL, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "there is no level 3; its bodies have 2 coarse levels");
    pl_show_close(show);
    pl_surface_destroy(surface);
    PL_FREE(nodes, int, mesh->vertex_count);
    pl_world_destroy(world);
}

// two cloths of one system, with two levels and with one
static pl_world* start_cloths(const char* tear) {
    char text[1500];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
             "{\"generate\": {\"shape\": \"cloth_irregular\", \"edge\": 0.1}, \"method\": \"pbd\","
             " \"hierarchy\": 2, \"pbd\": {\"model\": \"stiffness\"%s}},\n"
             "{\"generate\": {\"shape\": \"cloth\", \"edge\": 0.2}, \"method\": \"pbd\","
             " \"hierarchy\": 1, \"transform\": {\"translate\": [3, 0, 0]},"
             " \"pbd\": {\"model\": \"stiffness\"}}]}",
             tear);
    return sample_start(text);
}

// Nodes of a level have vertices near one another; those of the next one join whole nodes.
static void check_nodes(pl_world* world, int body) {
    const double FARTHEST = 0.25; // one edge is 0.1
    int vertex_count = pl_world_mesh(world, body)->vertex_count;
    const double* x = pl_world_positions(world, body);
    int *fine = PL_ALLOC(int, vertex_count), *coarse = PL_ALLOC(int, vertex_count);
    int fine_count = pl_world_aggregates(world, body, 1, fine);
    int coarse_count = pl_world_aggregates(world, body, 2, coarse);
    CHECK(coarse_count > 0 && coarse_count < fine_count && fine_count < vertex_count);
    for (int i = 0; i < vertex_count; i++)
        for (int j = 0; j < i; j++) {
            if (fine[i] != fine[j]) continue;
            CHECK_INT(coarse[i], coarse[j]);
            CHECK(hypot(x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1]) < 2.0 * FARTHEST);
        }
    PL_FREE(fine, int, vertex_count);
    PL_FREE(coarse, int, vertex_count);
}

TEST(levels_of_pbd_are_nodes)
{
    for (int tears = 0; tears < 2; tears++) {
        pl_world* world = start_cloths(tears ? ", \"tear\": 1.5" : "");
        check_nodes(world, 0);
        int nodes[400], others[49];
        CHECK_INT(pl_world_mesh(world, 1)->vertex_count, 49);
        // nodes of the second body come after those of the first, and it has one coarse level
        int count = pl_world_aggregates(world, 1, 1, others);
        CHECK_INT(pl_world_aggregates(world, 1, 2, nodes) > 0, 1);
        for (int v = 0; v < 49; v++) CHECK(others[v] >= count - 16 && others[v] < count);
        CHECK_INT(pl_world_aggregates(world, 0, 3, nodes), 0);
        pl_world_destroy(world);
    }
}

TEST(outline_of_a_lattice_is_closed_and_falls_with_its_body)
{
    pl_world* world = sample_start(falling);
    pl_array corners[2], edges[2];
    pl_error error;
    double before[3], after[3];
    for (int k = 0; k < 2; k++) {
        corners[k] = pl_array_of(3 * sizeof(double));
        edges[k] = pl_array_of(2 * sizeof(int));
        CHECK_OK(pl_world_outline(world, 0, &corners[k], &edges[k], &error), &error);
        CHECK(corners[k].count == 0); // tets are not in a lattice
        CHECK_OK(pl_world_outline(world, 1, &corners[k], &edges[k], &error), &error);
        memcpy(k ? after : before, pl_world_positions(world, 1), sizeof before);
        if (k == 0) sample_step(world, 3, NULL);
    }
    // Euler: V - E + F = 2, where each face has four edges and each edge two faces
    CHECK_INT((int)corners[0].count - (int)edges[0].count / 2, 2);
    const double *first = corners[0].data, *last = corners[1].data;
    CHECK(corners[1].count == corners[0].count && edges[1].count == edges[0].count);
    CHECK(after[1] < before[1] - 0.01);
    for (size_t i = 0; i < 3 * corners[0].count; i++)
        CHECK_NEAR(last[i] - first[i], after[i % 3] - before[i % 3], 1e-9);
    // edges are as long as a cell
    const int* ends = edges[0].data;
    double cell = 0.0;
    for (size_t e = 0; e < edges[0].count; e++) {
        double length = pl_distance(pl_vec3_load(first + 3 * ends[2 * e]),
                                    pl_vec3_load(first + 3 * ends[2 * e + 1]));
        if (e == 0) cell = length;
        CHECK_NEAR(length, cell, 1e-9);
    }
    for (int k = 0; k < 2; k++) pl_array_free(&corners[k]), pl_array_free(&edges[k]);
    pl_world_destroy(world);
}

TEST(show_cells_draws_a_cage_around_the_body)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", make_run(falling));
    pl_show* show;
    const pl_render_scene* scene;
    pl_error error;
    int frame = -1;
    CHECK_OK(pl_show_open(path, NULL, NULL, &show, NULL, &error), &error);
    CHECK_OK(pl_show_add_colliders(show, path, NULL, &error), &error);
    CHECK_OK(pl_show_add_cells(show, path, &frame, NULL, &error), &error);
    CHECK_INT(frame, 3);
    CHECK_OK(pl_show_load(show, frame, &scene, &error), &error);
    CHECK_INT(scene->body_count, 3);
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9}; // heights of the box and of its cage
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < scene->bodies[1 + k].vertex_count; i++) {
            double y = scene->bodies[1 + k].positions[3 * i + 1];
            low[k] = fmin(low[k], y), high[k] = fmax(high[k], y);
        }
    CHECK(low[1] < low[0] && high[1] > high[0] && high[1] - low[1] < 1.5 * (high[0] - low[0]));
    pl_show_close(show);

    // every failing allocation
    int64_t bytes = pl_byte_count();
    for (int64_t nth = 1;; nth += 1 + nth / 20) {
        CHECK_OK(pl_show_open(path, NULL, NULL, &show, NULL, &error), &error);
        pl_inject_failure(nth);
        pl_status status = pl_show_add_cells(show, path, &frame, NULL, &error);
        pl_inject_failure(0);
        pl_show_close(show);
        CHECK_INT(pl_byte_count(), bytes);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
}

TEST(render_command_shows_levels_and_cells)
{
    char path[1024], command[2500], text[4096];
    snprintf(path, sizeof path, "%s", make_run(falling));
    snprintf(command, sizeof command, "pliant render %s --show cells --size 96x64 -o %s/c.png",
             path, path);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    snprintf(command, sizeof command, "pliant render %s --show level=2 --size 96x64", path);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    snprintf(command, sizeof command, "pliant render %s --show cells", path);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "cells are known of the last frame alone");
    snprintf(command, sizeof command, "pliant render %s --show level=0", path);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "--show takes contacts, cells, or level=1");
    snprintf(command, sizeof command, "pliant render %s/frames.plr --show level=1", path);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "give the folder of a run");
}

// pixels whose colour is near to one of the map's
static int count_near(const pl_image* image, const float color[3]) {
    double length = sqrt((double)(color[0] * color[0] + color[1] * color[1] + color[2] * color[2]));
    int count = 0;
    for (int i = 0; i < SAMPLE_WIDTH * SAMPLE_HEIGHT; i++) {
        double dot = 0.0, square = 0.0;
        for (int k = 0; k < 3; k++) {
            double c = pl_linear_of_srgb((float)image->pixels[3 * i + k] / 255.0f);
            dot += c * (double)color[k], square += c * c;
        }
        count += dot > 0.985 * length * sqrt(square);
    }
    return count;
}

TEST(render_categories_are_not_mixed_across_a_triangle)
{
    // a triangle with the categories 3, 4, 9 at its corners: each has a third of it, and what lies
    // between the numbers is not there
    const double corners[9] = {-1, 0, 0, 1, 0, 0, 0, 1.7, 0};
    const int triangle[3] = {0, 1, 2};
    const float values[3] = {3.0f, 4.0f, 9.0f};
    sample_shown s = sample_show(sample_mesh(corners, 3, NULL, 0, triangle, 1));
    s.body.vertex_values = values;
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    view.azimuth = 0.0, view.elevation = 0.0;
    pl_render_options options = sample_framed(&view, &scene);
    options.ground = false;
    options.map = PL_COLORMAP_CATEGORIES;
    options.value_low = 0.0, options.value_high = PL_COLORMAP_SIZE - 1;
    pl_image image = sample_drawn(&scene, &options, NULL);
    float map[PL_COLORMAP_SIZE][3];
    pl_colormap_fill(PL_COLORMAP_CATEGORIES, map);
    int counts[3];
    for (int k = 0; k < 3; k++) counts[k] = count_near(&image, map[(int)values[k]]);
    CHECK(counts[0] > 500);
    CHECK(abs(counts[1] - counts[0]) < counts[0] / 5 && abs(counts[2] - counts[0]) < counts[0] / 5);
    CHECK(count_near(&image, map[6]) < 60);
    pl_image_free(&image);
    sample_unshow(&s);
}
