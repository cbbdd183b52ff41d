// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multifrontal LDL^T. A front assembles its entries of A and the updates of its children, factors
// its own columns densely, and leaves the update of its remaining rows on a stack for its parent.
// All sizes follow from the structure, so memory is allocated once, by pl_direct_reserve.
#include "sparse/direct.h"
#include "base/memory.h"
#include "sparse/dense_ldlt.h"
#include "sparse/direct_symbolic.h"

#include <math.h>
#include <string.h>

static const double TINY_PIVOT = 1e-12; // the default of tiny_pivot

struct pl_direct {
    pl_fronts fronts;
    int block;
    double tiny_pivot;      // relative to the diagonal value before elimination
    int64_t* panel_offsets; // of each front's panel in L
    double* L;
    double* D;
    double* stack; // updates waiting for their parents
    size_t stack_size;
    double* scratch;
    size_t scratch_size;
    int* local; // new row -> row in the current front
    double* x;  // rhs_count <= MAX_RHS values per unknown, in the new numbering
    double* gathered;
    pl_direct_info info;
};

enum { MAX_RHS = PL_DIRECT_MAX_RHS };

// sizes of a front in unknowns
static int front_cols(const pl_direct* d, int s) {
    return d->block * (d->fronts.column_offsets[s + 1] - d->fronts.column_offsets[s]);
}
static int front_rest(const pl_direct* d, int s) {
    return d->block * (int)(d->fronts.row_offsets[s + 1] - d->fronts.row_offsets[s]);
}

// walks the fronts once to find how large the stack and the panels get
static void measure(pl_direct* d, size_t* stack_peak, size_t* widest) {
    const pl_fronts* f = &d->fronts;
    size_t top = 0;
    *stack_peak = 0;
    *widest = 0;
    int64_t offset = 0;
    // the stack holds the updates of all fronts whose parent is not assembled yet; in postorder, a
    // parent finds its children on top
    for (int s = 0; s < f->count; s++) {
        size_t cols = (size_t)front_cols(d, s), rest = (size_t)front_rest(d, s);
        d->panel_offsets[s] = offset;
        offset += (int64_t)((cols + rest) * cols);
        if (top + rest * rest > *stack_peak) *stack_peak = top + rest * rest;
        for (int c = f->first_child[s]; c >= 0; c = f->next_sibling[c]) {
            size_t child = (size_t)front_rest(d, c);
            top -= child * child;
        }
        top += rest * rest;
        if (cols + rest > *widest) *widest = cols + rest;
        size_t scratch = pl_dense_scratch_size((int)(cols + rest), (int)cols);
        if (scratch > d->scratch_size) d->scratch_size = scratch;
        d->info.flops += (double)cols * ((double)cols * (double)cols / 3.0 +
                                         (double)cols * (double)rest + (double)rest * (double)rest);
    }
    d->panel_offsets[f->count] = offset;
    d->info.factor_value_count = offset;
}

static bool allocate(pl_direct* d) {
    size_t unknowns = (size_t)d->block * (size_t)d->fronts.row_count;
    d->L = PL_ALLOC(double, d->info.factor_value_count);
    d->D = PL_ALLOC(double, unknowns);
    d->stack = PL_ALLOC(double, d->stack_size);
    d->scratch = PL_ALLOC(double, d->scratch_size);
    d->local = PL_ALLOC(int, d->fronts.row_count);
    d->x = PL_ALLOC(double, MAX_RHS* unknowns);
    d->gathered = PL_ALLOC(double, MAX_RHS* unknowns);
    return d->L && d->D && (d->stack || d->stack_size == 0) && d->scratch && d->local && d->x &&
           d->gathered;
}

