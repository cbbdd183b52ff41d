// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pieces of one system are judged one by one, each has its own step length, and "converged" means
// it.
#include "base/memory.h"
#include "fem_samples.h"
#include "run_samples.h"
#include "step/step_pieces.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAVY                                                                                      \
    "{\"name\": \"heavy\", \"generate\": {\"shape\": \"box\", \"size_x\": 4, \"size_y\": 4,\n"     \
    "  \"size_z\": 4, \"edge\": 2}, \"material\": {\"law\": \"corotated\", \"density\": 8e5,\n"    \
    "  \"young\": 1e8}, \"nonlinear\": \"%s\", \"tolerance\": %s, \"iterations\": %d},\n"
#define LIGHT                                                                                      \
    "{\"name\": \"light\", \"generate\": {\"shape\": \"bar\", \"size_x\": 0.4, \"size_y\": "       \
    "0.05,\n"                                                                                      \
    "  \"size_z\": 0.05, \"edge\": 0.05}, \"transform\": {\"translate\": [6, 0, 0]},\n"            \
    "  \"material\": {\"law\": \"corotated\", \"density\": 100, \"young\": 1e6},\n"                \
    "  \"nonlinear\": \"%s\", \"tolerance\": %s, \"iterations\": %d}],\n"                          \
    "  \"attachments\": [{\"body\": \"light\", \"where\": {\"side\": \"-x\"}}"

// The lowest vertex of the light body after some frames [m]; frames that did not converge.
static double lowest(pl_world* world, int frames, int* unconverged) {
    int body = pl_world_find_body(world, "light");
    double low = HUGE_VAL;
    *unconverged = 0;
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        *unconverged += info.unconverged_count;
    }
    for (int v = 0; v < pl_world_mesh(world, body)->vertex_count; v++)
        low = fmin(low, pl_world_positions(world, body)[3 * (size_t)v + 1]);
    pl_world_destroy(world);
    return low + 0.025;
}

// How far the light body hangs beside the heavy one, over how far it does alone.
static double compare_light(const char* nonlinear, const char* tolerance, int iterations,
                            int* unconverged) {
    char text[2048];
    int alone_unconverged;
    snprintf(text, sizeof text, "{\"pliant\": 1, \"bodies\": [" LIGHT "]}", nonlinear, tolerance,
             iterations);
    double alone = lowest(sample_start(text), 6, &alone_unconverged);
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [" HEAVY LIGHT
             ", {\"body\": \"heavy\", \"where\": {\"side\": \"-y\"}}]}",
             nonlinear, tolerance, iterations, nonlinear, tolerance, iterations);
    return lowest(sample_start(text), 6, unconverged) / alone;
}

TEST(fem_light_body_beside_a_heavy_one_is_solved)
{
    int unconverged;
    double ratio = compare_light("newton", "1e-4", 20, &unconverged);
    CHECK_NEAR(ratio, 1.0, 1e-3);
    CHECK_INT(unconverged, 0);
    ratio = compare_light("projective", "1e-2", 200, &unconverged);
    CHECK(unconverged > 0 || fabs(ratio - 1.0) < 0.05);
}

// `side`^3 tets of 2 cm that nothing joins, as a file of the test's folder
static void write_debris(const char* path, int side) {
    size_t capacity = (size_t)(side * side * side) * 400 + 200;
    char* text = PL_ALLOC(char, capacity);
    CHECK(text != NULL);
    int count = side * side * side;
    size_t at = (size_t)snprintf(text, capacity,
                                 "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", 4 * count);
    for (int i = 0; i < 4 * count; i++) {
        int cell = i / 4, corner = i % 4;
        at += (size_t)snprintf(text + at, capacity - at, "%g %g %g 0\n",
                               0.05 * (cell % side) + (corner == 1 ? 0.02 : 0.0),
                               0.05 * (cell / side % side) + 0.1 + (corner == 2 ? 0.02 : 0.0),
                               0.05 * (cell / side / side) + (corner == 3 ? 0.02 : 0.0));
    }
    at += (size_t)snprintf(text + at, capacity - at, "Tetrahedra\n%d\n", count);
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, capacity - at, "%d %d %d %d 0\n", 4 * i + 1, 4 * i + 2,
                               4 * i + 3, 4 * i + 4);
    at += (size_t)snprintf(text + at, capacity - at, "End\n");
    pl_test_write_file(path, text, at);
    PL_FREE(text, char, capacity);
}

TEST(fem_debris_converges_piece_by_piece)
{
    write_debris(pl_test_path("debris.mesh"), 5);
    pl_world* world =
        sample_start("{\"pliant\": 1, \"bodies\": [{\"name\": \"debris\",\n"
                     "  \"mesh\": \"debris.mesh\"}], \"colliders\": [{\"plane\": {}}]}");
    int unconverged = 0, iterations = 0;
    for (int k = 0; k < 18; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        unconverged += info.unconverged_count;
        iterations += info.iterations;
    }
    CHECK_INT(unconverged, 0);
    CHECK(iterations < 70);
    pl_world_destroy(world);
}

// one step of debris has the same bits on one thread and on three
TEST(fem_debris_moves_alike_on_any_threads)
{
    uint64_t hashes[2];
    write_debris(pl_test_path("debris.mesh"), 4);
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"threads\": %d, \"bodies\": [{\"name\": \"debris\",\n"
                 "  \"mesh\": \"debris.mesh\"}], \"colliders\": [{\"plane\": {}}]}",
                 k == 0 ? 1 : 3);
        pl_world* world = sample_start(text);
        sample_step(world, 8, NULL);
        hashes[k] = sample_world_hash(world);
        pl_world_destroy(world);
    }
    CHECK(hashes[0] == hashes[1]);
}

