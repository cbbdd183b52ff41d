// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What acts on bodies of a world, and what is told of them: caches, obstacles that change their
// shape, wind, animated scalars, fields.
#include "base/memory.h"
#include "base/random.h"
#include "collider/collider_kind.h"
#include "contact/collision.h"
#include "contact/point_cache.h"
#include "material/material.h"
#include "record/run_values.h"
#include "run_samples.h"
#include "sample_meshes.h"
#include "test.h"

#include <stdlib.h>

// every second frame has a sample
TEST(point_cache_reads_and_interpolates)
{
    const double places[] = {0, 0, 0, 1, 2, 3, 4, 0, 0, 1, 2, 5};
    pl_point_cache cache;
    pl_error error;
    sample_point_cache("two.pc2", 2.0f, places, 2, 2);
    CHECK_OK(pl_point_cache_read(pl_test_path("two.pc2"), &cache, &error), &error);
    double at[6];
    static const double frames[] = {-1, 0, 0.5, 2, 9}, x[] = {0, 0, 1, 4, 4};
    for (int k = 0; k < 5; k++) {
        pl_point_cache_places(&cache, frames[k], at);
        CHECK_NEAR(at[0], x[k], 1e-12);
        CHECK_NEAR(at[5], 3.0 + 0.5 * x[k], 1e-12);
    }
    pl_point_cache_free(&cache);
    sample_point_cache("one.pc2", 2.0f, places, 4, 1);
    CHECK_OK(pl_point_cache_read(pl_test_path("one.pc2"), &cache, &error), &error);
    double one[12];
    pl_point_cache_places(&cache, 7.0, one);
    CHECK_NEAR(one[5], 3.0, 0.0);
    pl_point_cache_free(&cache);
}

TEST(point_cache_refuses_damaged_files)
{
    double places[6] = {0, 0, 0, 1, 2, 3};
    unsigned char bytes[56];
    sample_point_cache("good.pc2", 2.0f, places, 2, 1);
    FILE* file = fopen(pl_test_path("good.pc2"), "rb");
    CHECK(file && fread(bytes, 1, 56, file) == 56);
    fclose(file);
    pl_point_cache cache;
    pl_error error;
    for (size_t size = 0; size < 56; size++) { // cut anywhere
        pl_test_write_file(pl_test_path("cut.pc2"), bytes, size);
        CHECK(pl_point_cache_read(pl_test_path("cut.pc2"), &cache, &error) == PL_ERROR_FORMAT);
        CHECK_TEXT(error.text, "cut.pc2");
    }
    static const struct {
        int at;
        unsigned char value;
        const char* message;
    } cases[] = {{0, 'X', "not a PC2"},    {12, 2, "version 2"},     {16, 0, "no points"},
                 {19, 255, "has no room"}, {31, 127, "has no room"}, {27, 192, "frames per sample"},
                 {35, 127, "frames"}};
    for (size_t k = 0; k + 1 < sizeof cases / sizeof cases[0]; k++) {
        unsigned char bad[56];
        memcpy(bad, bytes, 56);
        bad[cases[k].at] = cases[k].value;
        pl_test_write_file(pl_test_path("bad.pc2"), bad, 56);
        CHECK(pl_point_cache_read(pl_test_path("bad.pc2"), &cache, &error) == PL_ERROR_FORMAT);
        CHECK_TEXT(error.text, cases[k].message);
    }
    places[4] = NAN;
    sample_point_cache("nan.pc2", 2.0f, places, 2, 1);
    CHECK(pl_point_cache_read(pl_test_path("nan.pc2"), &cache, &error) == PL_ERROR_FORMAT);
    CHECK_TEXT(error.text, "point 1 of sample 0 is not finite");
}

static const char held_box[] =
    "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.01, \"bodies\": [{\"name\": "
    "\"box\",\n"
    " \"generate\": {\"shape\": \"box\", \"size_x\": 1, \"size_y\": 1, \"size_z\": 1, \"edge\": "
    "0.5},\n"
    " \"material\": {\"young\": 1e5}}],\n"
    " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}, \"cache\": \"%s\",\n"
    "  \"cache_start\": 0.02}]}\n";

