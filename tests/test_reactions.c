// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What attachments and colliders exert, against weight, statics and Newton's second law.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/mesh_source.h"
#include "record/run_folder.h"
#include "run_samples.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static pl_reaction reaction_of(const pl_world* world, int attachment) {
    pl_reaction reaction;
    pl_error error;
    CHECK_OK(pl_world_attachment_reaction(world, attachment, &reaction, &error), &error);
    return reaction;
}

static void check_vector(const double* actual, double x, double y, double z, double tolerance) {
    CHECK_NEAR(actual[0], x, tolerance);
    CHECK_NEAR(actual[1], y, tolerance);
    CHECK_NEAR(actual[2], z, tolerance);
}

static pl_world* clamped_bar(const char* settings, const char* attachment, const char* rest) {
    char text[1500];
    snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"time_step\": 0.1, \"bodies\": [{\"name\": \"c\", \"generate\": "
        "{\"shape\": \"bar\", \"size_x\": 2, \"size_y\": 0.5, \"size_z\": 0.5, \"edge\": "
        "0.25}, \"tolerance\": 1e-8, \"iterations\": 2000, %s,\n"
        "\"material\": {\"law\": \"corotated\", \"young\": 1e6, \"poisson\": 0.3, \"density\": "
        "800}}],\n\"attachments\": [{\"name\": \"clamp\", \"body\": \"c\", \"where\": "
        "{\"side\": \"-x\"}%s}]%s}",
        settings, attachment, rest);
    return sample_start(text);
}

// Mass of each vertex, a quarter of its tets.
static void find_masses(const pl_mesh* mesh, double density, double* mass) {
    for (int v = 0; v < mesh->vertex_count; v++) mass[v] = 0.0;
    for (int e = 0; e < mesh->tet_count; e++) {
        pl_vec3 v[4];
        for (int i = 0; i < 4; i++)
            v[i] = pl_vec3_load(mesh->positions + 3 * (size_t)mesh->tets[4 * e + i]);
        double volume =
            pl_dot(pl_sub(v[1], v[0]), pl_cross(pl_sub(v[2], v[0]), pl_sub(v[3], v[0]))) / 6.0;
        for (int i = 0; i < 4; i++) mass[mesh->tets[4 * e + i]] += 0.25 * density * volume;
    }
}

enum { MAX_VERTICES = 400 };

// A clamped bar of 400 kg at rest: the clamp carries its weight, and the moment of its weight about
// the clamp, however it is solved.
TEST(reactions_carry_weight_and_its_moment)
{
    static const char* const settings[] = {
        "\"integrator\": \"quasistatic\", \"linear\": \"direct\"",
        "\"integrator\": \"quasistatic\", \"linear\": \"mgpcg\"",
        "\"integrator\": \"quasistatic\", \"mass\": \"consistent\"",
    };
    static const char* const attachments[] = {"", ", \"stiffness\": 1e8"};
    for (int k = 0; k < 6; k++) {
        pl_world* world = clamped_bar(settings[k / 2], attachments[k % 2], "");
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK(info.unconverged_count == 0);
        pl_reaction reaction = reaction_of(world, 0);
        double weight = 400.0 * 9.81, moment = 0.0;
        check_vector(reaction.force, 0.0, weight, 0.0, 1e-4 * weight);
        check_vector(reaction.place, 0.0, 0.25, 0.25, 1e-12);
        // each vertex weighs what its mass says, at the place where it is
        const double* x = pl_world_positions(world, 0);
        double mass[MAX_VERTICES];
        find_masses(pl_world_mesh(world, 0), 800.0, mass);
        for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++)
            moment += 9.81 * mass[v] * x[3 * (size_t)v];
        check_vector(reaction.torque, 0.0, 0.0, moment, 1e-4 * moment);
        pl_world_destroy(world);
    }
}

