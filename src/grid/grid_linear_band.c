// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gauss-Seidel in the boundary band (Zhu 2010, section 5.3). Boundary stresses are left out. In
// interior cells that are not core the pressure is eliminated, p = (g - sum of the interior D_a
// u_a) / (mu/lambda + half the number of boundary stresses), which makes the equations symmetric
// and definite (Eq. 12). Core cells at the rim keep their pressure during the sweeps. The order is
// fixed: x, y, z, each in two colours; no two faces of a colour share a stress.
//
// Smoothing is a sequence of stages: c becomes p, six stages for each sweep, the residual, p
// becomes c. They are pipelined plane by plane (pl_grid_run_wave): faces of a plane read the
// adjacent planes and change pressures of the plane below.
//
// Band faces are relaxed by whole chunks or one by one. On an irregular body a chunk has one or two
// band faces across an axis: an armadillo of 277 000 cells has 87 000 such faces in 19 000 chunks,
// and vectors would process sixteen times as many.
#include "base/memory.h"
#include "grid/grid_linear_kernels.h"
#include "grid/grid_linear_level.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------ setup

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
// bits of a chunk's faces in a list of single faces: those of one colour, which is one half of it
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

// Walls only make the band stiffer. A smaller diagonal would not affect the shear coupling with
// other components, and a level that is too soft for some motion of a thin part would be worse than
// one that is too stiff.
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
    if (l->band_count) // without a band there is no array to index
        memset(l->band_residual, 0, (size_t)l->band_count * sizeof *l->band_residual);
}

// ------------------------------------------------------------------ sweeps

// r = f - L u at the faces across a of half a chunk
PL_WIDE pl_half residual_half(const pl_grid_linear_level* l, const pl_grid_band_chunk* b, int a,
                              int half) {
    const int at = b->begin + half * PL_HALF, none = PL_NO_AXIS;
    const float* u = l->u[a];
    const pl_half_i stresses = pl_load_bytes_half(b->stresses[a] + half * PL_HALF);
    const pl_half own = pl_load_half(u + at);
    pl_half up = 2.0f * (pl_band_half(u, b, half, a, none) - own) - pl_load_half(l->c + at);
    pl_half down =
        2.0f * (own - pl_band_half(u, b, half, none, a)) - pl_band_half(l->c, b, half, none, a);
    pl_half sum = pl_keep_flag_half(stresses, 1, up) - pl_keep_flag_half(stresses, 0, down);
#pragma GCC unroll 2
    for (int e = 0; e < 2; e++) {
        const int other = pl_grid_other_axis(a, e);
        const float* v = l->u[other];
        pl_half over = pl_band_half(u, b, half, other, none) - own +
                       (pl_band_half(v, b, half, other, none) - pl_band_half(v, b, half, other, a));
        pl_half under = own - pl_band_half(u, b, half, none, other) +
                        (pl_load_half(v + at) - pl_band_half(v, b, half, none, a));
        sum += pl_keep_flag_half(stresses, 2 * e + 3, over) -
               pl_keep_flag_half(stresses, 2 * e + 2, under);
    }
    pl_half diagonal = pl_splat_half(l->inertia);
    if (b->is_stiff[a]) diagonal += pl_load_half(b->stiffness[a] + half * PL_HALF);
    return pl_load_half(l->f[a] + at) + diagonal * own - sum;
}

