// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Backward Euler or BDF2 with damping (Zhu 2010, section 8), or equilibrium. In lattice units, with
// s = 1 + gamma / t and L the operator of linear elasticity:
//
//   L u - kappa u = (-kappa0 (y + t w + alpha t y) - applied + (gamma / t) L y) / s
//
//   Euler   t = dt, y = u_n, w = v_n
//   BDF2    t = 2 dt / 3, y = (4 u_n - u_n-1) / 3, w = (4 v_n - v_n-1) / 3; Euler the first time
//
// and the new velocity is (u - y) / t.
//
//   paper   here
//   gamma   damping_stiffness; alpha, damping_mass, is ours
//   c       kappa = kappa0 (1 + alpha t) / s, kappa0 = density h^2 / (mu t^2)
//
// Differs from the paper: BDF2. A face at the surface also carries the outer half of its cell, so a
// body has the same mass along all axes. If a body is not held and forces are not larger there, a
// step starts at the positions of free flight. The tolerance is relative to the forces of the step,
// without the inertia of the displacement from rest. Springs and contacts: see grid_springs.c.
// Momentum of free pieces: grid_momentum.c.
#include "grid/grid_step.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// kappa0
static double inertia(const pl_grid_body* b) {
    const double h = b->frame.cell, dt = b->implicit_time;
    return b->dynamic ? b->density * h * h / (b->mu * dt * dt) : 0.0;
}

// Faces carry the whole mass, including the outer halves of cells at the surface.
static void add_weight(pl_grid_body* b, const pl_grid_loads* loads, double s) {
    const pl_grid_level* l = &b->lattice.levels[0];
    double h = b->frame.cell, density = b->density * h * h / (b->mu * s);
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i))
                b->applied[a][i] -= density * pl_grid_mass_of(&b->state, a, i) * loads->gravity[a];
}

// terms that do not depend on positions
static void set_applied(pl_grid_body* b, const pl_grid_loads* loads) {
    const pl_grid_level* l = &b->lattice.levels[0];
    double t = b->implicit_time, h = b->frame.cell, s = pl_grid_softening(b), k0 = inertia(b);
    double viscous = b->dynamic ? b->damping_stiffness / t : 0.0;
    size_t size = (size_t)l->field_size * sizeof(double);
    for (int a = 0; a < 3; a++) memset(b->applied[a], 0, size);
    pl_grid_spread(&b->map, loads->force, b->applied);
    double* const* L_y = b->state.f;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++) {
            double y = pl_grid_reference(b, a, i), v = b->velocity[a][i];
            if (b->uses_past) v = (4.0 * v - b->past_velocity[a][i]) / 3.0;
            double pushed = pl_grid_mass_of(&b->state, a, i) * (y + t * (v + b->damping_mass * y));
            b->applied[a][i] =
                (viscous * L_y[a][i] - k0 * pushed - b->applied[a][i] / (h * b->mu)) / s;
        }
    add_weight(b, loads, s);
}

// Norm of the forces of a step, including inertia but not its part from the displacement since
// rest. With that part, a slow body far from its rest position would never move again.
static double load_of(const pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    double sum = 0.0;
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++) {
            if (!pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i)) continue;
            double force = b->applied[a][i] + pl_grid_inertia_of(&b->state, a, i) * b->before[a][i];
            sum += force * force;
        }
    return sqrt(sum);
}

// f = L y for damping, and the rotations of the previous positions
static void apply_before(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    const pl_grid_cycle_functions* cycles = b->cycles->functions;
    const size_t size = (size_t)l->field_size * sizeof(double);
    const bool damps = b->dynamic && b->damping_stiffness > 0.0, looks_back = damps && b->uses_past;
    for (int a = 0; a < 3; a++) memset(b->state.f[a], 0, size);
    if (looks_back) {
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < l->field_size; i++) b->state.u[a][i] = pl_grid_reference(b, a, i);
        cycles->apply(b->cycles, &b->state, b->frame.cell, b->state.f);
        for (int a = 0; a < 3; a++) memcpy(b->state.u[a], b->before[a], size);
        if (b->turn) memcpy(b->turn, b->turn_before, (size_t)l->field_size * sizeof(pl_quat));
    }
    cycles->apply(b->cycles, &b->state, b->frame.cell, damps && !looks_back ? b->state.f : NULL);
}

void pl_grid_translate(pl_grid_body* b, const double way[3]) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int k = 0; k < l->segment_count; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int a = 0; a < 3; a++)
            for (int i = g->begin; i < g->begin + g->count * PL_GRID_CHUNK; i++)
                b->state.u[a][i] += way[a];
    }
}

// Moves a body that nothing holds by the total force, without springs or contacts: free flight
// needs no cycle. For bodies in contact, see choose_start.
static void move_ahead(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    double sum[3] = {0.0}, mass[3] = {0.0};
    b->moved_ahead = b->dynamic && b->held_count == 0;
    for (int a = 0; a < 3; a++) b->free_flight[a] = 0.0;
    if (!b->moved_ahead) return;
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++) {
            if (!pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i)) continue;
            double kappa = pl_grid_inertia_of(&b->state, a, i);
            sum[a] -= b->applied[a][i] + kappa * b->before[a][i];
            mass[a] += kappa;
        }
    for (int a = 0; a < 3; a++) b->free_flight[a] = mass[a] > 0.0 ? sum[a] / mass[a] : 0.0;
    pl_grid_translate(b, b->free_flight);
}

