// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Layout of a level: rows, chunks, segments.
#include "grid/grid_level.h"
#include "base/memory.h"

#include <string.h>

static int floor_chunk(int x) {
    return (x >= 0 ? x / PL_GRID_CHUNK : -((PL_GRID_CHUNK - 1 - x) / PL_GRID_CHUNK));
}

typedef struct layout {
    const pl_grid_cells* cells;
    int first_chunk, chunk_count; // along x
    uint8_t* used;                // per row of cells and chunk: the body, grown by one along x
    int* index;                   // per row of the level and chunk: its place, or -1
} layout;

static size_t cell_row_count(const layout* l) {
    return (size_t)l->cells->size[1] * (size_t)l->cells->size[2];
}

static void mark_used(const layout* l) {
    const pl_grid_cells* c = l->cells;
    const uint8_t* kind = c->kinds;
    for (size_t row = 0; row < cell_row_count(l); row++)
        for (int i = 0; i < c->size[0]; i++, kind++) {
            if (*kind == PL_CELL_EXTERIOR) continue;
            for (int d = -1; d <= 1; d++)
                l->used[row * (size_t)l->chunk_count +
                        (size_t)(floor_chunk(c->low[0] + i + d) - l->first_chunk)] = 1;
        }
}

// whether the body or the layer around it reaches into a chunk of a row of the level
static bool is_stored(const layout* l, int y, int z, int chunk) {
    const pl_grid_cells* c = l->cells;
    for (int n = 0; n < 9; n++) {
        int j = y - 2 + n % 3, k = z - 2 + n / 3; // the level has one more row on each side
        if (j < 0 || k < 0 || j >= c->size[1] || k >= c->size[2]) continue;
        if (l->used[((size_t)k * (size_t)c->size[1] + (size_t)j) * (size_t)l->chunk_count +
                    (size_t)chunk])
            return true;
    }
    return false;
}

// gives each stored chunk its place; zeros come first
static pl_status place_chunks(layout* l, pl_grid_level* level, pl_error* error) {
    int64_t next = (l->chunk_count + 3) * PL_GRID_CHUNK;
    for (int z = 0; z < level->size[2]; z++)
        for (int y = 0; y < level->size[1]; y++)
            for (int x = 0; x < l->chunk_count; x++) {
                int* at = &l->index[((size_t)z * (size_t)level->size[1] + (size_t)y) *
                                        (size_t)l->chunk_count +
                                    (size_t)x];
                *at = -1;
                if (!is_stored(l, y, z, x)) continue;
                *at = (int)next;
                next += PL_GRID_CHUNK;
                if (next > INT32_MAX / 2)
                    return pl_fail(error, PL_ERROR_ARGUMENT,
                                   "the lattice has more than %d cells; use larger ones",
                                   INT32_MAX / 2);
            }
    level->field_size = (int)next + PL_GRID_CHUNK;
    return PL_OK;
}

static int place_of(const layout* l, const pl_grid_level* level, int x, int y, int z) {
    if (y < 0 || z < 0 || y >= level->size[1] || z >= level->size[2]) return -1;
    return l->index[((size_t)z * (size_t)level->size[1] + (size_t)y) * (size_t)l->chunk_count +
                    (size_t)x];
}

static const int row_shift[PL_ROW_COUNT][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, 1}, {1, -1}};

// the segments of one row; only counted if out is NULL
static int cut_row(const layout* l, const pl_grid_level* level, int y, int z,
                   pl_grid_segment* out) {
    int count = 0;
    unsigned pattern = 0;
    for (int x = 0, open = 0; x < l->chunk_count; x++) {
        int at = place_of(l, level, x, y, z), rows[PL_ROW_COUNT];
        unsigned own = 0;
        for (int r = 0; r < PL_ROW_COUNT; r++) {
            rows[r] = place_of(l, level, x, y + row_shift[r][0], z + row_shift[r][1]);
            own |= (unsigned)(rows[r] >= 0) << r;
            if (rows[r] < 0) rows[r] = 2 * PL_GRID_CHUNK;
        }
        open = at >= 0 && open && own == pattern;
        if (at >= 0 && !open) {
            pattern = own, open = 1;
            if (out) {
                out[count] = (pl_grid_segment){.begin = at,
                                               .x = level->low[0] + x * PL_GRID_CHUNK,
                                               .y = level->low[1] + y,
                                               .z = level->low[2] + z};
                memcpy(out[count].rows, rows, sizeof rows);
            }
            count++;
        }
        if (at >= 0 && out) out[count - 1].count++;
    }
    return count;
}

