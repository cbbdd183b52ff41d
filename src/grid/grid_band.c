// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gauss-Seidel near boundaries (Zhu 2010, section 5.3): boundary stresses are left out, and in
// interior cells that are not core the pressure is what its equation makes of the positions,
// p = (g - sum of the interior D_a u_a) / (mu/lambda + half the number of boundary stresses), so
// that the equations are symmetric and definite (Eq. 12). Core cells at the rim keep their pressure
// during the sweeps. The order is fixed: x, y, z, each in two colours, within which no two faces
// share a stress.
#include "grid/grid_smooth.h"
#include "grid/grid_wide.h"

enum { CHUNKS = 64, PLANES = 4 }; // of a block of work

typedef struct band_job {
    pl_grid_level* level;
    int axis;
    int colour;
    int parity; // of slabs
} band_job;

// Where the stencil of a face across a finds its neighbours, relative to the fields.
typedef struct reach {
    int own, low, high; // the face, and the next ones across a
    int side[2][2];     // along the other axes b: below, above
    int corner[2];      // u_b above along b, and below along a
    int axis[2];        // the other axes
} reach;

PL_WIDE reach reach_of(const pl_grid_band_chunk* b, int a) {
    const int at = b->begin, *row = b->rows;
    switch (a) {
    case 0:
        return (reach){
            at,
            at - 1,
            at + 1,
            {{row[PL_ROW_Y_LOW], row[PL_ROW_Y_HIGH]}, {row[PL_ROW_Z_LOW], row[PL_ROW_Z_HIGH]}},
            {row[PL_ROW_Y_HIGH] - 1, row[PL_ROW_Z_HIGH] - 1},
            {1, 2}};
    case 1:
        return (reach){at,
                       row[PL_ROW_Y_LOW],
                       row[PL_ROW_Y_HIGH],
                       {{at - 1, at + 1}, {row[PL_ROW_Z_LOW], row[PL_ROW_Z_HIGH]}},
                       {row[PL_ROW_Y_LOW] + 1, row[PL_ROW_Y_LOW_Z_HIGH]},
                       {0, 2}};
    default:
        return (reach){at,
                       row[PL_ROW_Z_LOW],
                       row[PL_ROW_Z_HIGH],
                       {{at - 1, at + 1}, {row[PL_ROW_Y_LOW], row[PL_ROW_Y_HIGH]}},
                       {row[PL_ROW_Z_LOW] + 1, row[PL_ROW_Y_HIGH_Z_LOW]},
                       {0, 1}};
    }
}

// r = f - L u at faces across a
PL_WIDE pl_fw residual_w(const pl_grid_level* l, const pl_grid_band_chunk* b, int a, const reach* t,
                         int n) {
    const float* u = l->u[a];
    pl_fw own = pl_loadu_w(u + t->own + n);
    pl_fw up = 2.0f * (pl_loadu_w(u + t->high + n) - own) - pl_loadu_w(l->c + t->own + n);
    pl_fw down = 2.0f * (own - pl_loadu_w(u + t->low + n)) - pl_loadu_w(l->c + t->low + n);
    pl_fw sum = pl_keep_w(b->stress[a][1], n, up) - pl_keep_w(b->stress[a][0], n, down);
    for (int e = 0; e < 2; e++) {
        const float* v = l->u[t->axis[e]];
        pl_fw above = pl_loadu_w(u + t->side[e][1] + n) - own +
                      (pl_loadu_w(v + t->side[e][1] + n) - pl_loadu_w(v + t->corner[e] + n));
        pl_fw under = own - pl_loadu_w(u + t->side[e][0] + n) +
                      (pl_loadu_w(v + t->own + n) - pl_loadu_w(v + t->low + n));
        sum += pl_keep_w(b->edge[a][2 * e + 1], n, above) - pl_keep_w(b->edge[a][2 * e], n, under);
    }
    return pl_loadu_w(l->f[a] + t->own + n) + (l->inertia + pl_loadu_w(b->stiffness[a] + n)) * own -
           sum;
}

PL_WIDE void relax_chunk(pl_grid_level* l, const pl_grid_band_chunk* b, int a, uint16_t bits) {
    reach t = reach_of(b, a);
    for (int n = 0; n < PL_GRID_CHUNK; n += PL_LANES) {
        pl_fw change = -residual_w(l, b, a, &t, n) *
                       pl_keep_w(bits, n, pl_loadu_w(b->inverse_diagonal[a] + n));
        float* to = l->u[a] + t.own + n;
        pl_storeu_w(l->q + t.own + n, change);
        pl_storeu_w(to, pl_loadu_w(to) + change);
    }
}

// the pressure of slaved cells after faces across a moved by q
PL_WIDE void follow_chunk(pl_grid_level* l, const pl_grid_band_chunk* b, int a) {
    int high = a == 0 ? b->begin + 1 : b->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
    for (int n = 0; n < PL_GRID_CHUNK; n += PL_LANES) {
        pl_fw change = pl_loadu_w(l->q + high + n) - pl_loadu_w(l->q + b->begin + n);
        float* p = l->c + b->begin + n;
        pl_fw rate = pl_keep_w(b->cell_stress[a], n, pl_loadu_w(b->compliance + n));
        pl_storeu_w(p, pl_fnma_w(change, rate, pl_loadu_w(p)));
    }
}

