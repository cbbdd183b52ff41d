// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#ifndef PL_MIXED_METHOD_H
#define PL_MIXED_METHOD_H

#include "method/method.h"

extern const pl_method_functions pl_mixed_method;

#endif
