// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Ctrl-C and SIGTERM ask a verb to stop after the current frame and to finish or remove what it has
// begun. A second one ends it at once.
#ifndef PL_CLI_INTERRUPTS_H
#define PL_CLI_INTERRUPTS_H

#include <stdbool.h>

void catch_interrupts(void);
bool stop_is_asked(void);

#endif
