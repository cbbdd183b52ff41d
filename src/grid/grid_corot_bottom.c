// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The coarsest level of the general lattice: all pressures are substituted and the matrix is
// factored. The level is large if the body is too thin for a coarser one.
#include "base/memory.h"
#include "grid/grid_corot_kernels.h"

#include <math.h>
#include <string.h>

// Above this many unknowns the level is large.
enum { SMALL_UNKNOWNS = 600 };
// Regularises the diagonal, because thin parts may have bending modes without stiffness. A face
// without any stiffness does not move.
static const double MORE_DIAGONAL = 1e-5, MIN_DIAGONAL = 1e-6, FIXED = 1e10;

// A sum of squared linear forms over the unknowns of one clique.
typedef struct square_sum {
    int count;
    int unknown[PL_CLIQUE_MAX];
    double values[PL_CLIQUE_MAX * PL_CLIQUE_MAX];
} square_sum;

static int unknown_of(const pl_corot_bottom* b, const pl_corot_form* form, int k) {
    return b->unknown[form->axis[k]][form->face[k]];
}

// starts a sum over the faces of a form
static void begin_sum(const pl_corot_bottom* b, const pl_corot_form* form, square_sum* sum) {
    sum->count = form->count;
    for (int k = 0; k < form->count; k++) sum->unknown[k] = unknown_of(b, form, k);
    memset(sum->values, 0, (size_t)(form->count * form->count) * sizeof(double));
}

// adds weight times the square of a form with the same faces in the same order
static void add_square(square_sum* sum, const pl_corot_form* form, double weight) {
    for (int p = 0; p < sum->count; p++) {
        const double scaled = weight * (double)form->factor[p];
        for (int q = 0; q < sum->count; q++)
            sum->values[p * sum->count + q] += scaled * (double)form->factor[q];
    }
}

// ------------------------------------------------------------------ forms of cells and edges

// All faces of the two gradients at the low edge of a cell along an axis. The first gradient uses
// the first `first` of them.
static pl_corot_form edge_form(const pl_corot_level* l, const int* base, int i, int axis,
                               int* first) {
    const int *S = pl_corot_stride, n = base[13] + i;
    pl_corot_form form = {0};
    for (int e = 1; e < 3; e++) {
        const int p = (axis + e) % 3, q = (axis + 3 - e) % 3;
        pl_corot_add_face(l, &form, p, n, 1.0f);
        pl_corot_add_face(l, &form, p, base[13 - S[q]] + i, -1.0f);
        if (e == 1) *first = form.count;
    }
    return form;
}

static void sum_edge(const pl_corot_bottom* b, const pl_corot_level* l, const int* base, int i,
                     int axis, square_sum* sum) {
    int first;
    const double weight = (double)l->edge_weight[axis][base[13] + i];
    const pl_corot_form both = edge_form(l, base, i, axis, &first);
    begin_sum(b, &both, sum);
    if (l->shear > 0.0f) {
        add_square(sum, &both, 0.5 * weight);
        return;
    }
    for (int part = 0; part < 2; part++) {
        pl_corot_form one = both;
        for (int k = 0; k < both.count; k++)
            if ((k >= first) != (part == 1)) one.factor[k] = 0.0f;
        add_square(sum, &one, weight);
    }
}

// F_aa of a cell, as a form over the faces of its T
static pl_corot_form stretch_form(const pl_corot_form* T, int a, int low, int high) {
    pl_corot_form form = *T;
    for (int k = 0; k < T->count; k++)
        form.factor[k] = T->axis[k] != a      ? 0.0f
                         : T->face[k] == high ? 1.0f
                         : T->face[k] == low  ? -1.0f
                                              : 0.0f;
    return form;
}

// L with L L' = W, of a symmetric positive definite W
static void factor_three(const float W[9], float L[3][3]) {
    memset(L, 0, 9 * sizeof(float));
    for (int j = 0; j < 3; j++)
        for (int i = j; i < 3; i++) {
            float sum = W[3 * i + j];
            for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrtf(fmaxf(sum, 0.0f)) : L[j][j] > 0.0f ? sum / L[j][j] : 0.0f;
        }
}

