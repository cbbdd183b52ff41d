// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Starting external programs, without a shell.
#ifndef PL_BASE_PROCESS_H
#define PL_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pl_process {
    intptr_t id;  // 0: none
    int input;    // to the program's standard input, or -1
    int messages; // from its standard error, or -1
} pl_process;

// Starts the program arguments[0], found through PATH; the list ends with NULL. With a log path,
// all its output goes to that file and it has no input. Without one, its standard output is
// discarded, and its input and its messages are connected to this process. Returns 0 or an error
// number (ENOENT: no such program). Call pl_process_end in either case.
int pl_process_start(const char* const* arguments, const char* log, pl_process* process);

// Writes to the program's input; false if it no longer reads. Never raises a signal.
bool pl_process_feed(pl_process* process, const void* data, size_t size);

void pl_process_close_input(pl_process* process);

// Waits for the program and closes its input and messages. Returns its exit code, or -1 if a signal
// ended it or it did not start.
int pl_process_end(pl_process* process);

#endif
