// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// EigenFit on bodies of ARAP that are shaken at their feet for 0.3 s and then swing for the rest of
// two seconds (S2 Fig. 8 and 10): the armadillo and the skater of PLIANT_DATA, or an armadillo and
// a human figure of pliant. Errors are the largest of all vertices and frames against the fine run.
#include "s2_fit.h"

#include <math.h>
#include <stdio.h>

bool bench_s2_arap(bench* b) {
    bool quick = bench_quick(b);
    const struct {
        const char* name;
        s2_case c;
    } cases[] = {{"armadillo", s2_shaken(S2_ARMADILLO, 1e6, "arap", quick)},
                 {"human", s2_shaken(S2_SKATER, 1e6, "arap", quick)}};
    for (int k = 0; k < (quick ? 1 : 2); k++) {
        s2_errors fine, coarse, fit, dac;
        s2_truth truth;
        bool done = s2_run_fine(&cases[k].c, &truth, &fine) &&
                    s2_run_coarse(&cases[k].c, S2_COARSE, &truth, &coarse) &&
                    s2_run_coarse(&cases[k].c, S2_FIT, &truth, &fit) &&
                    s2_run_coarse(&cases[k].c, S2_DAC, &truth, &dac);
        s2_truth_free(&truth);
        if (!done) return false;
        s2_report(b, cases[k].name, &fine, &coarse, &fit);
        s2_result(b, "position_dac", cases[k].name, dac.position / coarse.position, "x", NAN);
    }
    return true;
}