pl_status pl_direct_analyse(const pl_block_matrix* A, pl_direct** out, pl_error* error) {
    size_t widest;
    *out = NULL;
    if (A->row_count == 0) return pl_fail(error, PL_ERROR_ARGUMENT, "a matrix without rows");
    pl_direct* d = PL_ALLOC(pl_direct, 1);
    if (!d) return pl_fail_memory(error, "a direct solver");
    d->block = A->block;
    d->tiny_pivot = TINY_PIVOT;
    pl_status status = pl_fronts_setup(&d->fronts, A, error);
    if (status == PL_OK) {
        d->panel_offsets = PL_ALLOC(int64_t, d->fronts.count + 1);
        if (!d->panel_offsets) status = pl_fail_memory(error, "a direct solver");
    }
    if (status == PL_OK) {
        measure(d, &d->stack_size, &widest);
        *out = d;
    } else pl_direct_destroy(d);
    return status;
}

void pl_direct_set_tiny_pivot(pl_direct* d, double fraction) { d->tiny_pivot = fraction; }

static void release(pl_direct* d) {
    size_t unknowns = (size_t)d->block * (size_t)d->fronts.row_count;
    PL_FREE(d->L, double, d->info.factor_value_count);
    PL_FREE(d->D, double, unknowns);
    PL_FREE(d->stack, double, d->stack_size);
    PL_FREE(d->scratch, double, d->scratch_size);
    PL_FREE(d->local, int, d->fronts.row_count);
    PL_FREE(d->x, double, MAX_RHS* unknowns);
    PL_FREE(d->gathered, double, MAX_RHS* unknowns);
    d->L = d->D = d->stack = d->scratch = d->x = d->gathered = NULL;
    d->local = NULL;
}

pl_status pl_direct_reserve(pl_direct* d, pl_error* error) {
    if (d->L || allocate(d)) return PL_OK;
    release(d);
    return pl_fail(error, PL_ERROR_MEMORY,
                   "out of memory for a direct factor of %lld values; use an iterative solver",
                   (long long)d->info.factor_value_count);
}

pl_status pl_direct_setup(const pl_block_matrix* A, pl_direct** out, pl_error* error) {
    pl_status status = pl_direct_analyse(A, out, error);
    if (status == PL_OK) status = pl_direct_reserve(*out, error);
    if (status == PL_OK) return PL_OK;
    pl_direct_destroy(*out);
    *out = NULL;
    return status;
}

void pl_direct_destroy(pl_direct* d) {
    if (!d) return;
    release(d);
    PL_FREE(d->panel_offsets, int64_t, d->fronts.count + 1);
    pl_fronts_free(&d->fronts);
    PL_FREE(d, pl_direct, 1);
}

pl_direct_info pl_direct_get_info(const pl_direct* direct) { return direct->info; }

// copies the lower part of the front's columns of A into its panel
static void gather_entries(pl_direct* d, int s, const pl_block_matrix* A, double* panel) {
    const pl_fronts* f = &d->fronts;
    int b = d->block, begin = f->column_offsets[s], end = f->column_offsets[s + 1];
    int ld = front_cols(d, s) + front_rest(d, s);
    for (int j = begin; j < end; j++) {
        int old = f->order[j];
        for (int e = A->offsets[old]; e < A->offsets[old + 1]; e++) {
            int i = f->position[A->columns[e]];
            if (i < j) continue;
            // A is symmetric: the block (old row j, column i) transposed is the block (i, j)
            const double* value = A->values + (size_t)e * (size_t)(b * b);
            for (int c = 0; c < b; c++)
                for (int r = 0; r < b; r++)
                    panel[(size_t)(b * (j - begin) + c) * (size_t)ld +
                          (size_t)(b * d->local[i] + r)] = value[c * b + r];
        }
    }
}

// adds a child's update, from the stack, to the panel and the update of its parent
static void add_child(pl_direct* d, int s, int child, const double* update, double* panel,
                      double* own_update) {
    const pl_fronts* f = &d->fronts;
    int b = d->block, cols = front_cols(d, s), rest = front_rest(d, s), ld = cols + rest;
    int n = front_rest(d, child);
    const int* rows = f->rows + f->row_offsets[child];
    for (int j = 0; j < n; j++) {
        int column = b * d->local[rows[j / b]] + j % b;
        double* out = column < cols ? panel + (size_t)column * (size_t)ld
                                    : own_update + (size_t)(column - cols) * (size_t)rest - cols;
        const double* in = update + (size_t)j * (size_t)n;
        for (int i = j; i < n; i++) out[b * d->local[rows[i / b]] + i % b] += in[i];
    }
}

