// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Builds the band of a level (Zhu 2010, sections 5.1 and 5.3) and sets its coefficients.
//
// Band faces are relaxed by whole chunks or one by one. On an irregular body a chunk has one or two
// band faces across an axis: an armadillo of 277 000 cells has 87 000 such faces in 19 000 chunks,
// and vectors would process sixteen times as many.
#include "base/memory.h"
#include "grid/grid_linear_level.h"

#include <math.h>
#include <string.h>

// A chunk with more band faces than this across an axis is relaxed as a whole.
enum { FEW_FACES = 6 };

// ------------------------------------------------------------------ chunks

static bool is_of_band(const pl_grid_masks* m) {
    for (int a = 0; a < 3; a++)
        if (m->face[a] & ~m->inner[a]) return true;
    return (m->interior & ~m->core) || m->rim;
}

static void fill_chunk(const pl_grid_linear_level* level, const pl_grid_segment* g, int chunk,
                       pl_grid_band_chunk* out) {
    const int offset = chunk * PL_GRID_CHUNK, at = g->begin + offset;
    const pl_grid_masks* m = &level->split[at / PL_GRID_CHUNK];
    const uint16_t slaved = m->interior & (uint16_t)~m->core;
    *out = (pl_grid_band_chunk){.begin = at,
                                .is_odd = (g->y + g->z) & 1,
                                .has_slaved = slaved != 0,
                                .has_rim = m->rim != 0};
    for (int r = 0; r < PL_ROW_COUNT; r++) out->rows[r] = g->rows[r] + offset;
    for (int i = 0; i < PL_GRID_CHUNK; i++)
        out->cells[i] = (uint8_t)((slaved >> i & 1) << 3 | (m->rim >> i & 1) << 4);
    for (int a = 0; a < 3; a++) {
        out->faces[a] = m->face[a] & (uint16_t)~m->inner[a];
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            out->cells[i] |= (uint8_t)((slaved & m->stress[a]) >> i & 1) << a;
            out->stresses[a][pl_place_of(i)] =
                pl_grid_face_stresses(level->layout, g, a, offset + i);
        }
    }
}

// Lists the band chunks in row order.
static void list_chunks(pl_grid_linear_level* level) {
    const pl_grid_level* l = level->layout;
    for (int c = 0; c < l->field_size / PL_GRID_CHUNK; c++) level->band_index[c] = -1;
    int count = 0;
    for (int row = 0; row < l->size[1] * l->size[2]; row++) {
        level->row_band[row] = count;
        for (int s = l->row_segments[row]; s < l->row_segments[row + 1]; s++)
            for (int c = 0; c < l->segments[s].count; c++) {
                const int chunk = l->segments[s].begin / PL_GRID_CHUNK + c;
                if (!is_of_band(&l->masks[chunk])) continue;
                fill_chunk(level, &l->segments[s], c, &level->band[count]);
                level->band_index[chunk] = count++;
            }
    }
    level->row_band[l->size[1] * l->size[2]] = count;
}

static pl_status create_chunks(pl_grid_linear_level* level, pl_error* error) {
    const pl_grid_level* l = level->layout;
    const int chunk_count = l->field_size / PL_GRID_CHUNK;
    for (int c = 0; c < chunk_count; c++) level->band_count += is_of_band(&l->masks[c]);
    const size_t count = (size_t)level->band_count;
    level->band_index = PL_ALLOC(int, chunk_count);
    level->row_band = PL_ALLOC(int, l->size[1] * l->size[2] + 1);
    level->band_residual = pl_alloc_items(count, sizeof *level->band_residual);
    level->band = PL_ALLOC(pl_grid_band_chunk, count);
    if (!level->band_index || !level->row_band ||
        (count && (!level->band_residual || !level->band)))
        return pl_fail_memory(error, "a lattice");
    list_chunks(level);
    return PL_OK;
}

