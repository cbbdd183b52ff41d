// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The parts of a world: bodies with their meshes, systems of bodies that are solved together, and
// loads, pins and colliders.
#ifndef PL_WORLD_BUILD_H
#define PL_WORLD_BUILD_H

#include "base/array.h"
#include "contact/collision.h"
#include "contact/point_cache.h"
#include "math/vec3.h"
#include "method/method.h"

#include <pliant/mesh_surface.h>
#include <pliant/world.h>

typedef struct pl_material_maps pl_material_maps;
typedef struct pl_world_guard pl_world_guard; // see world_guard.h

// A solid that is an obstacle of bodies in later systems.
typedef struct pl_world_meeting {
    pl_solid solid;         // of the surface, fitted to `after`
    double *before, *after; // 3 per vertex of the surface, at the begin and the end of the step
} pl_world_meeting;

typedef struct pl_world_body {
    const pl_body* def;
    pl_mesh* mesh;   // rest
    pl_mesh* filled; // the surface that the mesh fills and that is drawn for it, at rest; or NULL
    pl_vec3 moved;   // out of other bodies at the start [m]
    bool is_cloth;
    pl_surface* surface;
    int element_count;
    pl_element_material* materials;
    double contact_stiffness; // of a vertex [N/m]
    double contact_thickness; // [m]
    double surface_size;      // diagonal of the box around its surface at rest [m]
    int system;
    int first_vertex;          // in the system
    pl_world_meeting* meeting; // or NULL
    // where numbers change during the run
    bool may_change;
    pl_element_material* next; // materials of the next step; NULL unless may_change
    pl_material_maps* maps;    // how they come from the scene
    pl_damping damping;        // of the last step
    pl_pbd pbd;
} pl_world_body;

typedef struct pl_world_system {
    const pl_method_functions* method;
    void* data;
    int vertex_count;
    double* force; // of a step, 3 per vertex
    double* host_force;
    bool is_pushed;  // in this step, by more than gravity
    double* wind;    // see world_loads.h; NULL: there is none
    double* left;    // positions and velocities as the last frame left them: what the host did
    bool is_touched; // since then, in a state that was loaded
    pl_method_body* method_bodies; // of body_count of the world
    int method_body_count;
    pl_array pins;            // of pl_pin
    pl_array pressures;       // of pl_pressure
    pl_array pin_forces;      // of double, 3 per pin of the last step
    pl_array groups;          // of pl_colliding_vertices
    pl_array contacts;        // of pl_contact_report: of the last step, if they are asked for
    pl_surface_set* surfaces; // that keep apart; NULL: none do
    pl_world_guard* guard;
    struct pl_eigenfit_term* eigenfit; // of its one body; or NULL
    bool is_fitted;                    // its one body has eigenfit
    bool* fit_holds;                   // per attachment: it held the body when that was fitted
    pl_method_energies energies;       // at the end of the last frame
    bool knows_energies;               // they are those of the last frame
    pl_residual_trace trace;           // of the last step
    // state before the frame: of the method, and of the guard
    void* saved;
    size_t saved_size, saved_room;
    bool was_touched;   // by the host since the frame before
    bool state_is_left; // that of the method is what `left` holds
} pl_world_system;

// Motion of a collider or an attachment that the host drives; it replaces the motion of the scene.
typedef enum pl_driven_kind {
    PL_DRIVEN_BY_SCENE,
    PL_DRIVEN_TO, // a place at the end of the frame, and it rests there
    PL_DRIVEN_ON, // with a velocity, for ever
} pl_driven_kind;

typedef struct pl_world_driver {
    pl_driven_kind kind;
    pl_rigid from, target;  // at the begin and the end of the frame
    pl_vec3 velocity, spin; // [m/s], [rad/s]
    int point_count;        // of a shape that the host changes; else 0
    double* points_from;    // 3 per point
    double* points_target;
} pl_world_driver;

// A number of the scene that the host has set.
typedef struct pl_world_number {
    char* path;
    double value;
    double original; // the scene's
} pl_world_number;

