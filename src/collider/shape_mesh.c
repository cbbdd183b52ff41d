// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A closed surface from a file. If it keeps its shape, it becomes a grid of signed distances,
// otherwise a pl_obstacle_surface.
#include "collider/collider_kind.h"
#include "scene/scene_type.h"

#include <math.h>

static const pl_field_info mesh_rows[] = {
    PL_ROW_TEXT(pl_mesh_shape, "file", file, PL_FIELD_FILE, PL_REQUIRED, "a closed surface"),
    PL_ROW_AUTO(pl_mesh_shape, "cell", cell, 0, "m", 1e-6, 1e6, "size / 64",
                "cell size of its distance grid"),
    PL_ROW_TEXT(pl_mesh_shape, "cache", cache, PL_FIELD_FILE, 0,
                "PC2 file that moves its vertices"),
    PL_ROW_NUMBER(pl_mesh_shape, "cache_start", cache_start, 0, "s", -1e6, 1e6, 0,
                  "time of its first sample"),
    PL_ROW_OBJECT(pl_mesh_shape, "transform", transform, PL_FIELD_OBJECT, 0, transform,
                  "placement of the mesh"),
};
const pl_type pl_type_mesh = {
    .name = "mesh",
    .help = "A closed surface from a file, still or moved by a PC2 cache.",
    PL_TYPE_TABLE(pl_mesh_shape, mesh_rows),
    .shorthand = "file",
};

static double grid_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    pl_vec3 gradient;
    double distance = pl_sdf_grid_value(s->grid, p, &gradient);
    double length = pl_norm(gradient);
    *normal = length > 0.0 ? pl_scale(1.0 / length, gradient) : (pl_vec3){0, 1, 0};
    return distance;
}

static pl_box grid_bounds(const pl_obstacle* s) {
    const pl_sdf_grid* g = s->grid;
    pl_vec3 size = {g->spacing * (g->size[0] - 1), g->spacing * (g->size[1] - 1),
                    g->spacing * (g->size[2] - 1)};
    return (pl_box){g->origin, pl_add(g->origin, size)};
}

static pl_obstacle mesh_obstacle(const pl_collider* c) {
    (void)c;
    return (pl_obstacle){.grid = NULL}; // set when the file is read
}

static const pl_mesh_shape* mesh_surface(const pl_collider* c) { return &c->mesh; }

static pl_collider_points mesh_points(const pl_collider* c) {
    return (pl_collider_points){.cache = c->mesh.cache, .cache_start = c->mesh.cache_start};
}

const pl_collider_kind pl_collider_mesh = {
    .solid = {.distance = grid_distance, .bounds = grid_bounds},
    .obstacle = mesh_obstacle,
    .surface = mesh_surface,
    .points = mesh_points,
};
