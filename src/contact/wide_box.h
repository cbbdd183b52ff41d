// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Boxes as eight floats that are compared at once. They are rounded outwards, so they may overlap
// where the boxes in double do not, but never miss an overlap.
#ifndef PL_CONTACT_WIDE_BOX_H
#define PL_CONTACT_WIDE_BOX_H

#include "geometry/box.h"
#include "math/float8.h"

// low x y z, 0, then -high x y z, 0: so a union is a minimum
typedef float pl_wide_box __attribute__((vector_size(32)));
typedef int32_t pl_wide_mask __attribute__((vector_size(32)));

PL_WIDE pl_wide_box pl_wide_box_size(pl_wide_box a) {
    const pl_wide_mask sign = (pl_wide_mask){0} + INT32_MIN;
    return (pl_wide_box)((pl_wide_mask)a & ~sign);
}

PL_WIDE pl_wide_box pl_wide_box_of(pl_box box) {
    const pl_wide_box near = {(float)box.low.x,   (float)box.low.y,   (float)box.low.z,   0.0f,
                              (float)-box.high.x, (float)-box.high.y, (float)-box.high.z, 0.0f};
    // the fourth number stays 0: a fraction of a tiny one would be denormal, which is slow
    const float least = 1e-37f;
    return near - pl_wide_box_size(near) * 1.2e-7f -
           (pl_wide_box){least, least, least, 0.0f, least, least, least, 0.0f};
}

PL_WIDE pl_wide_box pl_wide_box_add(pl_wide_box a, pl_wide_box b) {
    const pl_wide_mask less = a < b;
    return (pl_wide_box)(((pl_wide_mask)a & less) | ((pl_wide_mask)b & ~less));
}

// The box with halves swapped, for comparison with another one.
PL_WIDE pl_wide_box pl_wide_box_turned(pl_wide_box a) {
    return __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3);
}

// 1 where a mask holds in all lanes, else 0
PL_WIDE unsigned pl_wide_mask_all(pl_wide_mask mask) {
#ifdef __AVX__
    return ((unsigned)_mm256_movemask_ps((__m256)mask) + 1u) >> 8;
#else
    int32_t all = 1;
    for (int k = 0; k < 8; k++) all &= mask[k];
    return (unsigned)all;
#endif
}

// 1 if the boxes overlap or touch; the second one is given by pl_wide_box_turned. 0 if a box is not
// finite.
PL_WIDE unsigned pl_wide_box_meets(pl_wide_box a, pl_wide_box turned) {
    return pl_wide_mask_all(a + turned <= (pl_wide_box){0});
}
PL_WIDE bool pl_wide_box_overlaps(pl_wide_box a, pl_wide_box b) {
    return pl_wide_box_meets(a, pl_wide_box_turned(b)) != 0;
}

// True only if the boxes in double overlap too. The arguments come from pl_wide_box_of, or are
// unions.
PL_WIDE bool pl_wide_box_surely_overlaps(pl_wide_box a, pl_wide_box b) {
    const pl_wide_box other = pl_wide_box_turned(b);
    const pl_wide_box slop = (pl_wide_box_size(a) + pl_wide_box_size(other)) * -1e-6f;
    return pl_wide_mask_all(a + other <= slop) != 0;
}

// Box around a point and its motion in a moving frame, grown by `room`. The fourth numbers are
// ignored.
PL_WIDE pl_wide_box pl_wide_box_of_way(const float* place, const float* motion, const float* frame,
                                       float room) {
    const pl_wide_mask xyz = {-1, -1, -1, 0, -1, -1, -1, 0};
    const pl_wide_mask sign = {0, 0, 0, 0, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const pl_f8 at = pl_load_pair(place, place), way = pl_load_pair(motion, motion);
    const pl_f8 less = pl_load_pair(frame, frame);
    const pl_wide_box start = (pl_wide_box)((pl_wide_mask)at ^ sign);
    const pl_wide_box end = start + (pl_wide_box)((pl_wide_mask)(way - less) ^ sign);
    const pl_wide_box rounding =
        (pl_wide_box_size(at) + pl_wide_box_size(way) + pl_wide_box_size(less)) * 4e-7f;
    const pl_wide_box least = pl_wide_box_add(start, end) - rounding - room * 1.000001f;
    return (pl_wide_box)((pl_wide_mask)least & xyz);
}

PL_WIDE pl_wide_box pl_wide_box_empty(void) {
    return (pl_wide_box){INFINITY, INFINITY, INFINITY, 0.0f, INFINITY, INFINITY, INFINITY, 0.0f};
}

#endif
