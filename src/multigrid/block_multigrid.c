// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Alg. 3 (setup) and the matrix part of Alg. 4 (update).
//
// Where we differ from the paper: rows are numbered for Gauss-Seidel in slabs; values are scaled by
// a power of two, so that floats suffice for any units; vertices that are coupled with nothing
// (hard attachments, eliminated from the matrix) belong to a node, but it does not move them;
// blocks that come and go are summed anew, never added and subtracted.
#include "multigrid/block_multigrid.h"
#include "base/memory.h"
#include "base/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_PER_TASK = 512, NODES_PER_TASK = 64, BOTTOM_NODES_PER_TASK = 8 };

void pl_block_mg_destroy(pl_block_mg* mg) {
    if (!mg) return;
    pl_block_mg_end_sampling(mg);
    PL_FREE(mg->old_of_new, int, mg->row_count);
    PL_FREE(mg->new_of_old, int, mg->row_count);
    PL_FREE(mg->diagonal_source, int, mg->row_count);
    PL_FREE(mg->positions, double, 3 * (size_t)mg->row_count);
    PL_FREE(mg->held, unsigned char, mg->row_count);
    PL_FREE(mg->held_before, unsigned char, mg->row_count);
    PL_FREE(mg->step, float, (size_t)mg->hierarchy.node_counts[1] * PL_NODE);
    PL_FREE(mg->stepped, float, (size_t)mg->hierarchy.node_counts[1] * PL_NODE);
    for (int l = 0; l < PL_MG_MAX_LEVELS; l++) {
        PL_FREE(mg->marks[l], int, mg->hierarchy.node_counts[l]);
        PL_FREE(mg->touched[l], int, mg->hierarchy.node_counts[l]);
        pl_block_level_free(&mg->levels[l]);
        pl_block_product_free(&mg->products[l]);
    }
    pl_mg_hierarchy_free(&mg->hierarchy);
    pl_dense_cholesky_free(&mg->bottom);
    pl_array_free(&mg->additions);
    PL_FREE(mg, pl_block_mg, 1);
}

size_t pl_block_mg_bytes(const pl_block_mg* mg) {
    size_t bytes = (size_t)mg->row_count * (3 * sizeof(int) + 3 * sizeof(double) + 2);
    for (int l = 0; l < mg->hierarchy.level_count; l++) {
        bytes += pl_block_level_bytes(&mg->levels[l]) + pl_block_product_bytes(&mg->products[l]);
        bytes += 2 * (size_t)mg->hierarchy.node_counts[l] * sizeof(int);
        if (l > 0)
            bytes +=
                (size_t)mg->hierarchy.node_counts[l - 1] * (2 * sizeof(int) + 4 * sizeof(float));
    }
    if (mg->step) bytes += 2 * PL_NODE * (size_t)mg->hierarchy.node_counts[1] * sizeof(float);
    size_t tiles = (size_t)mg->bottom.tile_rows;
    return bytes + tiles * (tiles + 1) / 2 * PL_TILE * PL_TILE * sizeof(float);
}

void pl_block_mg_move(pl_block_mg* mg, const double* positions) {
    for (int i = 0; i < mg->row_count; i++)
        memcpy(mg->positions + 3 * (size_t)i, positions + 3 * (size_t)mg->old_of_new[i],
               3 * sizeof(double));
    pl_mg_hierarchy_move(&mg->hierarchy, mg->positions, mg->held);
}

typedef struct copy_job {
    pl_block_mg* mg;
    const pl_mg_blocks* A;
} copy_job;

// the sum of the diagonal
static double trace_part(int begin, int end, void* user) {
    const copy_job* job = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        const double* D = job->A->values + 9 * (size_t)job->mg->diagonal_source[i];
        sum += fabs(D[0]) + fabs(D[4]) + fabs(D[8]);
    }
    return sum;
}

typedef double d4_loose __attribute__((vector_size(32), aligned(8), may_alias));

