// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The kernels of cloth, as rows of `pliant-bench fem-kernels`.
#ifndef PL_BENCH_CLOTH_KERNELS_H
#define PL_BENCH_CLOTH_KERNELS_H

#include "bench.h"

// springs_vs_scalar, hinges_vs_scalar: assembly of the projected matrix on one thread against the
// double elements; spring_gradient_vs_scalar: gradient in double, wide against scalar.
bool bench_cloth_kernels(bench* b);

#endif
