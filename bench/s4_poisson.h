// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The reference of Zhu 2010, Fig. 10: the Poisson equation on a periodic cube of n^3 points, V(1,1)
// cycles with lexicographic Gauss-Seidel, full weighting and linear interpolation.
#ifndef PL_BENCH_S4_POISSON_H
#define PL_BENCH_S4_POISSON_H

#include "s4_sparse.h"

pl_status s4_poisson_hierarchy(int n, s4_hierarchy* out, pl_error* error);

#endif
