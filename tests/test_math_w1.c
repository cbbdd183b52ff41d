// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wide math at 1 lane, whatever the machine has.
#undef PL_LANES
#define PL_LANES 1
#include "math_wide.h"

TEST(math_lanes_w1)
{ check_lane_functions(); }
TEST(math_memory_w1)
{ check_wide_memory(); }
TEST(math_newton_w1)
{ check_wide_newton(); }
TEST(math_svd_w1)
{ check_wide_svd(); }
LONG_TEST(math_polar_w1)
{ check_wide_polar(); }
