// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "child_process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_setting(const char* setting) {
    char name[64];
    const char* equals = strchr(setting, '=');
    size_t length = equals ? (size_t)(equals - setting) : 0;
    if (length == 0 || length >= sizeof name) return;
    memcpy(name, setting, length);
    name[length] = 0;
    setenv(name, equals + 1, 0);
}

// in the child, never returns
static void become(char* const* argv, const char* const* settings, unsigned limit, int output) {
    dup2(output, STDOUT_FILENO);
    for (; *settings; settings++) add_setting(*settings);
    alarm(limit); // outlives exec
    execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

static void take_line(char* line, child_results* out) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "note ", 5) == 0) {
        size_t used = strlen(out->notes);
        snprintf(out->notes + used, sizeof out->notes - used, "%s%s", used ? "; " : "", line + 5);
        return;
    }
    if (out->count == CHILD_MAX_RESULTS) return;
    if (sscanf(line, "%23s %lf", out->items[out->count].name, &out->items[out->count].value) == 2)
        out->count++;
}

static bool wait_for(pid_t child, const char* name) {
    int status;
    while (waitpid(child, &status, 0) != child) {}
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: ended by %s\n", name, strsignal(WTERMSIG(status)));
    else fprintf(stderr, "%s: returned %d\n", name, WEXITSTATUS(status));
    return false;
}

bool child_run(char* const* argv, const char* const* settings, unsigned limit, child_results* out) {
    *out = (child_results){0};
    int ends[2];
    if (pipe(ends) != 0) {
        perror("pipe");
        return false;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become(argv, settings, limit, ends[1]);
    }
    close(ends[1]);
    FILE* lines = child > 0 ? fdopen(ends[0], "r") : NULL;
    char line[512];
    while (lines && fgets(line, sizeof line, lines)) take_line(line, out);
    if (lines) fclose(lines);
    else close(ends[0]);
    if (child < 0) perror("fork");
    return child > 0 && wait_for(child, argv[0]);
}

double child_value(const child_results* results, const char* name) {
    for (int i = 0; i < results->count; i++)
        if (strcmp(results->items[i].name, name) == 0) return results->items[i].value;
    return NAN;
}

bool child_find(const char* program, char* path, size_t size) {
    char own[512];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) return false;
    own[length] = 0;
    char* slash = strrchr(own, '/');
    if (!slash) return false;
    *slash = 0;
    int written = snprintf(path, size, "%s/%s", own, program);
    return written > 0 && (size_t)written < size && access(path, X_OK) == 0;
}

bool child_cpu_seconds(double* machine, double* own) {
    FILE* file = fopen("/proc/stat", "r");
    double user, nice, kernel, idle, waiting, irq, soft;
    bool found = file && fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &kernel,
                                &idle, &waiting, &irq, &soft) == 7;
    if (file) fclose(file);
    if (!found) return false;
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    *machine = (user + nice + kernel + irq + soft) / (double)sysconf(_SC_CLK_TCK);
    *own = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    return true;
}
