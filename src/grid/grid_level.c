// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Builds the layout of a level: rows, chunks, segments.
#include "base/memory.h"
#include "grid/grid_lattice.h"

#include <string.h>

// ------------------------------------------------------------------ masks

// Zhu 2010, section 5.1, with bit operations. A stress is a boundary stress, and left out, if its
// stencil touches a traction boundary variable. P_aa in a cell touches the two faces of the cell
// across a. P_ab on an edge touches four faces, and is a boundary stress as soon as one of the four
// cells around the edge is exterior.

static size_t word_count(const pl_grid_bits* b) {
    return (size_t)b->words * (size_t)(b->size[1] + 2) * (size_t)(b->size[2] + 2);
}

// word of a chunk; y and z count rows of the level and may be one outside
static size_t word_at(const pl_grid_bits* b, int chunk, int y, int z) {
    return ((size_t)(z + 1) * (size_t)(b->size[1] + 2) + (size_t)(y + 1)) * (size_t)b->words +
           (size_t)(chunk + 1);
}

static void read_row(const pl_grid_bits* b, const uint8_t* kinds, int count, int first,
                     size_t row) {
    for (int i = 0; i < count; i++) {
        size_t word = row + (size_t)((first + i) / PL_GRID_CHUNK);
        unsigned bit = 1u << ((first + i) % PL_GRID_CHUNK);
        if (kinds[i] == PL_CELL_INTERIOR) b->interior[word] |= (uint16_t)bit;
        if (kinds[i] != PL_CELL_EXTERIOR) b->used[word] |= (uint16_t)bit;
    }
}

// bits shifted down and up by one cell along x
static unsigned below_x(const uint16_t* words, size_t at) {
    return (words[at] << 1 | words[at - 1] >> 15) & 0xffff;
}
static unsigned above_x(const uint16_t* words, size_t at) {
    return (words[at] >> 1 | words[at + 1] << 15) & 0xffff;
}

// a word and its neighbours: below and above along x, y, z
typedef struct around {
    unsigned own, low[3], high[3];
} around;
static around around_of(const pl_grid_bits* b, const uint16_t* words, size_t at) {
    size_t row = (size_t)b->words, plane = row * (size_t)(b->size[1] + 2);
    return (around){words[at],
                    {below_x(words, at), words[at - row], words[at - plane]},
                    {above_x(words, at), words[at + row], words[at + plane]}};
}

static void find_core(const pl_grid_bits* b) {
    for (int z = 0; z < b->size[2]; z++)
        for (int y = 0; y < b->size[1]; y++)
            for (int c = 0; c < b->words - 2; c++) {
                size_t at = word_at(b, c, y, z);
                if (!b->interior[at]) continue;
                around used = around_of(b, b->used, at);
                unsigned all = b->interior[at];
                for (int a = 0; a < 3; a++) all &= used.low[a] & used.high[a];
                b->core[at] = (uint16_t)all;
            }
}

pl_status pl_grid_bits_create(const pl_grid_level* level, const pl_grid_cells* cells,
                              pl_grid_bits* out, pl_error* error) {
    *out = (pl_grid_bits){.words = level->size[0] / PL_GRID_CHUNK + 2,
                          .size = {level->size[0], level->size[1], level->size[2]}};
    size_t count = word_count(out);
    out->interior = PL_ALLOC(uint16_t, count);
    out->used = PL_ALLOC(uint16_t, count);
    out->core = PL_ALLOC(uint16_t, count);
    if (!out->interior || !out->used || !out->core) {
        pl_grid_bits_free(out);
        return pl_fail_memory(error, "a lattice");
    }
    const uint8_t* kinds = cells->kinds;
    for (int k = 0; k < cells->size[2]; k++)
        for (int j = 0; j < cells->size[1]; j++, kinds += cells->size[0])
            read_row(out, kinds, cells->size[0], cells->low[0] - level->low[0],
                     word_at(out, 0, cells->low[1] + j - level->low[1],
                             cells->low[2] + k - level->low[2]));
    find_core(out);
    return PL_OK;
}

void pl_grid_bits_free(pl_grid_bits* b) {
    PL_FREE(b->interior, uint16_t, word_count(b));
    PL_FREE(b->used, uint16_t, word_count(b));
    PL_FREE(b->core, uint16_t, word_count(b));
    *b = (pl_grid_bits){0};
}

static size_t segment_word(const pl_grid_level* level, const pl_grid_bits* b,
                           const pl_grid_segment* g, int chunk) {
    return word_at(b, (g->x - level->low[0]) / PL_GRID_CHUNK + chunk, g->y - level->low[1],
                   g->z - level->low[2]);
}

