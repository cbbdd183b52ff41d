// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The operators of the V-cycle (S0 Alg. 2; S3 section 5 for 4 unknowns). Post-smoothing is the
// adjoint of pre-smoothing: the same half sweeps in reverse order and direction. So the cycle for 3
// unknowns is a symmetric operator, and can precondition conjugate gradients. The cycle for 4
// unknowns is not even linear (block_inner.h) and needs flexible GMRES.
#include "base/timer.h"
#include "base/tuned.h"
#include "multigrid/block_multigrid.h"
#include "multigrid/mg_cycle.h"
#include "multigrid/wide_block.h"

#include <string.h>

enum { ROWS_PER_TASK = 1024 };

static int sweeps_before(const pl_block_mg* mg, int l) {
    const pl_mg_settings* s = &mg->settings;
    if (mg->one_sided && l == 0) return 0;
    return s->level_sweeps[l] > 0 ? s->level_sweeps[l] : s->pre_sweeps;
}
static int sweeps_after(const pl_block_mg* mg, int l) {
    const pl_mg_settings* s = &mg->settings;
    if (s->level_sweeps[l] > 0) return s->level_sweeps[l];
    return mg->one_sided && l == 0 && s->post_sweeps == 0 ? s->pre_sweeps : s->post_sweeps;
}

static int half_sweeps(const pl_block_mg* mg, int sweeps) {
    int count = 2 * sweeps;
    return mg->settings.half_sweep && count > 0 ? count - 1 : count;
}

static void add_time(pl_block_mg* mg, int l, double start) {
    double* sum = l == 0 ? &mg->times.smooth_fine : &mg->times.coarse;
    *sum += pl_seconds() - start;
}

static void pre_smooth(void* levels, int l) {
    pl_block_mg* mg = levels;
    int sweeps = sweeps_before(mg, l);
    if (sweeps == 0) return; // then the coarse level overwrites x instead of adding to it
    double start = pl_seconds();
    if (mg->settings.smoother == PL_SMOOTHER_JACOBI)
        pl_block_level_jacobi(&mg->levels[l], mg->pool, sweeps, true);
    else
        mg->last_forward[l] = pl_block_level_gauss_seidel(&mg->levels[l], mg->pool,
                                                          half_sweeps(mg, sweeps), true, true);
    add_time(mg, l, start);
}

static void post_smooth(void* levels, int l) {
    pl_block_mg* mg = levels;
    pl_block_level* level = &mg->levels[l];
    double start = pl_seconds();
    int sweeps = sweeps_after(mg, l);
    if (mg->settings.smoother == PL_SMOOTHER_JACOBI) {
        pl_block_level_jacobi(level, mg->pool, sweeps, false);
    } else if (sweeps > 0) {
        // The last half sweep goes backward, because the first one of pre-smoothing went forward.
        int count = half_sweeps(mg, sweeps);
        bool forward = count % 2 == 0;
        pl_block_level_prepare(level, mg->pool, forward);
        pl_block_level_gauss_seidel(level, mg->pool, count, forward, false);
    }
    add_time(mg, l, start);
}

static void restrict_residual(void* levels, int l) {
    pl_block_mg* mg = levels;
    pl_block_level* level = &mg->levels[l];
    double start = pl_seconds();
    bool swept = sweeps_before(mg, l) > 0, jacobi = mg->settings.smoother == PL_SMOOTHER_JACOBI;
    if (swept && jacobi) pl_block_level_residual(level, mg->pool);
    if (swept && !jacobi) pl_block_level_residual_after(level, mg->pool, mg->last_forward[l]);
    pl_block_restrict(level, swept ? level->residual : level->b, &mg->hierarchy.transfers[l],
                      mg->levels[l + 1].b, mg->pool);
    add_time(mg, l, start);
}

static void prolong_add(void* levels, int l) {
    pl_block_mg* mg = levels;
    double start = pl_seconds();
    pl_block_prolong(&mg->levels[l], &mg->hierarchy.transfers[l], mg->levels[l + 1].x,
                     sweeps_before(mg, l) > 0, mg->pool);
    add_time(mg, l, start);
}

static void solve_coarsest(void* levels, int l) {
    pl_block_mg* mg = levels;
    double start = pl_seconds();
    pl_coarsest coarsest = pl_block_mg_coarsest(mg);
    mg->bottom.operations->solve(mg->bottom.user, &coarsest, mg->levels[l].b, mg->levels[l].x);
    mg->times.bottom += pl_seconds() - start;
}

