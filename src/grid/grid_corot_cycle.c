// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Levels of the general lattice and the V-cycle over them. On the coarsest level all pressures are
// substituted and the matrix is factored.
#include "base/memory.h"
#include "grid/grid_corot_level.h"
#include "grid/grid_corot_stencil.h"

#include <math.h>
#include <string.h>

// Of what turning does not cost. 1 would leave bodies that bend without stiffness; 0.95 needs 78
// cycles to bend a bar of 32 x 8 x 8 cells at nu = 0.4 where this needs 54.
static const float SOFTEST = 0.98f;
enum { SERIAL_CHUNKS = 512, BOTTOM_SWEEPS = 40, RECOMBINED = 5 };

static pl_pool* pool_of(const pl_grid_corot* c, int l) {
    return c->levels[l].chunk_count < SERIAL_CHUNKS ? NULL : c->pool;
}

static pl_status set_up_bottom(pl_grid_corot* c, pl_error* error) {
    const pl_corot_level* l = &c->levels[c->level_count - 1];
    int size = l->layout->field_size;
    for (int a = 0; a < 3; a++) {
        c->unknown[a] = PL_ALLOC(int, size);
        if (!c->unknown[a]) return pl_fail_memory(error, "the coarsest level");
        for (int i = 0; i < size; i++)
            c->unknown[a][i] = l->flags[i] & (PL_COROT_FACE << a) ? c->unknown_count++ : -1;
    }
    c->bottom_x = PL_ALLOC(float, c->unknown_count);
    if (!c->bottom_x && c->unknown_count) return pl_fail_memory(error, "the coarsest level");
    return pl_dense_cholesky_setup(&c->bottom, c->unknown_count, 1, error);
}

static pl_status allocate_state(pl_grid_corot* c, pl_error* error) {
    int size = c->levels[0].layout->field_size;
    c->ease = PL_ALLOC(float, size);
    bool ok = c->ease;
    for (int e = 0; e < 9; e++) ok = ok && (c->stress[e] = PL_ALLOC(double, size));
    for (int a = 0; a < 3; a++) {
        c->direction[a] = PL_ALLOC(float, size);
        c->before[a] = PL_ALLOC(float, size);
        c->spring[a] = PL_ALLOC(float, size);
        ok = ok && c->direction[a] && c->before[a] && c->spring[a];
    }
    ok = ok && pl_grid_fields_create((size_t)size, c->own_move) &&
         pl_grid_fields_create((size_t)size, c->past_move);
    if (!ok) return pl_fail_memory(error, "the general lattice");
    return pl_grid_recombine_create(c->levels[0].layout, RECOMBINED, &c->history, error);
}

void pl_grid_corot_forget(pl_grid_corot* c) {
    c->has_direction = false;
    pl_grid_recombine_reset(&c->history);
}

pl_status pl_grid_corot_create(const pl_grid_multigrid* mg, const float* mu, bool rotates,
                               pl_quat* turn, pl_pool* pool, pl_grid_corot* out, pl_error* error) {
    *out = (pl_grid_corot){.band_sweeps = 2,
                           .rotates = rotates,
                           .softens = rotates,
                           .springs_changed = true,
                           .turn = turn,
                           .pool = pool};
    pl_status status = PL_OK;
    for (int l = 0; status == PL_OK && l < mg->level_count; l++) {
        status = pl_corot_level_create(mg, l, mu, l ? &out->levels[l - 1] : NULL, &out->levels[l],
                                       error);
        out->levels[l].shear = rotates ? 0.0f : 0.5f;
        out->level_count++;
        if (status == PL_OK && l > 0) pl_corot_set_transfer(&out->levels[l - 1], &out->levels[l]);
    }
    if (status == PL_OK) status = set_up_bottom(out, error);
    if (status == PL_OK) status = allocate_state(out, error);
    if (status != PL_OK) pl_grid_corot_free(out);
    return status;
}

void pl_grid_corot_free(pl_grid_corot* c) {
    if (c->level_count == 0) return;
    int size = c->levels[0].layout->field_size;
    int last =
        c->levels[c->level_count - 1].layout ? c->levels[c->level_count - 1].layout->field_size : 0;
    for (int e = 0; e < 9; e++) PL_FREE(c->stress[e], double, size);
    PL_FREE(c->ease, float, size);
    for (int a = 0; a < 3; a++) {
        PL_FREE(c->direction[a], float, size), PL_FREE(c->before[a], float, size);
        PL_FREE(c->spring[a], float, size);
        PL_FREE(c->unknown[a], int, last);
    }
    pl_grid_fields_free((size_t)size, c->own_move);
    pl_grid_fields_free((size_t)size, c->past_move);
    pl_grid_recombine_free(&c->history);
    PL_FREE(c->bottom_x, float, c->unknown_count);
    pl_dense_cholesky_free(&c->bottom);
    for (int l = 0; l < PL_GRID_MAX_LEVELS; l++) pl_corot_level_free(&c->levels[l]);
    *c = (pl_grid_corot){0};
}

