// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A_c = U' A U (S0 section 4.3, Eq. 6 and 7). With one parent per vertex and scalar entries
//
//   A_IJ = sum over i in I, j in J of a_ij X_i X_j'
//        = sum over i in I of X_i (sum over j in J of a_ij X_j)',
//
// so that an entry costs four multiplications and only a vertex and node J costs sixteen: about as
// much as a product with a vector. Which entries meet is found once. Only blocks above the
// diagonal are summed, in double. Upper levels have T_I A_IJ T_J' in place of a_ij X_i X_j'.
//
// Springs (soft pins, contacts) change diagonal blocks of their vertices' nodes. These are summed
// anew from the fixed part and all present springs, in order, so that it does not matter which
// springs there have been before.
//
// Where the paper adds a normal direction to flat regions (section 4.4) we add the projector on
// the maps that move nothing, which is the same for flat, collinear and single vertices.
#include "base/memory.h"
#include "multigrid/scalar_coarse.h"
#include "multigrid/small_inverse.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef double d4 __attribute__((vector_size(32)));

enum { OWN = -1 }; // target: the diagonal block

void pl_scalar_galerkin_free(pl_scalar_coarse* c) {
    PL_FREE(c->targets, int, c->term_count);
    PL_FREE(c->terms, int, c->term_count);
    PL_FREE(c->term_offsets, int, c->list_count + 1);
}

// the couplings of the finer level, seen from its parents
typedef struct pattern {
    pl_scalar_coarse* c;
    const pl_mg_transfer* transfer;
    const int *offsets,
        *columns; // of the finer level; all of a symmetric pattern or its upper half
    pl_pool* pool;
    int block;   // rows that are visited one after the other
    int* marks;  // of each block, per node: the last row that has it
    bool counts; // else lists
} pattern;

// columns above the diagonal of row I among the couplings i -> j: counts, or lists
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
    pl_scalar_coarse* c = p->c;
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
    pl_scalar_coarse* c = p->c;
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

