// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes of vibration of a body of method fem.
#ifndef PLIANT_MODES_H
#define PLIANT_MODES_H

#include <pliant/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The modes of a body, in ascending order of frequency. The first rigid_count of them are motions
/// without any stiffness, with frequency 0: six of a free body.
typedef struct pl_modes {
    int vertex_count;
    int count;
    int rigid_count;
    double* frequency;     ///< [Hz]
    double* residual;      ///< |K u - lambda M u| / |K u|
    double* participation; ///< 3 per mode: part of the mass that moves with it along x, y, z
    double* shapes;        ///< 3 per vertex, mode after mode; u' M u = 1 [1/sqrt(kg)]
} pl_modes;

/// How large a search for modes is.
typedef struct pl_modes_size {
    int vertex_count;
    int unknowns; ///< coordinates that nothing holds
    double bytes; ///< about how much memory pl_world_modes takes, beside that of the world
} pl_modes_size;

/// What pl_world_modes would have to do for so many modes, to be asked before it starts. Memory is
/// estimated, to about a fifth for solid bodies.
/// PL_ERROR_UNSUPPORTED: the method of the body is another than fem.
PL_API pl_status pl_world_modes_size(pl_world* world, int body, int count, pl_modes_size* out,
                                     pl_error* error);

/// The lowest `count` modes beside the rigid ones, around where the body is now, with its
/// attachments as they are; contacts count for nothing. At the start that is the body at rest. A
/// body that is bent has the modes of its bent shape.
/// PL_ERROR_UNSUPPORTED: its method is another than fem. PL_ERROR_ARGUMENT: there are not so many
/// modes, or the body is about to buckle, so that a mode would grow.
PL_API pl_status pl_world_modes(pl_world* world, int body, int count, pl_modes** out,
                                pl_error* error);
PL_API void pl_modes_destroy(pl_modes* modes);

#ifdef __cplusplus
}
#endif
#endif
