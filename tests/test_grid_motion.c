// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Lattices in motion and at rest, against mechanics: momentum, friction, contact, integrators.
#include "math/mat3.h"
#include "run_samples.h"
#include "surface_samples.h"
#include "test.h"
#include "verify.h"
#include "world/world_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the mean of the vertices of the first body
static pl_vec3 middle_of(const double* x, int count) {
    pl_vec3 sum = {0, 0, 0};
    for (int v = 0; v < count; v++) sum = pl_add(sum, pl_vec3_load(x + 3 * v));
    return pl_scale(1.0 / count, sum);
}

// A cube has the same inertia about all axes, so that it goes on spinning about any one as it is.
LONG_TEST(grid_free_cube_keeps_its_spin_and_its_way)
{
    static const char* const integrators[] = {"euler", "bdf2"};
    for (int k = 0; k < 2; k++) {
        const verify_spin_case c = {
            integrators[k], 4, 60, 100, 1e6, 1e-3}; // a turn takes 91 frames
        verify_spin r;
        pl_error error;
        CHECK_OK(verify_lattice_spin(&c, &r, &error), &error);
        CHECK(r.speed < 0.001);
        CHECK(r.turn < 1e-4);
        CHECK(r.drift < 1e-12);
        CHECK(r.momentum < 1e-13);
        CHECK(r.angular < 1e-8);
    }
}

// Two balls of one body, apart, that turn about the middle between them: two pieces, each with its
// own momentum, fly away straight.
TEST(grid_pieces_fly_apart)
{
    static const char text[] =
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.02, \"bodies\": [{\"name\":"
        " \"b\", \"mesh\": \"two.obj\", \"method\": \"grid\", \"angular_velocity\": [0, 0, 60],"
        " \"grid\": {\"cell\": 0.25}, \"material\": {\"law\": \"corotated\", \"young\": 1e5,"
        " \"poisson\": 0.3}}]}";
    FILE* file = fopen(pl_test_path("two.obj"), "w");
    CHECK(file != NULL);
    for (int n = 0; n < 16; n++)
        fprintf(file, "v %d %d %d\n", (n & 1) + (n & 8 ? 3 : 0), n >> 1 & 1, n >> 2 & 1);
    static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int n = 0; n < 12; n++) {
        const int *q = quads[n % 6], add = n < 6 ? 1 : 9;
        fprintf(file, "f %d %d %d\nf %d %d %d\n", q[0] + add, q[1] + add, q[2] + add, q[0] + add,
                q[2] + add, q[3] + add);
    }
    CHECK(fclose(file) == 0);
    pl_world* world = sample_start(text);
    const double* x = pl_world_positions(world, 0);
    const pl_vec3 first[2] = {middle_of(x, 8), middle_of(x + 24, 8)};
    sample_step(world, 50, NULL);
    const double w = acos(-1.0) / 3.0;
    for (int k = 0; k < 2; k++) {
        const pl_vec3 way = pl_sub(middle_of(x + 24 * k, 8), first[k]);
        CHECK_NEAR(way.x, 0.0, 1e-5);
        CHECK_NEAR(way.y, (k ? 1.5 : -1.5) * w, 1e-5);
    }
    pl_world_destroy(world);
}

// A force on a corner bends a box and sets it spinning: its momentum grows by the force times the
// step, its angular momentum by the torque at the start of the step. Both include what the host
// wrote.
TEST(grid_momentum_is_what_forces_on_vertices_give)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"b\", \"generate\": "
        "{\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.2, \"size_z\": 0.2, \"edge\": 0.1}, "
        "\"method\": \"grid\", \"integrator\": \"euler\", \"grid\": {\"cell\": 0.04}, "
        "\"material\": {\"law\": \"corotated\", \"young\": 2e4}}]}");
    const pl_world_system* system = &world->systems[0];
    const double h = 1.0 / 60.0, mass = 1000.0 * 0.4 * 0.2 * 0.2, force[3] = {30.0, -400.0, 200.0};
    double p[3] = {0}, L[3] = {0}, vertex_sum = 0.0;
    double *x = pl_world_positions(world, 0), *v = pl_world_velocities(world, 0);
    pl_error error;
    int corner = 0;
    for (int k = 0; k < pl_world_mesh(world, 0)->vertex_count; k++) {
        if (x[3 * k] + x[3 * k + 1] + x[3 * k + 2] > 0.79) corner = k;
        v[3 * k + 1] += 0.5;
    }
    CHECK_OK(pl_world_momentum(world, 0, p, NULL, &error), &error);
    CHECK_NEAR(p[1], 0.5 * mass, 1e-9 * mass);
    CHECK_OK(pl_world_momentum(world, 0, p, L, &error), &error);
    CHECK_NEAR(p[1], 0.5 * mass, 1e-9 * mass); // not taken over twice
    memcpy(pl_world_forces(world, 0) + 3 * corner, force, sizeof force);
    for (int frame = 0; frame < 4; frame++) {
        const pl_vec3 linear = pl_madd(pl_vec3_load(p), h, pl_vec3_load(force));
        const pl_vec3 torque = pl_cross(pl_vec3_load(x + 3 * corner), pl_vec3_load(force));
        const pl_vec3 angular = pl_madd(pl_vec3_load(L), h, torque);
        sample_step(world, 1, NULL);
        CHECK_OK(pl_world_momentum(world, -1, p, L, &error), &error);
        CHECK_NEAR(pl_distance(pl_vec3_load(p), linear), 0.0, 1e-10);
        CHECK_NEAR(pl_distance(pl_vec3_load(L), angular), 0.0, 1e-9);
    }
    for (int k = 0; k < pl_world_mesh(world, 0)->vertex_count; k++)
        vertex_sum += system->method->masses(system->data)[k] * v[3 * k + 1];
    CHECK(fabs(vertex_sum - p[1]) > 1e-4 * fabs(p[1])); // the vertices do not have it
    CHECK_INT(pl_world_momentum(world, 1, p, L, &error), PL_ERROR_ARGUMENT);
    pl_world_destroy(world);
}

