// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/thickness.h"
#include "base/array.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLE_COUNT = 2048, SAMPLE_BLOCK = 32, MAX_INNER_WALLS = 8 };

// cosine of the steepest angle at which a ray may leave through the opposite wall
static const double MIN_COSINE = 0.5;
// rays start this far below the surface, by the diagonal, so that they miss their own triangle
static const double START_SHARE = 1e-6;

typedef struct probing {
    const pl_mesh* surface;
    const pl_solid* solid;
    const double* area_until; // per triangle: area of all triangles up to and with it
    double start;             // distance of a ray's origin from the surface
    double length;            // of a ray
    double* thickness;        // per sample, NAN where nothing was found
} probing;

static pl_vec3 corner(const pl_mesh* surface, int triangle, int k) {
    int vertex = surface->triangles[3 * (size_t)triangle + (size_t)k];
    return pl_vec3_load(surface->positions + 3 * (size_t)vertex);
}

static pl_vec3 area_vector(const pl_mesh* surface, int triangle) {
    pl_vec3 a = corner(surface, triangle, 0);
    pl_vec3 b = corner(surface, triangle, 1), c = corner(surface, triangle, 2);
    return pl_scale(0.5, pl_cross(pl_sub(b, a), pl_sub(c, a)));
}

// the triangle in which the running sum of areas passes this one
static int triangle_at(const probing* p, double area) {
    int low = 0, high = p->surface->triangle_count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->area_until[middle] > area) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Distance to the opposite wall along a unit direction; NAN if the ray is outside or leaves through
// a wall that is not opposite. Walls inside the body, where parts of the surface overlap, are
// ignored.
static double cast(const probing* p, pl_vec3 point, pl_vec3 direction) {
    pl_vec3 origin = pl_madd(point, p->start, direction);
    double thickness = p->start;
    for (int wall = 0; wall < MAX_INNER_WALLS; wall++) {
        pl_hit hit = pl_triangle_tree_ray(&p->solid->tree, origin, direction, p->length);
        if (hit.triangle < 0) return NAN;
        if (!pl_solid_inside(p->solid, pl_madd(origin, 0.5 * hit.t, direction))) return NAN;
        origin = pl_madd(origin, hit.t + p->start, direction);
        thickness += hit.t + p->start;
        if (pl_solid_inside(p->solid, origin)) continue;
        pl_vec3 normal = pl_normalize(area_vector(p->surface, hit.triangle));
        return fabs(pl_dot(normal, direction)) >= MIN_COSINE ? thickness : NAN;
    }
    return NAN;
}

static double measure_sample(const probing* p, int sample) {
    double total = p->area_until[p->surface->triangle_count - 1];
    int t = triangle_at(p, total * (sample + 0.5) / SAMPLE_COUNT);
    // spread over the triangle by a low-discrepancy sequence
    double u = fmod(0.5 + 0.7548776662466927 * sample, 1.0);
    double v = fmod(0.5 + 0.5698402909980532 * sample, 1.0);
    if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
    pl_vec3 a = corner(p->surface, t, 0);
    pl_vec3 point = pl_madd(a, u, pl_sub(corner(p->surface, t, 1), a));
    point = pl_madd(point, v, pl_sub(corner(p->surface, t, 2), a));
    pl_vec3 normal = pl_normalize(area_vector(p->surface, t));
    // triangles of surfaces that are inside out face inwards
    double inwards = cast(p, point, pl_scale(-1.0, normal));
    return isnan(inwards) ? cast(p, point, normal) : inwards;
}

static void measure_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const probing* p = user;
    for (int s = begin; s < end; s++) p->thickness[s] = measure_sample(p, s);
}

static void take_quantiles(double* values, pl_thickness* out) {
    int count = 0;
    for (int s = 0; s < SAMPLE_COUNT; s++)
        if (!isnan(values[s])) values[count++] = values[s];
    if (count == 0) return;
    qsort(values, (size_t)count, sizeof(double), pl_compare_doubles);
    out->thin = values[count / 20];
    out->median = values[count / 2];
}

pl_status pl_surface_thickness(const pl_mesh* surface, const pl_solid* solid, pl_pool* pool,
                               pl_thickness* out, pl_error* error) {
    *out = (pl_thickness){NAN, NAN};
    int count = surface->triangle_count;
    if (count == 0 || solid->tree.bvh.node_count == 0) return PL_OK;
    double diagonal = pl_box_diagonal(solid->tree.bvh.nodes[0].box), sum = 0.0;
    double* areas = PL_ALLOC(double, count);
    double* values = PL_ALLOC(double, SAMPLE_COUNT);
    bool allocated = areas && values;
    for (int t = 0; allocated && t < count; t++) areas[t] = sum += pl_norm(area_vector(surface, t));
    if (allocated && sum > 0.0) {
        probing p = {surface, solid, areas, START_SHARE * diagonal, 2.0 * diagonal, values};
        pl_parallel_for(pool, measure_task, SAMPLE_COUNT, SAMPLE_BLOCK, &p);
        take_quantiles(values, out);
    }
    PL_FREE(areas, double, count);
    PL_FREE(values, double, SAMPLE_COUNT);
    return allocated ? PL_OK : pl_fail_memory(error, "the thickness of a surface");
}