TEST(world_attachment_follows_its_cache)
{
    // the vertices of that side, in the order of the body
    pl_scene* plain = sample_scene("{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": "
                                   "\"box\", \"size_x\": 1, \"size_y\": 1, \"size_z\": 1, "
                                   "\"edge\": 0.5}}]}");
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_body_mesh(&plain->bodies[0], &mesh, NULL, &error), &error);
    pl_scene_destroy(plain);
    double low = 1e9, places[2 * 3 * 32];
    int held[32], count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) low = fmin(low, mesh->positions[3 * v]);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (mesh->positions[3 * v] < low + 1e-9 && count < 32) held[count++] = v;
    CHECK(count > 4 && count < 32);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            places[3 * i + c] = mesh->positions[3 * held[i] + c];
            places[3 * (count + i) + c] = places[3 * i + c] + (c == 1 ? 0.1 : 0.0);
        }
    sample_point_cache("side.pc2", 2.0f, places, count, 2);
    char text[1024];
    snprintf(text, sizeof text, held_box, "side.pc2");
    pl_scene* scene = sample_scene(text);
    pl_world* world = sample_world(scene);
    const double* x = pl_world_positions(world, 0);
    // rests until 0.02 s, then 0.1 m in the two frames of a sample, then rests again
    static const double moved[] = {0, 0, 0.05, 0.1, 0.1};
    for (int k = 0; k < 5; k++) {
        CHECK_OK(pl_world_step(world, NULL, &error), &error);
        for (int i = 0; i < count; i++)
            CHECK_NEAR(x[3 * held[i] + 1], mesh->positions[3 * held[i] + 1] + moved[k], 1e-6);
    }
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    pl_mesh_destroy(mesh);
    sample_point_cache("few.pc2", 2.0f, places, 3, 2);
    snprintf(text, sizeof text, held_box, "few.pc2");
    scene = sample_scene(text);
    CHECK(pl_world_create(scene, &world, NULL, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "attachments[0].cache");
    CHECK_TEXT(error.text, "has 3 points, but the selection has");
    pl_scene_destroy(scene);
}

// a ball of triangles that is squeezed and moved
static void squeeze(const pl_mesh* ball, double* out) {
    for (int v = 0; v < ball->vertex_count; v++) {
        out[3 * v] = 1.3 * ball->positions[3 * v] + 0.2;
        out[3 * v + 1] = 0.6 * ball->positions[3 * v + 1] - 0.1;
        out[3 * v + 2] = ball->positions[3 * v + 2];
    }
}

TEST(obstacle_refitted_is_as_new)
{
    pl_mesh* ball = sample_sphere(3);
    double* moved = PL_ALLOC(double, 3 * ball->vertex_count);
    squeeze(ball, moved);
    pl_solid fitted, fresh;
    pl_error error;
    CHECK_OK(pl_solid_build(ball->positions, ball->triangles, ball->triangle_count, false, &fitted,
                            &error),
             &error);
    CHECK_OK(pl_solid_build(moved, ball->triangles, ball->triangle_count, false, &fresh, &error),
             &error);
    pl_inject_failure(0);
    pl_solid_refit(&fitted, moved, ball->triangles);
    CHECK_INT(pl_inject_failure(0), 0);
    pl_random random = {3};
    int inside = 0;
    for (int i = 0; i < 500; i++) {
        pl_vec3 p = {pl_random_uniform(&random, -2, 2), pl_random_uniform(&random, -2, 2),
                     pl_random_uniform(&random, -2, 2)};
        double a = pl_solid_distance(&fitted, p, INFINITY),
               b = pl_solid_distance(&fresh, p, INFINITY);
        CHECK_NEAR(a, b, 1e-12);
        inside += a < 0.0;
    }
    CHECK(inside > 10 && inside < 490);
    pl_solid_free(&fitted);
    pl_solid_free(&fresh);
    PL_FREE(moved, double, 3 * ball->vertex_count);
    pl_mesh_destroy(ball);
}

// A shape whose points all move by the same way is the same shape that moves as a whole.
static void check_same_contacts(pl_moving_obstacle* drifting, pl_moving_obstacle* rigid) {
    pl_random random = {11};
    int found = 0;
    for (int i = 0; i < 2000; i++) {
        pl_vec3 start = {pl_random_uniform(&random, -2, 2), pl_random_uniform(&random, -2, 2),
                         pl_random_uniform(&random, -2, 2)};
        pl_vec3 end = {pl_random_uniform(&random, -2, 2), pl_random_uniform(&random, -2, 2),
                       pl_random_uniform(&random, -2, 2)};
        pl_contact a, b;
        bool one = pl_find_contact(drifting, start, end, 0.01, &a);
        bool two = pl_find_contact(rigid, start, end, 0.01, &b);
        CHECK(one == two);
        if (!one) continue;
        found++;
        CHECK(pl_distance(a.point, b.point) < 1e-9 && pl_distance(a.normal, b.normal) < 1e-6);
        CHECK(pl_distance(a.motion, b.motion) < 1e-9);
    }
    CHECK(found > 100);
}

