// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A human-like figure with its arms a little away from the body, and a dress that fits it: a tube
// of cloth around the trunk that widens below the hips.
#include "base/memory.h"
#include "mesh/creature.h"
#include "mesh/generator.h"

#include <math.h>

static const pl_part parts[] = {
    PL_BALL("chest", 0.0, 0.735, 0.0, 0.112, 0.100, 0.076, 0.0),
    PL_LIMB("shoulder", 0.010, 0.795, -0.010, 0.050, 0.125, 0.785, -0.010, 0.044, 0.04),
    PL_BALL("belly", 0.0, 0.620, 0.004, 0.092, 0.105, 0.068, 0.06),
    PL_BALL("hip", 0.0, 0.530, -0.004, 0.116, 0.080, 0.082, 0.06),
    PL_LIMB("neck", 0.0, 0.820, -0.006, 0.036, 0.0, 0.880, 0.004, 0.034, 0.03),
    PL_BALL("head", 0.0, 0.925, 0.010, 0.058, 0.076, 0.068, 0.02),
    PL_BALL("head", 0.0, 0.885, 0.035, 0.036, 0.030, 0.036, 0.03),
    PL_BALL("nose", 0.0, 0.913, 0.080, 0.012, 0.018, 0.014, 0.012),
    PL_BALL("ear", 0.060, 0.920, 0.0, 0.011, 0.022, 0.016, 0.008),
    PL_LIMB("arm", 0.135, 0.780, -0.010, 0.042, 0.240, 0.620, 0.0, 0.034, 0.04),
    PL_LIMB("forearm", 0.240, 0.620, 0.0, 0.034, 0.328, 0.485, 0.030, 0.025, 0.015),
    PL_BALL("hand", 0.348, 0.446, 0.036, 0.022, 0.038, 0.030, 0.015),
    PL_LIMB("hand", 0.362, 0.425, 0.014, 0.0125, 0.385, 0.375, 0.012, 0.010, 0.006),
    PL_LIMB("hand", 0.362, 0.420, 0.034, 0.0125, 0.386, 0.362, 0.038, 0.010, 0.006),
    PL_LIMB("hand", 0.360, 0.424, 0.056, 0.0125, 0.382, 0.374, 0.064, 0.010, 0.006),
    PL_LIMB("hand", 0.338, 0.452, 0.056, 0.0130, 0.330, 0.418, 0.086, 0.010, 0.008),
    PL_LIMB("thigh", 0.062, 0.515, 0.0, 0.074, 0.084, 0.290, 0.006, 0.052, 0.04),
    PL_LIMB("shin", 0.084, 0.290, 0.006, 0.052, 0.090, 0.060, -0.010, 0.033, 0.015),
    PL_BALL("shin", 0.088, 0.205, -0.024, 0.040, 0.085, 0.042, 0.03),
    PL_BALL("foot", 0.094, 0.026, 0.045, 0.038, 0.030, 0.088, 0.03),
};

pl_status pl_generate_human(const pl_generate_options* options, pl_mesh** out, pl_error* error) {
    pl_creature human = {.name = "human",
                         .parts = parts,
                         .part_count = sizeof parts / sizeof parts[0],
                         .symmetric = true,
                         .flat_soles = true};
    pl_creature_measure(&human);
    return pl_generate_creature(&human, options, out, error);
}

// ---------------------------------------------------------------- dress

// of a figure one unit tall
static const double TOP = 0.695, WAIST = 0.62, HIP = 0.53, HEM = 0.30;
static const double GAP = 0.012;  // between skin and cloth
static const double FLARE = 0.45; // how much wider the skirt becomes per length

// the parts under the dress: chest, shoulders, belly, hip and thighs
enum { TRUNK_PARTS = 5, FIRST_THIGH = 16 };

typedef struct dress {
    pl_creature trunk;
    double height; // of the figure
    int around, rows;
} dress;

// distance of the trunk's surface from the axis, at a height and in a direction
static double trunk_radius(const pl_creature* trunk, double y, double x_part, double z_part) {
    double low = 0.0, high = 0.3;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        pl_vec3 p = {middle * x_part, y, middle * z_part};
        if (pl_creature_value(trunk, p, NULL) < 0.0) low = middle;
        else high = middle;
    }
    return high;
}

