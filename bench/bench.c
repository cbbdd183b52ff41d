// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "bench.h"
#include "base/array.h"
#include "base/timer.h"

#include <stdlib.h>

enum { MAX_REPEATS = 201 };

static double median(double* values, int count) {
    qsort(values, (size_t)count, sizeof(double), pl_compare_doubles);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static double time_once(bench_run run, void* user) {
    double start = pl_seconds();
    run(user);
    return pl_seconds() - start;
}

double bench_seconds(bench_run run, void* user, int repeats) {
    double seconds[MAX_REPEATS];
    if (repeats > MAX_REPEATS) repeats = MAX_REPEATS;
    run(user);
    for (int i = 0; i < repeats; i++) seconds[i] = time_once(run, user);
    return median(seconds, repeats);
}

double bench_ratio(bench_run ours, void* ours_user, bench_run base, void* base_user, int repeats) {
    double ratios[MAX_REPEATS];
    if (repeats > MAX_REPEATS) repeats = MAX_REPEATS;
    ours(ours_user);
    base(base_user);
    for (int i = 0; i < repeats; i++) {
        double base_seconds = time_once(base, base_user);
        ratios[i] = base_seconds / time_once(ours, ours_user);
    }
    return median(ratios, repeats);
}
