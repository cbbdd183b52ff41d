// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Scenes: what is simulated, how, and what is recorded. These structs can express everything that a
// scene file can. Get a struct from its pl_default_ function, fill it in, and add it to a scene,
// which copies it with everything that it points to. NAN means "chosen by pliant" where a comment
// says so. Units are SI, angles are degrees. docs/scene.md lists ranges and defaults.
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include <pliant/mesh.h>
#include <pliant/scene_names.h>
#include <pliant/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- motion

/// A number that changes with time: keyframes plus a wave.
/// value(t) = (keys or value) + amplitude sin(2 pi (frequency t + phase / 360))
typedef struct pl_curve {
    double value; ///< without keys
    int key_count;
    const double* keys; ///< time [s] and value of each key, times ascending
    pl_interpolation interpolation;
    bool repeat;      ///< starts over after the last key
    double amplitude; ///< of the wave, in the unit of the value
    double frequency; ///< [1/s]
    double phase;     ///< [deg]
} pl_curve;

typedef struct pl_pose_key {
    double time;         ///< [s]
    double translate[3]; ///< [m]
    double rotate[3];    ///< about x, then y, then z [deg]
} pl_pose_key;

/// An oscillation: translate and rotate times sin(2 pi (frequency t + phase / 360)).
typedef struct pl_oscillation {
    double translate[3]; ///< amplitude [m]
    double rotate[3];    ///< direction is the axis, length the amplitude [deg]
    double frequency;    ///< [1/s]
    double phase;        ///< [deg]
} pl_oscillation;

/// How an attachment or a collider moves away from where it starts: keyframes, then a steady spin,
/// then oscillations.
typedef struct pl_motion {
    double pivot[3]; ///< of rotations [m]; NAN: the centre of the moving object
    int key_count;
    const pl_pose_key* keys; ///< times ascending
    pl_interpolation interpolation;
    bool repeat;
    double spin_axis[3];
    double spin_rate; ///< [deg/s]
    int oscillation_count;
    const pl_oscillation* oscillations;
} pl_motion;

/// Places a mesh in the world: size, then scale, rotate, translate.
typedef struct pl_transform {
    double size; ///< the longest side of the bounding box becomes this [m]; NAN: as it is
    double scale[3];
    double rotate[3];    ///< about x, then y, then z [deg]
    double translate[3]; ///< [m]
} pl_transform;

// ---------------------------------------------------------------- shapes and selections

typedef struct pl_plane_shape {
    double point[3];  ///< [m]
    double normal[3]; ///< points away from the solid side; any length; NAN: up
} pl_plane_shape;

typedef struct pl_sphere_shape {
    double center[3]; ///< [m]
    double radius;    ///< [m]
} pl_sphere_shape;

typedef struct pl_box_shape {
    double min[3]; ///< [m]
    double max[3]; ///< [m]
} pl_box_shape;

/// Capsules have round ends around from and to, cylinders flat ones at from and to.
typedef struct pl_capsule_shape {
    double from[3]; ///< [m]
    double to[3];   ///< [m]
    double radius;  ///< [m]
} pl_capsule_shape;

/// Capsules between consecutive points. The radius changes linearly from one point to the next.
typedef struct pl_chain_shape {
    int point_count;
    const double* points; ///< 3 per point [m]
    int radius_count;
    const double* radii; ///< one per point, or one for all [m]
    const char* cache;   ///< PC2 file that moves the points, or NULL
    double cache_start;  ///< time of its first sample [s]
} pl_chain_shape;

typedef struct pl_torus_shape {
    double center[3]; ///< [m]
    double axis[3];   ///< of the ring
    double radius;    ///< of the ring [m]
    double tube;      ///< of the tube [m]
} pl_torus_shape;

/// A closed surface, and if cache is not NULL a PC2 file that moves its vertices.
typedef struct pl_mesh_shape {
    const char* file;
    double cell; ///< of the signed distance grid [m]; NAN: from the size
    const char* cache;
    double cache_start; ///< time of its first sample [s]
    pl_transform transform;
} pl_mesh_shape;

typedef struct pl_side_shape {
    pl_side face;
    double depth; ///< distance from that side of the bounding box, as a fraction of the box
} pl_side_shape;

