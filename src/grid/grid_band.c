// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gauss-Seidel near boundaries (Zhu 2010, section 5.3): boundary stresses are left out, and in
// interior cells that are not core the pressure is what its equation makes of the positions,
// p = (g - sum of the interior D_a u_a) / (mu/lambda + half the number of boundary stresses), so
// that the equations are symmetric and definite (Eq. 12). Core cells at the rim keep their pressure
// during the sweeps. The order is fixed: x, y, z, each in two colours, within which no two faces
// share a stress.
//
// A smoothing is a row of stages: c becomes p, six for each sweep, the residual, p becomes c. They
// follow one another plane by plane (grid_wavefront.h): faces of a plane read the planes next to it
// and move pressures of the plane below.
#include "grid/grid_smooth.h"
#include "grid/grid_wavefront.h"
#include "grid/grid_wide.h"

#include <string.h>

enum { CHUNKS = 64, VECTORS = PL_GRID_CHUNK / PL_LANES };

// the index of the cell below or above the first one of a chunk along an axis
PL_WIDE int below(const pl_grid_band_chunk* b, int a) {
    return a == 0 ? b->begin - 1 : b->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW];
}
PL_WIDE int above(const pl_grid_band_chunk* b, int a) {
    return a == 0 ? b->begin + 1 : b->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
}
// above along one axis and below along another
PL_WIDE int corner(const pl_grid_band_chunk* b, int up, int down) {
    if (down == 0) return above(b, up) - 1;
    if (up == 0) return below(b, down) + 1;
    return b->rows[up == 2 ? PL_ROW_Y_LOW_Z_HIGH : PL_ROW_Y_HIGH_Z_LOW];
}

// r = f - L u at faces across a
PL_WIDE pl_fw residual_w(const pl_grid_level* l, const pl_grid_band_chunk* b, int a, bool stiff,
                         int n) {
    const float* u = l->u[a] + n;
    const float* p = l->c + n;
    const int at = b->begin, low = below(b, a);
    pl_fw own = pl_loadu_w(u + at);
    pl_fw up = 2.0f * (pl_loadu_w(u + above(b, a)) - own) - pl_loadu_w(p + at);
    pl_fw down = 2.0f * (own - pl_loadu_w(u + low)) - pl_loadu_w(p + low);
    pl_fw sum = pl_keep_w(b->stress[a][1], n, up) - pl_keep_w(b->stress[a][0], n, down);
    for (int e = 0; e < 2; e++) {
        const int other = e ? (a == 2 ? 1 : 2) : (a == 0 ? 1 : 0);
        const float* v = l->u[other] + n;
        const int high = above(b, other);
        pl_fw over = pl_loadu_w(u + high) - own +
                     (pl_loadu_w(v + high) - pl_loadu_w(v + corner(b, other, a)));
        pl_fw under =
            own - pl_loadu_w(u + below(b, other)) + (pl_loadu_w(v + at) - pl_loadu_w(v + low));
        sum += pl_keep_w(b->edge[a][2 * e + 1], n, over) - pl_keep_w(b->edge[a][2 * e], n, under);
    }
    pl_fw diagonal = pl_splat_w(l->inertia);
    if (stiff) diagonal += pl_loadu_w(b->stiffness[a] + n);
    return pl_loadu_w(l->f[a] + at + n) + diagonal * own - sum;
}

// Moves the pressures of slaved cells beside faces that have changed.
PL_WIDE void move_pressures(pl_grid_level* l, const pl_grid_band_chunk* b,
                            const pl_grid_band_rates* r, int a, const pl_fw change[VECTORS]) {
    for (int n = 0; n < VECTORS && r->has_own[a]; n++) {
        float* p = l->c + b->begin + n * PL_LANES;
        pl_storeu_w(p, pl_fma_w(change[n], pl_loadu_w(r->own[a] + n * PL_LANES), pl_loadu_w(p)));
    }
    for (int n = 0; n < VECTORS && r->has_low[a]; n++) {
        float* p = l->c + below(b, a) + n * PL_LANES;
        pl_storeu_w(p, pl_fnma_w(change[n], pl_loadu_w(r->low[a] + n * PL_LANES), pl_loadu_w(p)));
    }
}

