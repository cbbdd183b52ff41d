// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Distributive smoothing of the interior (Zhu 2010, Eq. 6 and 7, Algorithm 2), in units where mu
// and the edge of a cell are 1.
//
//   paper     here
//   delta     what a relaxation adds
//   psi, q    the auxiliary variables; only q is ever formed
//   mu/lambda compressibility
//   c / mu    inertia (section 8)
//
// Where we differ: with c = div(phi) - p stored in place of p, a change of psi_i alters phi_i alone
// and leaves c as it is, and equation i reads lap(phi_i) + D_i c - kappa phi_i = f_i. So the three
// sweeps over positions are red-black Gauss-Seidel sweeps of three Poisson equations that do not
// see one another, and the sweep over pressures is one more for q from zero, after which
// phi -= grad q and c += lap q - kappa q. The result is that of the paper's gather and scatter in
// red-black order, at a fraction of the work. Sweeps are over-relaxed (see OVER), which the paper's
// lexicographic order does not need. Cells next to Dirichlet cells are core cells too: there the
// equations of positions hold as they stand, and q has no flow through faces that are given; point
// sweeps with substituted pressures would fail there as nu approaches 1/2.
#include "grid/grid_smooth.h"
#include "grid/grid_wide.h"

enum { ROWS = 8 }; // of a block of work
// Over-relaxation of the red-black sweeps, of positions and of q: 1.0 gives a rate of 0.34 at
// nu = 0.49 on the box of the bench, 1.1 gives 0.30, 1.2 gives 0.27, 1.25 gives 0.26.
static const float OVER = 1.2f;

// the record of a chunk next to Dirichlet cells, or NULL
static inline const pl_grid_wall_chunk* wall_of(const int* index, const pl_grid_wall_chunk* walls,
                                                int n) {
    int k = index[n / PL_GRID_CHUNK];
    return k < 0 ? NULL : &walls[k];
}

// A field along a segment and in the four rows beside it; kept in registers, since stores through
// wide pointers make the compiler read the segment again.
typedef struct lines {
    const float *own, *y_low, *y_high, *z_low, *z_high;
} lines;
PL_WIDE lines lines_of(const float* a, const pl_grid_segment* g) {
    return (lines){a + g->begin, a + g->rows[PL_ROW_Y_LOW], a + g->rows[PL_ROW_Y_HIGH],
                   a + g->rows[PL_ROW_Z_LOW], a + g->rows[PL_ROW_Z_HIGH]};
}
// the sum of the six neighbours
PL_WIDE pl_fw neighbours_w(lines a, int n) {
    return pl_loadu_w(a.own + n - 1) + pl_loadu_w(a.own + n + 1) +
           (pl_loadu_w(a.y_low + n) + pl_loadu_w(a.y_high + n)) +
           (pl_loadu_w(a.z_low + n) + pl_loadu_w(a.z_high + n));
}

// the index of the cell below along an axis
static inline int below(const pl_grid_segment* g, int a) {
    return a == 0 ? g->begin - 1 : g->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW];
}
static inline int above(const pl_grid_segment* g, int a) {
    return a == 0 ? g->begin + 1 : g->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
}

static void relax_faces(pl_grid_level* l, const pl_grid_segment* g, int colour) {
    const pl_grid_masks* m = &l->masks[g->begin / PL_GRID_CHUNK];
    const int *index = &l->wall_index[g->begin / PL_GRID_CHUNK], end = g->count * PL_GRID_CHUNK;
    const pl_grid_wall_chunk* walls = l->walls;
    const uint16_t bits = pl_colour_bits(g->y, g->z, colour);
    const pl_fw scale = pl_splat_w(1.0f / (6.0f + l->inertia));
    const pl_fw over = pl_splat_w(OVER);
    for (int a = 0; a < 3; a++) {
        const lines u = lines_of(l->u[a], g);
        float* out = l->u[a] + g->begin;
        const float *f = l->f[a] + g->begin, *c = l->c + g->begin, *c_low = l->c + below(g, a);
        for (int n = 0; n < end; n += PL_LANES) {
            pl_fw s = neighbours_w(u, n) + (pl_loadu_w(c + n) - pl_loadu_w(c_low + n)) -
                      pl_loadu_w(f + n);
            pl_iw here = pl_lanes_w(m[n / PL_GRID_CHUNK].inner[a] & bits, n % PL_GRID_CHUNK);
            const pl_grid_wall_chunk* wall = wall_of(index, walls, n);
            s *= wall ? pl_loadu_w(wall->inverse[a] + n % PL_GRID_CHUNK) : scale;
            pl_fw old = pl_loadu_w(out + n);
            pl_storeu_w(out + n, pl_select_w(here, pl_fma_w(over, s - old, old), old));
        }
    }
}

