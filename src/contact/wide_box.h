// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Boxes as eight floats, rounded outwards, that are compared at once: they may overlap where the
// boxes in double do not, never the other way round.
#ifndef PL_CONTACT_WIDE_BOX_H
#define PL_CONTACT_WIDE_BOX_H

#include "geometry/box.h"
#include "math/simd.h"

// low x y z, 0, and the same of -high: so a union is a minimum
typedef float pl_wide_box __attribute__((vector_size(32)));
typedef int32_t pl_wide_mask __attribute__((vector_size(32)));

PL_WIDE pl_wide_box pl_wide_box_of(pl_box box) {
    const pl_wide_box near = {(float)box.low.x,   (float)box.low.y,   (float)box.low.z,   0.0f,
                              (float)-box.high.x, (float)-box.high.y, (float)-box.high.z, 0.0f};
    const pl_wide_mask sign = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN,
                               INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const pl_wide_box size = (pl_wide_box)((pl_wide_mask)near & ~sign);
    return near - size * 1.2e-7f - 1e-37f;
}

PL_WIDE pl_wide_box pl_wide_box_add(pl_wide_box a, pl_wide_box b) {
    const pl_wide_mask less = a < b;
    return (pl_wide_box)(((pl_wide_mask)a & less) | ((pl_wide_mask)b & ~less));
}

// Boxes that touch overlap. False for boxes that are not finite.
PL_WIDE bool pl_wide_box_overlaps(pl_wide_box a, pl_wide_box b) {
    const pl_wide_box other = __builtin_shufflevector(b, b, 4, 5, 6, 7, 0, 1, 2, 3);
    const pl_wide_mask inside = a + other <= (pl_wide_box){0};
#ifdef __AVX__
    return _mm256_movemask_ps((__m256)inside) == 0xff;
#else
    int32_t all = -1;
    for (int k = 0; k < 8; k++) all &= inside[k];
    return all != 0;
#endif
}

#endif
