// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Residual and restriction R (Zhu 2010, section 6), fused. A component is averaged 1/4 1/2 1/4
// along its own axis and 1/2 1/2 across it; pressures are averaged. Fields are in units of the
// level's own cell: with cells twice as large, a residual of positions is multiplied by four, one
// of pressures by two.
//
// Each row of the fine level is averaged along x and added to its coarse rows; residuals are never
// stored. A task fills some planes of the coarse level. The fine plane between two tasks is
// computed by both, so results do not depend on threads.
#include "grid/grid_linear_kernels.h"
#include "grid/grid_linear_level.h"

#include <string.h>

enum {
    PLANES = 8,        // coarse planes in a block of work
    STRIP_CELLS = 2048 // cells of a plane, so that the planes being read fit in the cache
};

typedef struct restrict_job {
    pl_grid_linear_level* fine;
    pl_grid_linear_level* coarse;
    const float* const* source; // values to restrict, or NULL: the level's residual
    int block_count, threads;
} restrict_job;

// A row of a fine level and its coarse rows. Rows of even y lie on coarse faces across y; rows
// between two of them contribute to both. The same holds for z.
typedef struct row_job {
    const restrict_job* job;
    int y, z;      // of the fine level
    int low, high; // planes of the coarse level that this task fills
} row_job;

// Target rows of a component (3: cells), relative to a chunk's parents (-1: none), and their
// weights. Residuals of positions are multiplied by four on the coarse level, those of pressures by
// two.
typedef struct targets {
    float* field;
    int first, second;
    float weight;
} targets;

static targets targets_of(const row_job* r, int a) {
    const pl_grid_linear_level* l = r->job->coarse;
    int plane = pl_grid_halve(r->z) - l->layout->low[2];
    bool two = (a == 1 && r->y & 1) || (a == 2 && r->z & 1);
    targets t = {.field = a < 3 ? l->f[a] : l->g,
                 .first = plane >= r->low && plane < r->high ? 4 : -1,
                 .second = -1,
                 .weight = a == 3 ? 0.5f
                           : two  ? 0.5f
                                  : 1.0f};
    if (a == 2 && two) plane++;
    if (two && plane >= r->low && plane < r->high) t.second = a == 1 ? 5 : 7;
    if (t.first < 0) t.first = t.second, t.second = -1;
    return t;
}

PL_WIDE void add_quarter(float* to, pl_quarter a) {
    *(pl_quarter_loose*)to = *(const pl_quarter_loose*)to + a;
}
PL_WIDE void add_to(float* field, int at, pl_half sum) {
    if (at == PL_GRID_NO_PARENT) return;
    add_quarter(field + at, __builtin_shufflevector(sum, sum, 0, 2, 4, 6));
    add_quarter(field + at + PL_HALF, __builtin_shufflevector(sum, sum, 1, 3, 5, 7));
}

// Averages the even and odd values of a chunk along x and adds them to eight coarse values. carry:
// the odd values of the previous chunk on entry, of this one on return.
PL_WIDE void add_chunk(targets t, const int* parents, const pl_half r[2], int a, pl_half* carry) {
    const pl_half even = r[0], odd = r[1];
    pl_half sum;
    if (a == 0) {
        sum = t.weight * (0.25f * (pl_shift_half(*carry, odd) + odd) + 0.5f * even);
        *carry = odd;
    } else sum = (0.5f * t.weight) * (even + odd);
    add_to(t.field, parents[t.first], sum);
    if (t.second >= 0) add_to(t.field, parents[t.second], sum);
}

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

