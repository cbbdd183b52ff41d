// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A closed component bounds a positive volume if it is wound outward. A ray from each component
// tells which others enclose it: those that the ray crosses an odd number of times.
#include "mesh/winding.h"
#include "base/array.h"
#include "base/memory.h"
#include "geometry/bvh.h"
#include "mesh/quality.h"

double pl_cone_volume6(const double* positions, const int* triangle) {
    pl_vec3 p[3];
    pl_load_corners(positions, triangle, 3, p);
    return pl_dot(p[0], pl_cross(p[1], p[2]));
}

typedef struct judge {
    const double* positions;
    const int* triangles;
    const pl_components* components;
    double* volumes; // per component
    int* first;      // per component: its lowest triangle
    pl_bvh tree;
    // of the current ray
    pl_vec3 origin;
    int own;
    pl_array crossed; // int: components, once per crossing
    bool out_of_memory;
} judge;

static const pl_vec3 ray_direction = {0.5773917, 0.5171371, 0.6317853};

// Does the ray cross the triangle? (Moeller and Trumbore 1997, culling nothing)
static bool ray_crosses(pl_vec3 origin, const pl_vec3 p[3]) {
    pl_vec3 u = pl_sub(p[1], p[0]), v = pl_sub(p[2], p[0]), s = pl_sub(origin, p[0]);
    pl_vec3 across = pl_cross(ray_direction, v), q = pl_cross(s, u);
    double det = pl_dot(u, across);
    if (det == 0.0) return false;
    double a = pl_dot(s, across) / det, b = pl_dot(ray_direction, q) / det;
    return a >= 0.0 && b >= 0.0 && a + b <= 1.0 && pl_dot(v, q) / det > 0.0;
}

static bool visit_triangle(int triangle, void* user) {
    judge* j = user;
    int component = j->components->component[triangle];
    if (component == j->own) return true;
    pl_vec3 p[3];
    pl_load_corners(j->positions, j->triangles + 3 * (size_t)triangle, 3, p);
    if (ray_crosses(j->origin, p) && !pl_array_push(&j->crossed, &component))
        j->out_of_memory = true;
    return !j->out_of_memory;
}

// The largest closed component around the given one, or itself.
static int find_outermost(judge* j, int component, const signed char* verdict, int* crossings) {
    pl_vec3 p[3];
    pl_load_corners(j->positions, j->triangles + 3 * (size_t)j->first[component], 3, p);
    j->origin = pl_scale(1.0 / 3.0, pl_add(pl_add(p[0], p[1]), p[2]));
    j->own = component;
    j->crossed.count = 0;
    pl_bvh_ray(&j->tree, j->origin, ray_direction, INFINITY, visit_triangle, j);
    const int* crossed = j->crossed.data;
    int outermost = component;
    for (size_t i = 0; i < j->crossed.count; i++) crossings[crossed[i]] ^= 1;
    for (size_t i = 0; i < j->crossed.count; i++) {
        int other = crossed[i];
        if (crossings[other] && verdict[other] &&
            (outermost == component || fabs(j->volumes[other]) > fabs(j->volumes[outermost])))
            outermost = other;
        crossings[other] = 0;
    }
    return outermost;
}

// Closed components by the sign of their volume alone.
static void judge_alone(judge* j, int triangle_count, const int* neighbours, signed char* verdict) {
    const pl_components* c = j->components;
    for (int i = 0; i < c->count; i++) verdict[i] = 1, j->first[i] = -1;
    for (int t = 0; t < triangle_count; t++) {
        int component = c->component[t];
        if (j->first[component] < 0) j->first[component] = t;
        j->volumes[component] +=
            c->orientation[t] * pl_cone_volume6(j->positions, j->triangles + 3 * (size_t)t);
        for (int side = 3 * t; side < 3 * t + 3; side++) {
            int across = neighbours[side];
            bool twisted = across >= 0 && pl_sides_agree(j->triangles, 3, side, across) !=
                                              (c->orientation[t] == c->orientation[across / 3]);
            if (across < 0 || twisted) verdict[component] = 0;
        }
    }
    for (int i = 0; i < c->count; i++) {
        if (!isfinite(j->volumes[i])) verdict[i] = 0;
        if (verdict[i] && j->volumes[i] < 0.0) verdict[i] = -1;
    }
}

static pl_status judge_nested(judge* j, int triangle_count, signed char* verdict, int* crossings,
                              int* outermost, pl_error* error) {
    pl_status status =
        pl_bvh_build_triangles(j->positions, j->triangles, triangle_count, &j->tree, error);
    if (status != PL_OK) return status;
    int count = j->components->count;
    for (int i = 0; i < count && !j->out_of_memory; i++)
        outermost[i] = verdict[i] ? find_outermost(j, i, verdict, crossings) : i;
    // this does not change verdicts of outermost components, so the order does not matter
    for (int i = 0; i < count && !j->out_of_memory; i++)
        if (outermost[i] != i && outermost[outermost[i]] == outermost[i])
            verdict[i] = verdict[outermost[i]];
    pl_bvh_free(&j->tree);
    pl_array_free(&j->crossed);
    return j->out_of_memory ? pl_fail_memory(error, "the winding of a surface") : PL_OK;
}

pl_status pl_judge_winding(const double* positions, const int* triangles, int triangle_count,
                           const int* neighbours, const pl_components* components,
                           signed char* verdict, pl_error* error) {
    int count = components->count;
    if (count == 0) return PL_OK;
    judge j = {.positions = positions, .triangles = triangles, .components = components};
    j.crossed = pl_array_of(sizeof(int));
    j.volumes = PL_ALLOC(double, count);
    j.first = PL_ALLOC(int, count);
    int *crossings = PL_ALLOC(int, count), *outermost = PL_ALLOC(int, count);
    pl_status status = PL_OK;
    if (j.volumes && j.first && crossings && outermost) {
        judge_alone(&j, triangle_count, neighbours, verdict);
        if (count > 1)
            status = judge_nested(&j, triangle_count, verdict, crossings, outermost, error);
    } else status = pl_fail_memory(error, "the winding of a surface");
    PL_FREE(j.volumes, double, count);
    PL_FREE(j.first, int, count);
    PL_FREE(crossings, int, count);
    PL_FREE(outermost, int, count);
    return status;
}
