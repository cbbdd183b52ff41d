// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiffness of the levels of a body with compliance.
//
// All levels act on the same particles, so their stiffnesses add up. If each were as stiff as the
// material, the body would be too stiff by a factor of the number of levels. But a level with few
// sweeps does not reach its stiffness: with s sweeps in a step h, particles of mass m have an
// additional compliance of about c h^2 / (m s), which is large on fine levels and small on coarse
// ones. So each level gets the stiffness that the finer ones lack. Together the levels are as stiff
// as the material. In small steps the finest level is sufficient, and the stiffness of the others
// goes to zero.
#ifndef PL_PBD_LEVEL_STIFFNESS_H
#define PL_PBD_LEVEL_STIFFNESS_H

#include "pbd/pbd_levels.h"

// Computes the means of a level whose particles have a modulus. Coarse levels also get springs:
// along edges, and for cloth also across inner edges (mesh/spring_net.h).
pl_status pl_level_measure(pl_pbd_level* level, pl_error* error);
pl_status pl_level_add_springs(pl_pbd_level* level, bool bilateral, pl_error* error);

// Sets the softness of each level from `finest` on, for steps of this length. fine_sweeps: sweeps
// over `finest`; the other levels have as many as in pl_hierarchy_pass.
void pl_hierarchy_share_load(pl_hierarchy* hierarchy, int finest, double time_step, int fine_sweeps,
                             int coarse_sweeps);

// Number of sweeps of pl_hierarchy_pass on a coarse level.
int pl_hierarchy_sweeps(const pl_hierarchy* hierarchy, int level, int finest, int sweeps);

#endif
