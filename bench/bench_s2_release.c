// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A body of ARAP that is shaken, and one leg of which is let go during the run (S2 Fig. 9): ratios
// are found anew. Errors are the largest of all vertices and of the frames after that, against the
// fine run.
#include "s2_fit.h"

bool bench_s2_release(bench* b) {
    s2_case c = s2_shaken("\"shape\": \"armadillo\", \"height\": 1", 1e6, bench_quick(b));
    c.attachments = S2_RELEASED_FEET;
    c.first = 50;
    s2_errors fine, coarse, fit;
    s2_truth truth;
    bool done = s2_run_fine(&c, &truth, &fine) && s2_run_coarse(&c, S2_COARSE, &truth, &coarse) &&
                s2_run_coarse(&c, S2_FIT, &truth, &fit);
    s2_truth_free(&truth);
    if (done) s2_report(b, "armadillo", &fine, &coarse, &fit);
    return done;
}
