// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Isosurface stuffing at about 200 000 vertices: of the gummy bear's function, and of a triangle
// surface (the boundary of a bear) through distances and winding numbers.
#include "bench.h"

#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>

typedef struct stuffing {
    const pl_mesh* surface; // NULL: the function
    pl_tetrahedralise_options options;
    pl_mesh* mesh;
    pl_error error;
    pl_status status;
} stuffing;

static void run_stuffing(void* user) {
    stuffing* s = user;
    pl_mesh_destroy(s->mesh);
    s->status = s->surface ? pl_tetrahedralise(s->surface, &s->options, &s->mesh, NULL, &s->error)
                           : pl_gummy_bear(0.1, &s->options, &s->mesh, NULL, &s->error);
}

static bool failed(const pl_error* error) {
    fprintf(stderr, "pliant-bench stuffing: %s\n", error->text);
    return false;
}

static bool measure(bench* b, stuffing* s, const char* what) {
    double seconds = bench_seconds(run_stuffing, s, bench_quick(b) ? 1 : 5);
    if (s->status != PL_OK) return failed(&s->error);
    pl_mesh_check_options options = {.skip_intersections = true};
    pl_mesh_report report;
    if (pl_mesh_check(s->mesh, &options, s->options.pool, &report, &s->error) != PL_OK)
        return failed(&s->error);
    char name[64];
    const struct {
        const char *name, *unit;
        double value, paper;
    } rows[] = {
        {"vertices", "", s->mesh->vertex_count, NAN},
        {"tets", "", s->mesh->tet_count, NAN},
        {"seconds", "s", seconds, NAN},
        {"vertices per second", "1/s", s->mesh->vertex_count / seconds, NAN},
        {"smallest dihedral angle", "degrees", report.quality.angle_min, 10.78},
        {"largest dihedral angle", "degrees", report.quality.angle_max, 164.83},
    };
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
        snprintf(name, sizeof name, "%s, %s", what, rows[i].name);
        bench_result(b, name, rows[i].value, rows[i].unit, rows[i].paper);
    }
    return true;
}

static bool measure_all(bench* b, stuffing* bear, stuffing* skin) {
    if (!measure(b, bear, "bear")) return false;
    pl_surface* surface;
    if (pl_mesh_surface(bear->mesh, &surface, &bear->error) != PL_OK) return failed(&bear->error);
    skin->surface = surface->mesh;
    bench_result(b, "surface, triangles", surface->mesh->triangle_count, "", NAN);
    bool done = measure(b, skin, "surface");
    pl_surface_destroy(surface);
    return done;
}

bool bench_stuffing(bench* b) {
    stuffing bear = {.options = pl_default_tetrahedralise_options()};
    if (pl_pool_create(0, &bear.options.pool, &bear.error) != PL_OK) return failed(&bear.error);
    bear.options.edge = bench_quick(b) ? 0.002 : 0.00101;
    stuffing skin = {.options = bear.options};
    bool done = measure_all(b, &bear, &skin);
    pl_mesh_destroy(bear.mesh);
    pl_mesh_destroy(skin.mesh);
    pl_pool_destroy(bear.options.pool);
    return done;
}
