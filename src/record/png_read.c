// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PNG (W3C, Portable Network Graphics, 2nd ed.): chunks of length, type, data and CRC; the rows are
// one zlib stream over all IDAT chunks, each with the number of its filter before it.
#include "record/png_read.h"
#include "base/memory.h"
#include "mesh/mesh_source.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct png_file {
    const char* path;
    const uint8_t* data;
    size_t size;
    uint32_t width, height;
    int depth, kind;        // bits of a number; 0 grey, 2 RGB, 3 palette, 4 grey + alpha, 6 RGBA
    size_t channels, bytes; // numbers and bytes of a pixel
    const uint8_t* palette; // 3 per colour
    size_t color_count;
} png_file;

static uint32_t word(const uint8_t* p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static pl_status broken(const png_file* f, const char* what, pl_error* error) {
    return pl_fail(error, PL_ERROR_FORMAT, "%s: %s", f->path, what);
}

static pl_status take_head(png_file* f, const uint8_t* d, size_t size, pl_error* error) {
    if (size != 13) return broken(f, "the head of the PNG picture is damaged", error);
    f->width = word(d), f->height = word(d + 4);
    f->depth = d[8], f->kind = d[9];
    static const size_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
    f->channels = f->kind <= 6 ? channels[f->kind] : 0;
    bool readable = f->channels && (f->depth == 8 || (f->depth == 16 && f->kind != 3));
    if (!readable || d[12] != 0)
        return broken(f, "PNG pictures are read with 8 or 16 bits and not interlaced; save it so",
                      error);
    if (f->width < 1 || f->height < 1 || f->width > PL_IMAGE_MAX_SIDE ||
        f->height > PL_IMAGE_MAX_SIDE)
        return broken(f, "each side of a picture may be 1 to 16384 pixels", error);
    f->bytes = f->channels * (size_t)f->depth / 8;
    return PL_OK;
}

// feeds all IDAT chunks to the stream, whose output is all rows
static bool inflate_rows(const png_file* f, uint8_t* rows, size_t room) {
    z_stream z;
    memset(&z, 0, sizeof z);
    if (inflateInit(&z) != Z_OK) return false;
    z.next_out = rows;
    z.avail_out = (uInt)room;
    int status = Z_OK;
    for (size_t at = 8; at + 12 <= f->size && status == Z_OK;) {
        size_t length = word(f->data + at);
        if (length > f->size - at - 12) break;
        if (memcmp(f->data + at + 4, "IDAT", 4) == 0) {
            z.next_in = (Bytef*)(uintptr_t)(f->data + at + 8);
            z.avail_in = (uInt)length;
            status = inflate(&z, Z_NO_FLUSH);
            if (status == Z_BUF_ERROR) status = Z_OK;
        }
        at += length + 12;
    }
    bool whole = z.avail_out == 0;
    inflateEnd(&z);
    return whole;
}

static int nearest_of(int left, int above, int corner) {
    int p = left + above - corner;
    int dl = abs(p - left), da = abs(p - above), dc = abs(p - corner);
    return dl <= da && dl <= dc ? left : da <= dc ? above : corner;
}

// undoes the filters in place; false if a filter does not exist
static bool unfilter(const png_file* f, uint8_t* rows) {
    size_t n = f->width * f->bytes, b = f->bytes;
    const uint8_t* above = NULL;
    for (uint32_t y = 0; y < f->height; y++) {
        uint8_t *row = rows + y * (n + 1) + 1, filter = row[-1];
        if (filter > 4) return false;
        for (size_t i = 0; i < n; i++) {
            int left = i >= b ? row[i - b] : 0, up = above ? above[i] : 0;
            int corner = above && i >= b ? above[i - b] : 0;
            int guess = filter == 1   ? left
                        : filter == 2 ? up
                        : filter == 3 ? (left + up) / 2
                        : filter == 4 ? nearest_of(left, up, corner)
                                      : 0;
            row[i] = (uint8_t)(row[i] + guess);
        }
        above = row;
    }
    return true;
}

static void take_pixels(const png_file* f, const uint8_t* rows, pl_image* out) {
    size_t step = (size_t)f->depth / 8; // of 16 bits only the upper 8 are used
    for (uint32_t y = 0; y < f->height; y++)
        for (uint32_t x = 0; x < f->width; x++) {
            const uint8_t* p = rows + y * (f->width * f->bytes + 1) + 1 + x * f->bytes;
            uint8_t* to = pl_image_at(out, (int)x, (int)y);
            static const uint8_t none[3] = {0, 0, 0};
            if (f->kind == 3) memcpy(to, p[0] < f->color_count ? f->palette + 3 * p[0] : none, 3);
            else
                for (size_t k = 0; k < 3; k++) to[k] = p[f->channels < 3 ? 0 : k * step];
        }
}

static pl_status read_chunks(png_file* f, pl_error* error) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    if (f->size < 8 || memcmp(f->data, signature, 8) != 0)
        return broken(f, "is not a PNG picture", error);
    for (size_t at = 8; at + 12 <= f->size;) {
        size_t length = word(f->data + at);
        const uint8_t *type = f->data + at + 4, *data = type + 4;
        if (length > f->size - at - 12) break;
        if (memcmp(type, "IHDR", 4) == 0) {
            pl_status status = take_head(f, data, length, error);
            if (status != PL_OK) return status;
        } else if (memcmp(type, "PLTE", 4) == 0) {
            f->palette = data;
            f->color_count = length / 3;
        }
        at += length + 12;
    }
    return f->bytes ? PL_OK : broken(f, "the head of the PNG picture is missing", error);
}

pl_status pl_image_read_png(const char* path, pl_image* out, pl_error* error) {
    *out = (pl_image){0};
    pl_source source;
    pl_status status = pl_source_load(path, 0, &source, error);
    if (status != PL_OK) return status;
    png_file f = {.path = path, .data = (const uint8_t*)source.data, .size = source.size};
    status = read_chunks(&f, error);
    size_t room = status == PL_OK ? f.height * (f.width * f.bytes + 1) : 0;
    uint8_t* rows = NULL;
    if (status == PL_OK && room > UINT32_MAX / 2)
        status = broken(&f, "the picture is too large", error);
    if (status == PL_OK) {
        rows = PL_ALLOC(uint8_t, room);
        if (!rows) status = pl_fail_memory(error, path);
    }
    if (status == PL_OK && (!inflate_rows(&f, rows, room) || !unfilter(&f, rows)))
        status = broken(&f, "the pixels of the PNG picture are incomplete or damaged", error);
    if (status == PL_OK) status = pl_image_create((int)f.width, (int)f.height, out, error);
    if (status == PL_OK) take_pixels(&f, rows, out);
    PL_FREE(rows, uint8_t, room);
    pl_source_free(&source);
    return status;
}
