// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 4 and Cook's membrane. At nu = 0.49 a cylinder (radius 0.5, height 2) is pulled by 1e5 Pa
// on its end, and a tube (radii 0.5 and 1, height 1) pressed to 70 % of its height between glued
// plates. Both are compared with elements of second order of CalculiX; the paper compares with
// FEBio. The law is mooney_rivlin with mu2 = 0, the neo-Hooke of CalculiX. `bulge_error` is that of
// the outer radius at half height, `inner_error` that of the inner one. There the inner wall folds:
// its radius grows with every refinement of the reference too (docs/methods/mixed.md).
//
// Cook's membrane in plane strain at nu = 0.4999, mu = 80.194: the middle of the right edge rises
// by 7.69e-3 for F = 0.1, and for F = 100 as on a mesh twice as fine. --quick: coarser meshes.
#include "s3_world.h"

#include <math.h>
#include <stdio.h>

static const char NAME[] = "s3-locking";

// ---------------------------------------------------------------- cylinder and tube

// By CalculiX 2.20, C3D10 and CAX8: `python3 bench/references/s3_locking.py build/release/bin 0.2
// 12`.
static const double LENGTH = 2.89315, WAIST = 0.41462, INNER = 0.58815, OUTER = 1.18853;

typedef struct solid {
    const char* shape;
    double young, height;
    const char* load; // attachments and forces, after the attachment of the foot
} solid;
static const solid CYLINDER = {
    "\"cylinder\", \"radius\": 0.5, \"height\": 2", 3e5, 2.0,
    "], \"forces\": [{\"body\": \"b\", \"where\": {\"side\": \"+z\"}, \"traction\": [0, 0, 1e5]}]"};
static const solid TUBE = {
    "\"tube\", \"inner_radius\": 0.5, \"outer_radius\": 1, \"height\": 1", 3e6, 1.0,
    ", {\"body\": \"b\", \"where\": {\"side\": \"+z\"}, \"motion\": {\"keyframes\": [{\"time\": "
    "0}, {\"time\": 6, \"translate\": [0, 0, -0.3]}]}}]"};

// Solved: the load of the cylinder comes at once, that of the tube in 6 frames.
static pl_world* make_solid(const solid* s, const char* method, double edge) {
    pl_world* world = s3_world(
        NAME,
        "{\"pliant\": 1, \"time_step\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"b\", "
        "\"method\": \"%s\", \"generate\": {\"shape\": %s, \"edge\": %g}, \"material\": {\"law\": "
        "\"mooney_rivlin\", \"young\": %g, \"poisson\": 0.49}, \"integrator\": \"quasistatic\", "
        "\"tolerance\": 1e-5, \"iterations\": 100}], \"attachments\": [{\"body\": \"b\", "
        "\"where\": {\"side\": \"-z\"}}%s}",
        method, s->shape, edge, s->young, s->load);
    pl_frame_info info = {.unconverged_count = 1};
    bool ok = world != NULL;
    for (int frame = 0; ok && (frame < 6 || (info.unconverged_count && frame < 12)); frame++)
        ok = s3_step(NAME, world, &info);
    if (ok) return world;
    pl_world_destroy(world);
    return NULL;
}

// Mean over the vertices of a height: of z, or of the distance from the axis if radius is above 0,
// then of the vertices at that distance only.
static double mean_at(pl_world* world, double height, double radius) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double sum = 0.0, nearest = INFINITY;
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        nearest = fmin(nearest, fabs(mesh->positions[3 * (size_t)v + 2] - height));
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double *X = mesh->positions + 3 * (size_t)v, *at = x + 3 * (size_t)v;
        if (fabs(fabs(X[2] - height) - nearest) > 1e-6) continue;
        if (radius > 0.0 && fabs(hypot(X[0], X[1]) - radius) > 1e-6) continue;
        sum += radius > 0.0 ? hypot(at[0], at[1]) : at[2];
        count++;
    }
    return sum / count;
}

// errors relative to how far the surface moved in the reference
static double error_of(double found, double rest, double reference) {
    return fabs(found - reference) / fabs(reference - rest);
}

