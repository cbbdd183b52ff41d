// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Functions shared by the kernels over batches of tets.
#ifndef PL_ELEMENTS_TET_BATCH_WIDE_H
#define PL_ELEMENTS_TET_BATCH_WIDE_H

#include "elements/tet_batches.h"
#include "material/isotropic.h"

// F of a batch from the corners at x.
PL_WIDE pl_mat3w pl_tet_batch_deformation_of_w(const pl_tet_batch* b, const pl_vec3w x[4]) {
    return pl_mat3_mul_w(
        pl_mat3_from_columns_w(pl_sub_w(x[1], x[0]), pl_sub_w(x[2], x[0]), pl_sub_w(x[3], x[0])),
        b->shape);
}

// x: float4 per vertex
PL_WIDE pl_mat3w pl_tet_batch_deformation_w(const pl_tet_batch* b, const float* x) {
    pl_vec3w corners[4];
    for (int i = 0; i < 4; i++) corners[i] = pl_load_vec3_w(x, b->corners[i]);
    return pl_tet_batch_deformation_of_w(b, corners);
}

// The moduli of a batch, multiplied by the rest volumes and `scale`.
PL_WIDE pl_material_w pl_tet_batch_material_w(const pl_tet_batches* set, int batch, pl_fw scale) {
    const pl_tet_batch* b = &set->batches[batch];
    return (pl_material_w){scale * b->mu, scale * b->lambda,
                           set->rivlin ? set->rivlin[batch] : (pl_fw){0}};
}

// The rest gradient of the shape function of corner i + 1.
PL_WIDE pl_vec3w pl_tet_batch_shape_w(const pl_tet_batch* b, int i) {
    return (pl_vec3w){b->shape.m[3 * i], b->shape.m[3 * i + 1], b->shape.m[3 * i + 2]};
}

#endif
