// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Fields of a level of the linear lattice, and the runs of chunks that kernels process.
#include "grid/grid_linear_level.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// reorders bits: even x first, then odd x
static uint16_t split_bits(uint16_t bits) {
    unsigned out = 0;
    for (int i = 0; i < PL_GRID_CHUNK; i++) out |= (bits >> i & 1u) << pl_place_of(i);
    return (uint16_t)out;
}

static void split_chunk(const pl_grid_masks* m, pl_grid_masks* out) {
    *out = (pl_grid_masks){.interior = split_bits(m->interior),
                           .dirichlet = split_bits(m->dirichlet),
                           .core = split_bits(m->core),
                           .rim = split_bits(m->rim)};
    for (int a = 0; a < 3; a++) {
        out->face[a] = split_bits(m->face[a]);
        out->inner[a] = split_bits(m->inner[a]);
        out->stress[a] = split_bits(m->stress[a]);
        out->edge[a] = split_bits(m->edge[a]);
    }
}

static pl_status split_masks(pl_grid_linear_level* level, pl_error* error) {
    const int count = level->layout->field_size / PL_GRID_CHUNK;
    level->split = PL_ALLOC(pl_grid_masks, count);
    if (!level->split) return pl_fail_memory(error, "a lattice");
    for (int c = 0; c < count; c++) split_chunk(&level->layout->masks[c], &level->split[c]);
    return PL_OK;
}

// ------------------------------------------------------------------ walls

// Core cells whose equations differ from those far inside: next to Dirichlet cells (Zhu 2010,
// section 5.1), or next to soft faces of the band. Their chunks have wall records.

// Stiffness of a face between the first two layers at a flat side, without pressures: two for P_aa
// of the inner cell, one for each edge.
enum { FLAT_STIFFNESS = 6 };

// Marks the band faces that are softer than that, one bit per axis.
static void mark_soft_faces(const pl_grid_linear_level* level, uint8_t* soft) {
    for (int k = 0; k < level->band_count; k++) {
        const pl_grid_band_chunk* b = &level->band[k];
        for (int n = 0; n < 3 * PL_GRID_CHUNK; n++) {
            const int a = n / PL_GRID_CHUNK, i = n % PL_GRID_CHUNK, place = pl_place_of(i);
            const unsigned bits = b->stresses[a][place];
            const int sum = __builtin_popcount(bits) + __builtin_popcount(bits & 3u);
            if (b->faces[a] >> place & 1 && sum < FLAT_STIFFNESS)
                soft[b->begin + i] |= (uint8_t)(1 << a);
        }
    }
}

// Number of prescribed faces of each cell of a chunk, by place.
static void count_closed(const pl_grid_level* l, const pl_grid_segment* g, int chunk,
                         float out[PL_GRID_CHUNK]) {
    for (int i = 0; i < PL_GRID_CHUNK; i++) {
        int count = 0;
        for (int side = 0; side < 6; side++) {
            const int n = chunk * PL_GRID_CHUNK + i;
            const int at = side % 2 ? pl_grid_above(g, side / 2, n) : pl_grid_below(g, side / 2, n);
            count += pl_grid_bit(l->masks[at / PL_GRID_CHUNK].dirichlet, at);
        }
        out[pl_place_of(i)] = (float)count;
    }
}

// whether a chunk has core cells next to soft faces or next to Dirichlet cells (the latter have all
// inner faces next to prescribed ones)
static bool has_wall(const pl_grid_level* l, const pl_grid_segment* g, int chunk,
                     const uint8_t* soft) {
    float closed[PL_GRID_CHUNK];
    const uint16_t core = l->masks[g->begin / PL_GRID_CHUNK + chunk].core;
    if (!core) return false;
    count_closed(l, g, chunk, closed);
    for (int i = 0; i < PL_GRID_CHUNK; i++) {
        int n = chunk * PL_GRID_CHUNK + i;
        if (!(core >> i & 1)) continue;
        if (closed[pl_place_of(i)] > 0.0f || soft[g->begin + n] || (soft[g->begin + n + 1] & 1) ||
            (soft[g->rows[PL_ROW_Y_HIGH] + n] & 2) || (soft[g->rows[PL_ROW_Z_HIGH] + n] & 4))
            return true;
    }
    return false;
}