// The planes of every second slab: stores are of whole vectors, so that slabs which run at the same
// time must not read one another's planes.
static void relax_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const band_job* job = user;
    pl_grid_level* l = job->level;
    for (int slab = 2 * begin + job->parity; slab < 2 * end + job->parity; slab += 2) {
        int first = slab * PLANES, last = first + PLANES;
        if (first > l->size[2]) first = l->size[2];
        if (last > l->size[2]) last = l->size[2];
        for (int k = l->band_rows[first]; k < l->band_rows[last]; k++) {
            const pl_grid_band_chunk* b = &l->band[k];
            uint16_t bits = job->colour ? b->odd : (uint16_t)~b->odd;
            switch (job->axis) {
            case 0: relax_chunk(l, b, 0, bits); break;
            case 1: relax_chunk(l, b, 1, bits); break;
            default: relax_chunk(l, b, 2, bits); break;
            }
        }
    }
}

static void follow_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const band_job* job = user;
    for (int k = begin; k < end; k++) follow_chunk(job->level, &job->level->band[k], job->axis);
}

void pl_grid_band_sweep(pl_grid_level* level, pl_pool* pool) {
    band_job job = {.level = level};
    int pairs = (level->size[2] + 2 * PLANES - 1) / (2 * PLANES);
    for (job.axis = 0; job.axis < 3; job.axis++)
        for (job.colour = 0; job.colour < 2; job.colour++) {
            for (job.parity = 0; job.parity < 2; job.parity++)
                pl_parallel_for(pool, relax_task, pairs, 1, &job);
            pl_parallel_for(pool, follow_task, level->band_count, CHUNKS, &job);
        }
}

// sum of the differences across a cell, of all faces or of those without a boundary stress
PL_WIDE pl_fw divergence_w(const pl_grid_level* l, const pl_grid_band_chunk* b, int n, bool all) {
    const int high[3] = {b->begin + 1, b->rows[PL_ROW_Y_HIGH], b->rows[PL_ROW_Z_HIGH]};
    pl_fw sum = pl_splat_w(0.0f);
    for (int a = 0; a < 3; a++) {
        pl_fw d = pl_loadu_w(l->u[a] + high[a] + n) - pl_loadu_w(l->u[a] + b->begin + n);
        sum += all ? d : pl_keep_w(b->cell_stress[a], n, d);
    }
    return sum;
}

static void begin_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_grid_level* l = ((const band_job*)user)->level;
    for (int k = begin; k < end; k++) {
        const pl_grid_band_chunk* b = &l->band[k];
        for (int n = 0; n < PL_GRID_CHUNK; n += PL_LANES) {
            float* c = l->c + b->begin + n;
            pl_fw old = pl_loadu_w(c), g = pl_loadu_w(l->g + b->begin + n);
            pl_fw slaved = (g - divergence_w(l, b, n, false)) * pl_loadu_w(b->compliance + n);
            pl_fw rim = divergence_w(l, b, n, true) - old;
            old = pl_select_w(pl_lanes_w(b->slaved, n), slaved, old);
            pl_storeu_w(c, pl_select_w(pl_lanes_w(b->rim, n), rim, old));
        }
    }
}

static void end_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_grid_level* l = ((const band_job*)user)->level;
    for (int k = begin; k < end; k++) {
        const pl_grid_band_chunk* b = &l->band[k];
        for (int n = 0; n < PL_GRID_CHUNK; n += PL_LANES) {
            float* c = l->c + b->begin + n;
            pl_fw p = pl_loadu_w(c);
            pl_fw rim = divergence_w(l, b, n, true) - p;
            pl_storeu_w(c, pl_select_w(pl_lanes_w(b->rim, n), rim, p));
        }
    }
}

static void residual_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_grid_level* l = ((const band_job*)user)->level;
    for (int k = begin; k < end; k++) {
        const pl_grid_band_chunk* b = &l->band[k];
        const pl_grid_masks* m = &l->masks[b->begin / PL_GRID_CHUNK];
        for (int a = 0; a < 3; a++) {
            reach t = reach_of(b, a);
            for (int n = 0; n < PL_GRID_CHUNK; n += PL_LANES)
                pl_storeu_w(l->r[a] + t.own + n,
                            pl_keep_w(m->face[a], n, residual_w(l, b, a, &t, n)));
        }
    }
}

static void keep_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_grid_level* l = ((const band_job*)user)->level;
    for (int k = begin; k < end; k++) {
        const pl_grid_band_chunk* b = &l->band[k];
        const pl_grid_masks* m = &l->masks[b->begin / PL_GRID_CHUNK];
        for (int a = 0; a < 3; a++) {
            reach t = reach_of(b, a);
            uint16_t bits = m->face[a] & (uint16_t)~m->inner[a];
            for (int n = 0; n < PL_GRID_CHUNK; n += PL_LANES)
                pl_storeu_w(l->band_residual[k][a] + n,
                            pl_keep_w(bits, n, residual_w(l, b, a, &t, n)));
        }
    }
}

void pl_grid_band_begin(pl_grid_level* level, pl_pool* pool) {
    pl_parallel_for(pool, begin_task, level->band_count, CHUNKS, &(band_job){.level = level});
}
void pl_grid_band_end(pl_grid_level* level, pl_pool* pool) {
    pl_parallel_for(pool, end_task, level->band_count, CHUNKS, &(band_job){.level = level});
}
void pl_grid_band_residual(pl_grid_level* level, pl_pool* pool) {
    pl_parallel_for(pool, residual_task, level->band_count, CHUNKS, &(band_job){.level = level});
}
void pl_grid_band_keep_residual(pl_grid_level* level, pl_pool* pool) {
    pl_parallel_for(pool, keep_task, level->band_count, CHUNKS, &(band_job){.level = level});
}
