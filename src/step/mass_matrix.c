// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/mass_matrix.h"
#include "base/fail.h"

void pl_mass_matrix_add(pl_block_matrix* M, const int* corners, int corner_count, double mass) {
    PL_ASSERT(M->block == 1);
    double part = mass / (corner_count * (corner_count + 1));
    for (int i = 0; i < corner_count; i++)
        for (int j = 0; j < corner_count; j++) {
            int entry = pl_block_matrix_find(M, corners[i], corners[j]);
            PL_ASSERT(entry >= 0);
            M->values[entry] += i == j ? 2.0 * part : part;
        }
}

void pl_mass_matrix_add_to(const pl_block_matrix* M, double s, pl_block_matrix* A) {
    PL_ASSERT(M->row_count == A->row_count);
    size_t size = (size_t)(A->block * A->block), step = (size_t)A->block + 1;
    int count = pl_block_matrix_entry_count(A);
    for (int e = 0; e < count; e++)
        for (size_t c = 0; c < size; c += step) A->values[(size_t)e * size + c] += s * M->values[e];
}
