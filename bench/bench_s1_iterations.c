// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S1 Fig. 3: iterations in each step that keep a cloth of 126 rows of cells, hanging from its first
// row, below a stretch, without hierarchy and with 3 and 5 levels. Stretch: the longest column over
// its rest length after 5 s.
#include "base/memory.h"
#include "bench.h"
#include "s1_cloth.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 2048 };

// the least number of iterations with a stretch of at most `limit`, or 0 if there is none
static int search(s1_cloth* cloth, int hierarchy, double limit, int from, int most) {
    int low = from - 1, high = from; // low is not enough
    for (;; low = high, high = 2 * high < most ? 2 * high : most) {
        double stretch = s1_stretch_after(cloth, hierarchy, high);
        if (stretch < 0.0) return 0;
        if (stretch <= limit) break;
        if (high == most) return 0;
    }
    // to 5 %: the curve is flat there
    while (high - low > 1 + high / 20) {
        int middle = (low + high) / 2;
        if (s1_stretch_after(cloth, hierarchy, middle) <= limit) high = middle;
        else low = middle;
    }
    return high;
}

static void measure(bench* b, s1_cloth* cloth) {
    static const struct {
        const char* name;
        int hierarchy;
    } rows[] = {{"plain", 0}, {"levels3", 3}, {"levels5", 5}};
    static const int percents[] = {20, 10, 5, 2, 1};
    int found[3][5] = {{0}};
    for (int r = 0; r < 3; r++) {
        // a quick search starts where plain iterations are known not to be enough
        int from = bench_quick(b) && rows[r].hierarchy == 0 ? 128 : 1;
        for (int p = 0; p < 5; p++) {
            if (bench_quick(b) && percents[p] != 5) continue;
            if (from > 0) from = search(cloth, rows[r].hierarchy, 0.01 * percents[p], from, MOST);
            found[r][p] = from;
            char name[64];
            snprintf(name, sizeof name, "%s_%dpct", rows[r].name, percents[p]);
            bench_result(b, name, from ? from : NAN, "", NAN);
        }
    }
    if (found[0][2] && found[2][2])
        bench_result(b, "fewer_5pct", (double)found[0][2] / found[2][2], "", NAN);
}

bool bench_s1_iterations(bench* b) {
    s1_cloth cloth;
    pl_pool* pool = NULL;
    pl_error error;
    if (pl_pool_create(0, &pool, &error) != PL_OK) return false;
    bool done = s1_cloth_create(bench_quick(b) ? 9 : 17, 127, pool, &cloth);
    if (done) measure(b, &cloth);
    s1_cloth_free(&cloth);
    pl_pool_destroy(pool);
    return done;
}
