// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step whose result is not finite, or whose attachments move vertices through a surface, is
// retried as two, four, then eight smaller steps.
#include "base/timer.h"
#include "step/step_assembled.h"
#include "step/step_integrator.h"
#include "step/step_newton.h"
#include "step/step_projective.h"
#include "step/step_search.h"
#include "step/step_system.h"

#include <math.h>
#include <string.h>

enum { MAX_RETRIES = 3 };
static const double COLLAPSED = 1e-12; // relative to the size of the rest shape

static void copy_state(const pl_step_system* s, double* const* from, double* const* to) {
    for (int k = 0; k < PL_STATE_VECTORS; k++) pl_step_copy(s, from[k], to[k]);
}

static void save_state(pl_step_system* s) {
    copy_state(s, s->state, s->saved);
    if (s->midpoint) pl_midpoint_state_save(s->midpoint, s->midpoint_saved);
}

static void restore_state(pl_step_system* s) {
    copy_state(s, s->saved, s->state);
    if (s->midpoint) pl_midpoint_state_load(s->midpoint, s->midpoint_saved);
}

// False if the midpoint rule created more energy than can be removed.
static bool balance_midpoint(pl_step_system* s, const pl_step_objective* f) {
    if (!s->midpoint) return true;
    return pl_midpoint_balance(s->midpoint, f, s->start, s->state[PL_STATE_POSITIONS],
                               s->state[PL_STATE_VELOCITIES], s->minimiser.scratch);
}

// Switches a system that multigrid cannot solve to the direct solver.
static pl_status check_projective(pl_step_system* s, pl_step_objective* f, pl_method_info* info,
                                  pl_error* error) {
    const pl_projective_solver* solver = &s->projective;
    if (!(f->inertia > 0.0) || !s->settings.multigrid.fallback) return PL_OK;
    pl_status status =
        solver->functions->check(solver->data, f, &s->minimiser, &s->projective_fails, error);
    if (status != PL_OK || !s->projective_fails) return status;
    info->switch_count++;
    if (s->direct.data) return PL_OK;
    pl_solver_input input = pl_step_solver_input(s, s->state[PL_STATE_POSITIONS]);
    return pl_assembled_projective(&input, PL_LINEAR_DIRECT, &s->direct, error);
}

// The forces of pins and obstacles, from the state at the end of a step. The midpoint rule balances
// forces in the middle of the step.
static pl_status solver_reactions(pl_step_system* s, const pl_method_step* step,
                                  const pl_step_objective* f, pl_error* error) {
    const double* x = s->state[PL_STATE_POSITIONS];
    double* middle = s->minimiser.trial;
    if (!step->pin_forces && !step->obstacle_forces && !step->contacts) return PL_OK;
    bool is_midpoint = s->settings.integrator == PL_INTEGRATOR_MIDPOINT;
    for (int i = 0; is_midpoint && i < 3 * s->vertex_count; i++)
        middle[i] = 0.5 * (f->start[i] + x[i]);
    return pl_step_reactions_find(&s->reactions, f, is_midpoint ? middle : x, s->minimiser.scratch,
                                  step, error);
}

