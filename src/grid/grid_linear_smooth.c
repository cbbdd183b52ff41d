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
// Differs from the paper: c = div(phi) - p is stored in place of p. A change of psi_i then alters
// only phi_i and leaves c unchanged, and equation i reads lap(phi_i) + D_i c - kappa phi_i = f_i.
// So the three position sweeps are red-black Gauss-Seidel sweeps of three independent Poisson
// equations, and the pressure sweep is one more for q, starting from zero, after which phi -= grad
// q and c += lap q - kappa q. The result equals the paper's gather and scatter in red-black order,
// at a fraction of the work. Sweeps are over-relaxed (see OVER), which the paper's lexicographic
// order does not need.
//
// Cells next to Dirichlet cells are core cells too. The position equations hold there unchanged,
// and q has no flux through prescribed faces. Point sweeps with substituted pressures would fail
// there as nu approaches 1/2.
#include "grid/grid_linear_kernels.h"
#include "grid/grid_linear_level.h"

#include <string.h>

// Over-relaxation of the red-black sweeps of positions and of q. Rates at nu = 0.49 on the box of
// the bench: 0.34 with 1.0, 0.30 with 1.1, 0.27 with 1.2, 0.26 with 1.25.
static const float OVER = 1.2f;

// The half of each chunk that has a colour in a row. The first colour has even x + y + z.
PL_WIDE int half_of(const pl_grid_run* g, int colour) { return (g->odd_y + g->odd_z + colour) & 1; }

// One sweep over a colour of the faces across an axis. The colour is one half of each chunk; its
// neighbours along the row are in the other half.
typedef struct face_sweep {
    int a;
    lines u;
    const float *f, *c, *c_low; // c_low: not across x
    pl_half scale;
} face_sweep;

PL_WIDE pl_half factor_of(const face_sweep* s, const float* inverse, int half) {
    return inverse ? OVER * pl_load_half(inverse + half * PL_HALF) : s->scale;
}

// masks and inverse: NULL if uniform. flat: c is zero here
PL_WIDE void relax_chunk(const face_sweep* s, const pl_grid_masks* m, const float* inverse, int n,
                         int half, pl_half* carry, bool flat) {
    const int at = n + half * PL_HALF;
    float* out = (float*)s->u.own + at;
    const pl_half own = pl_load_half(out);
    pl_half sum = along_half(s->u.own, n, half, carry) - pl_load_half(s->f + at);
    if (!flat)
        sum += pl_load_half(s->c + at) -
               (s->a == 0 ? pl_below_half(s->c + n, half) : pl_load_half(s->c_low + at));
    sum += beside_half(&s->u, at);
    pl_half value = pl_fma_half(sum, factor_of(s, inverse, half), (1.0f - OVER) * own);
    if (m) value = pl_select_half(pl_mask_half(pl_bits_of_half(m->inner[s->a], half)), value, own);
    pl_store_half(out, value);
}

// The first colour where u and c are zero: writes them without reading.
PL_WIDE void start_chunk(const face_sweep* s, const pl_grid_masks* m, const float* inverse, int n,
                         int half) {
    const int at = n + half * PL_HALF, other = n + (1 - half) * PL_HALF;
    const pl_half zero = {0};
    pl_half value = -pl_load_half(s->f + at) * factor_of(s, inverse, half);
    if (m) value = pl_keep_half(pl_bits_of_half(m->inner[s->a], half), value);
    pl_store_half((float*)s->u.own + at, value);
    pl_store_half((float*)s->u.own + other, zero);
    if (s->a == 0)
        pl_store_half((float*)s->c + at, zero), pl_store_half((float*)s->c + other, zero);
}

