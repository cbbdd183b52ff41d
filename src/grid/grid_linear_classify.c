// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Builds the band and wall records and the ghosts of a level (Zhu 2010, sections 5.1 and 5.3), and
// sets its coefficients.
#include "base/array.h"
#include "base/memory.h"
#include "grid/grid_linear_level.h"
#include "grid/grid_masks.h"

#include <math.h>
#include <string.h>

static const int shift[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// the cell before this one along an axis
static void step_back(const int at[3], int axis, int out[3]) {
    for (int a = 0; a < 3; a++) out[a] = at[a] - shift[axis][a];
}

// mask of a chunk's cells, shifted up or down along x
typedef enum mask_kind { STRESS, EDGE } mask_kind;
static uint16_t mask_at(const pl_grid_linear_level* level, int index, int a, mask_kind kind) {
    const pl_grid_masks* m = &level->layout->masks[index / PL_GRID_CHUNK];
    return kind == EDGE ? m->edge[a] : m->stress[a];
}
static uint16_t mask_above_x(const pl_grid_linear_level* level, int index, int a, mask_kind kind) {
    return (uint16_t)(mask_at(level, index, a, kind) >> 1 |
                      (mask_at(level, index + PL_GRID_CHUNK, a, kind) & 1) << 15);
}
static uint16_t mask_below_x(const pl_grid_linear_level* level, int index, int a, mask_kind kind) {
    return (uint16_t)(mask_at(level, index, a, kind) << 1 |
                      mask_at(level, index - PL_GRID_CHUNK, a, kind) >> 15);
}

// faces across x meet edges along z (towards y) and along y (towards z), and so on
static void gather_edges(const pl_grid_linear_level* level, const pl_grid_band_chunk* b,
                         mask_kind kind, uint16_t out[3][4]) {
    const int *row = b->rows, at = b->begin;
    for (int n = 0; n < 3; n++) {
        static const int axes[3][2] = {{2, 1}, {2, 0}, {1, 0}};
        out[n][0] = mask_at(level, at, axes[n][0], kind);
        out[n][2] = mask_at(level, at, axes[n][1], kind);
    }
    out[0][1] = mask_at(level, row[PL_ROW_Y_HIGH], 2, kind);
    out[0][3] = mask_at(level, row[PL_ROW_Z_HIGH], 1, kind);
    out[1][1] = mask_above_x(level, at, 2, kind);
    out[1][3] = mask_at(level, row[PL_ROW_Z_HIGH], 0, kind);
    out[2][1] = mask_above_x(level, at, 1, kind);
    out[2][3] = mask_at(level, row[PL_ROW_Y_HIGH], 0, kind);
}

static void fill_band_chunk(const pl_grid_linear_level* level, const pl_grid_segment* g, int chunk,
                            pl_grid_band_chunk* out) {
    int offset = chunk * PL_GRID_CHUNK, at = g->begin + offset;
    const pl_grid_masks* m = &level->layout->masks[at / PL_GRID_CHUNK];
    *out = (pl_grid_band_chunk){.begin = at,
                                .odd = (g->y + g->z) & 1 ? 0x5555 : 0xaaaa,
                                .slaved = m->interior & (uint16_t)~m->core,
                                .rim = m->rim};
    for (int r = 0; r < PL_ROW_COUNT; r++) out->rows[r] = g->rows[r] + offset;
    const int* row = out->rows;
    for (int a = 0; a < 3; a++) out->cell_stress[a] = out->stress[a][1] = m->stress[a];
    out->stress[0][0] = mask_below_x(level, at, 0, STRESS);
    out->stress[1][0] = mask_at(level, row[PL_ROW_Y_LOW], 1, STRESS);
    out->stress[2][0] = mask_at(level, row[PL_ROW_Z_LOW], 2, STRESS);
    gather_edges(level, out, EDGE, out->edge);
}

static void count_walls(const pl_grid_linear_level* level, const pl_grid_segment* g, int chunk,
                        pl_grid_wall_chunk* out) {
    pl_grid_band_chunk b;
    fill_band_chunk(level, g, chunk, &b);
    const int high[3] = {b.begin + 1, b.rows[PL_ROW_Y_HIGH], b.rows[PL_ROW_Z_HIGH]};
    const int low[3] = {b.begin - 1, b.rows[PL_ROW_Y_LOW], b.rows[PL_ROW_Z_LOW]};
    for (int i = 0; i < PL_GRID_CHUNK; i++)
        for (int a = 0; a < 3; a++) {
            for (int side = 0; side < 2; side++) {
                int at = (side ? high : low)[a] + i;
                out->closed[pl_place_of(i)] +=
                    pl_grid_bit(level->layout->masks[at / PL_GRID_CHUNK].dirichlet, at);
            }
        }
}

// Stiffness of a face between the first two layers at a flat side, without pressures: two for P_aa
// of the inner cell, one for each edge.
enum { FLAT_STIFFNESS = 6 };

// Marks the band faces that are softer than that, one bit per axis.
static void mark_soft_faces(const pl_grid_linear_level* level, uint8_t* soft) {
    for (int k = 0; k < level->band_count; k++) {
        const pl_grid_band_chunk* b = &level->band[k];
        const pl_grid_masks* m = &level->layout->masks[b->begin / PL_GRID_CHUNK];
        for (int n = 0; n < 3 * PL_GRID_CHUNK; n++) {
            int a = n / PL_GRID_CHUNK, i = n % PL_GRID_CHUNK;
            int sum = 2 * (b->stress[a][0] >> i & 1) + 2 * (b->stress[a][1] >> i & 1);
            for (int e = 0; e < 4; e++) sum += b->edge[a][e] >> i & 1;
            if (((m->face[a] & ~m->inner[a]) >> i & 1) && sum < FLAT_STIFFNESS)
                soft[b->begin + i] |= (uint8_t)(1 << a);
        }
    }
}

// whether a chunk has core cells next to soft faces or next to Dirichlet cells (the latter have all
// inner faces next to prescribed ones)
static bool has_wall(const pl_grid_masks* m, const pl_grid_wall_chunk* wall,
                     const pl_grid_segment* g, int chunk, const uint8_t* soft) {
    for (int i = 0; i < PL_GRID_CHUNK; i++) {
        int n = chunk * PL_GRID_CHUNK + i;
        if (!(m->core >> i & 1)) continue;
        if (wall->closed[pl_place_of(i)] > 0.0f || soft[g->begin + n] ||
            (soft[g->begin + n + 1] & 1) || (soft[g->rows[PL_ROW_Y_HIGH] + n] & 2) ||
            (soft[g->rows[PL_ROW_Z_HIGH] + n] & 4))
            return true;
    }
    return false;
}

static pl_status list_wall_chunks(pl_grid_linear_level* level, const uint8_t* soft,
                                  pl_error* error) {
    pl_array list = pl_array_of(sizeof(pl_grid_wall_chunk));
    for (int s = 0; s < level->layout->segment_count; s++) {
        const pl_grid_segment* g = &level->layout->segments[s];
        for (int c = 0; c < g->count; c++) {
            int chunk = g->begin / PL_GRID_CHUNK + c;
            pl_grid_wall_chunk wall = {0};
            count_walls(level, g, c, &wall);
            if (!has_wall(&level->layout->masks[chunk], &wall, g, c, soft)) continue;
            level->wall_index[chunk] = (int)list.count;
            if (!pl_array_push(&list, &wall)) {
                pl_array_free(&list);
                return pl_fail_memory(error, "a lattice");
            }
        }
    }
    void* data = NULL;
    int count = (int)list.count;
    if (!pl_array_take(&list, &data)) {
        pl_array_free(&list);
        return pl_fail_memory(error, "a lattice");
    }
    level->walls = data, level->wall_count = count;
    return PL_OK;
}

static pl_status list_walls(pl_grid_linear_level* level, pl_error* error) {
    int chunk_count = level->layout->field_size / PL_GRID_CHUNK;
    level->wall_index = PL_ALLOC(int, chunk_count);
    if (!level->wall_index) return pl_fail_memory(error, "a lattice");
    for (int c = 0; c < chunk_count; c++) level->wall_index[c] = -1;
    uint8_t* soft = PL_ALLOC(uint8_t, level->layout->field_size);
    if (!soft) return pl_fail_memory(error, "a lattice");
    mark_soft_faces(level, soft);
    pl_status status = list_wall_chunks(level, soft, error);
    PL_FREE(soft, uint8_t, level->layout->field_size);
    return status;
}

static bool is_of_band(const pl_grid_masks* m) {
    for (int a = 0; a < 3; a++)
        if (m->face[a] & ~m->inner[a]) return true;
    return (m->interior & ~m->core) || m->rim;
}

static pl_status list_band(pl_grid_linear_level* level, pl_error* error) {
    int count = 0;
    for (int c = 0; c < level->layout->field_size / PL_GRID_CHUNK; c++)
        count += is_of_band(&level->layout->masks[c]);
    level->band = PL_ALLOC(pl_grid_band_chunk, count);
    if (!level->band && count) return pl_fail_memory(error, "a lattice");
    for (int s = 0; s < level->layout->segment_count; s++) {
        const pl_grid_segment* g = &level->layout->segments[s];
        for (int c = 0; c < g->count; c++)
            if (is_of_band(&level->layout->masks[g->begin / PL_GRID_CHUNK + c]))
                fill_band_chunk(level, g, c, &level->band[level->band_count++]);
    }
    return PL_OK;
}

// ------------------------------------------------------------------ ghosts

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

static pl_status list_ghosts(pl_grid_linear_level* level, const pl_grid_cells* cells,
                             const pl_grid_bits* bits, pl_error* error) {
    ghost_maker m = {.level = level, .cells = cells, .list = pl_array_of(sizeof(pl_grid_ghost))};
    pl_status status = make_ghosts(&m, bits, error);
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

// Wall stiffness of faces near Dirichlet cells of the finest level, see grid_wall_distance.c.
static void take_walls(pl_grid_linear_level* level) {
    float* const* wall = level->layout->wall;
    if (!wall[0]) return;
    level->has_stiff_walls = level->wall_count > 0;
    for (int c = 0; c < level->layout->field_size / PL_GRID_CHUNK; c++)
        for (int n = 0; n < 3 * PL_GRID_CHUNK && level->wall_index[c] >= 0; n++) {
            int a = n / PL_GRID_CHUNK, i = n % PL_GRID_CHUNK;
            level->walls[level->wall_index[c]].stiffness[a][pl_place_of(i)] =
                wall[a][c * PL_GRID_CHUNK + i];
        }
    for (int k = 0; k < level->band_count; k++)
        for (int n = 0; n < 3 * PL_GRID_CHUNK; n++) {
            int a = n / PL_GRID_CHUNK, i = n % PL_GRID_CHUNK;
            pl_grid_band_chunk* b = &level->band[k];
            // The band only ever becomes stiffer. A reduction of the diagonal would not apply to
            // the shear coupling with other components, and a level that gives way to some motion
            // of a thin part would be worse than one that holds it too close.
            b->wall[a][i] = b->stiffness[a][i] = fmaxf(wall[a][b->begin + i], 0.0f);
        }
}

pl_status pl_grid_linear_level_classify(pl_grid_linear_level* level, const pl_grid_cells* cells,
                                        pl_error* error) {
    pl_grid_bits bits;
    pl_status status = list_band(level, error);
    if (status == PL_OK) status = list_walls(level, error);
    if (status == PL_OK) status = pl_grid_bits_create(level->layout, cells, &bits, error);
    if (status != PL_OK) return status;
    status = list_ghosts(level, cells, &bits, error);
    pl_grid_bits_free(&bits);
    take_walls(level);
    return status;
}

// ------------------------------------------------------------------ coefficients

// stiffness of P_aa in a cell at its face: 2, plus that of a slaved pressure
static float cell_stiffness(const pl_grid_linear_level* level, int index, int a) {
    const pl_grid_masks* m = &level->layout->masks[index / PL_GRID_CHUNK];
    if (!pl_grid_bit(m->stress[a], index)) return 0.0f;
    if (pl_grid_bit(m->core, index)) return 2.0f;
    int boundary = 0;
    for (int b = 0; b < 3; b++) boundary += !pl_grid_bit(m->stress[b], index);
    return 2.0f + 1.0f / (level->compressibility + 0.5f * (float)boundary);
}

void pl_grid_linear_level_set_stiffness(pl_grid_linear_level* level, float* const stiffness[3]) {
    for (int k = 0; k < level->band_count; k++) {
        pl_grid_band_chunk* b = &level->band[k];
        const pl_grid_masks* m = &level->layout->masks[b->begin / PL_GRID_CHUNK];
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < PL_GRID_CHUNK; i++)
                b->stiffness[a][i] =
                    b->wall[a][i] + ((m->face[a] & ~m->inner[a]) >> i & 1
                                         ? fmaxf(stiffness[a][pl_place_of(b->begin + i)], 0.0f)
                                         : 0.0f);
    }
}

// A prescribed face has no flux and is left out of the Laplacian of q.
static void set_wall_diagonals(pl_grid_linear_level* level) {
    float eps = level->compressibility;
    for (int k = 0; k < level->wall_count; k++) {
        pl_grid_wall_chunk* w = &level->walls[k];
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            for (int a = 0; a < 3; a++)
                w->inverse[a][i] = 1.0f / (6.0f + level->inertia + w->stiffness[a][i]);
            float q = (1.0f + 2.0f * eps) * (6.0f - w->closed[i]) + eps * level->inertia;
            w->inverse[3][i] = q > 0.0f ? 1.0f / q : 0.0f;
        }
    }
}

