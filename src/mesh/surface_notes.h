// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Notes about a surface whose inside is judged by winding numbers: holes, edges that disagree,
// intersections.
#ifndef PL_MESH_SURFACE_NOTES_H
#define PL_MESH_SURFACE_NOTES_H

#include "base/pool.h"
#include "mesh/surface_edges.h"

#include <pliant/mesh.h>

// edges: of the surface, filled by pl_surface_edges_count.
void pl_note_surface_edges(const pl_surface_edges* edges, pl_notes* notes);
// Looks for triangles that intersect, and notes them. *found: there are some, or too many pairs to
// look at them all.
pl_status pl_note_surface_intersections(const pl_mesh* surface, pl_pool* pool, bool* found,
                                        pl_notes* notes, pl_error* error);

#endif
