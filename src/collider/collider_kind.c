// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "collider/collider_kind.h"
#include "scene/animation.h"

#include <math.h>

#define KIND_ROW(X, CODE, name, type, help) [PL_COLLIDER_##CODE] = &pl_collider_##name,
static const pl_collider_kind* const kinds[PL_COLLIDER_COUNT] = {PL_COLLIDER_TABLE(KIND_ROW, )};
#undef KIND_ROW

const pl_collider_kind* pl_collider_kind_of(const pl_collider* c) { return kinds[c->shape]; }

pl_obstacle pl_collider_obstacle(const pl_collider* c) {
    pl_obstacle obstacle = kinds[c->shape]->obstacle(c);
    obstacle.kind = &kinds[c->shape]->solid;
    return obstacle;
}

const pl_mesh_shape* pl_collider_surface(const pl_collider* c) {
    return kinds[c->shape]->surface ? kinds[c->shape]->surface(c) : NULL;
}

pl_collider_points pl_collider_points_of(const pl_collider* c) {
    return kinds[c->shape]->points ? kinds[c->shape]->points(c) : (pl_collider_points){0};
}

void pl_collider_place_points(const pl_collider* c, double* points, int count) {
    const pl_mesh_shape* surface = pl_collider_surface(c);
    if (surface) pl_transform_apply(&surface->transform, points, count);
}

bool pl_collider_has_cache(const pl_collider* c) {
    const char* cache = pl_collider_points_of(c).cache;
    return cache && cache[0];
}

pl_status pl_collider_read_surface(const pl_collider* c, pl_mesh** out, pl_notes* notes,
                                   pl_error* error) {
    const pl_mesh_shape* surface = pl_collider_surface(c);
    *out = NULL;
    if (!surface) return PL_OK;
    pl_status status = pl_mesh_read(surface->file, NULL, out, notes, error);
    if (status != PL_OK) return status;
    pl_transform_apply(&surface->transform, (*out)->positions, (*out)->vertex_count);
    return PL_OK;
}

pl_vec3 pl_collider_middle(const pl_collider* c, const pl_mesh* mesh) {
    if (mesh) return pl_box_center(pl_box_of_points(mesh->positions, mesh->vertex_count));
    pl_obstacle obstacle = pl_collider_obstacle(c);
    pl_box box = pl_obstacle_bounds(&obstacle);
    return pl_box_is_finite(box) ? pl_box_center(box) : obstacle.a;
}

bool pl_collider_is_ground(const pl_collider* c, int up_axis, double* height) {
    if (c->shape != PL_COLLIDER_PLANE || pl_motion_moves(&c->motion)) return false;
    const double* n = c->plane.normal;
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    *height = c->plane.point[up_axis];
    return n[up_axis] > (1.0 - 1e-9) * length;
}
