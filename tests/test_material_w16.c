// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wide material laws at 16 lanes, whatever the machine has.
#undef PL_LANES
#define PL_LANES 16
#include "material_wide_cases.h"

TEST(material_laws_w16)
{ check_wide_laws(); }
TEST(material_cloth_w16)
{ check_wide_cloth(); }
