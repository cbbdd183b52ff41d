// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shading of ray hits: bodies, the ground, the backdrop.
#ifndef PL_RECORD_SHADE_H
#define PL_RECORD_SHADE_H

#include "record/key_light.h"
#include "record/occlusion.h"
#include "record/raster.h"

typedef struct pl_shader {
    const pl_render_mesh* mesh;
    const pl_shadows* shadows;
    const pl_key_light* key_light;
    const pl_occlusion* occlusion; // or NULL
    const pl_render_body* bodies;
    const float (*body_colors)[3];
    const float (*back_colors)[3];     // of the sides that are seen from behind
    const int* first_triangles;        // of bodies, in the mesh
    const pl_raster_vertex* projected; // for the width of lines
    bool wireframe;
    bool has_textures;
    bool has_categories; // values are categories: a point has the value of the nearest corner
    bool ground;
    float ground_height;
    float value_low, value_scale;  // of the colour map
    pl_vec3f eye, right, up, back; // of the camera
    pl_vec3f world_up;
    float tan_x, tan_y;
    float pixel_x, pixel_y; // size of a pixel in the plane at distance 1
    pl_vec3f key, fill;     // unit vectors towards the lights
    float line_width;       // [pixels]
    float map[PL_COLORMAP_SIZE][3];
} pl_shader;

// Key and fill light stand left and right behind the camera's shoulders.
void pl_shader_place_lights(pl_shader* shader);
// Places where rays meet triangles, shaded together so that the arithmetic runs in wide registers.
enum { PL_SHADE_BATCH = 64 };
typedef struct pl_fragments {
    int count;
    int ids[PL_SHADE_BATCH];                    // triangles
    float x[PL_SHADE_BATCH], y[PL_SHADE_BATCH]; // points of the picture [pixels]
    float weights[PL_SHADE_BATCH];              // for the caller: weight in its pixel, and
    int pixels[PL_SHADE_BATCH];                 // which pixel that is
    float rgb[3][PL_SHADE_BATCH];               // results, linear
} pl_fragments;

void pl_shade_triangles(const pl_shader* shader, pl_fragments* fragments);
// Linear RGB of the backdrop for `count` pixels of a row from (x, y) on, at most PL_RASTER_TILE. If
// alpha is not NULL, there is only the ground's shadow, and alpha gets its opacity. Returns true if
// all pixels are known to be equal.
bool pl_shade_backdrop(const pl_shader* shader, int x, int y, int count, float (*rgb)[3],
                       float* alpha);

#endif