// ------------------------------------------------------------------ steps that are repeated

static pl_status make_guess_room(pl_grid_body* b, pl_error* error) {
    const int size = b->lattice.levels[0].field_size;
    bool ok = true;
    for (int a = 0; a < 3; a++) {
        if (!b->guess[a]) b->guess[a] = PL_ALLOC(double, size);
        ok = ok && b->guess[a];
    }
    if (!b->guess_pressure) b->guess_pressure = PL_ALLOC(double, size);
    if (!b->guess_turn && b->uses_corot) b->guess_turn = PL_ALLOC(pl_quat, size);
    ok = ok && b->guess_pressure && (b->guess_turn || !b->uses_corot);
    return ok ? PL_OK : pl_fail_memory(error, "a body in a lattice");
}

static void keep_guess(pl_grid_body* b) {
    const size_t size = (size_t)b->lattice.levels[0].field_size;
    for (int a = 0; a < 3; a++) memcpy(b->guess[a], b->state.u[a], size * sizeof(double));
    memcpy(b->guess_pressure, b->state.p, size * sizeof(double));
    if (b->uses_corot) memcpy(b->guess_turn, b->turn, size * sizeof(pl_quat));
    memcpy(b->guess_flight, b->free_flight, sizeof b->guess_flight);
    b->guess_load = b->load;
    b->has_guess = true;
}

// A repeated step starts at the end of its last run, moved by the effect of the changed forces on
// the free flight. Cells that buckle keep the rotation that they had there.
static void start_from_guess(pl_grid_body* b) {
    const size_t size = (size_t)b->lattice.levels[0].field_size;
    double more[3];
    for (int a = 0; a < 3; a++) more[a] = b->free_flight[a] - b->guess_flight[a];
    for (int a = 0; a < 3; a++) memcpy(b->state.u[a], b->guess[a], size * sizeof(double));
    memcpy(b->state.p, b->guess_pressure, size * sizeof(double));
    if (b->uses_corot) memcpy(b->turn, b->guess_turn, size * sizeof(pl_quat));
    if (b->corot.freezes_buckled) b->corot.progress.turn = PL_COROT_TURN_STEADY;
    if (b->moved_ahead) pl_grid_translate(b, more);
    b->moved_ahead = false;
    // tolerances stay those of the first run
    b->load = fmax(b->load, b->guess_load);
}

pl_status pl_grid_step_begin(pl_grid_body* b, const pl_grid_loads* loads, pl_error* error) {
    pl_status status = pl_grid_update_dirichlet(b, loads, error);
    if (status == PL_OK && loads->may_repeat) status = make_guess_room(b, error);
    if (status != PL_OK) return status;
    const pl_grid_level* l = &b->lattice.levels[0];
    size_t size = (size_t)l->field_size * sizeof(double);
    b->uses_past = b->second_order && b->past_known > 0.0 && !b->forces_euler;
    b->implicit_time = (b->uses_past ? 2.0 / 3.0 : 1.0) * loads->time_step;
    for (int a = 0; a < 3; a++) memcpy(b->before[a], b->state.u[a], size);
    if (b->uses_corot) memcpy(b->turn_before, b->turn, (size_t)l->field_size * sizeof(pl_quat));
    memcpy(b->pressure_before, b->state.p, size);
    b->in_step = true;
    b->cycle = 0;
    b->stiffened_count = 0;
    // lambda = 0 would leave the pressure undefined; a tiny value is as good
    b->state.compressibility = fmin(b->mu / b->lambda, 1e4);
    apply_before(b);
    b->cycles->functions->begin(b->cycles);
    pl_grid_move_dirichlet(b, loads);
    set_applied(b, loads);
    b->state.inertia =
        inertia(b) * (1.0 + b->damping_mass * b->implicit_time) / pl_grid_softening(b);
    b->load = load_of(b);
    move_ahead(b);
    if (loads->is_repeated && b->has_guess) start_from_guess(b);
    b->has_guess = false;
    b->coefficients_fit = b->coefficients_fit && !b->cycles->functions->turns && !b->stiffened &&
                          b->inertia_set == b->state.inertia;
    if (!b->coefficients_fit) pl_grid_set_coefficients(b);
    return PL_OK;
}

// ------------------------------------------------------------------ cycles

static double residual_of_start(pl_grid_body* b, const pl_grid_loads* loads) {
    pl_grid_update_springs(&(pl_grid_spring_context){b, loads, NULL});
    return b->cycles->functions->residual(b->cycles, &b->state, b->frame.cell);
}

