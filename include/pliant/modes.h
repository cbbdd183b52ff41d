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
