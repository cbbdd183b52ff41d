// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#ifndef PL_FEM_METHOD_H
#define PL_FEM_METHOD_H

#include "method/method.h"
#include "step/step_settings.h"

extern const pl_method_functions pl_fem_method;

// What a body asks of its solver.
pl_step_settings pl_fem_settings_of(const pl_body* body);

#endif
