// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What PETSc should know of a system beside its matrix: rigid motions, and the two fields of mixed
// systems.
#ifndef PL_BENCH_PETSC_FIELDS_H
#define PL_BENCH_PETSC_FIELDS_H

#include "../system_file.h"

#include <petscksp.h>

typedef struct petsc_fields {
    Mat schur; // what stands for the Schur complement; scaled with the matrix, destroyed by the
               // owner
} petsc_fields;

PetscErrorCode petsc_rigid_motions(const system_rows* s, MatNullSpace* out);
// Gives the fields to the preconditioner if that is PCFIELDSPLIT; after KSPSetFromOptions.
PetscErrorCode petsc_fields_give(const system_rows* s, Mat A, KSP solver, petsc_fields* out);

#endif
