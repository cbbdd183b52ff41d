// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// EigenFit of bodies. Computes the ratios of eigenvalues at rest from the modes of the body and of
// its fine partner, and adds the term to the steps of the body's system.
#ifndef PL_WORLD_EIGENFIT_H
#define PL_WORLD_EIGENFIT_H

#include "world/world_build.h"

// Fits the body of a system, with the attachments that hold at the world's time. Does nothing for
// systems without eigenfit.
pl_status pl_world_eigenfit_setup(pl_world* world, int system, pl_notes* notes, pl_error* error);
// Fits it again if other attachments hold it in the step that ends at `end` [s].
pl_status pl_world_eigenfit_follow(pl_world* world, int system, double end, pl_error* error);

#endif
