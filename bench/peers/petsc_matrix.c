// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "petsc_matrix.h"

// entries of each block row within this process's own columns, and of its others
static PetscErrorCode count_entries(const system_rows* s, PetscInt* own, PetscInt* other) {
    PetscFunctionBeginUser;
    for (int i = 0; i < s->count; i++)
        for (int e = s->offsets[i]; e < s->offsets[i + 1]; e++) {
            int column = s->columns[e] - s->first;
            (column >= 0 && column < s->count ? own : other)[i]++;
        }
    PetscFunctionReturn(0);
}

PetscErrorCode petsc_matrix_create(const system_rows* s, Mat* out) {
    PetscFunctionBeginUser;
    PetscInt block = s->header.block, *own, *other;
    Mat A;
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetSizes(A, block * s->count, block * s->count, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetBlockSize(A, block));
    PetscCall(MatSetType(A, MATAIJ));
    PetscCall(MatSetFromOptions(A));
    PetscCall(PetscCalloc2(s->count, &own, s->count, &other));
    PetscCall(count_entries(s, own, other));
    PetscCall(MatXAIJSetPreallocation(A, block, own, other, NULL, NULL));
    PetscCall(PetscFree2(own, other));
    for (PetscInt i = 0; i < s->count; i++) {
        PetscInt row = s->first + i, begin = s->offsets[i], count = s->offsets[i + 1] - begin;
        for (PetscInt e = begin; e < begin + count; e++) {
            PetscInt column = s->columns[e];
            PetscCall(MatSetValuesBlocked(A, 1, &row, 1, &column,
                                          s->values + (size_t)(block * block) * (size_t)e,
                                          INSERT_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    if (block != 4) PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
    else PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    *out = A;
    PetscFunctionReturn(0);
}
