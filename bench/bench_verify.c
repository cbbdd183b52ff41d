// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fem core against theory: see verify.h. Errors are relative to the reference given with them.
#include "base/pool.h"
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

// Two meshes of nearly cubic cells; the finer one counts.
static bool cantilever(bench* b, pl_pool* pool, pl_error* error) {
    static const struct {
        const char* name;
        double gamma, slenderness;
        int cells, quick_cells; // across, of the coarser mesh
    } rods[] = {{"gamma0.1", 0.1, 40, 4, 2},
                {"gamma1", 1.0, 40, 4, 2},
                {"gamma10", 10.0, 40, 4, 2},
                {"gamma100", 100.0, 100, 3, 1}};
    char name[64];
    for (int k = 0; k < 4; k++) {
        double errors[2];
        verify_answer answer = {0};
        int across = bench_quick(b) ? rods[k].quick_cells : rods[k].cells, iterations;
        for (int fine = 0; fine < 2; fine++, across *= 2) {
            verify_cantilever_case c = {.gamma = rods[k].gamma,
                                        .slenderness = rods[k].slenderness,
                                        .cells_across = across,
                                        .cells_along = (int)rods[k].slenderness * across / 2,
                                        .steps = 1};
            if (verify_cantilever(&c, pool, &answer, &iterations, error) != PL_OK) return false;
            errors[fine] = verify_relative_error(answer);
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
    if (verify_beam(80, across, 40 * across, PL_MASS_LUMPED, pool, coarse, error) != PL_OK)
        return false;
    if (verify_beam(80, 2 * across, 80 * across, PL_MASS_LUMPED, pool, fine, error) != PL_OK)
        return false;
    add_answer(b, "error_beam_f1", fine[0]);
    add_answer(b, "error_beam_f2", fine[1]);
    bench_compare(b, "order_beam_f1",
                  log2(verify_relative_error(coarse[0]) / verify_relative_error(fine[0])), "", 2.0);
    for (int k = 0; k < 2; k++)
        if (verify_cube(cells << k, 0.3, PL_MASS_LUMPED, pool, &cube[k], error) != PL_OK)
            return false;
    add_answer(b, "error_cube_lame", cube[1]);
    bench_compare(b, "order_cube_lame",
                  log2(verify_relative_error(cube[0]) / verify_relative_error(cube[1])), "", 2.0);
    return true;
}

static bool sphere(bench* b, pl_pool* pool, pl_error* error) {
    verify_answer answer;
    double edge = bench_quick(b) ? 0.4 : 0.25, coarse, fine;
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

static bool lattice_beams(bench* b, pl_error* error) {
    static const char* const laws[] = {"linear", "corotated"};
    char name[64];
    for (int law = 0; law < 2; law++) {
        double errors[3] = {0.0};
        const int rounds = bench_quick(b) ? 2 : 3;
        verify_answer answer;
        int unconverged;
        for (int k = 0; k < rounds; k++) {
            if (verify_lattice_sag(laws[law], 4 << k, &answer, &unconverged, error) != PL_OK)
                return false;
            errors[k] = verify_relative_error(answer);
            snprintf(name, sizeof name, "error_lattice_sag_%s_%d", laws[law], 4 << k);
            add_answer(b, name, answer);
        }
        snprintf(name, sizeof name, "order_lattice_sag_%s", laws[law]);
        bench_compare(b, name, log2(errors[0] / errors[1]), "", 2.0);
        for (int k = 0; k < rounds - 1; k++) {
            if (verify_lattice_frequency(laws[law], 4 << k, &answer, error) != PL_OK) return false;
            snprintf(name, sizeof name, "error_lattice_f1_%s_%d", laws[law], 4 << k);
            add_answer(b, name, answer);
        }
    }
    return true;
}

static bool lattice(bench* b, pl_pool* pool, pl_error* error) {
    static const char* const integrators[] = {"euler", "bdf2"};
    static const int rates[] = {60, 240};
    char name[64];
    (void)pool;
    if (!lattice_beams(b, error)) return false;
    for (int k = 0; k < 2; k++) {
        double speed, turn, drift;
        if (verify_lattice_spin(integrators[k], bench_quick(b) ? "0.05" : "0.025",
                                bench_quick(b) ? 60 : 600, &speed, &turn, &drift, error) != PL_OK)
            return false;
        snprintf(name, sizeof name, "error_lattice_spin_%s", integrators[k]);
        bench_compare(b, name, speed, "", 0.0);
        snprintf(name, sizeof name, "error_lattice_axis_%s", integrators[k]);
        bench_compare(b, name, turn, "", 0.0);
        snprintf(name, sizeof name, "error_lattice_way_%s", integrators[k]);
        bench_compare(b, name, drift, "m", 0.0);
        for (int r = 0; r < (bench_quick(b) ? 1 : 2); r++) {
            verify_answer answer;
            int unconverged;
            if (verify_lattice_slide(integrators[k], rates[r], &answer, &unconverged, error) !=
                PL_OK)
                return false;
            snprintf(name, sizeof name, "error_lattice_slide_%s_%d", integrators[k], rates[r]);
            add_answer(b, name, answer);
        }
    }
    return true;
}

static pl_status recovery_mesh(int which, pl_mesh** out, pl_error* error) {
    if (which == 0) return verify_box(1.0, 1.0, 1.0, 3, 3, 3, PL_PATTERN_KUHN, out, error);
    if (which == 1) return verify_box(1.0, 0.3, 0.2, 5, 2, 2, PL_PATTERN_KUHN, out, error);
    pl_generate_options options;
    pl_status status = pl_generate_defaults("sphere", &options, error);
    options.edge = 0.25;
    return status == PL_OK ? pl_generate("sphere", &options, out, error) : status;
}

// how many of three meshes and some seeds come back to 1e-3 of their shape
static bool recovery(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    static const struct {
        const char* name;
        pl_material_kind law;
        verify_spoilt how;
    } rows[] = {
        {"recovered_flat_stable_neohookean", PL_MATERIAL_STABLE_NEOHOOKEAN, VERIFY_FLAT},
        {"recovered_flat_corotated", PL_MATERIAL_COROTATED, VERIFY_FLAT},
        {"recovered_point_stable_neohookean", PL_MATERIAL_STABLE_NEOHOOKEAN, VERIFY_POINT},
        {"recovered_point_corotated", PL_MATERIAL_COROTATED, VERIFY_POINT},
        {"recovered_random_stable_neohookean", PL_MATERIAL_STABLE_NEOHOOKEAN, VERIFY_RANDOM},
        {"recovered_random_corotated", PL_MATERIAL_COROTATED, VERIFY_RANDOM},
    };
    int seeds = bench_quick(b) ? 3 : 10;
    for (int k = 0; k < (int)(sizeof rows / sizeof rows[0]); k++) {
        int good = 0, iterations;
        for (int n = 0; n < 3 * seeds; n++) {
            pl_mesh* mesh;
            double shape;
            if (recovery_mesh(n % 3, &mesh, error) != PL_OK) return false;
            if (verify_recovery(mesh, rows[k].law, rows[k].how, (uint64_t)(1 + n / 3), &shape,
                                &iterations, error) != PL_OK)
                return false;
            good += shape <= 1e-3;
        }
        bench_compare(b, rows[k].name, (double)good / (3 * seeds), "", 1.0);
    }
    return true;
}

bool bench_verify(bench* b) {
    static const verify_function cases[] = {patch,  cantilever, vibration, sphere,
                                            motion, friction,   recovery,  lattice};
    pl_error error;
    pl_pool* pool;
    bool done = pl_pool_create(0, &pool, &error) == PL_OK;
    for (int k = 0; done && k < (int)(sizeof cases / sizeof cases[0]); k++)
        done = cases[k](b, pool, &error);
    if (!done) fprintf(stderr, "pliant-bench verify: %s\n", error.text);
    pl_pool_destroy(pool);
    return done;
}