static bool compare_solids(bench* b, const char* method, double edge, const char* ending) {
    pl_world *cylinder = make_solid(&CYLINDER, method, edge),
             *tube = make_solid(&TUBE, method, edge);
    bool ok = cylinder && tube;
    if (ok) {
        double length = mean_at(cylinder, 2.0, 0.0), waist = mean_at(cylinder, 1.0, 0.5);
        double inner = mean_at(tube, 0.5, 0.5), outer = mean_at(tube, 0.5, 1.0);
        printf("  %s, edge %g: length %.4f (%.4f), waist %.4f (%.4f), tube's radii %.4f (%.4f) "
               "%.4f (%.4f)\n",
               method, edge, length, LENGTH, waist, WAIST, inner, INNER, outer, OUTER);
        char name[64];
        snprintf(name, sizeof name, "stretch_error%s", ending);
        bench_result(b, name, error_of(length, 2.0, LENGTH), "", NAN);
        snprintf(name, sizeof name, "waist_error%s", ending);
        bench_result(b, name, error_of(waist, 0.5, WAIST), "", NAN);
        snprintf(name, sizeof name, "bulge_error%s", ending);
        bench_result(b, name, error_of(outer, 1.0, OUTER), "", NAN);
        snprintf(name, sizeof name, "inner_error%s", ending);
        bench_result(b, name, error_of(inner, 0.5, INNER), "", NAN);
    }
    pl_world_destroy(cylinder);
    pl_world_destroy(tube);
    return ok;
}

// ---------------------------------------------------------------- Cook's membrane

// the rise of the middle of the right edge, or NAN
static double cook(const char* method, const char* law, int cells, double force) {
    pl_world* world = s3_world(
        NAME,
        "{\"pliant\": 1, \"time_step\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"b\", "
        "\"method\": \"%s\", \"generate\": {\"shape\": \"panel\", \"count_x\": %d, \"count_y\": "
        "%d, "
        "\"count_z\": 1, \"thickness\": %.9g}, \"material\": {\"law\": \"%s\", \"young\": 240.566, "
        "\"poisson\": 0.4999}, \"integrator\": \"quasistatic\", \"linear\": \"direct\", "
        "\"tolerance\": 1e-6, \"iterations\": 200}], \"attachments\": [{\"body\": \"b\", "
        "\"where\": {\"side\": \"-x\"}}, {\"body\": \"b\", \"where\": {\"side\": \"-z\"}, "
        "\"hold\": "
        "\"z\"}, {\"body\": \"b\", \"where\": {\"side\": \"+z\"}, \"hold\": \"z\"}], \"forces\": "
        "[{\"body\": \"b\", \"where\": {\"side\": \"+x\"}, \"traction\": [0, %.9g, 0]}]}",
        method, cells, cells, 48.0 / cells, law, force / 16.0);
    pl_frame_info info;
    double rise = NAN;
    if (world && s3_step(NAME, world, &info)) {
        const pl_mesh* mesh = pl_world_mesh(world, 0);
        const double* x = pl_world_positions(world, 0);
        for (int v = 0; v < mesh->vertex_count; v++) {
            const double* X = mesh->positions + 3 * (size_t)v;
            if (fabs(X[0] - 48.0) < 1e-6 && fabs(X[1] - 52.0) < 1e-6)
                rise = x[3 * (size_t)v + 1] - X[1];
        }
        printf("  Cook, %s %s, %d cells, F = %g: %.5g%s\n", method, law, cells, force, rise,
               info.unconverged_count ? ", not converged" : "");
        fflush(stdout);
    }
    pl_world_destroy(world);
    return rise;
}

static bool compare_cook(bench* b) {
    int cells = bench_quick(b) ? 16 : 32;
    double small = cook("mixed", "linear", cells, 0.1), fem = cook("fem", "linear", cells, 0.1);
    double large = cook("mixed", "stable_neohookean", cells, 100.0),
           finest = cook("mixed", "stable_neohookean", 2 * cells, 100.0),
           fem_large = cook("fem", "stable_neohookean", cells, 100.0);
    bench_result(b, "cook_linear_error", fabs(small / 7.69e-3 - 1.0), "", NAN);
    bench_result(b, "cook_linear_error_fem", fabs(fem / 7.69e-3 - 1.0), "", NAN);
    bench_result(b, "cook_error", fabs(large / finest - 1.0), "", NAN);
    bench_result(b, "cook_error_fem", fabs(fem_large / finest - 1.0), "", NAN);
    return isfinite(small + fem + large + finest + fem_large);
}

bool bench_s3_locking(bench* b) {
    double edge = bench_quick(b) ? 0.2 : 0.1;
    return compare_solids(b, "mixed", edge, "") && compare_solids(b, "fem", edge, "_fem") &&
           compare_cook(b);
}
