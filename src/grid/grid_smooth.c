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
#include "grid/grid_rows.h"

// Over-relaxation of the red-black sweeps, of positions and of q: 1.0 gives a rate of 0.34 at
// nu = 0.49 on the box of the bench, 1.1 gives 0.30, 1.2 gives 0.27, 1.25 gives 0.26.
static const float OVER = 1.2f;

// A vector of a row and those one cell further down and up. A row that is written is read one
// vector ahead: of what the store before has changed only lanes of the own colour are seen, which
// nobody uses, and a load that straddles a store still under way would wait for it.
typedef struct triple {
    pl_fw low, own, high;
} triple;
PL_WIDE triple triple_at(const float* p) {
    return (triple){pl_loadu_w(p - 1), pl_loadu_w(p), pl_loadu_w(p + 1)};
}

// the cells of a colour among those of a mask
PL_WIDE pl_iw coloured_w(pl_iw fixed, uint16_t mask, uint16_t bits, int n, bool dense) {
    if (PL_LANES > 1 && (dense || mask == 0xffff)) return fixed;
    return pl_lanes_w(dense ? bits : mask & bits, n % PL_GRID_CHUNK);
}

PL_WIDE void relax_axis(pl_grid_level* l, const pl_grid_run* g, int a, int colour, bool dense) {
    const int end = g->count * PL_GRID_CHUNK;
    const uint16_t bits = pl_colour_bits(g->odd_y, g->odd_z, colour);
    const pl_iw fixed = pl_lanes_w(bits, 0);
    const pl_fw scale = pl_splat_w(OVER / (6.0f + l->inertia)), over = pl_splat_w(OVER);
    const pl_fw rest = pl_splat_w(1.0f - OVER);
    const lines u = lines_of(l->u[a], g);
    float* out = l->u[a] + g->begin;
    const float *f = l->f[a] + g->begin, *c = l->c + g->begin, *c_low = l->c + below(g, a);
    triple next = triple_at(out);
    for (int n = 0; n < end; n += PL_LANES) {
        triple x = next;
        pl_fw s = x.low + x.high + beside_w(u, n) + (pl_loadu_w(c + n) - pl_loadu_w(c_low + n)) -
                  pl_loadu_w(f + n);
        pl_fw factor = scale;
        if (!dense && l->has_stiff_walls) {
            const pl_grid_wall_chunk* wall = wall_of(l, g, n);
            if (wall) factor = over * pl_loadu_w(wall->inverse[a] + n % PL_GRID_CHUNK);
        }
        pl_iw here = coloured_w(fixed, masks_of(l, g, n)->inner[a], bits, n, dense);
        next = triple_at(out + n + PL_LANES);
        pl_storeu_w(out + n, pl_select_w(here, pl_fma_w(s, factor, rest * x.own), x.own));
    }
}

PL_WIDE void relax_faces(pl_grid_level* l, const pl_grid_run* g, int colour, bool dense) {
    relax_axis(l, g, 0, colour, dense);
    relax_axis(l, g, 1, colour, dense);
    relax_axis(l, g, 2, colour, dense);
}

static float diagonal_of_q(const pl_grid_level* l) {
    float eps = l->compressibility;
    return 6.0f * (1.0f + 2.0f * eps) + eps * l->inertia;
}

// q = residual of the pressure equation over its diagonal; final in cells of the first colour
PL_WIDE void start_q(pl_grid_level* l, const pl_grid_run* g, bool dense) {
    const int end = g->count * PL_GRID_CHUNK;
    const pl_fw eps = pl_splat_w(l->compressibility), one_eps = 1.0f + eps;
    const pl_fw scale = pl_splat_w(OVER / diagonal_of_q(l)), over = pl_splat_w(OVER);
    const sides faces = sides_of(l, g);
    const float *g_own = l->g + g->begin, *c_own = l->c + g->begin;
    float* out = l->q + g->begin;
    for (int n = 0; n < end; n += PL_LANES) {
        pl_fw r = pl_fnma_w(one_eps, divergence_w(faces, n), pl_loadu_w(g_own + n)) +
                  eps * pl_loadu_w(c_own + n);
        if (!dense) {
            const pl_grid_wall_chunk* wall = wall_of(l, g, n);
            r *= wall ? over * pl_loadu_w(wall->inverse[3] + n % PL_GRID_CHUNK) : scale;
            r = pl_keep_w(masks_of(l, g, n)->core, n % PL_GRID_CHUNK, r);
        } else r *= scale;
        pl_storeu_w(out + n, r);
    }
}

