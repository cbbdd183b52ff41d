// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Backward Euler or BDF2 with damping (Zhu 2010, section 8), or equilibrium. With s = 1 + gamma / t
// and in the units of the lattice, where L is the operator of linear elasticity,
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
// Where we differ: BDF2. A face at the surface carries the outer half of its cell too, so that a
// body has the same mass along all axes. A step starts where the body would go on to, if nothing
// holds it and forces are not larger there. What is small is measured by the forces of the step,
// and not by the inertia of all the way from the place at rest. Springs and contacts: see
// grid_springs.c; the momentum of what nothing holds or touches: grid_momentum.c.
#include "grid/grid_step.h"
#include "grid/grid_dirichlet.h"
#include "grid/grid_momentum.h"
#include "grid/grid_reactions.h"

#include <math.h>
#include <string.h>

// kappa0
static double inertia(const pl_grid_body* b) {
    const double h = b->frame.cell, dt = b->implicit_time;
    return b->dynamic ? b->density * h * h / (b->mu * dt * dt) : 0.0;
}

// Faces carry the whole body, also the outer halves of cells at its surface.
static void add_weight(pl_grid_body* b, const pl_grid_acts* acts, double s) {
    const pl_grid_level* l = &b->lattice.levels[0];
    double h = b->frame.cell, density = b->density * h * h / (b->mu * s);
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i))
                b->applied[a][i] -= density * pl_grid_mass_of(&b->state, a, i) * acts->gravity[a];
}

// what does not depend on positions
static void set_applied(pl_grid_body* b, const pl_grid_acts* acts) {
    const pl_grid_level* l = &b->lattice.levels[0];
    double t = b->implicit_time, h = b->frame.cell, s = pl_grid_softening(b), k0 = inertia(b);
    double viscous = b->dynamic ? b->damping_stiffness / t : 0.0;
    size_t size = (size_t)l->field_size * sizeof(double);
    for (int a = 0; a < 3; a++) memset(b->applied[a], 0, size);
    pl_grid_spread(&b->map, acts->force, b->applied);
    double* const* L_y = b->state.f;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++) {
            double y = pl_grid_reference(b, a, i), v = b->velocity[a][i];
            if (b->uses_past) v = (4.0 * v - b->past_velocity[a][i]) / 3.0;
            double pushed = pl_grid_mass_of(&b->state, a, i) * (y + t * (v + b->damping_mass * y));
            b->applied[a][i] =
                (viscous * L_y[a][i] - k0 * pushed - b->applied[a][i] / (h * b->mu)) / s;
        }
    add_weight(b, acts, s);
}

// The norm of the forces of a step, inertia among them. What inertia has to do with how far the
// body has come from its place at rest is no force: with it a body far from there would never move
// again once it is slow.
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

// f = L u at the present positions of the state; and their rotations
static void apply_lattice(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    if (!b->general) {
        pl_grid_apply(l, &b->state, b->state.f);
        return;
    }
    pl_grid_corot_residual(&b->corot, &b->state, b->frame.cell, true);
    pl_grid_corot_forces(&b->corot, &b->state, b->frame.cell, false, b->state.f);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++) b->state.f[a][i] = -b->state.f[a][i];
}

// f = L y, which damping needs, and the rotations of the positions before
static void apply_before(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    const size_t size = (size_t)l->field_size * sizeof(double);
    const bool damps = b->dynamic && b->damping_stiffness > 0.0;
    for (int a = 0; a < 3; a++) memset(b->state.f[a], 0, size);
    b->corot.phase = PL_COROT_DOWNHILL;
    if (damps && b->uses_past) {
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < l->field_size; i++) b->state.u[a][i] = pl_grid_reference(b, a, i);
        apply_lattice(b);
        for (int a = 0; a < 3; a++) memcpy(b->state.u[a], b->before[a], size);
        if (b->general) memcpy(b->turn, b->turn_before, (size_t)l->field_size * sizeof(pl_quat));
    } else if (damps) {
        apply_lattice(b);
        return;
    }
    if (b->general) pl_grid_corot_residual(&b->corot, &b->state, b->frame.cell, true);
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

// A body that nothing holds goes on as all forces together move it, which are those of a step
// without reactions: it flies without a cycle. Where it touches something, see choose_start.
static void go_on(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    double sum[3] = {0.0}, mass[3] = {0.0};
    b->went_on = b->dynamic && b->held_count == 0;
    if (!b->went_on) return;
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++) {
            if (!pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i)) continue;
            double kappa = pl_grid_inertia_of(&b->state, a, i);
            sum[a] -= b->applied[a][i] + kappa * b->before[a][i];
            mass[a] += kappa;
        }
    for (int a = 0; a < 3; a++) b->way[a] = mass[a] > 0.0 ? sum[a] / mass[a] : 0.0;
    pl_grid_translate(b, b->way);
}

pl_status pl_grid_step_begin(pl_grid_body* b, const pl_grid_acts* acts, pl_error* error) {
    pl_status status = pl_grid_hold(b, acts, error);
    if (status != PL_OK) return status;
    const pl_grid_level* l = &b->lattice.levels[0];
    size_t size = (size_t)l->field_size * sizeof(double);
    b->uses_past = b->second_order && b->past_known > 0.0 && !b->is_careful;
    b->implicit_time = (b->uses_past ? 2.0 / 3.0 : 1.0) * acts->time_step;
    for (int a = 0; a < 3; a++) memcpy(b->before[a], b->state.u[a], size);
    if (b->general) memcpy(b->turn_before, b->turn, (size_t)l->field_size * sizeof(pl_quat));
    memcpy(b->pressure_before, b->state.p, size);
    b->in_step = true;
    b->corot.freezes_buckled = b->dynamic;
    b->corot.uncouples = b->rotates;
    b->cycle = 0;
    b->stiffened_count = 0;
    // without any lambda a pressure would have no equation: nearly none is as good
    b->state.compressibility = fmin(b->mu / b->lambda, 1e4);
    apply_before(b);
    if (b->general) pl_grid_corot_begin(&b->corot);
    else pl_grid_linear_begin(&b->linear);
    pl_grid_place_held(b, acts);
    set_applied(b, acts);
    b->state.inertia =
        inertia(b) * (1.0 + b->damping_mass * b->implicit_time) / pl_grid_softening(b);
    b->load = load_of(b);
    go_on(b);
    b->coefficients_fit =
        b->coefficients_fit && !b->general && !b->stiffened && b->inertia_set == b->state.inertia;
    if (!b->coefficients_fit) pl_grid_set_coefficients(b);
    return PL_OK;
}

// ------------------------------------------------------------------ end

void pl_grid_step_end(pl_grid_body* b, const pl_grid_acts* acts) {
    const pl_grid_level* l = &b->lattice.levels[0];
    pl_grid_reactor reacts = {b, acts, NULL};
    if (b->general) {
        if (pl_grid_has_reactions(b, acts))
            b->corot.react = pl_grid_react, b->corot.react_user = &reacts;
        pl_grid_corot_end(&b->corot, &b->state, b->frame.cell);
        b->corot.react = NULL;
    }
    // not before: the end may take back some of the last cycle
    pl_grid_keep_momentum(b, acts);
    pl_grid_tell_forces(b, acts);
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

// the sine of the turn of an interior cell, from the skew part of its gradient
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
