// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// K = Hessian of the sum of the energies of all interior stresses, with all pressures substituted
// (Zhu 2010, Eq. 12); factored as L D L' in double.
#include "grid/grid_linear_bottom.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// Above this many unknowns the factor is sparse.
enum { DENSE_UNKNOWNS = 600 };

pl_status pl_grid_bottom_create(const pl_grid_linear_level* level, pl_grid_bottom* out,
                                pl_error* error) {
    *out = (pl_grid_bottom){0};
    if (level->layout->face_count > DENSE_UNKNOWNS)
        return pl_grid_thin_create(NULL, level, &out->sparse, error);
    out->field_size = level->layout->field_size;
    for (int a = 0; a < 3; a++) {
        out->unknown[a] = PL_ALLOC(int, level->layout->field_size);
        if (!out->unknown[a]) return pl_fail_memory(error, "the coarsest level");
        for (int i = 0; i < level->layout->field_size; i++)
            out->unknown[a][i] =
                pl_grid_bit(level->layout->masks[i / PL_GRID_CHUNK].face[a], i) ? out->count++ : -1;
    }
    size_t n = (size_t)out->count;
    out->factor = PL_ALLOC(double, n* n);
    out->pivot = PL_ALLOC(double, n);
    out->x = PL_ALLOC(double, n);
    return n == 0 || (out->factor && out->pivot && out->x)
               ? PL_OK
               : pl_fail_memory(error, "the coarsest level");
}

pl_status pl_grid_bottom_reserve(pl_grid_bottom* b, pl_error* error) {
    return pl_grid_factor_reserve(&b->sparse.factor, error);
}

void pl_grid_bottom_free(pl_grid_bottom* b) {
    pl_grid_thin_free(&b->sparse);
    for (int a = 0; a < 3; a++) PL_FREE(b->unknown[a], int, b->field_size);
    PL_FREE(b->factor, double, (size_t)b->count*(size_t)b->count);
    PL_FREE(b->pivot, double, b->count);
    PL_FREE(b->x, double, b->count);
    *b = (pl_grid_bottom){0};
}

// A linear form of the unknowns: a difference, or a sum of differences.
typedef struct form {
    int count;
    int unknown[6];
    double sign[6];
} form;

static void add_difference(form* s, const int* unknown, int high, int low) {
    if (unknown[high] >= 0) s->unknown[s->count] = unknown[high], s->sign[s->count++] = 1.0;
    if (unknown[low] >= 0) s->unknown[s->count] = unknown[low], s->sign[s->count++] = -1.0;
}

static void add_square(pl_grid_bottom* b, const form* s, double weight) {
    for (int i = 0; i < s->count; i++)
        for (int j = 0; j < s->count; j++)
            b->factor[(size_t)s->unknown[i] * (size_t)b->count + (size_t)s->unknown[j]] +=
                weight * s->sign[i] * s->sign[j];
}

// interior part of the divergence of a cell, and its divisor
static form divergence(const pl_grid_bottom* b, const pl_grid_linear_level* l,
                       const pl_grid_segment* g, int i, double* divisor) {
    form sum = {0};
    int at = g->begin + i;
    *divisor = l->compressibility;
    for (int a = 0; a < 3; a++)
        if (pl_grid_bit(l->layout->masks[at / PL_GRID_CHUNK].stress[a], at))
            add_difference(&sum, b->unknown[a], pl_grid_above(g, a, i), at);
        else *divisor += 0.5;
    return sum;
}

static void add_cell(pl_grid_bottom* b, const pl_grid_linear_level* l, const pl_grid_segment* g,
                     int i) {
    int at = g->begin + i;
    const pl_grid_masks* m = &l->layout->masks[at / PL_GRID_CHUNK];
    if (pl_grid_bit(m->interior, at)) {
        for (int a = 0; a < 3; a++) {
            form d = {0};
            if (pl_grid_bit(m->stress[a], at))
                add_difference(&d, b->unknown[a], pl_grid_above(g, a, i), at);
            add_square(b, &d, 2.0);
        }
        double divisor;
        form sum = divergence(b, l, g, i, &divisor);
        add_square(b, &sum, 1.0 / divisor);
    }
    for (int n = 0; n < 3; n++) {
        int a = (n + 1) % 3, d = (n + 2) % 3;
        form shear = {0};
        if (!pl_grid_bit(m->edge[n], at)) continue;
        add_difference(&shear, b->unknown[a], at, pl_grid_below(g, d, i));
        add_difference(&shear, b->unknown[d], at, pl_grid_below(g, a, i));
        add_square(b, &shear, 1.0);
    }
}

// K = L D L', by rows of the upper triangle, so that the Schur complement is updated along rows
static void factor(pl_grid_bottom* b) {
    size_t n = (size_t)b->count;
    for (size_t j = 0; j < n; j++) b->x[j] = b->factor[j * n + j];
    for (size_t j = 0; j < n; j++) {
        double* row = b->factor + j * n;
        // no stiffness remains in this row: its unknown stays zero
        b->pivot[j] = row[j] > 1e-11 * b->x[j] ? 1.0 / row[j] : 0.0;
        for (size_t i = j + 1; i < n; i++) {
            double share = row[i] * b->pivot[j], *to = b->factor + i * n;
            if (share == 0.0) continue;
            for (size_t k = i; k < n; k++) to[k] -= share * row[k];
        }
        for (size_t k = j + 1; k < n; k++) row[k] *= b->pivot[j];
    }
}

