// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Between two levels of the linear lattice (grid_transfer.h). The residual of each row is
// restricted as it is computed, and never stored. Prolongation reads ghosts, which are set before.
//
// Differs from the paper: c = div(phi) - p is prolonged in place of p. It is halved, because cells
// are half as large.
#include "base/array.h"
#include "base/memory.h"
#include "grid/grid_linear_kernels.h"
#include "grid/grid_linear_level.h"
#include "grid/grid_transfer.h"

// ------------------------------------------------------------------ residual and restriction

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

// ------------------------------------------------------------------ ghosts and prolongation

// Rows, and band chunks, in a block of work.
enum { ROWS = 16, BAND_CHUNKS = 256 };

typedef struct transfer_job {
    pl_grid_linear_level* fine;
    const pl_grid_linear_level* coarse;
    int wanted; // AROUND, DEEP or both
} transfer_job;

// sequentially: some depend on earlier ones
static void set_ghosts(pl_grid_linear_level* l) {
    float* fields[4] = {l->u[0], l->u[1], l->u[2], l->c};
    for (int k = 0; k < l->ghost_count; k++) {
        const pl_grid_ghost* ghost = &l->ghosts[k];
        float sum = 0.0f;
        for (int s = 0; s < ghost->source_count; s++)
            sum += ghost->weight[s] * fields[ghost->source_field[s]][ghost->source[s]];
        fields[ghost->field][ghost->place] = sum;
    }
}

// p becomes c in slaved cells
static void slaved_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_grid_linear_level* l = user;
    for (int k = begin; k < end; k++) {
        const pl_grid_band_chunk* b = &l->band[k];
        for (int h = 0; b->has_slaved && h < 2; h++) {
            float* c = l->c + b->begin + h * PL_HALF;
            const pl_half_i cells = pl_load_bytes_half(b->cells + h * PL_HALF);
            const pl_half p = pl_load_half(c), change = pl_band_divergence(l, b, h, 7) - p;
            pl_store_half(c, pl_select_half(pl_flag_half(cells, 3), change, p));
        }
    }
}

void pl_grid_fill_ghosts(pl_grid_linear_level* l, pl_pool* pool) {
    set_ghosts(l);
    pl_parallel_for(pool, slaved_task, l->band_count, BAND_CHUNKS, l);
}

// ------------------------------------------------------------------ prolongation

PL_WIDE void add_half(float* to, pl_half value, unsigned bits) {
    pl_store_half(to, pl_load_half(to) + (bits == 0xff ? value : pl_keep_half(bits, value)));
}

PL_WIDE void add_halves(float* to, pl_half even, pl_half odd, uint16_t bits) {
    add_half(to, even, pl_bits_of_half(bits, 0));
    add_half(to + PL_HALF, odd, pl_bits_of_half(bits, 1));
}

// Prolongs to the wanted chunks: those without PL_GRID_DEEP, those with it, or all.
enum { AROUND = 1, DEEP = 2 };

PL_WIDE void prolong_run(const transfer_job* job, const pl_grid_run* g) {
    const pl_prolong_rows from[3] = {pl_prolong_rows_of(0, g->odd_y, g->odd_z),
                                     pl_prolong_rows_of(1, g->odd_y, g->odd_z),
                                     pl_prolong_rows_of(2, g->odd_y, g->odd_z)};
    pl_grid_linear_level* fine = job->fine;
    const int ahead = rows_ahead(g);
    for (int n = 0; n < g->count; n++) {
        int at = g->begin + n * PL_GRID_CHUNK;
        const bool deep = fine->full[at / PL_GRID_CHUNK] & PL_GRID_DEEP;
        if (!(job->wanted & (deep ? DEEP : AROUND))) continue;
        for (int a = 0; a < 3; a++) fetch(fine->u[a] + at, ahead);
        fetch(fine->c + at, ahead);
        const int* parents = fine->layout->parents[at / PL_GRID_CHUNK];
        const pl_grid_masks* m = &fine->split[at / PL_GRID_CHUNK];
#pragma GCC unroll 3
        for (int a = 0; a < 3; a++) {
            pl_half values[2];
            pl_prolong_chunk(job->coarse->u[a], parents, &from[a], a, PL_GRID_BY_COLOUR, values);
            add_halves(fine->u[a] + at, values[0], values[1], m->face[a]);
        }
        const pl_half c = 0.5f * pl_load_parents(job->coarse->c, parents[4], PL_GRID_BY_COLOUR);
        add_halves(fine->c + at, c, c, m->core);
    }
}