// The faces of the cells of a segment.
typedef struct sides {
    const float *low[3], *high[3];
} sides;
PL_WIDE sides sides_of(const pl_grid_level* l, const pl_grid_segment* g) {
    return (sides){{l->u[0] + g->begin, l->u[1] + g->begin, l->u[2] + g->begin},
                   {l->u[0] + above(g, 0), l->u[1] + above(g, 1), l->u[2] + above(g, 2)}};
}
// the sum of differences of u over a cell
PL_WIDE pl_fw divergence_w(sides s, int n) {
    return (pl_loadu_w(s.high[0] + n) - pl_loadu_w(s.low[0] + n)) +
           (pl_loadu_w(s.high[1] + n) - pl_loadu_w(s.low[1] + n)) +
           (pl_loadu_w(s.high[2] + n) - pl_loadu_w(s.low[2] + n));
}

// q = residual of the pressure equation over its diagonal; final in cells of the first colour
static void start_q(pl_grid_level* l, const pl_grid_segment* g) {
    const pl_grid_masks* m = &l->masks[g->begin / PL_GRID_CHUNK];
    const int *index = &l->wall_index[g->begin / PL_GRID_CHUNK], end = g->count * PL_GRID_CHUNK;
    const pl_grid_wall_chunk* walls = l->walls;
    float eps = l->compressibility, diagonal = 6.0f * (1.0f + 2.0f * eps) + eps * l->inertia;
    const sides faces = sides_of(l, g);
    const float *g_own = l->g + g->begin, *c_own = l->c + g->begin;
    float* out = l->q + g->begin;
    for (int n = 0; n < end; n += PL_LANES) {
        pl_fw r = pl_fnma_w(pl_splat_w(1.0f + eps), divergence_w(faces, n), pl_loadu_w(g_own + n)) +
                  eps * pl_loadu_w(c_own + n);
        const pl_grid_wall_chunk* wall = wall_of(index, walls, n);
        r *= OVER * (wall ? pl_loadu_w(wall->inverse[3] + n % PL_GRID_CHUNK)
                          : pl_splat_w(1.0f / diagonal));
        pl_storeu_w(out + n, pl_keep_w(m[n / PL_GRID_CHUNK].core, n % PL_GRID_CHUNK, r));
    }
}

static void relax_q(pl_grid_level* l, const pl_grid_segment* g) {
    const pl_grid_masks* m = &l->masks[g->begin / PL_GRID_CHUNK];
    const int *index = &l->wall_index[g->begin / PL_GRID_CHUNK], end = g->count * PL_GRID_CHUNK;
    const pl_grid_wall_chunk* walls = l->walls;
    const uint16_t bits = pl_colour_bits(g->y, g->z, 1);
    float eps = l->compressibility, diagonal = 6.0f * (1.0f + 2.0f * eps) + eps * l->inertia;
    const pl_fw scale = pl_splat_w(1.0f / diagonal);
    const lines q = lines_of(l->q, g);
    float* out = l->q + g->begin;
    for (int n = 0; n < end; n += PL_LANES) {
        pl_fw old = pl_loadu_w(q.own + n);
        const pl_grid_wall_chunk* wall = wall_of(index, walls, n);
        // the part of the neighbours is not over-relaxed: 0.270 against 0.274 at nu = 0.49
        pl_fw factor =
            (1.0f + 2.0f * eps) * (wall ? pl_loadu_w(wall->inverse[3] + n % PL_GRID_CHUNK) : scale);
        pl_fw s = pl_fma_w(neighbours_w(q, n), factor, old);
        pl_iw here = pl_lanes_w(m[n / PL_GRID_CHUNK].core & bits, n % PL_GRID_CHUNK);
        pl_storeu_w(out + n, pl_select_w(here, s, old));
    }
}