static void index_front(pl_direct* d, int s) {
    const pl_fronts* f = &d->fronts;
    int begin = f->column_offsets[s], end = f->column_offsets[s + 1];
    for (int j = begin; j < end; j++) d->local[j] = j - begin;
    for (int64_t k = f->row_offsets[s]; k < f->row_offsets[s + 1]; k++)
        d->local[f->rows[k]] = end - begin + (int)(k - f->row_offsets[s]);
}

// assembles and factors one front; its update replaces those of its children on the stack. Returns
// the new top.
static size_t factor_front(pl_direct* d, int s, const pl_block_matrix* A, size_t top,
                           pl_pivots* pivots, pl_pool* pool) {
    const pl_fronts* f = &d->fronts;
    int cols = front_cols(d, s), rest = front_rest(d, s), ld = cols + rest;
    double* panel = d->L + d->panel_offsets[s];
    double* update = d->stack + top;
    size_t update_size = (size_t)rest * (size_t)rest;
    memset(panel, 0, (size_t)ld * (size_t)cols * sizeof(double));
    if (update_size) memset(update, 0, update_size * sizeof(double));
    index_front(d, s);
    gather_entries(d, s, A, panel);
    // the children's updates are on top of the stack, the last child's first
    size_t base = top;
    for (int c = f->first_child[s]; c >= 0; c = f->next_sibling[c]) {
        base -= (size_t)front_rest(d, c) * (size_t)front_rest(d, c);
        add_child(d, s, c, d->stack + base, panel, update);
    }
    double* D = d->D + (size_t)d->block * (size_t)f->column_offsets[s];
    pl_dense_factor_panel(panel, ld, cols, D, pivots, d->scratch, pool);
    pl_dense_update(panel, ld, cols, D, update, d->scratch, pool);
    if (base != top && update_size) memmove(d->stack + base, update, update_size * sizeof(double));
    return base + update_size;
}

pl_status pl_direct_update(pl_direct* d, const pl_block_matrix* A, pl_pool* pool, pl_error* error) {
    int b = A->block;
    if (A->row_count != d->fronts.row_count || b != d->block)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "the matrix is not the one the solver was set up for");
    pl_status status = pl_direct_reserve(d, error);
    if (status != PL_OK) return status;
    // D starts as the diagonal of A, with which pivots are compared
    for (int row = 0; row < A->row_count; row++)
        for (int c = 0; c < b; c++) {
            double value =
                A->values[(size_t)A->diagonal[row] * (size_t)(b * b) + (size_t)(c * b + c)];
            if (!isfinite(value))
                return pl_fail(error, PL_ERROR_DIVERGED,
                               "the matrix has a non-finite value in row %d", row);
            d->D[b * d->fronts.position[row] + c] = value;
        }
    pl_pivots pivots = {.tiny = d->tiny_pivot};
    size_t top = 0;
    for (int s = 0; s < d->fronts.count; s++) top = factor_front(d, s, A, top, &pivots, pool);
    d->info.tiny_pivot_count = pivots.tiny_count;
    d->info.negative_pivot_count = pivots.negative_count;
    return PL_OK;
}

// Both triangular solves take m right-hand sides, whose values of an unknown are adjacent. They are
// inlined for each constant m, so that L is read once for all of them.

