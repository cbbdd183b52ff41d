// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S1 Figs. 4 and 5: a dress on a figure that walks, wind and friction, with the hierarchy and
// without. The dress is that of PLIANT_DATA (bench/scenes/pbd_dress.json); without PLIANT_DATA it
// is the skirt of scenes/pbd_skirt.json. Stretch: the mean over all edges of what they are longer
// than at rest, over the last second. Frames per second are those of whole steps of the world
// (forces, contacts, solver) with the hierarchy; the paper's 30 are with drawing.
#include "base/array.h"
#include "base/memory.h"
#include "base/timer.h"
#include "bench_meshes.h"
#include "math/vec3.h"
#include "mesh/topology.h"

#include <math.h>
#include <pliant/world.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_FRAMES = 300 };

static const char DRESS[] = "surfaces/cloth_dress_20k.obj.gz";

typedef struct garment {
    const char* scene;
    char mesh[1100]; // override that names the mesh; empty: the scene's own
} garment;

typedef struct dress {
    pl_world* world;
    pl_edges edges;
} dress;

static bool fails(pl_status status, const pl_error* error) {
    if (status != PL_OK) fprintf(stderr, "pliant-bench s1-irregular: %s\n", error->text);
    return status != PL_OK;
}

static void dress_free(dress* d) {
    pl_edges_free(&d->edges);
    pl_world_destroy(d->world);
}

static bool dress_create(bench* b, const garment* g, const char* hierarchy, dress* out) {
    *out = (dress){0};
    const char* overrides[] = {hierarchy, g->mesh};
    int count = g->mesh[0] ? 2 : 1;
    pl_scene* scene = NULL;
    pl_error error;
    if (fails(pl_scene_read(g->scene, overrides, count, &scene, NULL, &error), &error))
        return false;
    bool failed = fails(pl_world_create(scene, &out->world, NULL, &error), &error);
    pl_scene_destroy(scene);
    if (failed) return false;
    const pl_mesh* m = pl_world_mesh(out->world, 0);
    bench_mesh_used(b, DRESS, g->mesh[0] ? "PLIANT_DATA" : "scenes/meshes/skirt.obj",
                    m->vertex_count);
    return !fails(
        pl_edges_create(m->triangles, m->triangle_count, 3, m->vertex_count, &out->edges, &error),
        &error);
}

static double edge_length(const double* x, const int* ends) {
    return pl_distance(pl_vec3_load(x + 3 * (size_t)ends[0]),
                       pl_vec3_load(x + 3 * (size_t)ends[1]));
}

static double stretch(const dress* d) {
    const double *rest = pl_world_mesh(d->world, 0)->positions,
                 *x = pl_world_positions(d->world, 0);
    double sum = 0.0;
    for (int e = 0; e < d->edges.count; e++) {
        const int* ends = d->edges.ends + 2 * (size_t)e;
        sum += fmax(edge_length(x, ends) / edge_length(rest, ends) - 1.0, 0.0);
    }
    return sum / d->edges.count;
}

// the mean stretch of the last second and the median time of a frame
static bool walk(dress* d, int frames, double* mean, double* seconds) {
    double times[MOST_FRAMES];
    *mean = 0.0;
    for (int f = 0; f < frames; f++) {
        pl_error error;
        double start = pl_seconds();
        if (fails(pl_world_step(d->world, NULL, &error), &error)) return false;
        times[f] = pl_seconds() - start;
        if (f >= frames - 60) *mean += stretch(d) / 60.0;
    }
    qsort(times, (size_t)frames, sizeof(double), pl_compare_doubles);
    *seconds = times[frames / 2];
    return true;
}

static bool measure(bench* b, const garment* g, const char* hierarchy, const char* stretch_name,
                    const char* rate_name) {
    dress d;
    double mean = 0.0, seconds = 0.0;
    bool done = dress_create(b, g, hierarchy, &d) &&
                walk(&d, bench_quick(b) ? 90 : MOST_FRAMES, &mean, &seconds);
    if (done) {
        bench_result(b, stretch_name, mean, "", NAN);
        bench_result(b, rate_name, 1.0 / seconds, "1/s", NAN);
    }
    dress_free(&d);
    return done;
}

bool bench_s1_irregular(bench* b) {
    garment g = {.scene = PL_BENCH_SOURCE_DIR "/scenes/pbd_skirt.json"};
    char path[1024];
    if (bench_data_path(DRESS, path, sizeof path)) {
        g.scene = PL_BENCH_SOURCE_DIR "/bench/scenes/pbd_dress.json";
        snprintf(g.mesh, sizeof g.mesh, "bodies[0].mesh=%s", path);
    }
    return measure(b, &g, "bodies[0].hierarchy=0", "irregular_stretch_plain",
                   "irregular_fps_plain") &&
           measure(b, &g, "bodies[0].hierarchy=5", "irregular_stretch_mg", "irregular_fps");
}