// Between two sweeps the band responds to the pressure of adjacent core cells: each band face moves
// by the pressure over the face's stiffness, while the distribution moved it by q and the pressure
// by 12 q. Faces of a flat side are stiff enough. At corners and in thin limbs a face may be so
// soft that it moves by several times as much, and sweeps would diverge as nu approaches 1/2. So
// the diagonal of q accounts for the response of such faces.
static void add_soft_faces(pl_grid_linear_level* level) {
    for (int a = 0; a < 3; a++) {
        memset(level->q, 0, (size_t)level->layout->field_size * sizeof(float));
        for (int k = 0; k < level->band_count; k++)
            for (int i = 0; i < PL_GRID_CHUNK; i++)
                level->q[level->band[k].begin + i] =
                    fmaxf(level->band[k].inverse_diagonal[a][i] - 1.0f / FLAT_STIFFNESS, 0.0f);
        for (int k = 0; k < level->band_count; k++) {
            const pl_grid_band_chunk* b = &level->band[k];
            int wall = level->wall_index[b->begin / PL_GRID_CHUNK];
            const int high[3] = {b->begin + 1, b->rows[PL_ROW_Y_HIGH], b->rows[PL_ROW_Z_HIGH]};
            for (int i = 0; wall >= 0 && i < PL_GRID_CHUNK; i++) {
                float excess = 12.0f * (level->q[b->begin + i] + level->q[high[a] + i]);
                float* inverse = &level->walls[wall].inverse[3][pl_place_of(i)];
                if (b->rim >> i & 1 && excess > 0.0f) *inverse /= 1.0f + excess * *inverse;
            }
        }
    }
    memset(level->q, 0, (size_t)level->layout->field_size * sizeof(float));
}