// Blocks are row-major in the matrix and column-major on the levels. Returns the bits that are set
// in its values.
PL_WIDE pl_i4 copy_block(const double* from, float scale, float* to) {
    const d4_loose *head = (const d4_loose*)from, *tail = (const d4_loose*)(from + 4);
    pl_f4 a = __builtin_convertvector(*head * (double)scale, pl_f4);
    pl_f4 b = __builtin_convertvector(*tail * (double)scale, pl_f4);
    float last = (float)(from[8] * (double)scale);
    pl_store8(to, __builtin_shufflevector(a, b, 0, 3, 6, 1, 4, 7, 2, 5));
    to[8] = last;
    return (pl_i4)a | (pl_i4)b | (pl_i4)(pl_f4){last, 0.0f, 0.0f, 0.0f};
}

// true if there is something in it
static bool copy_half(const copy_job* job, const pl_mg_half* half, int i) {
    pl_block_level* level = &job->mg->levels[0];
    pl_i4 bits = {0};
    for (int e = half->begin[i]; e < half->end[i]; e++)
        bits |= copy_block(job->A->values + 9 * (size_t)level->pattern.source[e], job->mg->scale,
                           level->values + 9 * (size_t)e);
    return ((bits[0] | bits[1] | bits[2] | bits[3]) & 0x7fffffff) != 0; // -0 is nothing
}

static void copy_rows_task(int begin, int end, int worker, void* user) {
    const copy_job* job = user;
    pl_block_level* level = &job->mg->levels[0];
    (void)worker;
    for (int i = begin; i < end; i++) {
        bool lower = copy_half(job, &level->pattern.lower, i);
        bool upper = copy_half(job, &level->pattern.upper, i);
        job->mg->held[i] = !lower && !upper;
        copy_block(job->A->values + 9 * (size_t)job->mg->diagonal_source[i], job->mg->scale,
                   level->fixed + 9 * (size_t)i);
    }
}

static void copy_values(pl_block_mg* mg, const pl_mg_blocks* A) {
    copy_job job = {mg, A};
    double mean = pl_parallel_sum(mg->pool, trace_part, mg->row_count, ROWS_PER_TASK, &job) /
                  (3.0 * mg->row_count);
    int exponent = 0;
    if (mean > 0.0 && isfinite(mean)) frexp(mean, &exponent);
    mg->scale = (float)ldexp(1.0, -exponent);
    memcpy(mg->held_before, mg->held, (size_t)mg->row_count);
    pl_mg_for_pieces(&mg->levels[0].pattern.schedule, mg->pool, copy_rows_task, &job);
    if (memcmp(mg->held_before, mg->held, (size_t)mg->row_count) != 0)
        pl_mg_hierarchy_move(&mg->hierarchy, mg->positions, mg->held);
}

// ---------------------------------------------------------------- values that the caller writes

float* pl_block_mg_blocks(pl_block_mg* mg) { return mg->levels[0].values; }

static double written_trace_part(int begin, int end, void* user) {
    const pl_block_level* level = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        const float* D = level->fixed + 9 * (size_t)i;
        sum += fabs((double)D[0]) + fabs((double)D[4]) + fabs((double)D[8]);
    }
    return sum;
}

// Values stay as they were written, unless they are so large or small that products with them could
// leave the range of float.
static void scale_written(pl_block_mg* mg) {
    enum { FAR = 30 };
    pl_block_level* level = &mg->levels[0];
    double mean =
        pl_parallel_sum(mg->pool, written_trace_part, mg->row_count, ROWS_PER_TASK, level);
    int exponent = 0;
    if (mean > 0.0 && isfinite(mean)) frexp(mean / (3.0 * mg->row_count), &exponent);
    if (abs(exponent) < FAR) exponent = 0;
    mg->scale = (float)ldexp(1.0, -exponent);
    size_t count = 9 * (size_t)(level->pattern.entry_count + level->node_count);
    for (size_t i = 0; exponent != 0 && i < count; i++) level->values[i] *= mg->scale;
}

