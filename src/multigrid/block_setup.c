// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Algorithm 3: the order of rows, the nodes of all levels, and the pattern of blocks.
#include "base/memory.h"
#include "multigrid/block_multigrid.h"
#include "multigrid/stiff_lengths.h"

#include <string.h>

enum { ROW_BLOCK = 1024 };
// Relaxation with which sweeps of every mixed matrix so far converged.
static const float OMEGA = 0.5f;

// The couplings of the matrix, optionally in another order of rows.
typedef struct graph_job {
    const pl_mg_blocks* A;
    const int *old_of_new, *new_of_old; // NULL: keeps the order
    pl_adjacency* graph;
    int* entries; // entry of the matrix for each item, or NULL
} graph_job;

// fills the rows of a graph with known offsets, in ascending order
static void graph_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const graph_job* job = user;
    const pl_mg_blocks* A = job->A;
    int *items = job->graph->items, *entries = job->entries;
    for (int i = begin; i < end; i++) {
        int old = job->old_of_new ? job->old_of_new[i] : i;
        int first = job->graph->offsets[i], next = first;
        for (int e = A->offsets[old]; e < A->offsets[old + 1]; e++) {
            if (A->columns[e] == old) continue;
            int j = job->new_of_old ? job->new_of_old[A->columns[e]] : A->columns[e], at = next++;
            for (; at > first && items[at - 1] > j; at--) {
                items[at] = items[at - 1];
                if (entries) entries[at] = entries[at - 1];
            }
            items[at] = j;
            if (entries) entries[at] = e;
        }
    }
}

// entries: room for one per item, or NULL
static pl_status make_graph(const pl_block_mg* mg, const pl_mg_blocks* A, bool in_new_order,
                            pl_adjacency* graph, int* entries, pl_error* error) {
    int n = A->row_count, item_count = A->offsets[n] - n;
    *graph = (pl_adjacency){.count = n};
    graph->offsets = PL_ALLOC(int, n + 1);
    graph->items = PL_ALLOC(int, item_count);
    if (!graph->offsets || (!graph->items && item_count > 0)) {
        PL_FREE(graph->offsets, int, n + 1);
        PL_FREE(graph->items, int, item_count);
        *graph = (pl_adjacency){0};
        return pl_fail_memory(error, "the graph of a matrix");
    }
    for (int i = 0; i < n; i++) { // all but the diagonal, which every row has
        int old = in_new_order ? mg->old_of_new[i] : i;
        graph->offsets[i + 1] = graph->offsets[i] + A->offsets[old + 1] - A->offsets[old] - 1;
    }
    graph_job job = {.A = A, .graph = graph, .entries = entries};
    if (in_new_order) job.old_of_new = mg->old_of_new, job.new_of_old = mg->new_of_old;
    pl_parallel_for(mg->pool, graph_task, n, ROW_BLOCK, &job);
    return PL_OK;
}

static pl_status number_rows(pl_block_mg* mg, const pl_mg_blocks* A, const double* positions,
                             pl_slab_order* order, pl_error* error) {
    int n = mg->row_count;
    mg->old_of_new = PL_ALLOC(int, n);
    mg->new_of_old = PL_ALLOC(int, n);
    mg->diagonal_source = PL_ALLOC(int, n);
    mg->positions = PL_ALLOC(double, 3 * (size_t)n);
    mg->held = PL_ALLOC(unsigned char, n);
    mg->held_before = PL_ALLOC(unsigned char, n);
    if (mg->unknowns == 4) mg->held_unknowns = PL_ALLOC(unsigned char, n);
    if ((mg->unknowns == 4 && !mg->held_unknowns) || !mg->old_of_new || !mg->new_of_old ||
        !mg->diagonal_source || !mg->positions || !mg->held || !mg->held_before)
        return pl_fail_memory(error, "multigrid");
    pl_adjacency graph;
    pl_status status = make_graph(mg, A, false, &graph, NULL, error);
    if (status != PL_OK) return status;
    status = pl_slab_order_setup(order, &graph, 1, error);
    pl_adjacency_free(&graph);
    if (status != PL_OK) return status;
    for (int i = 0; i < n; i++) {
        int old = mg->old_of_new[i] = order->row[i];
        mg->new_of_old[old] = i;
        memcpy(mg->positions + 3 * (size_t)i, positions + 3 * (size_t)old, 3 * sizeof(double));
        for (int e = A->offsets[old]; e < A->offsets[old + 1]; e++)
            if (A->columns[e] == old) mg->diagonal_source[i] = e;
    }
    return PL_OK;
}

