// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fem core against theory: see verify.h. Errors are relative to the reference given with them.
#include "base/pool.h"
#include "bench.h"
#include "verify.h"
#include "verify_cloth.h"

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

// the largest errors over all directions, of one kind of triangles
typedef struct cloth_errors {
    double stretch, young, poisson, energy;
} cloth_errors;

static pl_status cloth_directions(const pl_mesh* mesh, cloth_errors* worst, pl_error* error) {
    const pl_element_material springs = {
        .law = PL_LAW_SPRINGS, .density = 1.0, .stretch = 1.0, .shear = 0.375};
    pl_element_material membrane;
    *worst = (cloth_errors){0};
    pl_status status = verify_membrane_material(1e3, 0.45, 1e-3, &membrane, error);
    for (int degrees = 0; status == PL_OK && degrees < 180; degrees += 15) {
        double modulus, ratio;
        verify_answer energy;
        status = verify_sheet_moduli(mesh, &springs, degrees, &modulus, &ratio, error);
        if (status != PL_OK) break;
        worst->stretch = fmax(worst->stretch, fabs(modulus - 1.0));
        status = verify_sheet_moduli(mesh, &membrane, degrees, &modulus, &ratio, error);
        if (status != PL_OK) break;
        worst->young = fmax(worst->young, fabs(modulus - 1.0));
        worst->poisson = fmax(worst->poisson, fabs(ratio / 0.45 - 1.0));
        status = verify_sheet_cylinder(mesh, degrees, 1.0, &energy, error);
        worst->energy = fmax(worst->energy, verify_relative_error(energy));
    }
    return status;
}

// the largest error over light and heavy strips
static pl_status cloth_droop(verify_sheet_kind kind, int cells, double* worst, pl_error* error) {
    static const double gammas[] = {0.1, 1.0, 10.0, 100.0};
    pl_status status = PL_OK;
    *worst = 0.0;
    for (int k = 0; status == PL_OK && k < 4; k++) {
        verify_strip strip = {kind, gammas[k], cells, cells * 3 / 10};
        verify_answer droop = {1.0, 1.0};
        status = verify_strip_droop(&strip, &droop, error);
        *worst = fmax(*worst, verify_relative_error(droop));
    }
    return status;
}

static void add_cloth(bench* b, const char* what, int kind, double value) {
    char name[64];
    snprintf(name, sizeof name, "error_cloth_%s_%s", what, verify_sheet_names[kind]);
    bench_compare(b, name, value, "", 0.0);
}

static bool cloth(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    for (int kind = 0; kind < VERIFY_SHEET_COUNT; kind++) {
        pl_mesh* mesh;
        cloth_errors worst;
        double droop = 0.0;
        if (verify_sheet((verify_sheet_kind)kind, 1.0, 1.0, bench_quick(b) ? 0.1 : 0.025, &mesh,
                         error) != PL_OK)
            return false;
        pl_status status = cloth_directions(mesh, &worst, error);
        pl_mesh_destroy(mesh);
        bool strips = kind != VERIFY_SHEET_OBLONG;
        if (status == PL_OK && strips)
            status = cloth_droop((verify_sheet_kind)kind, bench_quick(b) ? 20 : 40, &droop, error);
        if (status != PL_OK) return false;
        add_cloth(b, "stretch", kind, worst.stretch);
        add_cloth(b, "young", kind, worst.young);
        add_cloth(b, "poisson", kind, worst.poisson);
        add_cloth(b, "cylinder", kind, worst.energy);
        if (strips) add_cloth(b, "elastica", kind, droop);
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
                                            motion, friction,   cloth,     recovery};
    pl_error error;
    pl_pool* pool;
    bool done = pl_pool_create(0, &pool, &error) == PL_OK;
    for (int k = 0; done && k < (int)(sizeof cases / sizeof cases[0]); k++)
        done = cases[k](b, pool, &error);
    if (!done) fprintf(stderr, "pliant-bench verify: %s\n", error.text);
    pl_pool_destroy(pool);
    return done;
}