// The three rotation components of a cell are forms like T, with other factors in place of R.
static void subtract_twists(pl_corot_level* l, const int* base, int i, square_sum* sum) {
    const int n = base[13] + i;
    float R[9], W[9], L[3][3];
    if (l->soft[n] == 0.0f) return;
    pl_corot_rotation(l, n, R);
    pl_corot_rotation_matrix(l, base, i, W);
    factor_three(W, L);
    for (int k = 0; k < 3; k++) {
        float C[9] = {0}; // sum over j of L_jk C^j
        for (int j = 0; j < 3; j++)
            for (int a = 0; a < 3; a++) {
                const int p = (j + 1) % 3, q = (j + 2) % 3;
                C[3 * a + p] += L[j][k] * R[3 * a + q], C[3 * a + q] -= L[j][k] * R[3 * a + p];
            }
        for (int e = 0; e < 9; e++) l->R[e][n] = C[e];
        pl_corot_form form;
        pl_corot_form_of(l, base, i, &form);
        add_square(sum, &form, -1.0);
    }
    for (int e = 0; e < 9; e++) l->R[e][n] = R[e];
}

static void sum_cell(const pl_corot_bottom* b, pl_corot_level* l, const int* base, int i,
                     bool softens, square_sum* sum) {
    const int n = base[13] + i;
    pl_corot_form T;
    pl_corot_form_of(l, base, i, &T);
    begin_sum(b, &T, sum);
    add_square(sum, &T, (double)l->k[n]);
    for (int a = 0; a < 3; a++) {
        if (!(l->cell_weight[a][n] > 0.0f)) continue;
        const pl_corot_form stretch = stretch_form(&T, a, n, base[13 + pl_corot_stride[a]] + i);
        add_square(sum, &stretch, (double)l->cell_weight[a][n]);
    }
    if (softens) subtract_twists(l, base, i, sum);
}

// ------------------------------------------------------------------ structure

static void add_clique(const pl_corot_bottom* b, const pl_corot_form* form,
                       pl_grid_cliques* cliques) {
    int unknowns[PL_CLIQUE_MAX];
    for (int k = 0; k < form->count; k++) unknowns[k] = unknown_of(b, form, k);
    pl_grid_cliques_add(cliques, form->count, unknowns);
}

// Cliques in the order of cells: the low edges, then T.
static pl_status set_up_factor(pl_corot_bottom* b, const pl_corot_level* l, pl_error* error) {
    pl_grid_cliques cliques = pl_grid_cliques_none();
    int base[27], first;
    pl_corot_form form;
    for (int c = 0; c < l->chunk_count; c++) {
        pl_corot_reach(&l->chunks[c], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            const int n = base[13] + i;
            for (int a = 0; a < 3; a++) {
                if (!(l->edge_weight[a][n] > 0.0f)) continue;
                form = edge_form(l, base, i, a, &first);
                add_clique(b, &form, &cliques);
            }
            if (!(l->flags[n] & PL_COROT_INTERIOR)) continue;
            pl_corot_form_of(l, base, i, &form);
            add_clique(b, &form, &cliques);
        }
    }
    pl_status status = pl_grid_factor_setup(&b->factor, b->unknown_count, &cliques, error);
    return status == PL_OK ? pl_grid_factor_reserve(&b->factor, error) : status;
}

pl_status pl_corot_bottom_create(const pl_corot_level* l, pl_corot_bottom* out, pl_error* error) {
    *out = (pl_corot_bottom){.field_size = l->layout->field_size};
    for (int a = 0; a < 3; a++) {
        out->unknown[a] = PL_ALLOC(int, out->field_size);
        if (!out->unknown[a]) return pl_fail_memory(error, "the coarsest level");
        for (int i = 0; i < out->field_size; i++)
            out->unknown[a][i] = l->flags[i] & (PL_COROT_FACE << a) ? out->unknown_count++ : -1;
    }
    out->x = PL_ALLOC(double, out->unknown_count);
    if (!out->x && out->unknown_count) return pl_fail_memory(error, "the coarsest level");
    out->is_large = out->unknown_count > SMALL_UNKNOWNS;
    return set_up_factor(out, l, error);
}

