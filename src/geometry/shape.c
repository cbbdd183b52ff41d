// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "geometry/shape.h"

pl_status pl_shape_build(const double* positions, int vertex_count, const int* triangles,
                         int triangle_count, pl_shape* out, pl_error* error) {
    *out = (pl_shape){0};
    pl_status status = pl_surface_edges_count(positions, vertex_count, triangles, triangle_count,
                                              &out->edges, error);
    if (status == PL_OK)
        status = pl_triangle_tree_build(positions, triangles, triangle_count, &out->tree, error);
    if (status == PL_OK) status = pl_winding_build(&out->tree, &out->winding, error);
    if (status != PL_OK) pl_shape_free(out);
    out->closed = out->edges.manifold_count == out->edges.edge_count;
    out->turned = out->edges.signed_volume < 0.0;
    return status;
}

void pl_shape_free(pl_shape* shape) {
    pl_winding_free(&shape->winding);
    pl_triangle_tree_free(&shape->tree);
}

bool pl_shape_inside(const pl_shape* shape, pl_vec3 p) {
    if (!shape->turned) return pl_winding_inside(&shape->winding, p);
    return pl_winding_number(&shape->winding, p, 4.0) < -0.5;
}

static double unsigned_distance(const pl_shape* shape, pl_vec3 p, double band) {
    return sqrt(pl_triangle_tree_nearest(&shape->tree, p, band).at.distance2);
}

double pl_shape_distance(const pl_shape* shape, pl_vec3 p, double band) {
    double distance = unsigned_distance(shape, p, band);
    return pl_shape_inside(shape, p) ? -distance : distance;
}

void pl_shape_distances(const pl_shape* shape, const double* points, int count, double band,
                        double* values) {
    pl_vec3 last = {0};
    bool inside = false;
    double reach = 0.0; // no triangle is nearer than this to the last point
    for (int i = 0; i < count; i++) {
        pl_vec3 p = pl_vec3_load(points + 3 * (size_t)i);
        double distance = unsigned_distance(shape, p, band);
        // without a triangle in between, the side is that of the last point
        bool same_side =
            shape->closed && i > 0 && pl_distance(p, last) < 0.999 * fmax(reach, distance);
        if (!same_side) inside = pl_shape_inside(shape, p);
        last = p;
        reach = distance;
        values[i] = inside ? -distance : distance;
    }
}
