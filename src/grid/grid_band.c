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

enum { VECTORS = PL_GRID_CHUNK / PL_LANES };

// the index of the cell below or above the first one of a chunk along an axis
PL_WIDE int below(const pl_grid_band_rates* b, int a) {
    return a == 0 ? b->begin - 1 : b->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW];
}
PL_WIDE int above(const pl_grid_band_rates* b, int a) {
    return a == 0 ? b->begin + 1 : b->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
}
// above along one axis and below along another
PL_WIDE int corner(const pl_grid_band_rates* b, int up, int down) {
    if (down == 0) return above(b, up) - 1;
    if (up == 0) return below(b, down) + 1;
    return b->rows[up == 2 ? PL_ROW_Y_LOW_Z_HIGH : PL_ROW_Y_HIGH_Z_LOW];
}

// r = f - L u at faces across a; stiffness may be NULL
PL_WIDE pl_fw residual_w(const pl_grid_level* l, const pl_grid_band_rates* b, int a,
                         const float* stiffness, int n) {
    const float* u = l->u[a] + n;
    const float* p = l->c + n;
    const int at = b->begin, low = below(b, a);
    const pl_iw stresses = pl_load_bytes_w(b->stresses[a] + n);
    pl_fw own = pl_loadu_w(u + at);
    pl_fw up = 2.0f * (pl_loadu_w(u + above(b, a)) - own) - pl_loadu_w(p + at);
    pl_fw down = 2.0f * (own - pl_loadu_w(u + low)) - pl_loadu_w(p + low);
    pl_fw sum = pl_keep_flag_w(stresses, 1, up) - pl_keep_flag_w(stresses, 0, down);
    for (int e = 0; e < 2; e++) {
        const int other = e ? (a == 2 ? 1 : 2) : (a == 0 ? 1 : 0);
        const float* v = l->u[other] + n;
        const int high = above(b, other);
        pl_fw over = pl_loadu_w(u + high) - own +
                     (pl_loadu_w(v + high) - pl_loadu_w(v + corner(b, other, a)));
        pl_fw under =
            own - pl_loadu_w(u + below(b, other)) + (pl_loadu_w(v + at) - pl_loadu_w(v + low));
        sum +=
            pl_keep_flag_w(stresses, 2 * e + 3, over) - pl_keep_flag_w(stresses, 2 * e + 2, under);
    }
    pl_fw diagonal = pl_splat_w(l->inertia);
    if (stiffness) diagonal += pl_loadu_w(stiffness + n);
    return pl_loadu_w(l->f[a] + at + n) + diagonal * own - sum;
}
PL_WIDE const float* stiffness_of(const pl_grid_level* l, int k, int a) {
    return l->band_rates[k].is_stiff[a] ? l->band[k].stiffness[a] : NULL;
}