// ------------------------------------------------------------------ friction and contact

LONG_TEST(grid_block_slides_as_far_as_friction_lets_it)
{
    verify_answer answer;
    pl_error error;
    int unconverged;
    CHECK_OK(verify_lattice_slide("bdf2", 60, &answer, &unconverged, &error), &error);
    CHECK(verify_relative_error(answer) < 0.03);
    CHECK_INT(unconverged, 0);
}

// The surface of a body at rest is on the ground: less than a tenth of a cell in it.
LONG_TEST(grid_body_rests_on_the_ground)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.02, \"bodies\": [{\"name\": \"b\", \"generate\":"
        " {\"shape\": \"box\", \"size_x\": 1, \"size_y\": 1, \"size_z\": 1, \"edge\": 0.5},"
        " \"method\": \"grid\", \"grid\": {\"cell\": 0.125}, \"material\": {\"young\": 1e5,"
        " \"poisson\": 0.4, \"density\": 1000}, \"damping\": {\"mass\": 5}, \"contact\":"
        " {\"thickness\": 0}}], \"colliders\": [{\"plane\": {}, \"thickness\": 0}]}");
    sample_step(world, 40, NULL);
    double lowest = INFINITY;
    for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++)
        lowest = fmin(lowest, pl_world_positions(world, 0)[3 * v + 1]);
    CHECK(lowest > -0.0125);
    CHECK(lowest < 0.0);
    pl_world_destroy(world);
}

// ------------------------------------------------------------------ integrators

// Where the middle of a bar is four times while it swings for 0.32 s from rest; gravity comes and
// goes smoothly, so that no fast vibrations are excited.
static void swing(const char* law, int steps, double out[4]) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"gravity\": [0, {\"value\": 0, \"amplitude\": 9.81, \"frequency\": 1}, "
        "0], \"time_step\": %.17g, \"bodies\": [{\"name\": \"b\", \"generate\":"
        " {\"shape\": \"bar\", \"size_x\": 0.8, \"size_y\": 0.2, \"size_z\": 0.2, \"edge\":"
        " 0.2}, \"method\": \"grid\", \"integrator\": \"bdf2\", \"grid\": {\"cell\": 0.1},"
        " \"material\": {\"law\": \"%s\", \"young\": 1e6, \"poisson\": 0.3, \"density\": 1000},"
        " \"linear_tolerance\": 1e-9, \"linear_iterations\": 200}], \"attachments\":"
        " [{\"body\": \"b\", \"where\": {\"side\": \"-x\"}}]}",
        0.32 / steps, law);
    pl_world* world = sample_start(text);
    for (int k = 0; k < 4; k++) {
        sample_step(world, steps / 4, NULL);
        out[k] = middle_of(pl_world_positions(world, 0), pl_world_mesh(world, 0)->vertex_count).y;
    }
    pl_world_destroy(world);
}

LONG_TEST(grid_bdf2_is_of_second_order)
{
    static const char* const laws[] = {"linear", "corotated"};
    for (int law = 0; law < 2; law++) {
        double y[3][4], changes[2] = {0.0};
        for (int n = 0; n < 3; n++) swing(laws[law], 32 << n, y[n]);
        for (int n = 0; n < 2; n++)
            for (int k = 0; k < 4; k++) changes[n] = fmax(changes[n], fabs(y[n + 1][k] - y[n][k]));
        const double order = log2(changes[0] / changes[1]);
        CHECK(order > 1.7 && order < 2.4);
    }
}