PL_WIDE void relax_half(pl_grid_linear_level* l, const pl_grid_run* g, int a, int colour,
                        bool first, int half, int ahead) {
    const chunks k = chunks_of(l, g);
    const int count = g->count;
    const bool stiff = l->has_stiff_walls;
    const face_sweep s = {a,
                          lines_of(l->u[a], g),
                          l->f[a] + g->begin,
                          l->c + g->begin,
                          a == 0 ? NULL : l->c + g->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW],
                          pl_splat_half(OVER / (6.0f + l->inertia))};
    pl_half carry = carry_at(s.u.own, 0, half);
    for (int n = 0; n < count; n++) {
        const pl_grid_wall_chunk* wall = stiff ? wall_of(&k, n) : NULL;
        const float* inverse = wall ? wall->inverse[a] : NULL;
        const int at = n * PL_GRID_CHUNK;
        fetch((colour == 0 ? s.u.own : s.f) + at, ahead);
        const bool dense = k.full[n] >> a & 1 && !wall, far = first && k.full[n] & PL_GRID_FAR;
        if (far && colour == 0) {
            if (dense) start_chunk(&s, NULL, NULL, at, half);
            else start_chunk(&s, &k.masks[n], inverse, at, half);
            if (n + 1 < count && !(k.full[n + 1] & PL_GRID_FAR))
                carry = carry_at(s.u.own, at + PL_GRID_CHUNK, half);
        } else if (far && dense) relax_chunk(&s, NULL, NULL, at, half, &carry, true);
        else if (dense) relax_chunk(&s, NULL, NULL, at, half, &carry, false);
        else relax_chunk(&s, &k.masks[n], inverse, at, half, &carry, false);
    }
}

PL_WIDE void relax_axis(pl_grid_linear_level* l, const pl_grid_run* g, int a, int colour,
                        bool first, int ahead) {
    if (half_of(g, colour)) relax_half(l, g, a, colour, first, 1, ahead);
    else relax_half(l, g, a, colour, first, 0, ahead);
}

PL_WIDE void relax_faces(pl_grid_linear_level* l, const pl_grid_run* g, int colour, bool first,
                         int ahead) {
    relax_axis(l, g, 0, colour, first, ahead);
    relax_axis(l, g, 1, colour, first, ahead);
    relax_axis(l, g, 2, colour, first, ahead);
}

static float diagonal_of_q(const pl_grid_linear_level* l) {
    float eps = l->compressibility;
    return 6.0f * (1.0f + 2.0f * eps) + eps * l->inertia;
}

// q = residual of the pressure equation over its diagonal; final for the first colour
static void start_q(pl_grid_linear_level* l, const pl_grid_run* g, int ahead) {
    const chunks k = chunks_of(l, g);
    const int count = g->count;
    const pl_half eps = pl_splat_half(l->compressibility), one_eps = 1.0f + eps;
    const pl_half scale = pl_splat_half(OVER / diagonal_of_q(l));
    const sides faces = sides_of(l, g);
    const float *g_own = l->g + g->begin, *c_own = l->c + g->begin;
    float* out = l->q + g->begin;
    for (int n = 0; n < count; n++) {
        pl_half divergence[2];
        divergence_chunk(&faces, n * PL_GRID_CHUNK, divergence);
        fetch(g_own + n * PL_GRID_CHUNK, ahead), fetch(out + n * PL_GRID_CHUNK, ahead);
        for (int h = 0; h < 2; h++) {
            const int at = n * PL_GRID_CHUNK + h * PL_HALF;
            pl_half r = pl_fnma_half(one_eps, divergence[h], pl_load_half(g_own + at));
            r = pl_fma_half(eps, pl_load_half(c_own + at), r);
            if (!(k.full[n] & PL_GRID_FULL_CELLS)) {
                const float(*wall)[PL_GRID_CHUNK] = wall_q_of(&k, n);
                r *= wall ? OVER * pl_load_half(wall[1] + h * PL_HALF) : scale;
                r = pl_keep_half(pl_bits_of_half(k.masks[n].core, h), r);
            } else r *= scale;
            pl_store_half(out + at, r);
        }
    }
}

PL_WIDE void relax_q_half(pl_grid_linear_level* l, const pl_grid_run* g, int half) {
    const chunks k = chunks_of(l, g);
    // the neighbours' part is not over-relaxed: rate 0.270 instead of 0.274 at nu = 0.49
    const pl_half weight = pl_splat_half(1.0f + 2.0f * l->compressibility);
    const pl_half scale = weight * pl_splat_half(1.0f / diagonal_of_q(l));
    const lines q = lines_of(l->q, g);
    const int count = g->count;
    pl_half carry = carry_at(q.own, 0, half);
    for (int n = 0; n < count; n++) {
        const int at = n * PL_GRID_CHUNK + half * PL_HALF;
        float* out = (float*)q.own + at;
        pl_half sum = along_half(q.own, n * PL_GRID_CHUNK, half, &carry) + beside_half(&q, at);
        if (!(k.full[n] & PL_GRID_FULL_CELLS)) {
            const float(*wall)[PL_GRID_CHUNK] = wall_q_of(&k, n);
            sum *= wall ? weight * pl_load_half(wall[1] + half * PL_HALF) : scale;
            sum = pl_keep_half(pl_bits_of_half(k.masks[n].core, half), sum);
        } else sum *= scale;
        pl_store_half(out, pl_load_half(out) + sum);
    }
}
static void relax_q(pl_grid_linear_level* l, const pl_grid_run* g) {
    if (half_of(g, 1)) relax_q_half(l, g, 1);
    else relax_q_half(l, g, 0);
}

