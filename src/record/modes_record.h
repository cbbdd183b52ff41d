// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Writes modes as a recording, so that everything that draws or exports runs works for modes too.
#ifndef PL_RECORD_MODES_RECORD_H
#define PL_RECORD_MODES_RECORD_H

#include "base/fail.h"

#include <pliant/modes.h>

// Frame 0 is the undeformed body. Frame k shows it displaced along mode k, with the largest
// displacement a tenth of the body's size. Rigid modes are skipped. The world is restored
// afterwards.
pl_status pl_modes_record(pl_world* world, const pl_scene* scene, int body, const pl_modes* modes,
                          const char* path, pl_error* error);

#endif
