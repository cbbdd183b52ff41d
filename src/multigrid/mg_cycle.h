// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The V-cycle, shared by all kinds of levels. Each level owns its right-hand side b_l and its
// solution x_l. A cycle starts from x = 0, because it solves for a correction; the caller keeps the
// residual in double.
#ifndef PL_MULTIGRID_MG_CYCLE_H
#define PL_MULTIGRID_MG_CYCLE_H

typedef struct pl_mg_operators {
    void (*pre_smooth)(void* levels, int l);        // sweeps on A_l x_l = b_l, from x_l = 0
    void (*restrict_residual)(void* levels, int l); // b_{l+1} = U' (b_l - A_l x_l)
    void (*prolong_add)(void* levels, int l);       // x_l += U x_{l+1}
    void (*post_smooth)(void* levels, int l);       // adjoint of pre_smooth, from the present x_l
    void (*solve_coarsest)(void* levels, int l);    // x_l = A_l^-1 b_l
} pl_mg_operators;

// One V-cycle from level l down.
void pl_mg_cycle(const pl_mg_operators* operators, void* levels, int l, int level_count);

// Sets the number of sweeps of each level from a list of given numbers, finest level first. The
// last number holds for all coarser levels. If the list is empty, all are 0.
void pl_mg_sweeps_of_levels(const int* given, int given_count, int level_count, int* sweeps);

#endif
