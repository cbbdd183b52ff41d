// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#ifndef PL_BASE_TIMER_H
#define PL_BASE_TIMER_H

// Seconds of a monotonic clock; only differences are meaningful.
double pl_seconds(void);

#endif
