// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Two kinds of schedules: slabs for many rows (two phases), colours for few rows (Fratarcangeli
// 2016). Both are exact Gauss-Seidel with the same bits for any number of threads.
#include "multigrid/level_pattern.h"
#include "base/memory.h"

#include <string.h>

enum { UNIT_ROWS = 8, PIECE_ROWS = 512, SMALL_PIECES = 4 };

static void free_schedule(pl_mg_schedule* s) {
    PL_FREE(s->phase_offsets, int, s->phase_count + 1);
    PL_FREE(s->unit_offsets, int, 2 * (size_t)s->unit_count);
    PL_FREE(s->order, int, s->row_count);
    PL_FREE(s->pieces, int, 2 * (size_t)s->piece_count);
    *s = (pl_mg_schedule){0};
}

void pl_mg_pattern_free(pl_mg_pattern* p) {
    PL_FREE(p->lower.begin, int, p->row_count);
    PL_FREE(p->lower.end, int, p->row_count);
    PL_FREE(p->upper.begin, int, p->row_count);
    PL_FREE(p->upper.end, int, p->row_count);
    PL_FREE(p->columns, int, p->entry_count);
    PL_FREE(p->source, int, p->entry_count);
    free_schedule(&p->schedule);
    *p = (pl_mg_pattern){0};
}

int pl_mg_pattern_find(const pl_mg_pattern* p, int row, int column) {
    for (int e = p->lower.begin[row]; e < p->lower.end[row]; e++)
        if (p->columns[e] == column) return e;
    for (int e = p->upper.begin[row]; e < p->upper.end[row]; e++)
        if (p->columns[e] == column) return e;
    return -1;
}

// Greedy colouring; returns the number of colours, or 0 if allocation fails.
static int colour_rows(const pl_adjacency* graph, int* colour) {
    int n = graph->count, colour_count = 0;
    int* used_by = PL_ALLOC(int, n + 1);
    if (!used_by) return 0;
    for (int i = 0; i <= n; i++) used_by[i] = -1;
    for (int i = 0; i < n; i++) {
        for (int e = graph->offsets[i]; e < graph->offsets[i + 1]; e++)
            if (graph->items[e] < i) used_by[colour[graph->items[e]]] = i;
        colour[i] = 0;
        while (used_by[colour[i]] == i) colour[i]++;
        if (colour[i] >= colour_count) colour_count = colour[i] + 1;
    }
    PL_FREE(used_by, int, n + 1);
    return colour_count;
}

static bool alloc_schedule(pl_mg_schedule* s, int row_count, int phase_count, int unit_count) {
    *s = (pl_mg_schedule){
        .row_count = row_count, .phase_count = phase_count, .unit_count = unit_count};
    s->phase_offsets = PL_ALLOC(int, phase_count + 1);
    s->unit_offsets = PL_ALLOC(int, 2 * (size_t)unit_count);
    return s->phase_offsets && s->unit_offsets;
}

// Each run of the slab order is a unit. keep_numbers: rows keep their numbers; otherwise a row's
// number is its position.
static bool schedule_slabs(pl_mg_schedule* s, const pl_slab_order* order, bool keep_numbers) {
    if (!alloc_schedule(s, order->row_count, order->phase_count, order->run_count)) return false;
    if (keep_numbers) {
        s->order = PL_ALLOC(int, order->row_count);
        if (!s->order) return false;
        memcpy(s->order, order->row, (size_t)order->row_count * sizeof(int));
    }
    memcpy(s->phase_offsets, order->phase_runs, ((size_t)order->phase_count + 1) * sizeof(int));
    for (int run = 0; run < order->run_count; run++) {
        s->unit_offsets[2 * run] = order->run_chunks[run];
        s->unit_offsets[2 * run + 1] = order->run_chunks[run + 1];
    }
    return true;
}

