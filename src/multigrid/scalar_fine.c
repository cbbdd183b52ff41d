// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/scalar_fine.h"
#include "base/memory.h"
#include "multigrid/scalar_rows.h"

#include <string.h>

enum { C = CHUNK, VALUE_BLOCK = 1024 };

typedef struct sweep_work {
    pl_scalar_fine* f;
    const pl_half_rows *half, *other_half; // other_half: u is not there, the sweep sums it itself
    int first_run;
    bool from_zero;
    const float* in; // of an application, or the coarse vector
    float* out;
    const pl_block_matrix* A;
    const float* point;
    const unsigned char* held;
} sweep_work;

static void half_rows_free(pl_half_rows* h, int chunk_count) {
    size_t count = h->starts ? (size_t)C * (size_t)h->starts[chunk_count] : 0;
    PL_FREE(h->columns, int, count);
    PL_FREE(h->values, float, count);
    PL_FREE(h->sources, int, count);
    PL_FREE(h->starts, int, chunk_count + 1);
    *h = (pl_half_rows){0};
}

void pl_scalar_fine_free(pl_scalar_fine* f) {
    size_t places = (size_t)f->order.place_count;
    half_rows_free(&f->lower, f->order.chunk_count);
    half_rows_free(&f->upper, f->order.chunk_count);
    PL_FREE(f->fixed_diagonal, double, places);
    PL_FREE(f->diagonal, float, places);
    PL_FREE(f->inverse, float, places);
    PL_FREE(f->b, float, 4 * places);
    PL_FREE(f->x, float, 4 * places);
    PL_FREE(f->u, float, 4 * places);
    PL_FREE(f->blocks, pl_fine_block, f->block_capacity);
    PL_FREE(f->point, float, 4 * places);
    PL_FREE(f->parent, int, places);
    PL_FREE(f->slot, int, places);
    PL_FREE(f->slot_offsets, int, f->group_count + 1);
    PL_FREE(f->sums, float, 16 * (size_t)f->slot_count);
    PL_FREE(f->node_slot_offsets, int, f->node_count + 1);
    PL_FREE(f->node_slots, int, f->slot_count);
    pl_slab_order_free(&f->order);
    *f = (pl_scalar_fine){0};
}

// entries of a row in one half
static int half_length(const pl_scalar_fine* f, const pl_block_matrix* A, int place, bool lower) {
    int row = f->order.row[place], count = 0;
    for (int e = row < 0 ? 0 : A->offsets[row]; row >= 0 && e < A->offsets[row + 1]; e++) {
        int column = f->order.place[A->columns[e]];
        count += lower ? column < place : column > place;
    }
    return count;
}

static void fill_half_row(const pl_scalar_fine* f, const pl_block_matrix* A, pl_half_rows* h,
                          int place, bool lower) {
    int chunk = place / C, row = f->order.row[place], at = h->starts[chunk];
    for (int e = row < 0 ? 0 : A->offsets[row]; row >= 0 && e < A->offsets[row + 1]; e++) {
        int column = f->order.place[A->columns[e]];
        if (lower ? column >= place : column <= place) continue;
        size_t k = (size_t)C * (size_t)at++ + (size_t)(place % C);
        h->columns[k] = 4 * column;
        h->sources[k] = e;
    }
    // what fills up a row is a column that it has anyway: 0 times something that was just computed
    size_t first = (size_t)C * (size_t)h->starts[chunk] + (size_t)(place % C);
    int filler = at > h->starts[chunk] ? h->columns[first] : 4 * place;
    for (; at < h->starts[chunk + 1]; at++) {
        size_t k = (size_t)C * (size_t)at + (size_t)(place % C);
        h->columns[k] = filler;
        h->sources[k] = -1;
    }
}