typedef struct pl_nearest_shape {
    double point[3]; ///< [m]
    int count;       ///< how many vertices
} pl_nearest_shape;

/// A set of a body's vertices. Only the member that `kind` names is read. Positions are those of
/// the body at rest, after its transform.
typedef struct pl_selection {
    pl_selection_kind kind;
    pl_box_shape box;
    pl_sphere_shape sphere;
    pl_capsule_shape capsule;
    pl_plane_shape half_space; ///< everything behind the plane, against its normal
    pl_side_shape side;
    const char* region; ///< of the mesh; vertices, triangles or tets
    int vertex_count;
    const int* vertices;
    pl_nearest_shape nearest;
    int part_count; ///< of and, or, not; not has one part
    const struct pl_selection* parts;
} pl_selection;

// ---------------------------------------------------------------- bodies

/// Elastic constants are young and poisson, unless mu and one of lambda and bulk are given.
typedef struct pl_material_def {
    pl_law law;
    double density;      ///< of solids [kg/m^3]
    double area_density; ///< of cloth [kg/m^2]
    double young;        ///< [Pa]
    double poisson;
    double mu;        ///< shear modulus [Pa]; NAN: from young and poisson
    double lambda;    ///< first Lame parameter [Pa]; NAN: from the others
    double bulk;      ///< bulk modulus [Pa]; NAN: from the others
    double mu2;       ///< Mooney-Rivlin: part of mu for the second invariant [Pa]
    double thickness; ///< of cloth [m]
    double stretch;   ///< springs along edges [N/m]
    double shear;     ///< shear modulus of springs [N/m]; NAN: 3/8 of stretch
    double bend;      ///< bending stiffness [N m]
} pl_material_def;

/// Another material for one region of the mesh.
typedef struct pl_region_material {
    const char* region;
    pl_material_def material;
} pl_region_material;

/// The parameter changes from one value to the other along a direction, from one side of the body
/// to the other.
typedef struct pl_gradient {
    double from, to; ///< in the unit of the parameter
    double direction[3];
    pl_spacing spacing;
} pl_gradient;

/// The parameter is read from a field of the mesh, times scale.
typedef struct pl_field_source {
    const char* name;
    double scale;
} pl_field_source;

/// One material parameter that varies over the body.
typedef struct pl_variation {
    pl_material_key parameter;
    pl_variation_kind kind;
    pl_gradient gradient;
    pl_field_source field;
} pl_variation;

/// One parameter of a generator: a number, or a word where the parameter is a choice.
typedef struct pl_shape_value {
    const char* key;
    double number;
    const char* word; ///< or NULL
} pl_shape_value;

/// A generated shape, by the names of pliant/generate.h. Parameters that are not given have their
/// defaults.
typedef struct pl_shape_maker {
    const char* shape;
    int value_count;
    const pl_shape_value* values;
} pl_shape_maker;

/// Rayleigh damping: mass M + stiffness K.
typedef struct pl_damping {
    double mass;      ///< [1/s]
    double stiffness; ///< [s]
} pl_damping;

/// When the solver stops.
typedef struct pl_solver {
    double tolerance; ///< of the nonlinear solve: residual force relative to the load
    int iterations;   ///< of the nonlinear solve, at most
    bool fixed;       ///< always all iterations, whatever the residual
    double linear_tolerance;
    int linear_iterations;
    bool line_search;
} pl_solver;

/// The multigrid of method fem and mixed.
typedef struct pl_multigrid {
    int level_count;
    const int* levels; ///< nodes of the coarse levels, coarsest first; none: chosen by pliant
    pl_smoother smoother;
    int pre_sweeps, post_sweeps;
    int sweep_count;
    const int* sweeps;    ///< on each side, level by level, finest first; none: pre and post_sweeps
    bool stiffness_aware; ///< sampling follows the stiffness of heterogeneous bodies
    bool fallback;        ///< switches to mgpcg if plain cycles stall, with a note
} pl_multigrid;

/// Method mixed.
typedef struct pl_mixed {
    double stabilization; ///< of the pressure
    pl_stabilize stabilize;
    double relaxation; ///< of the smoother; NAN: chosen by pliant
} pl_mixed;

