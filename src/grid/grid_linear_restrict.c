// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Residual and restriction, fused: the residual of each row is restricted as it is computed, and
// never stored (grid_transfer.h).
#include "grid/grid_linear_kernels.h"
#include "grid/grid_transfer.h"

// r = f - L u on inner faces across an axis
typedef struct face_residual {
    int a;
    lines u;
    const float *f, *c, *c_low; // c_low: not across x
    float centre;
} face_residual;
PL_WIDE face_residual face_residual_of(const pl_grid_linear_level* l, const pl_grid_run* g, int a) {
    return (face_residual){a,
                           lines_of(l->u[a], g),
                           l->f[a] + g->begin,
                           l->c + g->begin,
                           a == 0 ? NULL : l->c + g->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW],
                           6.0f + l->inertia};
}

// Carried along the row: odd half of the previous chunk, even half of the next one.
typedef struct window {
    pl_half before, even;
} window;
PL_WIDE window window_at(const float* row) {
    return (window){pl_load_half(row - PL_HALF), pl_load_half(row)};
}

PL_WIDE pl_half face_residual_half(const face_residual* s, int n, int half, pl_half own,
                                   pl_half along) {
    const int at = n + half * PL_HALF;
    const pl_half low = s->a == 0 ? pl_below_half(s->c + n, half) : pl_load_half(s->c_low + at);
    const pl_half sum = (along + (pl_load_half(s->c + at) - low)) + beside_half(&s->u, at);
    return pl_fma_half(pl_splat_half(s->centre), own, pl_load_half(s->f + at)) - sum;
}

// the even and odd ones of a chunk
PL_WIDE void face_residual_inside(const face_residual* s, int n, window* w, pl_half out[2]) {
    const pl_half odd = pl_load_half(s->u.own + n + PL_HALF), even = w->even;
    const pl_half after = pl_load_half(s->u.own + n + PL_GRID_CHUNK);
    out[0] = face_residual_half(s, n, 0, even, pl_shift_half(w->before, odd) + odd);
    out[1] = face_residual_half(s, n, 1, odd, even + pl_unshift_half(even, after));
    *w = (window){odd, after};
}

// The general case: with masks, springs, and the residual of band faces stored by their last sweep.
PL_WIDE void face_residual_chunk(const face_residual* s, const pl_grid_linear_level* l,
                                 const chunks* k, int n, window* w, pl_half out[2]) {
    const pl_grid_wall_chunk* wall = l->has_stiff_walls ? wall_of(k, n) : NULL;
    const int a = s->a, band = k->full[n] >> a & 1 ? -1 : k->band_index[n];
    face_residual_inside(s, n * PL_GRID_CHUNK, w, out);
    for (int h = 0; h < 2; h++) {
        const int i = h * PL_HALF, at = n * PL_GRID_CHUNK + i;
        if (wall) out[h] += pl_load_half(wall->stiffness[a] + i) * pl_load_half(s->u.own + at);
        out[h] = pl_keep_half(pl_bits_of_half(k->masks[n].inner[a], h), out[h]);
        if (band >= 0) out[h] += pl_load_half(l->band_residual[band][a] + i);
    }
}

PL_WIDE void restrict_faces(const pl_grid_linear_level* l, const pl_grid_fine_row* r,
                            const pl_grid_run* g, int a, pl_half* carry) {
    int(*const parents)[9] = l->layout->parents + g->begin / PL_GRID_CHUNK;
    const pl_restrict_targets t = pl_restrict_targets_of(r, a);
    const chunks k = chunks_of(l, g);
    const int count = t.first < 0 ? 0 : g->count;
    const bool stiff = l->has_stiff_walls;
    const face_residual s = face_residual_of(l, g, a);
    const int ahead = rows_ahead(g);
    window w = window_at(s.u.own);
    for (int n = 0; n < count; n++) {
        pl_half values[2];
        fetch(s.u.z_low + n * PL_GRID_CHUNK, ahead), fetch(s.f + n * PL_GRID_CHUNK, ahead);
        if (a == 2) fetch(s.c_low + n * PL_GRID_CHUNK, ahead);
        if (k.full[n] >> a & 1 && !(stiff && k.wall_index[n] >= 0))
            face_residual_inside(&s, n * PL_GRID_CHUNK, &w, values);
        else face_residual_chunk(&s, l, &k, n, &w, values);
        pl_restrict_chunk(t, parents[n], values, a, carry, PL_GRID_BY_COLOUR);
    }
}

// g - div(u) - eps p in core cells
typedef struct cell_residual {
    sides faces;
    const float *g, *c;
    float eps;
} cell_residual;
PL_WIDE cell_residual cell_residual_of(const pl_grid_linear_level* l, const pl_grid_run* g) {
    return (cell_residual){sides_of(l, g), l->g + g->begin, l->c + g->begin, l->compressibility};
}

