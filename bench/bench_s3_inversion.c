// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 12: a cube of nu = 0.4999 and 4000 vertices, held at two corners, starts from random
// places: shrunk, then each vertex shifted by up to a third of the cube, so that half of the tets
// are inverted and the signed volume is 45 % of that at rest, as in the paper. It must find its
// shape again; what is left, relative to its size and up to the turn about the line through the
// corners, is `shape_error`.
// `shape_error_alpha20` is the same with the stabilisation that the paper needs for it. --quick:
// 600 vertices.
#include "base/random.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>

static const char NAME[] = "s3-inversion";
enum { MAX_FRAMES = 400 };

static int inverted_count(const pl_mesh* mesh, const double* x) {
    int count = 0;
    for (int e = 0; e < mesh->tet_count; e++) {
        pl_mesh one = {.tets = mesh->tets + 4 * (size_t)e, .tet_count = 1};
        count += s3_volume(&one, x) <= 0.0;
    }
    return count;
}

// Returns the volume.
static double place(const pl_mesh* mesh, double shrink, double* x) {
    pl_random random = {12};
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        x[i] = 0.5 + shrink * (mesh->positions[i] - 0.5) + pl_random_uniform(&random, -0.33, 0.33);
    return s3_volume(mesh, x);
}

static void scatter(pl_world* world) {
    static const double VOLUME = 0.45;
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    double* x = pl_world_positions(world, 0);
    double low = 0.0, high = 1.0; // shifts of the vertices change the volume too
    for (int k = 0; k < 40; k++) {
        double middle = 0.5 * (low + high);
        if (place(mesh, middle, x) < VOLUME) low = middle;
        else high = middle;
    }
    printf("  %d vertices, %d of %d tets inverted, volume %.3f\n", mesh->vertex_count,
           inverted_count(mesh, x), mesh->tet_count, s3_volume(mesh, x));
}

// components along two directions across the diagonal
static void across(const double* X, double* u, double* v) {
    *u = (X[0] - X[1]) / sqrt(2.0);
    *v = (X[0] + X[1] - 2.0 * X[2]) / sqrt(6.0);
}

// Root mean square of the distance from the rest shape, after the best turn about the diagonal.
static double shape_error(const pl_mesh* mesh, const double* x) {
    double dot = 0.0, cross = 0.0, sum = 0.0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        double a, b, c, d;
        across(mesh->positions + 3 * (size_t)v, &a, &b);
        across(x + 3 * (size_t)v, &c, &d);
        dot += a * c + b * d;
        cross += a * d - b * c;
    }
    double angle = atan2(cross, dot);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double *X = mesh->positions + 3 * (size_t)v, *at = x + 3 * (size_t)v;
        double a, b, c, d, along = (at[0] + at[1] + at[2] - X[0] - X[1] - X[2]) / sqrt(3.0);
        across(X, &a, &b);
        across(at, &c, &d);
        double e = cos(angle) * a - sin(angle) * b - c, f = sin(angle) * a + cos(angle) * b - d;
        sum += along * along + e * e + f * f;
    }
    return sqrt(sum / mesh->vertex_count);
}

static bool recover(bench* b, double alpha, const char* ending) {
    int cells = bench_quick(b) ? 5 : 11;
    pl_world* world = s3_world(
        NAME,
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"cube\", \"method\": "
        "\"mixed\", \"generate\": {\"shape\": \"box\", \"count_x\": %d, \"count_y\": %d, "
        "\"count_z\": %d}, \"material\": {\"young\": 1e7, \"poisson\": 0.4999}, \"mixed\": "
        "{\"stabilization\": %g}, \"damping\": {\"stiffness\": 0.02}, \"tolerance\": 1e-3}], "
        "\"attachments\": [{\"body\": \"cube\", \"where\": {\"nearest\": [0, 0, 0]}}, {\"body\": "
        "\"cube\", \"where\": {\"nearest\": [1, 1, 1]}}]}",
        cells, cells, cells, alpha);
    if (!world) return false;
    scatter(world);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double error = INFINITY, cpu = s3_cpu_seconds();
    int frame = 0, upright = -1, most = bench_quick(b) ? 100 : MAX_FRAMES;
    bool ok = true;
    while (ok && frame < most && error > 2e-4) {
        pl_frame_info info;
        ok = s3_step(NAME, world, &info);
        frame++;
        error = shape_error(mesh, x);
        if (upright < 0 && !inverted_count(mesh, x)) upright = frame;
    }
    char name[64];
    printf("  alpha %g: no tet inverted after %d frames, %d frames, %.1f s\n", alpha, upright,
           frame, s3_cpu_seconds() - cpu);
    snprintf(name, sizeof name, "shape_error%s", ending);
    if (ok) bench_result(b, name, error, "", NAN);
    pl_world_destroy(world);
    return ok;
}

bool bench_s3_inversion(bench* b) {
    bool paper = recover(b, 20.0, "_alpha20"), automatic = recover(b, 1.0, "");
    return paper && automatic;
}
