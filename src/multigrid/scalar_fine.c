// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/scalar_fine.h"
#include "multigrid/scalar_rows.h"

#include <string.h>

enum { C = CHUNK };

typedef struct sweep_work {
    pl_scalar_fine* f;
    const pl_half_rows *half,
        *other_half; // other_half: if u is not known, the sweep computes it from this half
    bool from_zero, backward;
    const float* in; // of apply; or the coarse vector
    float* out;
} sweep_work;

// the sweeps over the runs of one phase
typedef struct stage_work {
    const sweep_work* sweeps;
    int sweep_count;
    int first_run;
} stage_work;

// pointers that a sweep uses, copied so that they stay in registers
typedef struct sweep_rows {
    pl_half_rows half;
    const float *b, *inverse;
    float *x, *u;
} sweep_rows;

static sweep_rows rows_of(const sweep_work* w) {
    const pl_scalar_fine* f = w->f;
    return (sweep_rows){*w->half, f->b, f->inverse, f->x, f->u};
}

// x = D^-1 (b - u - sum) and u = sum, for the rows of a chunk
PL_WIDE void relax_half_chunk(const sweep_rows* r, int chunk, bool from_zero) {
    chunk_sums sums = short_sums(&r->half, chunk, r->x);
    size_t at = 4 * (size_t)C * (size_t)chunk;
    for (int q = 0; q < C / 2; q++, at += 8) {
        pl_f8 rest = pl_load8(r->b + at) - sums.pair[q];
        if (!from_zero) rest -= pl_load8(r->u + at);
        pl_store8(r->x + at, rest * pl_spread_pair(r->inverse + at / 4));
        pl_store8(r->u + at, sums.pair[q]);
    }
}

// the same if u is not known: its value comes from the other half
static void relax_both_halves(const sweep_work* w, int chunk) {
    pl_scalar_fine* f = w->f;
    chunk_sums other = half_sums(w->other_half, chunk, f->x);
    chunk_sums sums = half_sums(w->half, chunk, f->x);
    size_t at = 4 * (size_t)C * (size_t)chunk;
    for (int q = 0; q < C / 2; q++, at += 8) {
        pl_f8 rest = pl_load8(f->b + at) - sums.pair[q] - other.pair[q];
        pl_store8(f->x + at, rest * pl_spread_pair(f->inverse + C * chunk + 2 * q));
        pl_store8(f->u + at, sums.pair[q]);
    }
}

// chunks from `first` to `last`, exclusive; step: 1 or -1
static void relax_chunks(const sweep_work* w, int first, int last, int step) {
    const sweep_rows r = rows_of(w);
    if (w->other_half)
        for (int chunk = first; chunk != last; chunk += step) relax_both_halves(w, chunk);
    else if (w->from_zero)
        for (int chunk = first; chunk != last; chunk += step) relax_half_chunk(&r, chunk, true);
    else
        for (int chunk = first; chunk != last; chunk += step) relax_half_chunk(&r, chunk, false);
}

// Corrects the rows of a chunk whose diagonal is a block, after relax_chunks has treated them as
// scalar rows. No other row has used their x yet, because the rows of a chunk are not coupled.
static void relax_blocks(const sweep_work* w, int chunk, pl_f4 u_before[C]) {
    pl_scalar_fine* f = w->f;
    for (int k = block_at(f, C * chunk); k < f->block_count && f->blocks[k].place < C * chunk + C;
         k++) {
        size_t at = 4 * (size_t)f->blocks[k].place;
        pl_f4 rest = pl_load4(f->b + at) - pl_load4(f->u + at);
        if (!w->from_zero) rest -= u_before[f->blocks[k].place % C];
        pl_store4(f->x + at, apply3(f->blocks[k].inverse, rest));
    }
}

static void relax_with_blocks(const sweep_work* w, int chunk) {
    pl_f4 u_before[C];
    if (w->other_half) {
        chunk_sums other = half_sums(w->other_half, chunk, w->f->x);
        for (int q = 0; q < C; q++) u_before[q] = row_sum(&other, q);
    } else memcpy(u_before, w->f->u + 16 * (size_t)chunk, sizeof u_before);
    relax_chunks(w, chunk, chunk + 1, 1);
    relax_blocks(w, chunk, u_before);
}

