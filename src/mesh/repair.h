// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A mesh under repair: the old one untouched, the elements in a copy that is edited, and what
// stands for each vertex. pl_repair_build makes the new mesh of it.
#ifndef PL_MESH_REPAIR_H
#define PL_MESH_REPAIR_H

#include "base/array.h"
#include "base/notes.h"

#include <pliant/mesh_check.h>

typedef struct pl_repair {
    const pl_mesh* old;
    int* vertex_to; // the vertex (old numbering) that stands for each; -1: dropped
    int* tets;      // renamed by vertex_to
    bool* keep_tet;
    int* triangles;
    int* triangle_uvs; // NULL if the mesh has none
    bool* keep_triangle;
    pl_array added; // int[3]: new triangles
    bool keep_unused;
    pl_notes* notes;
} pl_repair;

// Gives triangles without area one, where their neighbours allow; the others stay as they are.
pl_status pl_repair_flat_triangles(pl_repair* r, pl_error* error);

// Closes rims of at most that many edges with triangles; the surface must be wound evenly.
pl_status pl_repair_fill_holes(pl_repair* r, int most_edges, pl_error* error);

// The mended mesh; vertices that nothing uses are dropped unless keep_unused says otherwise.
pl_status pl_repair_build(const pl_repair* r, pl_mesh** out, pl_error* error);

#endif
