// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#ifndef PL_BASE_LOG_H
#define PL_BASE_LOG_H

#include "base/fail.h"

void pl_log(pl_log_level level, const char* format, ...) PL_PRINTF(2, 3);

#endif
