// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cliques, the pattern of the sum of their matrices, and its factor.
#include "grid/grid_factor.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// Ragged parts one cell thick have motions without stiffness. At nu = 0.499, round-off leaves
// pivots of up to 1e-12 of the diagonal there; dividing forces by them would give unbounded motion.
static const double TINY_PIVOT = 1e-11;

static const int64_t MAX_FACTOR_VALUES = (int64_t)1 << 28; // 2 GB

// ------------------------------------------------------------------ pattern

pl_grid_cliques pl_grid_cliques_none(void) {
    const int zero = 0;
    pl_grid_cliques none = {.offsets = pl_array_of(sizeof(int)),
                            .members = pl_array_of(sizeof(int))};
    none.lost = !pl_array_push(&none.offsets, &zero);
    return none;
}

void pl_grid_cliques_add(pl_grid_cliques* cliques, int count, const int* unknowns) {
    bool there = true;
    for (int k = 0; k < count; k++) there = there && pl_array_push(&cliques->members, &unknowns[k]);
    const int end = (int)cliques->members.count;
    if (!there || !pl_array_push(&cliques->offsets, &end)) cliques->lost = true;
}

void pl_grid_cliques_free(pl_grid_cliques* cliques) {
    pl_array_free(&cliques->offsets), pl_array_free(&cliques->members);
}

// The cliques of each row.
typedef struct incidence {
    int* offsets; // row_count + 1
    int* cliques; // member_count
} incidence;

static void list_cliques(const pl_grid_factor* f, int row_count, incidence* out) {
    for (int k = 0; k < f->member_count; k++) out->offsets[f->members[k] + 1]++;
    for (int r = 0; r < row_count; r++) out->offsets[r + 1] += out->offsets[r];
    for (int c = 0; c < f->clique_count; c++)
        for (int k = f->clique_offsets[c]; k < f->clique_offsets[c + 1]; k++)
            out->cliques[out->offsets[f->members[k]]++] = c;
    for (int r = row_count; r > 0; r--) out->offsets[r] = out->offsets[r - 1];
    out->offsets[0] = 0;
}

// Lists the neighbours of a row, each once; returns their number. mark[j]: last row that listed j.
static int meet(const pl_grid_factor* f, const incidence* rows, int row, int* mark, int* out) {
    int count = 0;
    mark[row] = row;
    for (int k = rows->offsets[row]; k < rows->offsets[row + 1]; k++) {
        const int c = rows->cliques[k];
        for (int m = f->clique_offsets[c]; m < f->clique_offsets[c + 1]; m++) {
            const int other = f->members[m];
            if (mark[other] == row) continue;
            mark[other] = row;
            if (out) out[count] = other;
            count++;
        }
    }
    if (out && count) qsort(out, (size_t)count, sizeof(int), pl_compare_ints);
    return count;
}

static pl_status set_up_matrix(pl_grid_factor* f, int row_count, const incidence* rows, int* mark,
                               int* offsets, pl_error* error) {
    for (int r = 0; r < row_count; r++) mark[r] = -1;
    for (int r = 0; r < row_count; r++) {
        const int64_t end = offsets[r] + (int64_t)meet(f, rows, r, mark, NULL);
        if (end > INT32_MAX)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "the thin parts of a lattice have more than %d pairs of unknowns; use "
                           "larger cells (grid.cell)",
                           INT32_MAX);
        offsets[r + 1] = (int)end;
    }
    const int count = offsets[row_count];
    int* neighbours = PL_ALLOC(int, count);
    if (!neighbours && count) return pl_fail_memory(error, "the factor of a lattice");
    for (int r = 0; r < row_count; r++) mark[r] = -1;
    for (int r = 0; r < row_count; r++) meet(f, rows, r, mark, neighbours + offsets[r]);
    pl_status status = pl_block_matrix_setup(&f->matrix, row_count, 1, offsets, neighbours, error);
    PL_FREE(neighbours, int, count);
    return status;
}

static pl_status find_pattern(pl_grid_factor* f, int row_count, pl_error* error) {
    incidence rows = {PL_ALLOC(int, row_count + 1), PL_ALLOC(int, f->member_count)};
    int *mark = PL_ALLOC(int, row_count), *offsets = PL_ALLOC(int, row_count + 1);
    pl_status status = PL_OK;
    if (!rows.offsets || (!rows.cliques && f->member_count) || !mark || !offsets)
        status = pl_fail_memory(error, "the factor of a lattice");
    if (status == PL_OK) {
        list_cliques(f, row_count, &rows);
        status = set_up_matrix(f, row_count, &rows, mark, offsets, error);
    }
    PL_FREE(rows.offsets, int, row_count + 1);
    PL_FREE(rows.cliques, int, f->member_count);
    PL_FREE(mark, int, row_count);
    PL_FREE(offsets, int, row_count + 1);
    return status;
}

