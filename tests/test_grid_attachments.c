// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Attachments of bodies of method grid.
#include "run_samples.h"
#include "test.h"

#include <stdlib.h>

enum { ATTACHMENTS = 300, ROOM = 1 << 17 };

// A long bar of 1200 x 2 x 2 cells. Each attachment holds two cells along it, the next two are
// free; even ones turn one way, odd ones the other.
static pl_world* many_attachments(void) {
    char* text = malloc(ROOM);
    CHECK(text != NULL);
    int at = snprintf(text, ROOM,
                      "{\"pliant\": 1, \"time_step\": 0.01, \"gravity\": [0, 0, 0], \"bodies\":"
                      " [{\"name\": \"b\", \"generate\": {\"shape\": \"bar\", \"size_x\": 120,"
                      " \"size_y\": 0.2, \"size_z\": 0.2, \"count_x\": 1200, \"count_y\": 1,"
                      " \"count_z\": 1, \"pattern\": \"kuhn\"}, \"method\": \"grid\", "
                      "\"integrator\": \"euler\", \"grid\":"
                      " {\"cell\": 0.1}, \"linear_iterations\": 5}], \"attachments\": [");
    for (int k = 0; k < ATTACHMENTS; k++)
        at += snprintf(text + at, (size_t)(ROOM - at),
                       "%s{\"body\": \"b\", \"where\": {\"box\": {\"min\": [%g, -1, -1], \"max\":"
                       " [%g, 1, 1]}}, \"motion\": {\"interpolation\": \"linear\", \"keyframes\":"
                       " [{\"time\": 0}, {\"time\": 0.01, \"rotate\": [%d, 0, 0]}]}}",
                       k ? ", " : "", 0.4 * k - 0.05, 0.4 * k + 0.25, k % 2 ? 30 : -30);
    snprintf(text + at, (size_t)(ROOM - at), "]}");
    pl_world* world = sample_start(text);
    free(text);
    return world;
}

// by how much the vertices near x turn about the bar's axis
static double turn_at(pl_world* world, double x) {
    const double *rest = pl_world_mesh(world, 0)->positions, *now = pl_world_positions(world, 0);
    double sum = 0.0, middle[3] = {0};
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++) {
            const double *a = rest + 3 * (size_t)v, *b = now + 3 * (size_t)v;
            if (fabs(a[0] - x) > 0.05) continue;
            if (pass == 0) middle[1] += a[1], middle[2] += a[2], count++;
            else {
                double y = a[1] - middle[1] / count, z = a[2] - middle[2] / count;
                sum += y * (b[2] - a[2]) - z * (b[1] - a[1]);
            }
        }
    return sum / count;
}

LONG_TEST(grid_attachments_beyond_254_have_motions_of_their_own)
{
    pl_world* world = many_attachments();
    sample_step(world, 1, NULL);
    // the middle of the held cells turns as a whole: r^2 sin 30 for corners at r^2 = 0.02
    for (int k = 0; k < ATTACHMENTS; k++)
        CHECK_NEAR(turn_at(world, 0.4 * k + 0.1), k % 2 ? 0.01 : -0.01, 1e-6);
    pl_world_destroy(world);
}

// Two tips say nothing of turns about the line between them.
TEST(grid_body_hung_by_its_ears_stays_at_rest_without_loads)
{
    pl_world* world = sample_start("{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\":"
                                   " \"bear\", \"generate\": {\"shape\": \"gummy_bear\"},"
                                   " \"method\": \"grid\"}], \"attachments\": [{\"body\": \"bear\","
                                   " \"where\": {\"side\": \"+y\"}}]}");
    sample_step(world, 2, NULL);
    const double *rest = pl_world_mesh(world, 0)->positions, *now = pl_world_positions(world, 0);
    for (int i = 0; i < 3 * pl_world_mesh(world, 0)->vertex_count; i++)
        CHECK_NEAR(now[i], rest[i], 1e-9);
    pl_world_destroy(world);
}
