// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The shapes of colliders. Each shape is one file, shape_NAME.c, with its keys (pl_type_NAME), its
// solid and its picture, and one line in PL_COLLIDER_TABLE of pliant/scene_names.h.
#ifndef PL_COLLIDER_KIND_H
#define PL_COLLIDER_KIND_H

#include "contact/obstacle.h"

#include <pliant/mesh.h>
#include <pliant/scene.h>

// Points that a file or the host may move.
typedef struct pl_collider_points {
    int count;            // 0: those of the collider's mesh
    const double* places; // in the scene, 3 per point
    const char* cache;    // PC2 file that moves them; NULL or "": none
    double cache_start;   // time of its first sample [s]
} pl_collider_points;

// How the vertices of a picture are connected: rows of turned profiles (turned_profile.h), or else
// a list of triangles.
typedef struct pl_collider_picture {
    int row_count, piece_count; // rows of each piece; 0: use the list
    bool is_closed;             // the last row is joined to the first
    int vertex_count, triangle_count;
    const int* triangles;
} pl_collider_picture;

// What a picture depends on, besides the scene.
typedef struct pl_collider_view {
    const double* points; // from a cache; NULL: from the scene
    pl_vec3 around;       // infinite shapes are drawn around this point,
    double reach;         // this far to each side
} pl_collider_view;

typedef struct pl_collider_kind {
    pl_obstacle_kind solid;
    // Sets up the solid; the caller sets `kind`.
    pl_obstacle (*obstacle)(const pl_collider* c);
    // Its points. NULL: the shape has none and never changes.
    pl_collider_points (*points)(const pl_collider* c);
    // Its mesh file. NULL: the shape has none.
    const pl_mesh_shape* (*surface)(const pl_collider* c);
    // Its picture; both NULL for shapes from mesh files, which are drawn as their mesh.
    pl_collider_picture (*picture)(const pl_collider* c);
    void (*draw)(const pl_collider* c, const pl_collider_view* view, double* out);
} pl_collider_kind;

#define PL_COLLIDER_EXTERN(X, CODE, name, type, help)                                              \
    extern const pl_collider_kind pl_collider_##name;
PL_COLLIDER_TABLE(PL_COLLIDER_EXTERN, )
#undef PL_COLLIDER_EXTERN

const pl_collider_kind* pl_collider_kind_of(const pl_collider* collider);

// The solid of a collider in its own frame; for one from a mesh file, without the distance grid.
pl_obstacle pl_collider_obstacle(const pl_collider* collider);
// The collider's mesh file, or NULL.
const pl_mesh_shape* pl_collider_surface(const pl_collider* collider);
// The collider's points; none for a shape that never changes.
pl_collider_points pl_collider_points_of(const pl_collider* collider);
// Applies to points of a cache the transform that was applied to the mesh.
void pl_collider_place_points(const pl_collider* collider, double* points, int count);
// True if a cache moves its points.
bool pl_collider_has_cache(const pl_collider* collider);

// Reads and transforms the mesh file of a collider; *out is NULL for other shapes.
pl_status pl_collider_read_surface(const pl_collider* collider, pl_mesh** out, pl_notes* notes,
                                   pl_error* error);

// The default pivot of a collider's motion: the centre of its bounding box in the scene. mesh: the
// transformed mesh of a collider from a file, otherwise NULL.
pl_vec3 pl_collider_middle(const pl_collider* collider, const pl_mesh* mesh);

// True for a plane at rest that faces straight up; *height: its coordinate along that axis.
bool pl_collider_is_ground(const pl_collider* collider, int up_axis, double* height);

#endif