void pl_grid_bottom_update(pl_grid_bottom* b, const pl_grid_linear_level* l, pl_pool* pool) {
    size_t n = (size_t)b->count;
    pl_grid_thin_update(&b->sparse, l, pool);
    if (n == 0) return;
    memset(b->factor, 0, n * n * sizeof(double));
    for (int s = 0; s < l->layout->segment_count; s++)
        for (int i = 0; i < l->layout->segments[s].count * PL_GRID_CHUNK; i++)
            add_cell(b, l, &l->layout->segments[s], i);
    for (size_t i = 0; i < n; i++) b->factor[i * n + i] += l->inertia;
    for (int i = 0; i < l->layout->field_size; i++)
        for (int a = 0; a < 3; a++) {
            int row = b->unknown[a][i], wall = l->wall_index[i / PL_GRID_CHUNK];
            bool inner = pl_grid_bit(l->layout->masks[i / PL_GRID_CHUNK].inner[a], i);
            if (row >= 0 && inner && wall >= 0)
                b->factor[(size_t)row * n + (size_t)row] +=
                    l->walls[wall].stiffness[a][pl_place_of(i % PL_GRID_CHUNK)];
        }
    for (int k = 0; k < l->band_count; k++)
        for (int i = 0; i < 3 * PL_GRID_CHUNK; i++) {
            int a = i / PL_GRID_CHUNK, lane = i % PL_GRID_CHUNK, at = l->band[k].begin + lane;
            int row = b->unknown[a][at];
            if (row >= 0 && !pl_grid_bit(l->layout->masks[at / PL_GRID_CHUNK].inner[a], at))
                b->factor[(size_t)row * n + (size_t)row] += l->band[k].stiffness[a][lane];
        }
    factor(b);
}

// x = K^-1 x
static void solve(const pl_grid_bottom* b) {
    size_t n = (size_t)b->count;
    double* x = b->x;
    for (size_t j = 0; j < n; j++)
        for (size_t k = j + 1; k < n; k++) x[k] -= b->factor[j * n + k] * x[j];
    for (size_t j = 0; j < n; j++) x[j] *= b->pivot[j];
    for (size_t j = n; j-- > 0;)
        for (size_t k = j + 1; k < n; k++) x[j] -= b->factor[j * n + k] * x[k];
}

static void clear(pl_grid_linear_level* l) {
    const size_t bytes = (size_t)l->layout->field_size * sizeof(float);
    for (int a = 0; a < 3; a++) memset(l->u[a], 0, bytes);
    memset(l->c, 0, bytes);
}

static void solve_dense(pl_grid_bottom* b, pl_grid_linear_level* l) {
    for (int i = 0; i < l->layout->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (b->unknown[a][i] >= 0) b->x[b->unknown[a][i]] = -l->f[a][pl_place_of(i)];
    double divisor;
    for (int s = 0; s < l->layout->segment_count; s++)
        for (int i = 0; i < l->layout->segments[s].count * PL_GRID_CHUNK; i++) {
            int at = l->layout->segments[s].begin + i;
            if (!pl_grid_bit(l->layout->masks[at / PL_GRID_CHUNK].interior, at)) continue;
            form sum = divergence(b, l, &l->layout->segments[s], i, &divisor);
            for (int k = 0; k < sum.count; k++)
                b->x[sum.unknown[k]] += sum.sign[k] * l->g[pl_place_of(at)] / divisor;
        }
    solve(b);
    for (int i = 0; i < l->layout->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (b->unknown[a][i] >= 0) l->u[a][pl_place_of(i)] = (float)b->x[b->unknown[a][i]];
    for (int s = 0; s < l->layout->segment_count; s++)
        for (int i = 0; i < l->layout->segments[s].count * PL_GRID_CHUNK; i++) {
            int at = l->layout->segments[s].begin + i;
            const pl_grid_masks* m = &l->layout->masks[at / PL_GRID_CHUNK];
            if (!pl_grid_bit(m->interior, at)) continue;
            form sum = divergence(b, l, &l->layout->segments[s], i, &divisor);
            double d = 0.0;
            for (int k = 0; k < sum.count; k++) d += sum.sign[k] * b->x[sum.unknown[k]];
            double p = (l->g[pl_place_of(at)] - d) / divisor;
            l->c[pl_place_of(at)] = (float)(pl_grid_bit(m->core, at) ? d - p : p);
        }
}

void pl_grid_bottom_solve(pl_grid_bottom* b, pl_grid_linear_level* l) {
    clear(l);
    if (b->sparse.face_count) pl_grid_thin_solve(&b->sparse, l);
    else solve_dense(b, l);
}
