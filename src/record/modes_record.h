// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes as a recording: whatever draws or exports runs then draws and exports modes.
#ifndef PL_RECORD_MODES_RECORD_H
#define PL_RECORD_MODES_RECORD_H

#include "base/fail.h"

#include <pliant/modes.h>

// Frame 0 is the body as it is, frame k has it moved along mode k, the farthest vertex by a tenth
// of the body's size. Rigid modes are left out. The world is as before afterwards.
pl_status pl_modes_record(pl_world* world, const pl_scene* scene, int body, const pl_modes* modes,
                          const char* path, pl_error* error);

#endif
