// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The time by which a solve should end. Iterations ask between rounds whether another one fits. The
// clock is a function, so that tests can supply their own.
#ifndef PL_BASE_DEADLINE_H
#define PL_BASE_DEADLINE_H

#include <stdbool.h>

typedef struct pl_deadline {
    double end;                  // [s] of the clock
    double (*clock)(void* user); // seconds that never go back
    void* user;
} pl_deadline;

// Current time of the deadline's clock; 0 if there is no deadline (NULL).
static inline double pl_deadline_now(const pl_deadline* deadline) {
    return deadline ? deadline->clock(deadline->user) : 0.0;
}

// True if another round as long as the last one, which began at `since`, ends in time.
static inline bool pl_deadline_has_room(const pl_deadline* deadline, double since) {
    if (!deadline) return true;
    double now = deadline->clock(deadline->user);
    return now + (now - since) <= deadline->end;
}

// How many rounds of `seconds` each end in time; at least 1, at most `wanted`.
static inline int pl_deadline_rounds(const pl_deadline* deadline, double seconds, int wanted) {
    if (!deadline || !(seconds > 0.0)) return wanted;
    double fit = (deadline->end - pl_deadline_now(deadline)) / seconds;
    return fit >= wanted ? wanted : fit >= 1.0 ? (int)fit : 1;
}

#endif
