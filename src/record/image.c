// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/image.h"
#include "base/memory.h"
#include "mesh/mesh_sink.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

pl_status pl_image_create(int width, int height, pl_image* out, pl_error* error) {
    *out = (pl_image){0};
    if (width < 1 || height < 1 || width > PL_IMAGE_MAX_SIDE || height > PL_IMAGE_MAX_SIDE)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "a picture of %d x %d pixels was asked for; each side may be 1 to %d", width,
                       height, PL_IMAGE_MAX_SIDE);
    uint8_t* pixels = pl_alloc_items((size_t)width * (size_t)height, 3);
    if (!pixels) return pl_fail_memory(error, "a picture");
    *out = (pl_image){width, height, pixels};
    return PL_OK;
}

void pl_image_free(pl_image* image) {
    pl_free(image->pixels, (size_t)image->width * (size_t)image->height * 3);
    *image = (pl_image){0};
}

void pl_image_fill(pl_image* image, const uint8_t rgb[3]) {
    size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; i++) memcpy(image->pixels + 3 * i, rgb, 3);
}

void pl_image_blend(pl_image* image, int x, int y, const uint8_t rgb[3], float alpha) {
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) return;
    uint8_t* p = pl_image_at(image, x, y);
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
    }
}

typedef struct png_target {
    pl_array* bytes;
    char text[128];
} png_target;

static void append_bytes(png_structp png, png_bytep data, size_t size) {
    png_target* target = png_get_io_ptr(png);
    void* place = pl_array_add(target->bytes, size);
    if (!place) png_error(png, "out of memory");
    memcpy(place, data, size);
}

static void no_flush(png_structp png) { (void)png; }

static void keep_message(png_structp png, png_const_charp text) {
    png_target* target = png_get_error_ptr(png);
    snprintf(target->text, sizeof target->text, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void ignore_warning(png_structp png, png_const_charp text) { (void)png, (void)text; }

// false after a failure of libpng, which jumps back here
static bool encode(png_structp png, png_infop info, const pl_image* image, png_target* target) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, target, append_bytes, no_flush);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    // differences of smooth shading are mostly runs: half the time of the default, and smaller
    png_set_compression_strategy(png, Z_RLE);
    png_set_filter(png, 0, PNG_FILTER_SUB);
    png_write_info(png, info);
    for (int y = 0; y < image->height; y++) png_write_row(png, pl_image_at(image, 0, y));
    png_write_end(png, info);
    return true;
}

pl_status pl_image_encode_png(const pl_image* image, pl_array* bytes, pl_error* error) {
    png_target target = {.bytes = bytes};
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &target, keep_message, ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool done = info && encode(png, info, image, &target);
    png_destroy_write_struct(&png, &info);
    if (done) return PL_OK;
    return pl_fail(error, PL_ERROR_MEMORY, "a PNG picture could not be encoded: %s",
                   target.text[0] ? target.text : "out of memory");
}

pl_status pl_image_write_png(const pl_image* image, const char* path, pl_error* error) {
    pl_array bytes = pl_array_of(1);
    pl_sink* sink = NULL;
    pl_status status = pl_image_encode_png(image, &bytes, error);
    if (status == PL_OK) status = pl_sink_create(path, &sink, error);
    if (status == PL_OK) {
        pl_sink_bytes(sink, bytes.data, bytes.count);
        status = pl_sink_close(sink, true, error);
    }
    pl_array_free(&bytes);
    return status;
}
