// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A body of ARAP that is shaken, and one leg of which is let go during the run (S2 Fig. 9): ratios
// are found anew. Errors are the largest of all vertices and of the frames after that, against the
// fine run.
#include "s2_fit.h"

bool bench_s2_release(bench* b) {
    s2_case c = s2_released(S2_ARMADILLO, 1e6, "arap", bench_quick(b));
    c.first = 50;
    s2_errors fine, coarse, fit;
    bool done = s2_run_three(&c, &fine, &coarse, &fit);
    if (done) s2_report(b, "armadillo", &fine, &coarse, &fit);
    return done;
}