// Action and reaction: a traction on the other end, in a field without weight.
TEST(reactions_balance_a_traction)
{
    pl_world* world = clamped_bar("\"integrator\": \"quasistatic\"", "",
                                  ", \"gravity\": [0, 0, 0], \"forces\": [{\"body\": \"c\", "
                                  "\"where\": {\"side\": \"+x\"}, \"traction\": [3, -4, 5]}]");
    sample_step(world, 1, NULL);
    pl_reaction reaction = reaction_of(world, 0);
    check_vector(reaction.force, -0.75, 1.0, -1.25, 1e-6); // a quarter of a square metre
    pl_world_destroy(world);
}

// Pressure on the other end: p times the area as it is, against its normal as it is.
TEST(reactions_balance_a_pressure_on_the_present_area)
{
    pl_world* world = clamped_bar("\"integrator\": \"quasistatic\"", "",
                                  ", \"gravity\": [0, -5, 0], \"forces\": [{\"body\": \"c\", "
                                  "\"where\": {\"side\": \"+x\"}, \"pressure\": -2e3}]");
    pl_frame_info info;
    sample_step(world, 1, &info);
    CHECK(info.unconverged_count == 0);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    pl_vec3 sum = {0.0, 0.0, 0.0};
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* v = mesh->triangles + 3 * (size_t)t;
        bool end = true;
        for (int i = 0; i < 3; i++) end = end && mesh->positions[3 * (size_t)v[i]] > 1.999;
        pl_vec3 a = pl_vec3_load(x + 3 * (size_t)v[0]);
        if (end)
            sum = pl_madd(sum, 0.5,
                          pl_cross(pl_sub(pl_vec3_load(x + 3 * (size_t)v[1]), a),
                                   pl_sub(pl_vec3_load(x + 3 * (size_t)v[2]), a)));
    }
    CHECK(fabs(sum.y) > 1e-3);
    pl_reaction reaction = reaction_of(world, 0);
    check_vector(reaction.force, -2e3 * sum.x, 400.0 * 5.0 - 2e3 * sum.y, -2e3 * sum.z, 0.01);
    pl_world_destroy(world);
}

// the momentum along x that a system has
static double momentum(pl_world* world, const double* mass) {
    double sum = 0.0;
    for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++)
        sum += mass[v] * pl_world_velocities(world, 0)[3 * (size_t)v];
    return sum;
}

// A clamp that moves: what it exerts is the change of momentum, as the integrator has it, plus the
// weight.
LONG_TEST(reactions_of_moving_pins_accelerate_a_body)
{
    static const char* const settings[] = {
        "\"integrator\": \"euler\"",
        "\"integrator\": \"bdf2\"",
        "\"integrator\": \"midpoint\"",
        "\"integrator\": \"euler\", \"mass\": \"consistent\"",
        "\"integrator\": \"euler\", \"damping\": {\"stiffness\": 0.01}",
        "\"integrator\": \"euler\", \"nonlinear\": \"projective\", \"linear\": \"multigrid\"",
        "\"integrator\": \"bdf2\", \"nonlinear\": \"projective\", \"linear\": \"multigrid\"",
        "\"integrator\": \"midpoint\", \"nonlinear\": \"projective\", \"linear\": \"multigrid\""};
    for (int k = 0; k < 8; k++) {
        pl_world* world = clamped_bar(settings[k], "", ", \"gravity\": [7, 0, 0]");
        pl_error error;
        double mass[MAX_VERTICES], before = 0.0, last = 0.0, h = 0.1;
        CHECK(pl_world_mesh(world, 0)->vertex_count <= MAX_VERTICES);
        find_masses(pl_world_mesh(world, 0), 800.0, mass);
        for (int n = 1; n <= 4; n++) {
            pl_placement to = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {2.0 * h * h * n * n, 0, 0}};
            CHECK_OK(pl_world_move_attachment(world, 0, &to, &error), &error);
            sample_step(world, 1, NULL);
            double now = momentum(world, mass), rate = (now - last) / h;
            bool is_bdf2 = strstr(settings[k], "bdf2") && n > 1;
            if (is_bdf2) rate = (3.0 * now - 4.0 * last + before) / (2.0 * h);
            before = last;
            last = now;
            CHECK_NEAR(reaction_of(world, 0).force[0], rate - 7.0 * 400.0, 0.05);
        }
        CHECK(fabs(last) > 100.0);
        pl_world_destroy(world);
    }
}

