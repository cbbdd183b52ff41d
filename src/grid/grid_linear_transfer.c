// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Prolongation P of the paper's section 6: linear along the axis of a component and 3/4 1/4 across
// it; pressures are copied. Fields are in units of the level's own cell: with cells half as large,
// c is multiplied by a half.
//
// Where we differ: c = div(phi) - p is prolonged in place of p.
#include "grid/grid_linear_transfer.h"
#include "grid/grid_linear_kernels.h"

enum { ROWS = 16 };

typedef struct transfer_job {
    pl_grid_linear_level* fine;
    pl_grid_linear_level* coarse;
    int wanted; // AROUND, DEEP
} transfer_job;

enum { BAND_CHUNKS = 256 }; // chunks in a block of work

// sequentially: some depend on earlier ones
static void set_ghosts(pl_grid_linear_level* l) {
    float* fields[4] = {l->u[0], l->u[1], l->u[2], l->c};
    for (int k = 0; k < l->ghost_count; k++) {
        const pl_grid_ghost* ghost = &l->ghosts[k];
        float sum = 0.0f;
        for (int s = 0; s < ghost->source_count; s++)
            sum += ghost->weight[s] * fields[ghost->source_field[s]][ghost->source[s]];
        fields[ghost->field][ghost->place] = sum;
    }
}

// p becomes c in slaved cells
static void slaved_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_grid_linear_level* l = user;
    for (int k = begin; k < end; k++) {
        const pl_grid_band_chunk* b = &l->band[k];
        for (int h = 0; b->has_slaved && h < 2; h++) {
            float* c = l->c + b->begin + h * PL_HALF;
            const pl_half_i cells = pl_load_bytes_half(b->cells + h * PL_HALF);
            const pl_half p = pl_load_half(c), change = pl_band_divergence(l, b, h, 7) - p;
            pl_store_half(c, pl_select_half(pl_flag_half(cells, 3), change, p));
        }
    }
}

void pl_grid_fill_ghosts(pl_grid_linear_level* l, pl_pool* pool) {
    set_ghosts(l);
    pl_parallel_for(pool, slaved_task, l->band_count, BAND_CHUNKS, l);
}

// ------------------------------------------------------------------ prolongation

// weights of the coarse rows below, at and above a row, along one axis: for faces across that axis,
// which lie on a coarse face or half way to the next, or for others
static void weights_of(bool across, bool odd, float out[3]) {
    out[0] = across || odd ? 0.0f : 0.25f;
    out[1] = across ? (odd ? 0.5f : 1.0f) : 0.75f;
    out[2] = odd ? (across ? 0.5f : 0.25f) : 0.0f;
}

// The two to four coarse rows that a row of faces across an axis is interpolated from.
typedef struct sources {
    int count;
    int parent[4];
    float weight[4];
} sources;

static sources sources_of(int a, const pl_grid_run* g) {
    sources s = {0};
    float y[3], z[3];
    weights_of(a == 1, g->odd_y, y), weights_of(a == 2, g->odd_z, z);
    for (int n = 0; n < 9; n++) {
        float w = y[n % 3] * z[n / 3];
        if (w > 0.0f) s.parent[s.count] = n, s.weight[s.count++] = w;
    }
    return s;
}