// a b + c, with the rounding of pl_fma_half
static inline float fma_one(float a, float b, float c) {
#if defined(__FMA__) && defined(__AVX__)
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

PL_WIDE void add_product(float* to, pl_half a, pl_half b) {
    pl_store_half(to, pl_fma_half(a, b, pl_load_half(to)));
}
// response of a half's pressures to a change of the adjacent faces across a
PL_WIDE pl_half rate_half(const pl_grid_band_chunk* b, int a, int half) {
    return pl_keep_flag_half(pl_load_bytes_half(b->cells + half * PL_HALF), a,
                             pl_load_half(b->compliance + half * PL_HALF));
}

// Updates the pressures of slaved cells next to the changed faces of a half: the cells above the
// faces, which are in the same half, and those below. Across x the latter are in the other half,
// and the one before the first face of even x may be in the previous chunk.
PL_WIDE void move_pressures(const pl_grid_linear_level* l, const pl_grid_band_chunk* b, int a,
                            int half, pl_half change) {
    float *chunk = l->c + b->begin, *own = chunk + half * PL_HALF;
    if (b->has_own[a]) add_product(own, change, rate_half(b, a, half));
    if (a == 0) {
        const pl_half above = half ? change : pl_unshift_half(change, (pl_half){0});
        if (b->has_own[0])
            add_product(chunk + (1 - half) * PL_HALF, -above, rate_half(b, 0, 1 - half));
        if (!half && change[0] != 0.0f) chunk[-1] = fma_one(-change[0], b->low[0][0], chunk[-1]);
    } else if (b->has_low[a]) {
        float* low = l->c + b->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW] + half * PL_HALF;
        add_product(low, -change, pl_load_half(b->low[a] + half * PL_HALF));
    }
}

// The faces of a colour are one half; their neighbours across a have the other colour.
PL_WIDE void relax_half(pl_grid_linear_level* l, const pl_grid_band_chunk* b, int a, int half) {
    const unsigned bits = pl_bits_of_half(b->faces[a], half);
    if (!bits) return;
    // zero where there is no band face
    const pl_half inverse = pl_load_half(b->inverse_diagonal[a] + half * PL_HALF);
    const pl_half change = -residual_half(l, b, a, half) * pl_keep_half(bits, inverse);
    float* to = l->u[a] + b->begin + half * PL_HALF;
    pl_store_half(to, pl_load_half(to) + change);
    move_pressures(l, b, a, half, change);
}
PL_WIDE void relax_chunk(pl_grid_linear_level* l, int k, int a, int colour) {
    const pl_grid_band_chunk* b = &l->band[k];
    if (b->is_odd != (colour == 1)) relax_half(l, b, a, 1);
    else relax_half(l, b, a, 0);
}

// c becomes p: eliminated in slaved cells, div(u) - c at the rim
static void begin_chunk(pl_grid_linear_level* l, const pl_grid_band_chunk* b) {
    pl_half made[2];
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        const int at = b->begin + h * PL_HALF;
        const pl_half_i cells = pl_load_bytes_half(b->cells + h * PL_HALF);
        const pl_half old = pl_load_half(l->c + at), g = pl_load_half(l->g + at);
        const pl_half x = pl_band_difference(l, b, h, 0), y = pl_band_difference(l, b, h, 1),
                      z = pl_band_difference(l, b, h, 2);
        const pl_half inside = pl_keep_flag_half(cells, 0, x) + pl_keep_flag_half(cells, 1, y) +
                               pl_keep_flag_half(cells, 2, z);
        pl_half slaved = (g - inside) * pl_load_half(b->compliance + h * PL_HALF);
        slaved = pl_select_half(pl_flag_half(cells, 3), slaved, old);
        made[h] = pl_select_half(pl_flag_half(cells, 4), x + y + z - old, slaved);
    }
    for (int h = 0; h < 2; h++) pl_store_half(l->c + b->begin + h * PL_HALF, made[h]);
}
static void end_chunk(pl_grid_linear_level* l, const pl_grid_band_chunk* b) {
    if (!b->has_rim) return;
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        float* c = l->c + b->begin + h * PL_HALF;
        const pl_half_i cells = pl_load_bytes_half(b->cells + h * PL_HALF);
        const pl_half p = pl_load_half(c), sum = pl_band_divergence(l, b, h, 7);
        pl_store_half(c, pl_select_half(pl_flag_half(cells, 4), sum - p, p));
    }
}

PL_WIDE void keep_residual(pl_grid_linear_level* l, int k, int a) {
    const pl_grid_band_chunk* b = &l->band[k];
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        const unsigned bits = pl_bits_of_half(b->faces[a], h);
        pl_half r = {0};
        if (bits) r = pl_keep_half(bits, residual_half(l, b, a, h));
        pl_store_half(l->band_residual[k][a] + h * PL_HALF, r);
    }
}

