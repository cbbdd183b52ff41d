// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "modes/mode_problem.h"
#include "base/memory.h"
#include "step/mass_matrix.h"

#include <math.h>
#include <string.h>

static bool is_fixed(const pl_modes_problem* p, int v) { return p->fixed && p->fixed[v]; }

int pl_modes_unknowns(const pl_modes_problem* p) {
    int count = 0;
    for (int v = 0; v < p->K->row_count; v++) count += is_fixed(p, v) ? 0 : 3;
    for (int k = 0; k < p->hold_count; k++) {
        const double* f = p->holds[k].free.m;
        count -= 3 - (int)lround(f[0] + f[4] + f[8]);
    }
    return count;
}

double pl_modes_largest(const pl_modes_problem* p) {
    double largest = 0.0;
    for (int v = 0; v < p->K->row_count; v++) {
        const double* d = p->K->values + 9 * (size_t)p->K->diagonal[v];
        if (!is_fixed(p, v)) largest = fmax(largest, (d[0] + d[4] + d[8]) / p->mass[v]);
    }
    return largest;
}

void pl_modes_restrict(const pl_modes_problem* p, double* x) {
    for (int v = 0; v < p->K->row_count; v++)
        if (is_fixed(p, v)) memset(x + 3 * (size_t)v, 0, 3 * sizeof(double));
    pl_holds_project(p->holds, p->hold_count, x);
}

void pl_modes_mass(const pl_modes_problem* p, pl_pool* pool, const double* x, double* result) {
    if (p->M) pl_block_matrix_apply(p->M, pool, 3, x, result);
    else
        for (size_t v = 0; v < (size_t)p->K->row_count; v++)
            for (size_t i = 3 * v; i < 3 * v + 3; i++) result[i] = p->mass[v] * x[i];
    pl_modes_restrict(p, result);
}

void pl_modes_stiffness(const pl_modes_problem* p, pl_pool* pool, const double* x, double* result) {
    pl_block_matrix_apply(p->K, pool, 1, x, result);
    pl_modes_restrict(p, result);
}

static void add_mass(const pl_modes_problem* p, double sigma, pl_block_matrix* A) {
    if (p->M) pl_mass_matrix_add_to(p->M, sigma, A);
    for (int v = 0; !p->M && v < A->row_count; v++)
        for (int k = 0; k < 3; k++)
            A->values[9 * (size_t)A->diagonal[v] + 4 * (size_t)k] += sigma * p->mass[v];
}

// rows and columns of fixed vertices become those of the identity, times a suitable size
static void eliminate_fixed(const pl_modes_problem* p, double size, pl_block_matrix* A) {
    for (int v = 0; v < A->row_count; v++)
        for (int k = A->offsets[v]; k < A->offsets[v + 1]; k++) {
            if (!is_fixed(p, v) && !is_fixed(p, A->columns[k])) continue;
            double* block = A->values + 9 * (size_t)k;
            memset(block, 0, 9 * sizeof(double));
            if (A->columns[k] == v) block[0] = block[4] = block[8] = size;
        }
}

void pl_modes_shift(const pl_modes_problem* p, double sigma, double size, pl_block_matrix* A) {
    memcpy(A->values, p->K->values, 9 * (size_t)pl_block_matrix_entry_count(p->K) * sizeof(double));
    add_mass(p, sigma, A);
    eliminate_fixed(p, size, A);
    pl_holds_eliminate(p->holds, p->hold_count, A);
}

pl_status pl_modes_copy_pattern(const pl_modes_problem* p, pl_block_matrix* A, pl_error* error) {
    const pl_block_matrix* K = p->K;
    int entries = pl_block_matrix_entry_count(K), count = 0;
    int* offsets = PL_ALLOC(int, K->row_count + 1);
    int* neighbours = PL_ALLOC(int, entries);
    pl_status status = offsets && neighbours ? PL_OK : pl_fail_memory(error, "a matrix");
    for (int v = 0; status == PL_OK && v < K->row_count; v++) {
        offsets[v] = count;
        for (int k = K->offsets[v]; k < K->offsets[v + 1]; k++)
            if (K->columns[k] != v) neighbours[count++] = K->columns[k];
        offsets[v + 1] = count;
    }
    if (status == PL_OK)
        status = pl_block_matrix_setup(A, K->row_count, 3, offsets, neighbours, error);
    PL_FREE(offsets, int, K->row_count + 1);
    PL_FREE(neighbours, int, entries);
    return status;
}

pl_status pl_modes_fail_unstable(int growing, pl_error* error) {
    return pl_fail(
        error, PL_ERROR_ARGUMENT,
        "the body is not in a stable state: %d of its modes would grow instead of swing; "
        "compute modes of the rest shape, or wait until the body has come to rest",
        growing);
}
