// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Residual and restriction R (Zhu 2010, section 6) at one go: along its own axis a component is
// averaged 1/4 1/2 1/4, across it 1/2 1/2, pressures are averaged. Fields are in units of the
// level's own cell: from cell to cell twice as large, a residual of positions counts four times,
// one of pressures twice.
//
// Rows of the fine level are taken one after the other, averaged along x and added to the coarse
// rows they belong to: residuals are never stored. A task fills some planes of the coarse level;
// the fine plane between two tasks is computed by both, so that results do not depend on threads.
#include "grid/grid_rows.h"
#include "grid/grid_transfer.h"

#include <string.h>

enum {
    PLANES = 8,        // of the coarse level, of a block of work
    STRIP_CELLS = 2048 // of a plane, so that the planes that are read fit in the cache
};

static int halve(int i) { return i >= 0 ? i / 2 : -((1 - i) / 2); }

typedef struct restrict_job {
    const pl_grid_transfer* transfer;
    pl_grid_level* fine;
    pl_grid_level* coarse;
    const float* const* source; // the residual, or NULL: that of the level
} restrict_job;

// A row of a fine level on its way to the coarse rows it belongs to. Rows of even y lie on coarse
// faces across y, those between two of them go to both; so with z.
typedef struct row_job {
    const restrict_job* job;
    int y, z;      // of the fine level
    int low, high; // planes of the coarse level that this task fills
} row_job;

// Where the values of a component (3: cells) go, relative to a chunk's parents, and how much of
// them; residuals of positions count four times on the coarse level, those of pressures twice.
typedef struct targets {
    float* field;
    int count;
    int parent[2];
    float weight;
} targets;

static targets targets_of(const row_job* r, int a) {
    const pl_grid_level* l = r->job->coarse;
    int plane = halve(r->z) - l->low[2];
    bool two = (a == 1 && r->y & 1) || (a == 2 && r->z & 1);
    targets t = {.field = a < 3 ? l->f[a] : l->g, .weight = a == 3 ? 0.5f : two ? 0.5f : 1.0f};
    if (plane >= r->low && plane < r->high) t.parent[t.count++] = 4;
    if (a == 2 && two) plane++;
    if (two && plane >= r->low && plane < r->high) t.parent[t.count++] = a == 1 ? 5 : 7;
    return t;
}

PL_WIDE void add_to(const targets* t, const int* parents, pl_half sum) {
    for (int n = 0; n < t->count; n++) {
        const int at = parents[t->parent[n]];
        if (at == PL_GRID_NO_PARENT) continue;
        pl_store_half(t->field + at, pl_load_half(t->field + at) + sum);
    }
}

// Averages sixteen values along x and adds them to eight coarse ones; carry is the last value of
// the chunk before, and then of this one.
PL_WIDE void add_chunk(const targets* t, const int* parents, const float* r, int a, float* carry) {
    pl_half even, odd;
    pl_split_half(r, &even, &odd);
    if (a == 0) {
        pl_half before = pl_shift_half(*carry, odd);
        *carry = odd[PL_HALF - 1];
        add_to(t, parents, t->weight * (0.25f * (before + odd) + 0.5f * even));
    } else add_to(t, parents, (0.5f * t->weight) * (even + odd));
}

// r = f - L u on inner faces across an axis
typedef struct face_residual {
    lines u;
    const float *f, *c, *c_low;
    pl_fw centre;
} face_residual;

PL_WIDE void face_residual_chunk(const face_residual* s, uint16_t mask, const float* stiffness,
                                 int n, bool dense, float out[PL_GRID_CHUNK]) {
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        pl_fw own = pl_loadu_w(s->u.own + n + i);
        pl_fw sum = pl_fnma_w(s->centre, own, neighbours_w(s->u, n + i)) +
                    (pl_loadu_w(s->c + n + i) - pl_loadu_w(s->c_low + n + i));
        if (!dense && stiffness) sum -= pl_loadu_w(stiffness + i) * own;
        pl_fw r = pl_loadu_w(s->f + n + i) - sum;
        pl_storeu_w(out + i, dense ? r : pl_keep_w(mask, i, r));
    }
}

// with the residual of faces of the band, kept by the last of their sweeps
static void add_band(const pl_grid_level* l, int chunk, int a, float values[PL_GRID_CHUNK]) {
    const int k = l->band_index[chunk];
    for (int i = 0; k >= 0 && i < PL_GRID_CHUNK; i += PL_LANES)
        pl_storeu_w(values + i, pl_loadu_w(values + i) + pl_loadu_w(l->band_residual[k][a] + i));
}

