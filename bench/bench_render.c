// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pictures per second: a wavy ball of 100k triangles at 1080p, all shadows, 4 samples per pixel.
#include "base/memory.h"
#include "base/pool.h"
#include "bench.h"
#include "record/png_write.h"
#include "record/render.h"

#include <math.h>
#include <stdio.h>

enum { RINGS = 160, PARTS = 320 };

typedef struct render_job {
    float* positions;
    int* triangles;
    int vertex_count, triangle_count;
    pl_render_options options;
    pl_pool* pool;
    pl_image image;
    pl_status status;
} render_job;

static void make_ball(render_job* job) {
    for (int i = 0; i <= RINGS; i++)
        for (int j = 0; j < PARTS; j++) {
            double a = PL_PI * i / RINGS, b = 2.0 * PL_PI * j / PARTS;
            double r = 1.0 + 0.1 * sin(9.0 * a) * sin(7.0 * b);
            float* p = job->positions + 3 * job->vertex_count++;
            p[0] = (float)(r * sin(a) * cos(b));
            p[1] = (float)(r * cos(a));
            p[2] = (float)(-r * sin(a) * sin(b));
        }
    for (int i = 0; i < RINGS; i++)
        for (int j = 0; j < PARTS; j++) {
            int v = i * PARTS + j, right = i * PARTS + (j + 1) % PARTS;
            int corners[6] = {v, v + PARTS, right, right, v + PARTS, right + PARTS};
            for (int k = 0; k < 6; k++) job->triangles[3 * job->triangle_count + k] = corners[k];
            job->triangle_count += 2;
        }
}

static void run_render(void* user) {
    render_job* job = user;
    pl_render_body body = {.vertex_count = job->vertex_count,
                           .positions = job->positions,
                           .triangle_count = job->triangle_count,
                           .triangles = job->triangles};
    pl_render_scene scene = {.body_count = 1, .bodies = &body};
    job->status = pl_render_draw(&scene, &job->options, job->pool, &job->image, NULL);
}

static void run_png(void* user) {
    render_job* job = user;
    pl_array bytes = pl_array_of(1);
    job->status = pl_image_encode_png(&job->image, job->pool, &bytes, NULL);
    pl_array_free(&bytes);
}

bool bench_render(bench* b) {
    render_job job = {.options = pl_default_render_options()};
    pl_error error = {.text = "out of memory"};
    job.options.width = 1920;
    job.options.height = 1080;
    job.positions = PL_ALLOC(float, 3 * (RINGS + 1) * PARTS);
    job.triangles = PL_ALLOC(int, 6 * RINGS * PARTS);
    bool ready = job.positions && job.triangles && pl_pool_create(0, &job.pool, &error) == PL_OK &&
                 pl_image_create(1920, 1080, &job.image, &error) == PL_OK;
    if (ready) {
        make_ball(&job);
        pl_view view = pl_default_view();
        pl_camera_fit fit = pl_camera_fit_begin(&view, 1920, 1080);
        pl_camera_fit_points(&fit, job.positions, job.vertex_count);
        pl_render_options_frame(&job.options, &fit);
        int repeats = bench_quick(b) ? 5 : 25;
        double draw = bench_seconds(run_render, &job, repeats);
        double png = bench_seconds(run_png, &job, repeats);
        bench_result(b, "fps_100k_1080p", 1.0 / draw, "1/s", NAN);
        bench_result(b, "png_1080p_seconds", png, "s", NAN);
    } else {
        fprintf(stderr, "render: %s\n", error.text);
    }
    pl_image_free(&job.image);
    pl_pool_destroy(job.pool);
    PL_FREE(job.positions, float, 3 * (RINGS + 1) * PARTS);
    PL_FREE(job.triangles, int, 6 * RINGS * PARTS);
    return ready && job.status == PL_OK;
}
