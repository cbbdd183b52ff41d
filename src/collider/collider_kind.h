// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shapes of colliders. A shape is one file, shape_NAME.c, with its keys (pl_type_NAME), its solid
// and its picture, and one line in PL_COLLIDER_TABLE of pliant/scene_names.h.
#ifndef PL_COLLIDER_KIND_H
#define PL_COLLIDER_KIND_H

#include "contact/obstacle.h"

#include <pliant/mesh.h>
#include <pliant/scene.h>

// Points that a file or the host may move.
typedef struct pl_collider_points {
    int count;            // 0: those of its mesh
    const double* places; // in the scene, 3 per point
    const char* cache;    // PC2 file that moves them; NULL or "": none
    double cache_start;   // time of its first sample [s]
} pl_collider_points;

// How the vertices of a picture are joined: rows of turned profiles (turned_profile.h), or else a
// list of triangles.
typedef struct pl_collider_picture {
    int row_count, piece_count; // rows of each piece; no rows: the list
    bool is_closed;             // the last row is joined to the first
    int vertex_count, triangle_count;
    const int* triangles;
} pl_collider_picture;

// What a picture depends on besides the scene.
typedef struct pl_collider_view {
    const double* points; // where a cache has them; NULL: where the scene has them
    pl_vec3 around;       // what is infinite is drawn around this place
    double reach;         // and this far to each side
} pl_collider_view;

typedef struct pl_collider_kind {
    pl_obstacle_kind solid;
    // The numbers of the solid; `kind` is filled in by the caller.
    pl_obstacle (*obstacle)(const pl_collider* c);
    // NULL: the shape has no points and never changes.
    pl_collider_points (*points)(const pl_collider* c);
    // NULL: the shape does not come from a mesh file.
    const pl_mesh_shape* (*surface)(const pl_collider* c);
    // Its picture. Shapes from mesh files are drawn as their mesh, and have neither.
    pl_collider_picture (*picture)(const pl_collider* c);
    void (*draw)(const pl_collider* c, const pl_collider_view* view, double* out);
} pl_collider_kind;

#define PL_COLLIDER_EXTERN(X, CODE, name, type, help)                                              \
    extern const pl_collider_kind pl_collider_##name;
PL_COLLIDER_TABLE(PL_COLLIDER_EXTERN, )
#undef PL_COLLIDER_EXTERN

const pl_collider_kind* pl_collider_kind_of(const pl_collider* collider);

// The solid of a collider in its own frame; of one from a mesh file the distance grid is missing.
pl_obstacle pl_collider_obstacle(const pl_collider* collider);
// The mesh file of a collider that has one, or NULL.
const pl_mesh_shape* pl_collider_surface(const pl_collider* collider);
// Its points; none for a shape that never changes.
pl_collider_points pl_collider_points_of(const pl_collider* collider);
// Moves points of a cache as the mesh itself was moved.
void pl_collider_place_points(const pl_collider* collider, double* points, int count);
// True if a cache moves its points.
bool pl_collider_has_cache(const pl_collider* collider);

// Reads the mesh file of a collider and moves it to its place; *out is NULL for other shapes.
pl_status pl_collider_read_surface(const pl_collider* collider, pl_mesh** out, pl_notes* notes,
                                   pl_error* error);

// The point that a collider turns about if its motion names none: the middle of its box as the
// scene describes it. mesh: of one from a file, after its transform; else NULL.
pl_vec3 pl_collider_middle(const pl_collider* collider, const pl_mesh* mesh);

// True for a plane at rest that faces straight up; *height: where it is along that axis.
bool pl_collider_is_ground(const pl_collider* collider, int up_axis, double* height);

#endif
