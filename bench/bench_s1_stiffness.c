// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S1 Fig. 7: a cloth of 11.5k triangles with the hierarchy and 2 iterations against 2, 5, 10 and 20
// iterations without: stretch, and steps per second. The paper's figures are frames per second on a
// Core 2 at 2.66 GHz.
//
// Then the same with compliance (XPBD): a narrower cloth of 126 rows whose edges give 1 cm/N and
// 10 cm/N, with 20 iterations without and with levels against what it converges to (not with
// --quick).
#include "bench.h"
#include "s1_cloth.h"

#include <math.h>
#include <stdio.h>

enum { LEVELS = 5 };

static void run_step(void* user) { s1_cloth_step(user, 10); }

static bool settle(s1_cloth* c, int hierarchy, int iterations, double* stretch) {
    *stretch = s1_stretch_after(c, hierarchy, iterations);
    return *stretch >= 0.0;
}

static bool measure(bench* b, s1_cloth* plain, s1_cloth* levels) {
    static const int iterations[] = {2, 5, 10, 20};
    int repeats = bench_quick(b) ? 11 : 41;
    double stretch;
    char name[64];
    if (!settle(levels, LEVELS, 2, &stretch)) return false;
    bench_result(b, "stretch_mg2", stretch, "", NAN);
    bench_result(b, "fps_mg2", 10.0 / bench_seconds(run_step, levels, repeats), "1/s", 60);
    for (int k = 0; k < 4; k++) {
        if (!settle(plain, 0, iterations[k], &stretch)) return false;
        snprintf(name, sizeof name, "stretch_plain%d", iterations[k]);
        bench_result(b, name, stretch, "", NAN);
        snprintf(name, sizeof name, "fps_plain%d", iterations[k]);
        bench_result(b, name, 10.0 / bench_seconds(run_step, plain, repeats), "1/s",
                     iterations[k] == 20 ? 12 : NAN);
    }
    bench_result(b, "mg2_over_plain20", bench_ratio(run_step, levels, run_step, plain, repeats),
                 "x", 5);
    return true;
}

static bool compliant(bench* b, double compliance, const char* what) {
    static const struct {
        const char* name;
        int hierarchy, iterations;
    } rows[] = {{"converged", 0, 2000}, {"plain20", 0, 20}, {"mg20", 5, 20}};
    s1_cloth cloth;
    bool done = s1_cloth_create(9, 127, NULL, &cloth);
    cloth.body.pbd.model = PL_PBD_COMPLIANCE;
    cloth.body.pbd.compliance = compliance;
    cloth.body.pbd.substeps = 1;
    cloth.body.damping.mass = 2.0; // at rest after 5 s
    for (int k = 0; done && k < 3; k++) {
        double stretch;
        char name[64];
        done = settle(&cloth, rows[k].hierarchy, rows[k].iterations, &stretch);
        snprintf(name, sizeof name, "stretch_%s_%s", what, rows[k].name);
        if (done) bench_result(b, name, stretch, "", NAN);
    }
    s1_cloth_free(&cloth);
    return done;
}

bool bench_s1_stiffness(bench* b) {
    s1_cloth plain = {0}, levels = {0};
    pl_pool* pool = NULL;
    pl_error error;
    if (pl_pool_create(0, &pool, &error) != PL_OK) return false;
    bool done = s1_cloth_create(47, 127, pool, &plain) && s1_cloth_create(47, 127, pool, &levels) &&
                measure(b, &plain, &levels);
    if (!bench_quick(b))
        done = done && compliant(b, 0.01, "1cm_per_n") && compliant(b, 0.1, "10cm_per_n");
    s1_cloth_free(&plain);
    s1_cloth_free(&levels);
    pl_pool_destroy(pool);
    return done;
}