PL_WIDE void cell_residual_chunk(const cell_residual* s, uint16_t core, int n, pl_half out[2]) {
    pl_half divergence[2];
    divergence_chunk(&s->faces, n * PL_GRID_CHUNK, divergence);
    for (int h = 0; h < 2; h++) {
        const int at = n * PL_GRID_CHUNK + h * PL_HALF;
        const pl_half eps = pl_splat_half(s->eps);
        out[h] = pl_fnma_half(1.0f + eps, divergence[h], pl_load_half(s->g + at));
        out[h] = pl_fma_half(eps, pl_load_half(s->c + at), out[h]);
        if (core != 0xffff) out[h] = pl_keep_half(pl_bits_of_half(core, h), out[h]);
    }
}

static void restrict_cells(const pl_grid_linear_level* l, const pl_grid_fine_row* r,
                           const pl_grid_run* g) {
    const pl_restrict_targets t = pl_restrict_targets_of(r, 3);
    const cell_residual s = cell_residual_of(l, g);
    int(*const parents)[9] = l->layout->parents + g->begin / PL_GRID_CHUNK;
    const pl_grid_masks* masks = l->split + g->begin / PL_GRID_CHUNK;
    const int count = t.first < 0 ? 0 : g->count, ahead = rows_ahead(g);
    for (int n = 0; n < count; n++) {
        pl_half values[2];
        fetch(s.g + n * PL_GRID_CHUNK, ahead);
        cell_residual_chunk(&s, masks[n].core, n, values);
        pl_restrict_chunk(t, parents[n], values, 3, NULL, PL_GRID_BY_COLOUR);
    }
}

static void restrict_row(const pl_grid_fine_row* r, const void* user) {
    const pl_grid_linear_level* l = user;
    const pl_grid_level* layout = l->layout;
    const int row = (r->z - layout->low[2]) * layout->size[1] + r->y - layout->low[1];
    for (int k = l->row_runs[row]; k < l->row_runs[row + 1]; k++) {
        const pl_grid_run* g = &l->runs[k];
        pl_half carry = {0}; // chunks before and after a run have no residual
        restrict_faces(l, r, g, 0, &carry);
        restrict_faces(l, r, g, 1, NULL);
        restrict_faces(l, r, g, 2, NULL);
        restrict_cells(l, r, g);
        pl_restrict_last(r, g->begin / PL_GRID_CHUNK + g->count, carry[PL_HALF - 1],
                         PL_GRID_BY_COLOUR);
    }
}

pl_grid_restriction pl_grid_linear_restriction(const pl_grid_linear_level* fine,
                                               const pl_grid_linear_level* coarse) {
    return (pl_grid_restriction){.fine = fine->layout,
                                 .coarse = coarse->layout,
                                 .to = {coarse->f[0], coarse->f[1], coarse->f[2], coarse->g},
                                 .masks = coarse->split,
                                 .order = PL_GRID_BY_COLOUR};
}

void pl_grid_restrict_residual(const pl_grid_linear_level* fine, pl_grid_linear_level* coarse,
                               pl_pool* pool) {
    const pl_grid_restriction job = pl_grid_linear_restriction(fine, coarse);
    pl_grid_restrict_rows(&job, restrict_row, fine, pool);
}

PL_WIDE void store_faces(const pl_grid_linear_level* l, const pl_grid_run* g, int a, float* out) {
    const chunks k = chunks_of(l, g);
    const face_residual s = face_residual_of(l, g, a);
    window w = window_at(s.u.own);
    for (int n = 0; n < g->count; n++) {
        pl_half values[2];
        face_residual_chunk(&s, l, &k, n, &w, values);
        pl_store_half(out + g->begin + n * PL_GRID_CHUNK, values[0]);
        pl_store_half(out + g->begin + n * PL_GRID_CHUNK + PL_HALF, values[1]);
    }
}

void pl_grid_store_residual(const pl_grid_linear_level* l, float* const out[4]) {
    for (int k = 0; k < l->run_count; k++) {
        const pl_grid_run* g = &l->runs[k];
        const cell_residual s = cell_residual_of(l, g);
        store_faces(l, g, 0, out[0]), store_faces(l, g, 1, out[1]), store_faces(l, g, 2, out[2]);
        for (int n = 0; n < g->count; n++) {
            pl_half values[2];
            const int at = g->begin + n * PL_GRID_CHUNK;
            cell_residual_chunk(&s, l->split[at / PL_GRID_CHUNK].core, n, values);
            pl_store_half(out[3] + at, values[0]), pl_store_half(out[3] + at + PL_HALF, values[1]);
        }
    }
}
