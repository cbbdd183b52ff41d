// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PNG (W3C, Portable Network Graphics, 2nd ed.): signature, then chunks of length, type, data and
// CRC. The pixels are one zlib stream (RFC 1950). Threads compress strips of rows separately, and
// each strip ends at a whole byte, so that they can be concatenated (RFC 1951); this costs few
// bytes. Each row holds differences from the pixel on the left. In smooth shading these are mostly
// runs, for which the run-length strategy is both the fastest and the smallest.
#include "record/png_write.h"
#include "base/memory.h"
#include "mesh/mesh_sink.h"

#include <string.h>
#include <zlib.h>

enum { STRIP_ROWS = 64 };

typedef struct strip {
    uint8_t* rows; // filtered; each begins with the number of its filter
    uint8_t* packed;
    size_t row_bytes, room; // of both
    size_t size;            // of packed
    uint32_t sum;           // Adler-32 of rows
    bool failed;
} strip;

typedef struct png_job {
    const pl_image* image;
    strip* strips;
    int strip_count;
} png_job;

static size_t pixel_bytes(const pl_image* image) { return image->alpha ? 4 : 3; }

static uint8_t* filter_alpha_row(const pl_image* image, int y, uint8_t* out) {
    const uint8_t* rgb = pl_image_at(image, 0, y);
    const uint8_t* alpha = image->alpha + (size_t)y * (size_t)image->width;
    uint8_t last[4] = {0};
    *out++ = 1; // differences to the left
    for (int x = 0; x < image->width; x++)
        for (int k = 0; k < 4; k++) {
            uint8_t value = k < 3 ? rgb[3 * x + k] : alpha[x];
            *out++ = (uint8_t)(value - last[k]);
            last[k] = value;
        }
    return out;
}

static void filter_rows(const pl_image* image, int first, int last, uint8_t* out) {
    size_t width = 3 * (size_t)image->width;
    for (int y = first; y < last && image->alpha; y++) out = filter_alpha_row(image, y, out);
    for (int y = first; y < last && !image->alpha; y++) {
        const uint8_t* row = pl_image_at(image, 0, y);
        *out++ = 1; // differences to the left
        memcpy(out, row, 3);
        for (size_t i = 3; i < width; i++) out[i] = (uint8_t)(row[i] - row[i - 3]);
        out += width;
    }
}

static bool pack(strip* s, bool is_last) {
    z_stream z;
    memset(&z, 0, sizeof z);
    // negative window bits: without zlib's header and trailer, which the whole stream has once
    if (deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_RLE) != Z_OK) return false;
    z.next_in = s->rows;
    z.avail_in = (uInt)s->row_bytes;
    z.next_out = s->packed;
    z.avail_out = (uInt)s->room;
    int status = deflate(&z, is_last ? Z_FINISH : Z_SYNC_FLUSH);
    s->size = s->room - z.avail_out;
    bool done =
        is_last ? status == Z_STREAM_END : status == Z_OK && z.avail_in == 0 && z.avail_out > 0;
    deflateEnd(&z);
    return done;
}

static void strip_task(int begin, int end, int worker, void* user) {
    (void)worker;
    png_job* job = user;
    for (int k = begin; k < end; k++) {
        strip* s = &job->strips[k];
        int first = k * STRIP_ROWS, last = first + STRIP_ROWS;
        if (last > job->image->height) last = job->image->height;
        filter_rows(job->image, first, last, s->rows);
        s->sum = (uint32_t)adler32(1, s->rows, (uInt)s->row_bytes);
        s->failed = !pack(s, k == job->strip_count - 1);
    }
}

static bool allocate_strips(png_job* job) {
    job->strip_count = (job->image->height + STRIP_ROWS - 1) / STRIP_ROWS;
    job->strips = PL_ALLOC(strip, job->strip_count);
    for (int k = 0; job->strips && k < job->strip_count; k++) {
        strip* s = &job->strips[k];
        int rows = job->image->height - k * STRIP_ROWS;
        if (rows > STRIP_ROWS) rows = STRIP_ROWS;
        s->row_bytes = (size_t)rows * (pixel_bytes(job->image) * (size_t)job->image->width + 1);
        s->room = s->row_bytes + s->row_bytes / 100 + 1024; // more than deflate's worst case
        s->rows = PL_ALLOC(uint8_t, s->row_bytes);
        s->packed = PL_ALLOC(uint8_t, s->room);
        if (!s->rows || !s->packed) return false;
    }
    return job->strips != NULL;
}

