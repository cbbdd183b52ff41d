// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Mean forces of pins and obstacles on a system during a step.
#ifndef PL_PBD_FORCES_H
#define PL_PBD_FORCES_H

#include "pbd/pbd_system_data.h"

// Call after a step of this many substeps whose start was saved. Fills the requested forces.
// Overwrites the predicted positions and the list of held vertices.
pl_status pl_pbd_tell_forces(pl_pbd_system* system, const pl_method_step* step, int part_count,
                             pl_error* error);

#endif
