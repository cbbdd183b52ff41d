// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Scenes inside the library.
#ifndef PL_SCENE_OBJECT_H
#define PL_SCENE_OBJECT_H

#include "base/fail.h"

#include <pliant/scene.h>

// Stores a copy of the curve for the path, replacing an earlier one. Does not check the path.
pl_status pl_scene_put_animation(pl_scene* scene, const char* path, const pl_curve* curve,
                                 pl_error* error);
void pl_scene_drop_animation(pl_scene* scene, const char* path);

// A problem in a scene, and its path.
typedef struct pl_problem {
    char path[1024];
    char text[640];
} pl_problem;

// Like pl_scene_resolve, with path and text separate, so that a reader can add the file position.
pl_status pl_scene_resolve_at(pl_scene* scene, pl_problem* problem);
// The part that resolves methods, laws and solvers, and the defaults that depend on `up`.
pl_status pl_scene_resolve_bodies(pl_scene* scene, pl_error* error);
pl_status pl_scene_check_files_at(const pl_scene* scene, pl_notes* notes, pl_problem* problem);

#endif
