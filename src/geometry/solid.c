// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "geometry/solid.h"

pl_status pl_solid_build(const double* positions, const int* triangles, int triangle_count,
                         bool closed, pl_solid* out, pl_error* error) {
    *out = (pl_solid){.closed = closed};
    pl_status status =
        pl_triangle_tree_build(positions, triangles, triangle_count, &out->tree, error);
    if (status == PL_OK) status = pl_winding_build(&out->tree, &out->winding, error);
    if (status != PL_OK) pl_solid_free(out);
    return status;
}

void pl_solid_free(pl_solid* solid) {
    pl_winding_free(&solid->winding);
    pl_triangle_tree_free(&solid->tree);
}

void pl_solid_refit(pl_solid* solid, const double* positions, const int* triangles) {
    pl_triangle_tree_refit(&solid->tree, positions, triangles);
    pl_winding_refit(&solid->winding);
}

bool pl_solid_inside(const pl_solid* solid, pl_vec3 p) {
    return pl_winding_inside(&solid->winding, p);
}

static double unsigned_distance(const pl_solid* solid, pl_vec3 p, double band) {
    return sqrt(pl_triangle_tree_nearest(&solid->tree, p, band).at.distance2);
}

double pl_solid_distance(const pl_solid* solid, pl_vec3 p, double band) {
    double distance = unsigned_distance(solid, p, band);
    return pl_solid_inside(solid, p) ? -distance : distance;
}

void pl_solid_distances(const pl_solid* solid, const double* points, int count, double band,
                        double* values) {
    pl_vec3 last = {0};
    bool inside = false;
    double reach = 0.0; // no triangle is closer to the last point than this
    for (int i = 0; i < count; i++) {
        pl_vec3 p = pl_vec3_load(points + 3 * (size_t)i);
        double distance = unsigned_distance(solid, p, band);
        // with no triangle in between, the side is that of the last point
        bool same_side =
            solid->closed && i > 0 && pl_distance(p, last) < 0.999 * fmax(reach, distance);
        if (!same_side) inside = pl_solid_inside(solid, p);
        last = p;
        reach = distance;
        values[i] = inside ? -distance : distance;
    }
}
