// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The line search needs no values of the energy: if the mean of the slopes at both ends of a step
// is positive, the energy has risen. The step is then shortened to where a linear slope would
// vanish.
#include "step/step_projective_loop.h"
#include "base/tuned.h"

#include <math.h>

enum { MAX_SHORTENINGS = 8 };
// relative to the length before
static const double SHORTEST = 0.1, LONGEST = 0.5;
// relative residual below which improvements cannot be seen
static const double SMALLEST_AIM = 1e-7;

double pl_projective_aim(double tolerance) {
    return fmax(pl_tuned.projective_aim * tolerance, fmin(tolerance, SMALLEST_AIM));
}

pl_status pl_projective_add_contacts(pl_quasi_newton* q, const pl_step_objective* f,
                                     const double* x, const int* number, pl_error* error) {
    static const int upper[6] = {0, 1, 2, 4, 5, 8};
    pl_quasi_contact* last = NULL;
    q->contacts.count = 0;
    for (int k = 0; k < f->contact_count; k++) {
        int v = f->contacts[k].vertex, at = number ? number[v] : v;
        if (f->fixed[v]) continue;
        if (!last || last->vertex != at) { // contacts of one vertex follow one another
            last = pl_array_add(&q->contacts, 1);
            if (!last) return pl_fail_memory(error, "contacts");
            *last = (pl_quasi_contact){.vertex = at};
        }
        double block[9];
        pl_vec3 g = pl_step_contact_both(f, k, x, 1.0, block);
        for (int i = 0; i < 3; i++) last->gradient[i] += (float)(&g.x)[i];
        for (int i = 0; i < 6; i++) last->hessian[i] += (float)block[upper[i]];
    }
    return PL_OK;
}

// Shortens a step along which the energy rose. slope: at its start. *length: of the step.
static pl_status shorten(const pl_projective_loop* loop, int iteration, double slope,
                         double* length, pl_error* error) {
    if (!loop->settings->line_search) return PL_OK;
    for (int k = 0; k < MAX_SHORTENINGS; k++) {
        double end = pl_quasi_newton_slope(loop->quasi);
        if (end <= -slope || !isfinite(end)) break;
        double shorter = *length * fmin(fmax(slope / (slope - end), SHORTEST), LONGEST);
        loop->advance(loop->user, shorter - *length);
        *length = shorter;
        pl_status status = loop->evaluate(loop->user, iteration, error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

// If the direction does not descend, the pairs belong to another function.
static pl_status find_descent(const pl_projective_loop* loop, double* slope, pl_error* error) {
    pl_quasi_newton* q = loop->quasi;
    pl_status status = loop->find_direction(loop->user, slope, error);
    if (status != PL_OK || *slope < 0.0 || q->pair_count == 0) return status;
    pl_quasi_newton_forget(q);
    return loop->find_direction(loop->user, slope, error);
}

pl_status pl_projective_iterate(const pl_projective_loop* loop, pl_error* error) {
    const pl_step_settings* settings = loop->settings;
    pl_quasi_newton* q = loop->quasi;
    double slope = 0.0, began = 0.0;
    pl_quasi_newton_forget(q);
    if (settings->max_iterations > 1) {
        pl_status status = pl_quasi_newton_reserve(q, error);
        if (status != PL_OK) return status;
    }
    for (int k = 0;; k++) {
        double length = 1.0, before = began;
        began = pl_deadline_now(loop->deadline);
        pl_status status = loop->evaluate(loop->user, k, error);
        if (status == PL_OK && k > 0) status = shorten(loop, k, slope, &length, error);
        if (status != PL_OK) return status;
        bool over = loop->judge(loop->user, k);
        pl_trace_add(&loop->info->trace, loop->info->residual);
        if (!isfinite(loop->info->residual))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "iteration %d of the step has forces that are not finite", k);
        if (k >= settings->max_iterations || (over && !settings->all_iterations)) break;
        if (k > 0 && !pl_deadline_has_room(loop->deadline, before)) {
            loop->info->is_cut = true;
            break;
        }
        if (k > 0) pl_quasi_newton_learn(q, length);
        bool moved = false;
        if (loop->relax) status = loop->relax(loop->user, k, &moved, error);
        if (status != PL_OK) return status;
        if (moved && loop->judge(loop->user, k)) break;
        status = find_descent(loop, &slope, error);
        if (status != PL_OK) return status;
        pl_quasi_newton_leave(q);
        loop->info->iterations++;
        loop->advance(loop->user, 1.0);
        // the forces at the end of a fixed number of iterations are not needed
        bool last =
            settings->all_iterations && !settings->line_search && k + 1 >= settings->max_iterations;
        if (last && isfinite(slope)) break;
    }
    return PL_OK;
}