static bool is_coupled(const pl_block_level* level, const pl_mg_half* half, int i) {
    for (size_t k = 9 * (size_t)half->begin[i]; k < 9 * (size_t)half->end[i]; k++)
        if (level->values[k] != 0.0f) return true;
    return false;
}

static void find_held_task(int begin, int end, int worker, void* user) {
    pl_block_mg* mg = user;
    const pl_block_level* level = &mg->levels[0];
    (void)worker;
    for (int i = begin; i < end; i++)
        mg->held[i] = !is_coupled(level, &level->pattern.lower, i) &&
                      !is_coupled(level, &level->pattern.upper, i);
}

typedef struct multiply_job {
    const pl_block_mg* mg;
    const double* x;
    double* y;
} multiply_job;

typedef double d4 __attribute__((vector_size(32)));

PL_WIDE d4 multiply_block(const float* A, const double* x, d4 sum) {
    sum += __builtin_convertvector(pl_load4(A), d4) * x[0];
    sum += __builtin_convertvector(pl_load4(A + 3), d4) * x[1];
    return sum + __builtin_convertvector(pl_load4(A + 6), d4) * x[2];
}

static void multiply_task(int begin, int end, int worker, void* user) {
    const multiply_job* job = user;
    const pl_block_mg* mg = job->mg;
    const pl_block_level* level = &mg->levels[0];
    const pl_mg_half* halves[2] = {&level->pattern.lower, &level->pattern.upper};
    (void)worker;
    for (int i = begin; i < end; i++) {
        size_t row = 3 * (size_t)mg->old_of_new[i];
        d4 sum = multiply_block(level->diagonal + 9 * (size_t)i, job->x + row, (d4){0});
        for (int h = 0; h < 2; h++)
            for (int e = halves[h]->begin[i]; e < halves[h]->end[i]; e++)
                sum = multiply_block(level->values + 9 * (size_t)e,
                                     job->x + 3 * (size_t)mg->old_of_new[level->pattern.columns[e]],
                                     sum);
        for (size_t c = 0; c < 3; c++) job->y[row + c] = sum[c] / (double)mg->scale;
    }
}

void pl_block_mg_multiply(const pl_block_mg* mg, const double* x, double* y) {
    multiply_job job = {mg, x, y};
    pl_mg_for_pieces(&mg->levels[0].pattern.schedule, mg->pool, multiply_task, &job);
}

// ---------------------------------------------------------------- levels

// what an added block adds to the diagonals of the levels: X_i moves up with its node
static void add_to_levels(pl_block_mg* mg, const pl_mg_addition* addition) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    int node = addition->row;
    float X[4], *D = mg->levels[0].diagonal + 9 * (size_t)node;
    for (int k = 0; k < 9; k++) D[k] += addition->block[k];
    for (int l = 0; l + 1 < h->level_count; l++) {
        const float* point = h->transfers[l].point + 4 * (size_t)node;
        if (l == 0) memcpy(X, point, sizeof X);
        for (int c = 0; l > 0 && c < 3; c++) X[c] = point[3] * X[c] + point[c] * X[3];
        node = h->transfers[l].parent[node];
        pl_block_add_point(mg->levels[l + 1].diagonal + PL_BLOCK12 * (size_t)node, X,
                           addition->block);
    }
}

static void touch_levels(pl_block_mg* mg, int row) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    for (int l = 0, node = row; l < h->level_count; l++) {
        if (mg->marks[l][node] == mg->stamp) return; // and so are those above
        mg->marks[l][node] = mg->stamp;
        mg->touched[l][mg->touched_count[l]++] = node;
        if (l + 1 < h->level_count) node = h->transfers[l].parent[node];
    }
}

