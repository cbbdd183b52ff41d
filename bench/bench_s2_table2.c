// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Processor time of a step on the coarse mesh, with EigenFit, and on the fine mesh (S2 Table 2), by
// the linear solver that pliant chooses for each, the same integrator, one thread.
#include "s2_fit.h"

#include <math.h>

static bool compare(bench* b, const char* name, const s2_case* c, double of_coarse,
                    double of_fine) {
    s2_errors fine, coarse, fit;
    bool done = s2_run_three(c, &fine, &coarse, &fit);
    if (!done) return false;
    s2_result(b, "coarse", name, coarse.seconds, "s", NAN);
    s2_result(b, "eigenfit", name, fit.seconds, "s", NAN);
    s2_result(b, "fine", name, fine.seconds, "s", NAN);
    s2_result(b, "eigenfit_vs_coarse", name, fit.seconds / coarse.seconds, "x", of_coarse);
    s2_result(b, "eigenfit_vs_fine", name, fit.seconds / fine.seconds, "x", of_fine);
    return true;
}

bool bench_s2_table2(bench* b) {
    s2_case linear = s2_swung_bar(1e6, "linear", bench_quick(b)),
            arap = s2_shaken(S2_ARMADILLO, 1e6, "arap", bench_quick(b));
    linear.frames = arap.frames = bench_quick(b) ? 20 : 60;
    return compare(b, "linear", &linear, 386.0 / 335.0, 0.22) &&
           compare(b, "nonlinear", &arap, 546.0 / 198.0, 0.23);
}
