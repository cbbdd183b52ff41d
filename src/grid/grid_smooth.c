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
#include "grid/grid_wavefront.h"

#include <string.h>

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

// The same without loads across cache lines: the lanes beside come from the vectors beside.
typedef struct window {
    pl_fw low, own;
} window;
PL_WIDE window window_at(const float* p) { return (window){pl_loadu_w(p - 1), pl_loadu_w(p)}; }
// goes on to the next vector, which is at `next`
PL_WIDE triple advance(window* w, const float* next) {
    const pl_fw further = pl_loadu_w(next);
    const triple x = {w->low, w->own, pl_next_lanes_w(w->own, further)};
    *w = (window){pl_last_lanes_w(w->own, further), further};
    return x;
}

// the cells of a colour among those of a mask
PL_WIDE pl_iw coloured_w(pl_iw fixed, uint16_t mask, uint16_t bits, int i, bool dense) {
    if (PL_LANES > 1 && dense) return fixed;
    return pl_lanes_w(dense ? bits : mask & bits, i);
}

// One sweep over a colour of the faces across an axis.
typedef struct face_sweep {
    int a;
    lines u;
    const float *f, *c, *c_low;
    uint16_t bits;
    pl_iw fixed; // the lanes of the colour
    pl_fw scale;
} face_sweep;

// flat: c is zero here
PL_WIDE void relax_chunk(const face_sweep* s, const pl_grid_masks* m, const float* inverse, int n,
                         window* next, bool dense, bool flat) {
    float* out = (float*)s->u.own + n;
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        const triple x = advance(next, out + i + PL_LANES);
        pl_fw sum = x.low + x.high + beside_w(s->u, n + i) - pl_loadu_w(s->f + n + i);
        if (!flat) sum += pl_loadu_w(s->c + n + i) - pl_loadu_w(s->c_low + n + i);
        pl_fw factor = !dense && inverse ? OVER * pl_loadu_w(inverse + i) : s->scale;
        pl_iw here = coloured_w(s->fixed, dense ? 0 : m->inner[s->a], s->bits, i, dense);
        pl_storeu_w(out + i,
                    pl_select_w(here, pl_fma_w(sum, factor, (1.0f - OVER) * x.own), x.own));
    }
}

// The first colour where u and c are zero around: they are written and not read.
PL_WIDE void start_chunk(const face_sweep* s, const pl_grid_masks* m, const float* inverse, int n,
                         bool dense) {
    float *out = (float*)s->u.own + n, *c = (float*)s->c + n;
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        pl_fw factor = !dense && inverse ? OVER * pl_loadu_w(inverse + i) : s->scale;
        pl_iw here = coloured_w(s->fixed, dense ? 0 : m->inner[s->a], s->bits, i, dense);
        pl_fw value = -pl_loadu_w(s->f + n + i) * factor;
        pl_storeu_w(out + i, (pl_fw)((pl_iw)value & here));
        if (s->a == 0) pl_storeu_w(c + i, pl_splat_w(0.0f));
    }
}

PL_WIDE void relax_axis(pl_grid_level* l, const pl_grid_run* g, int a, int colour, bool first) {
    const chunks k = chunks_of(l, g);
    const int count = g->count;
    const bool stiff = l->has_stiff_walls;
    const uint16_t bits = pl_colour_bits(g->odd_y, g->odd_z, colour);
    const face_sweep s = {a,
                          lines_of(l->u[a], g),
                          l->f[a] + g->begin,
                          l->c + g->begin,
                          l->c + below(g, a),
                          bits,
                          pl_lanes_w(bits, 0),
                          pl_splat_w(OVER / (6.0f + l->inertia))};
    window next = window_at(s.u.own);
    const int ahead = rows_ahead(g);
    for (int n = 0; n < count; n++) {
        const pl_grid_wall_chunk* wall = stiff ? wall_of(&k, n) : NULL;
        const float* inverse = wall ? wall->inverse[a] : NULL;
        const int at = n * PL_GRID_CHUNK;
        if (colour == 0) {
            fetch((first ? s.u.own : s.u.z_high) + at, ahead), fetch(s.f + at, ahead);
            if (a == 0) fetch(s.c + at, ahead);
        }
        const bool dense = k.full[n] >> a & 1 && !wall, far = first && k.full[n] & PL_GRID_FAR;
        if (far && colour == 0) {
            if (dense) start_chunk(&s, NULL, NULL, at, true);
            else start_chunk(&s, &k.masks[n], inverse, at, false);
            if (n + 1 < count && !(k.full[n + 1] & PL_GRID_FAR))
                next = window_at(s.u.own + at + PL_GRID_CHUNK);
        } else if (far && dense) relax_chunk(&s, NULL, NULL, at, &next, true, true);
        else if (dense) relax_chunk(&s, NULL, NULL, at, &next, true, false);
        else relax_chunk(&s, &k.masks[n], inverse, at, &next, false, false);
    }
}