// An attachment with the vertices it holds.
typedef struct pl_world_attachment {
    int body;
    int count;
    int* vertices;  // of the body
    double* places; // 3 per vertex: where it holds them before any motion
    pl_vec3 middle;
    pl_point_cache cache; // of one that follows a file; else empty
    double* before;       // its places at the begin and the end of a step; of a cache or the host
    double* after;
    pl_world_driver driver;
    pl_reaction reaction; // of the last step
} pl_world_attachment;

// A load with the vertices or triangles it acts on.
typedef struct pl_world_load {
    int body;
    int count;
    int* items;
    int* corners; // of a pressure: 3 vertices of the system per triangle; else NULL
} pl_world_load;

typedef struct pl_world_handle {
    bool used;
    int body, vertex;
    double stiffness;
    pl_vec3 from, target; // at the begin and the end of the frame
} pl_world_handle;

// A collider that is made of points and may change its shape, as a file or the host says.
typedef struct pl_world_shape {
    pl_mesh* mesh;        // of a surface, after its transform
    pl_vec3 middle;       // of the mesh
    pl_point_cache cache; // or empty
    int point_count;      // of those below; 0 as long as the shape keeps
    double* before;       // 3 per point, at the begin and the end of a step
    double* after;
    pl_solid solid; // of a surface that changes
    bool changes_size;
    pl_world_driver driver;
} pl_world_shape;

// See world_budget.h.
typedef struct pl_world_budget {
    double seconds; // that a frame may take; 0: any
    pl_clock clock;
    void* user;
    double begin;         // of the frame, by the clock
    bool is_open;         // steps of this attempt have deadlines
    bool was_cut;         // a step of this frame ended at its deadline
    double vertices_left; // of the steps that are still to come
    double step_begin, solve_seconds;
    double other_seconds; // that the frame before took besides its solves
} pl_world_budget;

struct pl_world {
    pl_scene* scene; // a copy, animated
    pl_pool* pool;
    int frame;
    int64_t step;       // substeps done
    double time;        // [s]
    double first_step;  // time step at the start: the beat of caches [s]
    double step_size;   // of the present frame's steps, parts of substeps included [s]
    bool clock_changes; // the time step does
    bool sizes_change;  // of some colliders
    pl_world_body* bodies;
    int body_count;
    pl_world_system* systems;
    int system_count;
    pl_world_attachment* attachments;
    int attachment_count;
    pl_world_load* loads;
    int load_count;
    pl_moving_obstacle* obstacles;
    pl_sdf_grid* grids; // of colliders that are meshes
    pl_world_shape* shapes;
    int obstacle_count;
    double* obstacle_forces; // see world_reactions.c
    double* start_depths;    // of bodies in obstacles they start in, see world_starts.c; or NULL
    double* recesses;        // how far these obstacles are held back now; a row per body
    double* recess_steps;    // how far they return during the step
    bool* started_inside;    // per pair of bodies of different systems: the row's body in the
                             // column's, see world_meeting.c; NULL: none meet
    struct pl_world_coupling* coupling; // see world_coupling.h; NULL: none
    pl_array crossings;                 // of pl_crossing: of the last search
    bool tells_contacts;                // see world_contacts.h
    pl_array contacts;                  // of pl_contact_point: of the last frame
    pl_array handles;                   // of pl_world_handle
    pl_array numbers;                   // of pl_world_number
    double part[2]; // of the frame, at the begin and the end of the substep: 0 to 1
    int split;      // each substep of the present frame is done in so many parts
    double saved_step_size;
    pl_world_budget budget;
};

// The functions of a method, or NULL if this build lacks it.
const pl_method_functions* pl_world_method(pl_method method);

// Refuses, by name, what a resolved scene may ask for but this build cannot do.
pl_status pl_world_check_support(const pl_scene* scene, pl_error* error);
// Refuses bodies without inertia that nothing holds, because their first step fails. For runs only:
// a host may still grab them.
pl_status pl_world_check_held(pl_world* world, pl_error* error);
// Chooses the linear solvers that the scene leaves open, by the size of each system.
pl_status pl_world_settle_solvers(pl_world* world, pl_error* error);

