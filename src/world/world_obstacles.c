// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The colliders of a scene, as moving solids.
#include "base/memory.h"
#include "collider/collider_kind.h"
#include "world/world_host.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pl_vec3 pl_world_obstacle_middle(const pl_world* w, int k) {
    return w->shapes[k].mesh ? w->shapes[k].middle
                             : pl_collider_middle(&w->scene->colliders[k], NULL);
}

// builds the signed distance grid of a collider that is a closed surface
static pl_status build_grid(const pl_mesh_shape* shape, const pl_mesh* mesh, pl_pool* pool,
                            pl_sdf_grid* grid, pl_error* error) {
    pl_solid solid;
    pl_status status = pl_solid_build(mesh->positions, mesh->triangles, mesh->triangle_count, false,
                                      &solid, error);
    if (status != PL_OK) return status;
    double diagonal = pl_box_diagonal(pl_box_of_points(mesh->positions, mesh->vertex_count));
    pl_sdf_options options = {.spacing = isnan(shape->cell) ? diagonal / 80.0 : shape->cell};
    options.margin = 3.0 * options.spacing;
    options.band = 8.0 * options.spacing;
    status = pl_sdf_grid_build(&solid, &options, pool, grid, error);
    pl_solid_free(&solid);
    return status;
}

pl_status pl_world_read_cache(const char* path, const char* file, int point_count, const char* what,
                              pl_point_cache* out, pl_error* error) {
    pl_error cause = {0};
    pl_status status = pl_point_cache_read(file, out, &cause);
    if (status != PL_OK) return pl_fail(error, status, "%s: %.900s", path, cause.text);
    if (out->point_count == point_count) return PL_OK;
    int found = out->point_count;
    pl_point_cache_free(out);
    return pl_fail(error, PL_ERROR_ARGUMENT, "%s: %s has %d points, but %s has %d", path, file,
                   found, what, point_count);
}

void pl_world_cache_places(const pl_world* w, const pl_point_cache* cache, double start,
                           double time, double* out) {
    pl_point_cache_places(cache, (time - start) / w->first_step, out);
}

static pl_status read_shape_cache(const pl_collider* c, int k, pl_world_shape* shape,
                                  pl_error* error) {
    char path[64];
    snprintf(path, sizeof path, "colliders[%d].%s.cache", k, pl_collider_shape_name(c->shape));
    const pl_mesh_shape* surface = pl_collider_surface(c);
    if (surface && !isnan(surface->transform.size))
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "%s: does not work with transform.size; use transform.scale", path);
    pl_collider_points points = pl_collider_points_of(c);
    char what[64];
    snprintf(what, sizeof what, "the %s", pl_collider_shape_name(c->shape));
    return surface
               ? pl_world_read_cache(path, points.cache, shape->mesh->vertex_count, surface->file,
                                     &shape->cache, error)
               : pl_world_read_cache(path, points.cache, points.count, what, &shape->cache, error);
}

pl_status pl_world_shape_points(pl_world* w, int k, pl_error* error) {
    const pl_collider* c = &w->scene->colliders[k];
    pl_world_shape* shape = &w->shapes[k];
    if (shape->point_count) return PL_OK;
    const pl_mesh* mesh = shape->mesh;
    pl_collider_points points = pl_collider_points_of(c);
    if (!mesh && !points.count)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "collider \"%s\" has no points; only meshes and chains change their shape",
                       c->name);
    int count = mesh ? mesh->vertex_count : points.count;
    double *before = PL_ALLOC(double, 3 * (size_t)count),
           *after = PL_ALLOC(double, 3 * (size_t)count);
    pl_status status = before && after ? PL_OK : pl_fail_memory(error, "a collider");
    const double* places = mesh ? mesh->positions : points.places;
    if (status == PL_OK && mesh)
        status = pl_solid_build(places, mesh->triangles, mesh->triangle_count, false, &shape->solid,
                                error);
    if (status != PL_OK) {
        PL_FREE(before, double, 3 * (size_t)count);
        PL_FREE(after, double, 3 * (size_t)count);
        return status;
    }
    memcpy(before, places, 3 * (size_t)count * sizeof(double));
    memcpy(after, places, 3 * (size_t)count * sizeof(double));
    shape->point_count = count;
    shape->before = before;
    shape->after = after;
    return PL_OK;
}