PL_WIDE void restrict_faces(const row_job* r, const pl_grid_run* g, int a, float* carry) {
    const pl_grid_level* l = r->job->fine;
    int(*const parents)[9] = r->job->transfer->parents + g->begin / PL_GRID_CHUNK;
    const targets t = targets_of(r, a);
    const chunks k = chunks_of(l, g);
    const bool stiff = l->has_stiff_walls;
    const face_residual s = {lines_of(l->u[a], g), l->f[a] + g->begin, l->c + g->begin,
                             l->c + below(g, a), pl_splat_w(6.0f + l->inertia)};
    for (int n = 0, count = t.count ? g->count : 0; n < count; n++) {
        float values[PL_GRID_CHUNK];
        const pl_grid_wall_chunk* wall = stiff ? wall_of(&k, n) : NULL;
        if (k.full[n] >> a & 1 && !wall)
            face_residual_chunk(&s, 0, NULL, n * PL_GRID_CHUNK, true, values);
        else {
            face_residual_chunk(&s, k.masks[n].inner[a], wall ? wall->stiffness[a] : NULL,
                                n * PL_GRID_CHUNK, false, values);
            add_band(l, g->begin / PL_GRID_CHUNK + n, a, values);
        }
        add_chunk(&t, parents[n], values, a, carry);
    }
}

// g - div(u) - eps p in core cells
PL_WIDE void cell_residual_chunk(const pl_grid_level* l, const sides* faces, const pl_grid_run* g,
                                 uint16_t core, int n, float out[PL_GRID_CHUNK]) {
    const pl_fw eps = pl_splat_w(l->compressibility);
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        const int at = g->begin + n + i;
        pl_fw r = pl_fnma_w(1.0f + eps, divergence_w(*faces, n + i), pl_loadu_w(l->g + at)) +
                  eps * pl_loadu_w(l->c + at);
        pl_storeu_w(out + i, core == 0xffff ? r : pl_keep_w(core, i, r));
    }
}

static void restrict_cells(const row_job* r, const pl_grid_run* g) {
    const pl_grid_level* l = r->job->fine;
    const targets t = targets_of(r, 3);
    const sides faces = sides_of(l, g);
    for (int n = 0, count = t.count ? g->count : 0; n < count; n++) {
        const int chunk = g->begin / PL_GRID_CHUNK + n;
        float values[PL_GRID_CHUNK];
        cell_residual_chunk(l, &faces, g, l->masks[chunk].core, n * PL_GRID_CHUNK, values);
        add_chunk(&t, r->job->transfer->parents[chunk], values, 3, NULL);
    }
}

// the same from given values
static void restrict_stored(const row_job* r, const pl_grid_run* g, float* carry) {
    for (int a = 0; a < 4; a++) {
        const targets t = targets_of(r, a);
        for (int n = 0, count = t.count ? g->count : 0; n < count; n++)
            add_chunk(&t, r->job->transfer->parents[g->begin / PL_GRID_CHUNK + n],
                      r->job->source[a] + g->begin + n * PL_GRID_CHUNK, a, carry);
    }
}

// What the last value of a run brings to the coarse face after it.
static void flush(const row_job* r, int chunk, float carry) {
    const targets t = targets_of(r, 0);
    const int at = r->job->transfer->parents[chunk][4];
    if (carry != 0.0f && t.count && at != PL_GRID_NO_PARENT)
        t.field[at] += 0.25f * t.weight * carry;
}

static void restrict_row(const row_job* r) {
    const pl_grid_level* l = r->job->fine;
    int row = (r->z - l->low[2]) * l->size[1] + r->y - l->low[1];
    for (int k = l->row_runs[row]; k < l->row_runs[row + 1]; k++) {
        const pl_grid_run* g = &l->runs[k];
        float carry = 0.0f; // chunks before and after a run have no residual
        if (r->job->source) restrict_stored(r, g, &carry);
        else {
            restrict_faces(r, g, 0, &carry);
            restrict_faces(r, g, 1, NULL);
            restrict_faces(r, g, 2, NULL);
            restrict_cells(r, g);
        }
        flush(r, g->begin / PL_GRID_CHUNK + g->count, carry);
    }
}

