// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Other people's programs, started without a shell.
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

// Starts the program arguments[0] (found by PATH); the list ends with NULL. With a log, a path, all
// that it prints goes there and it has no input. Without one, its standard output is dropped and
// input and messages are connected. Returns 0 or an error number, ENOENT if there is no such
// program; *process is to be given to pl_process_end in any case.
int pl_process_start(const char* const* arguments, const char* log, pl_process* process);

// Writes to the program's input; false if it no longer reads. Never raises a signal.
bool pl_process_feed(pl_process* process, const void* data, size_t size);

void pl_process_close_input(pl_process* process);

// Waits for the program and closes what is connected. Returns its exit code, or -1 if it was ended
// by a signal or did not start.
int pl_process_end(pl_process* process);

#endif
