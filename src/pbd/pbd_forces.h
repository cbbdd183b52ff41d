// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What pins and obstacles exerted on a system during a step, on average.
#ifndef PL_PBD_FORCES_H
#define PL_PBD_FORCES_H

#include "pbd/pbd_system_data.h"

// After a step of so many parts, whose start is saved: fills the forces that it asks for. The
// predictions and the list of held vertices are lost.
void pl_pbd_tell_forces(pl_pbd_system* system, const pl_method_step* step, int part_count);

#endif