// Makes mesh, materials and surface of a body. After a failure pl_world_body_free frees them.
pl_status pl_world_body_setup(const pl_body* def, pl_pool* pool, pl_world_body* out,
                              pl_notes* notes, pl_error* error);
void pl_world_body_free(pl_world_body* body);
// The boundary of the tets takes their place, as what is drawn.
pl_status pl_world_keep_boundary(pl_world_body* body, pl_error* error);

// The stiffness of a single element, roughly [Pa].
double pl_world_modulus(const pl_world_body* body, const pl_element_material* material);
// Makes the materials of all elements of a mesh, with regions and variations. The maps remain valid
// when numbers of the body change.
pl_status pl_material_maps_create(const pl_body* def, const pl_mesh* mesh, bool is_cloth,
                                  pl_material_maps** out, pl_error* error);
void pl_material_maps_destroy(pl_material_maps* maps);
// The factor by which solids are stiffer than the scene says.
void pl_material_maps_scale(pl_material_maps* maps, double scale);
double pl_material_maps_scale_of(const pl_material_maps* maps);
pl_status pl_body_materials(const pl_material_maps* maps, pl_pool* pool, pl_element_material* out,
                            pl_error* error);
// Sets the contact of a body from its materials and the scene.
void pl_world_choose_contact(pl_world_body* body);

// Finds which numbers of bodies and of the clock may change, and allocates what that takes.
pl_status pl_world_changes_setup(pl_world* world, pl_error* error);
// True if curves change numbers whose path starts like this.
bool pl_world_is_animated(const pl_scene* scene, const char* prefix);
// Sets every number of the scene to its value at a time, including those that the host set.
void pl_world_evaluate(pl_world* world, double time);
// Passes changes since the last step to the methods, or to that of one system.
pl_status pl_world_push_system(pl_world* world, int system, pl_error* error);
pl_status pl_world_push_changes(pl_world* world, pl_error* error);

// Places the solids of the scene's colliders at a time.
pl_status pl_world_obstacles_setup(pl_world* world, pl_notes* notes, pl_error* error);
pl_vec3 pl_world_obstacle_middle(const pl_world* world, int collider);
// Allocates what a collider or attachment needs to change its shape.
pl_status pl_world_shape_points(pl_world* world, int collider, pl_error* error);
// Call both in this order, the first before the numbers of the scene are those of the end: sizes of
// colliders at the start of a step, and where colliders are during it.
void pl_world_start_sizes(pl_world* world, double begin);
void pl_world_place_obstacles(pl_world* world, double begin, double end);
void pl_world_obstacles_free(pl_world* world);

// Finds and notes bodies that start inside colliders. These colliders are held back for them for a
// while.
pl_status pl_world_starts_setup(pl_world* world, pl_notes* notes, pl_error* error);
void pl_world_starts_free(pl_world* world);
void pl_world_update_recesses(pl_world* world, double begin, double end);
// One for each obstacle of a step [m], or NULL if none is held back.
const double* pl_world_recesses(const pl_world* world, int body);
const double* pl_world_recess_steps(const pl_world* world, int body);

// The normal contact force on each vertex of a body in the last step [N].
void pl_world_contact_forces(const pl_world* world, int body, double* out);

// Opens a cache that must have the given number of points; errors begin with the path in the scene.
pl_status pl_world_read_cache(const char* path, const char* file, int point_count, const char* what,
                              pl_point_cache* out, pl_error* error);
// Reads its points at a time [s].
void pl_world_cache_places(const pl_world* world, const pl_point_cache* cache, double start,
                           double time, double* out);

// The index of a body among those of its system.
static inline int pl_world_place_in_system(const pl_world* w, int body) {
    int place = 0;
    for (int b = 0; b < body; b++) place += w->bodies[b].system == w->bodies[body].system;
    return place;
}

// Adds the outer edges of the present lattice of a body of method grid: 3 doubles per corner, 2
// corners per edge. Adds nothing for other methods.
pl_status pl_world_outline(pl_world* world, int body, pl_array* corners, pl_array* edges,
                           pl_error* error);

#endif
