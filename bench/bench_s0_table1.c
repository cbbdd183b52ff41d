// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Table 1 and Fig. 8: frames per second and seconds of set-up of the paper's examples, on all
// cores, beside what it reports for a GPU (RTX 2080). precompute: from a mesh in memory to the
// second frame, less one frame. The lines that begin with | are a table: name, vertices, elements,
// frames per second and the paper's, seconds of set-up and the paper's.
#include "base/timer.h"
#include "s0_example.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES = 20, QUICK_FRAMES = 4, MAX_FRAMES = 20 };
static const double FRAME_BUDGET = 4.0, QUICK_BUDGET = 0.5; // seconds for a row

static double median(double* seconds, int count) {
    for (int i = 0; i < count; i++)
        for (int j = i; j > 0 && seconds[j] < seconds[j - 1]; j--) {
            double t = seconds[j];
            seconds[j] = seconds[j - 1], seconds[j - 1] = t;
        }
    return seconds[count / 2];
}

// median seconds of a frame, or NAN; *first: of the first one
static double time_frames(s0_example* e, bool quick, double* first) {
    double seconds[MAX_FRAMES], sum = 0.0;
    int count = 0, most = quick ? QUICK_FRAMES : FRAMES;
    pl_method_info info;
    double start = pl_seconds();
    if (!s0_example_step(e, &info)) return NAN;
    *first = pl_seconds() - start;
    while (count < most && (count < 2 || sum < (quick ? QUICK_BUDGET : FRAME_BUDGET))) {
        start = pl_seconds();
        if (!s0_example_step(e, &info)) return NAN;
        seconds[count] = pl_seconds() - start;
        sum += seconds[count++];
    }
    return median(seconds, count);
}

static bool measure(bench* b, const s0_row* row, const pl_step_settings* settings, pl_pool* pool,
                    const char* name, double paper, double* fps) {
    s0_example e;
    if (!s0_example_create(b, &e, row, settings, pool)) return false;
    double first, frame = time_frames(&e, bench_quick(b), &first);
    char text[64];
    if (!isnan(frame)) {
        *fps = 1.0 / frame;
        snprintf(text, sizeof text, "fps_%s", name);
        bench_result(b, text, *fps, "1/s", paper);
        double precompute = e.create_seconds + first - frame;
        printf("| %s | %d | %d | %.3g | %.3g |", name, e.vertex_count, e.element_count, *fps,
               paper);
        if (name == row->name) printf(" %.2g | %.3g |\n", precompute, row->precompute);
        else printf(" | |\n");
        if (name == row->name) {
            snprintf(text, sizeof text, "precompute_%s", name);
            bench_result(b, text, precompute, "s", row->precompute);
            snprintf(text, sizeof text, "ratio_%s", name);
            bench_result(b, text, *fps / row->fps, "x", NAN);
        }
    }
    s0_example_free(&e);
    return !isnan(frame);
}

bool bench_s0_table1(bench* b) {
    pl_pool* pool;
    pl_error error;
    if (pl_pool_create(0, &pool, &error) != PL_OK) {
        fprintf(stderr, "pliant-bench s0-table1: %s\n", error.text);
        return false;
    }
    bool ok = true;
    double fps = NAN;
    for (int k = 0; ok && k < S0_ROW_COUNT; k++) {
        const s0_row* row = &s0_rows[k];
        // the large ones take seconds to read
        if (bench_quick(b) && (k == 4 || k == 5 || k == 8 || k == 9)) continue;
        pl_step_settings settings = s0_row_settings(row);
        ok = measure(b, row, &settings, pool, row->name, row->fps, &fps);
        if (ok && k == 6) { // Fig. 8: the same by a prefactored direct solver
            settings.linear = PL_LINEAR_DIRECT;
            ok = measure(b, row, &settings, pool, "cloth_40k_pd_direct", 9.2, &fps);
        }
    }
    pl_pool_destroy(pool);
    return ok;
}