// vertices 0, 2, 4 are one piece, 1 and 3 another, 5 is alone
TEST(fem_pieces_are_those_of_the_graph)
{
    static const int offsets[] = {0, 1, 2, 4, 5, 6, 6}, neighbours[] = {2, 3, 0, 4, 1, 2};
    const double rest[18] = {0, 0, 0, 5, 0, 0, 3, 0, 0, 5, 1, 0, 0, 4, 0, 9, 9, 9};
    const double a[18] = {1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0};
    pl_step_pieces pieces;
    pl_error error;
    for (int64_t n = 1; n < 50; n++) {
        pl_inject_failure(n);
        pl_status status =
            pl_step_pieces_setup(&pieces, rest, 6, offsets, neighbours, NULL, 0, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    CHECK_INT(pieces.count, 3);
    static const int expected[] = {0, 1, 0, 1, 0, 2};
    for (int v = 0; v < 6; v++) CHECK_INT(pieces.piece_of[v], expected[v]);
    CHECK_NEAR(pieces.size[0], 5.0, 1e-12);
    double sums[3] = {-1, -1, -1};
    pl_pieces_dot(&pieces, NULL, NULL, a, a, sums);
    CHECK_NEAR(sums[0], 35.0, 1e-12);
    CHECK_NEAR(sums[1], 20.0, 1e-12);
    CHECK_NEAR(sums[2], 36.0, 1e-12);
    const bool chosen[3] = {false, true, false};
    sums[0] = -1.0;
    pl_pieces_dot(&pieces, chosen, NULL, a, a, sums);
    CHECK_NEAR(sums[0], -1.0, 0.0);
    CHECK_NEAR(sums[1], 20.0, 1e-12);
    pl_step_pieces_free(&pieces);
}

// a bar that hangs by its left side under a load that is light or far beyond what one solve can
// tell
TEST(fem_linearised_step_that_left_the_forces_is_not_converged)
{
    for (int k = 0; k < 2; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = PL_INTEGRATOR_QUASISTATIC;
        settings.nonlinear = PL_NONLINEAR_LINEARISED;
        fem_sample s = fem_sample_create(fem_box(1, 0.2, 0.2, 5, 1, 1), PL_MATERIAL_STVK, 1e5, 0.3,
                                         1000, &settings, NULL);
        pl_pin pins[24];
        int pin_count = verify_pin_left(s.mesh, 1e-9, pins);
        pl_method_info info = fem_sample_step(&s, 1.0, k == 0 ? 0.01 : 1000.0, pins, pin_count);
        CHECK(info.converged == (k == 0));
        if (k == 1) CHECK(info.residual > 1.0);
        fem_sample_free(&s);
    }
}

// Neo-Hookean tets that pins turn inside out have an infinite energy and no forces.
TEST(fem_infinite_energy_is_never_converged)
{
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    fem_sample s = fem_sample_create(fem_box(2, 1, 1, 4, 2, 2), PL_MATERIAL_NEOHOOKEAN, 1e5, 0.35,
                                     1000, &settings, NULL);
    pl_pin pins[45];
    int pin_count = verify_pin_left(s.mesh, 3.0, pins), kept = 0;
    for (int k = 0; k < pin_count; k++) {
        double x = pins[k].from.x;
        if (x > 1e-9 && x < 2.0 - 1e-9) continue;
        pins[kept] = pins[k];
        if (x > 1.0) pins[kept].target.x -= 30.0;
        kept++;
    }
    pl_method_info info;
    pl_error error;
    pl_status status = verify_body_step(&s, 1.0, 0.0, pins, kept, &info, &error);
    CHECK(status == PL_ERROR_DIVERGED || !info.converged);
    if (status == PL_ERROR_DIVERGED) CHECK(strstr(error.text, "inverted") != NULL);
    fem_sample_free(&s);
}

// A slender and stiff bar: its tip's deflection, and whether that counts as converged.
static double far_tip(double offset, bool* converged) {
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    pl_mesh* mesh = fem_box(1, 0.01, 0.01, 40, 1, 1);
    for (int v = 0; v < mesh->vertex_count; v++) mesh->positions[3 * (size_t)v + 1] += offset;
    fem_sample s = fem_sample_create(mesh, PL_MATERIAL_COROTATED, 1e11, 0.3, 1000, &settings, NULL);
    pl_pin pins[4];
    int pin_count = verify_pin_left(s.mesh, 1e-9, pins);
    pl_method_info info = fem_sample_step(&s, 1.0, 9.81, pins, pin_count);
    double low = HUGE_VAL;
    for (int v = 0; v < s.mesh->vertex_count; v++)
        low = fmin(low, pl_step_positions(s.system)[3 * (size_t)v + 1]);
    *converged = info.converged;
    fem_sample_free(&s);
    return low - offset;
}

// Rounded to 0.1 nm, positions still tell how the bar bends, and forces are round-off. Rounded to 2
// um, they do not.
TEST(fem_round_off_that_bends_a_bar_is_not_converged)
{
    bool converged;
    double near = far_tip(0.0, &converged);
    CHECK(converged);
    CHECK_NEAR(far_tip(1e6, &converged), near, 1e-3 * fabs(near));
    CHECK(converged);
    far_tip(1e10, &converged);
    CHECK(!converged);
}