// rows of nodes of the dense matrix
static void fill_bottom_task(int begin, int end, int worker, void* user) {
    pl_block_mg* mg = user;
    int top = mg->hierarchy.level_count - 1;
    const pl_block_level* level = &mg->levels[top];
    const float* unseen = mg->hierarchy.transfers[top - 1].unseen;
    (void)worker;
    for (int J = begin; J < end; J++) {
        float D[PL_BLOCK12];
        pl_block_fill_unseen(level->diagonal + PL_BLOCK12 * (size_t)J, unseen + 16 * (size_t)J, D);
        for (int r = 0; r < 12; r++) D[13 * r] *= 1.0f + mg->bottom_shift;
        for (int r = 0; r < 12; r++)
            for (int c = 0; c <= r; c++)
                *pl_dense_cholesky_at(&mg->bottom, 12 * J + r, 12 * J + c) = D[12 * c + r];
        const pl_mg_half* halves[2] = {&level->pattern.lower, &level->pattern.upper};
        for (int k = 0; k < 2; k++)
            for (int e = halves[k]->begin[J]; e < halves[k]->end[J]; e++) {
                int K = level->pattern.columns[e];
                const float* B = level->values + PL_BLOCK12 * (size_t)e;
                for (int c = 0; K < J && c < 12; c++)
                    for (int r = 0; r < 12; r++)
                        *pl_dense_cholesky_at(&mg->bottom, 12 * J + r, 12 * K + c) = B[12 * c + r];
            }
    }
}

static void fill_bottom(pl_block_mg* mg) {
    int node_count = mg->levels[mg->hierarchy.level_count - 1].node_count;
    pl_dense_cholesky_zero(&mg->bottom);
    pl_parallel_for(mg->pool, fill_bottom_task, node_count, BOTTOM_NODES_PER_TASK, mg);
}

// Round-off can make a matrix that is nearly singular indefinite; then its diagonal is raised.
// False if that does not help.
static bool factor_bottom(pl_block_mg* mg) {
    static const float MAX_SHIFT = 1e3f;
    mg->bottom_shift = 0.0f;
    fill_bottom(mg);
    bool failed = pl_dense_cholesky_factor(&mg->bottom, mg->pool) >= 0;
    while (failed && mg->bottom_shift < MAX_SHIFT) {
        mg->bottom_shift = mg->bottom_shift > 0.0f ? 10.0f * mg->bottom_shift : 1e-6f;
        fill_bottom(mg);
        failed = pl_dense_cholesky_factor(&mg->bottom, mg->pool) >= 0;
    }
    mg->bottom_failed = failed;
    return !failed;
}

pl_status pl_block_mg_fail(pl_error* error) {
    return pl_fail(
        error, PL_ERROR_DIVERGED,
        "the coarsest matrix of multigrid is not positive definite; check the matrix for "
        "values that are not finite and for negative stiffness");
}

static const float* unseen_of(const pl_block_mg* mg, int l) {
    return l > 0 ? mg->hierarchy.transfers[l - 1].unseen : NULL;
}

static void copy_diagonal_task(int begin, int end, int worker, void* user) {
    pl_block_level* level = user;
    size_t block = (size_t)level->block;
    (void)worker;
    memcpy(level->diagonal + block * (size_t)begin, level->fixed + block * (size_t)begin,
           block * (size_t)(end - begin) * sizeof(float));
}

// all that follows from the values of the finest level
static bool update_levels(pl_block_mg* mg, double start, float scale_before) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    pl_mg_addition* additions = mg->additions.data;
    for (size_t k = 0; k < mg->additions.count; k++) // exact: powers of two
        for (int c = 0; c < 9; c++) additions[k].block[c] *= mg->scale / scale_before;
    double copied = pl_seconds();
    for (int l = 1; l < h->level_count; l++)
        pl_block_product_update(&mg->products[l], &mg->levels[l - 1], &h->transfers[l - 1],
                                &mg->levels[l], mg->pool);
    double summed = pl_seconds();
    for (int l = 0; l < h->level_count; l++)
        pl_parallel_for(mg->pool, copy_diagonal_task, h->node_counts[l],
                        l == 0 ? ROWS_PER_TASK : NODES_PER_TASK, &mg->levels[l]);
    for (size_t k = 0; k < mg->additions.count; k++) add_to_levels(mg, &additions[k]);
    for (int l = 0; l < h->level_count; l++)
        pl_block_level_invert(&mg->levels[l], unseen_of(mg, l), NULL, h->node_counts[l], mg->pool);
    bool factored = factor_bottom(mg);
    if (mg->settings.smoother == PL_SMOOTHER_JACOBI)
        for (int l = 0; l + 1 < h->level_count; l++) pl_block_level_damp(&mg->levels[l], mg->pool);
    mg->times.copy = copied - start;
    mg->times.product = summed - copied;
    mg->times.factor = pl_seconds() - summed;
    return factored;
}