// A body with springs or contacts starts its step at the positions with smaller forces: those of
// free flight, or the old ones.
static void choose_start(pl_grid_body* b, const pl_grid_loads* loads) {
    size_t bytes = (size_t)b->lattice.levels[0].field_size * sizeof(double);
    if (!b->moved_ahead || !pl_grid_has_springs(b, loads)) return;
    double ahead = residual_of_start(b, loads);
    for (int a = 0; a < 3; a++) memcpy(b->state.u[a], b->before[a], bytes);
    if (ahead < residual_of_start(b, loads)) pl_grid_translate(b, b->free_flight);
}

// The step diverges if the residual exceeds the load by this factor. Mixed cycles may pass through
// large residuals.
static const double MAX_GROWTH = 1e8;

// ------------------------------------------------------------------ one cycle

static double min_load(const pl_grid_body* b) {
    return b->cycles->functions->min_strain * b->frame.cell *
           sqrt((double)b->lattice.levels[0].face_count);
}

static void set_springs(pl_grid_body* b, pl_grid_spring_context* context) {
    b->cycles->update_springs = context ? pl_grid_update_springs : NULL;
    b->cycles->springs_user = context;
}

// One cycle. Rotations and coefficients belong to the current positions, or to those of up to
// update_every cycles ago.
static double run_cycle(pl_grid_body* b, const pl_grid_loads* loads) {
    const pl_grid_cycle_functions* cycles = b->cycles->functions;
    const double residual = cycles->look(b->cycles, &b->state, b->frame.cell);
    // Only the first residual counts as load: on the way to equilibrium forces may grow for a
    // while, and a diverging cycle must not raise the load and with it the tolerance.
    if (b->cycle == 0) b->load = fmax(b->load, fmax(residual, min_load(b)));
    const double relative = b->load > 0.0 ? residual / b->load : 0.0;
    if (residual <= b->tolerance * b->load || !isfinite(residual)) return relative;
    if (relative > MAX_GROWTH) return INFINITY;
    if (pl_grid_update_spring_coefficients(b)) pl_grid_set_right_side(b, loads);
    if (!b->coefficients_fit || (cycles->turns && b->cycle % b->update_every == 0))
        cycles->update(b->cycles, b->state.compressibility, b->state.inertia);
    b->coefficients_fit = true;
    b->cycle++;
    cycles->advance(b->cycles, &b->state, b->frame.cell, residual);
    return relative;
}

double pl_grid_step_cycle(pl_grid_body* b, const pl_grid_loads* loads, const double* positions) {
    if (b->cycle == 0) choose_start(b, loads);
    pl_grid_spring_context context = {b, loads, b->cycle > 0 ? positions : NULL};
    if (pl_grid_has_springs(b, loads)) set_springs(b, &context);
    else pl_grid_find_spring_forces(b, loads, NULL), pl_grid_set_right_side(b, loads);
    const double relative = run_cycle(b, loads);
    set_springs(b, NULL);
    return relative;
}

// ------------------------------------------------------------------ end

void pl_grid_step_end(pl_grid_body* b, const pl_grid_loads* loads) {
    const pl_grid_level* l = &b->lattice.levels[0];
    pl_grid_spring_context reacts = {b, loads, NULL};
    if (b->cycles->functions->end) {
        if (pl_grid_has_springs(b, loads)) set_springs(b, &reacts);
        b->cycles->functions->end(b->cycles, &b->state, b->frame.cell);
        set_springs(b, NULL);
    }
    // not earlier: the end may undo part of the last cycle
    pl_grid_keep_momentum(b, loads);
    pl_grid_add_reactions(b, loads);
    if (loads->may_repeat) keep_guess(b);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++) {
            const double v = (b->state.u[a][i] - pl_grid_reference(b, a, i)) / b->implicit_time;
            if (b->second_order) {
                b->past[a][i] = b->before[a][i];
                b->past_velocity[a][i] = b->velocity[a][i];
            }
            b->velocity[a][i] = v;
        }
    b->past_known = 1.0;
}

// sine of the rotation of an interior cell, from the skew part of its gradient
static double turn_of_cell(const pl_grid_body* b, const pl_grid_segment* g, int i) {
    double* const* u = b->state.u;
    double square = 0.0;
    for (int n = 0; n < 3; n++) {
        const int p = (n + 1) % 3, q = (n + 2) % 3;
        const double qp = u[q][pl_grid_above(g, p, i)] - u[q][pl_grid_below(g, p, i)];
        const double pq = u[p][pl_grid_above(g, q, i)] - u[p][pl_grid_below(g, q, i)];
        square += pow(0.25 * (qp - pq) / b->frame.cell, 2.0);
    }
    return sqrt(square);
}

bool pl_grid_has_turned(const pl_grid_body* b) {
    static const double FAR = 0.34; // the sine of 20 degrees
    const pl_grid_level* l = &b->lattice.levels[0];
    int count = 0;
    for (int s = 0; !b->rotates && s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            if (pl_grid_bit(l->masks[(g->begin + i) / PL_GRID_CHUNK].interior, g->begin + i))
                count += turn_of_cell(b, g, i) > FAR;
    }
    return count > l->cell_count / 20;
}
