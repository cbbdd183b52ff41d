// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s3_world.h"
#include "math/vec3.h"
#include "scene/scene_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

pl_world* s3_world(const char* bench_name, const char* format, ...) {
    static char text[1 << 15];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pl_scene* scene = NULL;
    pl_world* world = NULL;
    pl_error error = {0};
    pl_status status = size < (int)sizeof text ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK)
        status =
            pl_scene_read_memory(text, (size_t)size, bench_name, NULL, 0, &scene, NULL, &error);
    if (status == PL_OK) pl_world_create(scene, &world, NULL, &error);
    if (!world) fprintf(stderr, "pliant-bench %s: %s\n", bench_name, error.text);
    pl_scene_destroy(scene);
    return world;
}

bool s3_step(const char* bench_name, pl_world* world, pl_frame_info* info) {
    pl_error error = {0};
    if (pl_world_step(world, info, &error) == PL_OK) return true;
    fprintf(stderr, "pliant-bench %s: %s\n", bench_name, error.text);
    return false;
}

double s3_volume(const pl_mesh* mesh, const double* x) {
    double sum = 0.0;
    for (int e = 0; e < mesh->tet_count; e++) {
        const int* v = mesh->tets + 4 * (size_t)e;
        pl_vec3 a = pl_vec3_load(x + 3 * (size_t)v[0]);
        pl_vec3 b = pl_sub(pl_vec3_load(x + 3 * (size_t)v[1]), a),
                c = pl_sub(pl_vec3_load(x + 3 * (size_t)v[2]), a),
                d = pl_sub(pl_vec3_load(x + 3 * (size_t)v[3]), a);
        sum += pl_dot(b, pl_cross(c, d)) / 6.0;
    }
    return sum;
}

double s3_cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void s3_result_nu(bench* b, const char* name, double nu, double value, const char* unit) {
    char text[80];
    snprintf(text, sizeof text, "%s_nu%g", name, nu);
    bench_result(b, text, value, unit, NAN);
}

double s3_slope(const double* x, const double* y, int count) {
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int k = 0; k < count; k++) {
        double a = log(x[k]), c = log(y[k]);
        sx += a, sy += c, sxx += a * a, sxy += a * c;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}