static pl_status cut_rows(const layout* l, pl_grid_level* level, pl_error* error) {
    size_t row_count = (size_t)level->size[1] * (size_t)level->size[2];
    level->row_segments = PL_ALLOC(int, row_count + 1);
    if (!level->row_segments) return pl_fail_memory(error, "a lattice");
    for (int pass = 0; pass < 2; pass++) {
        int count = 0, row = 0;
        for (int z = 0; z < level->size[2]; z++)
            for (int y = 0; y < level->size[1]; y++, row++) {
                level->row_segments[row] = count;
                count += cut_row(l, level, y, z, pass ? level->segments + count : NULL);
            }
        level->row_segments[row] = level->segment_count = count;
        if (pass) break;
        level->segments = PL_ALLOC(pl_grid_segment, count);
        if (!level->segments && count) return pl_fail_memory(error, "a lattice");
    }
    return PL_OK;
}

static pl_status lay_out(layout* l, pl_grid_level* level, pl_error* error) {
    const pl_grid_cells* c = l->cells;
    l->first_chunk = floor_chunk(c->low[0] - 1);
    l->chunk_count = floor_chunk(c->low[0] + c->size[0]) + 1 - l->first_chunk;
    level->low[0] = l->first_chunk * PL_GRID_CHUNK;
    level->size[0] = l->chunk_count * PL_GRID_CHUNK;
    for (int a = 1; a < 3; a++) level->low[a] = c->low[a] - 1, level->size[a] = c->size[a] + 2;
    size_t rows = (size_t)level->size[1] * (size_t)level->size[2];
    l->used = PL_ALLOC(uint8_t, cell_row_count(l) * (size_t)l->chunk_count);
    l->index = PL_ALLOC(int, rows*(size_t)l->chunk_count);
    if ((!l->used && cell_row_count(l)) || !l->index) return pl_fail_memory(error, "a lattice");
    mark_used(l);
    pl_status status = place_chunks(l, level, error);
    return status == PL_OK ? cut_rows(l, level, error) : status;
}

// ------------------------------------------------------------------ runs