// Rollers carry what they hold: each of three planes its own part, shared vertices included.
TEST(reactions_of_rollers_add_up)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [3, -5, 7], \"time_step\": 1, \"bodies\": [{\"name\": "
        "\"c\", \"generate\": {\"shape\": \"box\", \"edge\": 0.34}, \"integrator\": "
        "\"quasistatic\", \"tolerance\": 1e-9, \"material\": {\"young\": 1e6, \"density\": 100}}],"
        "\n\"attachments\": [{\"body\": \"c\", \"where\": {\"side\": \"-x\"}, \"normal\": [1, 1, "
        "0]},\n{\"body\": \"c\", \"where\": {\"side\": \"-x\"}, \"hold\": \"y\"},\n"
        "{\"body\": \"c\", \"where\": {\"side\": \"-x\"}, \"hold\": [\"z\", \"y\"]}]}");
    sample_step(world, 1, NULL);
    double s = 0.0;
    pl_reaction r[3];
    for (int k = 0; k < 3; k++) r[k] = reaction_of(world, k);
    for (int c = 0; c < 3; c++)
        s += fabs(r[0].force[c] + r[1].force[c] + r[2].force[c] +
                  100.0 * (c == 0   ? 3.0
                           : c == 1 ? -5.0
                                    : 7.0));
    CHECK_NEAR(s, 0.0, 1e-4);
    // only the first holds along x, and it pushes along its normal; the others share y
    check_vector(r[0].force, -300.0, -300.0, 0.0, 1e-4);
    check_vector(r[1].force, 0.0, 400.0, 0.0, 1e-4);
    check_vector(r[2].force, 0.0, 400.0, -700.0, 1e-4);
    pl_world_destroy(world);
}

// A box that has come to rest on the ground presses with its weight, by every method.
LONG_TEST(reactions_of_the_ground_carry_weight)
{
    static const char* const settings[] = {
        "\"nonlinear\": \"newton\"", "\"nonlinear\": \"projective\", \"linear\": \"multigrid\"",
        "\"nonlinear\": \"projective\", \"linear\": \"direct\"",
        "\"method\": \"grid\", \"grid\": {\"cell\": 0.25}", "\"method\": \"pbd\""};
    for (int k = 0; k < 5; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"time_step\": 0.02, \"bodies\": [{\"name\": \"c\", "
                 "\"generate\": {\"shape\": \"box\", \"edge\": 0.5}, %s, \"tolerance\": 1e-6, "
                 "\"iterations\": 300, \"damping\": {\"mass\": 20}, \"material\": {\"law\": "
                 "\"corotated\", \"young\": 1e6, \"poisson\": 0.3, \"density\": 100}}],\n"
                 "\"colliders\": [{\"name\": \"ground\", \"plane\": {}}, {\"name\": \"far\", "
                 "\"sphere\": {\"center\": [9, 9, 9], \"radius\": 1}}]}",
                 settings[k]);
        pl_world* world = sample_start(text);
        pl_error error;
        double force[3];
        sample_step(world, 40, NULL);
        CHECK_OK(pl_world_collider_force(world, 0, force, &error), &error);
        check_vector(force, 0.0, 981.0, 0.0, 10.0);
        CHECK_OK(pl_world_collider_force(world, 1, force, &error), &error);
        check_vector(force, 0.0, 0.0, 0.0, 0.0);
        pl_world_destroy(world);
    }
}

