// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "bench_meshes.h"

#include <math.h>
#include <pliant/generate.h>
#include <pliant/mesh_surface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// The creatures that stand in for real meshes, by a word of the file's name. One of height h has
// about inner (h / edge)^3 + outer (h / edge)^2 vertices.
static const struct stand_in {
    const char *word, *shape, *source;
    double inner, outer;
} stand_ins[] = {{"armadillo", "armadillo", "generated armadillo", 0.118, 1.51},
                 {"dragon", "dragon", "generated dragon", 0.154, 2.99},
                 {"octopus", "octopus", "generated octopus", 0.214, 2.62},
                 {"bunny", "bunny", "generated bunny", 0.134, 1.54},
                 {"", "gummy_bear", "generated gummy_bear", 0.19, 1.6}};

static const struct stand_in* stand_in_of(const char* file) {
    const struct stand_in* s = stand_ins;
    while (!strstr(file, s->word)) s++; // the last one has no word
    return s;
}

static double edge_of(const struct stand_in* s, double height, int vertex_count) {
    double r = cbrt(vertex_count / s->inner);
    for (int k = 0; k < 20; k++) // Newton's method from above
        r -= (s->inner * r * r * r + s->outer * r * r - vertex_count) /
             (3.0 * s->inner * r * r + 2.0 * s->outer * r);
    return height / r;
}

const char* bench_stand_in(const char* file, int vertex_count, double* height, double* edge) {
    const struct stand_in* s = stand_in_of(file);
    pl_generate_options options;
    if (pl_generate_defaults(s->shape, &options, NULL) != PL_OK) return NULL;
    *height = options.height;
    *edge = edge_of(s, options.height, vertex_count);
    return s->shape;
}

static pl_status make_stand_in(const char* file, int vertex_count, pl_mesh** out, pl_error* error) {
    const struct stand_in* s = stand_in_of(file);
    pl_generate_options options;
    *out = NULL;
    pl_status status = pl_generate_defaults(s->shape, &options, error);
    if (status != PL_OK) return status;
    options.edge = edge_of(s, options.height, vertex_count);
    return pl_generate(s->shape, &options, out, error);
}

pl_status bench_solid_mesh(bench* b, const char* file, int vertex_count, pl_mesh** out,
                           pl_error* error) {
    char path[1024];
    *out = NULL;
    if (bench_data_path(file, path, sizeof path)) return read_real(b, path, file, out, error);
    pl_status status = make_stand_in(file, vertex_count, out, error);
    if (status == PL_OK) bench_mesh_used(b, file, stand_in_of(file)->source, (*out)->vertex_count);
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
    // our armadillo of this height has the volume of the real one of height 1 m, 0.0686 m^3
    static const double height = 0.990;
    enum { SOLID_VERTICES = 64000 }; // 15 000 of them on the surface
    char path[1024];
    *out = NULL;
    if (bench_data_path(file, path, sizeof path)) return read_real(b, path, file, out, error);
    pl_mesh* solid;
    pl_status status = make_stand_in(file, SOLID_VERTICES, &solid, error);
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
    if (status == PL_OK) bench_mesh_used(b, file, stand_in_of(file)->source, (*out)->vertex_count);
    return status;
}