// the part of the fields that planes take up
static void plane_range(const pl_grid_level* l, int begin, int end, int* first, int* last) {
    int s = l->row_segments[begin * l->size[1]], e = l->row_segments[end * l->size[1]];
    *first = *last = 0;
    if (s == e) return;
    *first = l->segments[s].begin;
    *last = l->segments[e - 1].begin + l->segments[e - 1].count * PL_GRID_CHUNK;
}

// f and g are zero where there is no equation
static void mask_planes(const pl_grid_level* l, int first, int last) {
    for (int i = first; i < last; i += PL_GRID_CHUNK) {
        const pl_grid_masks* m = &l->masks[i / PL_GRID_CHUNK];
        for (int a = 0; a < 4; a++) {
            float* to = (a < 3 ? l->f[a] : l->g) + i;
            uint16_t bits = a < 3 ? m->face[a] : m->interior;
            for (int n = 0; bits != 0xffff && n < PL_GRID_CHUNK; n += PL_LANES)
                pl_storeu_w(to + n, pl_keep_w(bits, n, pl_loadu_w(to + n)));
        }
    }
}

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const restrict_job* job = user;
    const pl_grid_level *fine = job->fine, *coarse = job->coarse;
    int first, last;
    plane_range(coarse, begin, end, &first, &last);
    for (int a = 0; a < 4; a++)
        memset((a < 3 ? coarse->f[a] : coarse->g) + first, 0,
               (size_t)(last - first) * sizeof(float));
    int z_begin = 2 * (coarse->low[2] + begin) - 1, z_end = 2 * (coarse->low[2] + end);
    if (z_begin < fine->low[2]) z_begin = fine->low[2];
    if (z_end > fine->low[2] + fine->size[2]) z_end = fine->low[2] + fine->size[2];
    row_job r = {.job = job, .low = begin, .high = end};
    int y_end = fine->low[1] + fine->size[1], strip = STRIP_CELLS / (fine->size[0] + 1) + 2;
    for (int y = fine->low[1]; y < y_end; y += strip)
        for (r.z = z_begin; r.z < z_end; r.z++)
            for (r.y = y; r.y < y + strip && r.y < y_end; r.y++) restrict_row(&r);
    mask_planes(coarse, first, last);
}

void pl_grid_restrict(const pl_grid_transfer* transfer, const pl_grid_level* fine,
                      const float* const source[4], pl_grid_level* coarse, pl_pool* pool) {
    restrict_job job = {transfer, (pl_grid_level*)fine, coarse, source};
    pl_parallel_for(pool, restrict_task, coarse->size[2], PLANES, &job);
}
void pl_grid_restrict_residual(const pl_grid_transfer* transfer, const pl_grid_level* fine,
                               pl_grid_level* coarse, pl_pool* pool) {
    restrict_job job = {transfer, (pl_grid_level*)fine, coarse, NULL};
    pl_parallel_for(pool, restrict_task, coarse->size[2], PLANES, &job);
}

PL_WIDE void store_faces(const pl_grid_level* l, const pl_grid_run* g, int a, float* out) {
    const chunks k = chunks_of(l, g);
    const face_residual s = {lines_of(l->u[a], g), l->f[a] + g->begin, l->c + g->begin,
                             l->c + below(g, a), pl_splat_w(6.0f + l->inertia)};
    for (int n = 0; n < g->count; n++) {
        const pl_grid_wall_chunk* wall = wall_of(&k, n);
        float* to = out + g->begin + n * PL_GRID_CHUNK;
        face_residual_chunk(&s, k.masks[n].inner[a], wall ? wall->stiffness[a] : NULL,
                            n * PL_GRID_CHUNK, false, to);
        add_band(l, g->begin / PL_GRID_CHUNK + n, a, to);
    }
}

void pl_grid_store_residual(const pl_grid_level* l, float* const out[4]) {
    for (int k = 0; k < l->run_count; k++) {
        const pl_grid_run* g = &l->runs[k];
        const sides faces = sides_of(l, g);
        store_faces(l, g, 0, out[0]), store_faces(l, g, 1, out[1]), store_faces(l, g, 2, out[2]);
        for (int n = 0; n < g->count * PL_GRID_CHUNK; n += PL_GRID_CHUNK)
            cell_residual_chunk(l, &faces, g, l->masks[(g->begin + n) / PL_GRID_CHUNK].core, n,
                                out[3] + g->begin + n);
    }
}
