// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The patches (bend_patch.h) and hinges (bending.h) with which a sheet of triangles bends. Each
// triangle is a patch, with a hinge at each side where one other triangle meets it. Where three or
// more meet at an edge, each pair is a separate hinge.
#ifndef PL_MATERIAL_BEND_SHEET_H
#define PL_MATERIAL_BEND_SHEET_H

#include "material/bend_parts.h"
#include "mesh/topology.h"

// positions: 3 per vertex, at rest; sides: those of the triangles.
pl_status pl_bend_sheet_create(const double* positions, const int* triangles, int triangle_count,
                               const pl_side_groups* sides, pl_bend_sheet* out, pl_error* error);
void pl_bend_sheet_free(pl_bend_sheet* sheet);

#endif
