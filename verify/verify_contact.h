// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Detection of contact against brute force: continuous collision against dense sampling, and pairs
// of surfaces against all pairs.
#ifndef PL_VERIFY_CONTACT_H
#define PL_VERIFY_CONTACT_H

#include "base/fail.h"

#include <pliant/parallel.h>
#include <stdint.h>

typedef struct verify_ccd_result {
    int motion_count;
    int late_count;      // two that touch, or nearly, before the answer
    int hit_count;       // answers below 1
    double least_left;   // smallest distance on the way, as a part of that at the start
    double mean_earlier; // of the hits: how much of the way to the sampled contact is not gone
} verify_ccd_result;
// Random motions of vertices and triangles and of edges, a third of them degenerate: flat, without
// length, parallel, very fast, very near.
verify_ccd_result verify_ccd(int motion_count, int samples, uint64_t seed);

typedef struct verify_pairs_result {
    int pair_count;
    int missing_count, extra_count; // against all pairs by the same rule
    int unseen_count;               // came near on the way and are not listed
} verify_pairs_result;
// Random sheets and tets that rest or move.
pl_status verify_pairs(int config_count, uint64_t seed, pl_pool* pool, verify_pairs_result* out,
                       pl_error* error);

#endif
