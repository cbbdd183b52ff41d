// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PC2 point caches: positions of points at equal time intervals.
#ifndef PL_CONTACT_POINT_CACHE_H
#define PL_CONTACT_POINT_CACHE_H

#include "base/fail.h"
#include "math/vec3.h"

typedef struct pl_point_cache {
    int point_count, sample_count;
    double rate;      // frames per sample
    float* positions; // 3 per point, sample by sample
} pl_point_cache;

// Fails if the file is not a PC2 file, is truncated, or has positions that are not finite.
pl_status pl_point_cache_read(const char* path, pl_point_cache* out, pl_error* error);
void pl_point_cache_free(pl_point_cache* cache);

// Positions of all points (3 each), `frames` after the first sample: interpolated linearly between
// samples, constant before the first and after the last one.
void pl_point_cache_places(const pl_point_cache* cache, double frames, double* out);

#endif
