// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PC2 point caches: the positions of points at evenly spaced moments.
#ifndef PL_CONTACT_POINT_CACHE_H
#define PL_CONTACT_POINT_CACHE_H

#include "base/fail.h"
#include "math/vec3.h"

typedef struct pl_point_cache {
    int point_count, sample_count;
    double rate;      // frames from sample to sample
    float* positions; // 3 per point, sample by sample
} pl_point_cache;

// Refuses what is no PC2 file, is cut, or holds positions that are not finite.
pl_status pl_point_cache_read(const char* path, pl_point_cache* out, pl_error* error);
void pl_point_cache_free(pl_point_cache* cache);

// Where all points are (3 per point), `frames` after the first sample: on a straight line between
// samples; before the first and after the last one they rest.
void pl_point_cache_places(const pl_point_cache* cache, double frames, double* out);

#endif
