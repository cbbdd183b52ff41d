// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The default scene of a mesh file, so that a mesh can be run without a scene: a solid falls on the
// ground, flat cloth falls over a ball, other cloth hangs by its top.
#ifndef PL_SCENE_STARTER_H
#define PL_SCENE_STARTER_H

#include "scene/scene_text.h"

// True if the ending of the path is that of a mesh format.
bool pl_path_is_mesh(const char* path);

// Adds the scene of the mesh as JSON. It names the mesh without its folder. The stiffness is chosen
// so that the body deforms visibly. A mesh too large to be in metres is scaled.
pl_status pl_scene_starter(const char* mesh_path, pl_text* text, pl_error* error);

#endif