TEST(reactions_of_numbers_out_of_range_are_refused)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"c\", \"method\": \"pbd\", \"generate\": "
        "{\"shape\": \"box\", \"edge\": 0.5}}], \"attachments\": [{\"name\": \"a\", \"body\": "
        "\"c\", \"where\": {\"side\": \"-x\"}}], \"colliders\": [{\"name\": \"g\", \"plane\": "
        "{}}]}");
    pl_error error;
    pl_reaction reaction;
    double force[3];
    CHECK_INT(pl_world_attachment_reaction(world, 1, &reaction, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "there is no attachment 1");
    CHECK_INT(pl_world_collider_force(world, -1, force, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "there is no collider -1");
    pl_world_destroy(world);
}

// A block that hangs on a wall, by every method: its weight, and the moment of it.
LONG_TEST(reactions_of_every_method_carry_weight_and_its_moment)
{
    static const struct {
        const char* settings;
        int frames;
        double tolerance, moment_tolerance;
    } cases[] = {
        {"\"integrator\": \"quasistatic\", \"tolerance\": 1e-8", 1, 1e-6, 1e-6},
        {"\"integrator\": \"quasistatic\", \"nonlinear\": \"projective\", \"tolerance\": 1e-6, "
         "\"iterations\": 1000",
         1, 1e-6, 1e-5},
        {"\"integrator\": \"quasistatic\", \"method\": \"grid\", \"linear_iterations\": 100, "
         "\"grid\": {\"cell\": 0.125}",
         1, 1e-2, 2e-2},
        {"\"method\": \"grid\", \"damping\": {\"mass\": 30}, \"grid\": {\"cell\": 0.125}", 20, 1e-2,
         2e-2},
        {"\"method\": \"pbd\", \"damping\": {\"mass\": 30}", 20, 1e-2, 2e-2},
    };
    static const char* const attachments[] = {"", ", \"stiffness\": 1e7"};
    for (int k = 0; k < 10; k++) {
        char text[1000];
        if (k == 3 || k == 7) continue; // these take long
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"time_step\": 0.05, \"bodies\": [{\"name\": \"c\", "
                 "\"generate\": {\"shape\": \"bar\", \"size_x\": 1, \"size_y\": 0.5, \"size_z\": "
                 "0.5, \"edge\": 0.25}, %s,\n\"material\": {\"law\": \"corotated\", \"young\": "
                 "1e6, \"poisson\": 0.3, \"density\": 800}}],\n\"attachments\": [{\"body\": \"c\", "
                 "\"where\": {\"side\": \"-x\"}%s}]}",
                 cases[k / 2].settings, attachments[k % 2]);
        pl_world* world = sample_start(text);
        sample_step(world, cases[k / 2].frames, NULL);
        pl_reaction reaction = reaction_of(world, 0);
        double weight = 200.0 * 9.81, moment = 0.0, mass[MAX_VERTICES];
        find_masses(pl_world_mesh(world, 0), 800.0, mass);
        for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++)
            moment += 9.81 * mass[v] * pl_world_positions(world, 0)[3 * (size_t)v];
        check_vector(reaction.force, 0.0, weight, 0.0, cases[k / 2].tolerance * weight);
        check_vector(reaction.torque, 0.0, 0.0, moment, cases[k / 2].moment_tolerance * moment);
        pl_world_destroy(world);
    }
}

// A force along a bar between two walls, at a quarter of its length: the nearer wall has three
// quarters of it.
TEST(reactions_of_two_walls_are_divided_by_stiffness)
{
    static const char* const settings[] = {
        "\"method\": \"fem\", \"integrator\": \"quasistatic\"",
        "\"method\": \"grid\", \"grid\": {\"cell\": 0.125}, \"integrator\": \"quasistatic\"",
        ("\"method\": \"grid\", \"grid\": {\"cell\": 0.125}, \"integrator\": \"quasistatic\", "
         "\"material\": {\"law\": \"linear\"}"),
        "\"method\": \"pbd\", \"damping\": {\"mass\": 20}"};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.05, \"bodies\": "
                 "[{\"name\": \"c\", \"generate\": {\"shape\": \"bar\", \"size_x\": 2, \"size_y\": "
                 "0.5, \"size_z\": 0.5, \"edge\": 0.25}, %s}],\n\"attachments\": [{\"body\": "
                 "\"c\", \"where\": {\"side\": \"-x\"}}, {\"body\": \"c\", \"where\": {\"side\": "
                 "\"+x\"}}], \"forces\": [{\"body\": \"c\", \"force\": [300, 0, 0], \"where\": "
                 "{\"box\": {\"min\": [0.3, -1, -1], \"max\": [0.7, 1, 1]}}}]}",
                 settings[k]);
        pl_world* world = sample_start(text);
        sample_step(world, k == 3 ? 20 : 1, NULL);
        check_vector(reaction_of(world, 0).force, -225.0, 0.0, 0.0, 6.0);
        check_vector(reaction_of(world, 1).force, -75.0, 0.0, 0.0, 6.0);
        pl_world_destroy(world);
    }
}

