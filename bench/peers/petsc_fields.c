// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "petsc_fields.h"

PetscErrorCode petsc_rigid_motions(const system_rows* s, MatNullSpace* out) {
    PetscFunctionBeginUser;
    Vec points;
    PetscScalar* values;
    PetscCall(VecCreate(PETSC_COMM_WORLD, &points));
    PetscCall(VecSetSizes(points, 3 * s->count, PETSC_DETERMINE));
    PetscCall(VecSetBlockSize(points, 3));
    PetscCall(VecSetUp(points));
    PetscCall(VecGetArray(points, &values));
    for (int i = 0; i < 3 * s->count; i++) values[i] = s->positions[i];
    PetscCall(VecRestoreArray(points, &values));
    PetscCall(MatNullSpaceCreateRigidBody(points, out));
    PetscCall(VecDestroy(&points));
    PetscFunctionReturn(0);
}

// -(B + factor M)
static PetscErrorCode make_schur(const system_rows* s, Mat A, IS pressures, Mat* out) {
    PetscFunctionBeginUser;
    PetscReal factor = 1.0;
    PetscScalar* values;
    Vec mass;
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-mass", &factor, NULL));
    PetscCall(MatCreateSubMatrix(A, pressures, pressures, MAT_INITIAL_MATRIX, out));
    PetscCall(MatCreateVecs(*out, NULL, &mass));
    PetscCall(VecGetArray(mass, &values));
    for (int i = 0; i < s->count; i++) values[i] = -factor * s->mass[i];
    PetscCall(VecRestoreArray(mass, &values));
    PetscCall(MatDiagonalSet(*out, mass, ADD_VALUES));
    PetscCall(VecDestroy(&mass));
    PetscFunctionReturn(0);
}

static PetscErrorCode find_displacements(const system_rows* s, IS* out) {
    PetscFunctionBeginUser;
    PetscInt* indices;
    MatNullSpace motions;
    PetscCall(PetscMalloc1(3 * s->count, &indices));
    for (int i = 0; i < s->count; i++)
        for (int c = 0; c < 3; c++) indices[3 * i + c] = 4 * (s->first + i) + c;
    PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, 3 * s->count, indices, PETSC_OWN_POINTER, out));
    PetscCall(ISSetBlockSize(*out, 3));
    PetscCall(petsc_rigid_motions(s, &motions));
    PetscCall(PetscObjectCompose((PetscObject)*out, "nearnullspace", (PetscObject)motions));
    PetscCall(MatNullSpaceDestroy(&motions));
    PetscFunctionReturn(0);
}

PetscErrorCode petsc_fields_give(const system_rows* s, Mat A, KSP solver, petsc_fields* out) {
    PetscFunctionBeginUser;
    PC pc;
    PetscBool split;
    IS displacements, pressures;
    PCFieldSplitSchurPreType type;
    Mat before;
    PetscCall(KSPGetPC(solver, &pc));
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCFIELDSPLIT, &split));
    if (!split) PetscFunctionReturn(0);
    PetscCall(find_displacements(s, &displacements));
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, s->count, 4 * s->first + 3, 4, &pressures));
    PetscCall(PCFieldSplitSetIS(pc, "0", displacements));
    PetscCall(PCFieldSplitSetIS(pc, "1", pressures));
    PetscCall(PCFieldSplitGetSchurPre(pc, &type, &before));
    if (type == PC_FIELDSPLIT_SCHUR_PRE_USER) {
        PetscCall(make_schur(s, A, pressures, &out->schur));
        PetscCall(PCFieldSplitSetSchurPre(pc, type, out->schur));
    }
    PetscCall(ISDestroy(&displacements));
    PetscCall(ISDestroy(&pressures));
    PetscFunctionReturn(0);
}
