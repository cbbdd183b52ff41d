// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method "pbd" of the world.
#ifndef PL_PBD_METHOD_H
#define PL_PBD_METHOD_H

#include "method/method.h"

extern const pl_method_functions pl_pbd_method;

#endif
