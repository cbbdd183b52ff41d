// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The line search needs no values of the energy: with the slopes at both ends of a step, their mean
// tells whether it went up. Then the step ends where the slope would vanish if it were linear.
#include "fem/fem_projective_loop.h"
#include "base/hash.h"

#include <math.h>

enum { MAX_SHORTENINGS = 8 };
// of the length before
static const double SHORTEST = 0.1, LONGEST = 0.5;

uint64_t pl_projective_contacts(const pl_fem_objective* f, const double* x) {
    uint64_t sum = 0;
    for (int k = 0; k < f->contact_count; k++) {
        const pl_contact* c = &f->contacts[k];
        if (pl_fem_contact_depth(f, c, x) > 0.0)
            sum += pl_hash_mix(((uint64_t)c->vertex << 32) + (uint64_t)c->obstacle + 1);
    }
    return sum;
}

// A step that went up is made shorter. slope: at its start. *length: of the step.
static pl_status shorten(const pl_projective_loop* loop, int iteration, double slope,
                         double* length, uint64_t* contacts, pl_error* error) {
    if (!loop->settings->line_search) return PL_OK;
    for (int k = 0; k < MAX_SHORTENINGS; k++) {
        double end = pl_quasi_newton_slope(loop->quasi);
        if (end <= -slope || !isfinite(end)) break;
        double shorter = *length * fmin(fmax(slope / (slope - end), SHORTEST), LONGEST);
        loop->advance(loop->user, shorter - *length);
        *length = shorter;
        pl_status status = loop->evaluate(loop->user, iteration, contacts, error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

// A direction that does not lead down comes from pairs of another function.
static pl_status find_descent(const pl_projective_loop* loop, double* slope, pl_error* error) {
    pl_quasi_newton* q = loop->quasi;
    pl_status status = loop->find_direction(loop->user, slope, error);
    if (status != PL_OK || *slope < 0.0 || q->pair_count == 0) return status;
    pl_quasi_newton_forget(q);
    pl_quasi_newton_retry(q);
    return loop->find_direction(loop->user, slope, error);
}

pl_status pl_projective_iterate(const pl_projective_loop* loop, pl_error* error) {
    const pl_fem_settings* settings = loop->settings;
    pl_quasi_newton* q = loop->quasi;
    double slope = 0.0;
    uint64_t contacts = 0;
    pl_quasi_newton_forget(q);
    if (settings->max_iterations > 1) {
        pl_status status = pl_quasi_newton_reserve(q, error);
        if (status != PL_OK) return status;
    }
    for (int k = 0;; k++) {
        double length = 1.0;
        uint64_t before = contacts;
        pl_status status = loop->evaluate(loop->user, k, &contacts, error);
        if (status == PL_OK && k > 0)
            status = shorten(loop, k, slope, &length, &contacts, error);
        if (status != PL_OK) return status;
        bool over = loop->judge(loop->user, k);
        if (!isfinite(loop->info->residual))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "iteration %d of the step has forces that are not finite", k);
        if (k >= settings->max_iterations || (over && !settings->all_iterations)) break;
        if (contacts != before) pl_quasi_newton_forget(q);
        else if (k > 0) pl_quasi_newton_learn(q, length);
        status = find_descent(loop, &slope, error);
        if (status != PL_OK) return status;
        loop->info->iterations++;
        loop->advance(loop->user, 1.0);
        // nobody waits for the forces at the end of a fixed number of iterations
        bool last = settings->all_iterations && !settings->line_search &&
                    k + 1 >= settings->max_iterations;
        if (last && isfinite(slope)) break;
    }
    return PL_OK;
}
