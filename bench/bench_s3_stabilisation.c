// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 5: a cube of 1 m (E = 1e5 Pa, nu = 0.4999, 1000 kg/m^3) on its glued bottom under
// gravity, at rest, with and without stabilisation on the same mesh. `order`: how the mean distance
// between the two falls with the size of the tets, at alpha = 1. `checkerboard_ratio`: what
// pressures differ from the mean of their tet, relative to the pressures, at alpha = 1 over that at
// alpha = 0 on the finest mesh.
//
// The true pressure has a slope within a tet too, steep where the glued bottom meets the sides.
// `checkerboard_of_slope` is the same figure for the pressures that a mesh of half the size has at
// the same vertices: what no stabilisation should remove. `checkerboard_rest` is that of the
// difference between both pressures: what pressures still differ by from vertex to vertex beside
// the slope. --quick: four coarser meshes.
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

static bool cube_create(cube* c, int cells, double alpha, const char* linear) {
    *c = (cube){0};
    c->world = s3_world(
        NAME,
        "{\"pliant\": 1, \"time_step\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"mixed\", "
        "\"generate\": {\"shape\": \"box\", \"count_x\": %d, \"count_y\": %d, \"count_z\": %d}, "
        "\"material\": {\"young\": 1e5, \"poisson\": 0.4999}, \"integrator\": \"quasistatic\", "
        "\"linear\": \"%s\", \"mixed\": {\"stabilization\": %g}, \"tolerance\": 1e-6, "
        "\"iterations\": 100}], \"attachments\": [{\"body\": \"b\", \"where\": {\"side\": "
        "\"-y\"}}]}",
        cells, cells, cells, linear, alpha);
    pl_frame_info info;
    pl_error error = {0};
    if (!c->world || !s3_step(NAME, c->world, &info)) return false;
    if (info.unconverged_count) fprintf(stderr, "pliant-bench %s: not converged\n", NAME);
    c->vertex_count = pl_world_mesh(c->world, 0)->vertex_count;
    c->pressure = PL_ALLOC(double, c->vertex_count);
    return c->pressure &&
           pl_world_field(c->world, 0, PL_OUTPUT_PRESSURE, c->pressure, &error) == PL_OK;
}

// The integrals of (p - mean of the tet)^2 and of p^2 on the tets of a cube, over the volume of a
// tet: all have the same, nearly.
static void integrate(const cube* c, const double* p, double* apart, double* whole) {
    const pl_mesh* mesh = pl_world_mesh(c->world, 0);
    *apart = *whole = 0.0;
    for (int e = 0; e < mesh->tet_count; e++) {
        double mean = 0.0, own = 0.0;
        const int* v = mesh->tets + 4 * (size_t)e;
        for (int i = 0; i < 4; i++) mean += 0.25 * p[v[i]];
        for (int i = 0; i < 4; i++) own += (p[v[i]] - mean) * (p[v[i]] - mean) / 20.0;
        *apart += own;
        *whole += own + mean * mean;
    }
}

static double checkerboard(const cube* c) {
    double apart, whole;
    integrate(c, c->pressure, &apart, &whole);
    return sqrt(apart / whole);
}

// The place of a vertex of a cube of so many cells, or of half as many, on a lattice: corners and
// centres of cells and faces.
static size_t place_of(const pl_mesh* mesh, int v, const double low[3], int cells) {
    size_t place = 0;
    for (int k = 0; k < 3; k++) {
        double x = mesh->positions[3 * (size_t)v + (size_t)k] - low[k];
        place = place * (size_t)(2 * cells + 1) + (size_t)lround(2.0 * cells * x);
    }
    return place;
}

