// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The world: a scene that moves. Create it once, step it frame by frame, look at positions between
// steps.
#ifndef PLIANT_WORLD_H
#define PLIANT_WORLD_H

#include <pliant/mesh.h>
#include <pliant/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_world pl_world;

/// What a frame took. A frame that does not converge is not an error: see unconverged_count.
typedef struct pl_frame_info {
    int frame;      ///< number of frames done
    double time;    ///< of the scene [s]
    int iterations; ///< nonlinear ones, of all systems and substeps
    int linear_iterations;
    int unconverged_count; ///< solves that ended before their tolerance
    int switch_count;      ///< linear solves that left failing multigrid cycles for mgpcg or direct
    int retry_count;       ///< times that the frame or a step of it was tried again
    int cut_count;         ///< solves that the budget ended before they were done
    int contact_count;     ///< at the end
    int softened_count; ///< attachments and contacts too stiff for float, which counted as softer
    int turned_count;   ///< bodies of method grid and law linear that turned far, and grow by that
    int unfit_count;    ///< steps of bodies with eigenfit whose modes are no longer those at rest
    double residual;    ///< the largest at the end of a solve, relative to the load
    double kinetic_energy, elastic_energy; ///< [J]
    double contact_energy; ///< of the barriers between bodies of fem and mixed, and of their parts [J]
    double volume;                         ///< of all solids [m^3]
    double detect_seconds, assembly_seconds, linear_seconds, seconds;
    /// Of the last solve that ended before its tolerance: the vertex with the largest unbalanced
    /// force and the worst shaped element there; empty if all converged or the method does not
    /// report it.
    char unbalanced[160];
} pl_frame_info;

/// Builds the systems of a resolved scene (pl_scene_read and pl_scene_resolve leave it so). The
/// scene is copied. Errors name the body. notes and error may be NULL.
PL_API pl_status pl_world_create(const pl_scene* scene, pl_world** out, pl_notes* notes,
                                 pl_error* error);
PL_API void pl_world_destroy(pl_world* world);

/// Moves everything on by one frame, in the scene's substeps. A frame that fails
/// (PL_ERROR_DIVERGED) leaves the state of the frame before and says what to change. info may be
/// NULL.
PL_API pl_status pl_world_step(pl_world* world, pl_frame_info* info, pl_error* error);

/// Seconds of a clock that never goes back.
typedef double (*pl_clock)(void* user);
/// The time that pl_world_step may take, from the next frame on; 0 for any. Each solve does one
/// iteration at least, and then as many as fit; method pbd may take fewer substeps. What is left
/// out is counted in cut_count. A frame that would diverge is tried again without a budget, first
/// in the same steps, and so may take longer. Results then depend on the machine and on what else
/// it does. clock may be NULL: pliant's own.
PL_API void pl_world_set_budget(pl_world* world, double seconds, pl_clock clock, void* user);

PL_API double pl_world_time(const pl_world* world); ///< [s]
PL_API int pl_world_frame(const pl_world* world);

PL_API int pl_world_body_count(const pl_world* world);
/// The body of a name, or -1.
PL_API int pl_world_find_body(const pl_world* world, const char* name);
PL_API const char* pl_world_body_name(const pl_world* world, int body);
/// The rest mesh of a body, in the world's coordinates and the numbering of all its vertex data.
PL_API const pl_mesh* pl_world_mesh(const pl_world* world, int body);
/// The closed surface that the tets of a body were filled into, as it came but in the world's
/// coordinates, or that of the fine mesh of a body with eigenfit: what recordings show
/// (pl_embedding_create lets it follow the tets). NULL if the body was not made so, or
/// render.keep_surface is false.
PL_API const pl_mesh* pl_world_filled_surface(const pl_world* world, int body);
/// Places where surfaces that are to keep apart (docs/contact.md) go through each other now; -1 if
/// no surfaces do, -2 if allocation fails.
PL_API int pl_world_crossings(pl_world* world);
/// Views, 3 per vertex, that stay at their address until the world is destroyed or pl_world_change
/// or pl_world_set makes the body's system anew. They may be written between frames.
PL_API double* pl_world_positions(pl_world* world, int body);  ///< [m]
PL_API double* pl_world_velocities(pl_world* world, int body); ///< [m/s]
/// The force of the host on each vertex, added to all others until changed; zero at first.
PL_API double* pl_world_forces(pl_world* world, int body); ///< [N]

