// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#ifndef PL_FEM_METHOD_H
#define PL_FEM_METHOD_H

#include "method/method.h"

extern const pl_method_functions pl_fem_method;

#endif
