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

/// What a frame took. Not converging is no error: it stands here.
typedef struct pl_frame_info {
    int frame;      ///< number of frames done
    double time;    ///< of the scene [s]
    int iterations; ///< nonlinear ones, of all systems and substeps
    int linear_iterations;
    int unconverged_count; ///< solves that ended before their tolerance
    int retry_count;       ///< steps that had to be halved
    int contact_count;     ///< at the end
    double residual;       ///< the largest at the end of a solve, relative to the load
    double kinetic_energy, elastic_energy; ///< [J]
    double volume;                         ///< of all solids [m^3]
    double detect_seconds, assembly_seconds, linear_seconds, seconds;
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

PL_API double pl_world_time(const pl_world* world); ///< [s]
PL_API int pl_world_frame(const pl_world* world);

PL_API int pl_world_body_count(const pl_world* world);
/// The body of a name, or -1.
PL_API int pl_world_find_body(const pl_world* world, const char* name);
PL_API const char* pl_world_body_name(const pl_world* world, int body);
/// The rest mesh of a body, in the world's coordinates and the numbering of all its vertex data.
PL_API const pl_mesh* pl_world_mesh(const pl_world* world, int body);
/// Views, 3 per vertex, that stay at their address as long as the world lives. They may be written
/// between frames.
PL_API double* pl_world_positions(pl_world* world, int body);  ///< [m]
PL_API double* pl_world_velocities(pl_world* world, int body); ///< [m/s]
/// The force of the host on each vertex, added to all others until changed; zero at first.
PL_API double* pl_world_forces(pl_world* world, int body); ///< [N]

/// Holds a vertex with a spring until released: the hand of a user. Returns the handle, or -1 if
/// memory is out or the vertex is none.
PL_API int pl_world_grab(pl_world* world, int body, int vertex, double stiffness);
/// Where the hand is at the end of the next frame; it goes there evenly during the frame [m].
PL_API void pl_world_move(pl_world* world, int handle, double x, double y, double z);
PL_API void pl_world_release(pl_world* world, int handle);

/// The state that the next frames depend on, as bytes: for checkpoints and for going back. Loading
/// checks that it is of this world's kind. What the host does, forces and handles, is not in it.
PL_API size_t pl_world_state_size(const pl_world* world);
PL_API void pl_world_state_save(const pl_world* world, void* out);
PL_API pl_status pl_world_state_load(pl_world* world, const void* in, size_t size, pl_error* error);

#ifdef __cplusplus
}
#endif
#endif
