// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Heaps of bodies in a box. `letters_*`: 48 letters under method pbd (S3 Fig. 14 has 48 letters of
// 105k vertices and 371k tets at 38 frames a second, on a GPU). `bodies_*`: 12 bears under method
// fem with Newton's method, whose barrier promises that nothing crosses. For each: crossings in all
// frames [intersections], the deepest vertex below the ground or beyond a wall in edges
// [depth_part], the largest change of a body's volume, the part of a frame that finding pairs takes
// [detect_share], frames a second. Parts: letters, bodies. --quick: few coarse bodies. --frames N:
// the first N frames.
#include "math/vec3.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NAME[] = "contact-heap";
enum { MAX_BODIES = 48, PER_LAYER = 4, FRAMES_OF_A_LINE = 50 };

typedef struct heap {
    const char* part;
    const char* shape; // of `generate`, without its size
    const char* method;
    int body_count, frame_count;
    double height, edge; // [m]
    double half_width;   // of the box [m]
} heap;

static void body_text(const heap* h, int k, char* out, size_t size) {
    const int at = k % PER_LAYER;
    const double gap = 0.4 * h->half_width; // all of a body that leans is inside the box
    snprintf(out, size,
             "%s{\"generate\": {\"shape\": \"%s\", \"height\": %g, \"edge\": %g}, "
             "\"method\": \"%s\", \"material\": {\"young\": 2e4, \"poisson\": 0.45}, "
             "\"transform\": {\"rotate\": [%d, %d, %d], \"translate\": [%g, %g, %g]}}",
             k ? ", " : "", h->shape, h->height, h->edge, h->method, 37 * k % 70 - 35, 67 * k % 360,
             53 * k % 80 - 40, at % 2 ? gap : -gap, h->height * (0.8 + 1.4 * (k / PER_LAYER)),
             at / 2 ? gap : -gap);
}

static pl_world* heap_world(const heap* h) {
    char bodies[16000] = "";
    for (int k = 0; k < h->body_count; k++)
        body_text(h, k, bodies + strlen(bodies), sizeof bodies - strlen(bodies));
    const double w = h->half_width;
    return s3_world(NAME,
                    "{\"pliant\": 1, \"bodies\": [%s], \"colliders\": [{\"plane\": {}}, "
                    "{\"plane\": {\"point\": [%g, 0, 0], \"normal\": [1, 0, 0]}}, "
                    "{\"plane\": {\"point\": [%g, 0, 0], \"normal\": [-1, 0, 0]}}, "
                    "{\"plane\": {\"point\": [0, 0, %g], \"normal\": [0, 0, 1]}}, "
                    "{\"plane\": {\"point\": [0, 0, %g], \"normal\": [0, 0, -1]}}]}",
                    bodies, -w, w, -w, w);
}

// what is looked at in every frame
typedef struct tally {
    double vertices, tets, pairs; // pairs: the most in a frame
    double depth, volume_change;
    double detect, seconds;
    int crossings, not_finite;
} tally;

static void look(const heap* h, pl_world* world, const double* volumes, tally* t) {
    const double w = h->half_width;
    t->crossings += pl_world_crossings(world);
    for (int b = 0; b < h->body_count; b++) {
        const pl_mesh* mesh = pl_world_mesh(world, b);
        const double* x = pl_world_positions(world, b);
        for (int v = 0; v < mesh->vertex_count; v++) {
            const pl_vec3 at = pl_vec3_load(x + 3 * (size_t)v);
            const double depth = fmax(-at.y, fmax(fabs(at.x), fabs(at.z)) - w);
            t->not_finite += !isfinite(depth);
            t->depth = fmax(t->depth, depth / h->edge);
        }
        t->volume_change = fmax(t->volume_change, fabs(s3_volume(mesh, x) / volumes[b] - 1.0));
    }
}

static bool run(const heap* h, pl_world* world, tally* t) {
    double volumes[MAX_BODIES];
    for (int b = 0; b < h->body_count; b++) {
        const pl_mesh* mesh = pl_world_mesh(world, b);
        volumes[b] = s3_volume(mesh, mesh->positions);
        t->vertices += mesh->vertex_count;
        t->tets += mesh->tet_count;
    }
    for (int k = 0; k < h->frame_count; k++) {
        pl_frame_info info;
        if (!s3_step(NAME, world, &info)) return false;
        t->detect += info.detect_seconds;
        t->seconds += info.seconds;
        t->pairs = fmax(t->pairs, info.contact_count);
        look(h, world, volumes, t);
        if ((k + 1) % FRAMES_OF_A_LINE) continue;
        printf("  %s: frame %d of %d, %.3g s a frame, %d contacts, depth %.2g edges\n", h->part,
               k + 1, h->frame_count, t->seconds / (k + 1), info.contact_count, t->depth);
        fflush(stdout);
    }
    return true;
}

static bool run_heap(bench* b, const heap* h) {
    const char* asked = bench_part(b);
    if (asked && strcmp(asked, h->part) != 0) return true;
    pl_world* world = heap_world(h);
    tally t = {0};
    const bool ok = world && run(h, world, &t);
    pl_world_destroy(world);
    if (!ok) return false;
    const struct {
        const char* name;
        double value;
        const char* unit;
    } results[] = {{"vertices", t.vertices, ""},
                   {"tets", t.tets, ""},
                   {"contacts", t.pairs, ""},
                   {"frames", h->frame_count, ""},
                   {"not_finite", t.not_finite, ""},
                   {"intersections", t.crossings, ""},
                   {"depth_part", t.depth, "edges"},
                   {"volume_change", t.volume_change, ""},
                   {"detect_share", t.detect / t.seconds, ""},
                   {"fps", h->frame_count / t.seconds, "1/s"}};
    for (size_t k = 0; k < sizeof results / sizeof results[0]; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s", h->part, results[k].name);
        bench_result(b, name, results[k].value, results[k].unit,
                     strcmp(name, "letters_fps") == 0 ? 38.0 : NAN);
    }
    return true;
}

bool bench_contact_heap(bench* b) {
    const bool quick = bench_quick(b);
    const heap letters = {"letters",
                          "letter",
                          "pbd",
                          quick ? 6 : 48,
                          bench_frames(b, quick ? 30 : 1000),
                          0.1,
                          quick ? 0.012 : 0.004,
                          0.17};
    const heap bodies = {
        "bodies", "gummy_bear",           "fem", quick ? 3 : 12, bench_frames(b, quick ? 40 : 300),
        0.1,      quick ? 0.016 : 0.0056, 0.17};
    return run_heap(b, &letters) && run_heap(b, &bodies);
}