PL_WIDE void relax_q(pl_grid_level* l, const pl_grid_run* g, bool dense) {
    const int end = g->count * PL_GRID_CHUNK;
    const uint16_t bits = pl_colour_bits(g->odd_y, g->odd_z, 1);
    const pl_iw fixed = pl_lanes_w(bits, 0);
    // the part of the neighbours is not over-relaxed: 0.270 against 0.274 at nu = 0.49
    const pl_fw weight = pl_splat_w(1.0f + 2.0f * l->compressibility);
    const pl_fw scale = weight * pl_splat_w(1.0f / diagonal_of_q(l));
    const lines q = lines_of(l->q, g);
    float* out = l->q + g->begin;
    triple next = triple_at(out);
    for (int n = 0; n < end; n += PL_LANES) {
        triple x = next;
        pl_fw factor = scale;
        if (!dense) {
            const pl_grid_wall_chunk* wall = wall_of(l, g, n);
            if (wall) factor = weight * pl_loadu_w(wall->inverse[3] + n % PL_GRID_CHUNK);
        }
        pl_fw s = pl_fma_w(x.low + x.high + beside_w(q, n), factor, x.own);
        pl_iw here = coloured_w(fixed, masks_of(l, g, n)->core, bits, n, dense);
        next = triple_at(out + n + PL_LANES);
        pl_storeu_w(out + n, pl_select_w(here, s, x.own));
    }
}

// phi -= grad q, c += lap q - kappa q
PL_WIDE void distribute_q(pl_grid_level* l, const pl_grid_run* g, bool dense) {
    const int end = g->count * PL_GRID_CHUNK;
    const pl_fw centre = pl_splat_w(6.0f + l->inertia);
    const lines q = lines_of(l->q, g);
    float *u0 = l->u[0] + g->begin, *u1 = l->u[1] + g->begin, *u2 = l->u[2] + g->begin;
    float* c = l->c + g->begin;
    for (int n = 0; n < end; n += PL_LANES) {
        const triple x = triple_at(q.own + n);
        pl_fw y = pl_loadu_w(q.y_low + n), z = pl_loadu_w(q.z_low + n);
        pl_fw slope[3] = {x.own - x.low, x.own - y, x.own - z};
        pl_fw around =
            x.low + x.high + (y + pl_loadu_w(q.y_high + n)) + (z + pl_loadu_w(q.z_high + n));
        pl_fw change = pl_fnma_w(centre, x.own, around);
        if (!dense) {
            const pl_grid_masks* m = masks_of(l, g, n);
            const pl_grid_wall_chunk* wall = wall_of(l, g, n);
            for (int a = 0; a < 3; a++)
                slope[a] = pl_keep_w(m->face[a], n % PL_GRID_CHUNK, slope[a]);
            if (wall) change += x.own * pl_loadu_w(wall->closed + n % PL_GRID_CHUNK);
            change = pl_keep_w(m->core, n % PL_GRID_CHUNK, change);
        }
        pl_storeu_w(u0 + n, pl_loadu_w(u0 + n) - slope[0]);
        pl_storeu_w(u1 + n, pl_loadu_w(u1 + n) - slope[1]);
        pl_storeu_w(u2 + n, pl_loadu_w(u2 + n) - slope[2]);
        pl_storeu_w(c + n, pl_loadu_w(c + n) + change);
    }
}

PL_WIDE void run_stage(pl_grid_level* l, const pl_grid_run* g, int stage, bool dense) {
    switch (stage) {
    case 0: relax_faces(l, g, 0, dense); break;
    case 1: relax_faces(l, g, 1, dense); break;
    case 2: start_q(l, g, dense); break;
    case 3: relax_q(l, g, dense); break;
    default: distribute_q(l, g, dense); break;
    }
}

void pl_grid_sweep_stage(pl_grid_level* l, int stage, int row_begin, int row_end) {
    for (int k = l->row_runs[row_begin]; k < l->row_runs[row_end]; k++)
        if (l->runs[k].dense) run_stage(l, &l->runs[k], stage, true);
        else run_stage(l, &l->runs[k], stage, false);
}
