// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Every method moves the same body in the same way, with the keys that it has by default.
#include "motion_net.h"
#include "test.h"

static const char* const pbd[] = {"bodies[0].method=pbd"};

TEST(motion_of_a_bar_with_pbd)
{ motion_check(MOTION_BAR, pbd, 1, &(motion_bounds){0.03, 0.03, 0.01, 0, 0.01, 1e-3}); }

TEST(motion_of_a_bear_with_pbd)
{ motion_check(MOTION_BEAR, pbd, 1, &(motion_bounds){0.1, 0.1, 0.02, 0, 0.02, 5e-3}); }

TEST(motion_of_a_drape_with_pbd)
{ motion_check(MOTION_DRAPE, pbd, 1, &(motion_bounds){0.05, 0, 0, 0.03, 0.02, 5e-3}); }
