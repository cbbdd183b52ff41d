// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#ifndef PL_WORLD_MOMENTUM_H
#define PL_WORLD_MOMENTUM_H

#include "world/world_build.h"

// Momentum of a body and its angular momentum about the origin. See `momentum` in method.h.
pl_status pl_world_body_momentum(pl_world* world, int body, pl_vec3* linear, pl_vec3* angular,
                                 pl_error* error);

#endif