// ------------------------------------------------------------------ coefficients

// weight times the square of a form goes into the matrix
static void add_square(pl_grid_corot* c, const pl_corot_form* form, float weight) {
    for (int p = 0; p < form->count; p++)
        for (int q = 0; q < form->count; q++) {
            int i = c->unknown[form->axis[p]][form->face[p]];
            int j = c->unknown[form->axis[q]][form->face[q]];
            if (i >= j)
                *pl_dense_cholesky_at(&c->bottom, i, j) +=
                    weight * form->factor[p] * form->factor[q];
        }
}

static void add_differences(pl_grid_corot* c, const pl_corot_level* l, const int* base, int i) {
    const int *S = pl_corot_stride, n = base[13] + i;
    for (int a = 0; a < 3; a++) {
        pl_corot_form form = {0};
        if (l->cell_weight[a][n] > 0.0f) {
            pl_corot_add_face(l, &form, a, base[13 + S[a]] + i, 1.0f);
            pl_corot_add_face(l, &form, a, n, -1.0f);
            add_square(c, &form, l->cell_weight[a][n]);
        }
        if (!(l->edge_weight[a][n] > 0.0f)) continue;
        pl_corot_form both = {0};
        for (int e = 1; e < 3; e++) {
            int p = (a + e) % 3, q = (a + 3 - e) % 3;
            form.count = 0;
            pl_corot_add_face(l, &form, p, n, 1.0f), pl_corot_add_face(l, &both, p, n, 1.0f);
            pl_corot_add_face(l, &form, p, base[13 - S[q]] + i, -1.0f);
            pl_corot_add_face(l, &both, p, base[13 - S[q]] + i, -1.0f);
            if (l->shear == 0.0f) add_square(c, &form, l->edge_weight[a][n]);
        }
        if (l->shear > 0.0f) add_square(c, &both, 0.5f * l->edge_weight[a][n]);
    }
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

// The three twists of a cell are forms like T, with other factors in place of R.
static void take_twists(pl_grid_corot* c, pl_corot_level* l, const int* base, int i) {
    const int n = base[13] + i;
    float R[9], W[9], L[3][3];
    if (l->soft[n] == 0.0f) return;
    pl_corot_rotation(l, n, R);
    pl_corot_twist_matrix(l, base, i, W);
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
        add_square(c, &form, -1.0f);
    }
    for (int e = 0; e < 9; e++) l->R[e][n] = R[e];
}

static void factor_bottom(pl_grid_corot* c) {
    const pl_corot_level* l = &c->levels[c->level_count - 1];
    int base[27];
    pl_dense_cholesky_zero(&c->bottom);
    for (int k = 0; k < l->chunk_count; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            int n = base[13] + i;
            add_differences(c, l, base, i);
            for (int a = 0; a < 3; a++)
                if (c->unknown[a][n] >= 0)
                    *pl_dense_cholesky_at(&c->bottom, c->unknown[a][n], c->unknown[a][n]) +=
                        l->inertia + l->extra[a][n];
            if (!(l->flags[n] & PL_COROT_INTERIOR)) continue;
            pl_corot_form form;
            pl_corot_form_of(l, base, i, &form);
            add_square(c, &form, l->k[n]);
            take_twists(c, &c->levels[c->level_count - 1], base, i);
        }
    }
    // a little more on the diagonal, as thin parts may bend without stiffness; a face that nothing
    // holds stays where it is
    for (int i = 0; i < c->unknown_count; i++) {
        float* d = pl_dense_cholesky_at(&c->bottom, i, i);
        *d = *d > 1e-6f ? *d * (1.0f + 1e-5f) : 1e10f;
    }
    c->bottom_fails = pl_dense_cholesky_factor(&c->bottom, NULL) >= 0;
}

// springs on all levels, handed down like a residual
static void spread_springs(pl_grid_corot* c) {
    pl_corot_level* fine = &c->levels[0];
    size_t bytes = (size_t)fine->layout->field_size * sizeof(float);
    for (int a = 0; a < 3; a++) memcpy(fine->r[a], c->spring[a], bytes);
    memset(fine->rg, 0, bytes);
    for (int l = 0; l < c->level_count; l++) {
        pl_corot_level* level = &c->levels[l];
        pl_corot_level_walls(level);
        if (l > 0) {
            pl_corot_restrict(&c->levels[l - 1], level, c->pool);
            for (int a = 0; a < 3; a++)
                memcpy(level->r[a], level->f[a], (size_t)level->layout->field_size * sizeof(float));
        }
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < level->layout->field_size; i++)
                if (level->flags[i] & (PL_COROT_FACE << a))
                    level->extra[a][i] += fmaxf(level->r[a][i], 0.0f);
    }
}