static uint8_t full_bits(const pl_grid_level* level, int chunk) {
    const pl_grid_masks* m = &level->masks[chunk];
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

// the runs of a segment; only counted if out is NULL
static int cut_segment(const pl_grid_level* level, const pl_grid_segment* g, pl_grid_run* out) {
    int count = 0;
    bool open = false;
    for (int c = 0; c < g->count; c++) {
        bool used = is_used(&level->masks[g->begin / PL_GRID_CHUNK + c]);
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

static void free_packed(pl_grid_level* level) {
    pl_grid_band_list_free(level);
    pl_free(level->band_residual, (size_t)level->kept_count * sizeof *level->band_residual);
    PL_FREE(level->band_rates, pl_grid_band_rates, level->kept_count);
    pl_free(level->wall_q, (size_t)level->kept_walls * sizeof *level->wall_q);
    level->band_residual = NULL, level->band_rates = NULL, level->wall_q = NULL;
    level->kept_count = level->kept_walls = 0;
}

// which band chunks each row has; they are in the order of rows
static void index_rows(pl_grid_level* level) {
    int row_count = level->size[1] * level->size[2], k = 0;
    for (int row = 0; row < row_count; row++) {
        level->row_band[row] = k;
        for (int s = level->row_segments[row]; s < level->row_segments[row + 1]; s++) {
            const pl_grid_segment* g = &level->segments[s];
            while (k < level->band_count &&
                   level->band[k].begin < g->begin + g->count * PL_GRID_CHUNK)
                k++;
        }
    }
    level->row_band[row_count] = k;
}

// whether all of a segment's chunk and those beside it pass
typedef bool (*chunk_test)(const pl_grid_level* level, int chunk);
static bool passes(const pl_grid_level* level, const pl_grid_segment* g, int c, chunk_test test) {
    const int chunk = g->begin / PL_GRID_CHUNK + c, end = level->field_size / PL_GRID_CHUNK;
    for (int r = PL_ROW_Y_LOW; r <= PL_ROW_Z_HIGH; r++)
        if (!test(level, g->rows[r] / PL_GRID_CHUNK + c)) return false;
    return test(level, chunk) && (chunk == 0 || test(level, chunk - 1)) &&
           (chunk + 1 == end || test(level, chunk + 1));
}
static bool has_no_band(const pl_grid_level* level, int chunk) {
    return level->band_index[chunk] < 0;
}
static bool is_far(const pl_grid_level* level, int chunk) {
    return level->full[chunk] & PL_GRID_FAR;
}

// Marks what is far from the band. Memory that belongs to no segment is read as zeros: it is far.
static void mark_far(pl_grid_level* level) {
    for (int c = 0; c < level->field_size / PL_GRID_CHUNK; c++) level->full[c] |= PL_GRID_FAR;
    for (int s = 0; s < level->segment_count; s++) {
        const pl_grid_segment* g = &level->segments[s];
        for (int c = 0; c < g->count; c++)
            if (!passes(level, g, c, has_no_band))
                level->full[g->begin / PL_GRID_CHUNK + c] &= (uint8_t)~PL_GRID_FAR;
    }
    for (int s = 0; s < level->segment_count; s++) {
        const pl_grid_segment* g = &level->segments[s];
        for (int c = 0; c < g->count; c++)
            if (is_used(&level->masks[g->begin / PL_GRID_CHUNK + c]) && passes(level, g, c, is_far))
                level->full[g->begin / PL_GRID_CHUNK + c] |= PL_GRID_DEEP;
    }
}

static pl_status prepare_band(pl_grid_level* level, pl_error* error) {
    int row_count = level->size[1] * level->size[2];
    int chunk_count = level->field_size / PL_GRID_CHUNK;
    if (!level->band_index) level->band_index = PL_ALLOC(int, chunk_count);
    if (!level->row_band) level->row_band = PL_ALLOC(int, row_count + 1);
    size_t count = (size_t)level->band_count;
    free_packed(level);
    level->kept_count = level->band_count, level->kept_walls = level->wall_count;
    level->wall_q = pl_alloc_items((size_t)level->wall_count, sizeof *level->wall_q);
    level->band_residual = pl_alloc_items(count, sizeof *level->band_residual);
    level->band_rates = PL_ALLOC(pl_grid_band_rates, count);
    if (!level->band_index || !level->row_band ||
        (count && (!level->band_residual || !level->band_rates)) ||
        (level->wall_count && !level->wall_q))
        return pl_fail_memory(error, "a lattice");
    index_rows(level);
    for (int c = 0; c < chunk_count; c++) level->band_index[c] = -1;
    for (int k = 0; k < level->band_count; k++)
        level->band_index[level->band[k].begin / PL_GRID_CHUNK] = k;
    mark_far(level);
    return pl_grid_band_list(level, error);
}

pl_status pl_grid_level_list_runs(pl_grid_level* level, pl_error* error) {
    int row_count = level->size[1] * level->size[2];
    PL_FREE(level->runs, pl_grid_run, level->run_count);
    level->runs = NULL, level->run_count = 0;
    if (!level->row_runs) level->row_runs = PL_ALLOC(int, row_count + 1);
    if (!level->full) level->full = PL_ALLOC(uint8_t, level->field_size / PL_GRID_CHUNK);
    if (!level->row_runs || !level->full) return pl_fail_memory(error, "a lattice");
    for (int c = 0; c < level->field_size / PL_GRID_CHUNK; c++)
        level->full[c] = full_bits(level, c);
    int count = 0;
    for (int s = 0; s < level->segment_count; s++)
        count += cut_segment(level, &level->segments[s], NULL);
    level->runs = PL_ALLOC(pl_grid_run, count);
    if (!level->runs && count) return pl_fail_memory(error, "a lattice");
    for (int row = 0; row < row_count; row++) {
        level->row_runs[row] = level->run_count;
        for (int s = level->row_segments[row]; s < level->row_segments[row + 1]; s++)
            level->run_count +=
                cut_segment(level, &level->segments[s], level->runs + level->run_count);
    }
    level->row_runs[row_count] = level->run_count;
    return prepare_band(level, error);
}

// Fields lie in one block, each a little further on in its pages than the one before: a load that
// has the low bits of a store to another field under way would wait for it.
enum { FIELDS = 9, STAGGER = 6 * PL_GRID_CHUNK, PAGE = 1024 };

static size_t field_stride(const pl_grid_level* level) {
    return ((size_t)level->field_size + PAGE - 1) / PAGE * PAGE + STAGGER;
}

static pl_status allocate_fields(pl_grid_level* level, pl_error* error) {
    float** fields[FIELDS] = {&level->u[0], &level->u[1], &level->u[2], &level->c, &level->f[0],
                              &level->f[1], &level->f[2], &level->g,    &level->q};
    level->fields = PL_ALLOC(float, FIELDS* field_stride(level));
    if (!level->fields) return pl_fail_memory(error, "the fields of a lattice");
    for (int k = 0; k < FIELDS; k++) *fields[k] = level->fields + (size_t)k * field_stride(level);
    return PL_OK;
}

pl_status pl_grid_level_create(const pl_grid_cells* cells, bool with_fields, pl_grid_level* out,
                               pl_error* error) {
    *out = (pl_grid_level){0};
    layout l = {.cells = cells};
    pl_status status = lay_out(&l, out, error);
    PL_FREE(l.used, uint8_t, cell_row_count(&l) * (size_t)l.chunk_count);
    PL_FREE(l.index, int, (size_t)out->size[1] * (size_t)out->size[2] * (size_t)l.chunk_count);
    if (status == PL_OK) {
        out->masks = PL_ALLOC(pl_grid_masks, out->field_size / PL_GRID_CHUNK);
        out->split = PL_ALLOC(pl_grid_masks, out->field_size / PL_GRID_CHUNK);
        if (!out->masks || !out->split) status = pl_fail_memory(error, "a lattice");
    }
    if (status == PL_OK && with_fields) status = allocate_fields(out, error);
    if (status == PL_OK) status = pl_grid_level_classify(out, cells, error);
    if (status == PL_OK) status = pl_grid_level_list_runs(out, error);
    if (status != PL_OK) pl_grid_level_free(out);
    return status;
}

void pl_grid_level_free(pl_grid_level* level) {
    PL_FREE(level->fields, float, FIELDS* field_stride(level));
    PL_FREE(level->masks, pl_grid_masks, level->field_size / PL_GRID_CHUNK);
    PL_FREE(level->split, pl_grid_masks, level->field_size / PL_GRID_CHUNK);
    PL_FREE(level->row_segments, int, (size_t)level->size[1] * (size_t)level->size[2] + 1);
    PL_FREE(level->segments, pl_grid_segment, level->segment_count);
    PL_FREE(level->row_runs, int, (size_t)level->size[1] * (size_t)level->size[2] + 1);
    PL_FREE(level->runs, pl_grid_run, level->run_count);
    PL_FREE(level->full, uint8_t, level->field_size / PL_GRID_CHUNK);
    PL_FREE(level->row_band, int, (size_t)level->size[1] * (size_t)level->size[2] + 1);
    PL_FREE(level->band_index, int, level->field_size / PL_GRID_CHUNK);
    free_packed(level);
    PL_FREE(level->band, pl_grid_band_chunk, level->band_count);
    PL_FREE(level->band_rows, int, level->size[2] + 1);
    PL_FREE(level->wall_index, int, level->field_size / PL_GRID_CHUNK);
    PL_FREE(level->walls, pl_grid_wall_chunk, level->wall_count);
    PL_FREE(level->ghosts, pl_grid_ghost, level->ghost_count);
    *level = (pl_grid_level){0};
}

int pl_grid_index(const pl_grid_level* level, int i, int j, int k) {
    int y = j - level->low[1], z = k - level->low[2];
    if (y < 0 || z < 0 || y >= level->size[1] || z >= level->size[2]) return -1;
    size_t row = (size_t)z * (size_t)level->size[1] + (size_t)y;
    for (int s = level->row_segments[row]; s < level->row_segments[row + 1]; s++) {
        const pl_grid_segment* g = &level->segments[s];
        if (i >= g->x && i < g->x + g->count * PL_GRID_CHUNK) return g->begin + i - g->x;
    }
    return -1;
}
