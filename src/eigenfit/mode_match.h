// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Matches modes by shape: those of a deformed body with those at rest, and those of a coarse mesh
// with those of a fine mesh (mass-orthogonality, S2 section 3.5). So a ratio follows its mode when
// two eigenvalues cross (S2 Fig. 5).
#ifndef PL_EIGENFIT_MODE_MATCH_H
#define PL_EIGENFIT_MODE_MATCH_H

#include <stdbool.h>

enum { PL_MATCH_MAX = 256 };

// Finds the assignment of candidates to modes with the largest sum of squared overlaps (Kuhn and
// Munkres). overlaps: rows x columns, |u_j' M w_k| of mode j and candidate k; rows <= columns <=
// PL_MATCH_MAX. match[j] is the candidate of mode j; each candidate is used at most once. Values
// that are not finite count as 0.
void pl_match_modes(int rows, int columns, const double* overlaps, int* match);

// The overlap, from 0 to 1, of mode j with the space of all candidates whose lambda is near that of
// its match. If lambdas are equal, only this space is defined, not each shape. row: the overlaps of
// mode j.
double pl_mode_agreement(int columns, const double* row, const double* lambda, int match);

// The paper's test: at least half of the columns from `first` on have an entry above 1 - tolerance.
// overlaps: n x n, rows are present modes and columns those at rest.
bool pl_modes_agree(int n, int first, const double* overlaps, double tolerance);

#endif