// relaxes the chunks of a run; those with blocks one by one, the others in batches
static void relax_forward(const sweep_work* w, int chunk, int end) {
    const pl_scalar_fine* f = w->f;
    for (int k = block_at(f, C * chunk); chunk < end; chunk++) {
        int next = k < f->block_count ? f->blocks[k].place / C : end;
        relax_chunks(w, chunk, next < end ? next : end, 1);
        if (next >= end) return;
        relax_with_blocks(w, chunk = next);
        while (k < f->block_count && f->blocks[k].place < C * chunk + C) k++;
    }
}

static void relax_backward(const sweep_work* w, int first, int end) {
    const pl_scalar_fine* f = w->f;
    int chunk = end - 1;
    for (int k = block_at(f, C * end) - 1; chunk >= first; chunk--) {
        int next = k >= 0 ? f->blocks[k].place / C : -1;
        relax_chunks(w, chunk, next >= first ? next : first - 1, -1);
        if (next < first) return;
        relax_with_blocks(w, chunk = next);
        while (k >= 0 && f->blocks[k].place >= C * chunk) k--;
    }
}

static void sweep_run(const sweep_work* w, int run) {
    const pl_slab_order* o = &w->f->order;
    if (w->backward) relax_backward(w, o->run_chunks[run], o->run_ends[run]);
    else relax_forward(w, o->run_chunks[run], o->run_ends[run]);
}

// one sweep over some runs of a phase, or two; the second finds the run in the cache
static void sweep_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const stage_work* w = user;
    for (int run = w->first_run + begin; run < w->first_run + end; run++)
        for (int k = 0; k < w->sweep_count; k++) sweep_run(&w->sweeps[k], run);
}

// The direction alternates, so the last phase of a sweep is the first phase of the next. The runs
// of a phase are not coupled, so a run can do both sweeps before the next run starts. This saves
// one pass over all vectors in memory, with the same result.
void pl_scalar_fine_smooth(pl_scalar_fine* f, pl_pool* pool, int count, bool backward,
                           bool from_zero) {
    const pl_slab_order* o = &f->order;
    bool several = o->phase_count > 1;
    sweep_work sweeps[2] = {{.f = f, .backward = backward, .from_zero = from_zero}};
    if (!from_zero) sweeps[0].other_half = backward ? &f->lower : &f->upper;
    for (int k = 0, left_out = 0; k < count; k++, backward = !backward) {
        sweeps[0].half = backward ? &f->upper : &f->lower;
        sweeps[1] =
            (sweep_work){.f = f, .backward = !backward, .half = backward ? &f->lower : &f->upper};
        for (int step = left_out; step < o->phase_count; step++) {
            int phase = backward ? o->phase_count - 1 - step : step;
            bool meets = several && step == o->phase_count - 1 && k + 1 < count;
            stage_work w = {sweeps, meets ? 2 : 1, o->phase_runs[phase]};
            pl_parallel_for(pool, sweep_task, o->phase_runs[phase + 1] - w.first_run, 1, &w);
        }
        sweeps[0] = sweeps[1];
        left_out = several;
    }
    // here `backward` is the direction that the next sweep would have
    f->u_is_lower = backward;
    f->u_is_known = true;
}

