// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 5: a cube of 1 m (E = 1e5 Pa, nu = 0.4999, 1000 kg/m^3) on its glued bottom under
// gravity, at rest, with and without stabilisation on the same mesh. `order`: how the mean distance
// between the two falls with the size of the tets, at alpha = 1. `checkerboard_ratio`: what
// pressures differ from the mean of their tet, relative to the pressures, at alpha = 1 over that at
// alpha = 0 on the finest mesh. --quick: four coarser meshes.
#include "base/memory.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NAME[] = "s3-stabilisation";
enum { SIZES = 4 };

typedef struct cube {
    pl_world* world;
    double* pressure;
    int vertex_count;
} cube;

static void cube_free(cube* c) {
    PL_FREE(c->pressure, double, c->vertex_count);
    pl_world_destroy(c->world);
    *c = (cube){0};
}

static bool cube_create(cube* c, int cells, double alpha) {
    *c = (cube){0};
    c->world = s3_world(
        NAME,
        "{\"pliant\": 1, \"time_step\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"mixed\", "
        "\"generate\": {\"shape\": \"box\", \"count_x\": %d, \"count_y\": %d, \"count_z\": %d}, "
        "\"material\": {\"young\": 1e5, \"poisson\": 0.4999}, \"integrator\": \"quasistatic\", "
        "\"linear\": \"direct\", \"mixed\": {\"stabilization\": %g}, \"tolerance\": 1e-6, "
        "\"iterations\": 100}], \"attachments\": [{\"body\": \"b\", \"where\": {\"side\": "
        "\"-y\"}}]}",
        cells, cells, cells, alpha);
    pl_frame_info info;
    pl_error error = {0};
    if (!c->world || !s3_step(NAME, c->world, &info)) return false;
    if (info.unconverged_count) fprintf(stderr, "pliant-bench %s: not converged\n", NAME);
    c->vertex_count = pl_world_mesh(c->world, 0)->vertex_count;
    c->pressure = PL_ALLOC(double, c->vertex_count);
    return c->pressure &&
           pl_world_field(c->world, 0, PL_OUTPUT_PRESSURE, c->pressure, &error) == PL_OK;
}

// sqrt of the integral of (p - mean)^2 over that of p^2
static double checkerboard(const cube* c) {
    const pl_mesh* mesh = pl_world_mesh(c->world, 0);
    double apart = 0.0, whole = 0.0;
    for (int e = 0; e < mesh->tet_count; e++) {
        double mean = 0.0, own = 0.0;
        const int* v = mesh->tets + 4 * (size_t)e;
        for (int i = 0; i < 4; i++) mean += 0.25 * c->pressure[v[i]];
        for (int i = 0; i < 4; i++)
            own += (c->pressure[v[i]] - mean) * (c->pressure[v[i]] - mean) / 20.0;
        apart += own; // all tets have the same volume, nearly
        whole += own + mean * mean;
    }
    return sqrt(apart / whole);
}

static double mean_distance(const cube* a, const cube* b) {
    const double *x = pl_world_positions(a->world, 0), *y = pl_world_positions(b->world, 0);
    double sum = 0.0;
    for (int v = 0; v < a->vertex_count; v++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++)
            square += (x[3 * v + k] - y[3 * v + k]) * (x[3 * v + k] - y[3 * v + k]);
        sum += sqrt(square);
    }
    return sum / a->vertex_count;
}

bool bench_s3_stabilisation(bench* b) {
    static const int quick[SIZES] = {3, 4, 6, 8}, full[SIZES] = {4, 6, 9, 13};
    const int* cells = bench_quick(b) ? quick : full;
    double sizes[SIZES], distances[SIZES], ratio = NAN;
    bool ok = true;
    for (int k = 0; ok && k < SIZES; k++) {
        cube with, without;
        bool first = cube_create(&with, cells[k], 1.0);
        ok = cube_create(&without, cells[k], 0.0) && first;
        if (ok) {
            sizes[k] = 1.0 / cells[k];
            distances[k] = mean_distance(&with, &without);
            double one = checkerboard(&with), none = checkerboard(&without);
            ratio = one / none;
            printf("  %d cells: %d vertices, mean distance %.3g m, checkerboard %.3g, without "
                   "stabilisation %.3g\n",
                   cells[k], with.vertex_count, distances[k], one, none);
            fflush(stdout);
        }
        cube_free(&with);
        cube_free(&without);
    }
    if (!ok) return false;
    bench_result(b, "order", s3_slope(sizes, distances, SIZES), "", 1.0);
    bench_result(b, "checkerboard_ratio", ratio, "", NAN);
    return true;
}