static void distribute_q(pl_grid_level* l, const pl_grid_segment* g) {
    const pl_grid_masks* m = &l->masks[g->begin / PL_GRID_CHUNK];
    const int *index = &l->wall_index[g->begin / PL_GRID_CHUNK], end = g->count * PL_GRID_CHUNK;
    const pl_grid_wall_chunk* walls = l->walls;
    const pl_fw centre = pl_splat_w(6.0f + l->inertia);
    const lines q = lines_of(l->q, g);
    float* const out[3] = {l->u[0] + g->begin, l->u[1] + g->begin, l->u[2] + g->begin};
    const float* const low[3] = {q.own - 1, q.y_low, q.z_low};
    float* c_own = l->c + g->begin;
    for (int n = 0; n < end; n += PL_LANES) {
        pl_fw own = pl_loadu_w(q.own + n);
        for (int a = 0; a < 3; a++) {
            float* to = out[a] + n;
            pl_fw slope = own - pl_loadu_w(low[a] + n);
            pl_storeu_w(to, pl_loadu_w(to) -
                                pl_keep_w(m[n / PL_GRID_CHUNK].face[a], n % PL_GRID_CHUNK, slope));
        }
        pl_fw change = pl_fnma_w(centre, own, neighbours_w(q, n));
        const pl_grid_wall_chunk* wall = wall_of(index, walls, n);
        if (wall) change += own * pl_loadu_w(wall->closed + n % PL_GRID_CHUNK);
        float* c = c_own + n;
        pl_storeu_w(c, pl_loadu_w(c) +
                           pl_keep_w(m[n / PL_GRID_CHUNK].core, n % PL_GRID_CHUNK, change));
    }
}

// ------------------------------------------------------------------ order

// The five stages of a sweep. Stage s at a row reads what stage s - 1 made of the rows around it,
// and what it writes no earlier stage still needs once that is done: so all orders that respect
// this give the same bits, and rows are taken while they are in the cache.
enum { STAGES = 5, STRIP = 24, SLAB = 32 };

static void run_stage(pl_grid_level* l, int stage, int z, int y_begin, int y_end) {
    if (y_begin < 0) y_begin = 0;
    if (y_end > l->size[1]) y_end = l->size[1];
    if (y_begin >= y_end) return;
    const int* row = l->row_segments + (size_t)z * (size_t)l->size[1];
    for (int k = row[y_begin]; k < row[y_end]; k++) {
        const pl_grid_segment* g = &l->segments[k];
        switch (stage) {
        case 0: relax_faces(l, g, 0); break;
        case 1: relax_faces(l, g, 1); break;
        case 2: start_q(l, g); break;
        case 3: relax_q(l, g); break;
        default: distribute_q(l, g); break;
        }
    }
}

// the first and the last plane but one of a slab; slabs depend on the lattice only
static void slab_planes(const pl_grid_level* l, int slab, int* begin, int* end) {
    int count = l->size[2] / SLAB > 1 ? l->size[2] / SLAB : 1;
    *begin = (int)((int64_t)l->size[2] * slab / count);
    *end = (int)((int64_t)l->size[2] * (slab + 1) / count);
}