// a b + c as pl_fma_w has it
static inline float fma_one(float a, float b, float c) {
#if defined(__FMA__) || defined(__FP_FAST_FMAF)
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

// Moves the pressures of slaved cells beside faces that have changed. Along x both faces of a cell
// are at hand, and only one of them is of the colour.
PL_WIDE void move_pressures(const pl_grid_level* l, const pl_grid_band_rates* b, int a,
                            const pl_fw change[VECTORS + 1]) {
    for (int n = 0; n < VECTORS && b->has_own[a]; n++) {
        float* p = l->c + b->begin + n * PL_LANES;
        pl_fw rate = pl_keep_flag_w(pl_load_bytes_w(b->cells + n * PL_LANES), a,
                                    pl_loadu_w(b->compliance + n * PL_LANES));
        pl_fw by = a == 0 ? change[n] - pl_next_lanes_w(change[n], change[n + 1]) : change[n];
        pl_storeu_w(p, pl_fma_w(by, rate, pl_loadu_w(p)));
    }
    if (a == 0) {
        float* p = l->c + b->begin - 1;
        if (change[0][0] != 0.0f) *p = fma_one(-change[0][0], b->low[0][0], *p);
        return;
    }
    for (int n = 0; n < VECTORS && b->has_low[a]; n++) {
        float* p = l->c + below(b, a) + n * PL_LANES;
        pl_storeu_w(p, pl_fnma_w(change[n], pl_loadu_w(b->low[a] + n * PL_LANES), pl_loadu_w(p)));
    }
}

// whether any of the faces of a vector is among the bits of a chunk
PL_WIDE bool has_faces(uint16_t bits, int n) {
    return bits >> (n * PL_LANES) & ((1u << PL_LANES) - 1u);
}

// All lanes are read before the first one is written: neighbours are of the other colour.
PL_WIDE void relax_chunk(pl_grid_level* l, int k, int a, int colour) {
    const pl_grid_band_rates* b = &l->band_rates[k];
    const uint16_t bits = b->faces[a] & (colour ? b->odd : (uint16_t)~b->odd);
    if (!bits) return;
    const float* stiffness = stiffness_of(l, k, a);
    pl_fw change[VECTORS + 1];
    change[VECTORS] = pl_splat_w(0.0f);
    for (int n = 0; n < VECTORS; n++) {
        change[n] = pl_splat_w(0.0f);
        if (has_faces(bits, n))
            change[n] =
                -residual_w(l, b, a, stiffness, n * PL_LANES) *
                pl_keep_w(bits, n * PL_LANES, pl_loadu_w(b->inverse_diagonal[a] + n * PL_LANES));
    }
    for (int n = 0; n < VECTORS; n++) {
        float* to = l->u[a] + b->begin + n * PL_LANES;
        if (has_faces(bits, n)) pl_storeu_w(to, pl_loadu_w(to) + change[n]);
    }
    move_pressures(l, b, a, change);
}

// the differences across a cell
PL_WIDE pl_fw difference_w(const pl_grid_level* l, const pl_grid_band_rates* b, int a, int n) {
    return pl_loadu_w(l->u[a] + above(b, a) + n) - pl_loadu_w(l->u[a] + b->begin + n);
}

// c becomes p: that of its equation in slaved cells, div(u) - c at the rim
static void begin_chunk(pl_grid_level* l, const pl_grid_band_rates* b) {
    for (int n = 0; n < PL_GRID_CHUNK; n += PL_LANES) {
        float* c = l->c + b->begin + n;
        const pl_iw cells = pl_load_bytes_w(b->cells + n);
        const pl_fw old = pl_loadu_w(c), g = pl_loadu_w(l->g + b->begin + n);
        const pl_fw x = difference_w(l, b, 0, n), y = difference_w(l, b, 1, n),
                    z = difference_w(l, b, 2, n);
        pl_fw inside =
            pl_keep_flag_w(cells, 0, x) + pl_keep_flag_w(cells, 1, y) + pl_keep_flag_w(cells, 2, z);
        pl_fw slaved = (g - inside) * pl_loadu_w(b->compliance + n);
        pl_fw rim = x + y + z - old;
        slaved = pl_select_w(pl_flag_w(cells, 3), slaved, old);
        pl_storeu_w(c, pl_select_w(pl_flag_w(cells, 4), rim, slaved));
    }
}
static void end_chunk(pl_grid_level* l, int k) {
    const pl_grid_band_rates* b = &l->band_rates[k];
    const uint16_t rim = l->band[k].rim;
    for (int n = 0; rim && n < PL_GRID_CHUNK; n += PL_LANES) {
        float* c = l->c + b->begin + n;
        pl_fw p = pl_loadu_w(c),
              sum = difference_w(l, b, 0, n) + difference_w(l, b, 1, n) + difference_w(l, b, 2, n);
        pl_storeu_w(c, pl_select_w(pl_lanes_w(rim, n), sum - p, p));
    }
}

PL_WIDE void keep_residual(pl_grid_level* l, int k, int a) {
    const pl_grid_band_rates* b = &l->band_rates[k];
    for (int n = 0; n < VECTORS; n++) {
        pl_fw r = pl_splat_w(0.0f);
        if (has_faces(b->faces[a], n))
            r = pl_keep_w(b->faces[a], n * PL_LANES,
                          residual_w(l, b, a, stiffness_of(l, k, a), n * PL_LANES));
        pl_storeu_w(l->band_residual[k][a] + n * PL_LANES, r);
    }
}

// ------------------------------------------------------------------ faces one by one

// weights of the stresses in the equation of a face, by the bits of pl_grid_band_face
#define PL_WEIGHTS(c)                                                                              \
    { (c) & 1, (c) >> 1 & 1, (c) >> 2 & 1, (c) >> 3 & 1, (c) >> 4 & 1, (c) >> 5 & 1, 0, 0 }
#define PL_WEIGHTS_4(c) PL_WEIGHTS(c), PL_WEIGHTS(c + 1), PL_WEIGHTS(c + 2), PL_WEIGHTS(c + 3)
#define PL_WEIGHTS_16(c)                                                                           \
    PL_WEIGHTS_4(c), PL_WEIGHTS_4(c + 4), PL_WEIGHTS_4(c + 8), PL_WEIGHTS_4(c + 12)
static const float weights[64][8] = {PL_WEIGHTS_16(0), PL_WEIGHTS_16(16), PL_WEIGHTS_16(32),
                                     PL_WEIGHTS_16(48)};

// the indices below and above a face, and above along one axis and below along another
PL_WIDE int face_below(const pl_grid_band_face* b, int a) {
    return a == 0 ? b->at - 1 : b->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW];
}
PL_WIDE int face_above(const pl_grid_band_face* b, int a) {
    return a == 0 ? b->at + 1 : b->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
}
PL_WIDE int face_corner(const pl_grid_band_face* b, int up, int down) {
    if (down == 0) return face_above(b, up) - 1;
    return up == 0 ? face_below(b, down) + 1 : b->rows[4];
}

