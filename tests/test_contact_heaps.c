// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Small random heaps: bodies of random shapes, places, turns and speeds fall on one another. They
// never cross, whatever their methods, and nothing is lost.
#include "base/random.h"
#include "contact_samples.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double pick(pl_random* random, double low, double high) {
    return pl_random_uniform(random, low, high);
}

// one body, in a cell of a grid that is as wide as its largest diagonal
static void add_body(pl_random* random, int k, const char* method, char* text, size_t size) {
    static const char* const shapes[] = {
        "\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.08, \"size_z\": 0.1, \"edge\": 0.1",
        "\"shape\": \"sphere\", \"radius\": 0.05, \"edge\": 0.05"};
    const size_t used = strlen(text);
    const double x = pick(random, -0.02, 0.02), z = pick(random, -0.02, 0.02);
    const double turns[3] = {pick(random, -90, 90), pick(random, -90, 90), pick(random, -90, 90)};
    snprintf(text + used, size - used,
             "%s{\"generate\": {%s}, \"method\": \"%s\", \"material\": {\"density\": %.0f}, "
             "\"velocity\": [%.3f, %.3f, 0], \"transform\": {\"rotate\": [%.1f, %.1f, %.1f], "
             "\"translate\": [%.4f, %.4f, %.4f]}}",
             k ? ", " : "", shapes[pl_random_int(random, 2)], method, pick(random, 300, 2000),
             pick(random, -0.5, 0.5), pick(random, -2.5, -1.0), turns[0], turns[1], turns[2], x,
             0.15 + 0.2 * k, z);
}

static void check_finite(pl_world* world, int body) {
    const double* x = pl_world_positions(world, body);
    for (int i = 0; i < 3 * pl_world_mesh(world, body)->vertex_count; i++) CHECK(isfinite(x[i]));
    const pl_vec3 middle = contact_middle(world, body);
    CHECK(middle.y > -0.05 && pl_norm(middle) < 2.0);
}

static void check_heap(uint64_t seed, const char* const* methods, int count, int frames) {
    char text[4096] = "{\"pliant\": 1, \"threads\": 1, \"colliders\": [{\"plane\": {}}], "
                      "\"bodies\": [";
    pl_random random = {seed};
    for (int k = 0; k < count; k++) add_body(&random, k, methods[k], text, sizeof text);
    strcat(text, "]}");
    pl_world* world = sample_start(text);
    int contacts = 0;
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK(isfinite(info.kinetic_energy + info.elastic_energy + info.contact_energy));
        CHECK_INT(pl_world_crossings(world), 0);
    }
    CHECK(contacts > 0);
    for (int b = 0; b < count; b++) check_finite(world, b);
    pl_world_destroy(world);
}

TEST(contact_heaps_of_fem_never_cross)
{
    const char* const methods[] = {"fem", "fem", "fem"};
    for (uint64_t seed = 1; seed <= 3; seed++) check_heap(seed, methods, 3, 12);
}

TEST(contact_heaps_of_all_methods_never_cross)
{
    const char* const methods[] = {"fem", "pbd", "rigid", "mixed", "rigid", "pbd"};
    for (uint64_t seed = 11; seed <= 12; seed++) check_heap(seed, methods, 6, 10);
    const char* const grids[] = {"rigid", "grid", "fem"};
    check_heap(13, grids, 3, 8);
}