// units of up to UNIT_ROWS rows of one colour; sizes: number of rows of each colour
static bool colour_units(pl_mg_schedule* s, int row_count, const int* sizes, int colour_count) {
    int unit_count = 0, unit = 0, position = 0;
    for (int c = 0; c < colour_count; c++) unit_count += (sizes[c] + UNIT_ROWS - 1) / UNIT_ROWS;
    if (!alloc_schedule(s, row_count, colour_count, unit_count)) return false;
    for (int c = 0; c < colour_count; c++) {
        int end = position + sizes[c];
        for (; position < end; unit++) {
            s->unit_offsets[2 * unit] = position;
            position = position + UNIT_ROWS < end ? position + UNIT_ROWS : end;
            s->unit_offsets[2 * unit + 1] = position;
        }
        s->phase_offsets[c + 1] = unit;
    }
    s->order = PL_ALLOC(int, row_count);
    return s->order != NULL;
}

static bool schedule_colours(pl_mg_schedule* s, const pl_adjacency* graph, int* colour) {
    int n = graph->count, colour_count = colour_rows(graph, colour);
    int* sizes = colour_count > 0 ? PL_ALLOC(int, colour_count) : NULL;
    if (!sizes) return false;
    for (int i = 0; i < n; i++) sizes[colour[i]]++;
    bool ok = colour_units(s, n, sizes, colour_count);
    if (ok) {
        int position = 0;
        for (int c = 0; c < colour_count; c++)
            for (int i = 0; i < n; i++)
                if (colour[i] == c) s->order[position++] = i;
    }
    PL_FREE(sizes, int, colour_count);
    return ok;
}

static int pieces_of(const pl_mg_schedule* s, int unit) {
    int rows = s->unit_offsets[2 * unit + 1] - s->unit_offsets[2 * unit];
    return (rows + PIECE_ROWS - 1) / PIECE_ROWS;
}

// cuts a unit into pieces of about equal length
static void cut_unit(pl_mg_schedule* s, int unit, int* next) {
    int first = s->unit_offsets[2 * unit], rows = s->unit_offsets[2 * unit + 1] - first;
    int count = pieces_of(s, unit);
    for (int k = 0; k < count; k++, (*next)++) {
        s->pieces[2 * *next] = first + (int)((int64_t)rows * k / count);
        s->pieces[2 * *next + 1] = first + (int)((int64_t)rows * (k + 1) / count);
    }
}

// Orders pieces by location. The units of each phase run through the whole body from one end to the
// other, so the units of all phases are merged by their relative place in their phase.
static bool cut_pieces(pl_mg_schedule* s) {
    int* done = PL_ALLOC(int, s->phase_count);
    for (int unit = 0; unit < s->unit_count; unit++) s->piece_count += pieces_of(s, unit);
    s->pieces = PL_ALLOC(int, 2 * (size_t)s->piece_count);
    bool ok = (done || s->phase_count == 0) && (s->pieces || s->piece_count == 0);
    for (int k = 0, next = 0; ok && k < s->unit_count; k++) {
        int best = -1;
        double least = 2.0;
        for (int phase = 0; phase < s->phase_count; phase++) {
            int count = s->phase_offsets[phase + 1] - s->phase_offsets[phase];
            double part = done[phase] < count ? (done[phase] + 0.5) / count : 2.0;
            if (part < least) least = part, best = phase;
        }
        cut_unit(s, s->phase_offsets[best] + done[best]++, &next);
    }
    PL_FREE(done, int, s->phase_count);
    return ok;
}

typedef struct piece_job {
    const pl_mg_schedule* schedule;
    pl_task task;
    void* user;
} piece_job;

static void piece_task(int begin, int end, int worker, void* user) {
    const piece_job* job = user;
    for (int k = begin; k < end; k++)
        job->task(job->schedule->pieces[2 * k], job->schedule->pieces[2 * k + 1], worker,
                  job->user);
}