// as residual_w, with the same bits
PL_WIDE float face_residual(const pl_grid_level* l, const pl_grid_band_face* b, int a) {
    const float *u = l->u[a], *p = l->c, *w = weights[b->stresses];
    const int at = b->at, low = face_below(b, a);
    const float own = u[at];
    float sum = w[1] * (2.0f * (u[face_above(b, a)] - own) - p[at]) -
                w[0] * (2.0f * (own - u[low]) - p[low]);
    for (int e = 0; e < 2; e++) {
        const int other = e ? (a == 2 ? 1 : 2) : (a == 0 ? 1 : 0);
        const float* v = l->u[other];
        const int high = face_above(b, other);
        float over = u[high] - own + (v[high] - v[face_corner(b, other, a)]);
        float under = own - u[face_below(b, other)] + (v[at] - v[low]);
        sum += w[2 * e + 3] * over - w[2 * e + 2] * under;
    }
    return l->f[a][at] + b->diagonal * own - sum;
}

PL_WIDE void relax_faces(pl_grid_level* l, const pl_grid_band_face* b, const pl_grid_band_face* end,
                         int a) {
    for (; b < end; b++) {
        const float change = -face_residual(l, b, a) * b->inverse_diagonal;
        float *p = l->c + b->at, *p_low = l->c + face_below(b, a);
        l->u[a][b->at] += change;
        *p = fma_one(change, b->own, *p);
        *p_low = fma_one(-change, b->low, *p_low);
    }
}