static pl_status setup_half(const pl_scalar_fine* f, const pl_block_matrix* A, pl_half_rows* h,
                            bool lower, pl_error* error) {
    int chunks = f->order.chunk_count;
    h->starts = PL_ALLOC(int, chunks + 1);
    if (!h->starts) return pl_fail_memory(error, "a matrix of multigrid");
    for (int c = 0; c < chunks; c++) {
        int longest = 0;
        for (int q = 0; q < C; q++) {
            int length = half_length(f, A, C * c + q, lower);
            longest = length > longest ? length : longest;
        }
        h->starts[c + 1] = h->starts[c] + longest;
    }
    size_t count = (size_t)C * (size_t)h->starts[chunks];
    h->columns = PL_ALLOC(int, count);
    h->values = PL_ALLOC(float, count);
    h->sources = PL_ALLOC(int, count);
    if (count && (!h->columns || !h->values || !h->sources))
        return pl_fail_memory(error, "a matrix of multigrid");
    for (int p = 0; p < f->order.place_count; p++) fill_half_row(f, A, h, p, lower);
    return PL_OK;
}

static bool allocate_vectors(pl_scalar_fine* f) {
    size_t places = (size_t)f->order.place_count;
    float** vectors[] = {&f->b, &f->x, &f->u, &f->point};
    bool ok = true;
    for (int k = 0; k < 4; k++) ok = ok && (*vectors[k] = PL_ALLOC(float, 4 * places));
    ok = ok && (f->fixed_diagonal = PL_ALLOC(double, places));
    ok = ok && (f->diagonal = PL_ALLOC(float, places));
    ok = ok && (f->inverse = PL_ALLOC(float, places));
    ok = ok && (f->parent = PL_ALLOC(int, places));
    return ok && (f->slot = PL_ALLOC(int, places));
}

// the pattern of the matrix without its diagonal; freed with pl_adjacency_free
static pl_status graph_of(const pl_block_matrix* A, pl_adjacency* graph, pl_error* error) {
    int total = A->offsets[A->row_count] - A->row_count, at = 0;
    *graph = (pl_adjacency){.count = A->row_count};
    graph->offsets = PL_ALLOC(int, A->row_count + 1);
    graph->items = PL_ALLOC(int, total);
    if (!graph->offsets || (total && !graph->items)) {
        PL_FREE(graph->offsets, int, A->row_count + 1);
        PL_FREE(graph->items, int, total);
        *graph = (pl_adjacency){0};
        return pl_fail_memory(error, "the graph of a matrix");
    }
    for (int i = 0; i < A->row_count; i++) {
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            if (A->columns[e] != i) graph->items[at++] = A->columns[e];
        graph->offsets[i + 1] = at;
    }
    return PL_OK;
}

pl_status pl_scalar_fine_setup(pl_scalar_fine* f, const pl_block_matrix* A, pl_error* error) {
    *f = (pl_scalar_fine){0};
    pl_adjacency graph;
    pl_status status = graph_of(A, &graph, error);
    if (status != PL_OK) return status;
    status = pl_slab_order_setup(&f->order, &graph, C, error);
    pl_adjacency_free(&graph);
    if (status == PL_OK && !allocate_vectors(f) && f->order.place_count > 0)
        status = pl_fail_memory(error, "the vectors of multigrid");
    if (status == PL_OK) status = setup_half(f, A, &f->lower, true, error);
    if (status == PL_OK) status = setup_half(f, A, &f->upper, false, error);
    if (status != PL_OK) pl_scalar_fine_free(f);
    return status;
}

static int group_end(const pl_scalar_fine* f, int group) {
    int end = (group + 1) * GROUP * C;
    return end < f->order.place_count ? end : f->order.place_count;
}

// numbers the nodes that each group touches; slots NULL: only counts them
static int list_slots(pl_scalar_fine* f, int* mark, int* slot_nodes) {
    int count = 0;
    for (int g = 0; g < f->group_count; g++) {
        int first = count;
        f->slot_offsets[g] = first;
        for (int p = g * GROUP * C; p < group_end(f, g); p++) {
            int node = f->parent[p];
            if (mark[node] <= first) {
                if (slot_nodes) slot_nodes[count] = node;
                mark[node] = ++count; // slot + 1
            }
            f->slot[p] = mark[node] - 1;
        }
    }
    f->slot_offsets[f->group_count] = count;
    return count;
}