// the points of a cache at the start and the end of a step
static void place_cached(const pl_world* w, const pl_collider* c, pl_world_shape* shape,
                         double begin, double end) {
    double start = pl_collider_points_of(c).cache_start;
    pl_world_cache_places(w, &shape->cache, start, begin, shape->before);
    pl_world_cache_places(w, &shape->cache, start, end, shape->after);
    pl_collider_place_points(c, shape->before, shape->point_count);
    pl_collider_place_points(c, shape->after, shape->point_count);
}

static void place_shape(const pl_world* w, const pl_collider* c, pl_world_shape* shape,
                        double begin, double end, pl_obstacle* obstacle) {
    if (shape->driver.point_count) {
        pl_driver_places(&shape->driver, w->part[0], shape->before);
        pl_driver_places(&shape->driver, w->part[1], shape->after);
    } else if (shape->cache.positions) {
        place_cached(w, c, shape, begin, end);
    } else { // a loaded state from before the host changed the shape
        const double* places =
            shape->mesh ? shape->mesh->positions : pl_collider_points_of(c).places;
        memcpy(shape->before, places, 3 * (size_t)shape->point_count * sizeof(double));
        memcpy(shape->after, places, 3 * (size_t)shape->point_count * sizeof(double));
    }
    obstacle->points = shape->after;
    obstacle->before = shape->before;
    if (!shape->mesh) return;
    pl_solid_refit(&shape->solid, shape->after, shape->mesh->triangles);
    obstacle->kind = &pl_obstacle_surface;
    obstacle->triangles = shape->mesh->triangles;
    obstacle->solid = &shape->solid;
}

void pl_world_obstacles_free(pl_world* w) {
    for (int k = 0; w->grids && k < w->obstacle_count; k++) pl_sdf_grid_free(&w->grids[k]);
    PL_FREE(w->grids, pl_sdf_grid, w->obstacle_count);
    for (int k = 0; w->shapes && k < w->obstacle_count; k++) {
        pl_world_shape* shape = &w->shapes[k];
        PL_FREE(shape->before, double, 3 * (size_t)shape->point_count);
        PL_FREE(shape->after, double, 3 * (size_t)shape->point_count);
        pl_point_cache_free(&shape->cache);
        pl_solid_free(&shape->solid);
        pl_mesh_destroy(shape->mesh);
        pl_driver_free(&shape->driver);
    }
    PL_FREE(w->shapes, pl_world_shape, w->obstacle_count);
    PL_FREE(w->obstacles, pl_moving_obstacle, w->obstacle_count + w->body_count);
}

// reads and places the mesh of a collider, if it has one; errors begin with its path
static pl_status read_shape(const pl_collider* c, int k, pl_world_shape* shape, pl_notes* notes,
                            pl_error* error) {
    pl_error cause = {0};
    pl_status status = pl_collider_read_surface(c, &shape->mesh, notes, &cause);
    if (status != PL_OK)
        return pl_fail(error, status, "colliders[%d].%s: %.900s", k,
                       pl_collider_shape_name(c->shape), cause.text);
    if (shape->mesh) shape->middle = pl_collider_middle(c, shape->mesh);
    return PL_OK;
}

static pl_status setup_obstacle(pl_world* w, int k, pl_notes* notes, pl_error* error) {
    const pl_collider* c = &w->scene->colliders[k];
    pl_world_shape* shape = &w->shapes[k];
    w->obstacles[k] = (pl_moving_obstacle){.obstacle = pl_collider_obstacle(c)};
    pl_status status = read_shape(c, k, shape, notes, error);
    if (status != PL_OK) return status;
    if (pl_collider_has_cache(c)) {
        status = read_shape_cache(c, k, shape, error);
        if (status == PL_OK) status = pl_world_shape_points(w, k, error);
        if (status == PL_OK) place_shape(w, c, shape, 0.0, 0.0, &w->obstacles[k].obstacle);
        return status;
    }
    if (!shape->mesh) return PL_OK;
    w->obstacles[k].obstacle.grid = &w->grids[k];
    return build_grid(pl_collider_surface(c), shape->mesh, w->pool, &w->grids[k], error);
}

// Colliders of files and caches move their points; those given by numbers may change these.
static void find_sizes(pl_world* w) {
    for (int k = 0; k < w->obstacle_count; k++) {
        char prefix[48];
        const pl_collider* c = &w->scene->colliders[k];
        snprintf(prefix, sizeof prefix, "colliders[%d].%s.", k, pl_collider_shape_name(c->shape));
        const bool by_numbers = !w->shapes[k].mesh && !w->shapes[k].point_count;
        w->shapes[k].changes_size = by_numbers && pl_world_is_animated(w->scene, prefix);
        w->sizes_change = w->sizes_change || w->shapes[k].changes_size;
    }
}