void pl_corot_bottom_free(pl_corot_bottom* b) {
    for (int a = 0; a < 3; a++) PL_FREE(b->unknown[a], int, b->field_size);
    PL_FREE(b->x, double, b->unknown_count);
    pl_grid_factor_free(&b->factor);
    *b = (pl_corot_bottom){0};
}

// ------------------------------------------------------------------ values

static void add_cells(pl_corot_bottom* b, pl_corot_level* l, bool softens) {
    int base[27], clique = 0;
    square_sum sum;
    for (int c = 0; c < l->chunk_count; c++) {
        pl_corot_reach(&l->chunks[c], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            for (int a = 0; a < 3; a++) {
                if (!(l->edge_weight[a][base[13] + i] > 0.0f)) continue;
                sum_edge(b, l, base, i, a, &sum);
                pl_grid_factor_add(&b->factor, clique++, sum.values);
            }
            if (!(l->flags[base[13] + i] & PL_COROT_INTERIOR)) continue;
            sum_cell(b, l, base, i, softens, &sum);
            pl_grid_factor_add(&b->factor, clique++, sum.values);
        }
    }
}

// extra stiffness of faces, inertia and regularisation on the diagonal
static void add_diagonal(pl_corot_bottom* b, const pl_corot_level* l) {
    for (int i = 0; i < b->field_size; i++)
        for (int a = 0; a < 3; a++) {
            if (b->unknown[a][i] < 0) continue;
            double* d = pl_grid_factor_diagonal(&b->factor, b->unknown[a][i]);
            *d += (double)(l->inertia + l->extra[a][i]);
            *d = *d > MIN_DIAGONAL ? *d * (1.0 + MORE_DIAGONAL) : FIXED;
        }
}

void pl_corot_bottom_update(pl_corot_bottom* b, pl_corot_level* l, pl_pool* pool) {
    if (b->unknown_count == 0) return;
    // Subtracting the rotation term may make the matrix indefinite. In that case it is not
    // subtracted.
    for (int softens = 1; softens >= 0; softens--) {
        pl_grid_factor_clear(&b->factor);
        add_cells(b, l, softens);
        add_diagonal(b, l);
        const int negative = pl_grid_factor_update(&b->factor, pool);
        b->fails = negative != 0;
        if (negative <= 0) return;
    }
}

// ------------------------------------------------------------------ solution

// x = f + the right-hand sides of the pressure equations, substituted
static void gather(const pl_corot_bottom* b, const pl_corot_level* l, double* x) {
    int base[27];
    for (int i = 0; i < b->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (b->unknown[a][i] >= 0) x[b->unknown[a][i]] = (double)l->f[a][i];
    for (int c = 0; c < l->chunk_count; c++) {
        pl_corot_reach(&l->chunks[c], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            const int at = base[13] + i;
            if (!(l->flags[at] & PL_COROT_INTERIOR) || l->g[at] == 0.0f) continue;
            pl_corot_form form;
            pl_corot_form_of(l, base, i, &form);
            for (int k = 0; k < form.count; k++)
                x[unknown_of(b, &form, k)] += (double)(l->k[at] * l->g[at] * form.factor[k]);
        }
    }
}

// computes pressures from positions
static void follow_pressures(pl_corot_level* l) {
    for (int c = 0; c < l->chunk_count; c++) {
        const int begin = l->chunks[c].begin;
        const pl_corot_masks* m = &l->masks[begin / PL_GRID_CHUNK];
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
            const pl_fw T = pl_corot_trace_w(l, l->u, l->chunks[c].rows, i, false);
            const pl_fw s = pl_loadu_w(l->k + begin + i) * (T - pl_loadu_w(l->g + begin + i));
            pl_storeu_w(l->s + begin + i, pl_keep_w(m->core | m->slaved, i, s));
        }
    }
}

bool pl_corot_bottom_solve(pl_corot_bottom* b, pl_corot_level* l) {
    if (b->fails) return false;
    gather(b, l, b->x);
    pl_grid_factor_solve(&b->factor, b->x);
    for (int i = 0; i < b->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (b->unknown[a][i] >= 0) l->u[a][i] = (float)b->x[b->unknown[a][i]];
    follow_pressures(l);
    return true;
}
