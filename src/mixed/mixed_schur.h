// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Schur complements of [K G'; G -B]: what the definite preconditioner of mixed_definite.h is made
// of, and how stiff positions are with their pressures.
#ifndef PL_MIXED_SCHUR_H
#define PL_MIXED_SCHUR_H

#include "sparse/block_matrix.h"
#include "step/step_objective.h"

typedef struct pl_mixed_schur {
    const pl_element_set* set; // the mixed tets
    const pl_step_objective* f;
    const pl_block_matrix *A, *B; // 4 unknowns per vertex, and C + S
    const double* units;          // of the pressures in A, per vertex
    double* volumes;              // scratch, per vertex
} pl_mixed_schur;

// W per vertex, and L + B in `sum`, which has the pattern of A; all in the unit of pressures of A.
// False if there is no inertia, and no L.
bool pl_mixed_schur_find(const pl_mixed_schur* m, double* W, pl_block_matrix* sum);

// Of the other Schur complement, K + G' B^-1 G, with the diagonal of B only: its diagonal at
// coordinate i. units: of the pressures in A.
double pl_mixed_schur_stiffness(const pl_block_matrix* A, const pl_block_matrix* B,
                                const double* units, int i);

#endif
