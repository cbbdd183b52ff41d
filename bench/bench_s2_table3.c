// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Error of EigenFit over that of the coarse mesh against stiffness (S2 Table 3): a bar of
// Neo-Hookean rubber (ratio_1e6), and an armadillo (ratio_1e6_armadillo), a hand and a skater of
// ARAP. The error is the root mean square over time of the farthest vertex from the fine run.
// --quick has two rows of the armadillo and of the hand. PLIANT_SYSTEMS names one of bar,
// armadillo, hand and skater, or one of their rows: armadillo_1e6.
#include "s2_fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULI = 5 };
static const char* const NAMES[MODULI] = {"1e4", "1e5", "5e5", "1e6", "1e7"};
static const double YOUNG[MODULI] = {1e4, 1e5, 5e5, 1e6, 1e7};

static bool is_wanted(const char* body, int modulus) {
    const char* wanted = getenv("PLIANT_SYSTEMS");
    char row[64];
    snprintf(row, sizeof row, "%s_%s", body, NAMES[modulus]);
    return !wanted || strcmp(wanted, body) == 0 || strcmp(wanted, row) == 0;
}

static bool measure(bench* b, const s2_case* c, int modulus, const char* body, double paper) {
    s2_errors fine, coarse, fit;
    char name[64];
    if (!s2_run_three(c, &fine, &coarse, &fit)) return false;
    snprintf(name, sizeof name, "ratio_%s%s%s", NAMES[modulus], body[0] ? "_" : "", body);
    bench_result(b, name, fit.rms / coarse.rms, "x", paper);
    return true;
}

bool bench_s2_table3(bench* b) {
    static const double bar[MODULI] = {1.431, 0.7281, 0.22, 0.247, 0.292};
    static const struct {
        s2_creature creature;
        const char* name;
        double paper[MODULI];
    } creatures[] = {{S2_ARMADILLO, "armadillo", {0.838, 0.755, 0.622, 0.307, 0.192}},
                     {S2_HAND, "hand", {1.35, 1.04, 0.991, 0.977, 1.09}},
                     {S2_SKATER, "skater", {0.92, 0.594, 0.316, 0.273, 0.182}}};
    bool quick = bench_quick(b);
    for (int k = 0; k < MODULI; k++) {
        if (!is_wanted("bar", k)) continue;
        s2_case c = s2_swung_bar(YOUNG[k], "neohookean", quick);
        if (!measure(b, &c, k, "", bar[k])) return false;
    }
    for (int i = 0; i < (quick ? 2 : 3); i++)
        for (int k = 0; k < MODULI; k++) {
            if ((quick && YOUNG[k] < 1e6) || !is_wanted(creatures[i].name, k)) continue;
            s2_case c = s2_shaken(creatures[i].creature, YOUNG[k], "arap", quick);
            if (!measure(b, &c, k, creatures[i].name, creatures[i].paper[k])) return false;
        }
    return true;
}