void pl_mg_for_pieces(const pl_mg_schedule* schedule, pl_pool* pool, pl_task task, void* user) {
    piece_job job = {schedule, task, user};
    pl_parallel_for(pool, piece_task, schedule->piece_count, schedule->order ? SMALL_PIECES : 1,
                    &job);
}

// rank[row] = number of rows that a sweep visits before it
static void rank_rows(const pl_mg_schedule* s, int* rank) {
    int next = 0;
    for (int unit = 0; unit < s->unit_count; unit++)
        for (int k = s->unit_offsets[2 * unit]; k < s->unit_offsets[2 * unit + 1]; k++)
            rank[s->order ? s->order[k] : k] = next++;
}

// fills one half, in the order of positions
static void fill_half(pl_mg_pattern* p, const pl_adjacency* graph, const int* rank, bool upper,
                      int* next) {
    pl_mg_half* half = upper ? &p->upper : &p->lower;
    for (int position = 0; position < p->row_count; position++) {
        int i = p->schedule.order ? p->schedule.order[position] : position;
        half->begin[i] = *next;
        for (int e = graph->offsets[i]; e < graph->offsets[i + 1]; e++) {
            int j = graph->items[e];
            if ((rank[j] > rank[i]) != upper) continue;
            p->columns[*next] = j;
            p->source[(*next)++] = e;
        }
        half->end[i] = *next;
    }
}

static pl_status fill_pattern(pl_mg_pattern* p, const pl_adjacency* graph, int* rank,
                              pl_error* error) {
    p->lower.begin = PL_ALLOC(int, p->row_count);
    p->lower.end = PL_ALLOC(int, p->row_count);
    p->upper.begin = PL_ALLOC(int, p->row_count);
    p->upper.end = PL_ALLOC(int, p->row_count);
    p->columns = PL_ALLOC(int, p->entry_count);
    p->source = PL_ALLOC(int, p->entry_count);
    if (!p->lower.begin || !p->lower.end || !p->upper.begin || !p->upper.end ||
        (p->entry_count > 0 && (!p->columns || !p->source)))
        return pl_fail_memory(error, "the structure of a level");
    int next = 0;
    rank_rows(&p->schedule, rank);
    fill_half(p, graph, rank, false, &next);
    fill_half(p, graph, rank, true, &next);
    return PL_OK;
}

// order NULL: schedule by colours
static pl_status setup_pattern(pl_mg_pattern* p, const pl_adjacency* graph,
                               const pl_slab_order* order, bool keep_numbers, pl_error* error) {
    int n = graph->count;
    *p = (pl_mg_pattern){.row_count = n, .entry_count = graph->offsets[n]};
    int* scratch = PL_ALLOC(int, n);
    bool ok = scratch && (order ? schedule_slabs(&p->schedule, order, keep_numbers)
                                : schedule_colours(&p->schedule, graph, scratch));
    ok = ok && cut_pieces(&p->schedule);
    pl_status status = ok ? fill_pattern(p, graph, scratch, error)
                          : pl_fail_memory(error, "the structure of a level");
    PL_FREE(scratch, int, n);
    if (status != PL_OK) pl_mg_pattern_free(p);
    return status;
}

pl_status pl_mg_pattern_slabs(pl_mg_pattern* out, const pl_adjacency* graph,
                              const pl_slab_order* order, pl_error* error) {
    return setup_pattern(out, graph, order, false, error);
}

pl_status pl_mg_pattern_bands(pl_mg_pattern* out, const pl_adjacency* graph, pl_error* error) {
    pl_slab_order order;
    pl_status status = pl_slab_order_setup(&order, graph, 1, error);
    if (status == PL_OK) status = setup_pattern(out, graph, &order, true, error);
    pl_slab_order_free(&order);
    return status;
}

pl_status pl_mg_pattern_colours(pl_mg_pattern* out, const pl_adjacency* graph, pl_error* error) {
    return setup_pattern(out, graph, NULL, false, error);
}