static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const transfer_job* job = user;
    for (int k = job->fine->row_runs[begin]; k < job->fine->row_runs[end]; k++)
        prolong_run(job, &job->fine->runs[k]);
}

void pl_grid_prolong_around(pl_grid_linear_level* fine, const pl_grid_linear_level* coarse,
                            pl_pool* pool) {
    transfer_job job = {fine, coarse, AROUND};
    pl_parallel_for(pool, prolong_task, fine->layout->size[1] * fine->layout->size[2], ROWS, &job);
}
void pl_grid_prolong_deep(pl_grid_linear_level* fine, const pl_grid_linear_level* coarse,
                          int row_begin, int row_end) {
    transfer_job job = {fine, coarse, DEEP};
    prolong_task(row_begin, row_end, 0, &job);
}

// ------------------------------------------------------------------ list of ghosts

// Lists the ghosts of a level: values outside the body that prolongation reads (Zhu 2010, end of
// section 5.3). They follow from boundary stresses that vanish.

static const int shift[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// the cell before this one along an axis
static void step_back(const int at[3], int axis, int out[3]) {
    for (int a = 0; a < 3; a++) out[a] = at[a] - shift[axis][a];
}

typedef struct ghost_maker {
    const pl_grid_linear_level* level;
    const pl_grid_cells* cells;
    uint8_t* known;  // per component and index: 1 interior or prescribed, 2 computed from these
    uint16_t* asked; // per chunk: cells near interior ones that have an unknown face
    pl_array list;
    uint8_t pass; // pass of try_mean, from 4
    bool lost;    // an allocation failed
} ghost_maker;

static uint8_t* known_at(const ghost_maker* m, int a, int index) {
    return &m->known[(size_t)a * (size_t)m->level->layout->field_size + (size_t)index];
}

// takes indices; the list stores places
static void add_ghost(ghost_maker* m, pl_grid_ghost ghost) {
    ghost.place = pl_place_of(ghost.place);
    for (int n = 0; n < ghost.source_count; n++) ghost.source[n] = pl_place_of(ghost.source[n]);
    if (!pl_array_push(&m->list, &ghost)) m->lost = true;
}

// From P_aa = 0 in the interior cell: u of its opposite face, plus or minus half its pressure.
static void try_across(ghost_maker* m, int a, const int at[3], int index) {
    for (int side = 0; side < 2; side++) {
        // the interior cell is above the face (side 0) or below it
        int cell[3], other[3];
        for (int d = 0; d < 3; d++) cell[d] = at[d] - side * shift[a][d];
        for (int d = 0; d < 3; d++) other[d] = at[d] + (side ? -1 : 1) * shift[a][d];
        if (pl_grid_cell(m->cells, cell[0], cell[1], cell[2]) != PL_CELL_INTERIOR) continue;
        int inside = pl_grid_index(m->level->layout, other[0], other[1], other[2]);
        if (inside < 0 || *known_at(m, a, inside) != 1) continue;
        add_ghost(
            m, (pl_grid_ghost){a,
                               index,
                               2,
                               {a, 3, 0},
                               {inside, pl_grid_index(m->level->layout, cell[0], cell[1], cell[2])},
                               {1.0f, side ? 0.5f : -0.5f}});
        *known_at(m, a, index) = 2;
        return;
    }
}

// From P_ab = 0 on the edge towards the inside: D_b u_a = -D_a u_b.
static void try_along(ghost_maker* m, int a, const int at[3], int index) {
    for (int n = 0; n < 4; n++) {
        int b = (a + 1 + n / 2) % 3, step = n % 2 ? 1 : -1;
        int in[3], edge[3], before[3];
        for (int d = 0; d < 3; d++) in[d] = at[d] + step * shift[b][d];
        // u_b next to the edge, which is the low edge of the upper of the two faces
        for (int d = 0; d < 3; d++) edge[d] = (step > 0 ? in[d] : at[d]);
        step_back(edge, a, before);
        int inside = pl_grid_index(m->level->layout, in[0], in[1], in[2]);
        int high = pl_grid_index(m->level->layout, edge[0], edge[1], edge[2]);
        int low = pl_grid_index(m->level->layout, before[0], before[1], before[2]);
        if (inside < 0 || high < 0 || low < 0 || *known_at(m, a, inside) != 1 ||
            !*known_at(m, b, high) || !*known_at(m, b, low))
            continue;
        float w = (float)step; // u_a(at) = u_a(in) + step (u_b(high) - u_b(low))
        add_ghost(m, (pl_grid_ghost){a, index, 3, {a, b, b}, {inside, high, low}, {1.0f, w, -w}});
        *known_at(m, a, index) = 3;
        return;
    }
}

// Falls back to the mean of interior neighbours.
static void try_mean(ghost_maker* m, int a, const int at[3], int index) {
    pl_grid_ghost ghost = {.field = a, .place = index};
    for (int n = 0; n < 6 && ghost.source_count < 3; n++) {
        int near = pl_grid_index(m->level->layout, at[0] + (n % 2 ? 1 : -1) * shift[n / 2][0],
                                 at[1] + (n % 2 ? 1 : -1) * shift[n / 2][1],
                                 at[2] + (n % 2 ? 1 : -1) * shift[n / 2][2]);
        if (near < 0 || *known_at(m, a, near) == 0 || *known_at(m, a, near) == m->pass) continue;
        ghost.source_field[ghost.source_count] = a;
        ghost.source[ghost.source_count++] = near;
    }
    if (ghost.source_count == 0) return;
    for (int n = 0; n < ghost.source_count; n++) ghost.weight[n] = 1.0f / (float)ghost.source_count;
    add_ghost(m, ghost);
    *known_at(m, a, index) = m->pass;
}

// Visits faces near interior cells whose value is not known yet; only these need ghosts.
static void visit_unknown(ghost_maker* m,
                          void (*try)(ghost_maker*, int a, const int at[3], int index)) {
    for (int s = 0; s < m->level->layout->segment_count; s++) {
        const pl_grid_segment* g = &m->level->layout->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            const int at[3] = {g->x + i, g->y, g->z};
            uint16_t asked = m->asked[(g->begin + i) / PL_GRID_CHUNK];
            if (!asked) i += PL_GRID_CHUNK - 1;
            else if (pl_grid_bit(asked, i))
                for (int a = 0; a < 3; a++)
                    if (!*known_at(m, a, g->begin + i)) try(m, a, at, g->begin + i);
        }
    }
}

