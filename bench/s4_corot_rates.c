// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The paper's rates are "typical of the animations shown, assuming 2 V-cycles per frame, and update
// of the quasilinearization every 5 V-cycles". So hands and feet are moved frame by frame to a
// large stretch (Fig. 24), and the rate is the median over all cycles of the residual after a cycle
// over that before it; the residual is that of Eq. 14, positions and pressures together. Linear:
// rotations and coefficients are frozen between two updates, and so is the residual. Nonlinear: the
// cells of the residual turn with the body, as they do in a scene; only coefficients wait. How far
// two cycles a frame stay behind is measured against equilibria.
//
// Beside these: all of the body pulled apart at once, mean of the first eight cycles, frozen at the
// start or updated in every cycle.
#include "s4_corot_rates.h"
#include "base/array.h"
#include "base/memory.h"
#include "grid/grid_corot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 40, CYCLES_A_FRAME = 2, UPDATE_EVERY = 5, ALL = FRAMES * CYCLES_A_FRAME };

typedef struct body {
    s4_lattice* lattice;
    pl_grid_corot c;
    pl_quat *turn, *kept_turn;
    double* kept[4]; // copies of positions and pressures
} body;

static void free_body(body* x) {
    int size = x->lattice->levels.levels[0].field_size;
    pl_grid_corot_free(&x->c);
    PL_FREE(x->turn, pl_quat, size), PL_FREE(x->kept_turn, pl_quat, size);
    for (int a = 0; a < 4; a++) PL_FREE(x->kept[a], double, size);
}

static pl_status make_body(s4_lattice* lattice, body* x, pl_error* error) {
    int size = lattice->levels.levels[0].field_size;
    *x = (body){.lattice = lattice};
    bool ok = (x->turn = PL_ALLOC(pl_quat, size)) && (x->kept_turn = PL_ALLOC(pl_quat, size));
    for (int a = 0; a < 4; a++) ok = ok && (x->kept[a] = PL_ALLOC(double, size));
    if (!ok) return pl_fail_memory(error, "rotations");
    return pl_grid_corot_create(&lattice->levels, NULL, true, x->turn, lattice->pool, &x->c, error);
}

// at rest; frozen: the paper's quasilinear problem
static void rest(body* x, bool frozen) {
    pl_grid_state* s = &x->lattice->state;
    int size = x->lattice->levels.levels[0].field_size;
    for (int i = 0; i < size; i++) x->turn[i] = (pl_quat){0.0, 0.0, 0.0, 1.0};
    for (int a = 0; a < 4; a++) memset(a < 3 ? s->u[a] : s->p, 0, (size_t)size * sizeof(double));
    x->c.problem = frozen ? PL_COROT_FROZEN : PL_COROT_TURNING;
}

static void update(body* x) {
    pl_grid_corot_update(&x->c, x->lattice->state.compressibility, x->lattice->state.inertia);
}
static double residual(body* x, bool turn_cells) {
    return pl_grid_corot_residual(&x->c, &x->lattice->state, 1.0,
                                  turn_cells ? PL_COROT_TURN_ALL : PL_COROT_TURN_NONE);
}
static double look(body* x) {
    return x->c.cycles.functions->look(&x->c.cycles, &x->lattice->state, 1.0);
}
static void advance(body* x, double before) {
    x->c.cycles.functions->advance(&x->c.cycles, &x->lattice->state, 1.0, before);
}

// ------------------------------------------------------------------ at once

// Cells pulled apart; the residual with all pressures substituted, which is harder on cycles, too.
static void sudden_row(bench* b, body* x, const char* name, bool frozen) {
    enum { CYCLES = 12, TYPICAL = 8 };
    double residuals[CYCLES + 1], forces[2];
    rest(x, frozen);
    s4_start_pulled(x->lattice, 10.0);
    memset(x->lattice->state.p, 0,
           (size_t)x->lattice->levels.levels[0].field_size * sizeof(double));
    x->c.phase = PL_COROT_DOWNHILL;
    forces[0] = residual(x, false);
    x->c.cycles.functions->begin(&x->c.cycles);
    residuals[0] = look(x);
    for (int k = 1; k <= CYCLES; k++) {
        if (k == 1 || !frozen) update(x);
        advance(x, residuals[k - 1]);
        residuals[k] = look(x);
    }
    bool kept = x->c.phase == PL_COROT_RECOMBINED;
    x->c.phase = PL_COROT_DOWNHILL;
    forces[1] = residual(x, !frozen);
    printf("%s: residuals", name);
    for (int k = 1; k <= CYCLES; k++) printf(" %.3f", residuals[k] / residuals[k - 1]);
    printf(" of the one before; %.3f in the last five; forces with pressures substituted %.3f in "
           "all%s\n",
           s4_rate(residuals, CYCLES - 5, CYCLES), pow(forces[1] / forces[0], 1.0 / CYCLES),
           kept ? "" : "; not all cycles with kept pressures");
    bench_result(b, name, s4_rate(residuals, 0, TYPICAL), "", NAN);
}

// ------------------------------------------------------------------ frame by frame

static void copy_state(body* x, bool back) {
    pl_grid_state* s = &x->lattice->state;
    size_t size = (size_t)x->lattice->levels.levels[0].field_size;
    for (int a = 0; a < 4; a++) {
        double* own = a < 3 ? s->u[a] : s->p;
        memcpy(back ? own : x->kept[a], back ? x->kept[a] : own, size * sizeof(double));
    }
    memcpy(back ? x->turn : x->kept_turn, back ? x->kept_turn : x->turn, size * sizeof(pl_quat));
}

