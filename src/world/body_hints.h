// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Notes on bodies that are probably not what their author meant.
#ifndef PL_WORLD_BODY_HINTS_H
#define PL_WORLD_BODY_HINTS_H

#include "base/notes.h"

#include <pliant/scene.h>

// Notes a mesh in pieces that nothing joins, and one whose size suggests other units than metres.
// The mesh is the one that is simulated, set into the world. Fails for want of memory only.
pl_status pl_body_hints(const pl_body* body, const pl_mesh* mesh, bool is_cloth, pl_notes* notes,
                        pl_error* error);

#endif
