// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The format: "POINTCACHE2" and a zero byte, then little-endian numbers of 4 bytes: version 1,
// number of points, start frame, frames per sample (both floats), number of samples; then the
// positions of all points of each sample as floats. The scene handles the start frame.
#include "contact/point_cache.h"
#include "base/memory.h"
#include "mesh/mesh_source.h"

#include <math.h>
#include <string.h>

enum { HEAD_SIZE = 32 };

static uint32_t word_at(const char* data) {
    const unsigned char* bytes = (const unsigned char*)data;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static float float_at(const char* data) {
    uint32_t bits = word_at(data);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void pl_point_cache_free(pl_point_cache* cache) {
    PL_FREE(cache->positions, float, 3 * (size_t)cache->point_count * (size_t)cache->sample_count);
    *cache = (pl_point_cache){0};
}

static pl_status check_head(const pl_source* s, pl_error* error) {
    if (s->size < HEAD_SIZE || memcmp(s->data, "POINTCACHE2", 12) != 0)
        return pl_fail(error, PL_ERROR_FORMAT, "%s: is not a PC2 point cache", s->path);
    if (word_at(s->data + 12) != 1)
        return pl_fail(error, PL_ERROR_FORMAT, "%s: PC2 version %u is not known; export version 1",
                       s->path, (unsigned)word_at(s->data + 12));
    uint64_t points = word_at(s->data + 16), samples = word_at(s->data + 28);
    uint64_t room = (s->size - HEAD_SIZE) / 12;
    if (points == 0 || samples == 0)
        return pl_fail(error, PL_ERROR_FORMAT, "%s: holds no points or no samples", s->path);
    if (points > INT32_MAX || samples > INT32_MAX || samples > room / points)
        return pl_fail(error, PL_ERROR_FORMAT,
                       "%s: is cut: its head tells of %llu samples of %llu points, which the file "
                       "has no room for",
                       s->path, (unsigned long long)samples, (unsigned long long)points);
    float rate = float_at(s->data + 24);
    if (!(rate > 0.0f) || !isfinite(rate))
        return pl_fail(error, PL_ERROR_FORMAT, "%s: has %g frames per sample; it must be above 0",
                       s->path, (double)rate);
    return PL_OK;
}

static pl_status load_positions(const pl_source* s, pl_point_cache* out, pl_error* error) {
    size_t count = 3 * (size_t)out->point_count * (size_t)out->sample_count;
    out->positions = PL_ALLOC(float, count);
    if (!out->positions) return pl_fail_memory(error, s->path);
    for (size_t i = 0; i < count; i++) {
        out->positions[i] = float_at(s->data + HEAD_SIZE + 4 * i);
        if (!isfinite(out->positions[i]))
            return pl_fail(error, PL_ERROR_FORMAT, "%s: point %d of sample %d is not finite",
                           s->path, (int)(i / 3 % (size_t)out->point_count),
                           (int)(i / 3 / (size_t)out->point_count));
    }
    return PL_OK;
}

pl_status pl_point_cache_read(const char* path, pl_point_cache* out, pl_error* error) {
    *out = (pl_point_cache){0};
    pl_source source;
    pl_status status = pl_source_load(path, 0, &source, error);
    if (status != PL_OK) return status;
    status = check_head(&source, error);
    if (status == PL_OK) {
        out->point_count = (int)word_at(source.data + 16);
        out->sample_count = (int)word_at(source.data + 28);
        out->rate = float_at(source.data + 24);
        status = load_positions(&source, out, error);
    }
    if (status != PL_OK) pl_point_cache_free(out);
    pl_source_free(&source);
    return status;
}

void pl_point_cache_places(const pl_point_cache* cache, double frames, double* out) {
    size_t count = 3 * (size_t)cache->point_count;
    double last = cache->sample_count - 1;
    double at = fmin(fmax(frames / cache->rate, 0.0), last);
    double whole = fmin(floor(at), fmax(last - 1.0, 0.0)), part = at - whole;
    const float* from = cache->positions + (size_t)whole * count;
    const float* to = cache->sample_count > 1 ? from + count : from;
    for (size_t i = 0; i < count; i++) out[i] = (1.0 - part) * from[i] + part * to[i];
}
