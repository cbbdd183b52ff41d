// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Fig. 7: how memory of the multigrid and time of a frame grow with the tets of the armadillos.
// Memory: all that the multigrid holds, which is U, coarse matrices and the factor, and besides
// them its own finest matrix in float. Time: one thread, the shortest of some frames, the sizes in
// turn, so that what else the machine does hits all alike. Slopes are those of straight lines
// through the logarithms.
//
// Set-up: from a scene with a generated box to the moment before its first frame, with one thread
// and with two, in turn; the shortest of each. Above 1.6 says that less than a quarter of it is
// left to one thread.
#include "base/timer.h"
#include "multigrid/scalar_multigrid.h"
#include "s0_example.h"

#include <math.h>
#include <pliant/world.h>
#include <stdio.h>

enum { ARMADILLOS = 6, FRAMES = 15, QUICK_FRAMES = 3 };

typedef struct sample {
    double tets, bytes, seconds;
} sample;

static double memory_of(s0_example* e, const s0_row* row) {
    pl_block_matrix A;
    pl_scalar_mg* mg = NULL;
    double bytes = NAN;
    if (pl_block_matrix_setup(&A, e->vertex_count, 1, e->neighbour_offsets, e->neighbours,
                              &e->error) != PL_OK)
        return NAN;
    pl_scalar_mg_options options = {
        .hierarchy = {.counts = row->levels, .count_count = row->level_count},
        .half_sweeps = 2 * row->sweeps};
    size_t before = pl_byte_count();
    if (pl_scalar_mg_setup(&A, e->rest, &options, e->pool, &mg, &e->error) == PL_OK)
        bytes = (double)(pl_byte_count() - before);
    pl_scalar_mg_destroy(mg);
    pl_block_matrix_free(&A);
    return bytes;
}

// the shortest frame of each size, taken in turn
static bool time_frames(s0_example* examples, sample* samples, int count, int frames) {
    pl_method_info info;
    for (int round = 0; round <= frames; round++)
        for (int k = 0; k < count; k++) {
            double start = pl_seconds();
            if (!s0_example_step(&examples[k], &info)) return false;
            if (round > 0) samples[k].seconds = fmin(samples[k].seconds, pl_seconds() - start);
        }
    return true;
}

static double slope(const sample* s, int count, bool of_time) {
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int k = 0; k < count; k++) {
        double a = log(s[k].tets), b = log(of_time ? s[k].seconds : s[k].bytes);
        x += a, y += b, xx += a * a, xy += a * b;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

static pl_status make_box_scene(double edge, pl_nonlinear nonlinear, pl_scene** out,
                                pl_error* error) {
    pl_body body = pl_default_body();
    body.name = "box";
    body.shape = PL_SHAPE_GENERATE;
    body.nonlinear = nonlinear;
    body.linear = PL_LINEAR_MULTIGRID;
    body.material.law = PL_LAW_COROTATED;
    pl_shape_value value = {.key = "edge", .number = edge};
    body.generate = (pl_shape_maker){"box", 1, &value};
    pl_status status = pl_scene_create(out, error);
    if (status == PL_OK) status = pl_scene_add_body(*out, &body, error);
    return status == PL_OK ? pl_scene_resolve(*out, error) : status;
}

// seconds to make a world, or NAN
static double time_setup(pl_scene* scene, int threads, int* vertex_count, pl_error* error) {
    pl_world* world;
    scene->threads = threads;
    double start = pl_seconds();
    if (pl_world_create(scene, &world, NULL, error) != PL_OK) return NAN;
    double seconds = pl_seconds() - start;
    *vertex_count = pl_world_mesh(world, 0)->vertex_count;
    pl_world_destroy(world);
    return seconds;
}

static bool measure_setup(bench* b, const char* name, pl_nonlinear nonlinear) {
    enum { ROUNDS = 7, QUICK_ROUNDS = 2 };
    pl_scene* scene = NULL;
    pl_error error = {0};
    double least[2] = {INFINITY, INFINITY};
    int vertex_count = 0;
    bool ok =
        make_box_scene(bench_quick(b) ? 1.0 / 20 : 1.0 / 58, nonlinear, &scene, &error) == PL_OK;
    for (int round = 0; ok && round < (bench_quick(b) ? QUICK_ROUNDS : ROUNDS); round++)
        for (int k = 0; ok && k < 2; k++) {
            double seconds = time_setup(scene, k + 1, &vertex_count, &error);
            ok = !isnan(seconds);
            least[k] = fmin(least[k], seconds);
        }
    pl_scene_destroy(scene);
    if (!ok) {
        fprintf(stderr, "pliant-bench s0-scaling: %s\n", error.text);
        return false;
    }
    char text[64];
    printf("  set-up of %d vertices, %s: %.3f s with one thread, %.3f s with two\n", vertex_count,
           name, least[0], least[1]);
    snprintf(text, sizeof text, "setup_seconds_%s", name);
    bench_result(b, text, least[0], "s", NAN);
    snprintf(text, sizeof text, "setup_2_vs_1%s",
             nonlinear == PL_NONLINEAR_NEWTON ? "_newton" : "");
    bench_result(b, text, least[0] / least[1], "", NAN);
    return true;
}

bool bench_s0_scaling(bench* b) {
    pl_pool* pool;
    pl_error error;
    if (pl_pool_create(1, &pool, &error) != PL_OK) {
        fprintf(stderr, "pliant-bench s0-scaling: %s\n", error.text);
        return false;
    }
    sample samples[ARMADILLOS];
    s0_example examples[ARMADILLOS];
    int count = 0;
    bool ok = true;
    for (int k = 0; ok && k < (bench_quick(b) ? 4 : ARMADILLOS); k++) {
        s0_example* e = &examples[count];
        pl_step_settings settings = s0_row_settings(&s0_rows[k]);
        ok = s0_example_create(b, e, &s0_rows[k], &settings, pool);
        if (!ok) break;
        samples[count++] = (sample){e->element_count, memory_of(e, &s0_rows[k]), INFINITY};
        ok = !isnan(samples[count - 1].bytes);
    }
    ok = ok && time_frames(examples, samples, count, bench_quick(b) ? QUICK_FRAMES : FRAMES);
    for (int k = 0; k < count; k++) {
        printf("  %7d vertices, %7d tets: %8.2f MB, %7.2f ms a frame\n", examples[k].vertex_count,
               examples[k].element_count, 1e-6 * samples[k].bytes, 1e3 * samples[k].seconds);
        s0_example_free(&examples[k]);
    }
    if (ok && count > 1) {
        bench_result(b, "slope_memory", slope(samples, count, false), "", 1.012);
        bench_result(b, "slope_time", slope(samples, count, true), "", 0.365);
    }
    pl_pool_destroy(pool);
    ok = ok && measure_setup(b, "projective", PL_NONLINEAR_PROJECTIVE);
    return ok && measure_setup(b, "newton", PL_NONLINEAR_NEWTON);
}
