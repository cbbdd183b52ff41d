// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Divergence theorem: the volume is the sum of the cones over the triangles that bound the inside.
// A triangle is a boundary if exactly one of its sides is inside. Which side it is decides the sign
// of the cone, not the orientation of the triangle.
#include "grid/grid_volume.h"
#include "geometry/box.h"
#include "geometry/solid.h"

#include <math.h>

enum { TRIANGLES_PER_TASK = 256 };
// Distance of the test points on both sides of a triangle, relative to the body's diagonal.
static const double SIDE_DISTANCE = 1e-7;

double pl_grid_tet_volume(const pl_mesh* mesh) {
    double sum = 0.0;
    for (int t = 0; t < mesh->tet_count; t++) {
        const int* v = mesh->tets + 4 * (size_t)t;
        pl_vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(mesh->positions + 3 * (size_t)v[i]);
        sum += fabs(pl_det4(x[0], x[1], x[2], x[3])) / 6.0;
    }
    return sum;
}

typedef struct volume_job {
    const pl_mesh* surface;
    const pl_solid* solid;
    pl_vec3 middle;
    double side_distance;
} volume_job;

static double cones_of(int begin, int end, void* user) {
    const volume_job* job = user;
    double sum = 0.0;
    for (int t = begin; t < end; t++) {
        const int* v = job->surface->triangles + 3 * (size_t)t;
        pl_vec3 x[3];
        for (int i = 0; i < 3; i++)
            x[i] = pl_sub(pl_vec3_load(job->surface->positions + 3 * (size_t)v[i]), job->middle);
        pl_vec3 normal = pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0]));
        double twice_area = pl_norm(normal);
        if (!(twice_area > 0.0)) continue;
        pl_vec3 center = pl_madd(job->middle, 1.0 / 3.0, pl_add(x[0], pl_add(x[1], x[2])));
        double step = job->side_distance / twice_area;
        int sign = (int)pl_solid_inside(job->solid, pl_madd(center, -step, normal)) -
                   (int)pl_solid_inside(job->solid, pl_madd(center, step, normal));
        sum += sign * pl_dot(x[0], pl_cross(x[1], x[2])) / 6.0;
    }
    return sum;
}

pl_status pl_grid_enclosed_volume(const pl_mesh* surface, pl_pool* pool, double* out,
                                  pl_error* error) {
    pl_solid solid;
    pl_status status = pl_solid_build(surface->positions, surface->triangles,
                                      surface->triangle_count, true, &solid, error);
    *out = 0.0;
    if (status != PL_OK) return status;
    pl_box box = pl_box_empty();
    for (int v = 0; v < surface->vertex_count; v++)
        box = pl_box_add_point(box, pl_vec3_load(surface->positions + 3 * (size_t)v));
    volume_job job = {surface, &solid, pl_lerp(box.low, box.high, 0.5),
                      SIDE_DISTANCE * pl_box_diagonal(box)};
    *out = pl_parallel_sum(pool, cones_of, surface->triangle_count, TRIANGLES_PER_TASK, &job);
    pl_solid_free(&solid);
    return PL_OK;
}