// The eight coarse values over a chunk, and those before and after, summed over rows.
typedef struct coarse_sum {
    pl_half low, own, high;
} coarse_sum;
PL_WIDE pl_half load_quarters(const float* from) {
    const pl_quarter even = *(const pl_quarter_loose*)from,
                     odd = *(const pl_quarter_loose*)(from + PL_HALF);
    return __builtin_shufflevector(even, odd, 0, 1, 2, 3, 4, 5, 6, 7);
}
PL_WIDE coarse_sum sum_rows(const float* u, const int* parents, const sources* s, bool linear) {
    // the cell after the eight is in the other half of the coarse chunk or in the one after it
    const bool upper = parents[s->parent[0]] & (PL_HALF / 2);
    const int before = upper ? PL_HALF - 1 : -1,
              after = upper ? PL_HALF + PL_HALF / 2 : PL_HALF / 2;
    pl_half own = {0};
    float first = 0.0f, last = 0.0f;
    for (int k = 0; k < s->count; k++) {
        const float *from = u + parents[s->parent[k]], weight = s->weight[k];
        own = pl_fma_half(pl_splat_half(weight), load_quarters(from), own);
        last += weight * from[after];
        if (!linear) first += weight * from[before];
    }
    own = __builtin_shufflevector(own, own, 0, 4, 1, 5, 2, 6, 3, 7);
    return (coarse_sum){pl_shift_half(pl_splat_half(first), own), own,
                        pl_unshift_half(own, pl_splat_half(last))};
}

PL_WIDE void add_half(float* to, pl_half value, unsigned bits) {
    pl_store_half(to, pl_load_half(to) + (bits == 0xff ? value : pl_keep_half(bits, value)));
}

PL_WIDE void add_halves(float* to, pl_half even, pl_half odd, uint16_t bits) {
    add_half(to, even, pl_bits_of_half(bits, 0));
    add_half(to + PL_HALF, odd, pl_bits_of_half(bits, 1));
}

// Prolongs to the wanted chunks: those without PL_GRID_DEEP, those with it, or all.
enum { AROUND = 1, DEEP = 2 };

PL_WIDE void prolong_run(const transfer_job* job, const pl_grid_run* g) {
    const sources from[3] = {sources_of(0, g), sources_of(1, g), sources_of(2, g)};
    pl_grid_linear_level* fine = job->fine;
    const int ahead = rows_ahead(g);
    for (int n = 0; n < g->count; n++) {
        int at = g->begin + n * PL_GRID_CHUNK;
        const bool deep = fine->full[at / PL_GRID_CHUNK] & PL_GRID_DEEP;
        if (!(job->wanted & (deep ? DEEP : AROUND))) continue;
        for (int a = 0; a < 3; a++) fetch(fine->u[a] + at, ahead);
        fetch(fine->c + at, ahead);
        const int* parents = fine->layout->parents[at / PL_GRID_CHUNK];
        const pl_grid_masks* m = &fine->split[at / PL_GRID_CHUNK];
        coarse_sum t = sum_rows(job->coarse->u[0], parents, &from[0], true);
        add_halves(fine->u[0] + at, t.own, 0.5f * (t.own + t.high), m->face[0]);
        for (int a = 1; a < 3; a++) {
            t = sum_rows(job->coarse->u[a], parents, &from[a], false);
            pl_half most = 0.75f * t.own;
            add_halves(fine->u[a] + at, most + 0.25f * t.low, most + 0.25f * t.high, m->face[a]);
        }
        pl_half c = load_quarters(job->coarse->c + parents[4]);
        c = 0.5f * __builtin_shufflevector(c, c, 0, 4, 1, 5, 2, 6, 3, 7);
        add_halves(fine->c + at, c, c, m->core);
    }
}

static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const transfer_job* job = user;
    for (int k = job->fine->row_runs[begin]; k < job->fine->row_runs[end]; k++)
        prolong_run(job, &job->fine->runs[k]);
}

void pl_grid_prolong_around(pl_grid_linear_level* fine, const pl_grid_linear_level* coarse,
                            pl_pool* pool) {
    transfer_job job = {fine, (pl_grid_linear_level*)coarse, AROUND};
    pl_parallel_for(pool, prolong_task, fine->layout->size[1] * fine->layout->size[2], ROWS, &job);
}
void pl_grid_prolong_deep(pl_grid_linear_level* fine, const pl_grid_linear_level* coarse,
                          int row_begin, int row_end) {
    transfer_job job = {fine, (pl_grid_linear_level*)coarse, DEEP};
    prolong_task(row_begin, row_end, 0, &job);
}
