// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What tests ask of the system they run on: host_posix.c and host_windows.c, with pl_test_run.
#ifndef PL_TESTS_HOST_H
#define PL_TESTS_HOST_H

#include <stdbool.h>

// NULL removes the variable.
void pl_test_set_environment(const char* name, const char* value);
// False where there are none.
bool pl_test_make_fifo(const char* path);
bool pl_test_remove_folder(const char* path);

#endif