static pl_vec3 dress_point(const dress* d, double y, double angle) {
    double x = cos(angle), z = sin(angle);
    double body = y > HIP ? y : HIP, below = y < HIP ? HIP - y : 0.0;
    double r = trunk_radius(&d->trunk, body, x, z) + GAP + FLARE * below;
    return pl_scale(d->height, (pl_vec3){r * x, y, r * z});
}

static double row_height(const dress* d, int row) { return TOP + (HEM - TOP) * row / d->rows; }

// rows from top to bottom, each once around; triangles face outwards
static void fill_dress(const dress* d, pl_mesh* mesh) {
    int n = d->around, *t = mesh->triangles, *w = mesh->triangle_uvs;
    for (int row = 0; row <= d->rows; row++)
        for (int k = 0; k < n; k++)
            pl_vec3_store(mesh->positions + 3 * (size_t)(row * n + k),
                          dress_point(d, row_height(d, row), 6.283185307179586 * k / n));
    // the texture has a seam at angle 0
    for (int row = 0; row <= d->rows; row++)
        for (int k = 0; k <= n; k++) {
            double* uv = mesh->uvs + 2 * (size_t)(row * (n + 1) + k);
            uv[0] = 1.0 - (double)k / n;
            uv[1] = 1.0 - (double)row / d->rows;
        }
    for (int row = 0; row < d->rows; row++)
        for (int k = 0; k < n; k++) {
            const int corner[4][2] = {{row, k}, {row, k + 1}, {row + 1, k + 1}, {row + 1, k}};
            static const int order[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};
            for (int c = 0; c < 6; c++) {
                const int* at = corner[order[(row + k) % 2][c]];
                *t++ = at[0] * n + at[1] % n;
                *w++ = at[0] * (n + 1) + at[1];
            }
        }
}

static pl_status add_row(const dress* d, pl_mesh* mesh, const char* name, int row,
                         pl_error* error) {
    int* items = PL_ALLOC(int, d->around);
    if (!items) return pl_fail_memory(error, "a dress");
    for (int k = 0; k < d->around; k++) items[k] = row * d->around + k;
    pl_status status =
        pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, name, 0, items, d->around, error);
    PL_FREE(items, int, d->around);
    return status;
}

static bool allocate_dress(const dress* d, pl_mesh* mesh) {
    int triangles = 2 * d->around * d->rows, uvs = (d->around + 1) * (d->rows + 1);
    if (!mesh || !pl_mesh_set_vertex_count(mesh, d->around * (d->rows + 1)) ||
        !pl_mesh_set_triangle_count(mesh, triangles))
        return false;
    mesh->uvs = PL_ALLOC(double, 2 * (size_t)uvs);
    if (!mesh->uvs) return false;
    mesh->uv_count = uvs;
    mesh->triangle_uvs = PL_ALLOC(int, 3 * (size_t)triangles);
    return mesh->triangle_uvs != NULL;
}

pl_status pl_generate_dress(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    const pl_part trunk[TRUNK_PARTS] = {parts[0], parts[1], parts[2], parts[3], parts[FIRST_THIGH]};
    dress d = {{.name = "trunk", .parts = trunk, .part_count = TRUNK_PARTS, .symmetric = true},
               .height = o->height};
    pl_status status = pl_check_edge(o->edge, (TOP - HEM) * o->height, error);
    if (status != PL_OK) return status;
    // edges have the requested length around the hips and down the side
    double hips = 6.283185307179586 * 0.115 * o->height;
    double slant = (TOP - HEM) * o->height * sqrt(1.0 + FLARE * FLARE * 0.5);
    d.around = pl_cell_count(hips, 0.85 * o->edge, 8);
    d.rows = pl_cell_count(slant, o->edge, 4);
    d.around += d.around % 2; // an even number: triangles alternate
    status = pl_check_element_count(2.0 * d.around * d.rows, error);
    if (status != PL_OK) return status;
    pl_mesh* mesh = pl_mesh_new();
    if (!allocate_dress(&d, mesh)) status = pl_fail_memory(error, "a dress");
    if (status == PL_OK) {
        fill_dress(&d, mesh);
        int waist = (int)lround(d.rows * (TOP - WAIST) / (TOP - HEM));
        status = add_row(&d, mesh, "top", 0, error);
        if (status == PL_OK) status = add_row(&d, mesh, "waist", waist, error);
        if (status == PL_OK) status = add_row(&d, mesh, "hem", d.rows, error);
    }
    if (status == PL_OK) *out = mesh;
    else pl_mesh_destroy(mesh);
    return status;
}
