// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Evaluates selections on a mesh in its body's rest position.
#ifndef PL_SCENE_SELECTION_H
#define PL_SCENE_SELECTION_H

#include <pliant/mesh_surface.h>
#include <pliant/scene.h>

// Ascending indices; count ints, freed by the caller.
typedef struct pl_selected {
    int count;
    int* items;
} pl_selected;

void pl_selected_free(pl_selected* selected);

// The vertices of a selection. An empty selection is an error that says where the mesh is; body:
// its name in that message.
pl_status pl_selection_vertices(const pl_selection* selection, const pl_mesh* mesh,
                                const char* body, pl_selected* out, pl_error* error);
// The triangles of the mesh's surface that lie in a selection: by a region of triangles if it names
// one, else those whose three corners are selected.
pl_status pl_selection_triangles(const pl_selection* selection, const pl_mesh* mesh,
                                 const pl_surface* surface, const char* body, pl_selected* out,
                                 pl_error* error);

#endif
