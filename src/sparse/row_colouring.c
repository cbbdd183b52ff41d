// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Greedy colouring in row order: the lowest colour that no neighbour has. A row with d neighbours
// needs at most d + 1 colours.
#include "sparse/row_colouring.h"
#include "base/memory.h"

enum { ROWS_PER_TASK = 256 };

static int lowest_free_colour(const pl_block_matrix* A, int row, const int* colour, int* used_by) {
    for (int e = A->offsets[row]; e < A->offsets[row + 1]; e++)
        if (A->columns[e] < row) used_by[colour[A->columns[e]]] = row;
    int c = 0;
    while (used_by[c] == row) c++;
    return c;
}

// counting sort of the rows by colour
static bool sort_rows(pl_row_colours* colours, const int* colour) {
    colours->offsets = PL_ALLOC(int, colours->colour_count + 1);
    colours->rows = PL_ALLOC(int, colours->row_count);
    if (!colours->offsets || !colours->rows) return false;
    for (int row = 0; row < colours->row_count; row++) colours->offsets[colour[row] + 1]++;
    for (int c = 0; c < colours->colour_count; c++) colours->offsets[c + 1] += colours->offsets[c];
    for (int row = 0; row < colours->row_count; row++)
        colours->rows[colours->offsets[colour[row]]++] = row;
    for (int c = colours->colour_count; c > 0; c--) colours->offsets[c] = colours->offsets[c - 1];
    colours->offsets[0] = 0;
    return true;
}

pl_status pl_row_colours_setup(pl_row_colours* colours, const pl_block_matrix* A, pl_error* error) {
    *colours = (pl_row_colours){.row_count = A->row_count};
    int* colour = PL_ALLOC(int, A->row_count);
    int* used_by = PL_ALLOC(int, A->row_count + 1);
    bool ok = colour && used_by;
    for (int row = 0; ok && row <= A->row_count; row++) used_by[row] = -1;
    for (int row = 0; ok && row < A->row_count; row++) {
        colour[row] = lowest_free_colour(A, row, colour, used_by);
        if (colour[row] >= colours->colour_count) colours->colour_count = colour[row] + 1;
    }
    ok = ok && sort_rows(colours, colour);
    PL_FREE(colour, int, A->row_count);
    PL_FREE(used_by, int, A->row_count + 1);
    if (ok) return PL_OK;
    pl_row_colours_free(colours);
    return pl_fail_memory(error, "a colouring");
}

void pl_row_colours_free(pl_row_colours* colours) {
    PL_FREE(colours->offsets, int, colours->colour_count + 1);
    PL_FREE(colours->rows, int, colours->row_count);
    *colours = (pl_row_colours){0};
}

typedef struct sweep_job {
    const pl_block_matrix* A;
    const int* rows;
    int rhs_count;
    const double* inverse_diagonal;
    const double* b;
    double* x;
} sweep_job;

// x_row = D^-1 (b_row - sum of the other blocks)
static void relax_row(const sweep_job* job, int row) {
    const pl_block_matrix* A = job->A;
    int b = A->block, m = job->rhs_count, step = b * m;
    double sum[12], *x = job->x + (size_t)row * (size_t)step;
    for (int i = 0; i < step; i++) sum[i] = job->b[(size_t)row * (size_t)step + (size_t)i];
    for (int e = A->offsets[row]; e < A->offsets[row + 1]; e++) {
        if (A->columns[e] == row) continue;
        const double* value = A->values + (size_t)e * (size_t)(b * b);
        const double* other = job->x + (size_t)A->columns[e] * (size_t)step;
        for (int i = 0; i < b; i++)
            for (int k = 0; k < b; k++)
                for (int c = 0; c < m; c++) sum[i * m + c] -= value[i * b + k] * other[k * m + c];
    }
    const double* inverse = job->inverse_diagonal + (size_t)row * (size_t)(b * b);
    for (int i = 0; i < b; i++)
        for (int c = 0; c < m; c++) {
            double value = 0.0;
            for (int k = 0; k < b; k++) value += inverse[i * b + k] * sum[k * m + c];
            x[i * m + c] = value;
        }
}

static void sweep_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_job* job = user;
    for (int i = begin; i < end; i++) relax_row(job, job->rows[i]);
}

void pl_row_colours_sweep(const pl_row_colours* colours, const pl_block_matrix* A, pl_pool* pool,
                          int rhs_count, const double* inverse_diagonal, const double* b, double* x,
                          bool backward) {
    for (int k = 0; k < colours->colour_count; k++) {
        int c = backward ? colours->colour_count - 1 - k : k;
        sweep_job job = {A, colours->rows + colours->offsets[c], rhs_count, inverse_diagonal, b, x};
        pl_parallel_for(pool, sweep_task, colours->offsets[c + 1] - colours->offsets[c],
                        ROWS_PER_TASK, &job);
    }
}
