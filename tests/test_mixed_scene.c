// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method mixed with what scenes can ask for beside bodies: wind, friction, materials that change
// with time.
#include "base/memory.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>

// A bar that slides and is blown sideways while it turns from a soft compressible one into a stiff
// incompressible one.
static const char windy[] =
    "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"bar\", \"method\": \"mixed\",\n"
    "  \"generate\": {\"shape\": \"bar\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1,\n"
    "  \"edge\": 0.05}, \"transform\": {\"translate\": [0, 0.01, 0]}, \"velocity\": [1, 0, 0],\n"
    "  \"material\": {\"young\": {\"keyframes\": [[0, 2e4], [0.2, 4e4]]}, \"poisson\":\n"
    "  {\"keyframes\": [[0, 0.3], [0.2, 0.5]]}}}],\n"
    " \"colliders\": [{\"plane\": {}, \"friction\": 0.5}],\n"
    " \"wind\": [{\"velocity\": [0, 0, 12]}]}";

static double mean_velocity(pl_world* world, int axis) {
    const double* v = pl_world_velocities(world, 0);
    const int n = pl_world_mesh(world, 0)->vertex_count;
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += v[3 * i + axis];
    return sum / n;
}

// frames, each of which must converge
static void converge(pl_world* world, int frames) {
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        CHECK_INT(info.switch_count, 0);
    }
}

TEST(mixed_bears_wind_friction_and_materials_that_change)
{
    static const char* const integrators[] = {
        "bodies[0].integrator=euler", "bodies[0].integrator=bdf2", "bodies[0].integrator=midpoint"};
    for (int k = 0; k < 3; k++) {
        pl_world* world = pbd_world(windy, &integrators[k], 1);
        converge(world, 10);
        CHECK(mean_velocity(world, 2) > 0.01); // wind pushes while it slides
        converge(world, 20);
        CHECK(fabs(mean_velocity(world, 0)) < 0.1); // friction has stopped it
        pl_world_destroy(world);
    }
}

// In the middle of the change, at other numbers of threads.
TEST(mixed_goes_on_in_wind_to_the_same_bits)
{
    static const char* const threads[] = {"threads=3"};
    pl_error error;
    pl_world* world = pbd_world(windy, NULL, 0);
    converge(world, 6);
    const size_t size = pl_world_state_size(world);
    void* state = pl_alloc(size);
    pl_world_state_save(world, state);
    converge(world, 8);
    const uint64_t hash = sample_world_hash(world);
    pl_world_destroy(world);
    world = pbd_world(windy, threads, 1);
    CHECK_OK(pl_world_state_load(world, state, size, &error), &error);
    converge(world, 8);
    CHECK(sample_world_hash(world) == hash);
    pl_world_destroy(world);
    pl_free(state, size);
}
