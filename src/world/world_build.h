// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The parts of a world: bodies with their meshes, systems of bodies that are solved together, and
// what acts on them.
#ifndef PL_WORLD_BUILD_H
#define PL_WORLD_BUILD_H

#include "base/array.h"
#include "contact/collision.h"
#include "contact/point_cache.h"
#include "method/method.h"

#include <pliant/mesh_surface.h>
#include <pliant/world.h>

typedef struct pl_world_body {
    const pl_body* def;
    pl_mesh* mesh; // rest
    bool is_cloth;
    pl_surface* surface;
    int element_count;
    pl_element_material* materials;
    double contact_stiffness; // of a vertex [N/m]
    double contact_thickness; // [m]
    int system;
    int first_vertex; // in the system
} pl_world_body;

typedef struct pl_world_system {
    const pl_method_functions* method;
    void* data;
    int vertex_count;
    double* force; // of a step, 3 per vertex
    double* host_force;
    pl_array pins;   // of pl_pin
    pl_array groups; // of pl_colliding_vertices
} pl_world_system;

// An attachment with the vertices it holds.
typedef struct pl_world_attachment {
    int body;
    int count;
    int* vertices;  // of the body
    double* places; // 3 per vertex: where it holds them before any motion
    pl_vec3 middle;
    pl_point_cache cache; // of one that follows a file; else empty
    double* before;       // its places at the begin and the end of a step
    double* after;
} pl_world_attachment;

// A load with the vertices or triangles it acts on.
typedef struct pl_world_load {
    int body;
    int count;
    int* items;
} pl_world_load;

typedef struct pl_world_handle {
    bool used;
    int body, vertex;
    double stiffness;
    pl_vec3 from, target; // at the begin and the end of the frame
} pl_world_handle;

// A collider that changes its shape as a file says.
typedef struct pl_world_cached {
    pl_point_cache cache; // empty for all others
    double* before;       // 3 per point, at the begin and the end of a step
    double* after;
    pl_mesh* mesh; // of a surface
    pl_solid solid;
} pl_world_cached;

struct pl_world {
    pl_scene* scene; // a copy, animated
    pl_pool* pool;
    int frame;
    int64_t step; // substeps done
    pl_world_body* bodies;
    int body_count;
    pl_world_system* systems;
    int system_count;
    pl_world_attachment* attachments;
    int attachment_count;
    pl_world_load* loads;
    int load_count;
    pl_moving_obstacle* obstacles;
    pl_sdf_grid* grids;      // of colliders that are meshes
    pl_world_cached* cached; // of colliders with a cache
    int obstacle_count;
    pl_array handles; // of pl_world_handle
    double part[2];   // of the frame, at the begin and the end of the substep: 0 to 1
    void* saved;      // state before the frame, where a substep may fail after others; else NULL
    size_t saved_size;
};

// The functions of a method, or NULL if this version does not have it.
const pl_method_functions* pl_world_method(pl_method method);

// Refuses by name what a scene may say but this version cannot do.
pl_status pl_world_check_support(const pl_scene* scene, pl_error* error);
// Chooses the linear solvers that the scene left open, now that the size of each system is known.
pl_status pl_world_settle_solvers(pl_world* world, pl_error* error);

// Mesh, materials, surface of a body; what they left is freed by pl_world_body_free.
pl_status pl_world_body_setup(const pl_body* def, pl_pool* pool, pl_world_body* out,
                              pl_notes* notes, pl_error* error);
void pl_world_body_free(pl_world_body* body);

// The materials of all elements of a mesh, after regions and variations.
pl_status pl_body_materials(const pl_body* def, const pl_mesh* mesh, bool is_cloth,
                            pl_element_material* out, pl_error* error);

// Solids of the scene's colliders at their places of a time.
pl_status pl_world_obstacles_setup(pl_world* world, pl_notes* notes, pl_error* error);
// The point that a collider turns about if its motion names none.
pl_vec3 pl_world_obstacle_middle(const pl_world* world, int collider);
void pl_world_place_obstacles(pl_world* world, double begin, double end);
void pl_world_obstacles_free(pl_world* world);

// The normal force of contact on each vertex of a body, as of the last step [N].
void pl_world_contact_forces(const pl_world* world, int body, double* out);

// A cache of as many points as `what` has; errors begin with the path in the scene.
pl_status pl_world_read_cache(const char* path, const char* file, int point_count, const char* what,
                              pl_point_cache* out, pl_error* error);
// Its places at a time [s].
void pl_world_cache_places(const pl_world* world, const pl_point_cache* cache, double start,
                           double time, double* out);

#endif
