// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies whose stiffness varies by orders of magnitude (S2 Fig. 11 to 13), stiff at the feet and
// soft at the head, shaken at the feet. Errors are the largest of all vertices and frames against
// the fine run.
#include "s2_fit.h"

#include <stdio.h>

bool bench_s2_hetero(bench* b) {
    static const struct {
        const char *name, *shape, *law;
        double stiff, soft; // [Pa]
    } cases[] = {{"1e8_2e4", "bar", "neohookean", 1e8, 2e4},
                 {"1e8_2e6", "armadillo", "arap", 1e8, 2e6},
                 {"1e9_1e5", "bar", "neohookean", 1e9, 1e5}};
    for (int k = 0; k < 3; k++) {
        char body[600];
        snprintf(body, sizeof body,
                 "\"material\": {\"law\": \"%s\", \"poisson\": 0.3, \"density\": 1000}, "
                 "\"vary\": [{\"parameter\": \"young\", \"gradient\": {\"from\": %g, \"to\": %g, "
                 "\"direction\": [0, 1, 0], \"spacing\": \"logarithmic\"}}], " S2_SOLVER,
                 cases[k].law, cases[k].stiff, cases[k].soft);
        bool is_bar = cases[k].shape[0] == 'b';
        s2_case c = is_bar ? s2_swung_bar(0.0, "", bench_quick(b))
                           : s2_shaken(S2_ARMADILLO, 0.0, "", bench_quick(b));
        c.body = body;
        s2_errors fine, coarse, fit;
        bool done = s2_run_three(&c, &fine, &coarse, &fit);
        if (!done) return false;
        s2_report(b, cases[k].name, &fine, &coarse, &fit);
    }
    return true;
}