// Numbers the chunks that have walls.
static pl_status index_walls(pl_grid_linear_level* level, pl_error* error) {
    const pl_grid_level* l = level->layout;
    const int chunk_count = l->field_size / PL_GRID_CHUNK;
    level->wall_index = PL_ALLOC(int, chunk_count);
    uint8_t* soft = PL_ALLOC(uint8_t, l->field_size);
    if (!level->wall_index || !soft) {
        PL_FREE(soft, uint8_t, l->field_size);
        return pl_fail_memory(error, "a lattice");
    }
    for (int c = 0; c < chunk_count; c++) level->wall_index[c] = -1;
    mark_soft_faces(level, soft);
    for (int s = 0; s < l->segment_count; s++)
        for (int c = 0; c < l->segments[s].count; c++)
            if (has_wall(l, &l->segments[s], c, soft))
                level->wall_index[l->segments[s].begin / PL_GRID_CHUNK + c] = level->wall_count++;
    PL_FREE(soft, uint8_t, l->field_size);
    return PL_OK;
}

static pl_status create_walls(pl_grid_linear_level* level, pl_error* error) {
    const pl_grid_level* l = level->layout;
    pl_status status = index_walls(level, error);
    if (status != PL_OK) return status;
    level->walls = PL_ALLOC(pl_grid_wall_chunk, level->wall_count);
    level->wall_q = pl_alloc_items((size_t)level->wall_count, sizeof *level->wall_q);
    if (level->wall_count && (!level->walls || !level->wall_q))
        return pl_fail_memory(error, "a lattice");
    level->has_stiff_walls = l->wall[0] && level->wall_count > 0;
    for (int s = 0; s < l->segment_count; s++)
        for (int c = 0; c < l->segments[s].count; c++) {
            const int begin = l->segments[s].begin + c * PL_GRID_CHUNK,
                      k = level->wall_index[begin / PL_GRID_CHUNK];
            if (k < 0) continue;
            count_closed(l, &l->segments[s], c, level->wall_q[k][0]);
            for (int n = 0; l->wall[0] && n < 3 * PL_GRID_CHUNK; n++) {
                const int a = n / PL_GRID_CHUNK, i = n % PL_GRID_CHUNK;
                level->walls[k].stiffness[a][pl_place_of(i)] = l->wall[a][begin + i];
            }
        }
    return PL_OK;
}

static void free_walls(pl_grid_linear_level* level) {
    PL_FREE(level->wall_index, int, level->layout->field_size / PL_GRID_CHUNK);
    PL_FREE(level->walls, pl_grid_wall_chunk, level->wall_count);
    pl_free(level->wall_q, (size_t)level->wall_count * sizeof *level->wall_q);
}

// ------------------------------------------------------------------ coefficients

// A prescribed face has no flux and is left out of the Laplacian of q.
static void set_diagonals(pl_grid_linear_level* level) {
    float eps = level->compressibility;
    for (int k = 0; k < level->wall_count; k++) {
        pl_grid_wall_chunk* w = &level->walls[k];
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            for (int a = 0; a < 3; a++)
                w->inverse[a][i] = 1.0f / (6.0f + level->inertia + w->stiffness[a][i]);
            float q = (1.0f + 2.0f * eps) * (6.0f - level->wall_q[k][0][i]) + eps * level->inertia;
            level->wall_q[k][1][i] = q > 0.0f ? 1.0f / q : 0.0f;
        }
    }
}

