// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Core cells whose equations differ from those far inside: next to Dirichlet cells (Zhu 2010,
// section 5.1), or next to soft faces of the band. Their chunks have wall records.
#include "base/memory.h"
#include "grid/grid_linear_level.h"

#include <math.h>
#include <string.h>

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

pl_status pl_grid_walls_create(pl_grid_linear_level* level, pl_error* error) {
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

void pl_grid_walls_free(pl_grid_linear_level* level) {
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
// soft that it moves by several times as much, and sweeps would diverge as nu approaches 1/2. So
// the diagonal of q accounts for the response of such faces.
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

void pl_grid_walls_set_coefficients(pl_grid_linear_level* level) {
    set_diagonals(level);
    add_soft_faces(level);
}
