// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method "rigid": bodies that do not deform.
#ifndef PL_RIGID_METHOD_H
#define PL_RIGID_METHOD_H

#include "method/method.h"

extern const pl_method_functions pl_rigid_method;

#endif
