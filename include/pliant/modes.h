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

/// The modes of a body, in ascending order of frequency. The first rigid_count modes have no
/// stiffness and frequency 0: a free body has six.
typedef struct pl_modes {
    int vertex_count;
    int count;
    int rigid_count;
    double* frequency;     ///< [Hz]
    double* residual;      ///< |K u - lambda M u| / |K u|
    double* participation; ///< 3 per mode: part of the mass that moves with it along x, y, z
    double* shapes;        ///< 3 per vertex, mode after mode; u' M u = 1 [1/sqrt(kg)]
} pl_modes;

/// The size of an eigenvalue problem.
typedef struct pl_modes_size {
    int vertex_count;
    int unknowns; ///< free coordinates
    double bytes; ///< estimate of the memory that pl_world_modes needs, besides that of the world
} pl_modes_size;

/// The size of the problem that pl_world_modes would solve for `count` modes. The estimate of
/// memory is within about a fifth for solid bodies. PL_ERROR_UNSUPPORTED: the body's method is not
/// fem.
PL_API pl_status pl_world_modes_size(pl_world* world, int body, int count, pl_modes_size* out,
                                     pl_error* error);

/// The lowest `count` modes, not counting rigid ones, linearised at the body's current shape with
/// its current attachments. Contacts are ignored. Before the first frame the body is at rest; a
/// bent body has the modes of its bent shape. PL_ERROR_UNSUPPORTED: the body's method is not fem.
/// PL_ERROR_ARGUMENT: the body has fewer modes, or buckles, so that some mode grows.
PL_API pl_status pl_world_modes(pl_world* world, int body, int count, pl_modes** out,
                                pl_error* error);
PL_API void pl_modes_destroy(pl_modes* modes);

#ifdef __cplusplus
}
#endif
#endif
