// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Rates of the corotated law on the armadillo (Zhu 2010, Fig. 10 and section 9.3).
#ifndef PL_BENCH_S4_COROT_RATES_H
#define PL_BENCH_S4_COROT_RATES_H

#include "bench.h"
#include "s4_lattice.h"

// False if memory is out, which is said.
bool s4_corot_rates(bench* b, s4_lattice* lattice);

#endif
