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
static inline const pl_grid_wall_chunk* wall_of(const pl_grid_level* l, int at) {
    int k = l->wall_index[at / PL_GRID_CHUNK];
    return k < 0 ? NULL : &l->walls[k];
}

typedef struct sweep {
    pl_grid_level* level;
    int colour;
} sweep;

// the sum of the six neighbours
PL_WIDE pl_fw neighbours_w(const float* a, int at, const int* row, int i) {
    return pl_loadu_w(a + at + i - 1) + pl_loadu_w(a + at + i + 1) +
           (pl_loadu_w(a + row[PL_ROW_Y_LOW] + i) + pl_loadu_w(a + row[PL_ROW_Y_HIGH] + i)) +
           (pl_loadu_w(a + row[PL_ROW_Z_LOW] + i) + pl_loadu_w(a + row[PL_ROW_Z_HIGH] + i));
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
    const uint16_t bits = pl_colour_bits(g->y, g->z, colour);
    const pl_fw scale = pl_splat_w(1.0f / (6.0f + l->inertia));
    const pl_fw over = pl_splat_w(OVER);
    for (int a = 0; a < 3; a++) {
        float* restrict u = l->u[a];
        const float *f = l->f[a] + g->begin, *c = l->c + g->begin, *c_low = l->c + below(g, a);
        for (int n = 0; n < g->count * PL_GRID_CHUNK; n += PL_LANES) {
            pl_fw s = neighbours_w(u, g->begin, g->rows, n) +
                      (pl_loadu_w(c + n) - pl_loadu_w(c_low + n)) - pl_loadu_w(f + n);
            pl_iw here = pl_lanes_w(m[n / PL_GRID_CHUNK].inner[a] & bits, n % PL_GRID_CHUNK);
            const pl_grid_wall_chunk* wall = wall_of(l, g->begin + n);
            s = wall ? s / (6.0f + l->inertia + pl_loadu_w(wall->stiffness[a] + n % PL_GRID_CHUNK))
                     : s * scale;
            float* to = u + g->begin + n;
            pl_fw old = pl_loadu_w(to);
            pl_storeu_w(to, pl_select_w(here, pl_fma_w(over, s - old, old), old));
        }
    }
}

// the sum of differences of u over a cell
PL_WIDE pl_fw divergence_w(const pl_grid_level* l, const pl_grid_segment* g, int n) {
    pl_fw sum = pl_splat_w(0.0f);
    for (int a = 0; a < 3; a++)
        sum += pl_loadu_w(l->u[a] + above(g, a) + n) - pl_loadu_w(l->u[a] + g->begin + n);
    return sum;
}

// The diagonal of the equation for q. A face that is given lets nothing through: it has no part in
// the Laplacian of q.
PL_WIDE pl_fw q_diagonal_w(const pl_grid_level* l, const pl_grid_wall_chunk* wall, int n) {
    float eps = l->compressibility;
    pl_fw open = 6.0f - pl_loadu_w(wall->closed + n % PL_GRID_CHUNK);
    return (1.0f + 2.0f * eps) * open + eps * l->inertia;
}

// q = residual of the pressure equation over its diagonal; final in cells of the first colour
static void start_q(pl_grid_level* l, const pl_grid_segment* g) {
    const pl_grid_masks* m = &l->masks[g->begin / PL_GRID_CHUNK];
    float eps = l->compressibility, diagonal = 6.0f * (1.0f + 2.0f * eps) + eps * l->inertia;
    for (int n = 0; n < g->count * PL_GRID_CHUNK; n += PL_LANES) {
        pl_fw r = pl_fnma_w(pl_splat_w(1.0f + eps), divergence_w(l, g, n),
                            pl_loadu_w(l->g + g->begin + n)) +
                  eps * pl_loadu_w(l->c + g->begin + n);
        const pl_grid_wall_chunk* wall = wall_of(l, g->begin + n);
        r = wall ? r / pl_max_w(q_diagonal_w(l, wall, n), pl_splat_w(1e-6f))
                 : r * (1.0f / diagonal);
        r *= OVER;
        pl_storeu_w(l->q + g->begin + n,
                    pl_keep_w(m[n / PL_GRID_CHUNK].core, n % PL_GRID_CHUNK, r));
    }
}

static void relax_q(pl_grid_level* l, const pl_grid_segment* g) {
    const pl_grid_masks* m = &l->masks[g->begin / PL_GRID_CHUNK];
    const uint16_t bits = pl_colour_bits(g->y, g->z, 1);
    float eps = l->compressibility, diagonal = 6.0f * (1.0f + 2.0f * eps) + eps * l->inertia;
    const pl_fw scale = pl_splat_w((1.0f + 2.0f * eps) / diagonal);
    float* q = l->q;
    for (int n = 0; n < g->count * PL_GRID_CHUNK; n += PL_LANES) {
        pl_fw old = pl_loadu_w(q + g->begin + n);
        const pl_grid_wall_chunk* wall = wall_of(l, g->begin + n);
        pl_fw factor =
            wall ? (1.0f + 2.0f * eps) / pl_max_w(q_diagonal_w(l, wall, n), pl_splat_w(1e-6f))
                 : scale;
        pl_fw s = pl_fma_w(neighbours_w(q, g->begin, g->rows, n), factor, old);
        pl_iw here = pl_lanes_w(m[n / PL_GRID_CHUNK].core & bits, n % PL_GRID_CHUNK);
        pl_storeu_w(q + g->begin + n, pl_select_w(here, s, old));
    }
}

