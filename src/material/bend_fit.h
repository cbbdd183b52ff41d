// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Fits the forms M of all patches of a sheet (bend_patch.h) together, so that the sheet bends like
// a plate of stiffness 1 with Poisson's ratio 0. See bend_fit.c.
#ifndef PL_MATERIAL_BEND_FIT_H
#define PL_MATERIAL_BEND_FIT_H

#include "material/bend_parts.h"
#include "mesh/topology.h"

// Patches come with an initial guess of their forms. Hinges are not changed.
pl_status pl_bend_fit(const double* positions, const pl_side_groups* sides, pl_bend_sheet* sheet,
                      pl_error* error);

#endif
