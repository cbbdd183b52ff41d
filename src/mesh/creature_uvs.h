// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Texture coordinates of closed bodies.
#ifndef PL_MESH_CREATURE_UVS_H
#define PL_MESH_CREATURE_UVS_H

#include "mesh/mesh_object.h"

// Texture coordinates of all triangles by projection onto the sides of a box: a triangle goes to
// the side that its normal points at most. The six sides lie in two rows of three, front, left and
// top, then back, right and bottom, all in one scale, so that a checker stays a checker.
pl_status pl_mesh_project_uvs(pl_mesh* mesh, pl_error* error);

#endif