// Lets the solver of Projective Dynamics do the whole step. If it does not, the caller minimises in
// double, from m->x if *has_start.
static pl_status advance_at_once(pl_step_system* s, const pl_method_step* step, bool* done,
                                 bool* has_start, pl_method_info* info, pl_error* error) {
    *done = *has_start = false;
    pl_step_objective f;
    pl_step_objective_begin(s, step, &f);
    bool bdf2 = pl_step_is_bdf2(s, s->history > 0);
    double tau = pl_step_times(s, step->time_step, s->history > 0, &f);
    pl_status status = pl_step_place_pins(s, step, 0.0, 1.0, error);
    if (status != PL_OK) return status;
    f.pins = s->pins.data;
    f.pin_count = step->pin_count;
    status = pl_step_hold(s, &f, error);
    if (status == PL_OK) status = check_projective(s, &f, info, error);
    if (status != PL_OK || s->projective_fails) return status;
    const pl_projective_functions* projective = s->projective.functions;
    if (s->minimiser.relax.data || !projective->can_step(s->projective.data, &f)) return PL_OK;
    f.start = s->state[PL_STATE_POSITIONS];
    if (s->settings.damping_stiffness > 0.0) {
        pl_step_inertia(s, tau, bdf2);
        pl_step_update_damping(s);
    }
    for (int k = 0; step->pin_forces && k < f.pin_count; k++) // for their reactions
        pl_step_inertia_of(s, tau, bdf2, f.pins[k].vertex);
    if (s->midpoint) save_state(s);
    if (s->midpoint || step->obstacle_forces || step->contacts) {
        pl_step_copy(s, s->state[PL_STATE_POSITIONS], s->start);
        f.start = s->start;
    }
    pl_projective_motion motion = {.positions = s->state[PL_STATE_POSITIONS],
                                   .velocities = s->state[PL_STATE_VELOCITIES],
                                   .positions_before = s->state[PL_STATE_POSITIONS_BEFORE],
                                   .velocities_before = s->state[PL_STATE_VELOCITIES_BEFORE],
                                   .step = tau,
                                   .rigid_start = s->rigid_start,
                                   .bdf2 = bdf2,
                                   .midpoint = s->settings.integrator == PL_INTEGRATOR_MIDPOINT,
                                   .keeps_before = s->settings.integrator == PL_INTEGRATOR_BDF2};
    status = projective->step(s->projective.data, &s->minimiser, &f, &motion, &s->settings,
                              step->detect, step->detect_user, info, done, error);
    if (status == PL_ERROR_DIVERGED) { // smaller steps may succeed
        *done = false;
        return PL_OK;
    }
    if (status == PL_OK && *done && !balance_midpoint(s, &f)) {
        restore_state(s);
        *done = false;
        return PL_OK;
    }
    if (status == PL_OK && *done) status = solver_reactions(s, step, &f, error);
    if (status == PL_OK && *done) s->history = 1;
    *has_start = status == PL_OK && !*done;
    return status;
}

static pl_status find_contact_energy(pl_step_system* s, pl_error* error) {
    if (!s->meeting) return PL_OK;
    s->contact_energy = pl_step_meeting_energy(s->meeting, s->minimiser.x);
    return s->meeting_term.check(s->meeting_term.user, error);
}

// True if vertices that attachments move to their targets at the end of the step pass through a
// surface while all others stay. In smaller steps the others have time to give way.
static bool drags_through(pl_step_system* s, const pl_step_objective* f) {
    const pl_minimiser* m = &s->minimiser;
    const size_t size = 3 * (size_t)s->vertex_count * sizeof(double);
    if (!s->meeting || memcmp(s->start, m->x, size) == 0) return false;
    pl_step_free_parts(f, s->start, m->x, m->search.piece_count, m->search.parts);
    for (int k = 0; k < m->search.piece_count; k++)
        if (m->search.parts[k] < 1.0) return true;
    return false;
}

// from `begin` to `end` of the step, both fractions in [0, 1]
static pl_status advance(pl_step_system* s, const pl_method_step* step, double begin, double end,
                         bool has_start, pl_method_info* info, pl_error* error) {
    double h = (end - begin) * step->time_step;
    pl_status status = pl_step_place_pins(s, step, begin, end, error);
    if (status != PL_OK) return status;
    pl_step_copy(s, s->state[PL_STATE_POSITIONS], s->start);
    pl_step_update_damping(s);
    pl_step_objective f;
    pl_step_objective_begin(s, step, &f);
    bool use_history = s->history > 0 && end - begin == 1.0;
    pl_step_inertia(s, pl_step_times(s, h, use_history, &f), pl_step_is_bdf2(s, use_history));
    f.pins = s->pins.data;
    f.pin_count = step->pin_count;
    s->minimiser.value = NAN;
    s->minimiser.gradient_known = false;
    status = pl_step_hold(s, &f, error);
    if (status != PL_OK) return status;
    if (!has_start) pl_step_copy(s, s->state[PL_STATE_POSITIONS], s->minimiser.x);
    pl_step_holds_place(&s->holds, f.pins, f.pin_count, s->minimiser.x);
    f.placed = s->minimiser.x;
    f.first_projected = s->minimiser.newton.sees_indefinite ? 0.0 : 1.0;
    status = pl_step_begin_terms(&f, error);
    if (status != PL_OK) return status;
    bool is_smallest = (end - begin) * (1 << MAX_RETRIES) < 1.5;
    if (!is_smallest && drags_through(s, &f))
        return pl_fail(error, PL_ERROR_DIVERGED, "attachments move vertices through a surface");
    s->minimiser.pieces = s->minimiser.apart;
    pl_search_join(&s->minimiser, &f);
    if (!has_start) pl_step_choose_start(s, &f);
    status = s->settings.nonlinear == PL_NONLINEAR_PROJECTIVE
                 ? pl_projective_minimise(s->projective_fails ? &s->direct : &s->projective,
                                          &s->minimiser, &f, &s->settings, step->detect,
                                          step->detect_user, has_start, info, error)
                 : pl_minimise(&s->minimiser, &f, &s->settings, step->detect, step->detect_user,
                               info, error);
    if (s->meeting) info->contact_count += (int)s->meeting->active.count;
    if (status == PL_OK) status = find_contact_energy(s, error);
    if (status == PL_OK)
        status = pl_step_reactions_find(&s->reactions, &f, s->minimiser.x, s->minimiser.scratch,
                                        step, error);
    if (status == PL_OK && s->meeting && step->contacts &&
        !pl_step_meeting_tell(s->meeting, s->minimiser.x, step->contacts))
        status = pl_fail_memory(error, "contacts");
    if (status != PL_OK) return status;
    if (!pl_step_commit(s, &f, s->minimiser.x))
        return pl_fail(error, PL_ERROR_DIVERGED, "the step ended in positions that are not finite");
    if (balance_midpoint(s, &f)) return PL_OK;
    if (!pl_midpoint_is_finite(s->midpoint)) return pl_fail_inverted(info, error);
    return is_smallest ? PL_OK : pl_fail(error, PL_ERROR_DIVERGED, "the step created energy");
}

