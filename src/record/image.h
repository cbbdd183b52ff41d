// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pictures of 8-bit sRGB pixels.
#ifndef PL_RECORD_IMAGE_H
#define PL_RECORD_IMAGE_H

#include "base/fail.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pl_image {
    int width, height;
    uint8_t* pixels; // 3 per pixel, rows from the top
    uint8_t* alpha;  // 1 per pixel, 255 opaque; or NULL: all opaque
} pl_image;

enum { PL_IMAGE_MAX_SIDE = 16384 };

// A black picture; each side 1 to PL_IMAGE_MAX_SIDE.
pl_status pl_image_create(int width, int height, pl_image* out, pl_error* error);
void pl_image_free(pl_image* image);
// Adds an opaque alpha channel, unless there is one already.
pl_status pl_image_add_alpha(pl_image* image, pl_error* error);

static inline uint8_t* pl_image_at(const pl_image* image, int x, int y) {
    return image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}
void pl_image_fill(pl_image* image, const uint8_t rgb[3]);
// Mixes a colour into one pixel; pixels outside are ignored.
void pl_image_blend(pl_image* image, int x, int y, const uint8_t rgb[3], float alpha);
// Copies src with its upper left corner at (x, y), cut to the picture.
void pl_image_paste(pl_image* image, const pl_image* src, int x, int y);

#endif