// Columns for each attachment and collider behind the old ones, names as CSV quotes them.
TEST(reactions_are_columns_of_the_metrics)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"frames\": 1, \"bodies\": [{\"name\": \"c\", \"generate\": {\"shape\": "
        "\"box\", \"edge\": 0.5}, \"integrator\": \"quasistatic\", \"tolerance\": 1e-9}, "
        "{\"name\": \"p\", \"method\": \"pbd\", \"generate\": {\"shape\": \"box\", \"edge\": 0.5}}"
        "],\n\"attachments\": [{\"name\": \"clamp\", \"body\": \"c\", \"where\": {\"side\": "
        "\"-x\"}}, {\"name\": \"a,\\\"b\", \"body\": \"p\", \"where\": {\"side\": \"-x\"}}]}");
    pl_run* run;
    pl_frame_info info;
    pl_error error;
    pl_source source;
    CHECK_OK(pl_run_start(scene, pl_test_path("metrics"), true, &run, NULL, &error), &error);
    CHECK_OK(pl_run_frame(run, &info, &error), &error);
    CHECK_OK(pl_run_close(run, &error), &error);
    CHECK_OK(pl_source_load(pl_test_path("metrics/metrics.csv"), 0, &source, &error), &error);
    char* text = (char*)source.data;
    CHECK_TEXT(text, "output_seconds,switches,cuts,momentum_x,momentum_y,momentum_z,"
                     "angular_momentum_x,angular_momentum_y,angular_momentum_z,attachment.clamp.fx,"
                     "attachment.clamp.fy,"
                     "attachment.clamp.fz,attachment.clamp.tx,attachment.clamp.ty,"
                     "attachment.clamp.tz,\"attachment.a,\"\"b.fx\"");
    char* row = strchr(text, '\n') + 1;
    for (int k = 0; k < 26; k++) row = strchr(row, ',') + 1;
    CHECK_NEAR(strtod(row, NULL), 9810.0, 0.01);
    for (int k = 0; k < 6; k++) row = strchr(row, ',') + 1;
    CHECK(strtod(row, NULL) > 0.0 && strtod(row, NULL) < 9810.0); // the other has begun to sink
    for (int k = 0; k < 4; k++) row = strchr(row, ',') + 1;
    CHECK(strchr(row, ',') == NULL); // its last column
    pl_source_free(&source);
    pl_scene_destroy(scene);
}

static const char loaded_tube[] =
    "{\"pliant\": 1, \"time_step\": 0.02, \"threads\": %d, \"bodies\": [{\"name\": \"t\", "
    "\"generate\": {\"shape\": \"tube\", \"inner_radius\": 0.3, \"outer_radius\": 0.5, "
    "\"height\": 0.6, \"edge\": 0.2}, \"transform\": {\"translate\": [0, 0.5, 0]}, "
    "\"integrator\": \"bdf2\", \"linear\": \"mgpcg\", \"material\": {\"young\": 1e5}}],\n"
    "\"attachments\": [{\"body\": \"t\", \"where\": {\"region\": \"bottom\"}, \"normal\": [1, 0, "
    "2]}, {\"body\": \"t\", \"where\": {\"region\": \"top\"}, \"hold\": [\"x\", \"y\"], "
    "\"stiffness\": 1e4}],\n\"colliders\": [{\"plane\": {}}], \"forces\": [{\"body\": \"t\", "
    "\"where\": {\"region\": \"inner\"}, \"pressure\": 8e3}]}";

