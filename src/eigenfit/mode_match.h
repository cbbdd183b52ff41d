// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which mode is which: modes of a deformed body matched with those at rest by mass-orthogonality
// (S2 section 3.5), so that a ratio follows its mode where two of them cross (S2 Fig. 5).
#ifndef PL_EIGENFIT_MODE_MATCH_H
#define PL_EIGENFIT_MODE_MATCH_H

#include <stdbool.h>

// overlaps: n x n, |u_j' M w_k| of current mode j and rest mode k, which are used up. match[j] is
// the rest mode of current mode j; each is taken once, largest overlaps first.
void pl_match_modes(int n, double* overlaps, int* match);

// The test of the paper: at least half of the rest modes from `first` on have a current mode that
// overlaps them by more than 1 - tolerance.
bool pl_modes_agree(int n, int first, const double* overlaps, double tolerance);

#endif
