// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// MINRES (Paige and Saunders 1975), preconditioned: the Lanczos recurrence in the inner product of
// M, its tridiagonal matrix made triangular by rotations as it grows. The quantity sqrt(r.M r)
// decreases monotonically and costs nothing. The true residual is computed when it has fallen
// enough.
//
//   v      Lanczos vector, in the space of x
//   u      the same before M, u = M^-1 v; of this iteration and the one before
//   w      directions of x, of this iteration and the one before
#include "sparse/krylov.h"

#include <float.h>
#include <math.h>

typedef struct lanczos {
    void *u_before, *u, *y, *v;
    void *w, *w_before;
    double beta;        // of the current vectors
    double beta_before; // 0 in the first iteration
    double alpha;
    double scale; // size of matrix entries: beta counts as zero below its round-off
} lanczos;

typedef struct rotation {
    double c, s;
    double delta_bar, epsilon; // entries of the next column
    double phi_bar;            // sqrt(r.M r)
} rotation;

// y = M u and beta = sqrt(u.y); false if u.y shows that M is not positive definite
static bool measure(const pl_krylov* k, lanczos* l) {
    pl_krylov_precondition(k, l->u, l->y);
    double square = pl_krylov_dot(k, l->u, l->y);
    l->beta_before = l->beta;
    l->beta = sqrt(square > 0.0 ? square : 0.0);
    return isfinite(square) && square >= -1e-12 * l->scale * l->scale;
}

// computes alpha and the next u, y and beta
static bool extend(const pl_krylov* k, lanczos* l) {
    pl_krylov_combine(k, 1.0 / l->beta, l->y, 0.0, l->v);
    pl_krylov_apply(k, l->v, l->y);
    if (l->beta_before > 0.0)
        pl_krylov_combine(k, -l->beta / l->beta_before, l->u_before, 1.0, l->y);
    l->alpha = pl_krylov_dot(k, l->v, l->y);
    pl_krylov_combine(k, -l->alpha / l->beta, l->u, 1.0, l->y);
    void* free_vector = l->u_before;
    l->u_before = l->u;
    l->u = l->y;
    l->y = free_vector;
    return measure(k, l);
}

// x += phi w with the new w = (v - delta w - epsilon w_before) / gamma
static void advance(const pl_krylov* k, lanczos* l, rotation* g) {
    double epsilon = g->epsilon, delta = g->c * g->delta_bar + g->s * l->alpha;
    double gamma_bar = g->s * g->delta_bar - g->c * l->alpha;
    double gamma = fmax(hypot(gamma_bar, l->beta), DBL_EPSILON * l->scale);
    g->epsilon = g->s * l->beta;
    g->delta_bar = -g->c * l->beta;
    g->c = gamma_bar / gamma;
    g->s = l->beta / gamma;
    void* w = l->w_before;
    pl_krylov_combine(k, -delta / gamma, l->w, -epsilon / gamma, w);
    pl_krylov_combine(k, 1.0 / gamma, l->v, 1.0, w);
    l->w_before = l->w;
    l->w = w;
    pl_krylov_combine(k, g->c * g->phi_bar, w, 1.0, k->x);
    g->phi_bar *= g->s;
}

static void clear(const pl_krylov* k, void* w) { pl_krylov_combine(k, 0.0, k->b, 0.0, w); }

// Iterates from the residual r until sqrt(r.M r) has fallen by the factor `target`, or until
// another end. *fallen: the factor reached.
static pl_krylov_end run(pl_krylov* k, const pl_krylov_work* work, double target,
                         const pl_linear_options* options, pl_linear_info* info, double* fallen) {
    void** v = work->vectors;
    lanczos l = {.u_before = v[0], .u = v[1], .y = v[2], .v = v[3], .w = v[4], .w_before = v[5]};
    clear(k, l.w);
    clear(k, l.w_before);
    pl_krylov_combine(k, 1.0, k->r, 0.0, l.u);
    *fallen = 1.0;
    if (!measure(k, &l) || !(l.beta > 0.0)) return PL_KRYLOV_PRECONDITIONER;
    double start = l.beta, before = info->residual;
    rotation g = {.c = -1.0, .phi_bar = start};
    l.beta_before = 0.0;
    for (;;) {
        bool definite = extend(k, &l);
        if (!isfinite(l.alpha)) return PL_KRYLOV_NOT_FINITE;
        if (!definite) return PL_KRYLOV_PRECONDITIONER;
        l.scale = fmax(l.scale, fmax(fabs(l.alpha), l.beta));
        bool exhausted = l.beta <= 10.0 * DBL_EPSILON * l.scale;
        if (exhausted) l.beta = 0.0;
        advance(k, &l, &g);
        *fallen = g.phi_bar / start;
        info->iterations++;
        pl_linear_note(info, before * *fallen);
        if (*fallen <= target || exhausted) return PL_KRYLOV_GOING;
        if (pl_linear_is_over(options, info)) return PL_KRYLOV_ITERATIONS;
    }
}

pl_krylov_end pl_krylov_minres(pl_krylov* k, const pl_krylov_work* work,
                               const pl_linear_options* options, pl_linear_info* info) {
    double target = options->tolerance / info->residual;
    for (;;) {
        double before = info->residual, fallen;
        pl_krylov_end end = run(k, work, target, options, info, &fallen);
        pl_linear_note_again(info, pl_krylov_residual(k) / k->scale);
        if (info->residual <= options->tolerance) end = PL_KRYLOV_CONVERGED;
        else if (!isfinite(info->residual)) end = PL_KRYLOV_NOT_FINITE;
        // sqrt(r.M r) has fallen enough, but the residual has not
        else if (end == PL_KRYLOV_GOING && info->residual > 0.5 * before) end = PL_KRYLOV_STALLED;
        if (end != PL_KRYLOV_GOING) return pl_krylov_finish(info, end);
        target = 0.5 * options->tolerance / info->residual;
    }
}