// Rollers, pressure and reactions: no bit depends on threads, or on a state that was loaded.
TEST(reactions_do_not_depend_on_threads_or_on_a_resumed_state)
{
    pl_reaction reactions[2][2];
    double forces[2][3];
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        char text[1500];
        pl_error error;
        snprintf(text, sizeof text, loaded_tube, k ? 3 : 1);
        pl_world* world = sample_start(text);
        sample_step(world, 2, NULL);
        if (k) {
            size_t size = pl_world_state_size(world);
            void* state = malloc(size);
            CHECK(state != NULL);
            pl_world_state_save(world, state);
            pl_world_destroy(world);
            world = sample_start(text);
            CHECK_OK(pl_world_state_load(world, state, size, &error), &error);
            free(state);
        }
        sample_step(world, 2, NULL);
        for (int a = 0; a < 2; a++) reactions[k][a] = reaction_of(world, a);
        CHECK_OK(pl_world_collider_force(world, 0, forces[k], &error), &error);
        hashes[k] = sample_world_hash(world);
        pl_world_destroy(world);
    }
    CHECK(hashes[0] == hashes[1]);
    CHECK(memcmp(reactions[0], reactions[1], sizeof reactions[0]) == 0);
    CHECK(memcmp(forces[0], forces[1], sizeof forces[0]) == 0);
    CHECK(forces[0][1] > 0.0 && reactions[0][0].force[0] != 0.0 && reactions[0][1].force[1] != 0.0);
}

// The same of grid and pbd, that hang on two attachments and lie on the ground.
TEST(reactions_of_grid_and_pbd_do_not_depend_on_threads_or_on_a_resumed_state)
{
    pl_reaction reactions[2][4];
    double forces[2][3];
    for (int k = 0; k < 2; k++) {
        char text[1500];
        pl_error error;
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"time_step\": 0.02, \"threads\": %d, \"bodies\": [{\"name\": "
                 "\"g\", \"method\": \"grid\", \"integrator\": \"bdf2\", \"grid\": {\"cell\": "
                 "0.125}, \"generate\": {\"shape\": \"box\", \"edge\": 0.5}}, {\"name\": \"p\", "
                 "\"method\": \"pbd\", \"generate\": {\"shape\": \"box\", \"edge\": 0.25}}],\n"
                 "\"attachments\": [{\"body\": \"g\", \"where\": {\"side\": \"-x\"}}, {\"body\": "
                 "\"g\", \"where\": {\"side\": \"+x\"}, \"stiffness\": 1e5}, {\"body\": \"p\", "
                 "\"where\": {\"side\": \"-x\"}}, {\"body\": \"p\", \"where\": {\"side\": \"+x\"}, "
                 "\"stiffness\": 1e5}], \"colliders\": [{\"plane\": {}}]}",
                 k ? 3 : 1);
        pl_world* world = sample_start(text);
        sample_step(world, 2, NULL);
        if (k) {
            size_t size = pl_world_state_size(world);
            void* state = malloc(size);
            CHECK(state != NULL);
            pl_world_state_save(world, state);
            pl_world_destroy(world);
            world = sample_start(text);
            CHECK_OK(pl_world_state_load(world, state, size, &error), &error);
            free(state);
        }
        sample_step(world, 2, NULL);
        for (int a = 0; a < 4; a++) reactions[k][a] = reaction_of(world, a);
        CHECK_OK(pl_world_collider_force(world, 0, forces[k], &error), &error);
        pl_world_destroy(world);
    }
    CHECK(memcmp(reactions[0], reactions[1], sizeof reactions[0]) == 0);
    CHECK(memcmp(forces[0], forces[1], sizeof forces[0]) == 0);
    CHECK(forces[0][1] > 0.0);
    for (int a = 0; a < 4; a++) CHECK(reactions[0][a].force[1] != 0.0);
}

TEST(reactions_survive_lack_of_memory)
{
    char text[1500];
    snprintf(text, sizeof text, loaded_tube, 1);
    pl_scene* scene = sample_scene(text);
    int failures = 0;
    bool done = false;
    for (int64_t nth = 1; !done; nth += 1 + nth / 8) {
        pl_world* world;
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_world_create(scene, &world, NULL, &error);
        if (status == PL_OK) status = pl_world_step(world, NULL, &error);
        done = pl_inject_failure(0) < nth;
        pl_world_destroy(world);
        CHECK(status == (done ? PL_OK : PL_ERROR_MEMORY));
        failures += !done;
    }
    CHECK(failures > 20);
    pl_scene_destroy(scene);
}
