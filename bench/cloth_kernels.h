// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The kernels of cloth, as rows of `pliant-bench fem-kernels`.
#ifndef PL_BENCH_CLOTH_KERNELS_H
#define PL_BENCH_CLOTH_KERNELS_H

#include "bench.h"

// springs_vs_scalar, hinges_vs_scalar: assembly of the projected matrix on one thread against the
// double elements; spring_gradient_vs_scalar: gradient in double, several springs at a time against
// one by one; spring_gather_vs_scatter: energy and gradient by vertices, in one pass, against both
// by springs.
bool bench_cloth_kernels(bench* b);

#endif
