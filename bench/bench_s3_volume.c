// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 3 and 14: how well volume is kept. `loss_bulge`: an arm (radius 0.07 m, length 0.6 m,
// nu = 0.5, stable Neo-Hookean) whose bones bend at the elbow by 80 degrees, at rest; `loss_local`
// is the 99th percentile of the relative change of the volume around a vertex.
// `fluctuation_heap`: letters of nu = 0.49999 fall on the ground, each in a world of its own as
// bodies of method mixed do not push one another yet; the largest change of a letter's volume in
// any frame. The paper drops 48. --quick: a coarser arm and 3 letters.
#include "base/array.h"
#include "base/memory.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char NAME[] = "s3-volume";

// volumes of all tets around each vertex
static void add_patches(const pl_mesh* mesh, const double* x, double* sums) {
    for (int e = 0; e < mesh->tet_count; e++) {
        pl_mesh one = {.tets = mesh->tets + 4 * (size_t)e, .tet_count = 1};
        double volume = s3_volume(&one, x);
        for (int i = 0; i < 4; i++) sums[mesh->tets[4 * (size_t)e + (size_t)i]] += volume;
    }
}

static double local_loss(const pl_mesh* mesh, const double* x) {
    int n = mesh->vertex_count;
    double *before = PL_ALLOC(double, n), *after = PL_ALLOC(double, n), loss = NAN;
    if (before && after) {
        add_patches(mesh, mesh->positions, before);
        add_patches(mesh, x, after);
        for (int v = 0; v < n; v++) after[v] = fabs(after[v] / before[v] - 1.0);
        qsort(after, (size_t)n, sizeof(double), pl_compare_doubles);
        loss = after[(int)(0.99 * (n - 1))];
    }
    PL_FREE(before, double, n);
    PL_FREE(after, double, n);
    return loss;
}

static bool bend_arm(bench* b) {
    static const int FRAMES = 10;
    pl_world* world = s3_world(
        NAME,
        "{\"pliant\": 1, \"time_step\": 0.1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": "
        "\"arm\", \"method\": \"mixed\", \"generate\": {\"shape\": \"cylinder\", \"radius\": 0.07, "
        "\"height\": 0.6, \"edge\": %g}, \"material\": {\"law\": \"stable_neohookean\", \"young\": "
        "1e5, \"poisson\": 0.5}, \"integrator\": \"quasistatic\", \"tolerance\": 1e-4, "
        "\"iterations\": 100}], \"attachments\": [{\"body\": \"arm\", \"where\": {\"capsule\": "
        "{\"from\": [0, 0, 0], \"to\": [0, 0, 0.24], \"radius\": 0.025}}}, {\"body\": \"arm\", "
        "\"where\": {\"capsule\": {\"from\": [0, 0, 0.36], \"to\": [0, 0, 0.6], \"radius\": "
        "0.025}}, \"motion\": {\"pivot\": [0, 0, 0.3], \"interpolation\": \"linear\", "
        "\"keyframes\": [{\"time\": 0}, {\"time\": %g, \"rotate\": [80, 0, 0]}]}}]}",
        bench_quick(b) ? 0.035 : 0.02, 0.1 * FRAMES);
    bool ok = world != NULL;
    pl_frame_info info;
    for (int k = 0; ok && k < FRAMES; k++) ok = s3_step(NAME, world, &info);
    if (ok) {
        const pl_mesh* mesh = pl_world_mesh(world, 0);
        const double* x = pl_world_positions(world, 0);
        printf("  arm: %d vertices, last frame %d iterations%s\n", mesh->vertex_count,
               info.iterations, info.unconverged_count ? ", not converged" : "");
        bench_result(b, "loss_bulge",
                     fabs(s3_volume(mesh, x) / s3_volume(mesh, mesh->positions) - 1.0), "", 1e-4);
        bench_result(b, "loss_local", local_loss(mesh, x), "", NAN);
    }
    pl_world_destroy(world);
    return ok;
}

// the largest change of volume in 60 frames, or NAN
static double drop_letter(int letter) {
    static const char TEXT[] = "SIGGRAPH";
    static const double turns[6][3] = {{0, 0, 0},   {35, 0, 20}, {90, 0, 0},
                                       {0, 40, 90}, {60, 30, 0}, {180, 0, 25}};
    const double* turn = turns[letter / 8 % 6];
    pl_world* world = s3_world(
        NAME,
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"letter\", \"method\": \"mixed\", \"generate\": "
        "{\"shape\": \"letter\", \"letter\": %d, \"height\": 0.1, \"edge\": 0.012}, "
        "\"transform\": {\"rotate\": [%g, %g, %g], \"translate\": [0, 0.2, 0]}, \"material\": "
        "{\"young\": 2e4, \"poisson\": 0.49999}, \"tolerance\": 1e-3}], \"colliders\": "
        "[{\"plane\": {}, \"friction\": 0.3}]}",
        TEXT[letter % 8] - 'A', turn[0], turn[1], turn[2]);
    double worst = world ? 0.0 : NAN;
    for (int k = 0; world && k < 60; k++) {
        pl_frame_info info;
        if (!s3_step(NAME, world, &info)) {
            worst = NAN;
            break;
        }
        const pl_mesh* mesh = pl_world_mesh(world, 0);
        double volume = s3_volume(mesh, pl_world_positions(world, 0));
        worst = fmax(worst, fabs(volume / s3_volume(mesh, mesh->positions) - 1.0));
    }
    pl_world_destroy(world);
    return worst;
}

bool bench_s3_volume(bench* b) {
    if (!bend_arm(b)) return false;
    int count = bench_quick(b) ? 3 : 48;
    double worst = 0.0;
    for (int k = 0; k < count; k++) {
        double change = drop_letter(k);
        if (isnan(change)) return false;
        worst = fmax(worst, change);
    }
    bench_result(b, "letters", count, "", 48);
    bench_result(b, "fluctuation_heap", worst, "", 5e-4);
    return true;
}