// residuals of a chunk, two rows in each pair; *block: index of the next block, moved past the
// chunk
static chunk_sums chunk_residual(const sweep_work* w, int chunk, int* block) {
    const pl_scalar_fine* f = w->f;
    chunk_sums r = half_sums(w->half, chunk, f->x), other;
    if (w->other_half) other = half_sums(w->other_half, chunk, f->x);
    size_t at = 4 * (size_t)C * (size_t)chunk;
    bool plain = *block == f->block_count || f->blocks[*block].place >= C * chunk + C;
    for (int q = 0; q < C / 2; q++, at += 8) {
        pl_f8 x = pl_load8(f->x + at), u = w->other_half ? other.pair[q] : pl_load8(f->u + at);
        pl_f8 Dx = pl_spread_pair(f->diagonal + at / 4) * x;
        if (!plain) {
            pl_f4 low = diagonal_times(f, C * chunk + 2 * q, pl_low4(x), block);
            Dx = pl_pair4(low, diagonal_times(f, C * chunk + 2 * q + 1, pl_high4(x), block));
        }
        r.pair[q] = pl_load8(f->b + at) - u - r.pair[q] - Dx;
    }
    return r;
}

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_work* w = user;
    pl_scalar_fine* f = w->f;
    int group = begin / GROUP, block = block_at(f, C * begin);
    size_t slots = (size_t)(f->slot_offsets[group + 1] - f->slot_offsets[group]);
    memset(f->sums + 16 * (size_t)f->slot_offsets[group], 0, 16 * slots * sizeof(float));
    const float* point = f->point + 4 * (size_t)C * (size_t)begin;
    for (int c = begin; c < end; c++) {
        chunk_sums r = chunk_residual(w, c, &block);
        for (int q = 0; q < C; q++, point += 4) {
            pl_f4 one = row_sum(&r, q);
            pl_f8 twice = pl_pair4(one, one), X01, X23;
            pl_spread_four(point, &X01, &X23);
            float* to = f->sums + 16 * (size_t)f->slot[C * c + q];
            pl_store8(to, pl_fma8(X01, twice, pl_load8(to)));
            pl_store8(to + 8, pl_fma8(X23, twice, pl_load8(to + 8)));
        }
    }
}

static void gather_slots_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_work* w = user;
    const pl_scalar_fine* f = w->f;
    for (int n = begin; n < end; n++) {
        pl_f4 sum[4] = {{0}};
        for (int k = f->node_slot_offsets[n]; k < f->node_slot_offsets[n + 1]; k++)
            for (int a = 0; a < 4; a++)
                sum[a] += pl_load4(f->sums + 16 * (size_t)f->node_slots[k] + 4 * a);
        memcpy(w->out + 16 * (size_t)n, sum, sizeof sum);
    }
}

void pl_scalar_fine_restrict(pl_scalar_fine* f, pl_pool* pool, float* coarse_b) {
    sweep_work w = {.f = f, .half = f->u_is_lower ? &f->upper : &f->lower, .out = coarse_b};
    if (!f->u_is_known) w.other_half = f->u_is_lower ? &f->lower : &f->upper;
    pl_parallel_for(pool, restrict_task, f->order.chunk_count, GROUP, &w);
    pl_parallel_for(pool, gather_slots_task, f->node_count, 1024, &w);
}

static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_work* w = user;
    const pl_scalar_fine* f = w->f;
    for (int p = begin; p < end; p++) {
        const float *X = f->point + 4 * (size_t)p, *q = w->in + 16 * (size_t)f->parent[p];
        float* x = f->x + 4 * (size_t)p;
        pl_f8 sum = pl_pair4(pl_load4(x), (pl_f4){0});
        sum = pl_fma8(pl_spread_pair(X), pl_load8(q), sum);
        sum = pl_fma8(pl_spread_pair(X + 2), pl_load8(q + 8), sum);
        pl_store4(x, pl_low4(sum) + pl_high4(sum));
    }
}

void pl_scalar_fine_prolong_add(pl_scalar_fine* f, pl_pool* pool, const float* coarse_x) {
    sweep_work w = {.f = f, .in = coarse_x};
    pl_parallel_for(pool, prolong_task, f->order.place_count, C * GROUP, &w);
}

static void apply_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_work* w = user;
    const pl_scalar_fine* f = w->f;
    int block = block_at(f, C * begin);
    for (int c = begin; c < end; c++) {
        chunk_sums low = half_sums(&f->lower, c, w->in), high = half_sums(&f->upper, c, w->in);
        for (int q = 0; q < C; q++) {
            int p = C * c + q;
            size_t at = 4 * (size_t)p;
            pl_f4 y = row_sum(&low, q) + row_sum(&high, q) +
                      diagonal_times(f, p, pl_load4(w->in + at), &block);
            pl_store4(w->out + at, f->inverse[p] == 0.0f ? (pl_f4){0} : y);
        }
    }
}

void pl_scalar_fine_apply(const pl_scalar_fine* f, pl_pool* pool, const float* x, float* y) {
    sweep_work w = {.f = (pl_scalar_fine*)f, .in = x, .out = y};
    pl_parallel_for(pool, apply_task, f->order.chunk_count, GROUP, &w);
}
