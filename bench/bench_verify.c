// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fem core against theory: see verify.h. Errors are relative to the reference given with them.
#include "base/parallel.h"
#include "bench.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>

typedef bool (*verify_function)(bench* b, pl_pool* pool, pl_error* error);

static void add_answer(bench* b, const char* name, verify_answer answer) {
    bench_compare(b, name, verify_relative_error(answer), "", answer.reference);
}

static bool patch(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    double worst = 0.0, worst_nonlinear = 0.0;
    for (int law = 0; law < PL_MATERIAL_COUNT; law++) {
        double largest;
        if (verify_patch((pl_material_kind)law, 5, &largest, error) != PL_OK) return false;
        worst = fmax(worst, largest);
        if (verify_patch_nonlinear((pl_material_kind)law, 5, &largest, error) != PL_OK)
            return false;
        worst_nonlinear = fmax(worst_nonlinear, largest);
    }
    bench_compare(b, "error_patch", worst, "", 0.0);
    bench_compare(b, "error_patch_nonlinear", worst_nonlinear, "", 0.0);
    return true;
}

static bool cantilever(bench* b, pl_pool* pool, pl_error* error) {
    static const struct {
        const char* name;
        double gamma, slenderness;
    } rods[] = {
        {"gamma0.1", 0.1, 40}, {"gamma1", 1, 40}, {"gamma10", 10, 40}, {"gamma100", 100, 100}};
    char name[64];
    for (int k = 0; k < 4; k++) {
        double errors[2];
        verify_answer answer = {0};
        for (int fine = 0; fine < 2; fine++) {
            int across = (bench_quick(b) ? 2 : 4) << fine;
            verify_cantilever_case c = {.gamma = rods[k].gamma,
                                        .slenderness = rods[k].slenderness,
                                        .cells_across = across,
                                        .cells_along = (int)rods[k].slenderness * across / 4,
                                        .steps = 1};
            int iterations;
            if (verify_cantilever(&c, pool, &answer, &iterations, error) != PL_OK) return false;
            errors[fine] = verify_relative_error(answer);
            if (!bench_quick(b) || fine) continue;
        }
        snprintf(name, sizeof name, "error_cantilever_%s", rods[k].name);
        add_answer(b, name, answer);
        snprintf(name, sizeof name, "order_cantilever_%s", rods[k].name);
        bench_compare(b, name, log2(errors[0] / errors[1]), "", 2.0);
    }
    return true;
}

static bool vibration(bench* b, pl_pool* pool, pl_error* error) {
    verify_answer coarse[2], fine[2], cube[2];
    int across = bench_quick(b) ? 2 : 4, cells = bench_quick(b) ? 3 : 6;
    if (verify_beam(80, across, 20 * across, pool, coarse, error) != PL_OK) return false;
    if (verify_beam(80, 2 * across, 40 * across, pool, fine, error) != PL_OK) return false;
    add_answer(b, "error_beam_f1", fine[0]);
    add_answer(b, "error_beam_f2", fine[1]);
    bench_compare(b, "order_beam_f1",
                  log2(verify_relative_error(coarse[0]) / verify_relative_error(fine[0])), "", 2.0);
    for (int k = 0; k < 2; k++)
        if (verify_cube(cells << k, 0.3, pool, &cube[k], error) != PL_OK) return false;
    add_answer(b, "error_cube_lame", cube[1]);
    bench_compare(b, "order_cube_lame",
                  log2(verify_relative_error(cube[0]) / verify_relative_error(cube[1])), "", 2.0);
    return true;
}

static bool sphere(bench* b, pl_pool* pool, pl_error* error) {
    verify_answer answer;
    double edge = bench_quick(b) ? 0.6 : 0.3, coarse, fine;
    if (verify_sphere(edge, pool, &answer, &coarse, error) != PL_OK) return false;
    if (verify_sphere(0.5 * edge, pool, &answer, &fine, error) != PL_OK) return false;
    add_answer(b, "error_sphere_lame", answer);
    bench_compare(b, "error_sphere_l2", fine, "", 0.0);
    bench_compare(b, "order_sphere", log2(coarse / fine), "", 2.0);
    return true;
}

static bool motion(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    double linear, angular, growth, change, coarse, fine;
    int steps = bench_quick(b) ? 100 : 1000;
    if (verify_momentum(steps / 5, &linear, &angular, error) != PL_OK) return false;
    bench_compare(b, "error_momentum", linear, "", 0.0);
    bench_compare(b, "error_angular_momentum", angular, "", 0.0);
    if (verify_energy(steps, &growth, &change, error) != PL_OK) return false;
    bench_compare(b, "error_energy_growth", growth, "", 0.0);
    bench_compare(b, "error_energy_midpoint", change, "", 0.0);
    if (verify_midpoint_energy(0.002, &coarse, error) != PL_OK) return false;
    if (verify_midpoint_energy(0.001, &fine, error) != PL_OK) return false;
    bench_compare(b, "order_energy_midpoint", log2(coarse / fine), "", 2.0);
    return true;
}

static bool friction(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    verify_answer answer;
    if (verify_friction(0.5, bench_quick(b) ? 6 : 9, &answer, error) != PL_OK) return false;
    add_answer(b, "error_friction_angle", answer);
    return true;
}

bool bench_verify(bench* b) {
    static const verify_function cases[] = {patch, cantilever, vibration, sphere, motion, friction};
    pl_error error;
    pl_pool* pool;
    bool done = pl_pool_create(0, &pool, &error) == PL_OK;
    for (int k = 0; done && k < (int)(sizeof cases / sizeof cases[0]); k++)
        done = cases[k](b, pool, &error);
    if (!done) fprintf(stderr, "pliant-bench verify: %s\n", error.text);
    pl_pool_destroy(pool);
    return done;
}
