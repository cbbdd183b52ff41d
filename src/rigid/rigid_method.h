// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method "rigid" of the world: bodies that do not bend.
#ifndef PL_RIGID_METHOD_H
#define PL_RIGID_METHOD_H

#include "method/method.h"

extern const pl_method_functions pl_rigid_method;

#endif