// Data to find the nodes of the levels. That takes long and cannot be shared by threads, so it runs
// beside all other setup that does not need the nodes.
typedef struct pl_block_sampling {
    pl_background background;
    pl_mg_hierarchy* hierarchy;
    const double* positions;
    pl_adjacency graph; // in row order
    pl_mg_hierarchy_options options;
    double* lengths; // per item of the graph, or NULL
    int* starts;
    int* levels; // from the settings, or NULL
    int start_count, level_count;
    pl_status status;
    pl_error error;
} pl_block_sampling;

void pl_block_mg_end_sampling(pl_block_mg* mg) {
    pl_block_sampling* s = mg->sampling;
    if (!s) return;
    pl_background_wait(mg->pool, &s->background);
    PL_FREE(s->lengths, double, s->graph.offsets ? s->graph.offsets[s->graph.count] : 0);
    PL_FREE(s->starts, int, s->start_count);
    PL_FREE(s->levels, int, s->level_count);
    pl_adjacency_free(&s->graph);
    PL_FREE(s, pl_block_sampling, 1);
    mg->sampling = NULL;
}

static void sample_job(void* user) {
    pl_block_sampling* s = user;
    s->status =
        pl_mg_hierarchy_setup(s->hierarchy, &s->graph, s->positions, &s->options, &s->error);
}

// Sorts the starts by row and copies the level sizes.
static pl_status keep_settings(pl_block_mg* mg, const pl_mg_settings* settings, pl_error* error) {
    pl_block_sampling* s = mg->sampling;
    s->start_count = settings->start_count;
    s->level_count = settings->levels ? settings->level_count : 0;
    s->starts = PL_ALLOC(int, s->start_count);
    s->levels = PL_ALLOC(int, s->level_count);
    if ((s->start_count > 0 && !s->starts) || (s->level_count > 0 && !s->levels))
        return pl_fail_memory(error, "multigrid");
    for (int k = 0; k < s->start_count; k++) {
        int vertex = settings->starts[k];
        bool valid = vertex >= 0 && vertex < mg->row_count;
        s->starts[k] = valid ? mg->new_of_old[vertex] : vertex;
    }
    if (s->level_count > 0)
        memcpy(s->levels, settings->levels, (size_t)s->level_count * sizeof(int));
    s->options = (pl_mg_hierarchy_options){.counts = s->levels,
                                           .count_count = s->level_count,
                                           .keeps_ratio = mg->unknowns == 4,
                                           .starts = s->starts,
                                           .start_count = s->start_count,
                                           .pool = mg->pool};
    return PL_OK;
}

// Computes the lengths for sampling and starts it.
static pl_status begin_sampling(pl_block_mg* mg, const pl_mg_blocks* A, const int* entries,
                                const pl_mg_settings* settings, pl_error* error) {
    pl_block_sampling* s = mg->sampling;
    int item_count = s->graph.offsets[s->graph.count];
    pl_status status = keep_settings(mg, settings, error);
    if (status != PL_OK) return status;
    s->lengths = settings->stiffness_aware ? PL_ALLOC(double, item_count) : NULL;
    if (settings->stiffness_aware && item_count > 0 && !s->lengths)
        return pl_fail_memory(error, "multigrid");
    if (s->lengths && A->values) {
        bool stiff = pl_stiff_lengths(&s->graph, mg->positions, A->values, mg->unknowns, entries,
                                      mg->pool, s->lengths);
        *(stiff ? &s->options.lengths : &s->options.plain_lengths) = s->lengths;
    }
    mg->uneven = mg->unknowns == 3 && s->options.lengths != NULL; // it needs a definite matrix
    s->hierarchy = &mg->hierarchy;
    s->positions = mg->positions;
    pl_background_start(mg->pool, sample_job, s, &s->background);
    return PL_OK;
}