static void distribute_q(pl_grid_level* l, const pl_grid_segment* g) {
    const pl_grid_masks* m = &l->masks[g->begin / PL_GRID_CHUNK];
    const pl_fw centre = pl_splat_w(6.0f + l->inertia);
    const float* q = l->q;
    for (int n = 0; n < g->count * PL_GRID_CHUNK; n += PL_LANES) {
        pl_fw own = pl_loadu_w(q + g->begin + n);
        for (int a = 0; a < 3; a++) {
            float* to = l->u[a] + g->begin + n;
            pl_fw slope = own - pl_loadu_w(q + below(g, a) + n);
            pl_storeu_w(to, pl_loadu_w(to) -
                                pl_keep_w(m[n / PL_GRID_CHUNK].face[a], n % PL_GRID_CHUNK, slope));
        }
        pl_fw change = pl_fnma_w(centre, own, neighbours_w(q, g->begin, g->rows, n));
        const pl_grid_wall_chunk* wall = wall_of(l, g->begin + n);
        if (wall) change += own * pl_loadu_w(wall->closed + n % PL_GRID_CHUNK);
        float* c = l->c + g->begin + n;
        pl_storeu_w(c, pl_loadu_w(c) +
                           pl_keep_w(m[n / PL_GRID_CHUNK].core, n % PL_GRID_CHUNK, change));
    }
}

#define SEGMENT_TASK(name, call)                                                                   \
    static void name(int begin, int end, int worker, void* user) {                                 \
        (void)worker;                                                                              \
        sweep* s = user;                                                                           \
        pl_grid_level* l = s->level;                                                               \
        for (int k = l->row_segments[begin]; k < l->row_segments[end]; k++) {                      \
            const pl_grid_segment* g = &l->segments[k];                                            \
            call;                                                                                  \
        }                                                                                          \
    }
SEGMENT_TASK(relax_faces_task, relax_faces(l, g, s->colour))
SEGMENT_TASK(start_q_task, start_q(l, g))
SEGMENT_TASK(relax_q_task, relax_q(l, g))
SEGMENT_TASK(distribute_q_task, distribute_q(l, g))

void pl_grid_smooth_interior(pl_grid_level* level, pl_pool* pool) {
    int rows = level->size[1] * level->size[2];
    sweep s = {level, 0};
    for (s.colour = 0; s.colour < 2; s.colour++)
        pl_parallel_for(pool, relax_faces_task, rows, ROWS, &s);
    pl_parallel_for(pool, start_q_task, rows, ROWS, &s);
    pl_parallel_for(pool, relax_q_task, rows, ROWS, &s);
    pl_parallel_for(pool, distribute_q_task, rows, ROWS, &s);
}

static void inner_residual(pl_grid_level* l, const pl_grid_segment* g) {
    const pl_grid_masks* m = &l->masks[g->begin / PL_GRID_CHUNK];
    const pl_fw centre = pl_splat_w(6.0f + l->inertia);
    for (int a = 0; a < 3; a++) {
        const float* u = l->u[a];
        const float *f = l->f[a] + g->begin, *c = l->c + g->begin, *c_low = l->c + below(g, a);
        for (int n = 0; n < g->count * PL_GRID_CHUNK; n += PL_LANES) {
            pl_fw s = pl_fnma_w(centre, pl_loadu_w(u + g->begin + n),
                                neighbours_w(u, g->begin, g->rows, n)) +
                      (pl_loadu_w(c + n) - pl_loadu_w(c_low + n));
            const pl_grid_wall_chunk* wall = wall_of(l, g->begin + n);
            if (wall)
                s -= pl_loadu_w(wall->stiffness[a] + n % PL_GRID_CHUNK) *
                     pl_loadu_w(u + g->begin + n);
            pl_iw here = pl_lanes_w(m[n / PL_GRID_CHUNK].inner[a], n % PL_GRID_CHUNK);
            float* to = l->r[a] + g->begin + n;
            pl_storeu_w(to, pl_select_w(here, pl_loadu_w(f + n) - s, pl_loadu_w(to)));
        }
    }
    float eps = l->compressibility;
    for (int n = 0; n < g->count * PL_GRID_CHUNK; n += PL_LANES) {
        pl_fw r = pl_fnma_w(pl_splat_w(1.0f + eps), divergence_w(l, g, n),
                            pl_loadu_w(l->g + g->begin + n)) +
                  eps * pl_loadu_w(l->c + g->begin + n);
        pl_storeu_w(l->q + g->begin + n,
                    pl_keep_w(m[n / PL_GRID_CHUNK].core, n % PL_GRID_CHUNK, r));
    }
}
SEGMENT_TASK(inner_residual_task, inner_residual(l, g))

void pl_grid_interior_residual(pl_grid_level* level, pl_pool* pool) {
    pl_parallel_for(pool, inner_residual_task, level->size[1] * level->size[2], ROWS,
                    &(sweep){level, 0});
}
