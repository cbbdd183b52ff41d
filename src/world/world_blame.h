// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
// Describes the place where a solve did not converge.
#ifndef PL_WORLD_WORLD_BLAME_H
#define PL_WORLD_WORLD_BLAME_H

#include "world/world_build.h"

// Writes the body, the vertex and its worst-shaped element into `out`. vertex: of the system.
void pl_world_name_place(const pl_world* world, int system, int vertex, char* out, size_t size);

#endif
