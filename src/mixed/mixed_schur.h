// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Schur complements of [K G'; G -B]: for the definite preconditioner of mixed_definite.h, and for
// the stiffness of positions with their pressures.
#ifndef PL_MIXED_SCHUR_H
#define PL_MIXED_SCHUR_H

#include "sparse/block_matrix.h"
#include "step/step_objective.h"

typedef struct pl_mixed_schur {
    const pl_element_set* set; // the mixed tets
    const pl_step_objective* f;
    const pl_block_matrix *A, *B; // 4 unknowns per vertex, and C + S
    const double* units;          // units of the pressures in A, per vertex
    double* volumes;              // scratch, per vertex
} pl_mixed_schur;

// Sets W per vertex, and L + B in `sum`, which has the pattern of A; both in the pressure units of
// A. Returns false without inertia: then there is no L.
bool pl_mixed_schur_find(const pl_mixed_schur* m, double* W, pl_block_matrix* sum);

// Diagonal entry at coordinate i of the other Schur complement, K + G' B^-1 G, with only the
// diagonal of B. units: units of the pressures in A.
double pl_mixed_schur_stiffness(const pl_block_matrix* A, const pl_block_matrix* B,
                                const double* units, int i);

#endif
