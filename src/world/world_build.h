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
    double *before, *after; // 3 per vertex of the surface, at the start and the end of the step
} pl_world_meeting;

typedef struct pl_world_body {
    const pl_body* def;
    pl_mesh* mesh;   // at rest
    pl_mesh* filled; // the surface at rest that the mesh fills; drawn instead of the mesh. Or NULL
    pl_vec3 moved;   // translation that moved it out of other bodies at the start [m]
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
    // numbers that change during the run
    bool may_change;
    pl_element_material* next; // materials of the next step; NULL unless may_change
    pl_material_maps* maps;    // from the scene to `materials`
    pl_damping damping;        // in the last step
    pl_pbd pbd;
} pl_world_body;

typedef struct pl_world_system {
    const pl_method_functions* method;
    void* data;
    int vertex_count;
    double* force; // in a step, 3 per vertex
    double* host_force;
    bool is_pushed;  // forces other than gravity act in this step
    double* wind;    // see world_loads.h; NULL: no wind
    double* left;    // positions and velocities at the end of the last frame, to detect host writes
    bool is_touched; // the host had written when a loaded state was saved
    pl_method_body* method_bodies; // capacity: body_count of the world
    int method_body_count;
    pl_array pins;            // of pl_pin
    pl_array pressures;       // of pl_pressure
    pl_array pin_forces;      // of double, 3 per pin of the last step
    pl_array groups;          // of pl_colliding_vertices
    pl_array contacts;        // of pl_contact_report: the last step's, if requested
    pl_surface_set* surfaces; // surfaces that collide; NULL: none
    pl_world_guard* guard;
    struct pl_eigenfit_term* eigenfit; // of its only body; or NULL
    bool is_fitted;                    // its only body has eigenfit
    bool* fit_holds; // per attachment: true if it held the body when the body was fitted
    pl_method_energies energies; // at the end of the last frame
    bool knows_energies;         // `energies` are up to date
    pl_residual_trace trace;     // of the last step
    // state of method and guard before the frame
    void* saved;
    size_t saved_size, saved_room;
    bool was_touched;   // the host wrote before this frame
    bool state_is_left; // the method's state is `left`, so `saved` need not hold it
} pl_world_system;

// Motion of a collider or an attachment that the host drives; it replaces the motion of the scene.
typedef enum pl_driven_kind {
    PL_DRIVEN_BY_SCENE,
    PL_DRIVEN_TO, // to a place at the end of the frame, where it then rests
    PL_DRIVEN_ON, // with a constant velocity
} pl_driven_kind;

typedef struct pl_world_driver {
    pl_driven_kind kind;
    pl_rigid from, target;  // at the start and the end of the frame
    pl_vec3 velocity, spin; // [m/s], [rad/s]
    int point_count;        // points of a shape that the host changes; otherwise 0
    double* points_from;    // 3 per point
    double* points_target;
} pl_world_driver;

// A number of the scene that the host has set.
typedef struct pl_world_number {
    char* path;
    double value;
    double original; // its value in the scene
} pl_world_number;

// An attachment with the vertices it holds.
typedef struct pl_world_attachment {
    int body;
    int count;
    int* vertices;  // of the body
    double* places; // 3 per vertex: where it holds them, before any motion
    pl_vec3 middle;
    pl_point_cache cache; // empty unless it follows a file
    double* before;       // places at the start of a step, from a cache or the host; NULL: neither
    double* after;        // the same at the end of the step
    pl_world_driver driver;
    pl_reaction reaction; // of the last step
} pl_world_attachment;

// A load with the vertices or triangles it acts on.
typedef struct pl_world_load {
    int body;
    int count;
    int* items;
    int* corners; // pressure only: 3 vertices of the system per triangle
} pl_world_load;

typedef struct pl_world_handle {
    bool used;
    int body, vertex;
    double stiffness;
    pl_vec3 from, target; // at the start and the end of the frame
} pl_world_handle;

// A collider made of points, whose shape a file or the host may change.
typedef struct pl_world_shape {
    pl_mesh* mesh;        // of a surface, after its transform
    pl_vec3 middle;       // of the mesh
    pl_point_cache cache; // or empty
    int point_count;      // of `before` and `after`; 0 while the shape does not change
    double* before;       // 3 per point, at the start of a step
    double* after;        // at its end
    pl_solid solid;       // of a surface that changes its shape
    bool changes_size;    // numbers such as its radius are animated
    pl_world_driver driver;
} pl_world_shape;

// See world_budget.h.
typedef struct pl_world_budget {
    double seconds; // limit of a frame; 0: none
    pl_clock clock;
    void* user;
    double begin;         // start of the frame on the clock
    bool is_open;         // steps of this attempt have deadlines
    bool was_cut;         // a step of this frame ended at its deadline
    double vertices_left; // sum over the remaining steps of the frame
    double step_begin, solve_seconds;
    double other_seconds; // time of the last frame without its solves
} pl_world_budget;

