// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A soft upright bar that collapses under its weight (S2 Fig. 14), too far for modes at rest to
// mean much: errors of EigenFit and DAC over that of the coarse mesh, and the frame from which on
// the run says that its correction is not to be trusted (0: it never says so).
#include "s2_fit.h"

#include <math.h>

bool bench_s2_large(bench* b) {
    s2_case c = s2_swung_bar(3e4, "neohookean", bench_quick(b));
    c.gravity = "0, -20, 1";
    c.frames = 200;
    s2_truth truth;
    s2_errors fine, coarse, fit, dac;
    bool done = s2_run_fine(&c, &truth, &fine) && s2_run_coarse(&c, S2_COARSE, &truth, &coarse) &&
                s2_run_coarse(&c, S2_FIT, &truth, &fit) && s2_run_coarse(&c, S2_DAC, &truth, &dac);
    s2_truth_free(&truth);
    if (!done) return false;
    bench_result(b, "position_coarse", coarse.position, "m", NAN);
    bench_result(b, "position_ratio_eigenfit", fit.position / coarse.position, "x", NAN);
    bench_result(b, "position_ratio_dac", dac.position / coarse.position, "x", NAN);
    bench_result(b, "frame_of_warning", fit.first_unfit, "frame", NAN);
    return true;
}
