// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#ifndef PL_GRID_METHOD_H
#define PL_GRID_METHOD_H

#include "method/method.h"

extern const pl_method_functions pl_grid_method;

#endif