TEST(obstacle_drift_is_motion)
{
    const double chain[] = {-0.5, 0, 0, 0.5, 0.2, 0, 0.7, 0.9, 0.1}, radius = 0.3;
    const pl_vec3 way = {0.3, -0.2, 0.25};
    double before[9], after[9];
    for (int i = 0; i < 9; i++) {
        before[i] = chain[i];
        after[i] = chain[i] + (i % 3 == 0 ? way.x : i % 3 == 1 ? way.y : way.z);
    }
    pl_moving_obstacle drifting = {.obstacle = {.kind = &pl_collider_chain.solid,
                                                .point_count = 3,
                                                .points = after,
                                                .before = before,
                                                .radius_count = 1,
                                                .radii = &radius},
                                   .begin = pl_rigid_identity(),
                                   .end = pl_rigid_identity()};
    pl_moving_obstacle rigid = drifting;
    rigid.obstacle.points = before;
    rigid.obstacle.before = NULL;
    rigid.end.translation = way;
    check_same_contacts(&drifting, &rigid);

    pl_mesh* ball = sample_sphere(2);
    double* moved = PL_ALLOC(double, 3 * ball->vertex_count);
    for (int i = 0; i < 3 * ball->vertex_count; i++)
        moved[i] = ball->positions[i] + (i % 3 == 0 ? way.x : i % 3 == 1 ? way.y : way.z);
    pl_solid still, fitted;
    pl_error error;
    CHECK_OK(pl_solid_build(ball->positions, ball->triangles, ball->triangle_count, false, &still,
                            &error),
             &error);
    CHECK_OK(pl_solid_build(ball->positions, ball->triangles, ball->triangle_count, false, &fitted,
                            &error),
             &error);
    pl_solid_refit(&fitted, moved, ball->triangles);
    drifting.obstacle = (pl_obstacle){.kind = &pl_obstacle_surface,
                                      .points = moved,
                                      .before = ball->positions,
                                      .triangles = ball->triangles,
                                      .solid = &fitted};
    rigid.obstacle = (pl_obstacle){.kind = &pl_obstacle_surface,
                                   .points = ball->positions,
                                   .triangles = ball->triangles,
                                   .solid = &still};
    check_same_contacts(&drifting, &rigid);
    pl_solid_free(&still);
    pl_solid_free(&fitted);
    PL_FREE(moved, double, 3 * ball->vertex_count);
    pl_mesh_destroy(ball);
}

// how far down a box of a method is that lies on a ball of triangles, which its cache moves upwards
static double lowest_above_ball(const char* method) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"box\", \"generate\":\n"
        " {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.4, \"size_z\": 0.4, \"edge\": 0.2},\n"
        " \"transform\": {\"translate\": [0, 1.21, 0]}, \"method\": \"%s\"}],\n"
        " \"colliders\": [{\"mesh\": {\"file\": \"ball.obj\", \"cache\": \"ball.pc2\"}}]}",
        method);
    pl_scene* scene = sample_scene(text);
    pl_world* world = sample_world(scene);
    pl_error error;
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double lowest = 1e9;
    for (int k = 0; k < 2; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
    for (int v = 0; v < mesh->vertex_count; v++) lowest = fmin(lowest, x[3 * v + 1]);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    return lowest;
}

TEST(world_collider_follows_its_cache)
{
    pl_mesh* ball = sample_sphere(2);
    pl_error error;
    int count = 3 * ball->vertex_count;
    double* places = PL_ALLOC(double, 2 * count);
    for (int i = 0; i < count; i++) {
        places[i] = ball->positions[i];
        places[count + i] = places[i] + (i % 3 == 1 ? 0.04 : 0.0);
    }
    sample_point_cache("ball.pc2", 2.0f, places, ball->vertex_count, 2);
    PL_FREE(places, double, 2 * count);
    CHECK_OK(pl_mesh_write(ball, pl_test_path("ball.obj"), NULL, NULL, &error), &error);
    pl_mesh_destroy(ball);
    // it was at 1.01 and the ball's top is at 1.04 now
    CHECK(lowest_above_ball("fem") > 1.03);
    CHECK(lowest_above_ball("pbd") > 1.03);
}