static void mark_known(ghost_maker* m, const pl_grid_bits* bits) {
    for (int s = 0; s < m->level->layout->segment_count; s++) {
        const pl_grid_segment* g = &m->level->layout->segments[s];
        for (int c = 0; c < g->count; c++) {
            int at = g->begin + c * PL_GRID_CHUNK;
            uint16_t known[3], near;
            pl_grid_known_faces(m->level->layout, bits, g, c, known, &near);
            m->asked[at / PL_GRID_CHUNK] = near & (uint16_t) ~(known[0] & known[1] & known[2]);
            for (int a = 0; a < 3; a++)
                for (int i = 0; known[a] && i < PL_GRID_CHUNK; i++)
                    *known_at(m, a, at + i) = pl_grid_bit(known[a], i);
        }
    }
}

static pl_status make_ghosts(ghost_maker* m, const pl_grid_bits* bits, pl_error* error) {
    size_t chunk_count = (size_t)(m->level->layout->field_size / PL_GRID_CHUNK);
    m->known = PL_ALLOC(uint8_t, 3 * PL_GRID_CHUNK * chunk_count);
    m->asked = PL_ALLOC(uint16_t, chunk_count);
    if (m->known && m->asked) {
        mark_known(m, bits);
        visit_unknown(m, try_across);
        visit_unknown(m, try_along);
        for (m->pass = 4; m->pass < 6; m->pass++)
            visit_unknown(m, try_mean); // face neighbours, then corners
    } else m->lost = true;
    PL_FREE(m->known, uint8_t, 3 * PL_GRID_CHUNK * chunk_count);
    PL_FREE(m->asked, uint16_t, chunk_count);
    return m->lost ? pl_fail_memory(error, "a lattice") : PL_OK;
}

pl_status pl_grid_ghosts_create(pl_grid_linear_level* level, const pl_grid_cells* cells,
                                pl_error* error) {
    pl_grid_bits bits;
    pl_status status = pl_grid_bits_create(level->layout, cells, &bits, error);
    if (status != PL_OK) return status;
    ghost_maker m = {.level = level, .cells = cells, .list = pl_array_of(sizeof(pl_grid_ghost))};
    status = make_ghosts(&m, &bits, error);
    pl_grid_bits_free(&bits);
    void* data = NULL;
    int count = (int)m.list.count;
    if (status == PL_OK && !pl_array_take(&m.list, &data))
        status = pl_fail_memory(error, "a lattice");
    if (status != PL_OK) {
        pl_array_free(&m.list);
        return status;
    }
    level->ghosts = data, level->ghost_count = count;
    return PL_OK;
}