// q along x as distribution reads it: the half, and its neighbours before and after.
typedef struct along_x {
    pl_half low, own, high;
} along_x;

// One half of a chunk: phi -= grad q, c += lap q - kappa q. masks: NULL where all cells are core.
PL_WIDE void distribute_half(float* const to[4], const lines* q, along_x x, pl_half centre,
                             const pl_grid_masks* m, const float* closed, int at, int half) {
    const pl_half y = pl_load_half(q->y_low + at), z = pl_load_half(q->z_low + at);
    pl_half slope[3] = {x.own - x.low, x.own - y, x.own - z};
    const pl_half around =
        (x.low + x.high) + (y + pl_load_half(q->y_high + at)) + (z + pl_load_half(q->z_high + at));
    pl_half change = pl_fnma_half(centre, x.own, around);
    if (m) {
        for (int a = 0; a < 3; a++)
            slope[a] = pl_keep_half(pl_bits_of_half(m->face[a], half), slope[a]);
        if (closed) change += x.own * pl_load_half(closed + half * PL_HALF);
        change = pl_keep_half(pl_bits_of_half(m->core, half), change);
    }
    for (int a = 0; a < 3; a++) pl_store_half(to[a] + at, pl_load_half(to[a] + at) - slope[a]);
    pl_store_half(to[3] + at, pl_load_half(to[3] + at) + change);
}

static void distribute_q(pl_grid_linear_level* l, const pl_grid_run* g, int ahead) {
    const chunks k = chunks_of(l, g);
    const int count = g->count;
    const pl_half centre = pl_splat_half(6.0f + l->inertia);
    const lines q = lines_of(l->q, g);
    float* const to[4] = {l->u[0] + g->begin, l->u[1] + g->begin, l->u[2] + g->begin,
                          l->c + g->begin};
    pl_half before = pl_load_half(q.own - PL_HALF), even = pl_load_half(q.own);
    for (int n = 0; n < count; n++) {
        const int at = n * PL_GRID_CHUNK;
        fetch(to[3] + at, ahead);
        const pl_half odd = pl_load_half(q.own + at + PL_HALF);
        const pl_half after = pl_load_half(q.own + at + PL_GRID_CHUNK);
        const along_x x[2] = {{pl_shift_half(before, odd), even, odd},
                              {even, odd, pl_unshift_half(even, after)}};
        if (k.full[n] & PL_GRID_FULL_CELLS) {
            distribute_half(to, &q, x[0], centre, NULL, NULL, at, 0);
            distribute_half(to, &q, x[1], centre, NULL, NULL, at + PL_HALF, 1);
        } else {
            const float(*wall)[PL_GRID_CHUNK] = wall_q_of(&k, n);
            for (int h = 0; h < 2; h++)
                distribute_half(to, &q, x[h], centre, &k.masks[n], wall ? wall[0] : NULL,
                                at + h * PL_HALF, h);
        }
        before = odd, even = after;
    }
}

// Offset in the fields to the same row, this many planes up or down; 0 if that row is empty.
static int planes_ahead(const pl_grid_linear_level* l, int row, int planes) {
    const int further = row + planes * l->layout->size[1], *runs = l->row_runs;
    if (further < 0 || further >= l->layout->size[1] * l->layout->size[2]) return 0;
    if (runs[further] == runs[further + 1] || runs[row] == runs[row + 1]) return 0;
    return l->runs[runs[further]].begin - l->runs[runs[row]].begin;
}

// Each stage prefetches part of the data that the first stages will read one plane later. So memory
// has the time of a whole plane to respond, not only that of the stages that read first. If the
// first stages prefetch two rows ahead instead, the sweep of 128^3 cells takes 1.07 times as long;
// without prefetching 1.2 times.
enum { U_AHEAD = 2, F_AHEAD = 2, Q_AHEAD = 1, C_AHEAD = 5 };

