// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The colliders of a scene as moving solids.
#include "base/memory.h"
#include "scene/animation.h"
#include "world/world_build.h"

#include <math.h>

static pl_obstacle obstacle_of(const pl_collider* c) {
    switch (c->shape) {
    case PL_COLLIDER_PLANE:
        return (pl_obstacle){.kind = PL_OBSTACLE_PLANE,
                             .a = pl_vec3_load(c->plane.point),
                             .b = pl_vec3_load(c->plane.normal)};
    case PL_COLLIDER_SPHERE:
        return (pl_obstacle){.kind = PL_OBSTACLE_SPHERE,
                             .a = pl_vec3_load(c->sphere.center),
                             .radius = c->sphere.radius};
    case PL_COLLIDER_BOX:
        return (pl_obstacle){
            .kind = PL_OBSTACLE_BOX, .a = pl_vec3_load(c->box.min), .b = pl_vec3_load(c->box.max)};
    case PL_COLLIDER_CAPSULE:
        return (pl_obstacle){.kind = PL_OBSTACLE_CAPSULE,
                             .a = pl_vec3_load(c->capsule.from),
                             .b = pl_vec3_load(c->capsule.to),
                             .radius = c->capsule.radius};
    case PL_COLLIDER_CHAIN:
        return (pl_obstacle){.kind = PL_OBSTACLE_CHAIN,
                             .point_count = c->chain.point_count,
                             .points = c->chain.points,
                             .radius_count = c->chain.radius_count,
                             .radii = c->chain.radii};
    case PL_COLLIDER_CYLINDER:
        return (pl_obstacle){.kind = PL_OBSTACLE_CYLINDER,
                             .a = pl_vec3_load(c->cylinder.from),
                             .b = pl_vec3_load(c->cylinder.to),
                             .radius = c->cylinder.radius};
    case PL_COLLIDER_TORUS:
        return (pl_obstacle){.kind = PL_OBSTACLE_TORUS,
                             .a = pl_vec3_load(c->torus.center),
                             .b = pl_vec3_load(c->torus.axis),
                             .radius = c->torus.radius,
                             .tube = c->torus.tube};
    default: return (pl_obstacle){.kind = PL_OBSTACLE_GRID};
    }
}

pl_vec3 pl_world_obstacle_middle(const pl_world* w, int collider) {
    const pl_obstacle* obstacle = &w->obstacles[collider].obstacle;
    pl_box box = pl_obstacle_bounds(obstacle);
    return pl_box_is_finite(box) ? pl_box_center(box) : obstacle->a;
}

static pl_box bounds_of(const pl_mesh* mesh) {
    pl_box box = pl_box_empty();
    for (int v = 0; v < mesh->vertex_count; v++)
        box = pl_box_add_point(box, pl_vec3_load(mesh->positions + 3 * (size_t)v));
    return box;
}

// the signed distance grid of a collider that is a closed surface
static pl_status build_grid(const pl_collider* c, pl_pool* pool, pl_sdf_grid* grid, pl_notes* notes,
                            pl_error* error) {
    pl_mesh* mesh;
    pl_status status = pl_mesh_read(c->mesh.file, NULL, &mesh, notes, error);
    if (status != PL_OK) return status;
    pl_transform_apply(&c->mesh.transform, mesh->positions, mesh->vertex_count);
    pl_solid solid;
    status = pl_solid_build(mesh->positions, mesh->triangles, mesh->triangle_count, false, &solid,
                            error);
    if (status == PL_OK) {
        double diagonal = pl_box_diagonal(bounds_of(mesh));
        pl_sdf_options options = {.spacing = isnan(c->mesh.cell) ? diagonal / 80.0 : c->mesh.cell};
        options.margin = 3.0 * options.spacing;
        options.band = 8.0 * options.spacing;
        status = pl_sdf_grid_build(&solid, &options, pool, grid, error);
        pl_solid_free(&solid);
    }
    pl_mesh_destroy(mesh);
    return status;
}

pl_status pl_world_obstacles_setup(pl_world* w, pl_notes* notes, pl_error* error) {
    int count = w->scene->collider_count;
    w->obstacle_count = count;
    w->obstacles = PL_ALLOC(pl_moving_obstacle, count);
    w->grids = PL_ALLOC(pl_sdf_grid, count);
    if (count && (!w->obstacles || !w->grids)) return pl_fail_memory(error, "colliders");
    for (int k = 0; k < count; k++) {
        const pl_collider* c = &w->scene->colliders[k];
        w->obstacles[k] = (pl_moving_obstacle){.obstacle = obstacle_of(c)};
        if (c->shape != PL_COLLIDER_MESH) continue;
        pl_status status = build_grid(c, w->pool, &w->grids[k], notes, error);
        if (status != PL_OK) return status;
        w->obstacles[k].obstacle.grid = &w->grids[k];
    }
    return PL_OK;
}

// x = pivot + translate + R (start - pivot), as a frame
static pl_rigid rigid_at(const pl_motion* motion, pl_vec3 middle, double time) {
    pl_pose pose = pl_motion_pose(motion, middle, time);
    return (pl_rigid){pose.rotation, pl_pose_point(&pose, (pl_vec3){0, 0, 0})};
}

void pl_world_place_obstacles(pl_world* w, double begin, double end) {
    for (int k = 0; k < w->obstacle_count; k++) {
        const pl_collider* c = &w->scene->colliders[k];
        pl_moving_obstacle* m = &w->obstacles[k];
        // sizes may be animated; what was built from files stays
        if (c->shape != PL_COLLIDER_MESH) m->obstacle = obstacle_of(c);
        pl_vec3 middle = pl_world_obstacle_middle(w, k);
        m->begin = rigid_at(&c->motion, middle, begin);
        m->end = rigid_at(&c->motion, middle, end);
        m->thickness = c->thickness;
        m->friction = c->friction;
        m->stiffness = isnan(c->stiffness) ? 0.0 : c->stiffness;
    }
}
