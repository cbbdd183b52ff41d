// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Algorithm 3 for 3 x 3 blocks: the order of rows, the nodes of all levels, and which blocks
// there are.
#include "base/memory.h"
#include "multigrid/block_multigrid.h"
#include "multigrid/stiff_lengths.h"

#include <string.h>

// The couplings of the matrix with the rows in another order; entries: of each item the entry of
// the matrix.
static pl_status make_graph(const pl_mg_blocks* A, const int* old_of_new, const int* new_of_old,
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
    int next = 0;
    for (int i = 0; i < n; i++) {
        int old = old_of_new ? old_of_new[i] : i, first = next;
        for (int e = A->offsets[old]; e < A->offsets[old + 1]; e++) {
            if (A->columns[e] == old) continue;
            int j = new_of_old ? new_of_old[A->columns[e]] : A->columns[e], at = next++;
            for (; at > first && graph->items[at - 1] > j; at--) {
                graph->items[at] = graph->items[at - 1];
                if (entries) entries[at] = entries[at - 1];
            }
            graph->items[at] = j;
            if (entries) entries[at] = e;
        }
        graph->offsets[i + 1] = next;
    }
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
    if (!mg->old_of_new || !mg->new_of_old || !mg->diagonal_source || !mg->positions || !mg->held ||
        !mg->held_before)
        return pl_fail_memory(error, "multigrid");
    pl_adjacency graph;
    pl_status status = make_graph(A, NULL, NULL, &graph, NULL, error);
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

// Levels that nobody asked for. Nodes of 12 unknowns cost more than vertices, and too large a step
// to the dense level costs iterations: of some bars (53 and 203 thousand vertices) these two levels
// took the least time. 0: as usual.
static int choose_counts(int row_count, int counts[2]) {
    enum { LEAST_ROWS = 20000, FINE_RATIO = 128, LARGEST_RATIO = 250, RATIO = 4, DENSE = 160 };
    enum { MOST = 8 * DENSE };
    if (row_count < LEAST_ROWS || row_count > LARGEST_RATIO * MOST) return 0;
    counts[1] = row_count / FINE_RATIO < MOST ? row_count / FINE_RATIO : MOST;
    counts[0] = counts[1] / RATIO < DENSE ? counts[1] / RATIO : DENSE;
    return 2;
}

// What finding the nodes of levels needs. They take long and are found one after the other; the
// finest level needs none of them and is made at the same time.
typedef struct setup_job {
    pl_block_mg* mg;
    const pl_mg_blocks* A;
    pl_adjacency graph; // in the order of rows
    const pl_slab_order* order;
    pl_mg_hierarchy_options sampling;
    int own_counts[2];
    double* lengths; // per item of the graph, or NULL
    int* starts;
    pl_status sampled, finest;
    pl_error sampled_error, finest_error;
} setup_job;

static void free_job(setup_job* job, const pl_mg_settings* settings) {
    PL_FREE(job->lengths, double, job->graph.offsets ? job->graph.offsets[job->graph.count] : 0);
    PL_FREE(job->starts, int, settings->start_count);
    pl_adjacency_free(&job->graph);
}

static pl_status prepare_sampling(setup_job* job, const int* entries,
                                  const pl_mg_settings* settings, pl_error* error) {
    pl_block_mg* mg = job->mg;
    int item_count = job->graph.offsets[job->graph.count];
    job->lengths = settings->stiffness_aware ? PL_ALLOC(double, item_count) : NULL;
    job->starts = PL_ALLOC(int, settings->start_count);
    if ((settings->start_count > 0 && !job->starts) ||
        (settings->stiffness_aware && item_count > 0 && !job->lengths))
        return pl_fail_memory(error, "multigrid");
    for (int k = 0; k < settings->start_count; k++) {
        int vertex = settings->starts[k];
        bool valid = vertex >= 0 && vertex < mg->row_count;
        job->starts[k] = valid ? mg->new_of_old[vertex] : vertex;
    }
    int own_count = choose_counts(mg->row_count, job->own_counts);
    bool chosen = (!settings->levels || settings->level_count == 0) && own_count > 0;
    pl_mg_hierarchy_options* options = &job->sampling;
    *options = (pl_mg_hierarchy_options){.counts = chosen ? job->own_counts : settings->levels,
                                         .count_count = chosen ? own_count : settings->level_count,
                                         .own_counts = chosen,
                                         .starts = job->starts,
                                         .start_count = settings->start_count,
                                         .pool = mg->pool};
    if (job->lengths && job->A->values) {
        bool stiff = pl_stiff_lengths(&job->graph, mg->positions, job->A->values, 3, entries,
                                      mg->pool, job->lengths);
        *(stiff ? &options->lengths : &options->plain_lengths) = job->lengths;
    }
    mg->uneven = options->lengths != NULL;
    return PL_OK;
}

// the hierarchy, in the order of rows
static void sample_job(void* user) {
    setup_job* job = user;
    job->sampled = pl_mg_hierarchy_setup(&job->mg->hierarchy, &job->graph, job->mg->positions,
                                         &job->sampling, &job->sampled_error);
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

// The entries of a row come from one row of the matrix, so that it is read in long runs.
static void find_sources(const pl_block_mg* mg, const pl_mg_blocks* A, pl_mg_pattern* p) {
    const pl_mg_half* halves[2] = {&p->lower, &p->upper};
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < p->row_count; i++)
            for (int e = halves[h]->begin[i]; e < halves[h]->end[i]; e++)
                p->source[e] = find_source(A, mg->old_of_new[i], mg->old_of_new[p->columns[e]]);
}

static void finest_job(void* user) {
    setup_job* job = user;
    pl_mg_pattern pattern = {0};
    job->finest = pl_mg_pattern_slabs(&pattern, &job->graph, job->order, &job->finest_error);
    if (job->finest != PL_OK) return;
    find_sources(job->mg, job->A, &pattern);
    job->finest = pl_block_level_setup(&job->mg->levels[0], &pattern, false, &job->finest_error);
}

// the levels above the finest one
static pl_status make_levels(pl_block_mg* mg, pl_error* error) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    pl_status status = PL_OK;
    for (int l = 1; status == PL_OK && l < h->level_count; l++) {
        pl_mg_pattern next;
        status = pl_block_product_setup(&mg->products[l], &mg->levels[l - 1], &h->transfers[l - 1],
                                        &next, error);
        if (status == PL_OK) status = pl_block_level_setup(&mg->levels[l], &next, true, error);
    }
    for (int l = 0; status == PL_OK && l < h->level_count; l++) {
        mg->marks[l] = PL_ALLOC(int, h->node_counts[l]);
        mg->touched[l] = PL_ALLOC(int, h->node_counts[l]);
        if (!mg->marks[l] || !mg->touched[l]) status = pl_fail_memory(error, "multigrid");
    }
    if (status == PL_OK && mg->uneven && h->level_count > 2) {
        size_t size = (size_t)h->node_counts[1] * PL_NODE;
        mg->step = PL_ALLOC(float, size);
        mg->stepped = PL_ALLOC(float, size);
        if (!mg->step || !mg->stepped) status = pl_fail_memory(error, "multigrid");
    }
    if (status != PL_OK) return status;
    return pl_dense_cholesky_setup(&mg->bottom, 12 * h->node_counts[h->level_count - 1], 1, error);
}

