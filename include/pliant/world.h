// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The world: a scene being simulated. Create it once, step it frame by frame, and read positions
// between steps.
#ifndef PLIANT_WORLD_H
#define PLIANT_WORLD_H

#include <pliant/mesh.h>
#include <pliant/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_world pl_world;

/// Statistics of a frame. A frame that does not converge is not an error: see unconverged_count.
typedef struct pl_frame_info {
    int frame;      ///< number of frames done
    double time;    ///< of the scene [s]
    int iterations; ///< nonlinear iterations of all systems and substeps
    int linear_iterations;
    int unconverged_count; ///< solves that ended before their tolerance
    int switch_count;      ///< linear solves that left failing multigrid cycles for mgpcg or direct
    int retry_count;       ///< how often the frame or a step of it was repeated
    int cut_count;         ///< solves cut short by the budget
    int contact_count;     ///< at the end
    int softened_count;    ///< attachments and contacts too stiff for float, which were softened
    int turned_count; ///< bodies of method grid and law linear that rotated far and are inflated by
                      ///< that
    int unfit_count;  ///< steps of bodies with eigenfit whose modes no longer agree with those at
                      ///< rest
    double residual;  ///< the largest at the end of a solve, relative to the load
    double kinetic_energy, elastic_energy; ///< [J]
    double contact_energy; ///< of the barriers between bodies of fem and mixed, and their parts [J]
    double volume;         ///< of all solids [m^3]
    double detect_seconds, assembly_seconds, linear_seconds, seconds;
    /// Of the last solve that ended before its tolerance: the vertex with the largest unbalanced
    /// force and the worst shaped element there; empty if all converged or the method does not
    /// report it.
    char unbalanced[160];
} pl_frame_info;

/// Builds the systems of a scene resolved by pl_scene_read or pl_scene_resolve. The scene is
/// copied. Errors name the body. notes and error may be NULL.
PL_API pl_status pl_world_create(const pl_scene* scene, pl_world** out, pl_notes* notes,
                                 pl_error* error);
PL_API void pl_world_destroy(pl_world* world);

/// Advances by one frame, in the scene's substeps. If a frame fails (PL_ERROR_DIVERGED), the
/// previous state is restored and the error says what to change. info may be NULL.
PL_API pl_status pl_world_step(pl_world* world, pl_frame_info* info, pl_error* error);

/// Seconds of a monotonic clock.
typedef double (*pl_clock)(void* user);
/// Limits the time of pl_world_step, from the next frame on; 0: no limit. Each solve does at least
/// one iteration, and then as many as fit; method pbd may take fewer substeps. cut_count counts the
/// solves that were cut. A frame that would diverge is repeated without a budget, first in the same
/// steps, and so may take longer. With a budget, results depend on the machine and its load. clock
/// NULL: pliant's own.
PL_API void pl_world_set_budget(pl_world* world, double seconds, pl_clock clock, void* user);

PL_API double pl_world_time(const pl_world* world); ///< [s]
PL_API int pl_world_frame(const pl_world* world);

PL_API int pl_world_body_count(const pl_world* world);
/// The index of the body with this name, or -1.
PL_API int pl_world_find_body(const pl_world* world, const char* name);
PL_API const char* pl_world_body_name(const pl_world* world, int body);
/// The rest mesh of a body, in the world's coordinates and the numbering of all its vertex data.
PL_API const pl_mesh* pl_world_mesh(const pl_world* world, int body);
/// The closed surface that the body's tets fill, as given but in world coordinates, or the surface
/// of the fine mesh of eigenfit. Recordings show it; pl_embedding_create lets it follow the tets.
/// NULL if the body has none, or render.keep_surface is false.
PL_API const pl_mesh* pl_world_filled_surface(const pl_world* world, int body);
/// The number of places where surfaces that should stay apart (docs/contact.md) intersect now; -1
/// if no surfaces are kept apart, -2 if allocation fails.
PL_API int pl_world_crossings(pl_world* world);
/// Pointers to the state, 3 numbers per vertex. They are valid until the world is destroyed, or
/// until pl_world_change or pl_world_set rebuilds the body's system. You may write to them between
/// frames.
PL_API double* pl_world_positions(pl_world* world, int body);  ///< [m]
PL_API double* pl_world_velocities(pl_world* world, int body); ///< [m/s]
/// The momentum of a body [kg m/s] and its angular momentum about the origin [kg m^2/s], as its
/// method conserves them; body -1: of all bodies together. They are the sums over the vertices,
/// except with method grid, whose cells have them, and for rigid bodies. linear and angular may be
/// NULL. Fails if `body` is out of range, or if the host has bent a lattice and memory runs out.
PL_API pl_status pl_world_momentum(pl_world* world, int body, double linear[3], double angular[3],
                                   pl_error* error);