/// A quantity of a body as it is now, one of those that recordings may have (docs/scene.md,
/// output). out: per vertex 3 numbers for velocity and displacement, 1 for the others; for
/// PL_OUTPUT_ELEMENT_STRESS 1 per tet. Stress is Cauchy's, P F^T / det F of the material's law in
/// each tet (law linear: that of small strains); cloth and springs have none, which is 0.
PL_API pl_status pl_world_field(const pl_world* world, int body, pl_output_field field, double* out,
                                pl_error* error);

/// Holds a vertex with a spring until released: the hand of a user. Returns the handle, or -1 if
/// allocation fails or `vertex` is out of range.
PL_API int pl_world_grab(pl_world* world, int body, int vertex, double stiffness);
/// Where the hand is at the end of the next frame; it goes there evenly during the frame [m].
PL_API void pl_world_move(pl_world* world, int handle, double x, double y, double z);
PL_API void pl_world_release(pl_world* world, int handle);

/// Cuts a cloth of method pbd along the triangle that a knife has swept (three corners [m]), from
/// the next frame on. The cut follows vertices of the mesh. Cloth can be cut if it can tear: give
/// pbd.tear, which may be large. cut_count: vertices that were split, may be NULL.
PL_API pl_status pl_world_cut(pl_world* world, int body, const double sweep[9], int* cut_count,
                              pl_error* error);

/// How the last step of the last frame converged, for plots: the residual relative to the load
/// after each cycle of the linear solver, or after each iteration where the method has none; of the
/// system that the body belongs to. Returns how many there are, at most 64; method pbd has none.
PL_API int pl_world_residuals(const pl_world* world, int body, const float** values);

/// The node of a coarse level that each vertex of a body belongs to, for pictures: of multigrid, or
/// the particle of a level of method pbd. Level 1 is the finest of them. Returns how many nodes the
/// level has, 0 if the body is not solved with such a level, -1 if allocation fails.
PL_API int pl_world_aggregates(pl_world* world, int body, int level, int* nodes);

// ---------------------------------------------------------------- what the host moves

/// Where something is: x = rotation start + translation, start being its place as the scene
/// describes it, before any motion.
typedef struct pl_placement {
    double rotation[9];    ///< row by row
    double translation[3]; ///< [m]
} pl_placement;

PL_API int pl_world_collider_count(const pl_world* world);
PL_API int pl_world_attachment_count(const pl_world* world);
/// By the name in the scene, or -1; indices are those of the scene.
PL_API int pl_world_find_collider(const pl_world* world, const char* name);
PL_API int pl_world_find_attachment(const pl_world* world, const char* name);
/// Where a collider is now, driven or as the scene moves it.
PL_API pl_status pl_world_collider_placement(const pl_world* world, int collider, pl_placement* out,
                                             pl_error* error);

/// Where a collider, or what an attachment hangs on, is at the end of the next frame. It goes there
/// evenly during the frame, its middle on a straight line, and then rests until told otherwise; the
/// scene's motion of it no longer counts. Contact sees it move, so it pushes, drags and sweeps.
PL_API pl_status pl_world_move_collider(pl_world* world, int collider, const pl_placement* to,
                                        pl_error* error);
PL_API pl_status pl_world_move_attachment(pl_world* world, int attachment, const pl_placement* to,
                                          pl_error* error);
/// Lets it go on with a velocity of its middle [m/s] and an angular velocity [deg/s] until told
/// otherwise.
PL_API pl_status pl_world_drive_collider(pl_world* world, int collider, const double velocity[3],
                                         const double angular_velocity[3], pl_error* error);
PL_API pl_status pl_world_drive_attachment(pl_world* world, int attachment,
                                           const double velocity[3],
                                           const double angular_velocity[3], pl_error* error);
/// Where each vertex of a mesh collider, or point of a chain, is at the end of the next frame (3
/// per point, before the placement); they go there evenly. In place of its grid such a mesh is
/// tested triangle by triangle.
PL_API pl_status pl_world_deform_collider(pl_world* world, int collider, const double* points,
                                          int point_count, pl_error* error);
/// The vertices that an attachment holds, a view; returns how many, or -1.
PL_API int pl_world_attachment_vertices(const pl_world* world, int attachment,
                                        const int** vertices);
