// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bars of every law with the key eigenfit fall as the fine ones do, and come to rest on a collider.
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static const char FIT[] = ", \"eigenfit\": {\"modes\": 4, \"edge\": 0.05}";

// How far the free end of a bar that is held at the other one is below its start, as a mean over
// time. body: its keys but for the mesh.
static double mean_drop(double edge, const char* body, const char* fit) {
    enum { FRAMES = 12 };
    char text[1024];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"time_step\": 0.02, \"threads\": 1, \"bodies\": [{\"name\": "
             "\"bar\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, "
             "\"size_z\": 0.1, \"edge\": %g}, %s%s}], \"attachments\": [{\"body\": \"bar\", "
             "\"where\": {\"side\": \"-x\"}}]}",
             edge, body, fit);
    pl_world* world = sample_start(text);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    double sum = 0.0;
    int count = 0;
    for (int k = 0; k < FRAMES; k++) {
        sample_step(world, 1, NULL);
        for (int v = 0; v < mesh->vertex_count; v++) {
            if (mesh->positions[3 * v] < 0.399) continue;
            sum += mesh->positions[3 * v + 1] - pl_world_positions(world, 0)[3 * v + 1];
            count++;
        }
    }
    pl_world_destroy(world);
    return sum / count;
}

static void check_fit(const char* law, const char* more) {
    char body[512];
    snprintf(body, sizeof body,
             "\"material\": {\"law\": \"%s\", \"young\": 1e5, \"poisson\": 0.3}, "
             "\"tolerance\": 1e-6%s",
             law, more);
    double fine = mean_drop(0.05, body, ""), coarse = mean_drop(0.1, body, ""),
           fitted = mean_drop(0.1, body, FIT);
    CHECK(fine - coarse > 1e-3);
    // one cell across: shapes differ too, not only frequencies
    CHECK(fabs(fitted - fine) < 0.35 * (fine - coarse));
}

TEST(eigenfit_of_arap_and_stvk)
{
    check_fit("arap", "");
    check_fit("stvk", "");
}

TEST(eigenfit_of_neohookean_laws_with_damping)
{
    check_fit("neohookean", "");
    check_fit("stable_neohookean",
              ", \"integrator\": \"midpoint\", \"damping\": {\"mass\": 0.5, \"stiffness\": 0.002}");
}

// Four times as stiff where it is held as at its end.
TEST(eigenfit_of_several_stiffnesses)
{
    check_fit("corotated",
              ", \"vary\": [{\"parameter\": \"young\", \"gradient\": {\"from\": 2e5, \"to\": 5e4, "
              "\"direction\": [1, 0, 0], \"spacing\": \"logarithmic\"}}]");
}

// The correction does not push a body through what it lies on.
TEST(eigenfit_of_a_body_that_lands_on_a_plane)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.02, \"threads\": 1, \"bodies\": [{\"name\": \"bar\", "
        "\"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, "
        "\"edge\": 0.1}, \"transform\": {\"translate\": [0, 0.05, 0]}, \"material\": {\"law\": "
        "\"corotated\", "
        "\"young\": 1e5}, \"eigenfit\": {\"modes\": 4, \"edge\": 0.05}}], \"colliders\": "
        "[{\"name\": \"floor\", \"plane\": {\"normal\": [0, 1, 0]}}]}");
    pl_frame_info info;
    sample_step(world, 25, &info);
    CHECK(info.contact_count > 0);
    for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++)
        CHECK(pl_world_positions(world, 0)[3 * v + 1] > -2e-3);
    pl_world_destroy(world);
}