TEST(world_wind_pushes_cloth)
{
    // a free square of 1 m^2 and 0.2 kg/m^2 across a wind of 3 m/s: F = 1/2 rho A v^2 Cd
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.001, \"bodies\": "
        "[{\"generate\":\n"
        " {\"shape\": \"cloth\", \"size_x\": 1, \"size_y\": 1, \"count_x\": 5, \"count_y\": 5},\n"
        " \"material\": {\"area_density\": 0.2}}],\n"
        " \"wind\": [{\"velocity\": [0, 0, 3], \"air_density\": 1.2, \"drag\": 1.5}]}");
    pl_world* world = sample_world(scene);
    pl_error error;
    CHECK_OK(pl_world_step(world, NULL, &error), &error);
    const double* v = pl_world_velocities(world, 0);
    int count = pl_world_mesh(world, 0)->vertex_count;
    double mean = 0.0, sideways = 0.0;
    for (int i = 0; i < count; i++) {
        mean += v[3 * i + 2] / count;
        sideways = fmax(sideways, fabs(v[3 * i]));
    }
    // corners are lighter than they are blown at only by rounding: mass and force both go by area
    CHECK_NEAR(mean, 0.5 * 1.2 * 9.0 * 1.5 / 0.2 * 0.001, 1e-4);
    CHECK(sideways < 1e-6);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(world_wind_carries_light_cloth_no_faster_than_itself)
{
    // explicit steps would turn the relative velocity round, eleven times as fast at first
    static const char* const methods[] = {"\"method\": \"pbd\"", "\"method\": \"fem\""};
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{%s, \"generate\":\n"
                 " {\"shape\": \"cloth\", \"size_x\": 1, \"size_y\": 1, \"count_x\": 5, "
                 "\"count_y\": 5},\n"
                 " \"material\": {\"area_density\": 0.02}}],\n"
                 " \"wind\": [{\"velocity\": [0, 0, 22], \"air_density\": 1.2}]}",
                 methods[k]);
        pl_scene* scene = sample_scene(text);
        pl_world* world = sample_world(scene);
        const double* v = pl_world_velocities(world, 0);
        pl_error error;
        for (int n = 0; n < 20; n++) {
            CHECK_OK(pl_world_step(world, NULL, &error), &error);
            for (int i = 0; i < 25; i++) CHECK(v[3 * i + 2] > 0.0 && v[3 * i + 2] < 22.0 + 1e-6);
        }
        CHECK_NEAR(v[2], 22.0, 0.5);
        pl_world_destroy(world);
        pl_scene_destroy(scene);
    }
}

