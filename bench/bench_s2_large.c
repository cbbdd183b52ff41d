// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A deformation so large that modes are no longer those at rest (S2 Fig. 14): a soft bar under
// strong gravity. The frame from which on the validity test warns, and what the correction is worth
// there.
#include "s2_fit.h"

#include <math.h>

bool bench_s2_large(bench* b) {
    s2_case c = s2_swung_bar(1e4, "stable_neohookean", true);
    c.gravity = "0, -30, 0";
    s2_errors fine, coarse, fit;
    s2_truth truth;
    bool done = s2_run_fine(&c, &truth, &fine) && s2_run_coarse(&c, S2_COARSE, &truth, &coarse) &&
                s2_run_coarse(&c, S2_FIT, &truth, &fit);
    s2_truth_free(&truth);
    if (!done) return false;
    bench_result(b, "frame_of_warning", fit.first_unfit, "frame", NAN);
    bench_result(b, "frames", c.frames, "frame", NAN);
    bench_result(b, "position_ratio", fit.position / coarse.position, "x", NAN);
    return true;
}
