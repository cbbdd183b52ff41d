// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
// Notes about bodies that are probably not what the author meant.
#ifndef PL_WORLD_BODY_HINTS_H
#define PL_WORLD_BODY_HINTS_H

#include "base/notes.h"

#include <pliant/scene.h>

// Notes if a mesh consists of unconnected pieces, or if its size suggests units other than metres.
// mesh: the simulated mesh, placed in the world. Fails only if allocation fails.
pl_status pl_body_hints(const pl_body* body, const pl_mesh* mesh, bool is_cloth, pl_notes* notes,
                        pl_error* error);

#endif