// Between two sweeps the band responds to the pressure of adjacent core cells: each band face moves
// by the pressure over the face's stiffness, while the distribution moved it by q and the pressure
// by 12 q. Faces of a flat side are stiff enough. At corners and in thin limbs a face may be so
// soft that it moves several times as far, and sweeps would diverge as nu approaches 1/2. So the
// diagonal of q accounts for the response of such faces.
static void add_soft_faces(pl_grid_linear_level* level) {
    const size_t bytes = (size_t)level->layout->field_size * sizeof(float);
    float* excess = level->q; // scratch: cycles overwrite it
    for (int a = 0; a < 3; a++) {
        memset(excess, 0, bytes);
        for (int k = 0; k < level->band_count; k++)
            for (int i = 0; i < PL_GRID_CHUNK; i++)
                excess[level->band[k].begin + i] =
                    fmaxf(level->band[k].inverse_diagonal[a][i] - 1.0f / FLAT_STIFFNESS, 0.0f);
        for (int k = 0; k < level->band_count; k++) {
            const pl_grid_band_chunk* b = &level->band[k];
            const int wall = level->wall_index[b->begin / PL_GRID_CHUNK];
            for (int i = 0; wall >= 0 && i < PL_GRID_CHUNK; i++) {
                const int above = a == 0 ? pl_place_above(b->begin + i)
                                         : b->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH] + i;
                const float sum = 12.0f * (excess[b->begin + i] + excess[above]);
                float* inverse = &level->wall_q[wall][1][i];
                if (b->cells[i] >> 4 & 1 && sum > 0.0f) *inverse /= 1.0f + sum * *inverse;
            }
        }
    }
    memset(excess, 0, bytes);
}

static void set_wall_coefficients(pl_grid_linear_level* level) {
    set_diagonals(level);
    add_soft_faces(level);
}

// ------------------------------------------------------------------ runs

static uint8_t full_bits(const pl_grid_linear_level* level, int chunk) {
    const pl_grid_masks* m = &level->layout->masks[chunk];
    unsigned bits = 0, all = m->core;
    for (int a = 0; a < 3; a++) {
        bits |= (m->inner[a] == 0xffff ? 1u : 0u) << a;
        all &= m->face[a];
    }
    if (all == 0xffff && level->wall_index[chunk] < 0) bits |= PL_GRID_FULL_CELLS;
    return (uint8_t)bits;
}

// whether a chunk belongs to a run
static bool is_used(const pl_grid_masks* m) {
    return m->core | m->face[0] | m->face[1] | m->face[2];
}

// builds the runs of a segment; only counts them if out is NULL
static int cut_segment(const pl_grid_linear_level* level, const pl_grid_segment* g,
                       pl_grid_run* out) {
    int count = 0;
    bool open = false;
    for (int c = 0; c < g->count; c++) {
        bool used = is_used(&level->layout->masks[g->begin / PL_GRID_CHUNK + c]);
        if (used && !open) {
            if (out) {
                int offset = c * PL_GRID_CHUNK;
                out[count] =
                    (pl_grid_run){.begin = g->begin + offset, .odd_y = g->y & 1, .odd_z = g->z & 1};
                for (int r = 0; r < 4; r++) out[count].rows[r] = g->rows[r] + offset;
            }
            count++;
        }
        if (used && out) out[count - 1].count++;
        open = used;
    }
    return count;
}

// whether a chunk of a segment and all its neighbours pass
typedef bool (*chunk_test)(const pl_grid_linear_level* level, int chunk);
static bool passes(const pl_grid_linear_level* level, const pl_grid_segment* g, int c,
                   chunk_test test) {
    const int chunk = g->begin / PL_GRID_CHUNK + c, end = level->layout->field_size / PL_GRID_CHUNK;
    for (int r = PL_ROW_Y_LOW; r <= PL_ROW_Z_HIGH; r++)
        if (!test(level, g->rows[r] / PL_GRID_CHUNK + c)) return false;
    return test(level, chunk) && (chunk == 0 || test(level, chunk - 1)) &&
           (chunk + 1 == end || test(level, chunk + 1));
}
static bool has_no_band(const pl_grid_linear_level* level, int chunk) {
    return level->band_index[chunk] < 0;
}
static bool is_far(const pl_grid_linear_level* level, int chunk) {
    return level->full[chunk] & PL_GRID_FAR;
}

// Marks chunks far from the band. Memory outside all segments reads as zeros and counts as far.
static void mark_far(pl_grid_linear_level* level) {
    for (int c = 0; c < level->layout->field_size / PL_GRID_CHUNK; c++)
        level->full[c] |= PL_GRID_FAR;
    for (int s = 0; s < level->layout->segment_count; s++) {
        const pl_grid_segment* g = &level->layout->segments[s];
        for (int c = 0; c < g->count; c++)
            if (!passes(level, g, c, has_no_band))
                level->full[g->begin / PL_GRID_CHUNK + c] &= (uint8_t)~PL_GRID_FAR;
    }
    for (int s = 0; s < level->layout->segment_count; s++) {
        const pl_grid_segment* g = &level->layout->segments[s];
        for (int c = 0; c < g->count; c++)
            if (is_used(&level->layout->masks[g->begin / PL_GRID_CHUNK + c]) &&
                passes(level, g, c, is_far))
                level->full[g->begin / PL_GRID_CHUNK + c] |= PL_GRID_DEEP;
    }
}