static int block_of(const pl_scalar_coarse* c, int I, int J) {
    int low = c->block_offsets[I], high = c->block_offsets[I + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->block_columns[middle] < J) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct terms_job {
    pl_scalar_coarse* c;
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

// the entries of row i that count, those of a target together
static void list_row_terms(const terms_job* job, int i) {
    pl_scalar_coarse* c = job->c;
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

static pl_status setup_first_terms(pl_scalar_coarse* c, const pl_block_matrix* A, const int* parent,
                                   pl_pool* pool, pl_error* error) {
    enum { ROW_BLOCK = 1024 };
    terms_job job = {c, A, parent};
    c->list_count = A->row_count;
    c->term_offsets = PL_ALLOC(int, c->list_count + 1);
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

pl_status pl_scalar_coarse_setup_first(pl_scalar_coarse* c, const pl_block_matrix* A,
                                       const pl_mg_transfer* transfer, bool coarsest, pl_pool* pool,
                                       pl_error* error) {
    *c = (pl_scalar_coarse){.node_count = transfer->coarse_count, .unseen = transfer->unseen};
    pattern p = {
        .c = c, .transfer = transfer, .offsets = A->offsets, .columns = A->columns, .pool = pool};
    pl_status status = setup_pattern(&p, error);
    if (status == PL_OK) status = setup_first_terms(c, A, transfer->parent, pool, error);
    if (status == PL_OK) status = pl_scalar_coarse_setup_rows(c, coarsest, error);
    if (status != PL_OK) pl_scalar_coarse_free(c);
    return status;
}

// the target that the finer block (i, j) adds to: a node's diagonal, or node_count + block
static int target_of(const pl_scalar_coarse* c, const int* parent, int i, int j, int* transposed) {
    int I = parent[i], J = parent[j];
    *transposed = I > J;
    if (I == J) return I;
    return c->node_count + (I < J ? block_of(c, I, J) : block_of(c, J, I));
}

// counts terms per target, or lists them at the cursors
static void visit_next_terms(pl_scalar_coarse* c, const pl_scalar_coarse* fine, const int* parent,
                             int* cursor) {
    int transposed;
    for (int i = 0; i < fine->node_count; i++) {
        if (c->terms) c->terms[cursor[parent[i]]] = ~i;
        cursor[parent[i]]++;
        for (int e = fine->block_offsets[i]; e < fine->block_offsets[i + 1]; e++) {
            int target = target_of(c, parent, i, fine->block_columns[e], &transposed);
            if (c->terms) c->terms[cursor[target]] = 2 * e + transposed;
            cursor[target]++;
        }
    }
}

static pl_status setup_next_terms(pl_scalar_coarse* c, const pl_scalar_coarse* fine,
                                  const int* parent, pl_error* error) {
    int target_count = c->node_count + c->block_count;
    c->list_count = target_count;
    c->term_offsets = PL_ALLOC(int, target_count + 1);
    int* cursor = PL_ALLOC(int, target_count);
    int total = fine->node_count + fine->block_count;
    int *terms = PL_ALLOC(int, total), *rows = PL_ALLOC(int, total);
    bool ok = c->term_offsets && cursor && terms && rows;
    if (ok) {
        visit_next_terms(c, fine, parent, cursor);
        for (int k = 0, at = 0; k < target_count; k++) {
            int count = cursor[k];
            cursor[k] = at;
            at += count;
            c->term_offsets[k + 1] = at;
        }
    }
    c->term_count = total;
    c->terms = terms;
    c->targets = rows;
    if (ok) {
        visit_next_terms(c, fine, parent, cursor);
        for (int i = 0; i < fine->node_count; i++)
            for (int e = fine->block_offsets[i]; e < fine->block_offsets[i + 1]; e++) rows[e] = i;
    }
    PL_FREE(cursor, int, target_count);
    return ok ? PL_OK : pl_fail_memory(error, "the sums of a level");
}

pl_status pl_scalar_coarse_setup_next(pl_scalar_coarse* c, const pl_scalar_coarse* fine,
                                      const pl_mg_transfer* transfer, bool coarsest,
                                      pl_error* error) {
    *c = (pl_scalar_coarse){.node_count = transfer->coarse_count, .unseen = transfer->unseen};
    pl_adjacency graph;
    pl_status status = pl_scalar_coarse_graph(fine, &graph, error);
    if (status != PL_OK) return status;
    pattern p = {.c = c, .transfer = transfer, .offsets = graph.offsets, .columns = graph.items};
    status = setup_pattern(&p, error);
    pl_adjacency_free(&graph);
    if (status == PL_OK) status = setup_next_terms(c, fine, transfer->parent, error);
    if (status == PL_OK) status = pl_scalar_coarse_setup_rows(c, coarsest, error);
    if (status != PL_OK) pl_scalar_coarse_free(c);
    return status;
}

typedef struct galerkin_work {
    pl_scalar_coarse* c;
    const pl_scalar_coarse* fine;
    const pl_block_matrix* A;
    const pl_mg_transfer* transfer;
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

static double* target_block(const pl_scalar_coarse* c, int I, int target) {
    return target == OWN ? c->fixed_diagonal + 16 * (size_t)I : c->blocks + 16 * (size_t)target;
}

static void add_vertex(const galerkin_work* w, int I, int i) {
    const pl_scalar_coarse* c = w->c;
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

static void update_first_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const galerkin_work* w = user;
    const pl_scalar_coarse* c = w->c;
    const pl_mg_transfer* t = w->transfer;
    size_t first = (size_t)c->block_offsets[begin], last = (size_t)c->block_offsets[end];
    memset(c->fixed_diagonal + 16 * (size_t)begin, 0, 16 * (size_t)(end - begin) * sizeof(double));
    if (last > first) memset(c->blocks + 16 * first, 0, 16 * (last - first) * sizeof(double));
    for (int I = begin; I < end; I++)
        for (int k = t->child_offsets[I]; k < t->child_offsets[I + 1]; k++)
            add_vertex(w, I, t->children[k]);
}

// out += T_i B T_j', or its transpose; T as shift and ratio
static void add_shifted(const double* B, const float* Ti, const float* Tj, bool transposed,
                        double* out) {
    double half[16], full[16];
    // half = T_i B
    for (int b = 0; b < 4; b++) {
        for (int a = 0; a < 3; a++)
            half[4 * a + b] = (double)Ti[3] * B[4 * a + b] + (double)Ti[a] * B[12 + b];
        half[12 + b] = B[12 + b];
    }
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 3; b++)
            full[4 * a + b] = half[4 * a + b] * (double)Tj[3] + half[4 * a + 3] * (double)Tj[b];
        full[4 * a + 3] = half[4 * a + 3];
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            out[4 * a + b] += transposed ? full[4 * b + a] : full[4 * a + b];
}

static void sum_target(const galerkin_work* w, int target) {
    const pl_scalar_coarse *c = w->c, *fine = w->fine;
    const float* T = w->transfer->point;
    bool diagonal = target < c->node_count;
    double sum[16] = {0};
    for (int k = c->term_offsets[target]; k < c->term_offsets[target + 1]; k++) {
        int term = c->terms[k];
        if (term < 0) {
            const float* Ti = T + 4 * (size_t)~term;
            add_shifted(fine->fixed_diagonal + 16 * (size_t)~term, Ti, Ti, false, sum);
            continue;
        }
        int e = term / 2;
        const float *Ti = T + 4 * (size_t)c->targets[e],
                    *Tj = T + 4 * (size_t)fine->block_columns[e];
        const double* B = fine->blocks + 16 * (size_t)e;
        add_shifted(B, Ti, Tj, term % 2, sum);
        if (diagonal) add_shifted(B, Ti, Tj, true, sum);
    }
    double* out = diagonal ? c->fixed_diagonal + 16 * (size_t)target
                           : c->blocks + 16 * (size_t)(target - c->node_count);
    memcpy(out, sum, sizeof sum);
}

static void update_next_task(int begin, int end, int worker, void* user) {
    (void)worker;
    for (int target = begin; target < end; target++) sum_target(user, target);
}

// Makes a diagonal block definite: maps that move nothing get a stiffness of their own. Returns
// false if it has no inverse.
static bool regularise(const float* unseen, double D[16], double inverse[16]) {
    double mean = (D[0] + D[5] + D[10] + D[15]) / 4.0;
    if (!(mean > 0.0)) mean = 1.0;
    for (int k = 0; k < 16; k++) D[k] += mean * (double)unseen[k];
    // held vertices and round-off may leave a direction without stiffness
    return pl_invert_raised(4, D, inverse);
}

static bool finish_mixed(pl_node_block* block, const double D[16]) {
    double full[144], inverse[144];
    memcpy(full, block->sum, sizeof full);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int d = 0; d < 3; d++) full[12 * (3 * a + d) + 3 * b + d] += D[4 * a + b];
    bool definite = pl_invert_raised(12, full, inverse);
    for (int k = 0; k < 144; k++) {
        block->block[k] = (float)full[k];
        block->inverse[k] = (float)inverse[k];
    }
    return definite;
}

// Diagonal block and inverse of a node, from the fixed part and its springs. Returns false if the
// block has no inverse, which then is 0.
static bool finish_diagonal(pl_scalar_coarse* c, int node) {
    double D[16], inverse[16];
    const double* fixed = c->fixed_diagonal + 16 * (size_t)node;
    size_t place = (size_t)pl_scalar_coarse_place(c, node);
    int slot = c->touched_slot[place];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            D[4 * a + b] = 0.5 * (fixed[4 * a + b] + fixed[4 * b + a]);
            if (slot >= 0) D[4 * a + b] += c->touched_sums[16 * (size_t)slot + (size_t)(4 * a + b)];
        }
    bool definite = regularise(c->unseen + 16 * (size_t)node, D, inverse);
    for (int k = 0; k < 16; k++) {
        c->diagonal[16 * place + (size_t)k] = (float)D[k];
        c->inverse[16 * place + (size_t)k] = (float)inverse[k];
    }
    if (slot >= 0 && c->mixed[slot] >= 0)
        definite = finish_mixed(&c->node_blocks[c->mixed[slot]], D) && definite;
    return definite;
}

// how many nodes have no inverse
static double finish_diagonal_part(int begin, int end, void* user) {
    int failed = 0;
    for (int n = begin; n < end; n++) failed += !finish_diagonal(user, n);
    return failed;
}

static pl_status fail_indefinite(int failed, const pl_scalar_coarse* c, pl_error* error) {
    return pl_fail(error, PL_ERROR_DIVERGED,
                   "%d of %d nodes of a multigrid level have a matrix without an inverse; check "
                   "the masses and stiffnesses for values that are negative or not finite",
                   failed, c->node_count);
}

static void untouch(pl_scalar_coarse* c) {
    for (int k = 0; k < c->touched_count; k++)
        c->touched_slot[pl_scalar_coarse_place(c, c->touched[k])] = -1;
}

static pl_status finish_update(pl_scalar_coarse* c, pl_pool* pool, pl_error* error) {
    untouch(c);
    c->touched_count = c->mixed_count = 0;
    double failed = pl_parallel_sum(pool, finish_diagonal_part, c->node_count, 64, c);
    pl_scalar_coarse_copy_rows(c, pool);
    return failed > 0.0 ? fail_indefinite((int)failed, c, error) : PL_OK;
}

pl_status pl_scalar_coarse_update_first(pl_scalar_coarse* c, pl_pool* pool,
                                        const pl_block_matrix* A, const pl_mg_transfer* transfer,
                                        pl_error* error) {
    galerkin_work w = {.c = c, .A = A, .transfer = transfer};
    pl_parallel_for(pool, update_first_task, c->node_count, 8, &w);
    return finish_update(c, pool, error);
}

pl_status pl_scalar_coarse_update_next(pl_scalar_coarse* c, const pl_scalar_coarse* fine,
                                       pl_pool* pool, const pl_mg_transfer* transfer,
                                       pl_error* error) {
    galerkin_work w = {.c = c, .fine = fine, .transfer = transfer};
    pl_parallel_for(pool, update_next_task, c->node_count + c->block_count, 16, &w);
    return finish_update(c, pool, error);
}

static pl_status reserve_mixed(pl_scalar_coarse* c, const pl_mg_spring* springs, int count,
                               pl_error* error) {
    int most = 0;
    for (int k = 0; k < count; k++) most += springs[k].has_block;
    most = most < c->node_count ? most : c->node_count;
    if (most <= c->mixed_capacity) return PL_OK;
    int capacity = most + most / 2;
    pl_node_block* blocks = PL_ALLOC(pl_node_block, capacity);
    if (!blocks) return pl_fail_memory(error, "contacts");
    PL_FREE(c->node_blocks, pl_node_block, c->mixed_capacity);
    c->node_blocks = blocks;
    c->mixed_capacity = capacity;
    return PL_OK;
}

// sums += X X' times the spring
static void add_spring(pl_scalar_coarse* c, const pl_mg_spring* s, int slot, const double* X) {
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double* sum = c->touched_sums + 16 * (size_t)slot;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) sum[4 * a + b] += s->stiffness * X[a] * X[b];
    if (!s->has_block) return;
    if (c->mixed[slot] < 0) {
        c->mixed[slot] = c->mixed_count++;
        memset(c->node_blocks[c->mixed[slot]].sum, 0, 144 * sizeof(double));
    }
    double* full = c->node_blocks[c->mixed[slot]].sum;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            full[12 * i + j] += s->block[at[3 * (i % 3) + j % 3]] * X[i / 3] * X[j / 3];
}

pl_status pl_scalar_coarse_set_springs(pl_scalar_coarse* c, const pl_mg_spring* springs,
                                       const int* nodes, const double* points, int count,
                                       pl_error* error) {
    pl_status status = reserve_mixed(c, springs, count, error);
    if (status != PL_OK) return status;
    // take back what was there
    int before = c->touched_count;
    untouch(c);
    for (int k = 0; k < before; k++) finish_diagonal(c, c->touched[k]);
    c->touched_count = c->mixed_count = 0;
    for (int k = 0; k < count; k++) {
        int place = pl_scalar_coarse_place(c, nodes[k]), slot = c->touched_slot[place];
        if (slot < 0) {
            slot = c->touched_slot[place] = c->touched_count++;
            c->touched[slot] = nodes[k];
            c->mixed[slot] = -1;
            memset(c->touched_sums + 16 * (size_t)slot, 0, 16 * sizeof(double));
        }
        add_spring(c, &springs[k], slot, points + 4 * (size_t)k);
    }
    int failed = 0;
    for (int k = 0; k < c->touched_count; k++) failed += !finish_diagonal(c, c->touched[k]);
    return failed > 0 ? fail_indefinite(failed, c, error) : PL_OK;
}

static void fill_dense_diagonal(const pl_scalar_coarse* c, int node, bool mixed,
                                pl_dense_cholesky* dense) {
    const float* D = c->diagonal + 16 * (size_t)node;
    int slot = c->touched_slot[node], n = mixed ? 12 : 4;
    const float* full =
        slot >= 0 && c->mixed[slot] >= 0 ? c->node_blocks[c->mixed[slot]].block : NULL;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            float value = !mixed           ? D[4 * i + j]
                          : full           ? full[12 * i + j]
                          : i % 3 == j % 3 ? D[4 * (i / 3) + j / 3]
                                           : 0.0f;
            *pl_dense_cholesky_at(dense, n * node + i, n * node + j) = value;
        }
}

void pl_scalar_coarse_fill_dense(const pl_scalar_coarse* c, bool mixed, pl_dense_cholesky* dense) {
    int copies = mixed ? 3 : 1;
    pl_dense_cholesky_zero(dense);
    for (int i = 0; i < c->node_count; i++) {
        fill_dense_diagonal(c, i, mixed, dense);
        // the block (i, j), j > i, lies above the diagonal: its transpose is what is kept
        for (int e = c->block_offsets[i]; e < c->block_offsets[i + 1]; e++) {
            int j = c->block_columns[e];
            const double* B = c->blocks + 16 * (size_t)e;
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    for (int d = 0; d < copies; d++)
                        *pl_dense_cholesky_at(dense, copies * (4 * j + b) + d,
                                              copies * (4 * i + a) + d) = (float)B[4 * a + b];
        }
    }
}