// ------------------------------------------------------------------ faces one by one

// weight 1 or 0 of each stress in the equation of a face, from the bits of pl_grid_band_chunk
#define PL_WEIGHTS(c)                                                                              \
    { (c) & 1, (c) >> 1 & 1, (c) >> 2 & 1, (c) >> 3 & 1, (c) >> 4 & 1, (c) >> 5 & 1, 0, 0 }
#define PL_WEIGHTS_4(c) PL_WEIGHTS(c), PL_WEIGHTS(c + 1), PL_WEIGHTS(c + 2), PL_WEIGHTS(c + 3)
#define PL_WEIGHTS_16(c)                                                                           \
    PL_WEIGHTS_4(c), PL_WEIGHTS_4(c + 4), PL_WEIGHTS_4(c + 8), PL_WEIGHTS_4(c + 12)
static const float weights[64][8] = {PL_WEIGHTS_16(0), PL_WEIGHTS_16(16), PL_WEIGHTS_16(32),
                                     PL_WEIGHTS_16(48)};

// the indices below and above a face, and above along one axis and below along another
PL_WIDE int face_below(const pl_grid_single_face* b, int a) {
    return a == 0 ? b->at + b->low_x : b->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW];
}
PL_WIDE int face_above(const pl_grid_single_face* b, int a) {
    return a == 0 ? b->at + b->high_x : b->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
}
PL_WIDE int face_corner(const pl_grid_single_face* b, int up, int down) {
    if (down == 0) return face_above(b, up) + b->low_x;
    return up == 0 ? face_below(b, down) + b->high_x : b->rows[4];
}

// like residual_half, with the same bits
PL_WIDE float face_residual(const pl_grid_linear_level* l, const pl_grid_single_face* b, int a) {
    const float *u = l->u[a], *p = l->c, *w = weights[b->stresses];
    const int at = b->at, low = face_below(b, a);
    const float own = u[at];
    float sum = w[1] * (2.0f * (u[face_above(b, a)] - own) - p[at]) -
                w[0] * (2.0f * (own - u[low]) - p[low]);
    for (int e = 0; e < 2; e++) {
        const int other = pl_grid_other_axis(a, e);
        const float* v = l->u[other];
        const int high = face_above(b, other);
        float over = u[high] - own + (v[high] - v[face_corner(b, other, a)]);
        float under = own - u[face_below(b, other)] + (v[at] - v[low]);
        sum += w[2 * e + 3] * over - w[2 * e + 2] * under;
    }
    return l->f[a][at] + b->diagonal * own - sum;
}

float pl_grid_single_face_residual(const pl_grid_linear_level* l, const pl_grid_single_face* b,
                                   int a) {
    return a == 0   ? face_residual(l, b, 0)
           : a == 1 ? face_residual(l, b, 1)
                    : face_residual(l, b, 2);
}

PL_WIDE void relax_faces(pl_grid_linear_level* l, const pl_grid_single_face* b,
                         const pl_grid_single_face* end, int a) {
    for (; b < end; b++) {
        const float change = -face_residual(l, b, a) * b->inverse_diagonal;
        float *p = l->c + b->at, *p_low = l->c + face_below(b, a);
        l->u[a][b->at] += change;
        *p = fma_one(change, b->own, *p);
        *p_low = fma_one(-change, b->low, *p_low);
    }
}

PL_WIDE void keep_faces(pl_grid_linear_level* l, const pl_grid_single_face* b,
                        const pl_grid_single_face* end, int a) {
    float* kept = &l->band_residual[0][0][0];
    for (; b < end; b++) kept[b->kept] = face_residual(l, b, a);
}

// ------------------------------------------------------------------ order

typedef struct band_plan {
    int sweeps;
    bool keeps_residual;
} band_plan;

typedef enum band_stage {
    BEGIN = -1,
    // 0 to 5: axis and colour
    RESIDUAL = 6,
    END
} band_stage;