/// The host's force on each vertex, added to all others until changed; initially zero.
PL_API double* pl_world_forces(pl_world* world, int body); ///< [N]

/// The present values of a quantity of a body, one of those that can be recorded (docs/scene.md,
/// output). out: per vertex 3 numbers for velocity and displacement, 1 for the others; for
/// PL_OUTPUT_ELEMENT_STRESS 1 per tet. Stress is Cauchy's, P F^T / det F of the material's law in
/// each tet (law linear: that of small strains); 0 for cloth and springs.
PL_API pl_status pl_world_field(const pl_world* world, int body, pl_output_field field, double* out,
                                pl_error* error);

/// Holds a vertex with a spring until released: the hand of a user. Returns the handle, or -1 if
/// allocation fails or `vertex` is out of range.
PL_API int pl_world_grab(pl_world* world, int body, int vertex, double stiffness);
/// Sets the position of the hand at the end of the next frame [m]; it moves there uniformly.
PL_API void pl_world_move(pl_world* world, int handle, double x, double y, double z);
PL_API void pl_world_release(pl_world* world, int handle);

/// Cuts a cloth of method pbd along the triangle swept by a knife (three corners [m]), from the
/// next frame on. The cut follows edges of the mesh. Only cloth that can tear can be cut: set
/// pbd.tear, which may be large. cut_count: number of split vertices; may be NULL.
PL_API pl_status pl_world_cut(pl_world* world, int body, const double sweep[9], int* cut_count,
                              pl_error* error);

/// How the body's system converged in the last step of the last frame, for plots: the residual
/// relative to the load after each cycle of the linear solver, or after each iteration of methods
/// without one. Returns the number of values, at most 64; method pbd has none.
PL_API int pl_world_residuals(const pl_world* world, int body, const float** values);

/// For pictures: the node of a multigrid level, or the particle of a coarse level of method pbd, to
/// which each vertex of a body belongs. Level 1 is the finest coarse level. Returns the number of
/// nodes of the level, 0 if the body has no such level, -1 if allocation fails.
PL_API int pl_world_aggregates(pl_world* world, int body, int level, int* nodes);

// ---------------------------------------------------------------- what the host moves

/// A rigid placement: x = rotation start + translation, where start is a point's position in the
/// scene before any motion.
typedef struct pl_placement {
    double rotation[9];    ///< row by row
    double translation[3]; ///< [m]
} pl_placement;

PL_API int pl_world_collider_count(const pl_world* world);
PL_API int pl_world_attachment_count(const pl_world* world);
/// The index in the scene of the collider with this name, or -1.
PL_API int pl_world_find_collider(const pl_world* world, const char* name);
PL_API int pl_world_find_attachment(const pl_world* world, const char* name);
/// The present placement of a collider, whether the host or the scene moves it.
PL_API pl_status pl_world_collider_placement(const pl_world* world, int collider, pl_placement* out,
                                             pl_error* error);

/// Sets where a collider, or the target of an attachment, is at the end of the next frame. It moves
/// there uniformly, with its centre on a straight line, and then rests until told otherwise. This
/// replaces the scene's motion. Contact takes the motion into account, so the collider pushes and
/// drags.
PL_API pl_status pl_world_move_collider(pl_world* world, int collider, const pl_placement* to,
                                        pl_error* error);
PL_API pl_status pl_world_move_attachment(pl_world* world, int attachment, const pl_placement* to,
                                          pl_error* error);
/// Moves it with a constant velocity of its centre [m/s] and angular velocity [deg/s] until told
/// otherwise.
PL_API pl_status pl_world_drive_collider(pl_world* world, int collider, const double velocity[3],
                                         const double angular_velocity[3], pl_error* error);
PL_API pl_status pl_world_drive_attachment(pl_world* world, int attachment,
                                           const double velocity[3],
                                           const double angular_velocity[3], pl_error* error);
