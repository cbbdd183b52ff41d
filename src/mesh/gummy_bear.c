// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The house model: a gummy bear blended from ellipsoids, as a function that is negative inside, and
// its tets. It stands on the plane y = 0, looks along +z and is symmetric in x. Free of anybody
// else's rights, at any resolution.
#include "base/memory.h"
#include "mesh/generator.h"
#include "mesh/stuffing.h"
#include "mesh/surface.h"

#include <stdlib.h>

// Lengths are shares of the bear's height. A part that stands beside the middle exists twice.
typedef struct part {
    pl_vec3 center, radii;
    double lean;  // sine of a rotation about z: positive brings the top of a part inwards
    double bow;   // sine of a rotation about x: positive lowers the front
    double blend; // width of the seam with what comes before it
} part;

static const part parts[] = {
    {{0.0, 0.345, 0.0}, {0.245, 0.255, 0.195}, 0.0, 0.0, 0.0},        // body
    {{0.0, 0.330, 0.10}, {0.165, 0.175, 0.125}, 0.0, 0.0, 0.10},      // belly
    {{0.0, 0.510, 0.0}, {0.190, 0.150, 0.155}, 0.0, 0.0, 0.10},       // chest
    {{0.0, 0.745, 0.015}, {0.205, 0.178, 0.168}, 0.0, 0.0, 0.06},     // head
    {{0.0, 0.695, 0.162}, {0.100, 0.078, 0.092}, 0.0, 0.0, 0.05},     // muzzle
    {{0.137, 0.914, 0.0}, {0.080, 0.087, 0.054}, -0.435, 0.0, 0.035}, // ears
    {{0.140, 0.150, 0.015}, {0.115, 0.165, 0.120}, 0.15, 0.0, 0.06},  // legs
    {{0.155, 0.060, 0.110}, {0.098, 0.072, 0.135}, 0.0, 0.0, 0.05},   // feet
    {{0.215, 0.500, 0.075}, {0.072, 0.080, 0.130}, 0.0, 0.435, 0.05}, // arms, reaching forward
    {{0.192, 0.440, 0.188}, {0.072, 0.070, 0.068}, 0.0, 0.0, 0.03},   // paws
    {{0.0, 0.215, -0.185}, {0.060, 0.058, 0.055}, 0.0, 0.0, 0.04},    // tail
    {{0.0, 0.738, 0.240}, {0.036, 0.026, 0.024}, 0.0, 0.0, 0.012},    // nose
    {{0.080, 0.792, 0.162}, {0.027, 0.029, 0.024}, 0.0, 0.0, 0.010},  // eyes
};

// hollows of the ears
static const part hollow = {{0.142, 0.918, 0.060}, {0.044, 0.049, 0.030}, -0.435, 0.0, 0.03};

// to the frame of a part: undo lean, then bow
static pl_vec3 to_part(const part* p, pl_vec3 x) {
    pl_vec3 d = pl_sub(x, p->center);
    double s = p->lean, c = sqrt(1.0 - s * s);
    d = (pl_vec3){c * d.x - s * d.y, s * d.x + c * d.y, d.z};
    s = p->bow, c = sqrt(1.0 - s * s);
    return (pl_vec3){d.x, c * d.y + s * d.z, -s * d.y + c * d.z};
}

// roughly the distance: exact in sign, and to first order at the surface
static double ellipsoid(const part* p, pl_vec3 x) {
    pl_vec3 d = to_part(p, x), r = p->radii;
    pl_vec3 u = {d.x / r.x, d.y / r.y, d.z / r.z};
    pl_vec3 v = {u.x / r.x, u.y / r.y, u.z / r.z};
    double k = pl_norm(u), g = pl_norm(v);
    return g > 0.0 ? k * (k - 1.0) / g : -fmin(r.x, fmin(r.y, r.z));
}

// the lower of two, with a rounded seam: they differ from it only where they are within width
static double blend_union(double a, double b, double width) {
    double lower = a < b ? a : b, overlap = width - fabs(a - b);
    return overlap > 0.0 ? lower - 0.25 * overlap * overlap / width : lower;
}

static double unit_bear(pl_vec3 x) {
    x.x = fabs(x.x);
    double value = ellipsoid(&parts[0], x);
    for (size_t i = 1; i < sizeof parts / sizeof parts[0]; i++)
        value = blend_union(value, ellipsoid(&parts[i], x), parts[i].blend);
    value = -blend_union(-value, ellipsoid(&hollow, x), hollow.blend);
    // flat soles
    return -blend_union(-value, x.y, 0.01);
}

double pl_gummy_bear_distance(const double* point, double height) {
    return height * unit_bear(pl_scale(1.0 / height, pl_vec3_load(point)));
}

static void sample_bear(const double* points, int count, double* values, void* user) {
    double height = *(const double*)user;
    for (int i = 0; i < count; i++)
        values[i] = pl_gummy_bear_distance(points + 3 * (size_t)i, height);
}

// the boundary's triangles as regions: all of them, and those that stand on the ground
static pl_status name_regions(pl_mesh* mesh, double height, pl_error* error) {
    pl_boundary boundary;
    pl_status status = pl_boundary_create(mesh, &boundary, error);
    if (status != PL_OK) return status;
    int* items = PL_ALLOC(int, boundary.count);
    if (!items || !pl_mesh_set_triangle_count(mesh, boundary.count))
        status = pl_fail_memory(error, "the bear's surface");
    int sole_count = 0;
    for (int i = 0; status == PL_OK && i < 3 * boundary.count; i++)
        mesh->triangles[i] = boundary.triangles[i];
    for (int t = 0; status == PL_OK && t < boundary.count; t++) {
        double highest = 0.0;
        for (int k = 0; k < 3; k++)
            highest = fmax(highest, mesh->positions[3 * (size_t)mesh->triangles[3 * t + k] + 1]);
        if (highest < 0.01 * height) items[sole_count++] = t;
    }
    if (status == PL_OK)
        status =
            pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, "soles", 0, items, sole_count, error);
    for (int t = 0; status == PL_OK && t < boundary.count; t++) items[t] = t;
    if (status == PL_OK)
        status = pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, "surface", 0, items, boundary.count,
                                    error);
    PL_FREE(items, int, boundary.count);
    pl_boundary_free(&boundary);
    return status;
}

pl_status pl_gummy_bear(double height, const pl_tetrahedralise_options* options, pl_mesh** out,
                        pl_notes* notes, pl_error* error) {
    *out = NULL;
    if (!(height > 0.0) || !isfinite(height))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "a bear %g m tall is asked for; give a positive "
                       "height",
                       height);
    const double low[3] = {-0.32 * height, 0.0, -0.27 * height};
    const double high[3] = {0.32 * height, height, 0.30 * height};
    pl_status status =
        pl_tetrahedralise_implicit(sample_bear, &height, low, high, options, out, notes, error);
    if (status == PL_OK) status = name_regions(*out, height, error);
    if (status != PL_OK) {
        pl_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

pl_status pl_generate_gummy_bear(const pl_generate_options* options, pl_mesh** out,
                                 pl_error* error) {
    pl_tetrahedralise_options how = pl_default_tetrahedralise_options();
    how.edge = options->edge;
    return pl_gummy_bear(options->height, &how, out, NULL, error);
}