static int stage_at(const band_plan* plan, int stage) {
    if (stage == 0) return BEGIN;
    if (stage <= 6 * plan->sweeps) return (stage - 1) % 6;
    return plan->keeps_residual && stage == 6 * plan->sweeps + 1 ? RESIDUAL : END;
}

// offsets of rows in a list
static const int* places(const pl_grid_linear_level* l, int list) {
    return l->row_lists +
           (size_t)list * ((size_t)l->layout->size[1] * (size_t)l->layout->size[2] + 1);
}

PL_WIDE void relax_rows(pl_grid_linear_level* l, int row, int end, int a, int colour) {
    const int *dense = places(l, PL_BAND_FACES + a), *faces = places(l, 2 * a + colour);
    for (int n = dense[row]; n < dense[end]; n++) relax_chunk(l, l->band_dense[n], a, colour);
    relax_faces(l, l->band_faces + faces[row], l->band_faces + faces[end], a);
}

PL_WIDE void keep_rows(pl_grid_linear_level* l, int row, int end, int a) {
    const int* dense = places(l, PL_BAND_FACES + a);
    for (int n = dense[row]; n < dense[end]; n++) keep_residual(l, l->band_dense[n], a);
    for (int colour = 0; colour < 2; colour++) {
        const int* faces = places(l, 2 * a + colour);
        keep_faces(l, l->band_faces + faces[row], l->band_faces + faces[end], a);
    }
}

// runs one stage on rows of the level
static void run_stage(pl_grid_linear_level* l, int stage, int row, int end) {
    const int k = l->row_band[row], k_end = l->row_band[end];
    if (k == k_end) return;
    switch (stage) {
    case BEGIN:
        for (int n = k; n < k_end; n++) begin_chunk(l, &l->band[n]);
        break;
    case 0: relax_rows(l, row, end, 0, 0); break;
    case 1: relax_rows(l, row, end, 0, 1); break;
    case 2: relax_rows(l, row, end, 1, 0); break;
    case 3: relax_rows(l, row, end, 1, 1); break;
    case 4: relax_rows(l, row, end, 2, 0); break;
    case 5: relax_rows(l, row, end, 2, 1); break;
    case RESIDUAL:
        keep_rows(l, row, end, 0), keep_rows(l, row, end, 1), keep_rows(l, row, end, 2);
        break;
    default:
        for (int n = k; n < k_end; n++) end_chunk(l, &l->band[n]);
        break;
    }
}

enum { STRIP_CELLS = 2560 }; // the chunks of a strip stay in the cache

static void run_rows(pl_grid_linear_level* l, int stage, int z, int y_begin, int y_end,
                     void* user) {
    run_stage(l, stage_at(user, stage), z * l->layout->size[1] + y_begin,
              z * l->layout->size[1] + y_end);
}

void pl_grid_band_smooth(pl_grid_linear_level* level, int sweeps, bool keeps_residual,
                         pl_pool* pool) {
    band_plan plan = {sweeps, keeps_residual};
    int strip = STRIP_CELLS / (level->layout->size[0] + 1) + 4;
    pl_grid_wave wave = {run_rows, &plan, 2 + 6 * sweeps + keeps_residual, strip, level->row_band};
    pl_grid_run_wave(level, &wave, pool);
}

// ------------------------------------------------------------------ stage by stage

static void run_everywhere(pl_grid_linear_level* level, int stage) {
    run_stage(level, stage, 0, level->layout->size[1] * level->layout->size[2]);
}
void pl_grid_band_sweep(pl_grid_linear_level* level) {
    for (int stage = 0; stage < 6; stage++) run_everywhere(level, stage);
}
void pl_grid_band_begin(pl_grid_linear_level* level) { run_everywhere(level, BEGIN); }
void pl_grid_band_end(pl_grid_linear_level* level) { run_everywhere(level, END); }
void pl_grid_band_residual(pl_grid_linear_level* level) { run_everywhere(level, RESIDUAL); }
