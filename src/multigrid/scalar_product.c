// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A_c = U' A U (S0 section 4.3, Eq. 6 and 7). With one parent per vertex and scalar entries
//
//   A_IJ = sum over i in I, j in J of a_ij X_i X_j'
//        = sum over i in I of X_i (sum over j in J of a_ij X_j)',
//
// An entry then costs four multiplications. Sixteen more are needed only for each pair of a vertex
// i and a node J. In all this costs about as much as a matrix-vector product. The pattern of the
// sums is computed once. Only blocks on and above the diagonal are summed, in double.
#include "multigrid/scalar_product.h"
#include "base/memory.h"
#include "multigrid/galerkin_pairs.h"

#include <string.h>

typedef double d4 __attribute__((vector_size(32)));

enum { OWN = -1 }; // target: the diagonal block

void pl_scalar_product_free(pl_scalar_product* c) {
    PL_FREE(c->block_offsets, int, c->node_count + 1);
    PL_FREE(c->block_columns, int, c->block_count);
    PL_FREE(c->entries, int, 2 * (size_t)c->block_count);
    PL_FREE(c->blocks, double, 16 * (size_t)c->block_count);
    PL_FREE(c->diagonal, double, 16 * (size_t)c->node_count);
    PL_FREE(c->targets, int, c->term_count);
    PL_FREE(c->terms, int, c->term_count);
    PL_FREE(c->term_offsets, int, c->row_count + 1);
    *c = (pl_scalar_product){0};
}

// builds the pattern of the coarse matrix from that of the fine one
typedef struct pattern {
    pl_scalar_product* c;
    const pl_mg_transfer* transfer;
    const int *offsets,
        *columns; // of the fine matrix: a symmetric pattern, all of it or its upper half
    pl_pool* pool;
    int block;   // rows per task
    int* marks;  // per task and node: the last row that has this column
    bool counts; // first pass: counts columns; second pass: lists them
} pattern;

// columns J > I of coarse row I; list NULL: only counts them
static int visit_row(const pattern* p, int* mark, int I, int* list) {
    const pl_mg_transfer* t = p->transfer;
    int count = 0;
    for (int k = t->child_offsets[I]; k < t->child_offsets[I + 1]; k++) {
        int i = t->children[k];
        for (int e = p->offsets[i]; e < p->offsets[i + 1]; e++) {
            int J = t->parent[p->columns[e]];
            if (J <= I || mark[J] == I + 1) continue;
            mark[J] = I + 1;
            if (list) list[count] = J;
            count++;
        }
    }
    return count;
}

static void sort_ints(int* values, int count) {
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && values[k - 1] > values[k]; k--) {
            int swap = values[k];
            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
}

static void rows_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pattern* p = user;
    pl_scalar_product* c = p->c;
    int* mark = p->marks + (size_t)(begin / p->block) * (size_t)c->node_count;
    memset(mark, 0, (size_t)c->node_count * sizeof(int));
    for (int I = begin; I < end; I++) {
        int* row = p->counts ? NULL : c->block_columns + c->block_offsets[I];
        int count = visit_row(p, mark, I, row);
        if (p->counts) c->block_offsets[I + 1] = count;
        else sort_ints(row, count);
    }
}

static pl_status setup_pattern(pattern* p, pl_error* error) {
    enum { MAX_BLOCKS = 16, LEAST_ROWS = 64 };
    pl_scalar_product* c = p->c;
    p->block = (c->node_count + MAX_BLOCKS - 1) / MAX_BLOCKS;
    if (p->block < LEAST_ROWS) p->block = LEAST_ROWS;
    size_t mark_count = (size_t)c->node_count * (size_t)((c->node_count + p->block - 1) / p->block);
    c->block_offsets = PL_ALLOC(int, c->node_count + 1);
    p->marks = PL_ALLOC(int, mark_count);
    bool ok = c->block_offsets && (p->marks || !c->node_count);
    p->counts = true;
    if (ok) {
        pl_parallel_for(p->pool, rows_task, c->node_count, p->block, p);
        for (int I = 0; I < c->node_count; I++) c->block_offsets[I + 1] += c->block_offsets[I];
        c->block_count = c->block_offsets[c->node_count];
        c->block_columns = PL_ALLOC(int, c->block_count);
        c->blocks = PL_ALLOC(double, 16 * (size_t)c->block_count);
        ok = !c->block_count || (c->block_columns && c->blocks);
    }
    p->counts = false;
    if (ok) pl_parallel_for(p->pool, rows_task, c->node_count, p->block, p);
    PL_FREE(p->marks, int, mark_count);
    return ok ? PL_OK : pl_fail_memory(error, "the pattern of a level");
}