struct pl_world {
    pl_scene* scene; // a copy, animated
    pl_pool* pool;
    int frame;
    int64_t step;       // substeps done
    double time;        // [s]
    double first_step;  // time step at the start: the sampling interval of caches [s]
    double step_size;   // length of the present frame's steps [s]
    bool clock_changes; // the time step changes during the run
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
    double*
        start_depths; // depth of bodies that start inside obstacles, see world_starts.c; or NULL
    double* recesses; // how far these obstacles are moved back now; a row per body
    double* recess_steps; // how far they return during the step
    bool* started_inside; // per pair of bodies of different systems: true if the row's body starts
                          // in the column's (world_meeting.c); NULL: no body meets another
    struct pl_world_coupling* coupling; // NULL: none
    pl_array crossings;                 // of pl_crossing: of the last search
    bool tells_contacts;                // see world_contacts.h
    pl_array contacts;                  // of pl_contact_point: of the last frame
    pl_array handles;                   // of pl_world_handle
    pl_array numbers;                   // of pl_world_number
    double part[2]; // fraction of the frame at the start and the end of the step, 0 to 1
    int split;      // number of steps for each substep of the present frame
    double saved_step_size;
    pl_world_budget budget;
};

// The functions of a method, or NULL if this build lacks it.
const pl_method_functions* pl_world_method(pl_method method);

// Refuses a resolved scene that asks for a feature this build lacks; the error names it.
pl_status pl_world_check_support(const pl_scene* scene, pl_error* error);
// Refuses bodies without inertia that nothing holds, because their first step would fail. Only runs
// call it: a host may still grab such bodies.
pl_status pl_world_check_held(pl_world* world, pl_error* error);
// Chooses the linear solvers that the scene leaves open, by the size of each system.
pl_status pl_world_settle_solvers(pl_world* world, pl_error* error);

// Makes mesh, materials and surface of a body. After a failure pl_world_body_free frees them.
pl_status pl_world_body_setup(const pl_body* def, pl_pool* pool, pl_world_body* out,
                              pl_notes* notes, pl_error* error);
void pl_world_body_free(pl_world_body* body);
// Keeps only the boundary of the tets, for drawing.
pl_status pl_world_keep_boundary(pl_world_body* body, pl_error* error);

// Rough stiffness of an element of this material [Pa].
double pl_world_modulus(const pl_world_body* body, const pl_element_material* material);
// Maps from the scene to the materials of all elements, with regions and variations.
// pl_body_materials evaluates them; they remain valid when numbers of the body change.
pl_status pl_material_maps_create(const pl_body* def, const pl_mesh* mesh, bool is_cloth,
                                  pl_material_maps** out, pl_error* error);
void pl_material_maps_destroy(pl_material_maps* maps);
// A factor on the stiffness of solids (EigenFit's DAC).
void pl_material_maps_scale(pl_material_maps* maps, double scale);
double pl_material_maps_scale_of(const pl_material_maps* maps);
pl_status pl_body_materials(const pl_material_maps* maps, pl_pool* pool, pl_element_material* out,
                            pl_error* error);
// Sets the contact of a body from its materials and the scene.
void pl_world_choose_contact(pl_world_body* body);

// Finds which numbers of bodies and of the clock may change, and allocates what such changes need.
pl_status pl_world_changes_setup(pl_world* world, pl_error* error);
// True if curves change numbers whose path starts with the prefix.
bool pl_world_is_animated(const pl_scene* scene, const char* prefix);
// Sets every number of the scene to its value at a time; numbers that the host set keep its values.
void pl_world_evaluate(pl_world* world, double time);
// Passes changes since the last step to the method of one system, or of all.
pl_status pl_world_push_system(pl_world* world, int system, pl_error* error);
pl_status pl_world_push_changes(pl_world* world, pl_error* error);

// The solids of the scene's colliders, and their places in a step.
pl_status pl_world_obstacles_setup(pl_world* world, pl_notes* notes, pl_error* error);
pl_vec3 pl_world_obstacle_middle(const pl_world* world, int collider);
// Allocates what a collider needs to change its shape.
pl_status pl_world_shape_points(pl_world* world, int collider, pl_error* error);
// Call both in this order, the first before the numbers of the scene are those of the end: sizes of
// colliders at the start of a step, and where colliders are during it.
void pl_world_start_sizes(pl_world* world, double begin);
void pl_world_place_obstacles(pl_world* world, double begin, double end);
void pl_world_obstacles_free(pl_world* world);

// Finds and notes bodies that start inside colliders. For these bodies the colliders are moved back
// at first (world_starts.c).
pl_status pl_world_starts_setup(pl_world* world, pl_notes* notes, pl_error* error);
void pl_world_starts_free(pl_world* world);
void pl_world_update_recesses(pl_world* world, double begin, double end);
// Per obstacle of a step [m]; NULL if none is moved back.
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
