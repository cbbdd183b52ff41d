// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// `pliant view` on loopback in chromium: frames a second at the page, from a drag to the picture
// that follows it, bytes a frame, and what the server does beside the steps.
#include "bench.h"
#include "child_process.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* unit_of(const char* name) {
    return strncmp(name, "fps", 3) == 0       ? "1/s"
           : strncmp(name, "latency", 7) == 0 ? "ms"
           : strncmp(name, "bytes", 5) == 0   ? "B"
                                              : "";
}

bool bench_view(bench* b) {
    char program[4096];
    char script[] = PL_BENCH_SOURCE_DIR "/tests/extra/view/bench.sh";
    char bash[] = "bash", small[] = "5000", middle[] = "50000", large[] = "200000";
    if (!child_find("pliant", program, sizeof program)) {
        fprintf(stderr, "view: the program pliant is not beside pliant-bench; build it\n");
        return false;
    }
    *strrchr(program, '/') = '\0';
    char* argv[] = {bash, script, program, small, bench_quick(b) ? NULL : middle, large, NULL};
    const char* settings[] = {NULL};
    child_results results;
    if (!child_run(argv, settings, 600, &results)) {
        fprintf(stderr, "view: the browser did not come to an end\n");
        return false;
    }
    if (results.notes[0]) fprintf(stderr, "view: left out: %s\n", results.notes);
    double overhead = 0.0;
    for (int k = 0; k < results.count; k++) {
        const char* name = results.items[k].name;
        bench_result(b, name, results.items[k].value, unit_of(name), NAN);
        if (strncmp(name, "overhead", 8) == 0) overhead = fmax(overhead, results.items[k].value);
    }
    if (results.count) bench_result(b, "overhead", overhead, "", NAN);
    return true;
}