PL_WIDE void sweep_rows(pl_grid_linear_level* l, int stage, bool first, int row_begin,
                        int row_end) {
    static const int planes[PL_GRID_STAGES] = {U_AHEAD, F_AHEAD, Q_AHEAD, 0, C_AHEAD};
    for (int row = row_begin; row < row_end; row++) {
        const int ahead = planes_ahead(l, row, planes[stage]);
        const pl_grid_run *g = l->runs + l->row_runs[row], *end = l->runs + l->row_runs[row + 1];
        for (; g < end; g++) switch (stage) {
            case 0: relax_faces(l, g, 0, first, ahead); break;
            case 1: relax_faces(l, g, 1, first, ahead); break;
            case 2: start_q(l, g, ahead); break;
            case 3: relax_q(l, g); break;
            default: distribute_q(l, g, ahead); break;
            }
    }
}

void pl_grid_sweep_stage(pl_grid_linear_level* l, int stage, int row_begin, int row_end) {
    sweep_rows(l, stage, false, row_begin, row_end);
}

// ------------------------------------------------------------------ order

// Sized so that the planes in flight, of about forty fields, take a few megabytes: long rows make
// long streams. Strips that fit in 512 KB make the sweep of 128^3 cells a fifth slower.
enum { STRIP_CELLS = 20480 };

static pl_grid_wave plan_of(const pl_grid_linear_level* l) {
    const int strip = STRIP_CELLS / (l->layout->size[0] + 1);
    return (pl_grid_wave){
        .stages = PL_GRID_STAGES, .strip = strip > 4 ? strip : 4, .work = l->row_runs};
}

static void run_wave_stage(pl_grid_linear_level* l, int stage, int z, int y_begin, int y_end,
                           void* user) {
    const bool* first = user;
    sweep_rows(l, stage, *first, z * l->layout->size[1] + y_begin, z * l->layout->size[1] + y_end);
}

static void smooth_interior(pl_grid_linear_level* level, bool first, pl_pool* pool) {
    pl_grid_wave plan = plan_of(level);
    plan.run = run_wave_stage, plan.user = &first;
    pl_grid_run_wave(level, &plan, pool);
}
void pl_grid_smooth_interior(pl_grid_linear_level* level, pl_pool* pool) {
    smooth_interior(level, false, pool);
}
void pl_grid_smooth_interior_first(pl_grid_linear_level* level, pl_pool* pool) {
    smooth_interior(level, true, pool);
}

// ------------------------------------------------------------------ sweeps with fused input

enum { CLEAR_BLOCK = 4096 }; // chunks
static void clear_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_grid_linear_level* l = user;
    for (int k = begin; k < end; k++) {
        if (l->full[k] & PL_GRID_DEEP) continue;
        const size_t at = (size_t)k * PL_GRID_CHUNK, size = PL_GRID_CHUNK * sizeof(float);
        for (int a = 0; a < 3; a++) memset(l->u[a] + at, 0, size);
        memset(l->c + at, 0, size);
    }
}

void pl_grid_clear_around(pl_grid_linear_level* level, pl_pool* pool) {
    pl_parallel_for(pool, clear_task, level->layout->field_size / PL_GRID_CHUNK, CLEAR_BLOCK,
                    level);
}

typedef struct arrival {
    pl_grid_arrive arrive;
    void* user;
} arrival;
static void run_arriving_stage(pl_grid_linear_level* l, int stage, int z, int y_begin, int y_end,
                               void* user) {
    const arrival* a = user;
    const int row = z * l->layout->size[1];
    if (stage == 0) a->arrive(row + y_begin, row + y_end, a->user);
    else sweep_rows(l, stage - 1, false, row + y_begin, row + y_end);
}

void pl_grid_smooth_interior_arriving(pl_grid_linear_level* level, pl_grid_arrive arrive,
                                      void* user, pl_pool* pool) {
    arrival a = {arrive, user};
    pl_grid_wave plan = plan_of(level);
    plan.run = run_arriving_stage, plan.user = &a, plan.stages++;
    pl_grid_run_wave(level, &plan, pool);
}

// ------------------------------------------------------------------ pipeline of stages

// The order of a sweep. Its stages follow one another at a distance of one plane and one row, over
// strips of rows, so that each stage finds the output of the previous one in the cache.
//
// Stage s at a row reads the output of stage s - 1 in the adjacent rows. After that, no earlier
// stage needs the values that it writes. So all orders that respect these dependencies give the
// same bits.
//
// Threads first process the independent parts of slabs of planes. Then they process the rest at the
// seams between slabs, divided into parts of rows in the same way; then the rest of that. Because
// the order does not matter, there may be as many slabs as threads, and a single thread has no
// seams.

enum { MAX_SLABS = 64 };

