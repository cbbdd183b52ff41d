// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shadow maps: a depth map of the key light for shadows on bodies, and two soft maps for the
// ground: the shadow of the key light, and the part of the sky that nearby bodies hide.
#ifndef PL_RECORD_SHADOW_H
#define PL_RECORD_SHADOW_H

#include "record/render_mesh.h"

// A square grid of numbers in the plane of two directions.
typedef struct pl_light_map {
    int side;
    pl_vec3f u, v, toward; // directions of the columns, of the rows, and towards the light
    float u0, v0;          // coordinates of the corner of entry (0, 0)
    float scale;           // entries per unit
    float* values;
    int used_x0, used_y0, used_x1, used_y1; // all other entries are 0, to visible accuracy
} pl_light_map;

typedef struct pl_shadows {
    pl_light_map depth; // coordinate towards the light of the nearest surface
    pl_light_map light; // part of the key light that is hidden from a point of the ground, 0 to 1
    pl_light_map sky;   // the same for the sky
} pl_shadows;

// light: unit vector towards the key light. Heights are those of the mesh's space.
pl_status pl_shadows_create(const pl_render_mesh* mesh, pl_vec3f light, int up_axis, bool ground,
                            float ground_height, pl_pool* pool, pl_shadows* out, pl_error* error);
void pl_shadows_free(pl_shadows* shadows);

#endif
