// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Programs that a bench starts and whose results it reads: lines "NAME VALUE" or "note TEXT".
#ifndef PL_BENCH_CHILD_PROCESS_H
#define PL_BENCH_CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

enum { CHILD_MAX_RESULTS = 16, CHILD_TEXT = 128 };

typedef struct child_results {
    int count;
    struct {
        char name[24];
        double value;
    } items[CHILD_MAX_RESULTS];
    char notes[CHILD_TEXT]; // one after the other, with semicolons between
} child_results;

// Runs argv (NULL-terminated, found on the path) with the settings "NAME=VALUE" (NULL-terminated)
// added to the environment, unless it has them already, and waits for its end. False if it cannot
// be started or does not return 0; what it writes to stderr is seen. It is killed after `limit`
// seconds.
bool child_run(char* const* argv, const char* const* settings, unsigned limit, child_results* out);
// A result by name, NAN where there is none.
double child_value(const child_results* results, const char* name);

// The path of a program in the folder of this one; false if it is not there.
bool child_find(const char* program, char* path, size_t size);

// Processor seconds that all processes of this machine, and those of ended children of this one,
// have used so far; false where the system does not tell.
bool child_cpu_seconds(double* machine, double* own);

#endif