static void find_slots(pl_grid_factor* f) {
    int64_t at = 0;
    for (int c = 0; c < f->clique_count; c++) {
        const int *own = f->members + f->clique_offsets[c],
                  count = f->clique_offsets[c + 1] - f->clique_offsets[c];
        f->slot_offsets[c] = at;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                f->slots[at++] = pl_block_matrix_find(&f->matrix, own[i], own[j]);
    }
}

// Moves the cliques into the factor; returns false if allocation fails.
static bool take_cliques(pl_grid_factor* f, pl_grid_cliques* cliques) {
    void *offsets = NULL, *members = NULL;
    const int clique_count = (int)cliques->offsets.count - 1;
    const int member_count = (int)cliques->members.count;
    if (!pl_array_take(&cliques->offsets, &offsets)) return false;
    f->clique_offsets = offsets, f->clique_count = clique_count;
    if (!pl_array_take(&cliques->members, &members)) return false;
    f->members = members, f->member_count = member_count;
    for (int c = 0; c < clique_count; c++) {
        const int64_t count = f->clique_offsets[c + 1] - f->clique_offsets[c];
        PL_ASSERT(count <= PL_CLIQUE_MAX);
        f->slot_count += count * count;
    }
    f->slot_offsets = PL_ALLOC(int64_t, f->clique_count);
    f->slots = PL_ALLOC(int, f->slot_count);
    return (f->slot_offsets || !f->clique_count) && (f->slots || !f->slot_count);
}

static pl_status check_size(const pl_grid_factor* f, pl_error* error) {
    const int64_t values = pl_direct_get_info(f->direct).factor_value_count;
    if (values <= MAX_FACTOR_VALUES) return PL_OK;
    return pl_fail(
        error, PL_ERROR_MEMORY,
        "a lattice that is thin and wide needs a factor of %d unknowns, which would take "
        "%.1f GB (the limit is %.1f GB); use larger cells (grid.cell), or method \"fem\"",
        f->matrix.row_count, (double)values * 8e-9, (double)MAX_FACTOR_VALUES * 8e-9);
}

pl_status pl_grid_factor_setup(pl_grid_factor* out, int row_count, pl_grid_cliques* cliques,
                               pl_error* error) {
    *out = (pl_grid_factor){0};
    const bool has_all = !cliques->lost && row_count > 0 && take_cliques(out, cliques);
    const bool lost = cliques->lost || (row_count > 0 && !has_all);
    pl_grid_cliques_free(cliques);
    pl_status status = lost ? pl_fail_memory(error, "the factor of a lattice") : PL_OK;
    if (status == PL_OK && row_count == 0) return PL_OK;
    if (status == PL_OK) status = find_pattern(out, row_count, error);
    if (status == PL_OK) find_slots(out);
    if (status == PL_OK) status = pl_direct_analyse(&out->matrix, &out->direct, error);
    if (status == PL_OK) status = check_size(out, error);
    if (status == PL_OK) pl_direct_set_tiny_pivot(out->direct, TINY_PIVOT);
    else pl_grid_factor_free(out);
    return status;
}

void pl_grid_factor_free(pl_grid_factor* f) {
    PL_FREE(f->clique_offsets, int, f->clique_count + 1);
    PL_FREE(f->members, int, f->member_count);
    PL_FREE(f->slot_offsets, int64_t, f->clique_count);
    PL_FREE(f->slots, int, f->slot_count);
    pl_block_matrix_free(&f->matrix);
    pl_direct_destroy(f->direct);
    *f = (pl_grid_factor){0};
}

// ------------------------------------------------------------------ values

pl_status pl_grid_factor_reserve(pl_grid_factor* f, pl_error* error) {
    return f->direct ? pl_direct_reserve(f->direct, error) : PL_OK;
}

void pl_grid_factor_clear(pl_grid_factor* f) {
    if (f->direct) pl_block_matrix_zero(&f->matrix);
}

void pl_grid_factor_add(pl_grid_factor* f, int clique, const double* values) {
    const int count = f->clique_offsets[clique + 1] - f->clique_offsets[clique];
    const int* slots = f->slots + f->slot_offsets[clique];
    for (int k = 0; k < count * count; k++) f->matrix.values[slots[k]] += values[k];
}

double* pl_grid_factor_diagonal(pl_grid_factor* f, int row) {
    return &f->matrix.values[f->matrix.diagonal[row]];
}

int pl_grid_factor_update(pl_grid_factor* f, pl_pool* pool) {
    pl_error ignored;
    if (!f->direct) return 0;
    if (pl_direct_update(f->direct, &f->matrix, pool, &ignored) != PL_OK) return -1;
    return pl_direct_get_info(f->direct).negative_pivot_count;
}

void pl_grid_factor_solve(pl_grid_factor* f, double* x) {
    if (f->direct) pl_direct_solve(f->direct, 1, x, x);
}
