// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Steps of the general lattice in the world: what cycles that keep pressures and recombine, and
// those that go downhill in their place, come to.
#include "run_samples.h"
#include "test.h"

#include <stdio.h>

// a bar of 16 x 4 x 4 cells between two held ends, of which one is moved within a time
static pl_world* start_bar(const char* nu, double seconds, const char* motion) {
    char text[2000];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"time_step\": 0.1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\":"
             " \"bar\", \"generate\": {\"shape\": \"bar\", \"size_x\": 1, \"size_y\": 0.25,"
             " \"size_z\": 0.25, \"edge\": 0.125}, \"method\": \"grid\", \"integrator\":"
             " \"quasistatic\", \"grid\": {\"cell\": 0.0625}, \"material\": {\"law\":"
             " \"corotated\", \"young\": 1e5, \"poisson\": %s}, \"linear_tolerance\": 1e-4,"
             " \"linear_iterations\": 100}], \"attachments\": [{\"body\": \"bar\", \"where\":"
             " {\"side\": \"-x\"}}, {\"body\": \"bar\", \"where\": {\"side\": \"+x\"}, \"motion\":"
             " {\"keyframes\": [{\"time\": 0}, {\"time\": %g, %s}]}}]}",
             nu, seconds, motion);
    return sample_start(text);
}

// the elastic energy once the end has arrived; how many cycles all steps took
static double energy_after(const char* nu, int steps, const char* motion, int* cycles) {
    pl_world* world = start_bar(nu, 0.1 * steps, motion);
    pl_frame_info info;
    *cycles = 0;
    for (int k = 0; k < steps; k++) {
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        *cycles += info.linear_iterations;
    }
    pl_world_destroy(world);
    return info.elastic_energy;
}

TEST(grid_corot_large_steps_end_where_small_ones_do)
{
    static const char* const motions[] = {
        "\"translate\": [0.2, 0, 0]", // pulled by three cells
        // pushed, and to the side; at 0.2 it buckles, by Euler's formula too
        "\"translate\": [-0.17, 0.15, 0]",
        "\"translate\": [0.1, 0.2, 0], \"rotate\": [60, 0, 20]" // wrung
    };
    for (int m = 0; m < 3; m++) {
        int at_once, slowly;
        const char* nu = m == 1 ? "0.3" : "0.475";
        double energy = energy_after(nu, 1, motions[m], &at_once);
        CHECK_NEAR(energy / energy_after(nu, 4, motions[m], &slowly), 1.0, 1e-3);
        CHECK(at_once <= 20);
    }
}