typedef struct vector_job {
    pl_block_mg* mg;
    const double* r;
    double* z;
    double scale;
} vector_job;

PL_WIDE void take_residual(const vector_job* job, int begin, int end, int unknowns) {
    for (int i = begin; i < end; i++) {
        const double* r = job->r + (size_t)unknowns * (size_t)job->mg->old_of_new[i];
        float* b = job->mg->levels[0].b + PL_VERTEX * (size_t)i;
        for (int c = 0; c < unknowns; c++) b[c] = (float)(r[c] * job->scale);
        for (int c = unknowns; c < PL_VERTEX; c++) b[c] = 0.0f;
    }
}

PL_WIDE void give_correction(const vector_job* job, int begin, int end, int unknowns) {
    for (int i = begin; i < end; i++) {
        const float* x = job->mg->levels[0].x + PL_VERTEX * (size_t)job->mg->new_of_old[i];
        double* z = job->z + (size_t)unknowns * (size_t)i;
        for (int c = 0; c < unknowns; c++) z[c] = (double)x[c] * job->scale;
    }
}

// constants for the compiler
static void take_residual_task(int begin, int end, int worker, void* user) {
    const vector_job* job = user;
    (void)worker;
    if (job->mg->unknowns == 3) take_residual(job, begin, end, 3);
    else take_residual(job, begin, end, 4);
}
static void give_correction_task(int begin, int end, int worker, void* user) {
    const vector_job* job = user;
    (void)worker;
    if (job->mg->unknowns == 3) give_correction(job, begin, end, 3);
    else give_correction(job, begin, end, 4);
}

static double square_part(int begin, int end, void* user) {
    const double* r = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) sum += r[i] * r[i];
    return sum;
}

typedef struct step_job {
    pl_block_level* level;
    float *step, *sum;
    float momentum, factor;
} step_job;

// step = x + momentum step; sum += factor step; x = step
static void take_step_task(int begin, int end, int worker, void* user) {
    const step_job* job = user;
    float* x = job->level->x;
    (void)worker;
    for (size_t i = PL_NODE * (size_t)begin; i < PL_NODE * (size_t)end; i++) {
        x[i] = job->step[i] = x[i] + job->momentum * job->step[i];
        job->sum[i] += job->factor * x[i];
    }
}

// b -= factor A step; the residual is b - A step
static void take_rest_task(int begin, int end, int worker, void* user) {
    const step_job* job = user;
    pl_block_level* level = job->level;
    (void)worker;
    for (size_t i = PL_NODE * (size_t)begin; i < PL_NODE * (size_t)end; i++)
        level->b[i] -= job->factor * (level->b[i] - level->residual[i]);
}

static const pl_mg_operators operators = {pre_smooth, restrict_residual, prolong_add, post_smooth,
                                          solve_coarsest};

// Where stiffness jumps, one cycle leaves much of the error that only levels coarser than level 1
// can reduce. So level 1 takes Chebyshev steps preconditioned by cycles. They are as linear and
// symmetric as the cycles; the eigenvalues of a cycle times the matrix are at most 1.
static void iterate_first(void* levels, int l) {
    enum { STEPS = 3, NODES = 256 };
    const float least = pl_tuned.first_level_aim;
    pl_block_mg* mg = levels;
    pl_block_level* level = &mg->levels[l];
    size_t size = PL_NODE * (size_t)level->node_count;
    memset(mg->step, 0, size * sizeof(float));
    memset(mg->stepped, 0, size * sizeof(float));
    float centre = 0.5f * (1.0f + least), radius = 0.5f * (1.0f - least);
    step_job job = {level, mg->step, mg->stepped, 0.0f, 1.0f / centre};
    for (int k = 0; k < STEPS; k++) {
        pl_mg_cycle(&operators, mg, l, mg->hierarchy.level_count);
        if (k > 0) {
            float half = 0.5f * radius * job.factor;
            job.momentum = k == 1 ? 2.0f * half * half : half * half;
            job.factor = 1.0f / (centre - job.momentum / job.factor);
        }
        pl_parallel_for(mg->pool, take_step_task, level->node_count, NODES, &job);
        if (k + 1 == STEPS) break;
        pl_block_level_residual(level, mg->pool);
        pl_parallel_for(mg->pool, take_rest_task, level->node_count, NODES, &job);
    }
    memcpy(level->x, mg->stepped, size * sizeof(float));
}

