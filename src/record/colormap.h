// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Perceptually uniform colours: maps for values, a palette for bodies, and sRGB conversion.
// Computed in the OKLab space (Ottosson 2020), where equal steps look equal.
#ifndef PL_RECORD_COLORMAP_H
#define PL_RECORD_COLORMAP_H

#include <stdint.h>

typedef enum pl_colormap {
    PL_COLORMAP_SEQUENTIAL, // dark violet over teal to light yellow, lightness linear
    PL_COLORMAP_DIVERGING,  // blue, light grey, red; for values with a neutral middle
    PL_COLORMAP_CATEGORIES, // neighbours differ; for numbers of regions
} pl_colormap;

enum { PL_COLORMAP_SIZE = 256, PL_SRGB_SIZE = 4096 };

void pl_colormap_fill(pl_colormap map, float table[PL_COLORMAP_SIZE][3]);
// A pleasant colour for body number index, linear RGB.
void pl_palette_color(int index, float rgb[3]);

// The 8-bit sRGB value of linear light in [0, 1]; values outside are clamped, NaN gives 0.
uint8_t pl_srgb8(float linear);
// Linear light of an sRGB value in [0, 1], which is clamped.
float pl_linear_of_srgb(float srgb);
// Fills a table of pl_srgb8 for fast conversion. Entry i is the value of (i / (PL_SRGB_SIZE -
// 1))^2; the square gives dark colours enough entries.
void pl_srgb_fill(uint8_t table[PL_SRGB_SIZE]);

#endif