PL_WIDE void relax_faces(pl_grid_level* l, const pl_grid_run* g, int colour, bool first) {
    relax_axis(l, g, 0, colour, first);
    relax_axis(l, g, 1, colour, first);
    relax_axis(l, g, 2, colour, first);
}

static float diagonal_of_q(const pl_grid_level* l) {
    float eps = l->compressibility;
    return 6.0f * (1.0f + 2.0f * eps) + eps * l->inertia;
}

// q = residual of the pressure equation over its diagonal; final in cells of the first colour
static void start_q(pl_grid_level* l, const pl_grid_run* g) {
    const chunks k = chunks_of(l, g);
    const int count = g->count;
    const pl_fw eps = pl_splat_w(l->compressibility), one_eps = 1.0f + eps;
    const pl_fw scale = pl_splat_w(OVER / diagonal_of_q(l));
    const sides faces = sides_of(l, g);
    const float *g_own = l->g + g->begin, *c_own = l->c + g->begin;
    float* out = l->q + g->begin;
    const int ahead = rows_ahead(g);
    for (int n = 0; n < count * PL_GRID_CHUNK; n += PL_LANES) {
        const int at = n / PL_GRID_CHUNK, i = n % PL_GRID_CHUNK;
        if (i == 0) fetch(g_own + n, ahead), fetch(out + n, ahead);
        pl_fw r = pl_fnma_w(one_eps, divergence_w(faces, n), pl_loadu_w(g_own + n)) +
                  eps * pl_loadu_w(c_own + n);
        if (!(k.full[at] & PL_GRID_FULL_CELLS)) {
            const float(*wall)[PL_GRID_CHUNK] = wall_q_of(&k, at);
            r *= wall ? OVER * pl_loadu_w(wall[1] + i) : scale;
            r = pl_keep_w(k.masks[at].core, i, r);
        } else r *= scale;
        pl_storeu_w(out + n, r);
    }
}

static void relax_q(pl_grid_level* l, const pl_grid_run* g) {
    const chunks k = chunks_of(l, g);
    const int count = g->count;
    const uint16_t bits = pl_colour_bits(g->odd_y, g->odd_z, 1);
    const pl_iw fixed = pl_lanes_w(bits, 0);
    // the part of the neighbours is not over-relaxed: 0.270 against 0.274 at nu = 0.49
    const pl_fw weight = pl_splat_w(1.0f + 2.0f * l->compressibility);
    const pl_fw scale = weight * pl_splat_w(1.0f / diagonal_of_q(l));
    const lines q = lines_of(l->q, g);
    float* out = l->q + g->begin;
    triple next = triple_at(out);
    for (int n = 0; n < count * PL_GRID_CHUNK; n += PL_LANES) {
        const int at = n / PL_GRID_CHUNK, i = n % PL_GRID_CHUNK;
        const triple x = next;
        pl_fw factor = scale;
        pl_iw here = fixed;
        if (PL_LANES == 1 || !(k.full[at] & PL_GRID_FULL_CELLS)) {
            const float(*wall)[PL_GRID_CHUNK] = wall_q_of(&k, at);
            if (wall) factor = weight * pl_loadu_w(wall[1] + i);
            here = pl_lanes_w(k.masks[at].core & bits, i);
        }
        pl_fw s = pl_fma_w(x.low + x.high + beside_w(q, n), factor, x.own);
        next = triple_at(out + n + PL_LANES);
        pl_storeu_w(out + n, pl_select_w(here, s, x.own));
    }
}