TEST(world_animated_gravity_takes_effect)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"time_step\": 0.01, \"gravity\": [{\"keyframes\": [[0, 0], [0.05, 10]], "
        "\"interpolation\": \"step\"}, 0, 0],\n"
        " \"bodies\": [{\"generate\": {\"shape\": \"box\", \"size_x\": 1, \"size_y\": 1, "
        "\"size_z\": 1, \"edge\": 0.5}, \"integrator\": \"euler\"}]}");
    pl_world* world = sample_world(scene);
    pl_error error;
    const double* v = pl_world_velocities(world, 0);
    for (int k = 0; k < 4; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
    CHECK_NEAR(v[0], 0.0, 1e-12);
    for (int k = 4; k < 9; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
    CHECK_NEAR(v[0], 5 * 0.01 * 10.0, 1e-6);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(run_values_are_those_of_the_law)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"box\", \"size_x\": 1,\n"
        " \"size_y\": 1, \"size_z\": 1, \"edge\": 0.5}, \"material\": {\"law\": \"neohookean\",\n"
        " \"young\": 1e4, \"poisson\": 0.3}}], \"output\": {\"fields\": [\"stretch\", \"volume\",\n"
        " \"pressure\", \"stress\", \"energy\", \"contact\"]}}");
    pl_world* world = sample_world(scene);
    pl_run_values values;
    pl_error error;
    CHECK_OK(pl_run_values_setup(&values, world, scene, &error), &error);
    pl_run_values_update(&values, world);
    static const double rest[] = {1, 1, 0, 0, 0, 0};
    for (int f = 0; f < 6; f++) CHECK_NEAR(values.values[0].fields[f][3], rest[f], 1e-6);
    // pulled along x everywhere
    double* x = pl_world_positions(world, 0);
    int count = pl_world_mesh(world, 0)->vertex_count;
    for (int i = 0; i < count; i++) x[3 * i] *= 1.2, x[3 * i + 1] *= 0.95;
    pl_run_values_update(&values, world);
    pl_material law;
    CHECK_OK(pl_material_from_young(PL_MATERIAL_NEOHOOKEAN, 1e4, 0.3, &law, &error), &error);
    pl_mat3 F = pl_mat3_diagonal(1.2, 0.95, 1.0), P = pl_material_stress(&law, F);
    double J = 1.2 * 0.95, a = P.m[0] * 1.2 / J, b = P.m[4] * 0.95 / J, c = P.m[8] / J;
    const double expected[] = {
        1.2,
        J,
        -(a + b + c) / 3.0,
        sqrt(0.5 * ((a - b) * (a - b) + (b - c) * (b - c) + (c - a) * (c - a))),
        pl_material_energy(&law, F),
        0.0};
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < count; i++)
            CHECK_NEAR(values.values[0].fields[f][i], expected[f],
                       1e-9 * (1.0 + fabs(expected[f])));
    pl_run_values_free(&values);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(run_values_contact_carries_the_weight)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"box\", \"size_x\": 0.1,\n"
        " \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05}, \"transform\": {\"translate\":\n"
        " [0, 0.051, 0]}, \"damping\": {\"stiffness\": 0.02}, \"material\": {\"young\": 5e4}}],\n"
        " \"colliders\": [{\"plane\": {}}], \"output\": {\"fields\": [\"contact\"]}}");
    pl_world* world = sample_world(scene);
    pl_run_values values;
    pl_error error;
    CHECK_OK(pl_run_values_setup(&values, world, scene, &error), &error);
    for (int k = 0; k < 60; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
    pl_run_values_update(&values, world);
    double sum = 0.0;
    for (int i = 0; i < pl_world_mesh(world, 0)->vertex_count; i++)
        sum += values.values[0].fields[0][i];
    CHECK_NEAR(sum, 9.81, 0.05); // 1 kg
    pl_run_values_free(&values);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(run_values_skin_moves_with_the_body)
{
    pl_mesh* ball = sample_sphere(2); // of radius 1, drawn in place of a coarser one
    pl_error error;
    CHECK_OK(pl_mesh_write(ball, pl_test_path("ball.obj"), NULL, NULL, &error), &error);
    const char* text =
        "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"sphere\", \"radius\": 1.5,\n"
        " \"edge\": 0.5}, \"transform\": {\"translate\": [0, 3, 0]}, \"render\": {\"surface\":\n"
        " \"ball.obj\"}}]}";
    pl_scene* scene = sample_scene(text);
    pl_world* world = sample_world(scene);
    pl_run_values values;
    CHECK_OK(pl_run_values_setup(&values, world, scene, &error), &error);
    CHECK_INT(values.record_bodies[0].vertex_count, ball->vertex_count);
    CHECK_INT(values.record_bodies[0].triangle_count, ball->triangle_count);
    // an affine motion of the body is one of its skin
    double* x = pl_world_positions(world, 0);
    for (int i = 0; i < pl_world_mesh(world, 0)->vertex_count; i++) {
        x[3 * i] = 1.1 * x[3 * i] + 0.2 * x[3 * i + 1];
        x[3 * i + 2] -= 0.5;
    }
    pl_run_values_update(&values, world);
    for (int i = 0; i < ball->vertex_count; i++) {
        const double *at = values.values[0].positions + 3 * i, *rest = ball->positions + 3 * i;
        CHECK_NEAR(at[0], 1.1 * rest[0] + 0.2 * (rest[1] + 3.0), 1e-6);
        CHECK_NEAR(at[1], rest[1] + 3.0, 1e-6);
        CHECK_NEAR(at[2], rest[2] - 0.5, 1e-6);
    }
    pl_run_values_free(&values);
    // fields of the body at the vertices of its skin: a velocity that is linear in space
    CHECK_OK(pl_scene_set(scene, "output.fields", "[\"velocity\", \"volume\"]", &error), &error);
    CHECK_OK(pl_run_values_setup(&values, world, scene, &error), &error);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    for (int i = 0; i < mesh->vertex_count; i++) {
        double* velocity = pl_world_velocities(world, 0) + 3 * i;
        velocity[0] = 2.0 * mesh->positions[3 * i + 1];
        velocity[1] = 0.0, velocity[2] = -1.0;
    }
    pl_run_values_update(&values, world);
    for (int i = 0; i < ball->vertex_count; i++) {
        const double* velocity = values.values[0].fields[0] + 3 * i;
        CHECK_NEAR(velocity[0], 2.0 * (ball->positions[3 * i + 1] + 3.0), 1e-6);
        CHECK_NEAR(velocity[2], -1.0, 1e-12);
        CHECK_NEAR(values.values[0].fields[1][i], 1.1, 1e-6); // det of the affine motion
    }
    pl_run_values_free(&values);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    pl_mesh_destroy(ball);
}