static int find_source(const pl_mg_blocks* A, int row, int column) {
    int low = A->offsets[row], high = A->offsets[row + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->columns[middle] < column) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct sources_job {
    const pl_block_mg* mg;
    const pl_mg_blocks* A;
    pl_mg_pattern* pattern;
} sources_job;

// The entries of a row come from one row of the matrix, so reads are contiguous.
static void sources_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sources_job* job = user;
    const int* old_of_new = job->mg->old_of_new;
    pl_mg_pattern* p = job->pattern;
    const pl_mg_half* halves[2] = {&p->lower, &p->upper};
    for (int h = 0; h < 2; h++)
        for (int i = begin; i < end; i++)
            for (int e = halves[h]->begin[i]; e < halves[h]->end[i]; e++)
                p->source[e] = find_source(job->A, old_of_new[i], old_of_new[p->columns[e]]);
}

static pl_status make_finest(pl_block_mg* mg, const pl_mg_blocks* A, const pl_slab_order* order,
                             pl_error* error) {
    pl_mg_pattern pattern = {0};
    pl_status status = pl_mg_pattern_slabs(&pattern, &mg->sampling->graph, order, error);
    if (status != PL_OK) return status;
    sources_job job = {mg, A, &pattern};
    pl_parallel_for(mg->pool, sources_task, pattern.row_count, ROW_BLOCK, &job);
    status = pl_block_level_setup(&mg->levels[0], &pattern,
                                  mg->unknowns == 3 ? PL_BLOCKS_3 : PL_BLOCKS_4, error);
    mg->levels[0].held = mg->held_unknowns;
    return status;
}

// The solver of the settings, or the cheaper factor.
static pl_status setup_bottom(pl_block_mg* mg, pl_error* error) {
    enum { DENSE_ENOUGH = 2048 }; // unknowns that are always dense
    const pl_coarsest coarsest = pl_block_mg_coarsest(mg);
    if (mg->bottom.operations)
        return mg->bottom.operations->setup(mg->bottom.user, &coarsest, error);
    const pl_block_level* level = coarsest.level;
    double n = (double)level->unknowns * level->node_count;
    mg->bottom = (pl_mg_bottom){pl_dense_bottom_operations(mg->unknowns), &mg->dense};
    if (n > DENSE_ENOUGH) {
        pl_status status = pl_sparse_bottom_analyse(&mg->sparse, level, level->unknowns, error);
        if (status != PL_OK) return status;
        if (pl_sparse_bottom_pays(&mg->sparse, n * n * n / 3.0))
            mg->bottom = (pl_mg_bottom){&pl_sparse_bottom_operations, &mg->sparse};
        else pl_sparse_bottom_free(&mg->sparse);
    }
    return mg->bottom.operations->setup(mg->bottom.user, &coarsest, error);
}

// the levels above the finest one
static pl_status make_levels(pl_block_mg* mg, pl_error* error) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    pl_status status = PL_OK;
    for (int l = 1; status == PL_OK && l < h->level_count; l++) {
        pl_mg_pattern next;
        status = pl_block_product_setup(&mg->products[l], &mg->levels[l - 1], &h->transfers[l - 1],
                                        &next, error);
        if (status == PL_OK)
            status = pl_block_level_setup(&mg->levels[l], &next,
                                          mg->unknowns == 3 ? PL_BLOCKS_12 : PL_BLOCKS_16, error);
    }
    for (int l = 0; status == PL_OK && l < h->level_count; l++) {
        mg->marks[l] = PL_ALLOC(int, h->node_counts[l]);
        mg->touched[l] = PL_ALLOC(int, h->node_counts[l]);
        bool apart = mg->unknowns == 4 && l > 0;
        mg->unseen[l] = apart ? PL_ALLOC(float, 64 * (size_t)h->node_counts[l]) : NULL;
        if (!mg->marks[l] || !mg->touched[l] || (apart && !mg->unseen[l]))
            status = pl_fail_memory(error, "multigrid");
    }
    bool iterates = mg->unknowns == 4 && !mg->settings.v_cycle;
    for (int l = 1; status == PL_OK && iterates && l + 1 < h->level_count; l++)
        status = pl_block_inner_setup(&mg->inner[l], &mg->levels[l], error);
    if (status == PL_OK && mg->uneven && h->level_count > 2) {
        size_t size = (size_t)h->node_counts[1] * PL_NODE;
        mg->step = PL_ALLOC(float, size);
        mg->stepped = PL_ALLOC(float, size);
        if (!mg->step || !mg->stepped) status = pl_fail_memory(error, "multigrid");
    }
    if (status != PL_OK) return status;
    for (int l = 0; l < h->level_count; l++)
        if (mg->unknowns == 4)
            mg->levels[l].omega = mg->settings.omega > 0.0f ? mg->settings.omega : OMEGA;
    pl_block_mg_find_unseen(mg);
    return setup_bottom(mg, error);
}

