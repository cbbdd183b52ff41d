// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 5: a cube of 1 m at nu = 0.4999 under gravity, at rest, with and without stabilisation on
// the same mesh. Its bottom is held in one of two ways.
//
// Flat, as in the paper (E = 1e5 Pa). `order`: how the mean distance between the two solutions
// falls with the size of the tets, at alpha = 1.
//
// Shaped as the bottom of a bar under its own weight (E = 1e7 Pa: strains of 1e-3). The solution is
// known, since the cube is such a bar: its pressure is linear.
//
// The checkerboard is |p - mean of p in its tet| / |p|. `checkerboard_ratio_flat` and
// `checkerboard_ratio`: the checkerboard at alpha = 1 over that at alpha = 0, on the finest mesh,
// for the flat and the shaped bottom. A true pressure has a slope within each tet, which counts as
// checkerboard. At the edges of the flat bottom the pressure is singular, so that slope is steep
// on any mesh. The shaped bottom has no such edges.
//
// Shaped bottom: `checkerboard_of_slope` is the figure of the exact pressure, `pressure_error` is
// |p - exact| / |exact| at alpha = 1, `pressure_error_unstabilised` at alpha = 0. Flat bottom:
// `checkerboard_of_slope_flat` is the figure of the pressure that a mesh with tets of half the size
// has at the same vertices, `checkerboard_rest_flat` that of the difference between both pressures.
// --quick: four coarser meshes.
#include "base/memory.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NAME[] = "s3-stabilisation";
static const double POISSON = 0.4999, DENSITY = 1000.0, GRAVITY = 9.81;
static const double YOUNG_FLAT = 1e5, YOUNG_SHAPED = 1e7;
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

// Displacement of a bar under its own weight, by linear elasticity: the stress along y is
// -rho g (1 - y), all other stresses are 0. The generated cube is [0, 1]^3.
static void bar_displacement(const double at[3], double u[3]) {
    double strain = DENSITY * GRAVITY / YOUNG_SHAPED;
    double x = at[0] - 0.5, y = at[1], z = at[2] - 0.5;
    u[0] = POISSON * strain * (1.0 - y) * x;
    u[1] = -strain * (y - 0.5 * y * y) + 0.5 * POISSON * strain * (x * x + z * z);
    u[2] = POISSON * strain * (1.0 - y) * z;
}

// A third of the compression, since the other two stresses are 0.
static double bar_pressure(const double at[3]) { return DENSITY * GRAVITY * (1.0 - at[1]) / 3.0; }

static bool shape_bottom(cube* c) {
    const int* held;
    int count = pl_world_attachment_vertices(c->world, 0, &held);
    double* points = PL_ALLOC(double, 3 * count);
    if (!points) return false;
    for (int i = 0; i < count; i++) {
        const double* at = pl_world_mesh(c->world, 0)->positions + 3 * (size_t)held[i];
        bar_displacement(at, points + 3 * i);
        for (int k = 0; k < 3; k++) points[3 * i + k] += at[k];
    }
    pl_error error = {0};
    bool ok = pl_world_deform_attachment(c->world, 0, points, count, &error) == PL_OK;
    if (!ok) fprintf(stderr, "pliant-bench %s: %s\n", NAME, error.text);
    PL_FREE(points, double, 3 * count);
    return ok;
}

static bool cube_create(cube* c, int cells, bool is_shaped, double alpha, const char* linear) {
    *c = (cube){0};
    c->world = s3_world(
        NAME,
        "{\"pliant\": 1, \"time_step\": 1, \"gravity\": [0, %g, 0], \"bodies\": [{\"name\": \"b\", "
        "\"method\": \"mixed\", \"generate\": {\"shape\": \"box\", \"count_x\": %d, \"count_y\": "
        "%d, \"count_z\": %d}, "
        "\"material\": {\"young\": %g, \"poisson\": %g}, \"integrator\": \"quasistatic\", "
        "\"linear\": \"%s\", \"mixed\": {\"stabilization\": %g}, \"tolerance\": 1e-6, "
        "\"iterations\": 100}], \"attachments\": [{\"body\": \"b\", \"where\": {\"side\": "
        "\"-y\"}}]}",
        -GRAVITY, cells, cells, cells, is_shaped ? YOUNG_SHAPED : YOUNG_FLAT, POISSON, linear,
        alpha);
    pl_frame_info info;
    pl_error error = {0};
    if (!c->world || (is_shaped && !shape_bottom(c)) || !s3_step(NAME, c->world, &info))
        return false;
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
    bool ok = p && cube_create(&fine, 2 * cells, false, 1.0, "multigrid");
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

// One mesh with a flat bottom: the distance between both solutions, and the checkerboard of each.
typedef struct outcome {
    double distance, with, without, slope, rest;
} outcome;

static bool measure_flat(int cells, bool finest, outcome* o) {
    cube with, without;
    bool first = cube_create(&with, cells, false, 1.0, "direct");
    bool ok = cube_create(&without, cells, false, 0.0, "direct") && first;
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

// |p - exact| / |exact|, and the checkerboard of the exact pressure.
static void compare_pressure(const cube* c, double* scratch, double* error, double* slope) {
    const double* at = pl_world_mesh(c->world, 0)->positions;
    double apart, unused, of_difference, whole;
    for (int v = 0; v < c->vertex_count; v++) scratch[v] = bar_pressure(at + 3 * (size_t)v);
    integrate(c, scratch, &apart, &whole);
    for (int v = 0; v < c->vertex_count; v++) scratch[v] -= c->pressure[v];
    integrate(c, scratch, &unused, &of_difference);
    *error = sqrt(of_difference / whole);
    *slope = sqrt(apart / whole);
}

static bool measure_shaped(bench* b, int cells) {
    cube with, without;
    bool first = cube_create(&with, cells, true, 1.0, "direct");
    bool ok = cube_create(&without, cells, true, 0.0, "direct") && first;
    double* scratch = PL_ALLOC(double, with.vertex_count);
    ok = ok && scratch;
    if (ok) {
        double on = checkerboard(&with), off = checkerboard(&without);
        double error, error_off, slope;
        compare_pressure(&without, scratch, &error_off, &slope);
        compare_pressure(&with, scratch, &error, &slope);
        printf("  shaped bottom, %d cells: checkerboard %.3g, without stabilisation %.3g\n", cells,
               on, off);
        bench_result(b, "checkerboard_ratio", on / off, "", NAN);
        bench_result(b, "checkerboard_of_slope", slope / off, "", NAN);
        bench_result(b, "pressure_error", error, "", NAN);
        bench_result(b, "pressure_error_unstabilised", error_off, "", NAN);
    }
    PL_FREE(scratch, double, with.vertex_count);
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
        if (!measure_flat(cells[k], k == SIZES - 1, &o)) return false;
        sizes[k] = 1.0 / cells[k];
        distances[k] = o.distance;
    }
    bench_result(b, "order", s3_slope(sizes, distances, SIZES), "", 1.0);
    bench_result(b, "checkerboard_ratio_flat", o.with / o.without, "", NAN);
    bench_result(b, "checkerboard_of_slope_flat", o.slope / o.without, "", NAN);
    bench_result(b, "checkerboard_rest_flat", o.rest / o.without, "", NAN);
    return measure_shaped(b, cells[SIZES - 1]);
}
