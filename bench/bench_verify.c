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
#include <string.h>

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

// Symmetry planes, pressure and tractions; the finer mesh counts.
static bool loads(bench* b, pl_pool* pool, pl_error* error) {
    static const char* const names[VERIFY_COOK_COUNT] = {"error_cook_stress", "error_cook_strain"};
    verify_answer answer, coarse;
    int cells = bench_quick(b) ? 8 : 16;
    double l2[2], edge = bench_quick(b) ? 0.5 : 0.2, drift;
    for (int fine = 0; fine < 2; fine++)
        if (verify_octant(cells << fine, PL_LINEAR_MGPCG, pool, &answer, &l2[fine], error) != PL_OK)
            return false;
    add_answer(b, "error_octant_lame", answer);
    bench_compare(b, "order_octant", log2(l2[0] / l2[1]), "", 2.0);
    if (verify_balloon(2.0, 2.0 * edge, 0.6, 2, pool, &coarse, &drift, error) != PL_OK ||
        verify_balloon(2.0, edge, 0.6, 2, pool, &answer, &drift, error) != PL_OK)
        return false;
    add_answer(b, "error_balloon", answer);
    bench_compare(b, "order_balloon",
                  log2(verify_relative_error(coarse) / verify_relative_error(answer)), "", 2.0);
    bench_compare(b, "drift_balloon", drift, "m", 0.0);
    for (int k = 0; k < VERIFY_COOK_COUNT; k++) {
        if (verify_cook(k, bench_quick(b) ? 32 : 64, pool, &answer, error) != PL_OK) return false;
        add_answer(b, names[k], answer);
    }
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

// Stiff parts in soft flesh: how many of 27 settings multigrid solves as the direct solver does, to
// 1e-4 of the motion, or says that it did not; and the worst difference of those that count.
static bool stiff_parts(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    static const pl_material_kind laws[] = {PL_MATERIAL_LINEAR, PL_MATERIAL_COROTATED,
                                            PL_MATERIAL_STABLE_NEOHOOKEAN};
    static const char* const shapes[] = {"floating", "five", "through"};
    char name[64];
    int equal = 0, silent = 0, solved = 0, switched = 0;
    double worst = 0.0;
    for (int k = 0; k < 27; k++) {
        verify_stiff_case c = {.shape = (verify_stiff_shape)(k / 9),
                               .contrast = pow(10.0, 4 + 2 * (k / 3 % 3)),
                               .law = laws[k % 3],
                               .cells = bench_quick(b) ? 4 : 8};
        verify_stiff r;
        if (verify_stiff_parts(&c, &r, error) != PL_OK) return false;
        solved += r.reference_converged;
        equal += r.converged && r.difference <= 1e-4;
        silent += r.converged && r.reference_converged && r.difference > 1e-4;
        switched += r.switches > 0;
        if (r.converged && r.reference_converged) worst = fmax(worst, r.difference);
        snprintf(name, sizeof name, "stiff_parts_%s_%s_1e%d", shapes[k / 9],
                 pl_material_name(laws[k % 3]), 4 + 2 * (k / 3 % 3));
        bench_compare(b, name, r.reference_converged ? r.difference : NAN, "", 0.0);
    }
    bench_compare(b, "stiff_parts_direct_solves", solved, "", 27.0);
    bench_compare(b, "stiff_parts_equal", equal, "", 27.0);
    bench_compare(b, "stiff_parts_wrong", silent, "", 0.0);
    bench_compare(b, "stiff_parts_worst", worst, "", 0.0);
    bench_compare(b, "stiff_parts_switched", switched, "", 0.0);
    return true;
}

// What each integrator keeps over 10 s at 60 frames a second.
static bool kept(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    static const struct {
        const char* name;
        pl_integrator integrator;
    } integrators[] = {{"euler", PL_INTEGRATOR_EULER},
                       {"bdf2", PL_INTEGRATOR_BDF2},
                       {"midpoint", PL_INTEGRATOR_MIDPOINT}};
    static const char* const motions[] = {"vibrating", "spinning", "bouncing"};
    static const double youngs[] = {1e5, 1e6, 1e5};
    char name[96];
    for (int k = 0; k < 9; k++) {
        int motion = k / 3;
        verify_kept_case c = {.motion = (verify_motion)motion,
                              .integrator = integrators[k % 3].integrator,
                              .law = PL_MATERIAL_STABLE_NEOHOOKEAN,
                              .young = youngs[motion],
                              .time_step = 1.0 / 60.0,
                              .duration = bench_quick(b) ? 2.0 : 10.0};
        verify_kept r;
        if (verify_what_is_kept(&c, &r, error) != PL_OK) return false;
        const struct {
            const char* what;
            double value, ideal;
        } rows[] = {{"momentum", r.linear, 0.0},        {"angular", r.angular, 0.0},
                    {"energy_lowest", r.lowest, 1.0},   {"energy_highest", r.highest, 1.0},
                    {"energy_last", r.last, 1.0},       {"bounce", r.bounce, 1.0},
                    {"unconverged", r.unconverged, 0.0}};
        for (int i = 0; i < 7; i++) {
            bool is_bounce = i == 5, is_momentum = i < 2;
            if ((is_bounce && motion != VERIFY_BOUNCING) ||
                (is_momentum && motion == VERIFY_BOUNCING))
                continue;
            snprintf(name, sizeof name, "kept_%s_%s_%s", motions[motion], integrators[k % 3].name,
                     rows[i].what);
            bench_compare(b, name, rows[i].value, "", rows[i].ideal);
        }
    }
    return true;
}

// The energy of the vibrating bar by the midpoint rule, for laws from soft to stiff.
static bool kept_by_midpoint(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    static const pl_material_kind laws[] = {
        PL_MATERIAL_LINEAR,     PL_MATERIAL_COROTATED,         PL_MATERIAL_STVK,
        PL_MATERIAL_NEOHOOKEAN, PL_MATERIAL_STABLE_NEOHOOKEAN, PL_MATERIAL_MOONEY_RIVLIN};
    char name[96];
    for (int k = 0; k < 18; k++) {
        int power = 4 + k % 3;
        verify_kept_case c = {.motion = VERIFY_VIBRATING,
                              .integrator = PL_INTEGRATOR_MIDPOINT,
                              .law = laws[k / 3],
                              .young = pow(10.0, power),
                              .time_step = 1.0 / 60.0,
                              .duration = bench_quick(b) ? 2.0 : 10.0};
        verify_kept r;
        if (verify_what_is_kept(&c, &r, error) != PL_OK) return false;
        const char* law = pl_material_name(laws[k / 3]);
        snprintf(name, sizeof name, "kept_midpoint_%s_1e%d_lowest", law, power);
        bench_compare(b, name, r.lowest, "", 1.0);
        snprintf(name, sizeof name, "kept_midpoint_%s_1e%d_highest", law, power);
        bench_compare(b, name, r.highest, "", 1.0);
    }
    return true;
}

static bool friction(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    verify_answer answer;
    if (verify_friction(0.5, bench_quick(b) ? 6 : 9, &answer, error) != PL_OK) return false;
    add_answer(b, "error_friction_angle", answer);
    return true;
}

static const char* const integrator_names[] = {"euler", "bdf2", "midpoint"};

static verify_slide_case slide_case(const bench* b, int integrator, bool soft, double time_step) {
    static const pl_integrator integrators[] = {PL_INTEGRATOR_EULER, PL_INTEGRATOR_BDF2,
                                                PL_INTEGRATOR_MIDPOINT};
    return (verify_slide_case){.integrator = integrators[integrator],
                               .nonlinear = PL_NONLINEAR_NEWTON,
                               .linear = PL_LINEAR_DIRECT,
                               .young = soft ? 3e4 : 1e6,
                               .damping = soft ? 1e-2 : 1e-3,
                               .settling = soft ? 0.4 : 0.0,
                               .time_step = time_step,
                               .speed = 2.0,
                               .friction = 0.3,
                               .duration = 1.0,
                               .cells = bench_quick(b) ? 3 : 6};
}

// Distances of sliding blocks, and friction over normal impulse in every step of theirs.
static bool sliding(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    double ratio = 0.0;
    for (int k = 0; k < 12; k++) {
        int integrator = k / 4, rate = k % 2 ? 240 : 60;
        bool soft = k / 2 % 2;
        char name[64];
        verify_slide_case c = slide_case(b, integrator, soft, 1.0 / rate);
        verify_slide_result result;
        if (verify_slide(&c, &result, error) != PL_OK) return false;
        snprintf(name, sizeof name, "error_slide_%s_%s_%d", integrator_names[integrator],
                 soft ? "soft" : "stiff", rate);
        add_answer(b, name,
                   (verify_answer){result.distance, c.speed * c.speed / (2.0 * 0.3 * 9.81)});
        ratio = fmax(ratio, result.ratio_error);
    }
    bench_compare(b, "error_friction_ratio", ratio, "", 0.0);
    return true;
}

// A block on which its weight comes at once swings, and slips while it does: the second half of the
// first second, and how far it goes in all of it.
static bool sudden_slope(bench* b, pl_error* error) {
    static const int rates[] = {60, 120, 240, 960};
    for (int k = 0; k < 12; k++) {
        char name[64];
        int rate = rates[k % 4];
        verify_slide_case c = slide_case(b, k / 4, false, 1.0 / rate);
        verify_slide_result result;
        if (bench_quick(b) && rate > 120) continue;
        c.settling = 0.4;
        c.speed = 0.0;
        c.angle = atan(0.95 * c.friction);
        if (verify_slide(&c, &result, error) != PL_OK) return false;
        snprintf(name, sizeof name, "creep_sudden_%s_%d", integrator_names[k / 4], rate);
        bench_compare(b, name, 1e3 * fabs(result.speed), "mm/s", 0.0);
        snprintf(name, sizeof name, "slip_sudden_%s_%d", integrator_names[k / 4], rate);
        bench_compare(b, name, 1e3 * result.distance, "mm", 0.0);
    }
    return true;
}

// A block on slopes of 0.95 and 1.05 times the friction angle (tangents). On the first it rests in
// balance from the start.
static bool slope(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    for (int k = 0; k < 6; k++) {
        bool slides = k % 2;
        char name[64];
        verify_slide_case c = slide_case(b, k / 2, false, 1.0 / 60.0);
        verify_slide_result result;
        c.settling = 0.4;
        c.rests = !slides;
        c.duration = slides ? 2.0 : 1.0;
        c.speed = slides ? 0.2 : 0.0;
        c.angle = atan((slides ? 1.05 : 0.95) * c.friction);
        if (verify_slide(&c, &result, error) != PL_OK) return false;
        snprintf(name, sizeof name, "%s_%s", slides ? "error_slope" : "creep",
                 integrator_names[k / 2]);
        double theory = 9.81 * (sin(c.angle) - c.friction * cos(c.angle));
        if (slides) add_answer(b, name, (verify_answer){result.acceleration, theory});
        else bench_compare(b, name, 1e3 * fabs(result.distance) / c.duration, "mm/s", 0.0);
    }
    return sudden_slope(b, error);
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

static bool lattice_beams(bench* b, pl_error* error) {
    static const char* const laws[] = {"linear", "corotated"};
    char name[64];
    double sag, frequency;
    if (verify_bar_ratios(bench_quick(b) ? 1 : 2, &sag, &frequency, error) != PL_OK) return false;
    bench_compare(b, "bar_sag_over_beam", sag, "", verify_bar_sag);
    bench_compare(b, "bar_f1_over_beam", frequency, "", verify_bar_frequency);
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
        for (int k = 0; k < rounds; k++) {
            if (verify_lattice_frequency(laws[law], 4 << k, &answer, error) != PL_OK) return false;
            snprintf(name, sizeof name, "error_lattice_f1_%s_%d", laws[law], 4 << k);
            add_answer(b, name, answer);
        }
    }
    return true;
}

static void add_lattice(bench* b, const char* what, const char* integrator, double value,
                        const char* unit) {
    char name[64];
    snprintf(name, sizeof name, "error_lattice_%s_%s", what, integrator);
    bench_compare(b, name, value, unit, 0.0);
}

// A cube that tumbles for ten seconds, and one in short steps whose cycles end early or late.
static bool lattice_spin(bench* b, const char* integrator, pl_error* error) {
    const int cells = bench_quick(b) ? 4 : 8, frames = bench_quick(b) ? 100 : 600;
    verify_spin_case c = {integrator, cells, 60, frames, 1e6, 1e-3};
    verify_spin r;
    if (verify_lattice_spin(&c, &r, error) != PL_OK) return false;
    add_lattice(b, "spin", integrator, r.speed, "");
    add_lattice(b, "axis", integrator, r.turn, "");
    add_lattice(b, "way", integrator, r.drift, "m");
    add_lattice(b, "momentum", integrator, r.momentum, "");
    add_lattice(b, "angular", integrator, r.angular, "");
    c = (verify_spin_case){integrator, 4, 960, 128, 1e6, 1e-3};
    if (verify_lattice_spin(&c, &r, error) != PL_OK) return false;
    add_lattice(b, "spin_960", integrator, r.speed, "");
    c.linear_tolerance = 1e-5;
    if (verify_lattice_spin(&c, &r, error) != PL_OK) return false;
    add_lattice(b, "spin_960_fine", integrator, r.speed, "");
    return true;
}

// A cube so stiff that it is rigid tumbles for a second, in shorter and shorter steps.
static bool lattice_turn(bench* b, const char* integrator, pl_error* error) {
    const int rounds = bench_quick(b) ? 2 : 4;
    double last = 0.0, worst_momentum = 0.0, worst_angular = 0.0;
    char name[64];
    for (int k = 0; k < rounds; k++) {
        const int rate = 60 << k;
        const verify_spin_case c = {integrator, 4, rate, rate, 1e9, 1e-5};
        verify_spin r;
        if (verify_lattice_spin(&c, &r, error) != PL_OK) return false;
        worst_momentum = fmax(worst_momentum, r.momentum);
        worst_angular = fmax(worst_angular, r.angular);
        snprintf(name, sizeof name, "error_lattice_turn_%s_%d", integrator, rate);
        bench_compare(b, name, r.distance, "m", 0.0);
        snprintf(name, sizeof name, "order_lattice_turn_%s_%d", integrator, rate);
        if (k > 0) bench_compare(b, name, log2(last / r.distance), "", 2.0);
        last = r.distance;
    }
    add_lattice(b, "momentum_of_steps", integrator, worst_momentum, "");
    add_lattice(b, "angular_of_steps", integrator, worst_angular, "");
    return true;
}

static bool lattice(bench* b, pl_pool* pool, pl_error* error) {
    static const char* const integrators[] = {"euler", "bdf2"};
    static const int rates[] = {60, 240};
    char name[64];
    (void)pool;
    if (!lattice_beams(b, error)) return false;
    for (int k = 0; k < 2; k++) {
        if (!lattice_spin(b, integrators[k], error) || !lattice_turn(b, integrators[k], error))
            return false;
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

typedef struct returns {
    int count, recovered, minima, false_ends; // ends in other shapes: minima, and what is none
    double rise, softest;
} returns;

static bool add_return(const pl_material_kind law, int way, int n, returns* sum, pl_error* error) {
    pl_mesh* mesh;
    verify_return r;
    pl_linear linear = n % 2 ? PL_LINEAR_MGPCG : PL_LINEAR_DIRECT;
    if (recovery_mesh(n % 3, &mesh, error) != PL_OK) return false;
    if (verify_quasistatic_recovery(mesh, law, linear, (verify_spoilt)way, (uint64_t)(1 + n / 3),
                                    &r, error) != PL_OK)
        return false;
    bool is_other = r.converged && !(r.shape <= 1e-5);
    sum->count++;
    sum->recovered += r.shape <= 1e-5;
    sum->minima += is_other && r.is_minimum;
    sum->false_ends += is_other && !r.is_minimum;
    sum->rise = fmax(sum->rise, r.rise);
    if (is_other) sum->softest = fmin(sum->softest, r.softest);
    return true;
}

// the same by quasistatic frames: how many come back, how many end in another minimum of the
// energy, how many others count as converged, and the largest growth of the energy in a frame
static bool quasistatic_recovery(bench* b, pl_pool* pool, pl_error* error) {
    (void)pool;
    static const pl_material_kind laws[] = {PL_MATERIAL_STABLE_NEOHOOKEAN, PL_MATERIAL_COROTATED,
                                            PL_MATERIAL_ARAP, PL_MATERIAL_STVK};
    static const char* const ways[] = {"flat", "point", "random", "far"};
    int seeds = bench_quick(b) ? 3 : 10;
    double rise = 0.0, softest = 1.0;
    char name[96];
    for (int k = 0; k < 12; k++) {
        const char* law = pl_material_name(laws[k % 4]);
        returns sum = {.softest = 1.0};
        int way = 1 + k / 4;
        for (int n = 0; n < 3 * seeds; n++)
            if (!add_return(laws[k % 4], way, n, &sum, error)) return false;
        snprintf(name, sizeof name, "static_recovered_%s_%s", ways[way], law);
        bench_compare(b, name, (double)sum.recovered / sum.count, "", 1.0);
        snprintf(name, sizeof name, "static_other_minimum_%s_%s", ways[way], law);
        bench_compare(b, name, (double)sum.minima / sum.count, "", 0.0);
        snprintf(name, sizeof name, "static_falsely_converged_%s_%s", ways[way], law);
        bench_compare(b, name, (double)sum.false_ends / sum.count, "", 0.0);
        rise = fmax(rise, sum.rise);
        softest = fmin(softest, sum.softest);
    }
    bench_compare(b, "static_energy_rise", rise, "", 0.0);
    bench_compare(b, "static_other_minimum_softest", softest, "", 0.0);
    return true;
}

static const struct {
    const char* name;
    verify_function run;
} parts[] = {{"patch", patch},
             {"cantilever", cantilever},
             {"vibration", vibration},
             {"sphere", sphere},
             {"loads", loads},
             {"motion", motion},
             {"kept", kept},
             {"kept_by_midpoint", kept_by_midpoint},
             {"stiff_parts", stiff_parts},
             {"friction", friction},
             {"sliding", sliding},
             {"slope", slope},
             {"cloth", cloth},
             {"recovery", recovery},
             {"quasistatic_recovery", quasistatic_recovery},
             {"lattice", lattice}};
enum { PART_COUNT = sizeof parts / sizeof parts[0] };

bool bench_verify(bench* b) {
    pl_error error;
    pl_pool* pool;
    bool done = pl_pool_create(0, &pool, &error) == PL_OK, any = false;
    for (int k = 0; done && k < PART_COUNT; k++) {
        if (bench_part(b) && strcmp(bench_part(b), parts[k].name) != 0) continue;
        any = true;
        done = parts[k].run(b, pool, &error);
    }
    if (!done) fprintf(stderr, "pliant-bench verify: %s\n", error.text);
    pl_pool_destroy(pool);
    if (done && !any) {
        fprintf(stderr, "pliant-bench verify: it has no part \"%s\"; it has", bench_part(b));
        for (int k = 0; k < PART_COUNT; k++) fprintf(stderr, " %s", parts[k].name);
        fprintf(stderr, "\n");
    }
    return done && any;
}