// phi -= grad q, c += lap q - kappa q
static void distribute_q(pl_grid_level* l, const pl_grid_run* g) {
    const chunks k = chunks_of(l, g);
    const int count = g->count;
    const pl_fw centre = pl_splat_w(6.0f + l->inertia);
    const lines q = lines_of(l->q, g);
    float *u0 = l->u[0] + g->begin, *u1 = l->u[1] + g->begin, *u2 = l->u[2] + g->begin;
    float* c = l->c + g->begin;
    for (int n = 0; n < count * PL_GRID_CHUNK; n += PL_LANES) {
        const int at = n / PL_GRID_CHUNK, i = n % PL_GRID_CHUNK;
        const triple x = triple_at(q.own + n);
        pl_fw y = pl_loadu_w(q.y_low + n), z = pl_loadu_w(q.z_low + n);
        pl_fw slope0 = x.own - x.low, slope1 = x.own - y, slope2 = x.own - z;
        pl_fw around =
            x.low + x.high + (y + pl_loadu_w(q.y_high + n)) + (z + pl_loadu_w(q.z_high + n));
        pl_fw change = pl_fnma_w(centre, x.own, around);
        if (!(k.full[at] & PL_GRID_FULL_CELLS)) {
            const pl_grid_masks* m = &k.masks[at];
            const float(*wall)[PL_GRID_CHUNK] = wall_q_of(&k, at);
            slope0 = pl_keep_w(m->face[0], i, slope0);
            slope1 = pl_keep_w(m->face[1], i, slope1);
            slope2 = pl_keep_w(m->face[2], i, slope2);
            if (wall) change += x.own * pl_loadu_w(wall[0] + i);
            change = pl_keep_w(m->core, i, change);
        }
        pl_storeu_w(u0 + n, pl_loadu_w(u0 + n) - slope0);
        pl_storeu_w(u1 + n, pl_loadu_w(u1 + n) - slope1);
        pl_storeu_w(u2 + n, pl_loadu_w(u2 + n) - slope2);
        pl_storeu_w(c + n, pl_loadu_w(c + n) + change);
    }
}

PL_WIDE void sweep_rows(pl_grid_level* l, int stage, bool first, int row_begin, int row_end) {
    const pl_grid_run *g = l->runs + l->row_runs[row_begin], *end = l->runs + l->row_runs[row_end];
    for (; g < end; g++) switch (stage) {
        case 0: relax_faces(l, g, 0, first); break;
        case 1: relax_faces(l, g, 1, first); break;
        case 2: start_q(l, g); break;
        case 3: relax_q(l, g); break;
        default: distribute_q(l, g); break;
        }
}

void pl_grid_sweep_stage(pl_grid_level* l, int stage, int row_begin, int row_end) {
    sweep_rows(l, stage, false, row_begin, row_end);
}

// ------------------------------------------------------------------ order

// So that the planes in flight, of about forty fields, take some megabytes: their rows should be
// long streams. Strips that fit in 512 KB make the sweep of 128^3 cells a fifth slower.
enum { STRIP_CELLS = 20480 };

static pl_grid_wave plan_of(const pl_grid_level* l) {
    const int strip = STRIP_CELLS / (l->size[0] + 1);
    return (pl_grid_wave){
        .stages = PL_GRID_STAGES, .strip = strip > 4 ? strip : 4, .work = l->row_runs};
}

static void run_wave_stage(pl_grid_level* l, int stage, int z, int y_begin, int y_end, void* user) {
    const bool* first = user;
    sweep_rows(l, stage, *first, z * l->size[1] + y_begin, z * l->size[1] + y_end);
}

static void smooth_interior(pl_grid_level* level, bool first, pl_pool* pool) {
    pl_grid_wave plan = plan_of(level);
    plan.run = run_wave_stage, plan.user = &first;
    pl_grid_run_wave(level, &plan, pool);
}
void pl_grid_smooth_interior(pl_grid_level* level, pl_pool* pool) {
    smooth_interior(level, false, pool);
}
void pl_grid_smooth_interior_first(pl_grid_level* level, pl_pool* pool) {
    smooth_interior(level, true, pool);
}

// ------------------------------------------------------------------ with what comes before

enum { CLEAR_BLOCK = 4096 }; // chunks
static void clear_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_grid_level* l = user;
    for (int k = begin; k < end; k++) {
        if (l->full[k] & PL_GRID_DEEP) continue;
        const size_t at = (size_t)k * PL_GRID_CHUNK, size = PL_GRID_CHUNK * sizeof(float);
        for (int a = 0; a < 3; a++) memset(l->u[a] + at, 0, size);
        memset(l->c + at, 0, size);
    }
}

void pl_grid_clear_around(pl_grid_level* level, pl_pool* pool) {
    pl_parallel_for(pool, clear_task, level->field_size / PL_GRID_CHUNK, CLEAR_BLOCK, level);
}

typedef struct arrival {
    pl_grid_arrive arrive;
    void* user;
} arrival;
static void run_arriving_stage(pl_grid_level* l, int stage, int z, int y_begin, int y_end,
                               void* user) {
    const arrival* a = user;
    const int row = z * l->size[1];
    if (stage == 0) a->arrive(row + y_begin, row + y_end, a->user);
    else sweep_rows(l, stage - 1, false, row + y_begin, row + y_end);
}

void pl_grid_smooth_interior_arriving(pl_grid_level* level, pl_grid_arrive arrive, void* user,
                                      pl_pool* pool) {
    arrival a = {arrive, user};
    pl_grid_wave plan = plan_of(level);
    plan.run = run_arriving_stage, plan.user = &a, plan.stages++;
    pl_grid_run_wave(level, &plan, pool);
}
