// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/image.h"
#include "base/memory.h"

#include <string.h>

pl_status pl_image_create(int width, int height, pl_image* out, pl_error* error) {
    *out = (pl_image){0};
    if (width < 1 || height < 1 || width > PL_IMAGE_MAX_SIDE || height > PL_IMAGE_MAX_SIDE)
        return pl_fail(
            error, PL_ERROR_ARGUMENT,
            "a picture of %d x %d pixels is not possible; each side must be 1 to %d pixels", width,
            height, PL_IMAGE_MAX_SIDE);
    uint8_t* pixels = pl_alloc_items((size_t)width * (size_t)height, 3);
    if (!pixels) return pl_fail_memory(error, "a picture");
    *out = (pl_image){width, height, pixels, NULL};
    return PL_OK;
}

pl_status pl_image_add_alpha(pl_image* image, pl_error* error) {
    size_t count = (size_t)image->width * (size_t)image->height;
    if (image->alpha) return PL_OK;
    image->alpha = PL_ALLOC(uint8_t, count);
    if (!image->alpha) return pl_fail_memory(error, "a picture");
    memset(image->alpha, 255, count);
    return PL_OK;
}

void pl_image_free(pl_image* image) {
    size_t count = (size_t)image->width * (size_t)image->height;
    pl_free(image->pixels, count * 3);
    pl_free(image->alpha, count);
    *image = (pl_image){0};
}

void pl_image_fill(pl_image* image, const uint8_t rgb[3]) {
    size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; i++) memcpy(image->pixels + 3 * i, rgb, 3);
}

void pl_image_blend(pl_image* image, int x, int y, const uint8_t rgb[3], float alpha) {
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) return;
    uint8_t* p = pl_image_at(image, x, y);
    if (image->alpha) { // composited over the pixel; the opacities combine
        uint8_t* under = image->alpha + (size_t)y * (size_t)image->width + (size_t)x;
        float below = (float)*under * (1.0f / 255.0f), both = alpha + (1.0f - alpha) * below;
        *under = (uint8_t)(255.0f * both + 0.5f);
        alpha = both > 0.0f ? alpha / both : 0.0f;
    }
    for (int k = 0; k < 3; k++)
        p[k] = (uint8_t)((float)p[k] + alpha * ((float)rgb[k] - (float)p[k]) + 0.5f);
}

void pl_image_paste(pl_image* image, const pl_image* src, int x, int y) {
    int x0 = x < 0 ? 0 : x;
    int x1 = image->width - x < src->width ? image->width : x + src->width;
    if (x1 <= x0) return;
    for (int row = 0; row < src->height; row++) {
        if (y + row < 0 || y + row >= image->height) continue;
        memcpy(pl_image_at(image, x0, y + row), pl_image_at(src, x0 - x, row),
               (size_t)(x1 - x0) * 3);
        if (image->alpha && src->alpha)
            memcpy(image->alpha + (size_t)(y + row) * (size_t)image->width + (size_t)x0,
                   src->alpha + (size_t)row * (size_t)src->width + (size_t)(x0 - x),
                   (size_t)(x1 - x0));
    }
}