/// Method grid.
typedef struct pl_grid {
    double cell; ///< edge of a lattice cell [m]; NAN: from the size
    int padding; ///< layers of cells around the surface
    pl_grid_embedding embedding;
    pl_grid_smoother smoother;
    int update_every; ///< cycles between updates of the rotations
} pl_grid;

/// Method pbd.
typedef struct pl_pbd {
    int hierarchy; ///< coarse levels; 0: plain position based dynamics; -1: chosen by pliant
    pl_pbd_model model;
    int substeps;                        ///< that each step is divided into; 0: chosen by pliant
    double stretch, shear, bend, volume; ///< stiffness of the constraints, 0 to 1
    double compliance;    ///< of distances, with model compliance [m/N]; NAN: from the material
    int parents;          ///< smallest number of parents of a fine particle
    double keep_attached; ///< probability that an attached particle stays on a coarse level; NAN:
                          ///< attached ones are left out last
    int passes;           ///< over the hierarchy in each step
    int coarse_sweeps;    ///< on each coarse level in a pass; more on the coarsest
    pl_rest_length rest_length;
    bool coarse_bending;
    bool lumped_mass; ///< coarse masses are lumped, which conserves linear momentum
    int level;        ///< simulate and draw only this level; 0: all
    double tear;      ///< constraints break above this stretch; NAN: never
    pl_tear_mode tear_mode;
} pl_pbd;

/// A coarse fem body that moves like a fine one.
typedef struct pl_eigenfit {
    int modes;
    const char* fine; ///< mesh file of the fine body, or NULL
    double edge;      ///< edge length of the fine mesh, if there is no file [m]; NAN: half
    double tolerance; ///< largest loss of orthogonality of a matched mode
    /// The body is the fine one, and is simulated on a mesh of this edge length that pliant
    /// generates [m]; NAN: the body is the coarse one.
    double coarse_edge;
    int ratio_count;
    const double* ratios; ///< of eigenvalues, lowest mode first; none: from the fine mesh
    bool dac;             ///< all stiffness is scaled by the ratio of the first mode
    bool fallback;        ///< no correction in steps whose modes do not agree with those at rest
    bool cache;           ///< modes of the fine mesh are kept on disk
} pl_eigenfit;

typedef struct pl_body_contact {
    double thickness;     ///< gap kept around the surface [m]; NAN: from the mesh
    double stiffness;     ///< of the penalty [N/m]; NAN: from the material
    double friction;      ///< Coulomb's coefficient on colliders that give none, and between bodies
    pl_self_contact self; ///< whether the body collides with itself
    bool bodies;          ///< it collides with other bodies that have this set
} pl_body_contact;

/// What is drawn and exported instead of the simulated mesh.
typedef struct pl_render {
    const char* surface; ///< mesh file that moves with the body, or NULL
    double edge;         ///< a generated body is drawn with edges of this length; NAN: its own [m]
    bool keep_surface; ///< draws the surface that tets fill, or the fine mesh of eigenfit; else the
                       ///< boundary of tets
    double color[3];   ///< red, green, blue, 0 to 1; NAN: chosen by pliant
} pl_render;

typedef struct pl_body {
    const char* name; ///< unique; NULL or "": given by pliant
    pl_body_shape shape;
    const char* mesh;        ///< file
    pl_shape_maker generate; ///< a shape made by pliant
    pl_body_kind kind;
    double edge; ///< of the tets that fill a closed surface [m]; NAN: from its thickness
    pl_mesher mesher;
    bool allow_split; ///< accepts tets in more pieces than the surface, or of another volume
    pl_transform transform;
    double velocity[3];         ///< at the start [m/s]
    double angular_velocity[3]; ///< at the start, around the middle [deg/s]

    pl_material_def material;
    int region_count;
    const pl_region_material* regions;
    int variation_count;
    const pl_variation* variations;

    bool rigid; ///< the body does not bend: its method is PL_METHOD_RIGID
    pl_method method;
    pl_integrator integrator;
    pl_nonlinear nonlinear;
    pl_linear linear;
    pl_solver solver;
    pl_mass mass;
    pl_damping damping;
    pl_multigrid multigrid;
    pl_mixed mixed;
    pl_grid grid;
    pl_pbd pbd;
    const pl_eigenfit* eigenfit; ///< or NULL

    pl_body_contact contact;
    pl_render render;
} pl_body;