// ------------------------------------------------------------------ lists

static size_t offset_count(const pl_grid_linear_level* l) {
    return PL_BAND_LISTS * ((size_t)l->layout->size[1] * (size_t)l->layout->size[2] + 1);
}

static bool is_dense(const pl_grid_band_chunk* b, int a) {
    return __builtin_popcount(b->faces[a]) > FEW_FACES;
}
// faces of a chunk in a list of single faces: those of one colour, which are one half of it
static uint16_t listed(const pl_grid_band_chunk* b, int list) {
    const bool colour = list % 2;
    return is_dense(b, list / 2) ? 0 : b->faces[list / 2] & (b->is_odd != colour ? 0xff00 : 0xff);
}

// Sets the row offsets of all lists and counts their faces and chunks.
static void place_rows(pl_grid_linear_level* l) {
    const int row_count = l->layout->size[1] * l->layout->size[2];
    l->band_face_count = l->band_dense_count = 0;
    for (int list = 0; list < PL_BAND_LISTS; list++) {
        int* count = list < PL_BAND_FACES ? &l->band_face_count : &l->band_dense_count;
        int* row = l->row_lists + (size_t)list * ((size_t)row_count + 1);
        for (int r = 0; r < row_count; r++) {
            row[r] = *count;
            for (int k = l->row_band[r]; k < l->row_band[r + 1]; k++)
                *count += list < PL_BAND_FACES ? __builtin_popcount(listed(&l->band[k], list))
                                               : is_dense(&l->band[k], list - PL_BAND_FACES);
        }
        row[row_count] = *count;
    }
}

static void fill_lists(pl_grid_linear_level* l) {
    int face = 0, dense = 0;
    for (int list = 0; list < PL_BAND_FACES; list++)
        for (int k = 0; k < l->band_count; k++)
            for (unsigned bits = listed(&l->band[k], list); bits; bits &= bits - 1) {
                const pl_grid_band_chunk* b = &l->band[k];
                const int a = list / 2, i = __builtin_ctz(bits);
                l->band_faces[face] =
                    pl_grid_single_face_at(b->begin, b->rows, a, i, b->stresses[a][i]);
                l->band_faces[face++].kept = (k * 3 + a) * PL_GRID_CHUNK + i;
            }
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < l->band_count; k++)
            if (is_dense(&l->band[k], a)) l->band_dense[dense++] = k;
}

pl_status pl_grid_band_create(pl_grid_linear_level* l, pl_error* error) {
    pl_status status = create_chunks(l, error);
    if (status != PL_OK) return status;
    l->row_lists = PL_ALLOC(int, offset_count(l));
    if (!l->row_lists) return pl_fail_memory(error, "a lattice");
    place_rows(l);
    l->band_faces = PL_ALLOC(pl_grid_single_face, l->band_face_count);
    l->band_dense = PL_ALLOC(int, l->band_dense_count);
    if ((l->band_face_count && !l->band_faces) || (l->band_dense_count && !l->band_dense))
        return pl_fail_memory(error, "a lattice");
    fill_lists(l);
    pl_grid_linear_level_set_stiffness(l, NULL);
    return PL_OK;
}

void pl_grid_band_free(pl_grid_linear_level* l) {
    PL_FREE(l->band_faces, pl_grid_single_face, l->band_face_count);
    PL_FREE(l->band_dense, int, l->band_dense_count);
    PL_FREE(l->row_lists, int, offset_count(l));
    PL_FREE(l->row_band, int, l->layout->size[1] * l->layout->size[2] + 1);
    PL_FREE(l->band_index, int, l->layout->field_size / PL_GRID_CHUNK);
    pl_free(l->band_residual, (size_t)l->band_count * sizeof *l->band_residual);
    PL_FREE(l->band, pl_grid_band_chunk, l->band_count);
}

// ------------------------------------------------------------------ coefficients

