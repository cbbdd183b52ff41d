// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The methods of this build, one line each.
#include "fem/fem_method.h"
#include "grid/grid_method.h"
#include "mixed/mixed_method.h"
#include "pbd/pbd_method.h"
#include "rigid/rigid_method.h"
#include "world/world_build.h"

static const pl_method_functions* const methods[PL_METHOD_COUNT] = {
    [PL_METHOD_FEM] = &pl_fem_method,     [PL_METHOD_MIXED] = &pl_mixed_method,
    [PL_METHOD_GRID] = &pl_grid_method,   [PL_METHOD_PBD] = &pl_pbd_method,
    [PL_METHOD_RIGID] = &pl_rigid_method,
};

const pl_method_functions* pl_world_method(pl_method method) {
    return method >= 0 && method < PL_METHOD_COUNT ? methods[method] : NULL;
}
