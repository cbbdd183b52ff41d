// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Error of EigenFit over that of the coarse mesh against stiffness (S2 Table 3): a bar of
// Neo-Hookean rubber (ratio_1e6) and an armadillo of ARAP (ratio_1e6_armadillo). The error is the
// root mean square over time of the farthest vertex from the fine run. --quick has one row of the
// armadillo.
#include "s2_fit.h"

#include <stdio.h>

bool bench_s2_table3(bench* b) {
    static const char* const names[] = {"1e4", "1e5", "5e5", "1e6", "1e7"};
    static const double young[] = {1e4, 1e5, 5e5, 1e6, 1e7};
    static const double paper[2][5] = {{1.431, 0.7281, 0.22, 0.247, 0.292},
                                       {0.838, 0.755, 0.622, 0.307, 0.192}};
    for (int shape = 0; shape < 2; shape++)
        for (int k = 0; k < 5; k++) {
            if (shape && bench_quick(b) && young[k] != 1e6) continue;
            s2_case c = shape ? s2_shaken("\"shape\": \"armadillo\", \"height\": 1", young[k],
                                          bench_quick(b))
                              : s2_swung_bar(young[k], "neohookean", bench_quick(b));
            s2_errors fine, coarse, fit;
            bool done = s2_run_three(&c, &fine, &coarse, &fit);
            if (!done) return false;
            char name[64];
            snprintf(name, sizeof name, "ratio_%s%s", names[k], shape ? "_armadillo" : "");
            bench_result(b, name, fit.rms / coarse.rms, "x", paper[shape][k]);
        }
    return true;
}
