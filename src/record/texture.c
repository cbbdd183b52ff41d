// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Mipmaps (Williams 1983): each level has half the sides of the one before, and a sample mixes four
// pixels of the two levels whose pixels are next to its own width.
#include "record/texture.h"
#include "base/memory.h"
#include "record/colormap.h"

#include <math.h>

static size_t level_size(const pl_texture* t, int l) {
    return 3 * (size_t)t->widths[l] * (size_t)t->heights[l];
}

static void halve(const pl_texture* t, int l) {
    int width = t->widths[l - 1], height = t->heights[l - 1];
    const float* in = t->levels[l - 1];
    float* out = t->levels[l];
    for (int y = 0; y < t->heights[l]; y++)
        for (int x = 0; x < t->widths[l]; x++)
            for (int k = 0; k < 3; k++) {
                int x0 = 2 * x, x1 = x0 + 1 < width ? x0 + 1 : x0;
                int y0 = 2 * y, y1 = y0 + 1 < height ? y0 + 1 : y0;
                *out++ = 0.25f * (in[3 * (y0 * width + x0) + k] + in[3 * (y0 * width + x1) + k] +
                                  in[3 * (y1 * width + x0) + k] + in[3 * (y1 * width + x1) + k]);
            }
}

pl_status pl_texture_create(const pl_image* image, pl_texture* out, pl_error* error) {
    *out = (pl_texture){0};
    float linear[256];
    for (int i = 0; i < 256; i++) linear[i] = pl_linear_of_srgb((float)i / 255.0f);
    int width = image->width, height = image->height;
    for (int l = 0; l < PL_TEXTURE_LEVELS; l++) {
        out->widths[l] = width, out->heights[l] = height;
        out->levels[l] = PL_ALLOC(float, level_size(out, l));
        if (!out->levels[l]) {
            pl_texture_free(out);
            return pl_fail_memory(error, "a texture");
        }
        out->level_count = l + 1;
        for (size_t i = 0; l == 0 && i < level_size(out, 0); i++)
            out->levels[0][i] = linear[image->pixels[i]];
        if (l > 0) halve(out, l);
        if (width == 1 && height == 1) break;
        width = width > 1 ? width / 2 : 1, height = height > 1 ? height / 2 : 1;
    }
    return PL_OK;
}

void pl_texture_free(pl_texture* t) {
    for (int l = 0; l < PL_TEXTURE_LEVELS; l++) PL_FREE(t->levels[l], float, level_size(t, l));
    *t = (pl_texture){0};
}

// adds weight times the colour of one level, interpolated from the four nearest pixels
static void add_level(const pl_texture* t, int l, float u, float v, float weight, float rgb[3]) {
    int width = t->widths[l], height = t->heights[l];
    float x = (u - floorf(u)) * (float)width - 0.5f;
    float y = (1.0f - (v - floorf(v))) * (float)height - 0.5f;
    float fx = x - floorf(x), fy = y - floorf(y);
    int x0 = ((int)floorf(x) + width) % width, y0 = ((int)floorf(y) + height) % height;
    int x1 = (x0 + 1) % width, y1 = (y0 + 1) % height;
    const float* p = t->levels[l];
    for (int k = 0; k < 3; k++) {
        float a = p[3 * (y0 * width + x0) + k], b = p[3 * (y0 * width + x1) + k];
        float c = p[3 * (y1 * width + x0) + k], d = p[3 * (y1 * width + x1) + k];
        float top = a + fx * (b - a), bottom = c + fx * (d - c);
        rgb[k] += weight * (top + fy * (bottom - top));
    }
}

void pl_texture_color(const pl_texture* t, float u, float v, float width, float rgb[3]) {
    rgb[0] = rgb[1] = rgb[2] = 0.0f;
    if (!(fabsf(u) < 1e6f && fabsf(v) < 1e6f)) return;
    float side = (float)(t->widths[0] > t->heights[0] ? t->widths[0] : t->heights[0]);
    float level = width * side > 1.0f ? log2f(width * side) : 0.0f;
    float most = (float)(t->level_count - 1);
    level = level < most ? level : most;
    int l = (int)level, next = l + 1 < t->level_count ? l + 1 : l;
    float part = level - (float)l;
    add_level(t, l, u, v, 1.0f - part, rgb);
    add_level(t, next, u, v, part, rgb);
}
