// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Every method moves the same body in the same way, with the keys that it has by default.
#include "motion_net.h"
#include "test.h"

static const char* const pbd[] = {"bodies[0].method=pbd"};

LONG_TEST(motion_of_a_bar_with_pbd)
{ motion_check(MOTION_BAR, pbd, 1, &(motion_bounds){0.03, 0.03, 0.01, 0, 0.01, 1e-3, false}); }

LONG_TEST(motion_of_a_bear_with_pbd)
{ motion_check(MOTION_BEAR, pbd, 1, &(motion_bounds){0.1, 0.1, 0.02, 0, 0.02, 5e-3, false}); }

LONG_TEST(motion_of_a_drape_with_pbd)
{ motion_check(MOTION_DRAPE, pbd, 1, &(motion_bounds){0.05, 0, 0, 0.03, 0.02, 5e-3, false}); }

// Newton at the whole step: what is left is the error of the integrator.
LONG_TEST(motion_of_a_bar_with_newton)
{ motion_check(MOTION_BAR, NULL, 0, &(motion_bounds){0.03, 0.03, 0.01, 0, 0.01, 1e-3, false}); }

// Projective Dynamics by default solves each step, and a step that is solved is Newton's.
static const char* const projective[] = {"bodies[0].nonlinear=projective",
                                         "bodies[0].material.law=corotated"};

LONG_TEST(motion_of_a_bar_with_projective)
{
    motion_check(MOTION_BAR, projective, 2,
                 &(motion_bounds){0.03, 0.03, 0.01, 0, 0.01, 1e-3, true});
}

// damped by stiffness, and rolls on the ground
LONG_TEST(motion_of_a_bear_with_projective)
{ motion_check(MOTION_BEAR, projective, 2, &(motion_bounds){0.03, 0.03, 0.01, 0, 0.02, 0, true}); }

// Few cells through the thickness are stiffer than the tets, so that the bar swings faster: 7.5 %
// of its way is measured.
static const char* const grid[] = {"bodies[0].method=grid", "bodies[0].material.law=corotated"};

LONG_TEST(motion_of_a_bar_with_grid)
{ motion_check(MOTION_BAR, grid, 2, &(motion_bounds){0.1, 0.1, 0.04, 0, 0.01, 0, false}); }

// At a low Poisson's ratio the pressures of mixed change little: the centre is off by 3.4 % of its
// way and the volume by 1.8 %. At 0.4 the tets of the reference are stiffer, and it is 10 %.
static const char* const mixed[] = {"bodies[0].method=mixed", "bodies[0].material.poisson=0.1"};

LONG_TEST(motion_of_a_bar_with_mixed)
{ motion_check(MOTION_BAR, mixed, 2, &(motion_bounds){0.05, 0.05, 0.025, 0, 0.01, 1e-3, false}); }