static void free_strips(png_job* job) {
    for (int k = 0; job->strips && k < job->strip_count; k++) {
        PL_FREE(job->strips[k].rows, uint8_t, job->strips[k].row_bytes);
        PL_FREE(job->strips[k].packed, uint8_t, job->strips[k].room);
    }
    PL_FREE(job->strips, strip, job->strip_count);
}

static uint8_t* put_word(uint8_t* out, uint32_t word) {
    for (int k = 0; k < 4; k++) *out++ = (uint8_t)(word >> (24 - 8 * k));
    return out;
}

// starts a chunk with its length and type; returns where its data goes
static uint8_t* begin_chunk(uint8_t* out, const char* type, size_t size) {
    out = put_word(out, (uint32_t)size);
    memcpy(out, type, 4);
    return out + 4;
}

// appends the CRC of type and data
static uint8_t* end_chunk(uint8_t* data, size_t size) {
    return put_word(data + size, (uint32_t)crc32(0, data - 4, (uInt)(size + 4)));
}

static uint8_t* put_head(uint8_t* out, const pl_image* image) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    memcpy(out, signature, sizeof signature);
    uint8_t* data = begin_chunk(out + sizeof signature, "IHDR", 13);
    uint8_t* rest = put_word(put_word(data, (uint32_t)image->width), (uint32_t)image->height);
    // 8 bits, RGB or RGBA, deflate, filters, no interlace
    const uint8_t kind[5] = {8, image->alpha ? 6 : 2, 0, 0, 0};
    memcpy(rest, kind, sizeof kind);
    data = begin_chunk(end_chunk(data, 13), "sRGB", 1);
    data[0] = 0; // perceptual
    return end_chunk(data, 1);
}

// all strips as one stream in one chunk
static uint8_t* put_pixels(uint8_t* out, const png_job* job, size_t size) {
    uint8_t *data = begin_chunk(out, "IDAT", size), *to = data;
    *to++ = 0x78, *to++ = 0x01; // deflate, window of 32 kB
    uint32_t sum = 1;
    for (int k = 0; k < job->strip_count; k++) {
        const strip* s = &job->strips[k];
        memcpy(to, s->packed, s->size);
        to += s->size;
        sum = (uint32_t)adler32_combine(sum, s->sum, (z_off_t)s->row_bytes);
    }
    put_word(to, sum);
    return end_chunk(data, size);
}

static pl_status put_file(const png_job* job, pl_array* bytes, pl_error* error) {
    enum { AROUND = 12, HEAD = 8 + AROUND + 13 + AROUND + 1 };
    size_t size = 2 + 4;
    for (int k = 0; k < job->strip_count; k++) {
        if (job->strips[k].failed) return pl_fail_memory(error, "a PNG picture");
        size += job->strips[k].size;
    }
    if (size > INT32_MAX)
        return pl_fail(error, PL_ERROR_LIMIT, "the picture is too large for a PNG file");
    uint8_t* out = pl_array_add(bytes, HEAD + AROUND + size + AROUND);
    if (!out) return pl_fail_memory(error, "a PNG picture");
    out = put_pixels(put_head(out, job->image), job, size);
    end_chunk(begin_chunk(out, "IEND", 0), 0);
    return PL_OK;
}

pl_status pl_image_encode_png(const pl_image* image, pl_pool* pool, pl_array* bytes,
                              pl_error* error) {
    png_job job = {.image = image};
    pl_status status = allocate_strips(&job) ? PL_OK : pl_fail_memory(error, "a PNG picture");
    if (status == PL_OK) {
        pl_parallel_for(pool, strip_task, job.strip_count, 1, &job);
        status = put_file(&job, bytes, error);
    }
    free_strips(&job);
    return status;
}

pl_status pl_image_write_png(const pl_image* image, pl_pool* pool, const char* path,
                             pl_error* error) {
    pl_array bytes = pl_array_of(1);
    pl_sink* sink = NULL;
    pl_status status = pl_image_encode_png(image, pool, &bytes, error);
    if (status == PL_OK) status = pl_sink_create(path, &sink, error);
    if (status == PL_OK) {
        pl_sink_bytes(sink, bytes.data, bytes.count);
        status = pl_sink_close(sink, true, error);
    }
    pl_array_free(&bytes);
    return status;
}
