// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Triangles of a scene's colliders, for pictures.
#ifndef PL_RECORD_SHOW_COLLIDER_H
#define PL_RECORD_SHOW_COLLIDER_H

#include "contact/point_cache.h"

#include <pliant/mesh.h>
#include <pliant/scene.h>

typedef struct pl_shown_collider {
    const pl_collider* def;
    pl_mesh* mesh;        // of a mesh collider, after its transform
    pl_point_cache cache; // may be empty
    double* cached;       // points of the cache
    int vertex_count, triangle_count;
    double* start; // 3 per vertex, before the motion
    float* positions;
    int* triangles;
    pl_vec3 middle;
} pl_shown_collider;

pl_status pl_shown_collider_create(const pl_collider* def, pl_shown_collider* out, pl_notes* notes,
                                   pl_error* error);
void pl_shown_collider_free(pl_shown_collider* shape);

// Computes positions at a time, with the sizes that the scene has now. frame_step: between the
// samples of a cache [s]. Planes extend by `reach` to each side of their point nearest to `around`.
void pl_shown_collider_place(pl_shown_collider* shape, double time, double frame_step,
                             pl_vec3 around, double reach);

#endif