static void solve_next(void* levels, int l);
static const pl_mg_operators two_levels = {pre_smooth, restrict_residual, prolong_add, post_smooth,
                                           solve_next};

// the residual of level l after a cycle on it
static void find_residual(pl_block_mg* mg, int l) {
    // the last sweep went backward
    if (mg->settings.smoother != PL_SMOOTHER_JACOBI && sweeps_after(mg, l) > 0)
        pl_block_level_residual_after(&mg->levels[l], mg->pool, false);
    else pl_block_level_residual(&mg->levels[l], mg->pool);
}

// Solves level l for b with 4 unknowns, using all levels from l on: see block_inner.h.
static void solve_next(void* levels, int l) {
    pl_block_mg* mg = levels;
    if (l + 1 == mg->hierarchy.level_count) {
        solve_coarsest(mg, l);
        return;
    }
    pl_block_inner* inner = &mg->inner[l];
    // Visits multiply from level to level: keep the work on the next level below the work on this
    // one.
    const int* nodes = mg->hierarchy.node_counts;
    const int ratio = nodes[l] / nodes[l + 1];
    const int steps = ratio < 1 ? 1 : ratio < PL_INNER_STEPS ? ratio : PL_INNER_STEPS;
    bool more = true;
    pl_block_inner_begin(inner);
    for (int k = 0; more && k < steps; k++) {
        pl_mg_cycle(&two_levels, mg, l, l + 2);
        double start = pl_seconds();
        find_residual(mg, l);
        more = pl_block_inner_take(inner, k, &mg->levels[l], mg->pool);
        add_time(mg, l, start);
    }
    pl_block_inner_end(inner, &mg->levels[l]);
}

void pl_block_mg_cycle(pl_block_mg* mg, bool one_sided) {
    static const pl_mg_operators first_two = {pre_smooth, restrict_residual, prolong_add,
                                              post_smooth, iterate_first};
    mg->one_sided = one_sided;
    if (mg->step) pl_mg_cycle(&first_two, mg, 0, 2);
    else if (mg->unknowns == 4 && !mg->settings.v_cycle) pl_mg_cycle(&two_levels, mg, 0, 2);
    else pl_mg_cycle(&operators, mg, 0, mg->hierarchy.level_count);
}

void pl_block_mg_product(const pl_block_mg* mg, int begin, int end, float* y) {
    bool swept = mg->settings.smoother != PL_SMOOTHER_JACOBI && sweeps_after(mg, 0) > 0;
    // the last sweep went backward
    pl_block_level_product(&mg->levels[0], swept, begin, end, y);
}

static double float_square_part(int begin, int end, void* user) {
    const float* r = user;
    double sum = 0.0;
    for (int i = 4 * begin; i < 4 * end; i++) sum += (double)r[i] * (double)r[i];
    return sum;
}

double pl_block_mg_left(pl_block_mg* mg) {
    pl_block_level* fine = &mg->levels[0];
    double start = pl_seconds();
    find_residual(mg, 0);
    double before =
        pl_parallel_sum(mg->pool, float_square_part, mg->row_count, ROWS_PER_TASK, fine->b);
    double after =
        pl_parallel_sum(mg->pool, float_square_part, mg->row_count, ROWS_PER_TASK, fine->residual);
    add_time(mg, 0, start);
    return before > 0.0 ? sqrt(after / before) : 0.0;
}

void pl_block_mg_apply(pl_block_mg* mg, const double* r, double* z) {
    double square = pl_parallel_sum(mg->pool, square_part, mg->unknowns * mg->row_count, 8192,
                                    (void*)(uintptr_t)r);
    pl_block_mg_apply_sized(mg, r, sqrt(square), z);
}

void pl_block_mg_apply_sized(pl_block_mg* mg, const double* r, double size, double* z) {
    int n = mg->row_count;
    double norm = size / sqrt((double)n);
    // a power of two, so that a cycle gives the same digits for a residual of any size
    int exponent = 0;
    if (norm > 0.0 && isfinite(norm)) frexp(norm, &exponent);
    vector_job job = {mg, r, z, ldexp(1.0, -exponent)};
    pl_mg_for_pieces(&mg->levels[0].pattern.schedule, mg->pool, take_residual_task, &job);
    pl_block_mg_cycle(mg, false);
    // (scale A)^-1 (r / 2^exponent)
    job.scale = ldexp((double)mg->scale, exponent);
    pl_parallel_for(mg->pool, give_correction_task, n, ROWS_PER_TASK, &job);
}