// the slots of each node, in ascending order
static void list_node_slots(pl_scalar_fine* f, const int* slot_nodes, int* cursor) {
    for (int k = 0; k < f->slot_count; k++) f->node_slot_offsets[slot_nodes[k] + 1]++;
    for (int n = 0; n < f->node_count; n++) {
        f->node_slot_offsets[n + 1] += f->node_slot_offsets[n];
        cursor[n] = f->node_slot_offsets[n];
    }
    for (int k = 0; k < f->slot_count; k++) f->node_slots[cursor[slot_nodes[k]]++] = k;
}

pl_status pl_scalar_fine_set_parents(pl_scalar_fine* f, const int* parent, int node_count,
                                     pl_error* error) {
    f->node_count = node_count;
    int chunks = f->order.chunk_count;
    f->group_count = (chunks + GROUP - 1) / GROUP;
    // an empty place follows the row before it
    for (int p = 0; p < f->order.place_count; p++)
        f->parent[p] = f->order.row[p] >= 0 ? parent[f->order.row[p]] : p ? f->parent[p - 1] : 0;
    f->slot_offsets = PL_ALLOC(int, f->group_count + 1);
    f->node_slot_offsets = PL_ALLOC(int, node_count + 1);
    int *mark = PL_ALLOC(int, node_count), *slot_nodes = NULL;
    bool ok = f->slot_offsets && f->node_slot_offsets && (mark || !node_count);
    if (ok) {
        f->slot_count = list_slots(f, mark, NULL);
        f->sums = PL_ALLOC(float, 16 * (size_t)f->slot_count);
        f->node_slots = PL_ALLOC(int, f->slot_count);
        slot_nodes = PL_ALLOC(int, f->slot_count);
        ok = f->slot_count == 0 || (f->sums && f->node_slots && slot_nodes);
    }
    if (ok && f->slot_count) {
        memset(mark, 0, (size_t)node_count * sizeof(int));
        list_slots(f, mark, slot_nodes);
        list_node_slots(f, slot_nodes, mark);
    }
    PL_FREE(slot_nodes, int, f->slot_count);
    PL_FREE(mark, int, node_count);
    return ok ? PL_OK : pl_fail_memory(error, "the transfer between levels");
}

static void update_values_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_work* w = user;
    for (int k = begin; k < end; k++) {
        int e = w->half->sources[k];
        w->half->values[k] = e < 0 ? 0.0f : (float)w->A->values[e];
    }
}

static void update_rows_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_work* w = user;
    pl_scalar_fine* f = w->f;
    for (int p = begin; p < end; p++) {
        int row = f->order.row[p];
        bool free_row = row >= 0 && !(w->held && w->held[row]);
        f->fixed_diagonal[p] = free_row ? w->A->values[w->A->diagonal[row]] : 1.0;
        f->diagonal[p] = (float)f->fixed_diagonal[p];
        f->inverse[p] = free_row ? 1.0f / f->diagonal[p] : 0.0f;
        for (int a = 0; a < 4; a++)
            f->point[4 * (size_t)p + (size_t)a] =
                free_row ? w->point[4 * (size_t)row + (size_t)a] : 0;
    }
}

void pl_scalar_fine_update(pl_scalar_fine* f, pl_pool* pool, const pl_block_matrix* A,
                           const float* point, const unsigned char* held) {
    sweep_work w = {.f = f, .A = A, .point = point, .held = held};
    pl_parallel_for(pool, update_rows_task, f->order.place_count, VALUE_BLOCK, &w);
    w.half = &f->lower;
    pl_parallel_for(pool, update_values_task, C * f->lower.starts[f->order.chunk_count],
                    VALUE_BLOCK, &w);
    w.half = &f->upper;
    pl_parallel_for(pool, update_values_task, C * f->upper.starts[f->order.chunk_count],
                    VALUE_BLOCK, &w);
    f->block_count = 0;
}