// x of the front's columns becomes L11^-1 x, then L21 x is subtracted from the rows below
static inline __attribute__((always_inline)) void forward_columns(pl_direct* d, int s,
                                                                  const int m) {
    const pl_fronts* f = &d->fronts;
    int b = d->block, cols = front_cols(d, s), rest = front_rest(d, s), ld = cols + rest;
    double* restrict x = d->x + (size_t)m * (size_t)(b * f->column_offsets[s]);
    double* restrict sum = d->gathered;
    memset(sum, 0, (size_t)rest * (size_t)m * sizeof(double));
    for (int j = 0; j < cols; j++) {
        const double* restrict column = d->L + d->panel_offsets[s] + (size_t)j * (size_t)ld;
        double value[MAX_RHS];
        for (int c = 0; c < m; c++) value[c] = x[j * m + c];
        for (int i = j + 1; i < cols; i++)
            for (int c = 0; c < m; c++) x[i * m + c] -= column[i] * value[c];
        for (int i = 0; i < rest; i++)
            for (int c = 0; c < m; c++) sum[i * m + c] += column[cols + i] * value[c];
    }
    const int* rows = f->rows + f->row_offsets[s];
    for (int i = 0; i < rest; i++)
        for (int c = 0; c < m; c++)
            d->x[(size_t)(b * rows[i / b] + i % b) * (size_t)m + (size_t)c] -= sum[i * m + c];
}

// x of the front's columns becomes L11'^-1 (x - L21' x_rows)
static inline __attribute__((always_inline)) void backward_columns(pl_direct* d, int s,
                                                                   const int m) {
    const pl_fronts* f = &d->fronts;
    int b = d->block, cols = front_cols(d, s), rest = front_rest(d, s), ld = cols + rest;
    double* restrict x = d->x + (size_t)m * (size_t)(b * f->column_offsets[s]);
    double* restrict below = d->gathered;
    const int* rows = f->rows + f->row_offsets[s];
    for (int i = 0; i < rest; i++)
        for (int c = 0; c < m; c++)
            below[i * m + c] = d->x[(size_t)(b * rows[i / b] + i % b) * (size_t)m + (size_t)c];
    for (int j = cols - 1; j >= 0; j--) {
        const double* restrict column = d->L + d->panel_offsets[s] + (size_t)j * (size_t)ld;
        double sum[MAX_RHS] = {0.0};
        for (int i = j + 1; i < cols; i++)
            for (int c = 0; c < m; c++) sum[c] += column[i] * x[i * m + c];
        for (int i = 0; i < rest; i++)
            for (int c = 0; c < m; c++) sum[c] += column[cols + i] * below[i * m + c];
        for (int c = 0; c < m; c++) x[j * m + c] -= sum[c];
    }
}

static void forward_front(pl_direct* d, int s, int m) {
    if (m == 1) forward_columns(d, s, 1);
    else if (m == 3) forward_columns(d, s, 3);
    else if (m == MAX_RHS) forward_columns(d, s, MAX_RHS);
    else forward_columns(d, s, m);
}

static void backward_front(pl_direct* d, int s, int m) {
    if (m == 1) backward_columns(d, s, 1);
    else if (m == 3) backward_columns(d, s, 3);
    else if (m == MAX_RHS) backward_columns(d, s, MAX_RHS);
    else backward_columns(d, s, m);
}

void pl_direct_solve(pl_direct* d, int rhs_count, const double* b, double* x) {
    PL_ASSERT(rhs_count >= 1 && rhs_count <= MAX_RHS);
    const pl_fronts* f = &d->fronts;
    size_t per_row = (size_t)d->block * (size_t)rhs_count;
    for (int k = 0; k < f->row_count; k++)
        memcpy(d->x + per_row * (size_t)k, b + per_row * (size_t)f->order[k],
               per_row * sizeof(double));
    for (int s = 0; s < f->count; s++) forward_front(d, s, rhs_count);
    size_t unknowns = (size_t)d->block * (size_t)f->row_count;
    for (size_t i = 0; i < unknowns; i++) {
        double inverse = d->D[i] != 0.0 ? 1.0 / d->D[i] : 0.0;
        for (int c = 0; c < rhs_count; c++) d->x[i * (size_t)rhs_count + (size_t)c] *= inverse;
    }
    for (int s = f->count - 1; s >= 0; s--) backward_front(d, s, rhs_count);
    for (int k = 0; k < f->row_count; k++)
        memcpy(x + per_row * (size_t)f->order[k], d->x + per_row * (size_t)k,
               per_row * sizeof(double));
}
