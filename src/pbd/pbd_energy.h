// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Energies of a pbd system. Constraints have none, except elastic tets and distances with
// compliance, C^2 / (2 compliance).
#ifndef PL_PBD_ENERGY_H
#define PL_PBD_ENERGY_H

#include "pbd/pbd_system.h"

pl_method_energies pl_pbd_energies(const pl_pbd_system* system);

#endif
