// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pictures of triangle bodies: smooth shading, a ground with soft shadows, colours by value, a
// legend. The same scene and options give the same bytes for every pool.
#ifndef PL_RECORD_RENDER_H
#define PL_RECORD_RENDER_H

#include "base/parallel.h"
#include "record/camera.h"
#include "record/colormap.h"
#include "record/image.h"

// One body; all arrays are borrowed, indices are in range. Triangles with a corner that is not
// finite are left out.
typedef struct pl_render_body {
    int vertex_count;
    const float* positions; // 3 per vertex
    int triangle_count;
    const int* triangles;         // 3 per triangle; both sides are drawn
    const float* vertex_values;   // colours by value, or NULL
    const float* triangle_values; // the same per triangle; only one of the two
    bool has_color;               // else the palette's colour of the body's number
    float color[3];               // linear RGB
} pl_render_body;

typedef struct pl_render_scene {
    int body_count;
    const pl_render_body* bodies;
} pl_render_scene;

typedef struct pl_render_options {
    int width, height;
    int samples; // per pixel: 4, 8 or 16
    pl_camera camera;
    int up_axis;
    double radius;        // size of what is shown over the whole run, for the reach of shadows
    pl_vec3 center;       // its middle
    bool ground;          // draw it and the shadows on it
    double ground_height; // along the up axis
    bool wireframe;       // edges over the surface
    double crease;        // [degrees] edges sharper than this are not smoothed
    pl_colormap map;
    double value_low, value_high; // ends of the colour map
    const char* legend;           // title of the legend, NULL for none
    const char* label;            // text in the lower left corner, or NULL
} pl_render_options;

pl_render_options pl_default_render_options(void);

// Camera, radius, centre and ground height from a fit over all that will be shown.
void pl_render_options_frame(pl_render_options* options, const pl_camera_fit* fit);

// image must have been created with the width and height of the options.
pl_status pl_render_draw(const pl_render_scene* scene, const pl_render_options* options,
                         pl_pool* pool, pl_image* image, pl_error* error);

#endif
