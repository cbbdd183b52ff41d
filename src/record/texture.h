// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A texture with mipmaps.
#ifndef PL_RECORD_TEXTURE_H
#define PL_RECORD_TEXTURE_H

#include "record/image.h"

enum { PL_TEXTURE_LEVELS = 15 };

typedef struct pl_texture {
    int level_count;
    int widths[PL_TEXTURE_LEVELS], heights[PL_TEXTURE_LEVELS];
    float* levels[PL_TEXTURE_LEVELS]; // linear RGB, rows from the top
} pl_texture;

pl_status pl_texture_create(const pl_image* image, pl_texture* out, pl_error* error);
void pl_texture_free(pl_texture* texture);

// Linear RGB at (u, v), repeated outside 0 to 1; v points up, as in OBJ files. width: footprint of
// a sample, as a fraction of the picture.
void pl_texture_color(const pl_texture* texture, float u, float v, float width, float rgb[3]);

#endif