// The band only ever becomes stiffer by walls. A reduction of the diagonal would not apply to the
// shear coupling with other components, and a level that gives way to some motion of a thin part
// would be worse than one that holds it too close.
void pl_grid_linear_level_set_stiffness(pl_grid_linear_level* level, float* const stiffness[3]) {
    float* const* wall = level->layout->wall;
    for (int k = 0; k < level->band_count; k++) {
        pl_grid_band_chunk* b = &level->band[k];
        for (int n = 0; n < 3 * PL_GRID_CHUNK; n++) {
            const int a = n / PL_GRID_CHUNK, i = n % PL_GRID_CHUNK, place = pl_place_of(i);
            float sum = wall[a] ? fmaxf(wall[a][b->begin + i], 0.0f) : 0.0f;
            if (stiffness && b->faces[a] >> place & 1)
                sum += fmaxf(stiffness[a][b->begin + place], 0.0f);
            b->stiffness[a][place] = sum;
        }
    }
}

// 1 / (mu/lambda + half the number of boundary stresses) of a slaved cell, else 0
static float compliance_of(const pl_grid_linear_level* l, int place) {
    const pl_grid_masks* m = &l->split[place / PL_GRID_CHUNK];
    if (!pl_grid_bit(m->interior & (uint16_t)~m->core, place)) return 0.0f;
    int boundary = 0;
    for (int b = 0; b < 3; b++) boundary += !pl_grid_bit(m->stress[b], place);
    return 1.0f / (l->compressibility + 0.5f * (float)boundary);
}

static void set_face(const pl_grid_linear_level* l, pl_grid_band_chunk* b, int a, int i) {
    const bool is_face = b->faces[a] >> i & 1;
    const unsigned stresses = b->stresses[a][i];
    const float own = b->cells[i] >> a & 1 ? b->compliance[i] : 0.0f;
    const int below =
        a == 0 ? pl_place_below(b->begin + i) : b->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW] + i;
    const float low = is_face && stresses & 1 ? compliance_of(l, below) : 0.0f;
    const int count = __builtin_popcount(stresses) + __builtin_popcount(stresses & 3u);
    const float diagonal = l->inertia + b->stiffness[a][i] + (float)count + own + low;
    b->inverse_diagonal[a][i] = is_face && diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
    b->low[a][i] = low;
    b->has_own[a] |= own != 0.0f;
    b->has_low[a] |= low != 0.0f;
    b->is_stiff[a] |= b->stiffness[a][i] != 0.0f;
}

static void set_chunk(const pl_grid_linear_level* l, pl_grid_band_chunk* b) {
    for (int i = 0; i < PL_GRID_CHUNK; i++) b->compliance[i] = compliance_of(l, b->begin + i);
    for (int a = 0; a < 3; a++) {
        b->has_own[a] = b->has_low[a] = b->is_stiff[a] = false;
        for (int i = 0; i < PL_GRID_CHUNK; i++) set_face(l, b, a, i);
    }
}

void pl_grid_band_set_coefficients(pl_grid_linear_level* l) {
    for (int k = 0; k < l->band_count; k++) set_chunk(l, &l->band[k]);
    for (int n = 0; n < l->band_face_count; n++) {
        pl_grid_single_face* face = &l->band_faces[n];
        const int i = face->kept % PL_GRID_CHUNK, a = face->kept / PL_GRID_CHUNK % 3;
        const pl_grid_band_chunk* b = &l->band[face->kept / PL_GRID_CHUNK / 3];
        face->diagonal = l->inertia + b->stiffness[a][i];
        face->inverse_diagonal = b->inverse_diagonal[a][i];
        face->own = b->cells[i] >> a & 1 ? b->compliance[i] : 0.0f;
        face->low = b->low[a][i];
    }
    if (l->band_count) // without a band there is nothing to point to
        memset(l->band_residual, 0, (size_t)l->band_count * sizeof *l->band_residual);
}