PL_WIDE void keep_faces(pl_grid_level* l, const pl_grid_band_face* b, const pl_grid_band_face* end,
                        int a) {
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

// the places of rows in a list
static const int* places(const pl_grid_level* l, int list) {
    return l->row_lists + (size_t)list * ((size_t)l->size[1] * (size_t)l->size[2] + 1);
}

PL_WIDE void relax_rows(pl_grid_level* l, int row, int end, int a, int colour) {
    const int *dense = places(l, PL_BAND_FACES + a), *faces = places(l, 2 * a + colour);
    for (int n = dense[row]; n < dense[end]; n++) relax_chunk(l, l->band_dense[n], a, colour);
    relax_faces(l, l->band_faces + faces[row], l->band_faces + faces[end], a);
}

PL_WIDE void keep_rows(pl_grid_level* l, int row, int end, int a) {
    const int* dense = places(l, PL_BAND_FACES + a);
    for (int n = dense[row]; n < dense[end]; n++) keep_residual(l, l->band_dense[n], a);
    for (int colour = 0; colour < 2; colour++) {
        const int* faces = places(l, 2 * a + colour);
        keep_faces(l, l->band_faces + faces[row], l->band_faces + faces[end], a);
    }
}

// one stage on rows of the level
static void run_stage(pl_grid_level* l, int stage, int row, int end) {
    const int k = l->row_band[row], k_end = l->row_band[end];
    if (k == k_end) return;
    switch (stage) {
    case BEGIN:
        for (int n = k; n < k_end; n++) begin_chunk(l, &l->band_rates[n]);
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
        for (int n = k; n < k_end; n++) end_chunk(l, n);
        break;
    }
}

enum { STRIP_CELLS = 2560 }; // so that the chunks of a strip stay in the cache

static void run_rows(pl_grid_level* l, int stage, int z, int y_begin, int y_end, void* user) {
    run_stage(l, stage_at(user, stage), z * l->size[1] + y_begin, z * l->size[1] + y_end);
}

void pl_grid_band_smooth(pl_grid_level* level, int sweeps, bool keeps_residual, pl_pool* pool) {
    band_plan plan = {sweeps, keeps_residual};
    int strip = STRIP_CELLS / (level->size[0] + 1) + 4;
    pl_grid_wave wave = {run_rows, &plan, 2 + 6 * sweeps + keeps_residual, strip, level->row_band};
    pl_grid_run_wave(level, &wave, pool);
}

// ------------------------------------------------------------------ stage by stage

static void run_everywhere(pl_grid_level* level, int stage) {
    run_stage(level, stage, 0, level->size[1] * level->size[2]);
}
void pl_grid_band_sweep(pl_grid_level* level) {
    for (int stage = 0; stage < 6; stage++) run_everywhere(level, stage);
}
void pl_grid_band_begin(pl_grid_level* level) { run_everywhere(level, BEGIN); }
void pl_grid_band_end(pl_grid_level* level) { run_everywhere(level, END); }
void pl_grid_band_residual(pl_grid_level* level) { run_everywhere(level, RESIDUAL); }

// ------------------------------------------------------------------ coefficients

// what the pressure of a cell loses when a face across a moves away from it
static float rate_of(const pl_grid_level* l, int index, int a) {
    const pl_grid_masks* m = &l->masks[index / PL_GRID_CHUNK];
    if (!pl_grid_bit(m->interior & (uint16_t)~m->core & m->stress[a], index)) return 0.0f;
    int boundary = 0;
    for (int b = 0; b < 3; b++) boundary += !pl_grid_bit(m->stress[b], index);
    return 1.0f / (l->compressibility + 0.5f * (float)boundary);
}

static void set_face(const pl_grid_level* l, const pl_grid_band_chunk* b, pl_grid_band_rates* r,
                     int a, int i) {
    for (int side = 0; side < 2; side++)
        r->stresses[a][i] |= (uint8_t)((b->stress[a][side] >> i & 1) << side);
    for (int e = 0; e < 4; e++) r->stresses[a][i] |= (uint8_t)((b->edge[a][e] >> i & 1) << (2 + e));
    if (b->slaved & b->cell_stress[a] & 1 << i) {
        r->cells[i] |= (uint8_t)(1 << a);
        r->has_own[a] |= b->compliance[i] != 0.0f;
    }
    r->is_stiff[a] |= b->stiffness[a][i] != 0.0f;
    r->inverse_diagonal[a][i] = b->inverse_diagonal[a][i];
    if (r->faces[a] >> i & 1) r->low[a][i] = rate_of(l, below(r, a) + i, a);
    r->has_low[a] |= r->low[a][i] != 0.0f;
}

static void set_rates(const pl_grid_level* l, int k) {
    const pl_grid_band_chunk* b = &l->band[k];
    const pl_grid_masks* m = &l->masks[b->begin / PL_GRID_CHUNK];
    pl_grid_band_rates* r = &l->band_rates[k];
    *r = (pl_grid_band_rates){.begin = b->begin, .odd = b->odd};
    memcpy(r->rows, b->rows, sizeof r->rows);
    memcpy(r->compliance, b->compliance, sizeof r->compliance);
    for (int i = 0; i < PL_GRID_CHUNK; i++)
        r->cells[i] = (uint8_t)((b->slaved >> i & 1) << 3 | (b->rim >> i & 1) << 4);
    for (int a = 0; a < 3; a++) {
        r->faces[a] = m->face[a] & (uint16_t)~m->inner[a];
        for (int i = 0; i < PL_GRID_CHUNK; i++) set_face(l, b, r, a, i);
    }
}

void pl_grid_level_pack(pl_grid_level* level) {
    for (int k = 0; k < level->band_count; k++) set_rates(level, k);
    pl_grid_band_list_pack(level);
    for (int k = 0; k < level->wall_count; k++) {
        memcpy(level->wall_q[k][0], level->walls[k].closed, sizeof level->wall_q[k][0]);
        memcpy(level->wall_q[k][1], level->walls[k].inverse[3], sizeof level->wall_q[k][1]);
    }
}
