// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shadows of the key light on bodies. The light is a disc, so a shadow is sharp near its caster and
// softer farther away.
#ifndef PL_RECORD_KEY_LIGHT_H
#define PL_RECORD_KEY_LIGHT_H

#include "record/shadow.h"

enum { PL_KEY_LIT, PL_KEY_DARK, PL_KEY_MIXED };

typedef struct pl_key_light {
    const pl_light_map* depth; // coordinate towards the light of the nearest surface
    int side;                  // of the two below, whose entries are 4 x 4 of the map
    float *low, *high;         // the smallest and the largest of them
    uint8_t* kinds;            // per vertex: lit, dark, or mixed
    float* aways;              // per vertex: distance of the occluder, if mixed
    int vertex_count;
    float small; // triangles with shorter sides are interpolated from their corners
} pl_key_light;

pl_status pl_key_light_create(const pl_render_mesh* mesh, const pl_light_map* depth, pl_pool* pool,
                              pl_key_light* out, pl_error* error);
void pl_key_light_free(pl_key_light* light);

// Fraction of the light that reaches a point, 0 to 1. Unit normals: `normal` of the smooth surface,
// `plane` of its triangle.
float pl_key_light_lit(const pl_key_light* light, pl_vec3f p, pl_vec3f normal, pl_vec3f plane);
// The same with a known distance of the occluder.
float pl_key_light_lit_behind(const pl_key_light* light, pl_vec3f p, pl_vec3f normal,
                              pl_vec3f plane, float away);

#endif