PL_WIDE void restrict_faces(const row_job* r, const pl_grid_run* g, int a, pl_half* carry) {
    const pl_grid_linear_level* l = r->job->fine;
    int(*const parents)[9] = r->job->fine->layout->parents + g->begin / PL_GRID_CHUNK;
    const targets t = targets_of(r, a);
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
        add_chunk(t, parents[n], values, a, carry);
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

static void restrict_cells(const row_job* r, const pl_grid_run* g) {
    const pl_grid_linear_level* l = r->job->fine;
    const targets t = targets_of(r, 3);
    const cell_residual s = cell_residual_of(l, g);
    int(*const parents)[9] = r->job->fine->layout->parents + g->begin / PL_GRID_CHUNK;
    const pl_grid_masks* masks = l->split + g->begin / PL_GRID_CHUNK;
    const int count = t.first < 0 ? 0 : g->count, ahead = rows_ahead(g);
    for (int n = 0; n < count; n++) {
        pl_half values[2];
        fetch(s.g + n * PL_GRID_CHUNK, ahead);
        cell_residual_chunk(&s, masks[n].core, n, values);
        add_chunk(t, parents[n], values, 3, NULL);
    }
}

// the same from values passed in
static void restrict_stored(const row_job* r, const pl_grid_run* g, pl_half* carry) {
    for (int a = 0; a < 4; a++) {
        const targets t = targets_of(r, a);
        const int count = t.first < 0 ? 0 : g->count;
        for (int n = 0; n < count; n++) {
            const float* from = r->job->source[a] + g->begin + n * PL_GRID_CHUNK;
            const pl_half values[2] = {pl_load_half(from), pl_load_half(from + PL_HALF)};
            add_chunk(t, r->job->fine->layout->parents[g->begin / PL_GRID_CHUNK + n], values, a,
                      carry);
        }
    }
}

// Contribution of the last value of a run to the coarse face after it.
static void flush(const row_job* r, int chunk, float carry) {
    const targets t = targets_of(r, 0);
    const int at = r->job->fine->layout->parents[chunk][4];
    if (carry != 0.0f && t.first >= 0 && at != PL_GRID_NO_PARENT)
        t.field[at] += 0.25f * t.weight * carry;
}

static void restrict_row(const row_job* r) {
    const pl_grid_linear_level* l = r->job->fine;
    int row = (r->z - l->layout->low[2]) * l->layout->size[1] + r->y - l->layout->low[1];
    for (int k = l->row_runs[row]; k < l->row_runs[row + 1]; k++) {
        const pl_grid_run* g = &l->runs[k];
        pl_half carry = {0}; // chunks before and after a run have no residual
        if (r->job->source) restrict_stored(r, g, &carry);
        else {
            restrict_faces(r, g, 0, &carry);
            restrict_faces(r, g, 1, NULL);
            restrict_faces(r, g, 2, NULL);
            restrict_cells(r, g);
        }
        flush(r, g->begin / PL_GRID_CHUNK + g->count, carry[PL_HALF - 1]);
    }
}

// range of the fields that planes occupy
static void plane_range(const pl_grid_linear_level* l, int begin, int end, int* first, int* last) {
    int s = l->layout->row_segments[begin * l->layout->size[1]],
        e = l->layout->row_segments[end * l->layout->size[1]];
    *first = *last = 0;
    if (s == e) return;
    *first = l->layout->segments[s].begin;
    *last = l->layout->segments[e - 1].begin + l->layout->segments[e - 1].count * PL_GRID_CHUNK;
}

// f and g are zero where there is no equation
static void mask_planes(const pl_grid_linear_level* l, int first, int last) {
    for (int i = first; i < last; i += PL_GRID_CHUNK) {
        const pl_grid_masks* m = &l->split[i / PL_GRID_CHUNK];
        for (int a = 0; a < 4; a++) {
            float* to = (a < 3 ? l->f[a] : l->g) + i;
            uint16_t bits = a < 3 ? m->face[a] : m->interior;
            for (int n = 0; bits != 0xffff && n < PL_GRID_CHUNK; n += PL_LANES)
                pl_storeu_w(to + n, pl_keep_w(bits, n, pl_loadu_w(to + n)));
        }
    }
}

static void restrict_planes(const restrict_job* job, int begin, int end) {
    const pl_grid_linear_level *fine = job->fine, *coarse = job->coarse;
    int first, last;
    plane_range(coarse, begin, end, &first, &last);
    for (int a = 0; a < 4; a++)
        memset((a < 3 ? coarse->f[a] : coarse->g) + first, 0,
               (size_t)(last - first) * sizeof(float));
    int z_begin = 2 * (coarse->layout->low[2] + begin) - 1,
        z_end = 2 * (coarse->layout->low[2] + end);
    if (z_begin < fine->layout->low[2]) z_begin = fine->layout->low[2];
    if (z_end > fine->layout->low[2] + fine->layout->size[2])
        z_end = fine->layout->low[2] + fine->layout->size[2];
    row_job r = {.job = job, .low = begin, .high = end};
    int y_end = fine->layout->low[1] + fine->layout->size[1],
        strip = STRIP_CELLS / (fine->layout->size[0] + 1) + 2;
    for (int y = fine->layout->low[1]; y < y_end; y += strip)
        for (r.z = z_end - 1; r.z >= z_begin; r.z--)
            for (r.y = y; r.y < y + strip && r.y < y_end; r.y++) restrict_row(&r);
    mask_planes(coarse, first, last);
}

// The sweep before went up the planes of a thread and left the upper ones in its cache. So each
// thread goes down: it processes its blocks of pl_parallel_for from last to first.
static int reverse(int block, int count, int threads) {
    int w = 0;
    while ((int)((int64_t)count * (w + 1) / threads) <= block) w++;
    return (int)((int64_t)count * w / threads + (int64_t)count * (w + 1) / threads) - 1 - block;
}

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const restrict_job* job = user;
    for (int block = begin; block < end; block++) {
        const int at = reverse(block, job->block_count, job->threads) * PLANES;
        const int planes = job->coarse->layout->size[2];
        restrict_planes(job, at, at + PLANES < planes ? at + PLANES : planes);
    }
}

void pl_grid_restrict(const pl_grid_linear_level* fine, const float* const source[4],
                      pl_grid_linear_level* coarse, pl_pool* pool) {
    const int count = (coarse->layout->size[2] + PLANES - 1) / PLANES;
    restrict_job job = {(pl_grid_linear_level*)fine, coarse, source, count,
                        pl_pool_thread_count(pool)};
    pl_parallel_for(pool, restrict_task, count, 1, &job);
}
void pl_grid_restrict_residual(const pl_grid_linear_level* fine, pl_grid_linear_level* coarse,
                               pl_pool* pool) {
    pl_grid_restrict(fine, NULL, coarse, pool);
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