/// Sets where each vertex of a mesh collider, or each point of a chain, is at the end of the next
/// frame (3 numbers per point, before the placement); they move there uniformly. Contact then tests
/// the triangles of the mesh instead of its distance grid.
PL_API pl_status pl_world_deform_collider(pl_world* world, int collider, const double* points,
                                          int point_count, pl_error* error);
/// A pointer to the vertices that an attachment holds; returns their number, or -1.
PL_API int pl_world_attachment_vertices(const pl_world* world, int attachment,
                                        const int** vertices);
/// Sets where the attachment holds each of them at the end of the next frame (3 numbers per vertex,
/// before the placement).
PL_API pl_status pl_world_deform_attachment(pl_world* world, int attachment, const double* points,
                                            int point_count, pl_error* error);

// ---------------------------------------------------------------- what holds bodies

/// What an attachment exerts on its body.
typedef struct pl_reaction {
    double force[3];  ///< [N]
    double torque[3]; ///< about `place` [N m]
    double place[3];  ///< mean of the held positions [m]
} pl_reaction;

/// The reaction of an attachment in the last step of the last frame: a hanging weight gives an
/// upward force. Zero before the first frame, and while the attachment is not active. Attachments
/// at one vertex share its force. Forces are those at the middle of the step with the midpoint
/// rule, and means over the step with pbd.
PL_API pl_status pl_world_attachment_reaction(const pl_world* world, int attachment,
                                              pl_reaction* out, pl_error* error);
/// The force of all contacts with a collider on all bodies [N], friction included, at that time.
PL_API pl_status pl_world_collider_force(const pl_world* world, int collider, double force[3],
                                         pl_error* error);

/// A contact: a vertex and a collider, a vertex and a triangle, or two edges.
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
    double friction[3];    ///< the tangential part of that force [N]
    double distance; ///< of the two [m]; of a collider less the thickness around it, so that it is
                     ///< below 0 where a vertex is in it
} pl_contact_point;

/// Starts or stops collecting the contacts of each frame, from the next one on. It costs no time
/// while stopped.
PL_API void pl_world_tell_contacts(pl_world* world, bool tells);
/// The contacts in the last step of the last frame; the pointer is valid until the next frame.
/// Returns their number; 0 if they are not collected. The forces of contacts with a collider add up
/// to pl_world_collider_force. The force on the body of the first side is normal_force * normal +
/// friction, and on that of the second side the opposite.
PL_API int pl_world_contacts(const pl_world* world, const pl_contact_point** out);

/// Sets a number of the scene that may change during a run, by its path, from the next step on:
/// ("wind[0].velocity[0]", 12.0), ("gravity[1]", 0.0). This replaces a curve of that number.
/// Numbers marked with ~ in docs/scene.md can be set. The first change of a material, of damping or
/// of a method's number rebuilds the body's system, unless the scene has a curve there; get
/// pointers to its state again.
PL_API pl_status pl_world_set(pl_world* world, const char* path, double value, pl_error* error);
/// Changes settings between frames, each "path=value" as on the command line:
/// "bodies[0].method=pbd", "bodies[0].linear=direct", "bodies[1].iterations=3", "substeps=2".
/// Either all changes are made or none. Affected systems are rebuilt. Their bodies keep positions
/// and velocities; other state of a method starts afresh. Get pointers to positions, velocities and
/// forces again. States saved before can no longer be loaded. Solvers and laws that do not fit a
/// new method or nonlinear solver are replaced by pliant's choice, with a note. A lattice of method
/// grid takes over the shape of a bent body from its tets; without tets, it can only start from
/// affine shapes (else PL_ERROR_UNSUPPORTED). Meshes, initial positions, colliders and attachments
/// cannot be changed like this.
PL_API pl_status pl_world_change(pl_world* world, const char* const* changes, int change_count,
                                 pl_notes* notes, pl_error* error);

/// All state on which later frames depend, as bytes: for checkpoints and for going back. It
/// includes everything set by the host: forces, handles, driven colliders and attachments, numbers.
/// Loading checks that it belongs to this world's scene. The size may change when the host does
/// something new.
PL_API size_t pl_world_state_size(const pl_world* world);
PL_API void pl_world_state_save(const pl_world* world, void* out);
PL_API pl_status pl_world_state_load(pl_world* world, const void* in, size_t size, pl_error* error);

#ifdef __cplusplus
}
#endif
#endif