/// Where it holds each of them at the end of the next frame (3 per vertex, before the placement).
PL_API pl_status pl_world_deform_attachment(pl_world* world, int attachment, const double* points,
                                            int point_count, pl_error* error);

// ---------------------------------------------------------------- what holds bodies

/// What an attachment exerts on its body.
typedef struct pl_reaction {
    double force[3];  ///< [N]
    double torque[3]; ///< about `place` [N m]
    double place[3];  ///< the mean of the places where it holds [m]
} pl_reaction;

/// The reaction of an attachment in the last step of the last frame: weight that hangs on it gives
/// a force upwards. Zero before the first frame, and while it does not hold. Attachments at one
/// vertex share what it takes. With the midpoint rule forces are those in the middle of the step,
/// with pbd means over it.
PL_API pl_status pl_world_attachment_reaction(const pl_world* world, int attachment,
                                              pl_reaction* out, pl_error* error);
/// The force of all contacts with a collider on all bodies [N], friction included, at that time.
PL_API pl_status pl_world_collider_force(const pl_world* world, int collider, double force[3],
                                         pl_error* error);

/// Two that push each other: a vertex and a collider, a vertex and a triangle, or two edges.
typedef struct pl_contact_point {
    int body;        ///< of the first side
    int other_body;  ///< of the second side; -1: it is a collider
    int collider;    ///< -1: the second side is a body
    int vertices[3]; ///< of the first side, in its body: a vertex or an edge, then -1. None of
                     ///< a point of method grid that lies between vertices
    int other_vertices[3]; ///< of the second side: an edge or a triangle, then -1; none of a
                           ///< collider and of a body that is met one way
    double point[3];       ///< between the two [m]
    double normal[3];      ///< from the second side to the first, of length 1
    double normal_force;   ///< of the second side on the first, along the normal [N]
    double friction[3];    ///< the rest of that force, across the normal [N]
    double distance; ///< of the two [m]; of a collider less the thickness around it, so that it is
                     ///< below 0 where a vertex is in it
} pl_contact_point;

/// Asks for the contacts of each frame from the next one on, or no longer. Frames that nobody asks
/// take no time for it.
PL_API void pl_world_tell_contacts(pl_world* world, bool tells);
/// The contacts in the last step of the last frame: a view, until the next frame. Returns how many
/// there are; 0 if nobody asked. Forces are as those of pl_world_collider_force, and those with a
/// collider add up to it. What acts on a body is normal_force * normal + friction where it is the
/// first side, and minus that where it is the second one.
PL_API int pl_world_contacts(const pl_world* world, const pl_contact_point** out);

/// Sets a number of the scene that may change during a run, by its path, from the next step on:
/// ("wind[0].velocity[0]", 12.0), ("gravity[1]", 0.0). A curve that it has no longer counts.
/// Numbers marked with ~ in docs/scene.md can be set. The first change of a material, of damping or
/// of a method's number makes the body's system anew, unless the scene has a curve there: ask for
/// views of its bodies again.
PL_API pl_status pl_world_set(pl_world* world, const char* path, double value, pl_error* error);
/// Changes settings between frames, each "path=value" as on the command line:
/// "bodies[0].method=pbd", "bodies[0].linear=direct", "bodies[1].iterations=3", "substeps=2". All
/// of them or none. Systems that this concerns are made anew. Their bodies stay where they are and
/// keep their velocities; what a method remembers beyond that starts afresh. Views of positions,
/// velocities and forces must be asked for again, and a state that was saved before fits no more.
/// Solvers and laws that do not go with a new method or nonlinear solver are chosen by pliant,
/// which notes says. A lattice of method grid takes over a bent body through its tets; one of a
/// surface without tets starts from affine shapes only (PL_ERROR_UNSUPPORTED). Meshes, places at
/// the start, colliders and attachments cannot change so.
PL_API pl_status pl_world_change(pl_world* world, const char* const* changes, int change_count,
                                 pl_notes* notes, pl_error* error);

/// The state that the next frames depend on, as bytes: for checkpoints and for going back. All that
/// the host did is in it: forces, handles, driven colliders and attachments, numbers. Loading
/// checks that it is of this world's scene. The size may change when the host does something new.
PL_API size_t pl_world_state_size(const pl_world* world);
PL_API void pl_world_state_save(const pl_world* world, void* out);
PL_API pl_status pl_world_state_load(pl_world* world, const void* in, size_t size, pl_error* error);

#ifdef __cplusplus
}
#endif
#endif