// All lanes are read before the first one is written: neighbours are of the other colour.
PL_WIDE void relax_chunk(pl_grid_level* l, int k, int a, int colour) {
    const pl_grid_band_chunk* b = &l->band[k];
    const pl_grid_band_rates* r = &l->band_rates[k];
    const uint16_t bits = r->faces[a] & (colour ? b->odd : (uint16_t)~b->odd);
    if (!bits) return;
    pl_fw change[VECTORS];
    for (int n = 0; n < VECTORS; n++)
        change[n] =
            -residual_w(l, b, a, r->is_stiff[a], n * PL_LANES) *
            pl_keep_w(bits, n * PL_LANES, pl_loadu_w(b->inverse_diagonal[a] + n * PL_LANES));
    for (int n = 0; n < VECTORS; n++) {
        float* to = l->u[a] + b->begin + n * PL_LANES;
        pl_storeu_w(to, pl_loadu_w(to) + change[n]);
    }
    move_pressures(l, b, r, a, change);
}

// sum of the differences across a cell, of all faces or of those without a boundary stress
PL_WIDE pl_fw divergence_w(const pl_grid_level* l, const pl_grid_band_chunk* b, int n, bool all) {
    pl_fw sum = pl_splat_w(0.0f);
    for (int a = 0; a < 3; a++) {
        pl_fw d = pl_loadu_w(l->u[a] + above(b, a) + n) - pl_loadu_w(l->u[a] + b->begin + n);
        sum += all ? d : pl_keep_w(b->cell_stress[a], n, d);
    }
    return sum;
}

// c becomes p: that of its equation in slaved cells, div(u) - c at the rim
static void begin_chunk(pl_grid_level* l, const pl_grid_band_chunk* b) {
    for (int n = 0; n < PL_GRID_CHUNK; n += PL_LANES) {
        float* c = l->c + b->begin + n;
        pl_fw old = pl_loadu_w(c), g = pl_loadu_w(l->g + b->begin + n);
        pl_fw slaved = (g - divergence_w(l, b, n, false)) * pl_loadu_w(b->compliance + n);
        pl_fw rim = divergence_w(l, b, n, true) - old;
        old = pl_select_w(pl_lanes_w(b->slaved, n), slaved, old);
        pl_storeu_w(c, pl_select_w(pl_lanes_w(b->rim, n), rim, old));
    }
}
static void end_chunk(pl_grid_level* l, const pl_grid_band_chunk* b) {
    for (int n = 0; b->rim && n < PL_GRID_CHUNK; n += PL_LANES) {
        float* c = l->c + b->begin + n;
        pl_fw p = pl_loadu_w(c), rim = divergence_w(l, b, n, true) - p;
        pl_storeu_w(c, pl_select_w(pl_lanes_w(b->rim, n), rim, p));
    }
}