void pl_grid_corot_set_springs(pl_grid_corot* c, double* const stiffness[3]) {
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < c->levels[0].layout->field_size; i++) {
            const float now = stiffness ? (float)stiffness[a][i] : 0.0f;
            if (now != c->spring[a][i]) c->springs_changed = true;
            c->spring[a][i] = now;
        }
}

// Up to nu = 0.498 as many as the paper says, more where pressures are stiff; then more still: with
// 4 of them the face of the scenes has a rate of 0.5 at nu = 0.499 and 0.7 at 0.4995.
static int sweeps_for(double compressibility) {
    return compressibility < 0.0015  ? 16
           : compressibility < 0.004 ? 8
           : compressibility < 0.12  ? 4
                                     : 2;
}

void pl_grid_corot_update(pl_grid_corot* c, double compressibility, double inertia) {
    pl_corot_take_rotations(&c->levels[0], c->turn, c->ease, c->softens ? SOFTEST : 0.0f, c->pool);
    if (c->springs_changed) spread_springs(c);
    c->springs_changed = false;
    c->band_sweeps = c->fixed_sweeps ? c->fixed_sweeps : sweeps_for(compressibility);
    for (int l = 0; l < c->level_count; l++) {
        pl_corot_level* level = &c->levels[l];
        if (l > 0 && c->rotates) pl_corot_coarsen_rotations(&c->levels[l - 1], level, c->pool);
        pl_corot_set_coefficients(level, compressibility, inertia * pow(4.0, l), c->pool);
    }
    factor_bottom(c);
}

// ------------------------------------------------------------------ cycle

static void set_zero(pl_corot_level* l) {
    size_t bytes = (size_t)l->layout->field_size * sizeof(float);
    for (int a = 0; a < 3; a++) memset(l->u[a], 0, bytes);
    memset(l->s, 0, bytes);
}

static void solve_bottom(pl_grid_corot* c) {
    pl_corot_level* l = &c->levels[c->level_count - 1];
    set_zero(l);
    if (c->bottom_fails) {
        for (int k = 0; k < BOTTOM_SWEEPS; k++) pl_corot_smooth(l, 2, k % 2, NULL);
        return;
    }
    int base[27], n = c->unknown_count;
    for (int i = 0; i < l->layout->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (c->unknown[a][i] >= 0) c->bottom_x[c->unknown[a][i]] = l->f[a][i];
    for (int k = 0; k < l->chunk_count; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            const int at = base[13] + i;
            if (!(l->flags[at] & PL_COROT_INTERIOR) || l->g[at] == 0.0f) continue;
            pl_corot_form form;
            pl_corot_form_of(l, base, i, &form);
            for (int e = 0; e < form.count; e++)
                c->bottom_x[c->unknown[form.axis[e]][form.face[e]]] +=
                    l->k[at] * l->g[at] * form.factor[e];
        }
    }
    pl_dense_cholesky_solve(&c->bottom, NULL, 1, (pl_rhs_layout){n, n, n}, c->bottom_x,
                            c->bottom_x);
    for (int i = 0; i < l->layout->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (c->unknown[a][i] >= 0) l->u[a][i] = c->bottom_x[c->unknown[a][i]];
    for (int k = 0; k < l->chunk_count; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            const int at = base[13] + i;
            if (l->flags[at] & PL_COROT_INTERIOR)
                l->s[at] = l->k[at] * (pl_corot_trace(l, l->u, base, i) - l->g[at]);
        }
    }
}

void pl_grid_corot_cycle(pl_grid_corot* c) {
    int last = c->level_count - 1;
    for (int l = 0; l < last; l++) {
        pl_corot_level* level = &c->levels[l];
        set_zero(level);
        pl_corot_smooth(level, c->band_sweeps, false, pool_of(c, l));
        pl_corot_residual(level, pool_of(c, l));
        pl_corot_soften(level, level->r, pool_of(c, l));
        pl_corot_restrict(level, &c->levels[l + 1], pool_of(c, l + 1));
    }
    solve_bottom(c);
    for (int l = last - 1; l >= 0; l--) {
        pl_corot_prolong(&c->levels[l], &c->levels[l + 1], pool_of(c, l));
        // the right side is needed again on the finest level
        size_t bytes = (size_t)c->levels[l].layout->field_size * sizeof(float);
        for (int a = 0; a < 3; a++) memcpy(c->levels[l].r[a], c->levels[l].f[a], bytes);
        pl_corot_soften(&c->levels[l], c->levels[l].f, pool_of(c, l));
        pl_corot_smooth(&c->levels[l], c->band_sweeps, true, pool_of(c, l));
        for (int a = 0; a < 3; a++) memcpy(c->levels[l].f[a], c->levels[l].r[a], bytes);
    }
}