// Elements whose corners coincide exert no force and would stay collapsed for ever. In quasistatics
// such a state is not a solution.
static pl_status look_for_collapse(pl_step_system* s, pl_method_info* info, pl_error* error) {
    for (int k = 0; k < s->set_count; k++)
        info->collapsed_count += pl_element_set_collapsed(
            &s->sets[k], s->pool, s->state[PL_STATE_POSITIONS], COLLAPSED * s->size);
    if (info->collapsed_count) info->converged = false;
    if (!info->collapsed_count || s->settings.integrator != PL_INTEGRATOR_QUASISTATIC) return PL_OK;
    restore_state(s);
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "%d elements are collapsed to a point, where they exert no force; move their "
                   "vertices apart, a thousandth of the size is enough",
                   info->collapsed_count);
}

pl_status pl_step_system_check(pl_step_system* s, const pl_method_step* step, int* rigid_mode_count,
                               pl_error* error) {
    *rigid_mode_count = 0;
    // contacts may hold bodies without pins
    if (s->settings.integrator != PL_INTEGRATOR_QUASISTATIC || step->detect) return PL_OK;
    return pl_free_bodies_check(&s->free_bodies, step->force, step->pins, step->pin_count,
                                rigid_mode_count, error);
}

pl_status pl_step_system_step(pl_step_system* s, const pl_method_step* step, pl_method_info* info,
                              pl_error* error) {
    *info = (pl_method_info){0};
    double start = pl_seconds();
    s->minimiser.deadline = step->deadline;
    if (!(step->time_step > 0.0) || !isfinite(step->time_step))
        return pl_fail(error, PL_ERROR_ARGUMENT, "the time step is %g; it must be above 0",
                       step->time_step);
    int rigid_mode_count = 0;
    pl_status status = pl_step_system_check(s, step, &rigid_mode_count, error);
    info->rigid_mode_count = rigid_mode_count;
    if (status != PL_OK) return status;
    bool done = false, has_start = false;
    status = pl_step_meet(s, step->surfaces, error);
    if (status != PL_OK) return status;
    status =
        pl_step_pressure_begin(&s->pressure, step->pressures, step->pressure_count, s->vertex_count,
                               s->state[PL_STATE_POSITIONS], step->force, error);
    if (status == PL_OK && s->projective.data && s->projective.functions->step)
        status = advance_at_once(s, step, &done, &has_start, info, error);
    if (done || status != PL_OK) {
        info->seconds = pl_seconds() - start;
        return status;
    }
    save_state(s);
    status = PL_ERROR_DIVERGED;
    for (int retry = 0; status == PL_ERROR_DIVERGED && retry <= MAX_RETRIES; retry++) {
        int parts = 1 << retry;
        info->retries = retry;
        status = PL_OK;
        for (int k = 0; status == PL_OK && k < parts; k++)
            status = advance(s, step, (double)k / parts, (double)(k + 1) / parts,
                             has_start && retry == 0, info, error);
        if (status != PL_OK) restore_state(s);
        else s->history = parts == 1 ? 1 : 0;
    }
    if (rigid_mode_count > info->rigid_mode_count) info->rigid_mode_count = rigid_mode_count;
    if (status == PL_OK && !info->converged) {
        info->has_worst_vertex = true;
        info->worst_vertex = pl_search_worst_vertex(&s->minimiser);
    }
    if (status == PL_OK) status = look_for_collapse(s, info, error);
    info->seconds = pl_seconds() - start;
    return status;
}