static int block_of(const pl_scalar_product* c, int I, int J) {
    int low = c->block_offsets[I], high = c->block_offsets[I + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->block_columns[middle] < J) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct terms_job {
    pl_scalar_product* c;
    const pl_block_matrix* A;
    const int* parent;
} terms_job;

static void count_terms_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const terms_job* job = user;
    for (int i = begin; i < end; i++) {
        int count = 0, I = job->parent[i];
        for (int e = job->A->offsets[i]; e < job->A->offsets[i + 1]; e++)
            count += job->parent[job->A->columns[e]] >= I;
        job->c->term_offsets[i + 1] = count;
    }
}

// lists the entries of row i on and above the coarse diagonal, sorted by target
static void list_row_terms(const terms_job* job, int i) {
    pl_scalar_product* c = job->c;
    int first = c->term_offsets[i], at = first, I = job->parent[i];
    for (int e = job->A->offsets[i]; e < job->A->offsets[i + 1]; e++) {
        int J = job->parent[job->A->columns[e]];
        if (J < I) continue;
        int target = J == I ? OWN : block_of(c, I, J), k = at++;
        for (; k > first && c->targets[k - 1] > target; k--) {
            c->targets[k] = c->targets[k - 1];
            c->terms[k] = c->terms[k - 1];
        }
        c->targets[k] = target;
        c->terms[k] = e;
    }
}

static void list_terms_task(int begin, int end, int worker, void* user) {
    (void)worker;
    for (int i = begin; i < end; i++) list_row_terms(user, i);
}

static pl_status setup_terms(pl_scalar_product* c, const pl_block_matrix* A, const int* parent,
                             pl_pool* pool, pl_error* error) {
    enum { ROW_BLOCK = 1024 };
    terms_job job = {c, A, parent};
    c->row_count = A->row_count;
    c->term_offsets = PL_ALLOC(int, c->row_count + 1);
    if (!c->term_offsets) return pl_fail_memory(error, "the sums of a level");
    pl_parallel_for(pool, count_terms_task, A->row_count, ROW_BLOCK, &job);
    for (int i = 0; i < A->row_count; i++) c->term_offsets[i + 1] += c->term_offsets[i];
    int total = c->term_offsets[A->row_count];
    c->targets = PL_ALLOC(int, total);
    c->terms = PL_ALLOC(int, total);
    c->term_count = total;
    if (total && (!c->targets || !c->terms)) return pl_fail_memory(error, "the sums of a level");
    pl_parallel_for(pool, list_terms_task, A->row_count, ROW_BLOCK, &job);
    return PL_OK;
}

// builds the level's pattern and finds each block in it
static pl_status locate_blocks(pl_scalar_product* c, pl_mg_pattern* level, pl_error* error) {
    pl_mg_pairs pairs = {.count = c->block_count, .columns = c->block_columns};
    pl_adjacency graph = {0};
    pairs.rows = PL_ALLOC(int, c->block_count);
    c->entries = PL_ALLOC(int, 2 * (size_t)c->block_count);
    bool ok = c->block_count == 0 || (pairs.rows && c->entries);
    for (int I = 0; ok && I < c->node_count; I++)
        for (int e = c->block_offsets[I]; e < c->block_offsets[I + 1]; e++) pairs.rows[e] = I;
    pl_status status = ok ? pl_mg_pairs_graph(&pairs, c->node_count, &graph, error)
                          : pl_fail_memory(error, "the pattern of a level");
    if (status == PL_OK) status = pl_mg_pattern_bands(level, &graph, error);
    for (int e = 0; status == PL_OK && e < c->block_count; e++) {
        c->entries[2 * e] = pl_mg_pattern_find(level, pairs.rows[e], c->block_columns[e]);
        c->entries[2 * e + 1] = pl_mg_pattern_find(level, c->block_columns[e], pairs.rows[e]);
    }
    pl_adjacency_free(&graph);
    PL_FREE(pairs.rows, int, c->block_count);
    return status;
}

