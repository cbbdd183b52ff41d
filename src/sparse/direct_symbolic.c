// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elimination tree (Liu 1990), its postorder, and column counts by walking row subtrees. Then
// supernodes, which are joined with their last child if that adds few zeros, and their rows.
#include "sparse/direct_symbolic.h"
#include "base/array.h"
#include "base/memory.h"
#include "sparse/ordering.h"

#include <stdlib.h>
#include <string.h>

// Joining may add zeros up to this share of a front, or any number in a front of so few columns.
static const double MAX_ZERO_SHARE = 0.15;
enum { SMALL_FRONT = 4 };

typedef struct tree {
    int n;
    int* parent;
    int* count;  // rows of a column of L, with the diagonal
    int* work_a; // n + 1 each
    int* work_b;
    int* neighbour_offsets; // pattern without the diagonal, for the ordering
    int* neighbours;
    int neighbour_count;
} tree;

static void tree_free(tree* t) {
    PL_FREE(t->parent, int, t->n);
    PL_FREE(t->count, int, t->n);
    PL_FREE(t->work_a, int, t->n + 1);
    PL_FREE(t->work_b, int, t->n + 1);
    PL_FREE(t->neighbour_offsets, int, t->n + 1);
    PL_FREE(t->neighbours, int, t->neighbour_count);
}

static bool tree_alloc(tree* t, const pl_block_matrix* A) {
    int n = A->row_count;
    *t = (tree){.n = n, .neighbour_count = pl_block_matrix_entry_count(A) - n};
    t->parent = PL_ALLOC(int, n);
    t->count = PL_ALLOC(int, n);
    t->work_a = PL_ALLOC(int, n + 1);
    t->work_b = PL_ALLOC(int, n + 1);
    t->neighbour_offsets = PL_ALLOC(int, n + 1);
    t->neighbours = PL_ALLOC(int, t->neighbour_count);
    return t->parent && t->count && t->work_a && t->work_b && t->neighbour_offsets &&
           (t->neighbours || t->neighbour_count == 0);
}

static pl_status choose_order(tree* t, const pl_block_matrix* A, int* order, pl_error* error) {
    int k = 0;
    for (int row = 0; row < t->n; row++) {
        t->neighbour_offsets[row] = k;
        for (int e = A->offsets[row]; e < A->offsets[row + 1]; e++)
            if (A->columns[e] != row) t->neighbours[k++] = A->columns[e];
    }
    t->neighbour_offsets[t->n] = k;
    return pl_order_minimum_degree(t->n, t->neighbour_offsets, t->neighbours, order, error);
}

static void set_position(pl_fronts* f) {
    for (int k = 0; k < f->row_count; k++) f->position[f->order[k]] = k;
}

// parent[j]: the first row below the diagonal of column j of L
static void find_parents(tree* t, const pl_block_matrix* A, const pl_fronts* f) {
    int* ancestor = t->work_a;
    for (int row = 0; row < t->n; row++) {
        t->parent[row] = -1;
        ancestor[row] = -1;
        int old = f->order[row];
        for (int e = A->offsets[old]; e < A->offsets[old + 1]; e++) {
            int j = f->position[A->columns[e]];
            while (j < row) { // walk up and compress the path for later walks
                int next = ancestor[j];
                ancestor[j] = row;
                if (next < 0) {
                    t->parent[j] = row;
                    break;
                }
                j = next;
            }
        }
    }
}

// renumbers so that every subtree is contiguous and children come before parents
static void postorder(tree* t, pl_fronts* f) {
    int* first_child = t->work_a;
    int* next_sibling = t->work_b;
    for (int j = 0; j < t->n; j++) first_child[j] = -1;
    for (int j = t->n - 1; j >= 0; j--) {
        next_sibling[j] = -1;
        if (t->parent[j] < 0) continue;
        next_sibling[j] = first_child[t->parent[j]];
        first_child[t->parent[j]] = j;
    }
    // `count` temporarily holds the result: the old number of each new one
    int k = 0;
    for (int root = 0; root < t->n; root++) {
        if (t->parent[root] >= 0) continue;
        int j = root;
        while (j >= 0) {
            while (first_child[j] >= 0) { // down to a leaf, taking each child once
                int child = first_child[j];
                first_child[j] = next_sibling[child];
                j = child;
            }
            t->count[k++] = j;
            j = j == root ? -1 : t->parent[j];
        }
    }
    for (int i = 0; i < t->n; i++) t->work_a[i] = f->order[t->count[i]];
    memcpy(f->order, t->work_a, (size_t)t->n * sizeof(int));
    set_position(f);
}

// walks each row's subtree: row i has an entry in every column from its first ones up to i
static void count_columns(tree* t, const pl_block_matrix* A, const pl_fronts* f) {
    int* mark = t->work_b;
    for (int j = 0; j < t->n; j++) t->count[j] = 1, mark[j] = -1;
    for (int row = 0; row < t->n; row++) {
        mark[row] = row;
        int old = f->order[row];
        for (int e = A->offsets[old]; e < A->offsets[old + 1]; e++)
            for (int j = f->position[A->columns[e]]; j < row && mark[j] != row; j = t->parent[j]) {
                mark[j] = row;
                t->count[j]++;
            }
    }
}

static bool may_join(const tree* t, int first, int j, double* zeros) {
    if (t->parent[j - 1] != j) return false;
    // after joining, every column of the front has the rows of column j
    double added = (double)(j - first) * (double)(t->count[j] + 1 - t->count[j - 1]);
    double width = j + 1 - first;
    double stored = width * (t->count[j] + 0.5 * (width - 1.0));
    if (*zeros + added > MAX_ZERO_SHARE * stored && (added > 0.0 && width > SMALL_FRONT))
        return false;
    *zeros += added;
    return true;
}

