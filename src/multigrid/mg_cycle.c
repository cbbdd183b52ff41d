// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/mg_cycle.h"

void pl_mg_cycle(const pl_mg_operators* operators, void* levels, int l, int level_count) {
    if (l == level_count - 1) {
        operators->solve_coarsest(levels, l);
        return;
    }
    operators->pre_smooth(levels, l);
    operators->restrict_residual(levels, l);
    pl_mg_cycle(operators, levels, l + 1, level_count);
    operators->prolong_add(levels, l);
    operators->post_smooth(levels, l);
}

void pl_mg_sweeps_of_levels(const int* given, int given_count, int level_count, int* sweeps) {
    for (int l = 0; l < level_count; l++)
        sweeps[l] = given_count == 0 ? 0 : given[l < given_count ? l : given_count - 1];
}