typedef struct wave {
    pl_grid_linear_level* level;
    const pl_grid_wave* plan;
    int slab_count;
    int slabs[MAX_SLABS + 1]; // first plane of each slab
    int part_count;           // parts of the rows of a seam
} wave;

static void run_rows(const wave* w, int stage, int z, int y_begin, int y_end) {
    if (y_begin < 0) y_begin = 0;
    if (y_end > w->level->layout->size[1]) y_end = w->level->layout->size[1];
    if (y_begin < y_end) w->plan->run(w->level, stage, z, y_begin, y_end, w->plan->user);
}

// The independent part of a slab. Each stage stops one plane earlier than the one before; the first
// stops before the last plane, because stores are whole vectors and the next slab reads that plane.
static void slab_task(int slab_begin, int slab_end, int worker, void* user) {
    (void)worker;
    const wave* w = user;
    const int stages = w->plan->stages, strip = w->plan->strip, *size = w->level->layout->size;
    for (int slab = slab_begin; slab < slab_end; slab++) {
        const int begin = w->slabs[slab], end = w->slabs[slab + 1];
        for (int y = 0; y - stages < size[1]; y += strip)
            for (int z = begin; z < end + stages; z++)
                for (int stage = 0; stage < stages; stage++) {
                    int low = begin == 0 ? 0 : begin + stage + 1;
                    int high = end == size[2] ? end : end - stage - 1;
                    if (z - stage >= low && z - stage < high)
                        run_rows(w, stage, z - stage, y - stage, y - stage + strip);
                }
    }
}

// the first row of a part
static int part_row(const wave* w, int part) {
    return (int)((int64_t)w->level->layout->size[1] * part / w->part_count);
}

// Completes the seam between two slabs, in parts of rows that leave their own ends open.
static void seam_task(int task_begin, int task_end, int worker, void* user) {
    (void)worker;
    const wave* w = user;
    for (int task = task_begin; task < task_end; task++) {
        const int plane = w->slabs[task / w->part_count + 1], part = task % w->part_count;
        const int begin = part_row(w, part), end = part_row(w, part + 1);
        for (int stage = 0; stage < w->plan->stages; stage++)
            for (int z = plane - stage - 1; z < plane + stage + 1; z++)
                run_rows(w, stage, z, part == 0 ? 0 : begin + stage + 1,
                         part == w->part_count - 1 ? end : end - stage - 1);
    }
}

// completes the rows between two parts of a seam
static void cross_task(int task_begin, int task_end, int worker, void* user) {
    (void)worker;
    const wave* w = user;
    for (int task = task_begin; task < task_end; task++) {
        const int plane = w->slabs[task / (w->part_count - 1) + 1];
        const int row = part_row(w, task % (w->part_count - 1) + 1);
        for (int stage = 0; stage < w->plan->stages; stage++)
            for (int z = plane - stage - 1; z < plane + stage + 1; z++)
                run_rows(w, stage, z, row - stage - 1, row + stage + 1);
    }
}

// One slab per thread, of about equal work, with at least `least` planes each.
static void cut_slabs(wave* w, int threads, int least) {
    const int planes = w->level->layout->size[2], rows = w->level->layout->size[1];
    const int* work = w->plan->work;
    int count = planes / least < threads ? planes / least : threads;
    w->slab_count = count < 1 ? 1 : count < MAX_SLABS ? count : MAX_SLABS;
    for (int k = 1; k < w->slab_count; k++) {
        const int64_t goal = (int64_t)work[planes * rows] * k / w->slab_count;
        int z = w->slabs[k - 1] + least, last = planes - (w->slab_count - k) * least;
        while (z < last && work[z * rows] < goal) z++;
        w->slabs[k] = z;
    }
    w->slabs[w->slab_count] = planes;
}

void pl_grid_run_wave(pl_grid_linear_level* level, const pl_grid_wave* plan, pl_pool* pool) {
    // two seams must not meet within a slab, nor two crossings within a part
    const int least = 2 * plan->stages + 2, parts = level->layout->size[1] / least;
    wave w = {level, plan, .part_count = parts > 1 ? parts : 1};
    cut_slabs(&w, pl_pool_thread_count(pool), least);
    const int seams = w.slab_count - 1;
    pl_parallel_for(pool, slab_task, w.slab_count, 1, &w);
    pl_parallel_for(pool, seam_task, seams * w.part_count, 1, &w);
    pl_parallel_for(pool, cross_task, seams * (w.part_count - 1), 1, &w);
}
