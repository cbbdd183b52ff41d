// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth under method pbd with the keys that it has by default (scenes/pbd_sheet.json): how long it
// gets while it swings from two corners and when it hangs still, and what a frame takes.
#include "base/array.h"
#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "math/vec3.h"

#include <math.h>
#include <pliant/world.h>
#include <stdio.h>
#include <stdlib.h>

enum { SWING = 60, STILL = 240, MOST_TIMES = SWING };

static bool fails(pl_status status, const pl_error* error) {
    if (status != PL_OK) fprintf(stderr, "pliant-bench s1-hang: %s\n", error->text);
    return status != PL_OK;
}

// the 99th percentile of length over rest length; lengths: room for the sides of all triangles
static double stretch(pl_world* world, double* lengths) {
    const pl_mesh* m = pl_world_mesh(world, 0);
    const double *x = pl_world_positions(world, 0), *rest = m->positions;
    int count = 3 * m->triangle_count;
    for (int k = 0; k < count; k++) {
        size_t p = 3 * (size_t)m->triangles[k];
        size_t q = 3 * (size_t)m->triangles[k % 3 == 2 ? k - 2 : k + 1];
        lengths[k] = pl_distance(pl_vec3_load(x + p), pl_vec3_load(x + q)) /
                     pl_distance(pl_vec3_load(rest + p), pl_vec3_load(rest + q));
    }
    qsort(lengths, (size_t)count, sizeof(double), pl_compare_doubles);
    return lengths[(size_t)count * 99 / 100];
}

// the largest stretch of some frames, and the median time of a frame
static bool run(pl_world* world, int frames, double* lengths, double* most, double* seconds) {
    double times[MOST_TIMES];
    *most = 1.0;
    for (int f = 0; f < frames; f++) {
        pl_error error;
        double start = pl_seconds();
        if (fails(pl_world_step(world, NULL, &error), &error)) return false;
        times[f] = pl_seconds() - start;
        *most = fmax(*most, stretch(world, lengths));
    }
    qsort(times, (size_t)frames, sizeof(double), pl_compare_doubles);
    *seconds = times[frames / 2];
    return true;
}

static pl_world* start(int side, const char* damping, const char* threads) {
    char columns[64], rows[64];
    snprintf(columns, sizeof columns, "bodies[0].generate.count_x=%d", side);
    snprintf(rows, sizeof rows, "bodies[0].generate.count_y=%d", side);
    const char* overrides[] = {columns, rows, damping, threads};
    pl_scene* scene = NULL;
    pl_world* world = NULL;
    pl_error error;
    if (fails(pl_scene_read(PL_BENCH_SOURCE_DIR "/scenes/pbd_sheet.json", overrides, 4, &scene,
                            NULL, &error),
              &error))
        return NULL;
    fails(pl_world_create(scene, &world, NULL, &error), &error);
    pl_scene_destroy(scene);
    return world;
}

static bool measure(bench* b, int side, const char* size) {
    static const char* const names[] = {"swing", "still", "one_thread"};
    static const char* const damping[] = {"bodies[0].damping.mass=0", "bodies[0].damping.mass=4",
                                          "bodies[0].damping.mass=0"};
    for (int k = 0; k < 3; k++) {
        pl_world* world = start(side, damping[k], k == 2 ? "threads=1" : "threads=0");
        if (!world) return false;
        size_t count = 3 * (size_t)pl_world_mesh(world, 0)->triangle_count;
        double* lengths = PL_ALLOC(double, count);
        double most = 0.0, seconds = 0.0;
        pl_error error;
        bool done = lengths;
        for (int f = 0; done && k == 1 && f < STILL; f++)
            done = !fails(pl_world_step(world, NULL, &error), &error);
        done = done && run(world, k == 0 ? SWING : 20, lengths, &most, &seconds);
        char name[64];
        if (done && k < 2) {
            snprintf(name, sizeof name, "stretch_%s_%s", names[k], size);
            bench_result(b, name, most, "", NAN);
        }
        if (done && k != 1) {
            snprintf(name, sizeof name, k == 0 ? "fps_%s" : "ms_one_thread_%s", size);
            bench_result(b, name, k == 0 ? 1.0 / seconds : 1e3 * seconds, k == 0 ? "1/s" : "ms",
                         NAN);
        }
        PL_FREE(lengths, double, count);
        pl_world_destroy(world);
        if (!done) return false;
    }
    return true;
}

bool bench_s1_hang(bench* b) {
    return measure(b, 33, "1k") && (bench_quick(b) || measure(b, 101, "10k")) &&
           (bench_quick(b) || measure(b, 201, "40k"));
}