void pl_grid_linear_level_set_material(pl_grid_linear_level* level, double compressibility,
                                       double inertia) {
    level->compressibility = (float)compressibility;
    level->inertia = (float)inertia;
    set_wall_diagonals(level);
    for (int k = 0; k < level->band_count; k++) {
        pl_grid_band_chunk* b = &level->band[k];
        const pl_grid_masks* m = &level->layout->masks[b->begin / PL_GRID_CHUNK];
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            int boundary = 0;
            for (int a = 0; a < 3; a++) boundary += !(b->cell_stress[a] >> i & 1);
            b->compliance[i] = b->slaved >> i & 1
                                   ? 1.0f / (level->compressibility + 0.5f * (float)boundary)
                                   : 0.0f;
            const int below[3] = {b->begin + i - 1, b->rows[PL_ROW_Y_LOW] + i,
                                  b->rows[PL_ROW_Z_LOW] + i};
            for (int a = 0; a < 3; a++) {
                float diagonal = level->inertia + b->stiffness[a][i] +
                                 cell_stiffness(level, b->begin + i, a) +
                                 cell_stiffness(level, below[a], a);
                for (int e = 0; e < 4; e++) diagonal += (float)(b->edge[a][e] >> i & 1);
                bool own = (m->face[a] & ~m->inner[a]) >> i & 1;
                b->inverse_diagonal[a][i] = own && diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
            }
        }
    }
    add_soft_faces(level);
    pl_grid_linear_level_pack(level);
}
