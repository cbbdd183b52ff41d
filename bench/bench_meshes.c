// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "bench_meshes.h"

#include <math.h>
#include <pliant/generate.h>
#include <pliant/mesh_surface.h>
#include <stdio.h>
#include <stdlib.h>

bool bench_has_data(void) { return getenv("PLIANT_DATA"); }

bool bench_data_path(const char* file, char* path, int size) {
    const char* folder = getenv("PLIANT_DATA");
    if (folder) snprintf(path, (size_t)size, "%s/%s", folder, file);
    return folder;
}

static pl_status read_real(bench* b, const char* path, const char* file, pl_mesh** out,
                           pl_error* error) {
    pl_status status = pl_mesh_read(path, NULL, out, NULL, error);
    if (status == PL_OK) bench_mesh_used(b, file, "PLIANT_DATA", (*out)->vertex_count);
    return status;
}

// The bear of height h with this edge has about 0.19 (h / edge)^3 + 1.6 (h / edge)^2 vertices.
static double bear_edge(double height, int vertex_count) {
    double r = cbrt(vertex_count / 0.19);
    for (int k = 0; k < 20; k++) // Newton's method from above
        r -= (0.19 * r * r * r + 1.6 * r * r - vertex_count) / (0.57 * r * r + 3.2 * r);
    return height / r;
}

static pl_status make_bear(int vertex_count, pl_mesh** out, pl_error* error) {
    pl_generate_options options;
    *out = NULL;
    pl_status status = pl_generate_defaults("gummy_bear", &options, error);
    if (status != PL_OK) return status;
    options.edge = bear_edge(options.height, vertex_count);
    return pl_generate("gummy_bear", &options, out, error);
}

pl_status bench_solid_mesh(bench* b, const char* file, int vertex_count, pl_mesh** out,
                           pl_error* error) {
    char path[1024];
    *out = NULL;
    if (bench_data_path(file, path, sizeof path)) return read_real(b, path, file, out, error);
    pl_status status = make_bear(vertex_count, out, error);
    if (status == PL_OK) bench_mesh_used(b, file, "generated gummy_bear", (*out)->vertex_count);
    return status;
}

void bench_make_unit_size(pl_mesh* mesh) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, size = 0.0;
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
        high[i % 3] = fmax(high[i % 3], mesh->positions[i]);
    }
    for (int c = 0; c < 3; c++) size = fmax(size, high[c] - low[c]);
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        mesh->positions[i] = (mesh->positions[i] - low[i % 3]) / size;
}

pl_status bench_surface_mesh(bench* b, const char* file, pl_mesh** out, pl_error* error) {
    // a bear of this height has the volume of the armadillo of height 1 m, 0.0686 m^3
    static const double height = 0.837;
    enum { SOLID_VERTICES = 64000 }; // 12 000 of them on the surface
    char path[1024];
    *out = NULL;
    if (bench_data_path(file, path, sizeof path)) return read_real(b, path, file, out, error);
    pl_mesh* solid;
    pl_status status = make_bear(SOLID_VERTICES, &solid, error);
    if (status != PL_OK) return status;
    bench_make_unit_size(solid);
    for (int i = 0; i < 3 * solid->vertex_count; i++) solid->positions[i] *= height;
    pl_surface* surface;
    status = pl_mesh_surface(solid, &surface, error);
    pl_mesh_destroy(solid);
    if (status != PL_OK) return status;
    status = pl_mesh_create(surface->mesh->positions, surface->mesh->vertex_count, NULL, 0,
                            surface->mesh->triangles, surface->mesh->triangle_count, out, error);
    pl_surface_destroy(surface);
    if (status == PL_OK) bench_mesh_used(b, file, "generated gummy_bear", (*out)->vertex_count);
    return status;
}