static pl_status list_runs(pl_grid_linear_level* level, pl_error* error) {
    const pl_grid_level* layout = level->layout;
    const int row_count = layout->size[1] * layout->size[2];
    level->row_runs = PL_ALLOC(int, row_count + 1);
    level->full = PL_ALLOC(uint8_t, layout->field_size / PL_GRID_CHUNK);
    if (!level->row_runs || !level->full) return pl_fail_memory(error, "a lattice");
    for (int c = 0; c < layout->field_size / PL_GRID_CHUNK; c++)
        level->full[c] = full_bits(level, c);
    int count = 0;
    for (int s = 0; s < layout->segment_count; s++)
        count += cut_segment(level, &layout->segments[s], NULL);
    level->runs = PL_ALLOC(pl_grid_run, count);
    if (!level->runs && count) return pl_fail_memory(error, "a lattice");
    for (int row = 0; row < row_count; row++) {
        level->row_runs[row] = level->run_count;
        for (int s = layout->row_segments[row]; s < layout->row_segments[row + 1]; s++)
            level->run_count +=
                cut_segment(level, &layout->segments[s], level->runs + level->run_count);
    }
    level->row_runs[row_count] = level->run_count;
    mark_far(level);
    return PL_OK;
}

// ------------------------------------------------------------------ fields

enum { FIELDS = 9 };

static pl_status allocate_fields(pl_grid_linear_level* level, pl_error* error) {
    float** fields[FIELDS] = {&level->u[0], &level->u[1], &level->u[2], &level->c, &level->f[0],
                              &level->f[1], &level->f[2], &level->g,    &level->q};
    level->fields = PL_ALLOC(float, FIELDS* pl_grid_field_stride(level->layout));
    if (!level->fields) return pl_fail_memory(error, "the fields of a lattice");
    for (int k = 0; k < FIELDS; k++)
        *fields[k] = level->fields + (size_t)k * pl_grid_field_stride(level->layout);
    return PL_OK;
}

pl_status pl_grid_linear_level_create(const pl_grid_level* layout, const pl_grid_cells* cells,
                                      pl_grid_linear_level* out, pl_error* error) {
    *out = (pl_grid_linear_level){.layout = layout};
    pl_status status = split_masks(out, error);
    if (status == PL_OK) status = allocate_fields(out, error);
    if (status == PL_OK) status = pl_grid_band_create(out, error);
    if (status == PL_OK) status = create_walls(out, error);
    if (status == PL_OK) status = pl_grid_ghosts_create(out, cells, error);
    if (status == PL_OK) status = list_runs(out, error);
    if (status != PL_OK) pl_grid_linear_level_free(out);
    return status;
}

void pl_grid_linear_level_free(pl_grid_linear_level* level) {
    if (!level->layout) return;
    const int chunk_count = level->layout->field_size / PL_GRID_CHUNK;
    const int row_count = level->layout->size[1] * level->layout->size[2];
    PL_FREE(level->fields, float, FIELDS* pl_grid_field_stride(level->layout));
    PL_FREE(level->split, pl_grid_masks, chunk_count);
    PL_FREE(level->row_runs, int, row_count + 1);
    PL_FREE(level->runs, pl_grid_run, level->run_count);
    PL_FREE(level->full, uint8_t, chunk_count);
    pl_grid_band_free(level);
    free_walls(level);
    PL_FREE(level->ghosts, pl_grid_ghost, level->ghost_count);
    *level = (pl_grid_linear_level){0};
}

void pl_grid_linear_level_set_material(pl_grid_linear_level* level, double compressibility,
                                       double inertia) {
    level->compressibility = (float)compressibility;
    level->inertia = (float)inertia;
    pl_grid_band_set_coefficients(level);
    set_wall_coefficients(level);
}
