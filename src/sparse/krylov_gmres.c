// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Flexible GMRES (Saad 1993): an orthonormal basis of vectors v, and for each v the vector z = M_j
// v that the preconditioner gave in that iteration. The solution is a combination of the z, so M
// may be any operator and may change in every iteration.
#include "sparse/krylov.h"

#include <float.h>
#include <math.h>

enum { MAX_RESTART = PL_GMRES_MAX_RESTART };
// A round that leaves more than this fraction of the residual has stalled; further rounds would not
// help.
static const double STALL = 0.98;

typedef struct gmres {
    void** v; // restart + 1
    void** z; // restart
    double H[MAX_RESTART + 1][MAX_RESTART], c[MAX_RESTART], s[MAX_RESTART], g[MAX_RESTART + 1];
    double grown; // |v - A z| of the last v, where |v| = 1
} gmres;

// v_(j+1) = A z_j, orthogonalised against those before; twice, since once is not enough after
// cancellation
static bool orthogonalise(const pl_krylov* k, gmres* m, int j) {
    void* w = m->v[j + 1];
    pl_krylov_apply(k, m->z[j], w);
    double size = sqrt(pl_krylov_dot(k, w, w));
    for (int i = 0; i <= j; i++) m->H[i][j] = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i <= j; i++) {
            double part = pl_krylov_dot(k, m->v[i], w);
            m->H[i][j] += part;
            pl_krylov_combine(k, -part, m->v[i], 1.0, w);
        }
    double left = sqrt(pl_krylov_dot(k, w, w));
    m->H[j + 1][j] = left > 10.0 * DBL_EPSILON * size ? left : 0.0;
    m->grown = sqrt(fmax(0.0, 1.0 - 2.0 * m->H[j][j] + size * size));
    if (m->H[j + 1][j] > 0.0) pl_krylov_combine(k, 0.0, w, 1.0 / left, w);
    return isfinite(size);
}

// makes the new column of H triangular
static void rotate(gmres* m, int j) {
    for (int i = 0; i < j; i++) {
        double a = m->H[i][j], b = m->H[i + 1][j];
        m->H[i][j] = m->c[i] * a + m->s[i] * b;
        m->H[i + 1][j] = m->c[i] * b - m->s[i] * a;
    }
    double size = hypot(m->H[j][j], m->H[j + 1][j]);
    m->c[j] = size > 0.0 ? m->H[j][j] / size : 1.0;
    m->s[j] = size > 0.0 ? m->H[j + 1][j] / size : 0.0;
    m->H[j][j] = size;
    m->g[j + 1] = -m->s[j] * m->g[j];
    m->g[j] *= m->c[j];
}

// x += Z y with H y = g; zero columns, which singular matrices can cause, are left out
static void add_solution(const pl_krylov* k, gmres* m, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; i++) largest = fmax(largest, m->H[i][i]);
    for (int i = count - 1; i >= 0; i--) {
        double sum = m->g[i];
        for (int j = i + 1; j < count; j++) sum -= m->H[i][j] * m->g[j];
        m->g[i] = m->H[i][i] > 10.0 * DBL_EPSILON * largest ? sum / m->H[i][i] : 0.0;
        pl_krylov_combine(k, m->g[i], m->z[i], 1.0, k->x);
    }
}

// True if the watch ends a round after `count` iterations; left: the residual after each.
static bool is_stalled(const pl_krylov* k, const gmres* m, const double* left, int count) {
    int period = k->watch.period;
    if (k->watch.growth > 0.0 && m->grown > k->watch.growth) return true;
    return period > 0 && count >= period && left[count] > k->watch.slow * left[count - period];
}

// A round that starts from the residual r.
static pl_krylov_end run(pl_krylov* k, gmres* m, int restart, const pl_linear_options* options,
                         pl_linear_info* info) {
    double norm = sqrt(pl_krylov_dot(k, k->r, k->r));
    double left[MAX_RESTART + 1] = {norm};
    pl_krylov_end end = PL_KRYLOV_GOING;
    int count = 0;
    pl_krylov_combine(k, 1.0 / norm, k->r, 0.0, m->v[0]);
    m->g[0] = norm;
    while (count < restart && end == PL_KRYLOV_GOING) {
        pl_krylov_precondition(k, m->v[count], m->z[count]);
        double size = pl_krylov_dot(k, m->z[count], m->z[count]);
        if (!isfinite(size) || size == 0.0) end = PL_KRYLOV_PRECONDITIONER;
        else if (!orthogonalise(k, m, count)) end = PL_KRYLOV_NOT_FINITE;
        if (end != PL_KRYLOV_GOING) break;
        rotate(m, count);
        info->iterations++;
        count++;
        left[count] = fabs(m->g[count]);
        pl_linear_note(info, left[count] / k->scale);
        if (info->residual <= options->tolerance || m->H[count][count - 1] == 0.0) break;
        if (pl_linear_is_over(options, info)) end = PL_KRYLOV_ITERATIONS;
        else if (is_stalled(k, m, left, count)) end = PL_KRYLOV_STALLED;
    }
    add_solution(k, m, count);
    return end;
}

pl_krylov_end pl_krylov_gmres(pl_krylov* k, const pl_krylov_work* work,
                              const pl_linear_options* options, pl_linear_info* info) {
    int restart = (work->vector_count - 1) / 2;
    if (restart > MAX_RESTART) restart = MAX_RESTART;
    gmres m = {.v = work->vectors, .z = work->vectors + restart + 1};
    for (;;) {
        double before = info->residual;
        pl_krylov_end end = run(k, &m, restart, options, info);
        if (k->trusts_recurrence) {
            if (info->residual <= options->tolerance) end = PL_KRYLOV_CONVERGED;
            if (end == PL_KRYLOV_CONVERGED || end == PL_KRYLOV_ITERATIONS)
                return pl_krylov_finish(info, end);
        }
        pl_linear_note_again(info, pl_krylov_residual(k) / k->scale);
        if (info->residual <= options->tolerance) end = PL_KRYLOV_CONVERGED;
        else if (!isfinite(info->residual)) end = PL_KRYLOV_NOT_FINITE;
        else if (end == PL_KRYLOV_GOING && info->residual > STALL * before) end = PL_KRYLOV_STALLED;
        if (end != PL_KRYLOV_GOING) return pl_krylov_finish(info, end);
    }
}
