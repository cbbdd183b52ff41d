// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A mesh under repair: the unchanged original, an edited copy of the elements, and the replacement
// of each vertex. pl_repair_build builds the new mesh.
#ifndef PL_MESH_REPAIR_H
#define PL_MESH_REPAIR_H

#include "base/array.h"
#include "base/notes.h"

#include <pliant/mesh_check.h>

typedef struct pl_repair {
    const pl_mesh* old;
    int* vertex_to; // replacement of each vertex (old numbering); -1: dropped
    int* tets;      // renamed by vertex_to
    bool* keep_tet;
    int* triangles;
    int* triangle_uvs; // NULL if the mesh has none
    bool* keep_triangle;
    pl_array added; // int[3]: new triangles
    bool keep_unused;
    pl_notes* notes;
} pl_repair;

// Gives degenerate triangles an area where their neighbours allow it; others stay unchanged.
pl_status pl_repair_flat_triangles(pl_repair* r, pl_error* error);

// Fills holes of at most this many edges; the surface must be oriented consistently.
pl_status pl_repair_fill_holes(pl_repair* r, int most_edges, pl_error* error);

// Builds the repaired mesh; drops unused vertices unless keep_unused is set.
pl_status pl_repair_build(const pl_repair* r, pl_mesh** out, pl_error* error);

#endif