static pl_status begin(pl_block_mg* mg, const pl_mg_blocks* A, const double* positions,
                       const pl_mg_settings* settings, pl_error* error) {
    int item_count = A->offsets[A->row_count] - A->row_count;
    pl_slab_order order = {0};
    int* entries = PL_ALLOC(int, item_count);
    mg->sampling = PL_ALLOC(pl_block_sampling, 1);
    pl_status status = PL_OK;
    if (!mg->sampling || (!entries && item_count > 0)) status = pl_fail_memory(error, "multigrid");
    if (status == PL_OK) status = number_rows(mg, A, positions, &order, error);
    if (status == PL_OK) status = make_graph(mg, A, true, &mg->sampling->graph, entries, error);
    if (status == PL_OK) status = begin_sampling(mg, A, entries, settings, error);
    if (status == PL_OK) status = make_finest(mg, A, &order, error);
    pl_slab_order_free(&order);
    PL_FREE(entries, int, item_count);
    return status;
}

pl_status pl_block_mg_begin(pl_block_mg** out, const pl_mg_blocks* A, const double* positions,
                            const pl_mg_settings* settings, pl_pool* pool, pl_error* error) {
    *out = NULL;
    pl_block_mg* mg = PL_ALLOC(pl_block_mg, 1);
    if (!mg) return pl_fail_memory(error, "multigrid");
    mg->settings = *settings;
    mg->settings.levels = mg->settings.starts = NULL;
    mg->unknowns = settings->unknowns == 4 ? 4 : 3;
    mg->bottom = settings->bottom;
    mg->pool = pool;
    mg->row_count = A->row_count;
    mg->scale = 1.0f;
    mg->additions = pl_array_of(sizeof(pl_mg_addition));
    pl_status status = begin(mg, A, positions, settings, error);
    if (status == PL_OK) *out = mg;
    else pl_block_mg_destroy(mg);
    return status;
}

pl_status pl_block_mg_finish(pl_block_mg* mg, pl_error* error) {
    pl_background_wait(mg->pool, &mg->sampling->background);
    pl_status status = mg->sampling->status;
    if (status != PL_OK && error) *error = mg->sampling->error;
    pl_block_mg_end_sampling(mg);
    return status == PL_OK ? make_levels(mg, error) : status;
}

pl_status pl_block_mg_setup(pl_block_mg** out, const pl_mg_blocks* A, const double* positions,
                            const pl_mg_settings* settings, pl_pool* pool, pl_error* error) {
    pl_status status = pl_block_mg_begin(out, A, positions, settings, pool, error);
    if (status == PL_OK) status = pl_block_mg_finish(*out, error);
    if (status == PL_OK || !*out) return status;
    pl_block_mg_destroy(*out);
    *out = NULL;
    return status;
}

// Block (i, j) row by row equals block (j, i) column by column, so it is written there.
typedef struct places_job {
    const pl_block_mg* mg;
    const pl_mg_blocks* A;
    int* places;
} places_job;

static void places_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const places_job* job = user;
    const pl_block_mg* mg = job->mg;
    const pl_mg_pattern* p = &mg->levels[0].pattern;
    const pl_mg_half* halves[2] = {&p->lower, &p->upper};
    for (int i = begin; i < end; i++) {
        job->places[mg->diagonal_source[i]] = p->entry_count + i;
        for (int h = 0; h < 2; h++)
            for (int e = halves[h]->begin[i]; e < halves[h]->end[i]; e++)
                job->places[find_source(job->A, mg->old_of_new[p->columns[e]], mg->old_of_new[i])] =
                    e;
    }
}

void pl_block_mg_places(const pl_block_mg* mg, const pl_mg_blocks* A, int* places) {
    places_job job = {mg, A, places};
    pl_parallel_for(mg->pool, places_task, mg->levels[0].pattern.row_count, ROW_BLOCK, &job);
}
