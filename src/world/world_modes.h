// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes of a single body, without the world around it.
#ifndef PL_WORLD_MODES_H
#define PL_WORLD_MODES_H

#include "fem/fem_build.h"
#include "modes/mode_cache.h"
#include "world/world_build.h"

// Modes, with the matrices of their eigenvalue problem.
typedef struct pl_body_modes {
    pl_body_parts parts; // masses, neighbours
    pl_step_holds holds;
    pl_mode_set set;
} pl_body_modes;

// Finds the lowest `count` modes, not counting rigid ones, of a body of method fem at x (3 per
// vertex). pins: in the body's numbering. cache: folder of mode_cache.h, or NULL.
pl_status pl_body_modes_find(const pl_world_body* body, const double* x, const pl_pin* pins,
                             int pin_count, int count, const char* cache, pl_pool* pool,
                             pl_body_modes* out, pl_error* error);
void pl_body_modes_free(pl_body_modes* modes);

#endif