// inverse of a symmetric positive definite 3x3 block
static void invert3(const double m[9], float out[9]) {
    double c[9] = {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                   m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                   m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    double det = m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
    for (int k = 0; k < 9; k++) out[k] = (float)(c[k] / det);
}

static void set_block(pl_scalar_fine* f, const pl_mg_spring* s) {
    double d = f->fixed_diagonal[s->place] + s->stiffness;
    double m[9] = {s->block[0] + d, s->block[1], s->block[2], s->block[1],    s->block[3] + d,
                   s->block[4],     s->block[2], s->block[4], s->block[5] + d};
    pl_fine_block* block = &f->blocks[f->block_count++];
    block->place = s->place;
    for (int k = 0; k < 9; k++) block->block[k] = (float)m[k];
    invert3(m, block->inverse);
}

static pl_status reserve_blocks(pl_scalar_fine* f, int count, pl_error* error) {
    if (count <= f->block_capacity) return PL_OK;
    int capacity = count + count / 2;
    pl_fine_block* blocks = PL_ALLOC(pl_fine_block, capacity);
    if (!blocks) return pl_fail_memory(error, "contacts");
    PL_FREE(f->blocks, pl_fine_block, f->block_capacity);
    f->blocks = blocks;
    f->block_capacity = capacity;
    return PL_OK;
}

static void set_diagonal(pl_scalar_fine* f, int place, double stiffness) {
    if (f->inverse[place] == 0.0f) return; // held
    f->diagonal[place] = (float)(f->fixed_diagonal[place] + stiffness);
    f->inverse[place] = 1.0f / f->diagonal[place];
}

pl_status pl_scalar_fine_set_springs(pl_scalar_fine* f, const pl_mg_spring* before,
                                     int before_count, const pl_mg_spring* springs, int count,
                                     pl_error* error) {
    int block_count = 0;
    for (int k = 0; k < count; k++) block_count += springs[k].has_block;
    pl_status status = reserve_blocks(f, block_count, error);
    if (status != PL_OK) return status;
    for (int k = 0; k < before_count; k++) set_diagonal(f, before[k].place, 0.0);
    f->block_count = 0;
    for (int k = 0; k < count; k++) {
        set_diagonal(f, springs[k].place, springs[k].stiffness);
        if (springs[k].has_block && f->inverse[springs[k].place] != 0.0f) set_block(f, &springs[k]);
    }
    return PL_OK;
}

// x = D^-1 (b - u - sum) and u = sum, for the rows of a chunk
PL_WIDE void relax_half_chunk(const sweep_work* w, int chunk) {
    pl_scalar_fine* f = w->f;
    chunk_sums sums = half_sums(w->half, chunk, f->x);
    size_t at = 4 * (size_t)C * (size_t)chunk;
    for (int q = 0; q < C / 2; q++, at += 8) {
        pl_f8 rest = pl_sub8(pl_load8(f->b + at), sums.pair[q]);
        if (!w->from_zero) rest = pl_sub8(rest, pl_load8(f->u + at));
        pl_store8(f->x + at, pl_mul8(rest, pl_spread_pair(f->inverse + C * chunk + 2 * q)));
        pl_store8(f->u + at, sums.pair[q]);
    }
}

// the same with the sum that u would have; kept apart, so that the other stays in registers
static __attribute__((noinline)) void relax_both_halves(const sweep_work* w, int chunk) {
    pl_scalar_fine* f = w->f;
    chunk_sums other = half_sums(w->other_half, chunk, f->x);
    chunk_sums sums = half_sums(w->half, chunk, f->x);
    size_t at = 4 * (size_t)C * (size_t)chunk;
    for (int q = 0; q < C / 2; q++, at += 8) {
        pl_f8 rest = pl_sub8(pl_sub8(pl_load8(f->b + at), sums.pair[q]), other.pair[q]);
        pl_store8(f->x + at, pl_mul8(rest, pl_spread_pair(f->inverse + C * chunk + 2 * q)));
        pl_store8(f->u + at, sums.pair[q]);
    }
}

PL_WIDE void relax_chunk(const sweep_work* w, int chunk) {
    if (w->other_half) relax_both_halves(w, chunk);
    else relax_half_chunk(w, chunk);
}

// rows whose diagonal is a block, once more and as such; their x was not used in between, because
// the rows of a chunk are not coupled
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
    relax_chunk(w, chunk);
    relax_blocks(w, chunk, u_before);
}

