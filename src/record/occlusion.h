// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Ambient occlusion: how much of the sky nearby surfaces hide from a point. Crevices are dark, open
// places are not.
#ifndef PL_RECORD_OCCLUSION_H
#define PL_RECORD_OCCLUSION_H

#include "record/render_mesh.h"

enum { PL_OCCLUSION_SIDE = 64, PL_OCCLUSION_LEVELS = 3 };

typedef struct pl_occlusion {
    float* levels[PL_OCCLUSION_LEVELS]; // fraction of a cell's face that surfaces cover, 0 to 1
    float* open;                        // per vertex of the mesh, on the side that the eye sees
    int vertex_count;
} pl_occlusion;

pl_status pl_occlusion_create(const pl_render_mesh* mesh, pl_vec3f eye, pl_pool* pool,
                              pl_occlusion* out, pl_error* error);
void pl_occlusion_free(pl_occlusion* occlusion);

// Fraction of the sky visible from a point with a unit normal, 0 to 1.
float pl_occlusion_open(const pl_occlusion* occlusion, pl_vec3f p, pl_vec3f normal);
// Larger triangles cannot be interpolated from their corners.
#define PL_OCCLUSION_COARSE 0.14f

#endif