PL_WIDE void keep_residual(pl_grid_level* l, int k, int a) {
    const pl_grid_band_rates* r = &l->band_rates[k];
    for (int n = 0; n < PL_GRID_CHUNK; n += PL_LANES)
        pl_storeu_w(l->band_residual[k][a] + n,
                    pl_keep_w(r->faces[a], n, residual_w(l, &l->band[k], a, r->is_stiff[a], n)));
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

static void run_chunk(pl_grid_level* l, int k, int stage) {
    switch (stage) {
    case BEGIN: begin_chunk(l, &l->band[k]); break;
    case 0: relax_chunk(l, k, 0, 0); break;
    case 1: relax_chunk(l, k, 0, 1); break;
    case 2: relax_chunk(l, k, 1, 0); break;
    case 3: relax_chunk(l, k, 1, 1); break;
    case 4: relax_chunk(l, k, 2, 0); break;
    case 5: relax_chunk(l, k, 2, 1); break;
    case RESIDUAL: keep_residual(l, k, 0), keep_residual(l, k, 1), keep_residual(l, k, 2); break;
    default: end_chunk(l, &l->band[k]); break;
    }
}

enum { STRIP_CELLS = 2560 }; // so that the chunks of a strip stay in the cache

static void run_rows(pl_grid_level* l, int stage, int z, int y_begin, int y_end, void* user) {
    const int* row = l->row_band + (size_t)z * (size_t)l->size[1];
    if (row[y_begin] == row[y_end]) return;
    int s = stage_at(user, stage);
    for (int k = row[y_begin]; k < row[y_end]; k++) run_chunk(l, k, s);
}

void pl_grid_band_smooth(pl_grid_level* level, int sweeps, bool keeps_residual, pl_pool* pool) {
    band_plan plan = {sweeps, keeps_residual};
    int strip = STRIP_CELLS / (level->size[0] + 1) + 4;
    pl_grid_wave wave = {run_rows, &plan, 2 + 6 * sweeps + keeps_residual, strip};
    pl_grid_run_wave(level, &wave, pool);
}

// ------------------------------------------------------------------ one by one

void pl_grid_band_sweep(pl_grid_level* level) {
    for (int stage = 0; stage < 6; stage++)
        for (int k = 0; k < level->band_count; k++) run_chunk(level, k, stage);
}
void pl_grid_band_begin(pl_grid_level* level) {
    for (int k = 0; k < level->band_count; k++) run_chunk(level, k, BEGIN);
}
void pl_grid_band_end(pl_grid_level* level) {
    for (int k = 0; k < level->band_count; k++) run_chunk(level, k, END);
}
void pl_grid_band_residual(pl_grid_level* level) {
    for (int k = 0; k < level->band_count; k++) run_chunk(level, k, RESIDUAL);
}

// ------------------------------------------------------------------ coefficients

// what the pressure of a cell loses when a face across a moves away from it
static float rate_of(const pl_grid_level* l, int index, int a) {
    const pl_grid_masks* m = &l->masks[index / PL_GRID_CHUNK];
    if (!pl_grid_bit(m->interior & (uint16_t)~m->core & m->stress[a], index)) return 0.0f;
    int boundary = 0;
    for (int b = 0; b < 3; b++) boundary += !pl_grid_bit(m->stress[b], index);
    return 1.0f / (l->compressibility + 0.5f * (float)boundary);
}

static void set_rates(const pl_grid_level* l, int k) {
    const pl_grid_band_chunk* b = &l->band[k];
    const pl_grid_masks* m = &l->masks[b->begin / PL_GRID_CHUNK];
    pl_grid_band_rates* r = &l->band_rates[k];
    *r = (pl_grid_band_rates){0};
    for (int a = 0; a < 3; a++) {
        r->faces[a] = m->face[a] & (uint16_t)~m->inner[a];
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            r->is_stiff[a] |= b->stiffness[a][i] != 0.0f;
            if (!(r->faces[a] >> i & 1)) continue;
            r->own[a][i] = rate_of(l, b->begin + i, a);
            r->low[a][i] = rate_of(l, below(b, a) + i, a);
            r->has_own[a] |= r->own[a][i] != 0.0f;
            r->has_low[a] |= r->low[a][i] != 0.0f;
        }
    }
}

void pl_grid_level_pack(pl_grid_level* level) {
    for (int k = 0; k < level->band_count; k++) set_rates(level, k);
    for (int k = 0; k < level->wall_count; k++) {
        memcpy(level->wall_q[k][0], level->walls[k].closed, sizeof level->wall_q[k][0]);
        memcpy(level->wall_q[k][1], level->walls[k].inverse[3], sizeof level->wall_q[k][1]);
    }
}
