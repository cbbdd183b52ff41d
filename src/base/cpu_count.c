// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How many CPUs this process may use. A Linux container often sees all cores of its host, but its
// quota allows only a few.
#include "base/pool.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
// quota/period of one cgroup folder, or 0 for none (v2: cpu.max; v1: cpu.cfs_*)
static double quota_of(const char* folder) {
    char path[600];
    double quota = 0.0, period = 0.0;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    FILE* file = fopen(path, "r");
    if (file) {
        int got = fscanf(file, "%lf %lf", &quota, &period); // "max 100000" matches nothing
        fclose(file);
        return got == 2 && period > 0.0 ? quota / period : 0.0;
    }
    const char* names[2] = {"cpu.cfs_quota_us", "cpu.cfs_period_us"};
    double values[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        file = fopen(path, "r");
        if (!file) return 0.0;
        int got = fscanf(file, "%lf", &values[i]);
        fclose(file);
        if (got != 1) return 0.0;
    }
    return values[0] > 0.0 && values[1] > 0.0 ? values[0] / values[1] : 0.0;
}

// the smallest quota of this process's cgroup and of those above it
static double cgroup_quota(void) {
    double smallest = 0.0;
    FILE* file = fopen("/proc/self/cgroup", "r");
    char line[512];
    while (file && fgets(line, sizeof line, file)) {
        char* first = strchr(line, ':');
        char* second = first ? strchr(first + 1, ':') : NULL;
        if (!second) continue;
        int is_v2 = second == first + 1;
        if (!is_v2 && !strstr(first, "cpu")) continue;
        second[strcspn(second, "\n")] = '\0';
        char folder[560];
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", is_v2 ? "" : "/cpu", second + 1);
        size_t root = strlen(is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu");
        for (;;) {
            double quota = quota_of(folder);
            if (quota > 0.0 && (smallest == 0.0 || quota < smallest)) smallest = quota;
            char* slash = strrchr(folder, '/');
            if (!slash || (size_t)(slash - folder) < root) break;
            *slash = '\0';
        }
    }
    if (file) fclose(file);
    return smallest;
}

// how many of `count` CPUs affinity and quota allow
static int limit_count(int count) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
    double quota = cgroup_quota();
    return quota > 0.0 && quota < count ? (int)(quota + 0.999) : count;
}
#else
static int limit_count(int count) { return count; }
#endif

int pl_usable_cpu_count(void) {
    int count = limit_count((int)sysconf(_SC_NPROCESSORS_ONLN));
    return count > 1 ? count : 1;
}
