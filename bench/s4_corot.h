// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Seconds of the parts of a corotated iteration of method grid.
#ifndef PL_BENCH_S4_COROT_H
#define PL_BENCH_S4_COROT_H

#include "bench.h"

// The armadillo held at hands and feet, pulled apart, with about so many cells: a cycle, an update
// of rotations and coefficients, a residual, a correction, with one and two threads.
bool s4_corot_rows(bench* b, int count, double paper_ms);

#endif