// ---------------------------------------------------------------- what acts on bodies

/// Holds vertices of a body in place, or at a target, which may move.
typedef struct pl_attachment {
    const char* name;
    const char* body;
    pl_selection where;
    double stiffness; ///< of each vertex's spring [N/m]; NAN: held exactly
    int hold_count;
    const pl_axis* hold; ///< the held directions; none: all, unless there is a normal
    double normal[3];    ///< only motion along it is held; NAN: no normal
    pl_target target;
    double point[3];      ///< for PL_TARGET_POINT [m]
    const char* collider; ///< for PL_TARGET_COLLIDER: moves along with it
    const char* cache;  ///< for PL_TARGET_CACHE: PC2 file with a position for each selected vertex
    double cache_start; ///< time of its first sample [s]
    pl_motion motion;
    double from;  ///< holds from this time on [s]
    double until; ///< until this time [s]; NAN: for ever
} pl_attachment;

#define PL_COLLIDER_MEMBER(X, CODE, name, type, help) type name;
/// A rigid obstacle. Of the members plane, sphere, box, ... (see PL_COLLIDER_TABLE) the one that
/// `shape` names is read.
typedef struct pl_collider {
    const char* name;
    pl_collider_shape shape;
    PL_COLLIDER_TABLE(PL_COLLIDER_MEMBER, )
    double friction;  ///< Coulomb's coefficient; NAN: from the body
    double thickness; ///< gap kept around it [m]
    double stiffness; ///< of the penalty [N/m]; NAN: from the body
    pl_motion motion;
} pl_collider;
#undef PL_COLLIDER_MEMBER

typedef struct pl_force {
    const char* body; ///< NULL or "": every body
    pl_selection where;
    pl_force_kind kind;
    double force[3];        ///< in total, distributed over the selection [N]
    double acceleration[3]; ///< [m/s^2]
    double pressure;        ///< on the selected surface, inwards [Pa]
    double traction[3];     ///< on the selected surface [Pa]
    double from;            ///< acts from this time on [s]
    double until;           ///< until this time [s]; NAN: for ever
} pl_force;

typedef struct pl_wind {
    double velocity[3];    ///< [m/s]
    double gust;           ///< amplitude of gusts along the wind [m/s]
    double gust_frequency; ///< [1/s]
    double turbulence;     ///< random part, smooth in space and time, from the seed [m/s]
    double air_density;    ///< [kg/m^3]
    double drag, lift;     ///< coefficients
    int body_count;
    const char* const* bodies; ///< none: every body
} pl_wind;

// ---------------------------------------------------------------- the scene

typedef struct pl_output {
    pl_recorded record;
    int every; ///< every n-th frame
    int field_count;
    const pl_output_field* fields;
    bool contacts; ///< in contacts.csv
    bool compress;
    int checkpoint_every; ///< frames; 0: one after each second of work
} pl_output;

/// A scalar of the scene that changes with time, by its path: "bodies[0].material.young".
typedef struct pl_animation {
    const char* path;
    pl_curve curve;
} pl_animation;

/// You may read all members and change numbers in place. Texts and lists belong to pliant; change
/// them by its functions only.
typedef struct pl_scene {
    int version; ///< 1
    const char* title;
    pl_axis up;
    double gravity[3]; ///< [m/s^2]; NAN: 9.81 against up
    double time_step;  ///< between two frames [s]
    int substeps;      ///< equal steps per frame
    int frames;
    int threads; ///< 0: all that the process may use
    int seed;
    int body_count;
    const pl_body* bodies;
    int collider_count;
    const pl_collider* colliders;
    int attachment_count;
    const pl_attachment* attachments;
    int force_count;
    const pl_force* forces;
    int wind_count;
    const pl_wind* winds;
    pl_output output;
    int animation_count;
    const pl_animation* animations;
} pl_scene;