// The pressures of a cube of so many cells at the vertices of one of half as many, which are among
// its own.
static bool sample(const cube* fine, int cells, const cube* coarse, double* pressure) {
    const pl_mesh *from = pl_world_mesh(fine->world, 0), *to = pl_world_mesh(coarse->world, 0);
    size_t size = (size_t)(2 * cells + 1) * (size_t)(2 * cells + 1) * (size_t)(2 * cells + 1);
    double* lattice = PL_ALLOC(double, size);
    double low[3] = {INFINITY, INFINITY, INFINITY};
    if (!lattice) return false;
    for (int i = 0; i < 3 * from->vertex_count; i++)
        low[i % 3] = fmin(low[i % 3], from->positions[i]);
    for (size_t i = 0; i < size; i++) lattice[i] = NAN;
    for (int v = 0; v < from->vertex_count; v++)
        lattice[place_of(from, v, low, cells)] = fine->pressure[v];
    bool found = true;
    for (int v = 0; v < to->vertex_count; v++) {
        pressure[v] = lattice[place_of(to, v, low, cells)];
        found = found && isfinite(pressure[v]);
    }
    PL_FREE(lattice, double, size);
    if (!found) fprintf(stderr, "pliant-bench %s: the meshes are not nested\n", NAME);
    return found;
}

// What of the checkerboard of a cube is the slope of the true pressure, and what is not.
static bool take_slope(const cube* c, int cells, double* slope, double* rest) {
    cube fine = {0};
    double* p = PL_ALLOC(double, c->vertex_count);
    bool ok = p && cube_create(&fine, 2 * cells, 1.0, "multigrid");
    ok = ok && sample(&fine, 2 * cells, c, p);
    if (ok) {
        double apart, whole, of_rest, unused;
        printf("  %d cells: %d vertices, checkerboard %.3g\n", 2 * cells, fine.vertex_count,
               checkerboard(&fine));
        integrate(c, p, &apart, &whole);
        for (int v = 0; v < c->vertex_count; v++) p[v] -= c->pressure[v];
        integrate(c, p, &of_rest, &unused);
        *slope = sqrt(apart / whole);
        *rest = sqrt(of_rest / whole);
    }
    PL_FREE(p, double, c->vertex_count);
    cube_free(&fine);
    return ok;
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

// One mesh: the distance between both solutions, and the checkerboards of each.
typedef struct outcome {
    double distance, with, without, slope, rest;
} outcome;

static bool measure(int cells, bool finest, outcome* o) {
    cube with, without;
    bool first = cube_create(&with, cells, 1.0, "direct");
    bool ok = cube_create(&without, cells, 0.0, "direct") && first;
    *o = (outcome){.slope = NAN, .rest = NAN};
    if (ok) {
        o->distance = mean_distance(&with, &without);
        o->with = checkerboard(&with);
        o->without = checkerboard(&without);
        printf("  %d cells: %d vertices, mean distance %.3g m, checkerboard %.3g, without "
               "stabilisation %.3g\n",
               cells, with.vertex_count, o->distance, o->with, o->without);
        fflush(stdout);
        ok = !finest || take_slope(&with, cells, &o->slope, &o->rest);
    }
    cube_free(&with);
    cube_free(&without);
    return ok;
}

bool bench_s3_stabilisation(bench* b) {
    static const int quick[SIZES] = {3, 4, 6, 8}, full[SIZES] = {4, 6, 9, 13};
    const int* cells = bench_quick(b) ? quick : full;
    double sizes[SIZES], distances[SIZES];
    outcome o = {0};
    for (int k = 0; k < SIZES; k++) {
        if (!measure(cells[k], k == SIZES - 1, &o)) return false;
        sizes[k] = 1.0 / cells[k];
        distances[k] = o.distance;
    }
    bench_result(b, "order", s3_slope(sizes, distances, SIZES), "", 1.0);
    bench_result(b, "checkerboard_ratio", o.with / o.without, "", NAN);
    bench_result(b, "checkerboard_of_slope", o.slope / o.without, "", NAN);
    bench_result(b, "checkerboard_rest", o.rest / o.without, "", NAN);
    return true;
}