// A slab as far as it does not depend on its neighbours: each stage stops one plane earlier, the
// first one before the last plane, as stores are of whole vectors and the next slab reads that
// plane. Strips of rows and planes run one behind the other, stage by stage.
static void slab_task(int slab_begin, int slab_end, int worker, void* user) {
    (void)worker;
    pl_grid_level* l = user;
    for (int slab = slab_begin; slab < slab_end; slab++) {
        int begin, end;
        slab_planes(l, slab, &begin, &end);
        for (int y = 0; y - STAGES < l->size[1]; y += STRIP)
            for (int z = begin; z < end + STAGES; z++)
                for (int stage = 0; stage < STAGES; stage++) {
                    int low = begin == 0 ? 0 : begin + stage + 1;
                    int high = end == l->size[2] ? end : end - stage - 1;
                    if (z - stage >= low && z - stage < high)
                        run_stage(l, stage, z - stage, y - stage, y - stage + STRIP);
                }
    }
}

// what slabs left open at the plane between two of them
static void seam_task(int seam_begin, int seam_end, int worker, void* user) {
    (void)worker;
    pl_grid_level* l = user;
    for (int seam = seam_begin; seam < seam_end; seam++) {
        int begin, end;
        slab_planes(l, seam, &begin, &end);
        for (int stage = 0; stage < STAGES; stage++)
            for (int z = end - stage - 1; z < end + stage + 1; z++)
                run_stage(l, stage, z, 0, l->size[1]);
    }
}

void pl_grid_smooth_interior(pl_grid_level* level, pl_pool* pool) {
    int slabs = level->size[2] / SLAB > 1 ? level->size[2] / SLAB : 1;
    pl_parallel_for(pool, slab_task, slabs, 1, level);
    pl_parallel_for(pool, seam_task, slabs - 1, 1, level);
}

static void inner_residual(pl_grid_level* l, const pl_grid_segment* g) {
    const pl_grid_masks* m = &l->masks[g->begin / PL_GRID_CHUNK];
    const int *index = &l->wall_index[g->begin / PL_GRID_CHUNK], end = g->count * PL_GRID_CHUNK;
    const pl_grid_wall_chunk* walls = l->walls;
    const pl_fw centre = pl_splat_w(6.0f + l->inertia);
    for (int a = 0; a < 3; a++) {
        const lines u = lines_of(l->u[a], g);
        float* out = l->r[a] + g->begin;
        const float *f = l->f[a] + g->begin, *c = l->c + g->begin, *c_low = l->c + below(g, a);
        for (int n = 0; n < end; n += PL_LANES) {
            pl_fw s = pl_fnma_w(centre, pl_loadu_w(u.own + n), neighbours_w(u, n)) +
                      (pl_loadu_w(c + n) - pl_loadu_w(c_low + n));
            const pl_grid_wall_chunk* wall = wall_of(index, walls, n);
            if (wall)
                s -= pl_loadu_w(wall->stiffness[a] + n % PL_GRID_CHUNK) * pl_loadu_w(u.own + n);
            pl_iw here = pl_lanes_w(m[n / PL_GRID_CHUNK].inner[a], n % PL_GRID_CHUNK);
            float* to = out + n;
            pl_storeu_w(to, pl_select_w(here, pl_loadu_w(f + n) - s, pl_loadu_w(to)));
        }
    }
    float eps = l->compressibility;
    const sides faces = sides_of(l, g);
    const float *g_own = l->g + g->begin, *c_own = l->c + g->begin;
    float* q_out = l->q + g->begin;
    for (int n = 0; n < end; n += PL_LANES) {
        pl_fw r = pl_fnma_w(pl_splat_w(1.0f + eps), divergence_w(faces, n), pl_loadu_w(g_own + n)) +
                  eps * pl_loadu_w(c_own + n);
        pl_storeu_w(q_out + n, pl_keep_w(m[n / PL_GRID_CHUNK].core, n % PL_GRID_CHUNK, r));
    }
}
static void inner_residual_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_grid_level* l = user;
    for (int k = l->row_segments[begin]; k < l->row_segments[end]; k++)
        inner_residual(l, &l->segments[k]);
}

void pl_grid_interior_residual(pl_grid_level* level, pl_pool* pool) {
    pl_parallel_for(pool, inner_residual_task, level->size[1] * level->size[2], ROWS, level);
}
