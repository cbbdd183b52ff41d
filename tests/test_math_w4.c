// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wide math at 4 lanes, whatever the machine has.
#undef PL_LANES
#define PL_LANES 4
#include "math_wide.h"

TEST(math_lanes_w4)
{ check_lane_functions(); }
TEST(math_memory_w4)
{ check_wide_memory(); }
TEST(math_newton_w4)
{ check_wide_newton(); }
TEST(math_svd_w4)
{ check_wide_svd(); }
LONG_TEST(math_polar_w4)
{ check_wide_polar(); }