static void set_chunk(pl_grid_masks* m, const pl_grid_bits* b, size_t at) {
    size_t row = (size_t)b->words, plane = row * (size_t)(b->size[1] + 2);
    around in = around_of(b, b->interior, at), used = around_of(b, b->used, at);
    around core = around_of(b, b->core, at);
    unsigned rim = 0;
    *m = (pl_grid_masks){.interior = (uint16_t)in.own,
                         .dirichlet = (uint16_t)(used.own & ~in.own),
                         .core = (uint16_t)core.own};
    for (int a = 0; a < 3; a++) {
        m->stress[a] = (uint16_t)(in.own & used.low[a] & used.high[a]);
        m->face[a] = (uint16_t)(in.own & in.low[a]);
        m->inner[a] = (uint16_t)(core.own & core.low[a]);
        rim |= (in.low[a] & ~core.low[a]) | (in.high[a] & ~core.high[a]);
    }
    m->rim = (uint16_t)(core.own & rim);
    // the low edges along an axis: this cell and those before it along the two others
    m->edge[0] = (uint16_t)(used.own & used.low[1] & used.low[2] & b->used[at - row - plane]);
    m->edge[1] = (uint16_t)(used.own & used.low[2] & used.low[0] & below_x(b->used, at - plane));
    m->edge[2] = (uint16_t)(used.own & used.low[0] & used.low[1] & below_x(b->used, at - row));
}

static void set_masks(pl_grid_level* level, const pl_grid_bits* bits) {
    for (int s = 0; s < level->segment_count; s++) {
        const pl_grid_segment* g = &level->segments[s];
        for (int c = 0; c < g->count; c++) {
            pl_grid_masks* m = &level->masks[g->begin / PL_GRID_CHUNK + c];
            set_chunk(m, bits, segment_word(level, bits, g, c));
            level->cell_count += __builtin_popcount(m->interior);
            for (int a = 0; a < 3; a++) level->face_count += __builtin_popcount(m->face[a]);
        }
    }
}

// Sets masks and counts of a level whose layout exists.
static pl_status classify(pl_grid_level* level, const pl_grid_cells* cells, pl_error* error) {
    pl_grid_bits bits;
    level->masks = PL_ALLOC(pl_grid_masks, level->field_size / PL_GRID_CHUNK);
    if (!level->masks) return pl_fail_memory(error, "a lattice");
    pl_status status = pl_grid_bits_create(level, cells, &bits, error);
    if (status != PL_OK) return status;
    set_masks(level, &bits);
    pl_grid_bits_free(&bits);
    return PL_OK;
}

void pl_grid_known_faces(const pl_grid_level* level, const pl_grid_bits* b,
                         const pl_grid_segment* g, int chunk, uint16_t known[3], uint16_t* near) {
    size_t at = segment_word(level, b, g, chunk);
    around in = around_of(b, b->interior, at), used = around_of(b, b->used, at);
    for (int a = 0; a < 3; a++)
        known[a] =
            (uint16_t)((in.own & in.low[a]) | (used.own & ~in.own) | (used.low[a] & ~in.low[a]));
    unsigned any = 0;
    for (int n = 0; n < 9; n++) {
        size_t row = at + (size_t)b->words * (size_t)(n % 3) +
                     (size_t)b->words * (size_t)(b->size[1] + 2) * (size_t)(n / 3) -
                     (size_t)b->words * (size_t)(b->size[1] + 3);
        any |= b->interior[row] | below_x(b->interior, row) | above_x(b->interior, row);
    }
    *near = (uint16_t)any;
}

// ------------------------------------------------------------------ layout

static int floor_chunk(int x) {
    return (x >= 0 ? x / PL_GRID_CHUNK : -((PL_GRID_CHUNK - 1 - x) / PL_GRID_CHUNK));
}

typedef struct layout {
    const pl_grid_cells* cells;
    int first_chunk, chunk_count; // along x
    uint8_t* used;                // per row of cells and chunk: the body, grown by one along x
    int* index;                   // per row of the level and chunk: index, or -1
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

// whether a chunk of a row contains cells of the body or of the layer around it
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

// assigns indices to the stored chunks; the strip of zeros comes first
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

// builds the segments of one row; only counts them if out is NULL
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

pl_status pl_grid_level_create(const pl_grid_cells* cells, pl_grid_level* out, pl_error* error) {
    *out = (pl_grid_level){0};
    layout l = {.cells = cells};
    pl_status status = lay_out(&l, out, error);
    PL_FREE(l.used, uint8_t, cell_row_count(&l) * (size_t)l.chunk_count);
    PL_FREE(l.index, int, (size_t)out->size[1] * (size_t)out->size[2] * (size_t)l.chunk_count);
    if (status == PL_OK) status = classify(out, cells, error);
    if (status != PL_OK) pl_grid_level_free(out);
    return status;
}

void pl_grid_level_free(pl_grid_level* level) {
    PL_FREE(level->masks, pl_grid_masks, level->field_size / PL_GRID_CHUNK);
    PL_FREE(level->row_segments, int, (size_t)level->size[1] * (size_t)level->size[2] + 1);
    PL_FREE(level->segments, pl_grid_segment, level->segment_count);
    for (int a = 0; a < 3; a++) PL_FREE(level->wall[a], float, level->field_size);
    pl_free(level->parents, (size_t)(level->field_size / PL_GRID_CHUNK) * sizeof *level->parents);
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
