// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The matrix of a system for PETSc and SLEPc.
#ifndef PL_BENCH_PETSC_MATRIX_H
#define PL_BENCH_PETSC_MATRIX_H

#include "../system_file.h"

#include <petscmat.h>

// Of all processes; s: the rows of this one.
PetscErrorCode petsc_matrix_create(const system_rows* s, Mat* out);

#endif