// nodes and the finest level
static pl_status make_both(setup_job* job, pl_error* error) {
    pl_parallel_pair(job->mg->pool, sample_job, finest_job, job);
    bool sampled = job->sampled == PL_OK;
    pl_status status = sampled ? job->finest : job->sampled;
    if (status != PL_OK && error) *error = sampled ? job->finest_error : job->sampled_error;
    return status;
}

static pl_status build(pl_block_mg* mg, const pl_mg_blocks* A, const double* positions,
                       const pl_mg_settings* settings, pl_error* error) {
    int item_count = A->offsets[A->row_count] - A->row_count;
    pl_slab_order order = {0};
    setup_job job = {.mg = mg, .A = A, .order = &order};
    int* entries = PL_ALLOC(int, item_count);
    pl_status status = !entries && item_count > 0 ? pl_fail_memory(error, "multigrid") : PL_OK;
    if (status == PL_OK) status = number_rows(mg, A, positions, &order, error);
    if (status == PL_OK)
        status = make_graph(A, mg->old_of_new, mg->new_of_old, &job.graph, entries, error);
    if (status == PL_OK) status = prepare_sampling(&job, entries, settings, error);
    if (status == PL_OK) status = make_both(&job, error);
    if (status == PL_OK) status = make_levels(mg, error);
    pl_slab_order_free(&order);
    free_job(&job, settings);
    PL_FREE(entries, int, item_count);
    return status;
}

pl_status pl_block_mg_setup(pl_block_mg** out, const pl_mg_blocks* A, const double* positions,
                            const pl_mg_settings* settings, pl_pool* pool, pl_error* error) {
    *out = NULL;
    pl_block_mg* mg = PL_ALLOC(pl_block_mg, 1);
    if (!mg) return pl_fail_memory(error, "multigrid");
    mg->settings = *settings;
    mg->settings.levels = mg->settings.starts = NULL;
    mg->pool = pool;
    mg->row_count = A->row_count;
    mg->scale = 1.0f;
    mg->additions = pl_array_of(sizeof(pl_mg_addition));
    pl_status status = build(mg, A, positions, settings, error);
    if (status == PL_OK) *out = mg;
    else pl_block_mg_destroy(mg);
    return status;
}

// Row by row, block (i, j) is block (j, i) column by column: so that is where it belongs.
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
    enum { ROW_BLOCK = 1024 };
    places_job job = {mg, A, places};
    pl_parallel_for(mg->pool, places_task, mg->levels[0].pattern.row_count, ROW_BLOCK, &job);
}