// ------------------------------------------------------------------ accuracy

// The reference of bars in a lattice: hexahedra with 27 nodes, which are 0.42 and 0.21 % too stiff
// with two cells across.
TEST(grid_bar_reference_is_that_of_three_dimensions)
{
    const verify_bar_case c = {0.8, 0.1, 1e6, 0.3, 1000.0, 9.81};
    const double beam_sag = 0.612521, beam_frequency = 0.790178; // see verify_lattice.c
    double sag, frequency;
    pl_error error;
    CHECK_OK(verify_bar(&c, 2, &sag, &frequency, &error), &error);
    CHECK_NEAR(sag / beam_sag, 0.9958 * verify_bar_sag, 1e-4);
    CHECK_NEAR(frequency / beam_frequency, 1.0021 * verify_bar_frequency, 1e-4);
}

LONG_TEST(grid_bar_sinks_as_theory_says)
{
    static const char* const laws[] = {"linear", "corotated"};
    static const double bounds[] = {0.1, 0.03};
    for (int law = 0; law < 2; law++)
        for (int k = 0; k < 2; k++) {
            verify_answer answer;
            pl_error error;
            int unconverged;
            CHECK_OK(verify_lattice_sag(laws[law], 4 << k, &answer, &unconverged, &error), &error);
            CHECK(verify_relative_error(answer) < bounds[k]);
            CHECK_INT(unconverged, 0);
        }
}

// ------------------------------------------------------------------ what is said

static pl_notes* notes_of(const char* text) {
    pl_notes* notes;
    pl_error error;
    CHECK(pl_notes_create(&notes) == PL_OK);
    pl_world* world = sample_try(text, notes, &error);
    CHECK(world != NULL);
    pl_world_destroy(world);
    return notes;
}

TEST(grid_linear_law_that_turns_far_is_told)
{
    for (int corotated = 0; corotated < 2; corotated++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.05, \"bodies\":"
                 " [{\"name\": \"b\", \"generate\": {\"shape\": \"bar\", \"size_x\": 0.8,"
                 " \"size_y\": 0.2, \"size_z\": 0.2, \"edge\": 0.2}, \"method\": \"grid\","
                 " \"integrator\": \"quasistatic\", \"grid\": {\"cell\": 0.05}, \"material\":"
                 " {\"law\": \"%s\"}}], \"attachments\": [{\"body\": \"b\", \"where\": {\"side\":"
                 " \"-x\"}}, {\"body\": \"b\", \"where\": {\"side\": \"+x\"}, \"motion\":"
                 " {\"keyframes\": [{\"time\": 0}, {\"time\": 0.1, \"rotate\": [60, 0, 0]}]}}]}",
                 corotated ? "corotated" : "linear");
        pl_world* world = sample_start(text);
        pl_frame_info info;
        sample_step(world, 2, &info);
        CHECK_INT(info.turned_count, !corotated);
        pl_world_destroy(world);
    }
}

TEST(grid_default_cell_is_by_number)
{
    pl_notes* notes = notes_of("{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"generate\":"
                               " {\"shape\": \"gummy_bear\", \"height\": 0.1, \"edge\": 0.01},"
                               " \"method\": \"grid\"}]}");
    const char* note = sample_find_note(notes, "a lattice of");
    int cells = 0;
    CHECK(note && sscanf(strstr(note, "of "), "of %d cells", &cells) == 1);
    CHECK(cells > 1000 && cells < 3000);
    pl_notes_destroy(notes);
}

LONG_TEST(grid_says_before_that_a_slender_body_hardly_converges)
{
    static const char scene[] =
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"p\", \"method\": \"grid\", \"integrator\":"
        " \"quasistatic\", \"material\": {\"law\": \"corotated\", \"young\": %s}, \"grid\":"
        " {\"cell\": 0.02}, \"generate\": {\"shape\": \"bar\", \"size_x\": 0.64, \"size_y\": 0.04,"
        " \"size_z\": 0.64, \"edge\": 0.04}}], \"attachments\": [{\"body\": \"p\", \"where\":"
        " {\"side\": \"-x\"}}]}";
    for (int stiff = 0; stiff < 2; stiff++) {
        char text[1000];
        snprintf(text, sizeof text, scene, stiff ? "1e9" : "1e6");
        pl_notes* notes = notes_of(text);
        CHECK((sample_find_note(notes, "hardly converges there in one frame") == NULL) == stiff);
        pl_notes_destroy(notes);
    }
}