// The residual before a frame's first cycle, at rotations that follow the held cells; cycles are
// better off with those from before.
static double turned_residual(body* x) {
    size_t bytes = (size_t)x->lattice->levels.levels[0].field_size * sizeof(pl_quat);
    memcpy(x->kept_turn, x->turn, bytes);
    double r = residual(x, true);
    memcpy(x->turn, x->kept_turn, bytes);
    return r;
}

// Prints how far the state is from the equilibrium of its frame [cells], and puts it back.
static void compare_with_equilibrium(body* x, int frame, double most_residual) {
    enum { MOST = 24 };
    const pl_grid_level* l = &x->lattice->levels.levels[0];
    double sum = 0.0, most = 0.0, now = INFINITY;
    int count = 0, cycles = 0;
    copy_state(x, false);
    const pl_corot_problem problem = x->c.problem;
    x->c.problem = PL_COROT_TURNING;
    residual(x, true);
    x->c.cycles.functions->begin(&x->c.cycles);
    for (; cycles < MOST && now > 1e-4 * most_residual; cycles++) {
        now = look(x);
        update(x);
        advance(x, now);
    }
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++) {
            if (!pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i)) continue;
            double d = x->lattice->state.u[a][i] - x->kept[a][i];
            sum += d * d, count++;
            most = fmax(most, fabs(d));
        }
    printf("  frame %d: %.3f cells from equilibrium (root of the mean square), %.2f at most; the "
           "held cells have moved by up to %.1f (%d cycles to %.0e of the largest residual)\n",
           frame, sqrt(sum / count), most, s4_largest_motion(x->lattice), cycles,
           now / most_residual);
    copy_state(x, true);
    x->c.problem = problem;
}

typedef struct course {
    double rates[ALL];
    double most;  // residual of a frame before its cycles
    double worst; // at the end of a frame
    int downhill; // cycles that went downhill
} course;

static void run_frame(body* x, int frame, bool frozen, course* out) {
    int cycle = frame * CYCLES_A_FRAME;
    // rotations of the frame before, or of the last update: those are kept by the first cycle
    x->c.phase = PL_COROT_RECOMBINED;
    if (!frozen || cycle % UPDATE_EVERY == 0) residual(x, true);
    double t = (frame + 1.0) / FRAMES;
    s4_move_limbs(x->lattice, 0.5 - 0.5 * cos(PL_PI * t));
    double before = frozen ? 0.0 : turned_residual(x);
    x->c.cycles.functions->begin(&x->c.cycles);
    for (int k = 0; k < CYCLES_A_FRAME; k++, cycle++) {
        bool due = cycle % UPDATE_EVERY == 0;
        if (frozen && due && k > 0) residual(x, true);
        double now = look(x);
        if (k > 0 || frozen) before = now;
        if (k == 0) out->most = fmax(out->most, before);
        if (due) update(x);
        advance(x, now);
        out->downhill += x->c.phase == PL_COROT_DOWNHILL;
        double after = residual(x, !frozen);
        out->rates[cycle] = after / before;
        if (k == CYCLES_A_FRAME - 1) out->worst = fmax(out->worst, after);
    }
    x->c.cycles.functions->end(&x->c.cycles, &x->lattice->state, 1.0);
}

// of every step-th value from the first one on; sorts a copy
static double part_of_sorted(const double* values, int first, int step, double part) {
    double sorted[ALL];
    int count = 0;
    for (int k = first; k < ALL; k += step) sorted[count++] = values[k];
    qsort(sorted, (size_t)count, sizeof(double), pl_compare_doubles);
    double at = part * (count - 1);
    int low = (int)at, high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

static void animated_row(bench* b, body* x, const char* name, bool frozen, double paper) {
    course c = {0};
    double product = 0.0;
    rest(x, frozen);
    for (int frame = 0; frame < FRAMES; frame++) {
        run_frame(x, frame, frozen, &c);
        bool shown = frame == FRAMES / 2 - 1 || frame == FRAMES - 1;
        if (shown && !frozen) compare_with_equilibrium(x, frame + 1, c.most);
    }
    for (int k = 0; k < ALL; k++) product += log(c.rates[k]);
    printf(
        "%s: %d frames of %d cycles, update every %d; rates %.3f to %.3f, middle half %.3f to "
        "%.3f, geometric mean %.3f; median of first cycles %.3f, of second ones %.3f; at the end "
        "of a frame at most %.3f of the largest residual; %d cycles went downhill\n",
        name, FRAMES, CYCLES_A_FRAME, UPDATE_EVERY, part_of_sorted(c.rates, 0, 1, 0.0),
        part_of_sorted(c.rates, 0, 1, 1.0), part_of_sorted(c.rates, 0, 1, 0.25),
        part_of_sorted(c.rates, 0, 1, 0.75), exp(product / ALL),
        part_of_sorted(c.rates, 0, CYCLES_A_FRAME, 0.5),
        part_of_sorted(c.rates, 1, CYCLES_A_FRAME, 0.5), c.worst / c.most, c.downhill);
    bench_result(b, name, part_of_sorted(c.rates, 0, 1, 0.5), "", paper);
}

bool s4_corot_rates(bench* b, s4_lattice* lattice) {
    pl_error error = {0};
    body x = {0};
    pl_status status = make_body(lattice, &x, &error);
    if (status != PL_OK) printf("armadillo_corot: %s\n", error.text);
    if (status == PL_OK) {
        sudden_row(b, &x, "armadillo_corot_linear_sudden", true);
        sudden_row(b, &x, "armadillo_corot_nonlinear_sudden", false);
        if (bench_quick(b)) {
            printf("armadillo_corot_linear, armadillo_corot_nonlinear: not in quick runs\n");
        } else {
            animated_row(b, &x, "armadillo_corot_linear", true, 0.38);
            animated_row(b, &x, "armadillo_corot_nonlinear", false, 0.43);
        }
    }
    free_body(&x);
    return status == PL_OK;
}
