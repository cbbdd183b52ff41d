// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_folds.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <pliant/world.h>
#include <stdio.h>
#include <stdlib.h>

// one side of a triangle
typedef struct half_edge {
    int low, high; // vertices
    int triangle;
} half_edge;

static int compare_edges(const void* one, const void* two) {
    const half_edge *a = one, *b = two;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static int compare_numbers(const void* one, const void* two) {
    double a = *(const double*)one, b = *(const double*)two;
    return a < b ? -1 : a > b;
}

static void list_edges(const pl_mesh* m, half_edge* out) {
    for (int k = 0; k < 3 * m->triangle_count; k++) {
        int v = m->triangles[k], w = m->triangles[k / 3 * 3 + (k + 1) % 3];
        out[k] = (half_edge){v < w ? v : w, v < w ? w : v, k / 3};
    }
    qsort(out, 3 * (size_t)m->triangle_count, sizeof *out, compare_edges);
}

static pl_vec3 normal(const pl_mesh* m, const double* positions, int t) {
    pl_vec3 x[3];
    for (int i = 0; i < 3; i++)
        x[i] = pl_vec3_load(positions + 3 * (size_t)m->triangles[3 * (size_t)t + (size_t)i]);
    return pl_normalize(pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0])));
}

// between two triangles, with a sign that tells the side it is folded to [deg]
static double angle(const pl_mesh* m, const double* positions, const half_edge* e) {
    pl_vec3 one = normal(m, positions, e[0].triangle), two = normal(m, positions, e[1].triangle);
    pl_vec3 along = pl_sub(pl_vec3_load(positions + 3 * (size_t)e->high),
                           pl_vec3_load(positions + 3 * (size_t)e->low));
    double sine = pl_dot(pl_cross(one, two), pl_normalize(along));
    return atan2(sine, pl_dot(one, two)) * 180.0 / PL_PI;
}

static pl_status measure(const pl_mesh* m, const double* positions, s4_folds* out,
                         pl_error* error) {
    size_t size = 3 * (size_t)m->triangle_count;
    half_edge* edges = PL_ALLOC(half_edge, size);
    double *changes = PL_ALLOC(double, size), sum = 0.0;
    int count = 0;
    *out = (s4_folds){.triangle_count = m->triangle_count};
    if (edges && changes) {
        list_edges(m, edges);
        for (size_t k = 0; k + 1 < size; k++) {
            if (edges[k].low != edges[k + 1].low || edges[k].high != edges[k + 1].high) continue;
            double change = angle(m, positions, &edges[k]) - angle(m, m->positions, &edges[k]);
            changes[count] = fabs(remainder(change, 360.0));
            sum += changes[count++];
        }
        qsort(changes, (size_t)count, sizeof *changes, compare_numbers);
        if (count) out->mean = sum / count, out->most = changes[(size_t)(0.98 * (count - 1))];
    }
    pl_status status = edges && changes ? PL_OK : pl_fail_memory(error, "folds");
    PL_FREE(edges, half_edge, size);
    PL_FREE(changes, double, size);
    return status;
}

pl_status s4_scene_folds(const char* path, const char* embedding, double edge, double cell,
                         int frames, s4_folds* out, pl_error* error) {
    char mode[64], fine[64], coarse[64];
    snprintf(mode, sizeof mode, "bodies[0].grid.embedding=%s", embedding);
    snprintf(fine, sizeof fine, "bodies[0].generate.edge=%g", edge);
    snprintf(coarse, sizeof coarse, "bodies[0].grid.cell=%g", cell);
    const char* overrides[] = {mode, fine, coarse};
    pl_scene* scene;
    pl_world* world;
    pl_status status = pl_scene_read(path, overrides, 3, &scene, NULL, error);
    if (status != PL_OK) return status;
    status = pl_world_create(scene, &world, NULL, error);
    pl_scene_destroy(scene);
    if (status != PL_OK) return status;
    for (int k = 0; status == PL_OK && k < frames; k++) status = pl_world_step(world, NULL, error);
    if (status == PL_OK)
        status = measure(pl_world_mesh(world, 0), pl_world_positions(world, 0), out, error);
    pl_world_destroy(world);
    return status;
}