static pl_status find_fronts(tree* t, pl_fronts* f, pl_error* error) {
    int* front_of = t->work_a;
    int* starts = t->work_b;
    int first = 0;
    double zeros = 0.0;
    f->count = 0;
    for (int j = 0; j < t->n; j++) {
        if (j == 0 || !may_join(t, first, j, &zeros)) {
            first = j;
            zeros = 0.0;
            starts[f->count++] = j;
        }
        front_of[j] = f->count - 1;
    }
    f->column_offsets = PL_ALLOC(int, f->count + 1);
    f->parent = PL_ALLOC(int, f->count);
    f->first_child = PL_ALLOC(int, f->count);
    f->next_sibling = PL_ALLOC(int, f->count);
    f->row_offsets = PL_ALLOC(int64_t, f->count + 1);
    if (!f->column_offsets || !f->parent || !f->first_child || !f->next_sibling || !f->row_offsets)
        return pl_fail_memory(error, "the fronts of a factor");
    memcpy(f->column_offsets, starts, (size_t)f->count * sizeof(int));
    f->column_offsets[f->count] = t->n;
    for (int s = 0; s < f->count; s++) {
        int above = t->parent[f->column_offsets[s + 1] - 1];
        f->parent[s] = above < 0 ? -1 : front_of[above];
        f->first_child[s] = -1;
    }
    for (int s = 0; s < f->count; s++) {
        if (f->parent[s] < 0) continue;
        f->next_sibling[s] = f->first_child[f->parent[s]];
        f->first_child[f->parent[s]] = s;
    }
    return PL_OK;
}

static bool add_row(pl_array* rows, int* mark, int stamp, int last_column, int row) {
    if (row < last_column || mark[row] == stamp) return true;
    mark[row] = stamp;
    return pl_array_push(rows, &row);
}

// rows of a front below its columns: those in which its columns have entries of A, and those of its
// children
static bool collect_rows(pl_fronts* f, int s, const pl_block_matrix* A, int* mark, pl_array* rows) {
    int begin = f->column_offsets[s], end = f->column_offsets[s + 1];
    f->row_offsets[s] = (int64_t)rows->count;
    for (int j = begin; j < end; j++) {
        int old = f->order[j];
        for (int e = A->offsets[old]; e < A->offsets[old + 1]; e++)
            if (!add_row(rows, mark, s, end, f->position[A->columns[e]])) return false;
    }
    for (int c = f->first_child[s]; c >= 0; c = f->next_sibling[c])
        for (int64_t k = f->row_offsets[c]; k < f->row_offsets[c + 1]; k++)
            if (!add_row(rows, mark, s, end, ((int*)rows->data)[k])) return false;
    size_t count = rows->count - (size_t)f->row_offsets[s];
    if (count) qsort((int*)rows->data + f->row_offsets[s], count, sizeof(int), pl_compare_ints);
    f->row_offsets[s + 1] = (int64_t)rows->count;
    return true;
}

static pl_status find_rows(tree* t, pl_fronts* f, const pl_block_matrix* A, pl_error* error) {
    int* mark = t->count;
    for (int j = 0; j < t->n; j++) mark[j] = -1;
    pl_array rows = pl_array_of(sizeof(int));
    bool ok = true;
    for (int s = 0; ok && s < f->count; s++) ok = collect_rows(f, s, A, mark, &rows);
    void* data = NULL;
    ok = ok && pl_array_take(&rows, &data);
    if (!ok) {
        pl_array_free(&rows);
        f->row_offsets[f->count] = 0;
        return pl_fail_memory(error, "the rows of a factor");
    }
    f->rows = data;
    return PL_OK;
}

static pl_status analyse(tree* t, pl_fronts* f, const pl_block_matrix* A, pl_error* error) {
    pl_status status = choose_order(t, A, f->order, error);
    if (status != PL_OK) return status;
    set_position(f);
    find_parents(t, A, f);
    postorder(t, f);
    find_parents(t, A, f);
    count_columns(t, A, f);
    status = find_fronts(t, f, error);
    return status == PL_OK ? find_rows(t, f, A, error) : status;
}

pl_status pl_fronts_setup(pl_fronts* fronts, const pl_block_matrix* A, pl_error* error) {
    *fronts = (pl_fronts){.row_count = A->row_count};
    fronts->order = PL_ALLOC(int, A->row_count);
    fronts->position = PL_ALLOC(int, A->row_count);
    tree t;
    bool ok = tree_alloc(&t, A) && fronts->order && fronts->position;
    pl_status status = ok ? analyse(&t, fronts, A, error) : pl_fail_memory(error, "a factor");
    tree_free(&t);
    if (status != PL_OK) pl_fronts_free(fronts);
    return status;
}

void pl_fronts_free(pl_fronts* f) {
    PL_FREE(f->order, int, f->row_count);
    PL_FREE(f->position, int, f->row_count);
    if (f->rows) PL_FREE(f->rows, int, f->row_offsets[f->count]);
    PL_FREE(f->column_offsets, int, f->count + 1);
    PL_FREE(f->parent, int, f->count);
    PL_FREE(f->first_child, int, f->count);
    PL_FREE(f->next_sibling, int, f->count);
    PL_FREE(f->row_offsets, int64_t, f->count + 1);
    *f = (pl_fronts){0};
}
