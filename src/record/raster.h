// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Rasteriser: finds the nearest triangle at each sample of a picture, tile by tile. The same code
// renders camera views and light views.
#ifndef PL_RECORD_RASTER_H
#define PL_RECORD_RASTER_H

#include "base/pool.h"

enum {
    PL_RASTER_TILE = 32,      // pixels per side of a tile
    PL_RASTER_SUBPIXEL = 256, // steps per pixel of a coordinate
    PL_RASTER_MAX_SAMPLES = 16,
    PL_RASTER_HIDDEN = INT32_MIN, // as x: a vertex whose triangles are not drawn
};

typedef struct pl_raster_vertex {
    int32_t x, y; // in subpixels, within +-2^28
    float depth;  // larger is nearer; linear over the picture
} pl_raster_vertex;

// A finished tile: samples of pixel (x, y) are [((y - y0) * PL_RASTER_TILE + x - x0) *
// sample_count] onwards.
typedef struct pl_raster_tile {
    int x0, y0, x1, y1;
    int sample_count;
    int triangle_count; // that may touch the tile; 0: it is empty
    const int* ids;     // triangles, or -1
    const float* depths;
} pl_raster_tile;

typedef void (*pl_raster_resolve)(const pl_raster_tile* tile, int worker, void* user);

typedef struct pl_raster_job {
    int width, height;
    int sample_count;           // 4, 8, 12 or 16
    const uint8_t (*places)[2]; // of the samples in a pixel, x and y in subpixels
    const pl_raster_vertex* vertices;
    int triangle_count;
    const int* triangles;
    pl_raster_resolve resolve; // called once for each tile
    void* user;
} pl_raster_job;

// Four samples on a regular grid, equivalent to a picture of twice the size.
extern const uint8_t pl_raster_grid_places[4][2];
// Samples distributed so that nearly vertical and nearly horizontal edges are smooth.
const uint8_t (*pl_raster_places(int sample_count))[2];

// Among triangles of equal depth the first one wins.
pl_status pl_raster_run(const pl_raster_job* job, pl_pool* pool, pl_error* error);

#endif
