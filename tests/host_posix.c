// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "host.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

int pl_test_run(const char* command, char* text, size_t size) {
    char line[4096];
    const char* folder = getenv("PLIANT_BIN");
    // a later redirection of the command itself wins
    snprintf(line, sizeof line, "</dev/null %s%s%s 2>&1", folder ? folder : "", folder ? "/" : "",
             command);
    FILE* pipe = popen(line, "r");
    if (!pipe) pl_test_fail(__FILE__, __LINE__, "cannot run %s", line);
    size_t used = 0, got;
    char rest[4096];
    while ((got = used + 1 < size ? fread(text + used, 1, size - 1 - used, pipe)
                                  : fread(rest, 1, sizeof rest, pipe)) > 0)
        if (used + 1 < size) used += got;
    if (size) text[used] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) && WEXITSTATUS(status) < 126 ? WEXITSTATUS(status) : -1;
}

void pl_test_set_environment(const char* name, const char* value) {
    if (value) setenv(name, value, 1);
    else unsetenv(name);
}

bool pl_test_make_fifo(const char* path) { return mkfifo(path, 0600) == 0; }

bool pl_test_remove_folder(const char* path) {
    char line[300];
    snprintf(line, sizeof line, "rm -rf '%s'", path);
    return system(line) == 0;
}
