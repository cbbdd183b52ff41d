// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Commands of tests are lines for a POSIX shell, so tests that run them are skipped here;
// scripts/cross.sh tries the command.
#include "host.h"
#include "test.h"

#include <stdlib.h>

int pl_test_run(const char* command, char* text, size_t size) {
    (void)text, (void)size;
    pl_test_skip("there is no POSIX shell for: %.60s", command);
}

void pl_test_set_environment(const char* name, const char* value) {
    _putenv_s(name, value ? value : "");
}

bool pl_test_make_fifo(const char* path) { return (void)path, false; }

bool pl_test_remove_folder(const char* path) {
    char line[300];
    snprintf(line, sizeof line, "rmdir /s /q \"%s\"", path);
    for (char* p = line + 12; *p; p++)
        if (*p == '/') *p = '\\';
    return system(line) == 0;
}