static void forward_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_work* w = user;
    const pl_scalar_fine* f = w->f;
    for (int run = w->first_run + begin; run < w->first_run + end; run++) {
        int chunk = f->order.run_chunks[run], last = f->order.run_chunks[run + 1];
        for (int k = block_at(f, C * chunk); chunk < last; chunk++) {
            if (k == f->block_count || f->blocks[k].place >= C * chunk + C) {
                relax_chunk(w, chunk);
                continue;
            }
            relax_with_blocks(w, chunk);
            while (k < f->block_count && f->blocks[k].place < C * chunk + C) k++;
        }
    }
}

static void backward_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_work* w = user;
    const pl_scalar_fine* f = w->f;
    for (int run = w->first_run + begin; run < w->first_run + end; run++) {
        int first = f->order.run_chunks[run], chunk = f->order.run_chunks[run + 1] - 1;
        for (int k = block_at(f, C * chunk + C) - 1; chunk >= first; chunk--) {
            if (k < 0 || f->blocks[k].place < C * chunk) {
                relax_chunk(w, chunk);
                continue;
            }
            relax_with_blocks(w, chunk);
            while (k >= 0 && f->blocks[k].place >= C * chunk) k--;
        }
    }
}

static void run_sweep(sweep_work* w, pl_pool* pool, bool backward) {
    const pl_slab_order* o = &w->f->order;
    w->half = backward ? &w->f->upper : &w->f->lower;
    for (int k = 0; k < o->phase_count; k++) {
        int phase = backward ? o->phase_count - 1 - k : k;
        w->first_run = o->phase_runs[phase];
        pl_parallel_for(pool, backward ? backward_task : forward_task,
                        o->phase_runs[phase + 1] - o->phase_runs[phase], 1, w);
    }
    w->f->u_is_lower = !backward;
    w->f->u_is_known = true;
}

void pl_scalar_fine_sweep(pl_scalar_fine* f, pl_pool* pool, bool backward, bool from_zero) {
    PL_ASSERT(from_zero || f->u_is_lower == backward);
    sweep_work w = {.f = f, .from_zero = from_zero};
    run_sweep(&w, pool, backward);
}

void pl_scalar_fine_sweep_both(pl_scalar_fine* f, pl_pool* pool, bool backward) {
    sweep_work w = {.f = f, .other_half = backward ? &f->lower : &f->upper};
    run_sweep(&w, pool, backward);
}

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_work* w = user;
    pl_scalar_fine* f = w->f;
    int group = begin / GROUP, block = block_at(f, C * begin);
    size_t slots = (size_t)(f->slot_offsets[group + 1] - f->slot_offsets[group]);
    memset(f->sums + 16 * (size_t)f->slot_offsets[group], 0, 16 * slots * sizeof(float));
    for (int c = begin; c < end; c++) {
        chunk_sums sums = half_sums(w->half, c, f->x), other;
        if (w->other_half) other = half_sums(w->other_half, c, f->x);
        for (int q = 0; q < C; q++) {
            int p = C * c + q;
            size_t at = 4 * (size_t)p;
            pl_f4 u = w->other_half ? row_sum(&other, q) : pl_load4(f->u + at);
            pl_f4 r = pl_load4(f->b + at) - u - row_sum(&sums, q) -
                      diagonal_times(f, p, pl_load4(f->x + at), &block);
            float* to = f->sums + 16 * (size_t)f->slot[p];
            pl_f8 twice = pl_pair4(r, r);
            for (int a = 0; a < 4; a += 2)
                pl_store8(to + 4 * a,
                          pl_fma8(pl_spread_pair(f->point + at + a), twice, pl_load8(to + 4 * a)));
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
