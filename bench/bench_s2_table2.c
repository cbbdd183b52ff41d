// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Processor time of a step on the coarse mesh, with EigenFit, and on the fine mesh (S2 Table 2), by
// the linear solver that pliant chooses for each, the same integrator, one thread. The three take
// turns frame by frame, so that what else the machine does slows all of them alike.
#include "s2_fit.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { KINDS = 3 };
static const s2_kind TURNS[KINDS] = {S2_COARSE, S2_FIT, S2_FINE};

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// seconds of a step, as a mean over the frames
static bool run_in_turns(const s2_case* c, double seconds[KINDS]) {
    pl_world* worlds[KINDS] = {NULL};
    pl_error error = {0};
    pl_status status = PL_OK;
    bool made = true;
    for (int k = 0; made && k < KINDS; k++)
        made = (worlds[k] = s2_make_world(c, TURNS[k], &error)) != NULL;
    for (int i = 0; made && status == PL_OK && i < c->frames * KINDS; i++) {
        double start = processor_seconds();
        status = pl_world_step(worlds[i % KINDS], NULL, &error);
        seconds[i % KINDS] += (processor_seconds() - start) / c->frames;
    }
    for (int k = 0; k < KINDS; k++) pl_world_destroy(worlds[k]);
    if (made && status == PL_OK) return true;
    fprintf(stderr, "pliant-bench s2-table2: %s\n", error.text);
    return false;
}

static bool compare(bench* b, const char* name, const s2_case* c, double of_coarse,
                    double of_fine) {
    double seconds[KINDS] = {0.0};
    if (!run_in_turns(c, seconds)) return false;
    s2_result(b, "coarse", name, seconds[0], "s", NAN);
    s2_result(b, "eigenfit", name, seconds[1], "s", NAN);
    s2_result(b, "fine", name, seconds[2], "s", NAN);
    s2_result(b, "eigenfit_vs_coarse", name, seconds[1] / seconds[0], "x", of_coarse);
    s2_result(b, "eigenfit_vs_fine", name, seconds[1] / seconds[2], "x", of_fine);
    return true;
}

bool bench_s2_table2(bench* b) {
    s2_case linear = s2_swung_bar(1e6, "linear", bench_quick(b)),
            arap = s2_shaken(S2_ARMADILLO, 1e6, "arap", bench_quick(b));
    linear.frames = arap.frames = bench_quick(b) ? 20 : 60;
    return compare(b, "linear", &linear, 386.0 / 335.0, 0.22) &&
           compare(b, "nonlinear", &arap, 546.0 / 198.0, 0.23);
}
