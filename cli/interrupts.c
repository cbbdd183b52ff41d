// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "interrupts.h"
#include "base/platform.h"

#include <signal.h>

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

void catch_interrupts(void) { pl_on_interrupt(ask_to_stop); }

bool stop_is_asked(void) { return stop_asked != 0; }
