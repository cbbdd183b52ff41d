// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shadows of the key light on bodies. The light is a disc: a shadow is sharp next to what throws it
// and soft further away.
#ifndef PL_RECORD_KEY_LIGHT_H
#define PL_RECORD_KEY_LIGHT_H

#include "record/shadow.h"

enum { PL_KEY_LIT, PL_KEY_DARK, PL_KEY_MIXED };

typedef struct pl_key_light {
    const pl_light_map* depth; // coordinate towards the light of the nearest surface
    int side;                  // of the two below, whose entries are 4 x 4 of the map
    float *low, *high;         // the smallest and the largest of them
    uint8_t* kinds;            // per vertex: is it lit, dark, or has to be looked at
    float* aways;              // per vertex: how far away is what is in the way, if it is mixed
    int vertex_count;
    float small; // triangles with shorter sides are as their corners are
} pl_key_light;

pl_status pl_key_light_create(const pl_render_mesh* mesh, const pl_light_map* depth, pl_pool* pool,
                              pl_key_light* out, pl_error* error);
void pl_key_light_free(pl_key_light* light);

// Part of the light that reaches a point, 0 to 1. normal: of the smooth surface, plane: of its
// triangle, both units.
float pl_key_light_lit(const pl_key_light* light, pl_vec3f p, pl_vec3f normal, pl_vec3f plane);
// The same where it is known how far away what is in the way is.
float pl_key_light_lit_behind(const pl_key_light* light, pl_vec3f p, pl_vec3f normal,
                              pl_vec3f plane, float away);

#endif
