// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How stiff the levels of a body with compliance are.
//
// All levels pull at the same particles: what they bear adds up. Were each as stiff as the
// material, the body would be as many times too stiff as it has levels. But a level of few sweeps
// does not get as stiff as it is told: with s sweeps in a step h, particles of mass m give way by
// about c h^2 / (m s) beside their compliance, which is much on fine levels and little on coarse
// ones. So every level is asked for what the finer ones leave: together they are as stiff as the
// material, and where the finest level can do alone, in small steps, the others fade out.
#ifndef PL_PBD_LEVEL_STIFFNESS_H
#define PL_PBD_LEVEL_STIFFNESS_H

#include "pbd/pbd_levels.h"

// Means of a level whose particles have a modulus; and, of a coarse one, its springs: along edges,
// and for cloth across inner edges, by the net of mesh/spring_net.h.
pl_status pl_level_measure(pl_pbd_level* level, pl_error* error);
pl_status pl_level_add_springs(pl_pbd_level* level, bool bilateral, pl_error* error);

// Sets the softness of each level from `finest` on for steps of this length; fine_sweeps: over
// `finest`; of the others as pl_hierarchy_pass does them.
void pl_hierarchy_share_load(pl_hierarchy* hierarchy, int finest, double time_step, int fine_sweeps,
                             int coarse_sweeps);

// How many sweeps a pass of pl_hierarchy_pass does on a coarse level.
int pl_hierarchy_sweeps(const pl_hierarchy* hierarchy, int level, int finest, int sweeps);

#endif