PL_API pl_curve pl_default_curve(void);
PL_API pl_motion pl_default_motion(void);
PL_API pl_transform pl_default_transform(void);
PL_API pl_selection pl_default_selection(void);
PL_API pl_material_def pl_default_material_def(void);
PL_API pl_variation pl_default_variation(void);
PL_API pl_eigenfit pl_default_eigenfit(void);
PL_API pl_body pl_default_body(void);
PL_API pl_attachment pl_default_attachment(void);
PL_API pl_collider pl_default_collider(void);
PL_API pl_force pl_default_force(void);
PL_API pl_wind pl_default_wind(void);

/// An empty scene with default settings.
PL_API pl_status pl_scene_create(pl_scene** out, pl_error* error);
PL_API pl_status pl_scene_copy(const pl_scene* scene, pl_scene** out, pl_error* error);
PL_API void pl_scene_destroy(pl_scene* scene);

/// Each adds a deep copy. Values are checked by pl_scene_resolve, not here.
PL_API pl_status pl_scene_add_body(pl_scene* scene, const pl_body* body, pl_error* error);
PL_API pl_status pl_scene_add_collider(pl_scene* scene, const pl_collider* collider,
                                       pl_error* error);
PL_API pl_status pl_scene_add_attachment(pl_scene* scene, const pl_attachment* attachment,
                                         pl_error* error);
PL_API pl_status pl_scene_add_force(pl_scene* scene, const pl_force* force, pl_error* error);
PL_API pl_status pl_scene_add_wind(pl_scene* scene, const pl_wind* wind, pl_error* error);
/// Animates a scalar with a curve, which replaces an earlier one. Fails if the path does not name a
/// scalar that may change during a run.
PL_API pl_status pl_scene_animate(pl_scene* scene, const char* path, const pl_curve* curve,
                                  pl_error* error);
/// Changes one value by its path, from text as on the command line: ("frames", "10"),
/// ("bodies[0].method", "pbd"), ("title", "a bear"). Setting a number removes the curve that
/// animated it. If reading a list or object fails, the part read so far stays.
PL_API pl_status pl_scene_set(pl_scene* scene, const char* path, const char* value,
                              pl_error* error);

/// Fills in what the scene leaves open (gravity, names, the law and solvers of each method). Then
/// checks all ranges and references, and that the method, integrator, solvers and law of each body
/// go together. Errors name the path. pl_scene_read calls this.
PL_API pl_status pl_scene_resolve(pl_scene* scene, pl_error* error);
/// Loads or generates each mesh, and evaluates each selection on it. Errors name path, file and
/// line.
PL_API pl_status pl_scene_check_files(const pl_scene* scene, pl_notes* notes, pl_error* error);
/// Sets every animated scalar to its value at this time.
PL_API void pl_scene_evaluate(pl_scene* scene, double time);

/// Reads a scene file with all that it includes, applies the overrides ("path=value", in order) and
/// resolves. notes and error may be NULL. Errors name file, line, column and path. A mesh file
/// gives a scene of that mesh: a solid falls on the ground, flat cloth over a ball, other cloth
/// hangs.
PL_API pl_status pl_scene_read(const char* path, const char* const* overrides, int override_count,
                               pl_scene** out, pl_notes* notes, pl_error* error);
/// Writes the whole scene with all defaults and absolute file names. Reading it gives the same
/// scene.
PL_API pl_status pl_scene_write(const pl_scene* scene, const char* path, pl_error* error);

/// The rest mesh of a body: read or generated, and transformed.
PL_API pl_status pl_body_mesh(const pl_body* body, pl_mesh** out, pl_notes* notes, pl_error* error);
/// The mesh that a generated body would have with edges of render.edge, transformed.
PL_API pl_status pl_body_fine_mesh(const pl_body* body, pl_mesh** out, pl_error* error);
/// Applies the transform to positions (3 per vertex).
PL_API void pl_transform_apply(const pl_transform* transform, double* positions, int vertex_count);
/// Applies it to the vertices of a mesh, and correspondingly to its normals.
PL_API void pl_transform_apply_mesh(const pl_transform* transform, pl_mesh* mesh);
/// mu and lambda [Pa] of a material, from whichever constants it gives; lambda is infinite at a
/// Poisson's ratio of 0.5.
PL_API void pl_material_def_lame(const pl_material_def* material, double* mu, double* lambda);

#ifdef __cplusplus
}
#endif
#endif
