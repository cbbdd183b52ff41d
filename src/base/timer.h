// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#ifndef PL_BASE_TIMER_H
#define PL_BASE_TIMER_H

// Seconds of a clock that never goes back; only differences mean something.
double pl_seconds(void);

#endif
