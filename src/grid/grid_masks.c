// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Zhu 2010, section 5.1, with bit operations. A stress is a boundary stress, and left out, if its
// stencil touches a traction boundary variable. P_aa in a cell touches the two faces of the cell
// across a. P_ab on an edge touches four faces, and is a boundary stress as soon as one of the four
// cells around the edge is exterior.
#include "base/memory.h"
#include "grid/grid_level.h"

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

pl_status pl_grid_level_classify(pl_grid_level* level, const pl_grid_cells* cells,
                                 pl_error* error) {
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
