// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Preconditioned conjugate gradients (Hestenes and Stiefel 1952). Flexible ones (Notay 2000) make
// each direction conjugate to the last one instead of trusting that the preconditioner is one
// symmetric operator:
//
//   plain      beta = r.z / r.z of the iteration before
//   flexible   beta = -z.q / p.q of the iteration before
//   both       p = z + beta p,  q = A p,  alpha = r.p / p.q,  x += alpha p,  r -= alpha q
#include "sparse/krylov.h"

#include <math.h>

static void correct(pl_krylov* k, pl_cg_sums* s) {
    if (k->passes && k->passes->correct) {
        k->passes->correct(k, s);
        return;
    }
    pl_krylov_precondition(k, k->r, k->z);
    s->rz = pl_krylov_dot(k, k->r, k->z);
    if (k->flexible && !s->first) s->zq = pl_krylov_dot(k, k->z, k->q);
}

static void direct(pl_krylov* k, double beta, pl_cg_sums* s) {
    if (k->passes && k->passes->direct) {
        k->passes->direct(k, beta, s);
        return;
    }
    pl_krylov_combine(k, 1.0, k->z, s->first ? 0.0 : beta, k->p);
    pl_krylov_apply(k, k->p, k->q);
    s->pq = pl_krylov_dot(k, k->p, k->q);
    s->rp = k->flexible && !s->first ? pl_krylov_dot(k, k->r, k->p) : s->rz;
}

static double advance(pl_krylov* k, double alpha) {
    if (k->passes && k->passes->advance) return k->passes->advance(k, alpha);
    if (k->x) pl_krylov_combine(k, alpha, k->p, 1.0, k->x);
    pl_krylov_combine(k, -alpha, k->q, 1.0, k->r);
    return sqrt(pl_krylov_dot(k, k->r, k->r));
}

// One iteration. Unless it returns GOING, x and r are unchanged.
static pl_krylov_end iterate(pl_krylov* k, pl_cg_sums* s, double* norm) {
    double rz_before = s->rz, pq_before = s->pq;
    correct(k, s);
    if (!(s->rz > 0.0) || !isfinite(s->rz)) return PL_KRYLOV_PRECONDITIONER;
    double beta = s->first ? 0.0 : k->flexible ? -s->zq / pq_before : s->rz / rz_before;
    direct(k, beta, s);
    double alpha = s->rp / s->pq;
    if (!(s->pq > 0.0) || !isfinite(alpha)) return PL_KRYLOV_INDEFINITE;
    if (k->observe) k->observe(k->user, alpha, beta);
    *norm = advance(k, alpha);
    s->first = false;
    return PL_KRYLOV_GOING;
}

// Judges a look that found the true residual `residual`: the recurrence gave `carried`, and the
// look before found `looked`.
static pl_krylov_end judge(const pl_krylov* k, double residual, double carried, double looked,
                           bool period_is_over) {
    const pl_krylov_watch* watch = &k->watch;
    if (!isfinite(residual)) return PL_KRYLOV_NOT_FINITE;
    if (period_is_over && residual > watch->slow * looked) return PL_KRYLOV_STALLED;
    if (!k->look) return PL_KRYLOV_GOING;
    bool drifts = watch->drift > 0.0 ? residual > watch->drift * carried : residual > 0.5 * looked;
    return drifts ? PL_KRYLOV_STALLED : PL_KRYLOV_GOING;
}

pl_krylov_end pl_krylov_cg(pl_krylov* k, const pl_linear_options* options, pl_linear_info* info) {
    const pl_krylov_watch* watch = &k->watch;
    pl_cg_sums s = {.first = true};
    double norm = 0.0, looked = info->residual, carried = looked;
    int period_end = info->iterations + watch->period;
    for (;;) {
        bool first = s.first;
        pl_krylov_end end = iterate(k, &s, &norm);
        if (end != PL_KRYLOV_GOING && first) return pl_krylov_finish(info, end);
        bool last = end != PL_KRYLOV_GOING, over = false;
        if (!last) {
            info->iterations++;
            pl_linear_note(info, carried = norm / k->scale);
            last = pl_linear_is_over(options, info);
            over = watch->period > 0 && info->iterations >= period_end;
            double enough = fmax(options->tolerance, watch->look_ratio * looked);
            if (carried > enough && !last && !over) continue;
        }
        if (k->look) {
            double residual = k->look(k) / k->scale;
            if (end == PL_KRYLOV_GOING) pl_linear_note_again(info, residual);
            else info->residual = residual;
        }
        if (info->residual <= options->tolerance) end = PL_KRYLOV_CONVERGED;
        else if (end == PL_KRYLOV_GOING && last) end = PL_KRYLOV_ITERATIONS;
        else if (end == PL_KRYLOV_GOING) end = judge(k, info->residual, carried, looked, over);
        if (end != PL_KRYLOV_GOING) return pl_krylov_finish(info, end);
        // plain cg cannot use its old direction with the new r, and restarts from it
        s.first = k->look && !k->flexible;
        looked = info->residual;
        period_end = info->iterations + watch->period;
    }
}