pl_status pl_scalar_product_setup(pl_scalar_product* c, const pl_block_matrix* A,
                                  const pl_mg_transfer* transfer, pl_mg_pattern* level,
                                  pl_pool* pool, pl_error* error) {
    *c = (pl_scalar_product){.node_count = transfer->coarse_count};
    *level = (pl_mg_pattern){0};
    pattern p = {
        .c = c, .transfer = transfer, .offsets = A->offsets, .columns = A->columns, .pool = pool};
    c->diagonal = PL_ALLOC(double, 16 * (size_t)c->node_count);
    pl_status status =
        c->diagonal ? setup_pattern(&p, error) : pl_fail_memory(error, "the pattern of a level");
    if (status == PL_OK) status = setup_terms(c, A, transfer->parent, pool, error);
    if (status == PL_OK) status = locate_blocks(c, level, error);
    if (status != PL_OK) {
        pl_scalar_product_free(c);
        pl_mg_pattern_free(level);
    }
    return status;
}

typedef struct galerkin_work {
    pl_scalar_product* c;
    const pl_block_matrix* A;
    const pl_mg_transfer* transfer;
    pl_block_level* level;
} galerkin_work;

static inline d4 point_of(const pl_mg_transfer* t, int i) {
    const float* X = t->point + 4 * (size_t)i;
    return (d4){X[0], X[1], X[2], X[3]};
}

// block += X s'
static inline void add_outer(double* block, d4 X, d4 s) {
    for (int a = 0; a < 4; a++) {
        d4 row;
        memcpy(&row, block + 4 * a, sizeof row);
        row += X[a] * s;
        memcpy(block + 4 * a, &row, sizeof row);
    }
}

static double* target_block(const pl_scalar_product* c, int I, int target) {
    return target == OWN ? c->diagonal + 16 * (size_t)I : c->blocks + 16 * (size_t)target;
}

static void add_vertex(const galerkin_work* w, int I, int i) {
    const pl_scalar_product* c = w->c;
    d4 X = point_of(w->transfer, i), sum = {0};
    int end = c->term_offsets[i + 1];
    for (int k = c->term_offsets[i]; k < end; k++) {
        int e = c->terms[k];
        sum += w->A->values[e] * point_of(w->transfer, w->A->columns[e]);
        if (k + 1 < end && c->targets[k + 1] == c->targets[k]) continue;
        add_outer(target_block(c, I, c->targets[k]), X, sum);
        sum = (d4){0};
    }
}

static void update_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const galerkin_work* w = user;
    const pl_scalar_product* c = w->c;
    const pl_mg_transfer* t = w->transfer;
    size_t first = (size_t)c->block_offsets[begin], last = (size_t)c->block_offsets[end];
    memset(c->diagonal + 16 * (size_t)begin, 0, 16 * (size_t)(end - begin) * sizeof(double));
    if (last > first) memset(c->blocks + 16 * first, 0, 16 * (last - first) * sizeof(double));
    for (int I = begin; I < end; I++)
        for (int k = t->child_offsets[I]; k < t->child_offsets[I + 1]; k++)
            add_vertex(w, I, t->children[k]);
}

// stores the sums in the level's format: by columns, in float, in both halves
static void store_blocks_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const galerkin_work* w = user;
    for (int k = begin; k < end; k++) {
        const double* from = w->c->blocks + 16 * (size_t)k;
        float* to = w->level->values + 16 * (size_t)w->c->entries[2 * k];
        float* other = w->level->values + 16 * (size_t)w->c->entries[2 * k + 1];
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) to[4 * b + a] = other[4 * a + b] = (float)from[4 * a + b];
    }
}

static void store_diagonal_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const galerkin_work* w = user;
    for (int k = begin; k < end; k++) {
        const double* from = w->c->diagonal + 16 * (size_t)k;
        float* to = w->level->fixed + 16 * (size_t)k;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                to[4 * b + a] = (float)(0.5 * (from[4 * a + b] + from[4 * b + a]));
    }
}

void pl_scalar_product_update(pl_scalar_product* c, const pl_block_matrix* A,
                              const pl_mg_transfer* transfer, pl_block_level* level,
                              pl_pool* pool) {
    enum { SUM_BLOCK = 8, STORE_BLOCK = 128 };
    galerkin_work w = {c, A, transfer, level};
    pl_parallel_for(pool, update_task, c->node_count, SUM_BLOCK, &w);
    pl_parallel_for(pool, store_blocks_task, c->block_count, STORE_BLOCK, &w);
    pl_parallel_for(pool, store_diagonal_task, c->node_count, STORE_BLOCK, &w);
}