bool pl_block_mg_update(pl_block_mg* mg, const pl_mg_blocks* A) {
    double start = pl_seconds();
    float scale_before = mg->scale;
    copy_values(mg, A);
    return update_levels(mg, start, scale_before);
}

bool pl_block_mg_update_written(pl_block_mg* mg) {
    double start = pl_seconds();
    float scale_before = mg->scale;
    scale_written(mg);
    memcpy(mg->held_before, mg->held, (size_t)mg->row_count);
    pl_mg_for_pieces(&mg->levels[0].pattern.schedule, mg->pool, find_held_task, mg);
    if (memcmp(mg->held_before, mg->held, (size_t)mg->row_count) != 0)
        pl_mg_hierarchy_move(&mg->hierarchy, mg->positions, mg->held);
    return update_levels(mg, start, scale_before);
}

static int compare_additions(const void* a, const void* b) {
    const pl_mg_addition *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

// the list in the order of rows; false for want of memory
static bool take_additions(pl_block_mg* mg, const pl_mg_diagonal* blocks, int count) {
    mg->additions.count = 0;
    if (count == 0) return true;
    pl_mg_addition* additions = pl_array_add(&mg->additions, (size_t)count);
    if (!additions) return false;
    for (int k = 0; k < count; k++) {
        additions[k].row = mg->new_of_old[blocks[k].vertex];
        additions[k].order = k;
        for (int c = 0; c < 9; c++)
            additions[k].block[c] = (float)(blocks[k].block[c] * (double)mg->scale);
    }
    qsort(additions, (size_t)count, sizeof *additions, compare_additions);
    return true;
}

static void touch_additions(pl_block_mg* mg) {
    const pl_mg_addition* additions = mg->additions.data;
    for (size_t k = 0; k < mg->additions.count; k++) touch_levels(mg, additions[k].row);
}

pl_status pl_block_mg_update_diagonal(pl_block_mg* mg, const pl_mg_diagonal* blocks, int count,
                                      pl_error* error) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    for (int k = 0; k < count; k++)
        if (blocks[k].vertex < 0 || blocks[k].vertex >= mg->row_count)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "a block is to be added at vertex %d, but there are %d vertices",
                           blocks[k].vertex, mg->row_count);
    if (!pl_array_reserve(&mg->additions, (size_t)count))
        return pl_fail_memory(error, "blocks on the diagonal");
    mg->stamp++;
    memset(mg->touched_count, 0, sizeof mg->touched_count);
    touch_additions(mg);
    if (!take_additions(mg, blocks, count)) return pl_fail_memory(error, "blocks on the diagonal");
    touch_additions(mg);
    for (int l = 0; l < h->level_count; l++) {
        size_t block = (size_t)mg->levels[l].block;
        for (int k = 0; k < mg->touched_count[l]; k++)
            memcpy(mg->levels[l].diagonal + block * (size_t)mg->touched[l][k],
                   mg->levels[l].fixed + block * (size_t)mg->touched[l][k], block * sizeof(float));
    }
    const pl_mg_addition* additions = mg->additions.data;
    for (size_t k = 0; k < mg->additions.count; k++) add_to_levels(mg, &additions[k]);
    for (int l = 0; l < h->level_count; l++)
        pl_block_level_invert(&mg->levels[l], unseen_of(mg, l), mg->touched[l],
                              mg->touched_count[l], mg->pool);
    if (mg->touched_count[0] > 0 && !factor_bottom(mg)) return pl_block_mg_fail(error);
    return PL_OK;
}
