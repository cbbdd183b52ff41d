// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which mode is which: modes of a deformed body matched with those at rest, and those of a coarse
// mesh with those of a fine one, by mass-orthogonality (S2 section 3.5). So a ratio follows its
// mode where two of them cross (S2 Fig. 5).
#ifndef PL_EIGENFIT_MODE_MATCH_H
#define PL_EIGENFIT_MODE_MATCH_H

#include <stdbool.h>

enum { PL_MATCH_MAX = 256 };

// overlaps: rows x columns, |u_j' M w_k| of mode j and candidate k; rows <= columns <=
// PL_MATCH_MAX. match[j] is the candidate that mode j is. Each is taken at most once, so that the
// sum of the squares is largest (Kuhn and Munkres' assignment). Values that are not finite count as
// 0.
void pl_match_modes(int rows, int columns, const double* overlaps, int* match);

// The part of mode j, from 0 to 1, that lies in the candidates whose lambda is near that of its
// match: of equal lambdas only the sum of spaces is defined, not each shape. row: its overlaps.
double pl_mode_agreement(int columns, const double* row, const double* lambda, int match);

// The test of the paper: at least half of the columns from `first` on have an entry above
// 1 - tolerance. overlaps: n x n, rows are modes of now and columns those at rest.
bool pl_modes_agree(int n, int first, const double* overlaps, double tolerance);

#endif