pl_status pl_world_obstacles_setup(pl_world* w, pl_notes* notes, pl_error* error) {
    int count = w->scene->collider_count;
    w->obstacle_count = count;
    w->obstacles =
        PL_ALLOC(pl_moving_obstacle, count + w->body_count); // room for bodies as obstacles
    w->grids = PL_ALLOC(pl_sdf_grid, count);
    w->shapes = PL_ALLOC(pl_world_shape, count);
    if (!w->obstacles) return pl_fail_memory(error, "colliders");
    if (count && (!w->grids || !w->shapes)) return pl_fail_memory(error, "colliders");
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < count; k++) status = setup_obstacle(w, k, notes, error);
    if (status == PL_OK) find_sizes(w);
    return status;
}

pl_pose pl_world_collider_pose(const pl_world* w, int k, double time, double part) {
    const pl_world_driver* driver = &w->shapes[k].driver;
    pl_vec3 middle = pl_world_obstacle_middle(w, k);
    return driver->kind == PL_DRIVEN_BY_SCENE
               ? pl_motion_pose(&w->scene->colliders[k].motion, middle, time)
               : pl_driver_pose(driver, middle, part);
}

// x = pivot + translate + R (start - pivot), as a frame
static pl_rigid rigid_of(const pl_pose* pose) {
    return (pl_rigid){pose->rotation, pl_pose_point(pose, (pl_vec3){0, 0, 0})};
}

void pl_world_start_sizes(pl_world* w, double begin) {
    if (!w->sizes_change) return;
    pl_world_evaluate(w, begin);
    for (int k = 0; k < w->obstacle_count; k++) {
        pl_moving_obstacle* m = &w->obstacles[k];
        m->changes_size = w->shapes[k].changes_size;
        if (m->changes_size) m->obstacle_before = pl_collider_obstacle(&w->scene->colliders[k]);
    }
}

void pl_world_place_obstacles(pl_world* w, double begin, double end) {
    pl_world_update_recesses(w, begin, end);
    for (int k = 0; k < w->obstacle_count; k++) {
        const pl_collider* c = &w->scene->colliders[k];
        pl_moving_obstacle* m = &w->obstacles[k];
        // sizes may be animated; shapes from files stay
        if (!w->shapes[k].mesh) m->obstacle = pl_collider_obstacle(c);
        if (w->shapes[k].point_count) place_shape(w, c, &w->shapes[k], begin, end, &m->obstacle);
        pl_pose from = pl_world_collider_pose(w, k, begin, w->part[0]);
        pl_pose to = pl_world_collider_pose(w, k, end, w->part[1]);
        m->begin = rigid_of(&from);
        m->end = rigid_of(&to);
        m->thickness = c->thickness;
        m->friction = c->friction;
        m->stiffness = isnan(c->stiffness) ? 0.0 : c->stiffness;
        pl_moving_obstacle_bound(m);
    }
}

void pl_world_contact_forces(const pl_world* w, int b, double* out) {
    const pl_world_body* body = &w->bodies[b];
    const pl_world_system* system = &w->systems[body->system];
    const double* x = system->method->positions(system->data) + 3 * (size_t)body->first_vertex;
    const double* recesses = pl_world_recesses(w, b);
    for (int v = 0; v < body->mesh->vertex_count; v++) out[v] = 0.0;
    for (int k = 0; k < w->obstacle_count; k++) {
        double thickness = body->contact_thickness - (recesses ? recesses[k] : 0.0);
        // positions at the end of the step, without motion
        pl_moving_obstacle still = w->obstacles[k];
        still.begin = still.end;
        still.obstacle.before = NULL;
        still.changes_size = false;
        for (int i = 0; i < body->surface->mesh->vertex_count; i++) {
            int v = body->surface->vertices[i];
            pl_vec3 at = pl_vec3_load(x + 3 * (size_t)v);
            pl_contact contact;
            if (!pl_may_touch(&w->obstacles[k], at, at, body->contact_thickness)) continue;
            if (!pl_find_contact(&still, at, at, thickness, &contact)) continue;
            double stiffness =
                contact.stiffness > 0.0 ? contact.stiffness : body->contact_stiffness;
            double depth = pl_dot(pl_sub(contact.point, at), contact.normal);
            if (depth > 0.0) out[v] += stiffness * depth;
        }
    }
}
