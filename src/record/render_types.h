// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Input and options of the renderer.
#ifndef PL_RENDER_TYPES_H
#define PL_RENDER_TYPES_H

#include "record/camera.h"
#include "record/colormap.h"
#include "record/texture.h"

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
    bool has_back_color;          // of triangles seen from behind; else both sides look alike
    float back_color[3];
    bool has_no_creases;       // sharp folds are smoothed too: cloth
    const pl_texture* texture; // instead of the colour, or NULL
    const float* uvs;          // 2 per texture coordinate
    const int* triangle_uvs;   // 3 per triangle, -1 for none
} pl_render_body;

// A point with a line, over everything else.
typedef struct pl_render_mark {
    pl_vec3 at;
    pl_vec3 along; // the line, 1 for the longest
} pl_render_mark;

typedef struct pl_render_scene {
    int body_count;
    const pl_render_body* bodies;
    int mark_count;
    const pl_render_mark* marks;
} pl_render_scene;

// a colour of a map of categories
typedef struct pl_legend_item {
    const char* name;
    int value;
} pl_legend_item;

typedef struct pl_render_options {
    int width, height;
    int samples; // per pixel: 4, 8 or 16
    pl_camera camera;
    int up_axis;
    double radius;        // size of what is shown over the whole run, for the reach of shadows
    pl_vec3 center;       // its centre
    bool ground;          // draw it and the shadows on it
    double ground_height; // along the up axis
    bool wireframe;       // edges over the surface
    bool transparent;     // no backdrop: the image has an alpha channel
    bool no_occlusion;    // no ambient occlusion
    double crease;        // [degrees] edges sharper than this are not smoothed
    pl_colormap map;
    double value_low, value_high; // ends of the colour map
    const char* legend;           // title of the legend, NULL for none
    int item_count;               // of categories that are drawn, for the legend
    const pl_legend_item* items;
    const char* label; // text in the lower left corner, or NULL
} pl_render_options;

#endif
