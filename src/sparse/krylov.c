// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Code shared by the Krylov methods, and the stationary iteration.
#include "sparse/krylov.h"
#include "base/memory.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

// how many stationary iterations in a row may be slow, and the growth that ends them at once
enum { MAX_SLOW = 3 };
static const double GROWTH = 10.0;

void pl_krylov_apply(const pl_krylov* k, const void* x, void* y) {
    k->operations->apply(k->user, x, y);
}

void pl_krylov_precondition(const pl_krylov* k, const void* r, void* z) {
    if (k->operations->precondition) k->operations->precondition(k->user, r, z);
    else pl_krylov_combine(k, 1.0, r, 0.0, z);
}

double pl_krylov_dot(const pl_krylov* k, const void* a, const void* b) {
    if (k->operations->dot) return k->operations->dot(k->user, a, b);
    return pl_vector_dot(k->pool, k->count, a, b);
}

void pl_krylov_combine(const pl_krylov* k, double s, const void* x, double t, void* y) {
    if (k->operations->combine) k->operations->combine(k->user, s, x, t, y);
    else if (t == 1.0) pl_vector_axpy(k->pool, k->count, s, x, y);
    else if (s == 1.0 && t == 0.0) memcpy(y, x, (size_t)k->count * sizeof(double));
    else if (s == 1.0) pl_vector_xpay(k->pool, k->count, x, t, y);
    else pl_vector_combine(k->pool, k->count, s, x, t, y);
}

double pl_krylov_residual(pl_krylov* k) {
    pl_krylov_apply(k, k->x, k->r);
    pl_krylov_combine(k, 1.0, k->b, -1.0, k->r);
    return sqrt(pl_krylov_dot(k, k->r, k->r));
}

// records a residual; returns GOING if the iteration should continue
static pl_krylov_end note(pl_linear_info* info, const pl_linear_options* options, double residual) {
    pl_linear_note(info, residual);
    if (residual <= options->tolerance) return PL_KRYLOV_CONVERGED;
    if (!isfinite(residual)) return PL_KRYLOV_NOT_FINITE;
    return pl_linear_is_over(options, info) ? PL_KRYLOV_ITERATIONS : PL_KRYLOV_GOING;
}

pl_krylov_end pl_krylov_finish(pl_linear_info* info, pl_krylov_end end) {
    info->converged = end == PL_KRYLOV_CONVERGED;
    info->indefinite = end == PL_KRYLOV_INDEFINITE;
    info->stalled = end == PL_KRYLOV_STALLED;
    info->preconditioner_failed = end == PL_KRYLOV_PRECONDITIONER;
    return end;
}

// r = b
static double residual_of_zero(pl_krylov* k) {
    pl_krylov_combine(k, 1.0, k->b, 0.0, k->r);
    return sqrt(pl_krylov_dot(k, k->r, k->r));
}

pl_krylov_end pl_krylov_begin(pl_krylov* k, const pl_linear_options* options,
                              pl_linear_info* info) {
    double norm = k->x_is_zero ? residual_of_zero(k) : k->look ? k->look(k) : pl_krylov_residual(k);
    return pl_krylov_finish(info, note(info, options, k->scale == 0.0 ? 0.0 : norm / k->scale));
}

static void correct(pl_krylov* k, bool from_zero) {
    if (from_zero) { // r = b, and the correction is x
        pl_krylov_precondition(k, k->b, k->x);
        return;
    }
    pl_krylov_precondition(k, k->r, k->z);
    pl_krylov_combine(k, 1.0, k->z, 1.0, k->x);
}

pl_krylov_end pl_krylov_stationary(pl_krylov* k, const pl_linear_options* options,
                                   pl_linear_info* info) {
    int slow = 0;
    for (bool from_zero = k->x_is_zero;; from_zero = false) {
        double before = info->residual;
        correct(k, from_zero);
        info->iterations++;
        bool last = pl_linear_is_over(options, info);
        if (last && k->operations->part_left) {
            // this residual is not used any further
            return pl_krylov_finish(
                info, note(info, options, before * k->operations->part_left(k->user)));
        }
        double norm = k->look ? k->look(k) : pl_krylov_residual(k);
        pl_krylov_end end = note(info, options, norm / k->scale);
        slow = info->residual > k->watch.slow * before ? slow + 1 : 0;
        bool stalls = k->watch.slow > 0.0 && (slow >= MAX_SLOW || info->residual > GROWTH * before);
        if (end == PL_KRYLOV_GOING && stalls) end = PL_KRYLOV_STALLED;
        if (end != PL_KRYLOV_GOING) return pl_krylov_finish(info, end);
    }
}

void pl_krylov_work_free(pl_krylov_work* work) {
    for (int i = 0; work->vectors && i < work->vector_count; i++)
        pl_free(work->vectors[i], work->bytes);
    PL_FREE(work->vectors, void*, work->vector_count);
    *work = (pl_krylov_work){0};
}

pl_status pl_krylov_work_setup(pl_krylov_work* work, int vector_count, size_t bytes,
                               pl_error* error) {
    *work = (pl_krylov_work){.vector_count = vector_count, .bytes = bytes};
    work->vectors = PL_ALLOC(void*, vector_count);
    for (int i = 0; work->vectors && i < vector_count; i++) {
        work->vectors[i] = pl_alloc_items(bytes, 1);
        if (work->vectors[i]) continue;
        pl_krylov_work_free(work);
        return pl_fail_memory(error, "the vectors of a linear solver");
    }
    return work->vectors ? PL_OK : pl_fail_memory(error, "the vectors of a linear solver");
}
