// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "peer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double peer_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double peer_cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double peer_median(double* values, int count) {
    qsort(values, (size_t)count, sizeof(double), compare);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

int peer_repeats(const char* text) {
    int repeats = atoi(text);
    return repeats < 1 ? 1 : repeats > PEER_MAX_REPEATS ? PEER_MAX_REPEATS : repeats;
}

// Linux: 5 sets the mark of the largest resident size back
void peer_reset_peak(void) {
    FILE* file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file);
    fclose(file);
}

// not getrusage: its mark survives exec and so holds the size of whoever started this program
double peer_peak(void) {
    FILE* file = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld kB", &kilobytes) == 1) break;
    if (file) fclose(file);
    return (double)kilobytes / 1024.0;
}

void peer_result(const char* name, double value) { printf("%s %.9g\n", name, value); }

// ISO C has no cast from an object pointer to a function pointer, hence the copies

void peer_note_blas(void) {
    char* (*core_name)(void);
    void* found = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    memcpy(&core_name, &found, sizeof core_name);
    if (found) printf("note OpenBLAS for %s\n", core_name());
    else printf("note the BLAS is not OpenBLAS: expect it to be slow\n");
}

bool peer_blas_threads(int count) {
    void (*set_threads)(int);
    void* found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    memcpy(&set_threads, &found, sizeof set_threads);
    if (found) set_threads(count);
    return found;
}
