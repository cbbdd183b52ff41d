// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The general lattice in double: forces, energy, and steps along conjugate directions. Positions
// are displacements in metres; gradients are differences over a cell: h F = h I + D u.
#include "base/memory.h"
#include "grid/grid_corot.h"
#include "grid/grid_corot_kernels.h"
#include "grid/grid_corot_kernels_double.h"

#include <math.h>
#include <string.h>

enum { CHUNKS = 32 };

// sums of many floats
typedef double double_w __attribute__((vector_size(8 * PL_LANES)));

typedef struct job {
    pl_grid_corot* c;
    const pl_grid_state* state;
    double h;
    double* const* out;
    float* const* d;
    bool held;
} job;

// ------------------------------------------------------------------ couple stress

// Removes the couple stress: the cost of different rotations in neighbouring cells. The energy of
// an edge is the mean over its four cells of mu (F - R)^2 = mu (F - mean R)^2 + mu (mean R^2 -
// (mean R)^2). The last term has nothing to do with strain: it makes a bending bar of N cells
// across 6 / ((1 + nu) N^2) too stiff, 29 % at 4 cells and nu = 0.3. Let V = sum over a cell's
// edges of (mean R of the edge - R) / 4, and let the rotation follow the gradients as in
// grid_corot_smooth.c. Then the stress of a cell gets
//   2 mu sum of C^k (K^-1 v)_k,   v_k = sum of V_ab C^k_ab.
//
// Differs from the paper, which keeps this term. K is that of small strains, so forces are the
// gradient of an energy up to products of strains and rotation differences.

// The cells around four edges: their moduli, and these times two entries of R. In the plane of two
// axes, the first one fastest, from -1 to 1.
typedef struct around_edges {
    pl_d4 mu[9], first[9], second[9];
} around_edges;

PL_WIDE void load_around(const pl_grid_corot* c, const int* rows, int i, int a, around_edges* out) {
    const int b = (a + 1) % 3;
#pragma GCC unroll 9
    for (int n = 0; n < 9; n++) {
        const int way = 13 + (n % 3 - 1) * pl_corot_way(a) + (n / 3 - 1) * pl_corot_way(b);
        out->mu[n] = pl_weight_d4(c->levels[0].mu, rows, i, way);
        out->first[n] = out->mu[n] * pl_beside_d4(c->rotation[3 * a + b], rows, i, way);
        out->second[n] = out->mu[n] * pl_beside_d4(c->rotation[3 * b + a], rows, i, way);
    }
}

// V of four cells, and the fraction of each gradient that is not a boundary one
PL_WIDE void differences(const pl_grid_corot* c, const int* rows, int i, const pl_d4 R[9],
                         pl_d4 V[9], pl_d4 known[9]) {
    const pl_corot_level* l = &c->levels[0];
    const pl_d4 zero = {0}, quarter = pl_splat_d4(0.25);
#pragma GCC unroll 9
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, ab = 3 * a + b, ba = 3 * b + a;
        around_edges at;
        load_around(c, rows, i, a, &at);
        V[4 * a] = V[ab] = V[ba] = known[ab] = zero;
        known[4 * a] = pl_where_d4(pl_has_d4(l->cell_weight[a], rows, i, 13), pl_splat_d4(1.0));
#pragma GCC unroll 9
        for (int k = 0; k < 4; k++) {
            const int ka = k & 1, kb = k >> 1, n = 4 + ka + 3 * kb; // the cell above the edge
            const pl_i4 there = pl_has_d4(l->edge_weight[3 - a - b], rows, i,
                                          13 + ka * pl_corot_way(a) + kb * pl_corot_way(b));
            const pl_d4 mass = at.mu[n] + at.mu[n - 1] + at.mu[n - 3] + at.mu[n - 4];
            const pl_d4 first = at.first[n] + at.first[n - 1] + at.first[n - 3] + at.first[n - 4];
            const pl_d4 second =
                at.second[n] + at.second[n - 1] + at.second[n - 3] + at.second[n - 4];
            V[ab] += pl_where_d4(there, quarter * (first / mass - R[ab]));
            V[ba] += pl_where_d4(there, quarter * (second / mass - R[ba]));
            known[ab] += pl_where_d4(there, quarter);
        }
        known[ba] = known[ab];
    }
}

PL_WIDE void uncouple_four(const void* user, const pl_corot_chunk* chunk, const pl_corot_masks* m,
                           int i) {
    const job* j = user;
    const pl_grid_corot* c = j->c;
    const int n = chunk->begin + i, core = m->core >> i & 15;
    const pl_i4 lanes = pl_lanes_d4(m->core | m->slaved, i);
    pl_d4 R[9], V[9], known[9], v[3], y[3];
    if (!((m->core | m->slaved) >> i & 15)) return;
#pragma GCC unroll 9
    for (int e = 0; e < 9; e++) R[e] = pl_load_d4(c->rotation[e] + n);
    differences(c, chunk->rows, i, R, V, known);
#pragma GCC unroll 9
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        v[k] = (pl_d4){0};
#pragma GCC unroll 9
        for (int a = 0; a < 3; a++)
            v[k] += V[3 * a + p] * R[3 * a + q] - V[3 * a + q] * R[3 * a + p];
        y[k] = 0.5 * v[k];
    }
    if (core != 15) {
        pl_corot_untwist_d4(R, known, v, y);
#pragma GCC unroll 9
        for (int k = 0; k < 3; k++) y[k] = pl_select_d4(pl_lanes_d4(m->core, i), 0.5 * v[k], y[k]);
    }
    const pl_d4 scale = 2.0 * j->h * pl_load_floats_d4(c->levels[0].mu + n);
#pragma GCC unroll 9
    for (int a = 0; a < 3; a++)
#pragma GCC unroll 9
        for (int p = 0; p < 3; p++) { // the C^k with an entry at a, p
            const int q = (p + 1) % 3, r = (p + 2) % 3;
            const pl_d4 sum = y[r] * R[3 * a + q] - y[q] * R[3 * a + r];
            double* to = c->stress[3 * a + p] + n;
            pl_store_d4(to, pl_load_d4(to) + pl_where_d4(lanes, scale * sum));
        }
}

static void couple_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const job* j = user;
    pl_corot_each_four(&j->c->levels[0], begin, end, uncouple_four, j);
}

void pl_corot_uncouple(pl_grid_corot* c, double h) {
    pl_parallel_for(c->pool, couple_task, c->levels[0].chunk_count, CHUNKS, &(job){.c = c, .h = h});
}

// energy of the low edges of a cell
static void add_coupling(const void* user, const int* base, int i, double* out) {
    const pl_grid_corot* c = ((const job*)user)->c;
    const pl_corot_level* l = &c->levels[0];
    const int* S = pl_corot_stride;
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, at[2] = {3 * a + b, 3 * b + a};
        double mass = 0.0, mean[2] = {0.0}, square[2] = {0.0};
        bool counts = false;
        if (!(l->edge_weight[3 - a - b][base[13] + i] > 0.0f)) continue;
        for (int n = 0; n < 4; n++) {
            const int cell = base[13 - (n & 1 ? S[a] : 0) - (n & 2 ? S[b] : 0)] + i;
            const double mu = (double)l->mu[cell];
            const pl_mat3 R = pl_quat_to_mat3(c->turn[cell]);
            counts = counts || l->flags[cell] & PL_COROT_INTERIOR;
            mass += mu;
            for (int k = 0; k < 2; k++)
                mean[k] += mu * R.m[at[k]], square[k] += mu * R.m[at[k]] * R.m[at[k]];
        }
        for (int k = 0; counts && k < 2; k++) sum += 0.25 * (square[k] - mean[k] * mean[k] / mass);
    }
    *out += sum;
}

static double coupling_part(int begin, int end, void* user) {
    const job* j = user;
    return pl_corot_sum_cells(&j->c->levels[0], begin, end, add_coupling, j);
}

// Couple-stress part of the energy.
static double coupling_energy(const pl_grid_corot* c, double h) {
    job j = {.c = (pl_grid_corot*)c, .h = h};
    return h * h * pl_parallel_sum(c->pool, coupling_part, c->levels[0].chunk_count, CHUNKS, &j);
}

// ------------------------------------------------------------------ forces

// gradient of the energy at faces across axis a
PL_WIDE pl_d4 face_force(const job* j, const int* rows, int i, int a, bool inner) {
    double* const* stress = j->c->stress;
    const pl_corot_level* l = &j->c->levels[0];
    const int A = pl_corot_way(a);
    const double *u = j->state->u[a], shear = (double)l->shear;
    const pl_d4 own = pl_beside_d4(u, rows, i, 13);
    const pl_d4 low_weight = pl_weight_d4(l->cell_weight[a], rows, i, 13 - A);
    const pl_d4 high_weight = pl_weight_d4(l->cell_weight[a], rows, i, 13);
    pl_d4 low = low_weight * (j->h + (own - pl_beside_d4(u, rows, i, 13 - A)));
    pl_d4 high = high_weight * (j->h + (pl_beside_d4(u, rows, i, 13 + A) - own));
    low += pl_beside_d4(stress[4 * a], rows, i, 13 - A);
    high += pl_beside_d4(stress[4 * a], rows, i, 13);
    if (!inner)
        low = pl_where_d4(low_weight > 0.0, low), high = pl_where_d4(high_weight > 0.0, high);
    pl_d4 sum = low - high;
#pragma GCC unroll 9
    for (int e = 0; e < 2; e++) {
        const int b = pl_grid_other_axis(a, e), B = pl_corot_way(b);
        const double *v = j->state->u[b], *P = stress[3 * a + b];
        const float* edge = l->edge_weight[3 - a - b];
        const pl_d4 at = pl_beside_d4(P, rows, i, 13) + pl_beside_d4(P, rows, i, 13 - A);
#pragma GCC unroll 9
        for (int side = 0; side < 2; side++) {
            const int up = side ? 13 + B : 13, beside = side ? 13 + B : 13 - B;
            const pl_d4 weight = pl_weight_d4(edge, rows, i, up),
                        near = pl_beside_d4(u, rows, i, beside);
            pl_d4 F = side ? near - own : own - near;
            if (shear > 0.0)
                F = (1.0 - shear) * F +
                    shear * (pl_beside_d4(v, rows, i, up) - pl_beside_d4(v, rows, i, up - A));
            pl_d4 stress_there =
                at + (pl_beside_d4(P, rows, i, beside) + pl_beside_d4(P, rows, i, beside - A));
            pl_d4 force = weight * F + 0.25 * stress_there;
            if (!inner) force = pl_where_d4(weight > 0.0, force);
            sum = side ? sum - force : sum + force;
        }
    }
    return sum;
}

PL_WIDE pl_d4 force_of(const job* j, const pl_corot_chunk* chunk, const pl_corot_masks* m, int i,
                       int a) {
    return m->band[a] ? face_force(j, chunk->rows, i, a, false)
                      : face_force(j, chunk->rows, i, a, true);
}

static double residual_part(int begin, int end, void* user) {
    const job* j = user;
    pl_corot_level* l = &j->c->levels[0];
    const pl_grid_state* s = j->state;
    pl_d4 sum = {0};
    for (int k = begin; k < end; k++) {
        const pl_corot_chunk* chunk = &l->chunks[k];
        const pl_corot_masks* m = &l->masks[chunk->begin / PL_GRID_CHUNK];
        if (!(m->core | m->slaved)) continue;
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_FOUR) {
            const int n = chunk->begin + i;
#pragma GCC unroll 9
            for (int a = 0; a < 3; a++) {
                pl_d4 r = -force_of(j, chunk, m, i, a);
                pl_d4 mass = pl_splat_d4(1.0);
                if (s->more_mass[a]) mass += pl_load_floats_d4(s->more_mass[a] + n);
                r -= s->inertia * mass * pl_load_d4(s->u[a] + n) + pl_load_d4(s->f[a] + n);
                r = pl_where_d4(pl_lanes_d4(m->inner[a] | m->band[a], i), r);
                pl_store_floats_d4(l->f[a] + n, r);
                sum += r * r;
            }
            const pl_d4 g = pl_load_floats_d4(l->g + n);
            sum += g * g;
        }
    }
    return pl_sum_d4(sum);
}

double pl_grid_corot_residual(pl_grid_corot* c, const pl_grid_state* state, double h,
                              pl_corot_turn turn) {
    job j = {.c = c, .state = state, .h = h};
    if (c->cycles.update_springs) c->cycles.update_springs(c->cycles.springs_user);
    pl_corot_update_rotations(c, state, h, turn);
    return sqrt(pl_parallel_sum(c->pool, residual_part, c->levels[0].chunk_count, CHUNKS, &j));
}

// mask of the prescribed faces across a of four cells
static pl_i4 held_lanes(const pl_corot_level* l, int n, int a) {
    pl_i4 lanes = {0};
    for (int k = 0; k < PL_FOUR; k++) lanes[k] = l->flags[n + k] & (PL_COROT_HELD << a) ? -1 : 0;
    return lanes;
}

PL_WIDE void store_forces(const void* user, const pl_corot_chunk* chunk, const pl_corot_masks* m,
                          int i) {
    const job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
#pragma GCC unroll 9
    for (int a = 0; a < 3; a++) {
        pl_i4 faces =
            j->held ? held_lanes(l, chunk->begin + i, a) : pl_lanes_d4(m->inner[a] | m->band[a], i);
        pl_d4 force =
            j->held ? face_force(j, chunk->rows, i, a, false) : force_of(j, chunk, m, i, a);
        pl_store_d4(j->out[a] + chunk->begin + i, pl_where_d4(faces, force));
    }
}

static void force_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const job* j = user;
    pl_corot_each_four(&j->c->levels[0], begin, end, store_forces, j);
}

void pl_grid_corot_forces(const pl_grid_corot* c, const pl_grid_state* state, double h, bool held,
                          double* const out[3]) {
    job j = {.c = (pl_grid_corot*)c, .state = state, .h = h, .out = out, .held = held};
    pl_parallel_for(c->pool, force_task, c->levels[0].chunk_count, CHUNKS, &j);
}

// whether some interior cell has this edge, the low one of a cell along an axis
static bool edge_counts(const pl_corot_level* l, const int* base, int i, int from, int axis) {
    const int *S = pl_corot_stride, b = (axis + 1) % 3, c = (axis + 2) % 3;
    if (!(l->edge_weight[axis][base[from] + i] > 0.0f)) return false;
    for (int k = 0; k < 4; k++) {
        int to = from - (k & 1 ? S[b] : 0) - (k & 2 ? S[c] : 0);
        if (l->flags[base[to] + i] & PL_COROT_INTERIOR) return true;
    }
    return false;
}

// sum of the squared gradients of a cell and its low edges
static double natural_energy(const pl_corot_level* l, const pl_grid_state* s, const int* base,
                             int i, double h) {
    const int *S = pl_corot_stride, n = base[13] + i;
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        double along = h + s->u[a][base[13 + S[a]] + i] - s->u[a][n];
        double bc = s->u[b][n] - s->u[b][base[13 - S[c]] + i];
        double cb = s->u[c][n] - s->u[c][base[13 - S[b]] + i];
        double squares = l->shear > 0.0f ? 0.5 * (bc + cb) * (bc + cb) : bc * bc + cb * cb;
        if (l->cell_weight[a][n] > 0.0f) sum += 0.5 * (double)l->cell_weight[a][n] * along * along;
        if (edge_counts(l, base, i, 13, a)) sum += 0.5 * (double)l->edge_weight[a][n] * squares;
    }
    return sum;
}

// contribution of a Dirichlet cell's rotation on the edges that it shares with interior cells
static double held_energy(const pl_corot_level* l, const pl_grid_state* s, const int* base, int i,
                          double h, const pl_mat3* R) {
    const int* S = pl_corot_stride;
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 4; k++) {
            int b = (axis + 1) % 3, c = (axis + 2) % 3;
            int at = 13 + (k & 1 ? S[b] : 0) + (k & 2 ? S[c] : 0);
            if (!edge_counts(l, base, i, at, axis)) continue;
            double bc = s->u[b][base[at] + i] - s->u[b][base[at - S[c]] + i];
            double cb = s->u[c][base[at] + i] - s->u[c][base[at - S[b]] + i];
            double turn_bc = R->m[3 * b + c], turn_cb = R->m[3 * c + b];
            sum += 0.25 * (double)l->mu[base[13] + i] * h *
                   (turn_bc * (h * turn_bc - 2.0 * bc) + turn_cb * (h * turn_cb - 2.0 * cb));
        }
    return sum;
}

static void add_energy(const void* user, const int* base, int i, double* sum) {
    const job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    const int n = base[13] + i;
    *sum += natural_energy(l, j->state, base, i, j->h);
    pl_mat3 R = pl_quat_to_mat3(j->c->turn[n]);
    if (l->flags[n] & PL_COROT_BESIDE) {
        *sum += held_energy(l, j->state, base, i, j->h, &R);
        return;
    }
    double F[9], own;
    float missing[9] = {0};
    if (!(l->flags[n] & PL_COROT_CORE)) pl_corot_missing(l, base, i, missing);
    pl_corot_known_gradient(l, j->state->u, base, i, j->h, F);
    pl_corot_cell_stress(l, F, missing, &R, j->h, j->state->compressibility, n, &own);
    *sum += own;
}

static double energy_part(int begin, int end, void* user) {
    const job* j = user;
    return pl_corot_sum_cells(&j->c->levels[0], begin, end, add_energy, j);
}

double pl_grid_corot_energy(const pl_grid_corot* c, const pl_grid_state* state, double h) {
    job j = {.c = (pl_grid_corot*)c, .state = state, .h = h};
    const double sum = pl_parallel_sum(c->pool, energy_part, c->levels[0].chunk_count, CHUNKS, &j);
    return c->uncouples ? sum - coupling_energy(c, h) : sum;
}

// ------------------------------------------------------------------ directions

// Sum of the squared gradients of d in cells and on their low edges, and of d itself.
PL_WIDE pl_fw natural_squares_w(const pl_corot_level* l, float* const d[3], const int* rows, int i,
                                const pl_corot_masks* m, int a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3, B = pl_corot_way(b), C = pl_corot_way(c);
    const pl_fw own = pl_beside_w(d[a], rows, i, 13);
    const pl_fw along = pl_beside_w(d[a], rows, i, 13 + pl_corot_way(a)) - own;
    const pl_fw bc = pl_beside_w(d[b], rows, i, 13) - pl_beside_w(d[b], rows, i, 13 - C);
    const pl_fw cb = pl_beside_w(d[c], rows, i, 13) - pl_beside_w(d[c], rows, i, 13 - B);
    const pl_fw squares = l->shear > 0.0f ? 0.5f * (bc + cb) * (bc + cb) : bc * bc + cb * cb;
    const pl_fw stiff = l->inertia + pl_beside_w(l->extra[a], rows, i, 13);
    pl_fw sum = pl_beside_w(l->cell_weight[a], rows, i, 13) * along * along;
    sum = pl_fma_w(pl_beside_w(l->edge_weight[a], rows, i, 13), squares, sum);
    return sum + pl_keep_w(m->inner[a] | m->band[a], i, stiff * own * own);
}

static double curvature_part(int begin, int end, void* user) {
    const job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    double_w sum = {0};
    for (int k = begin; k < end; k++) {
        const int* rows = l->chunks[k].rows;
        const pl_corot_masks* m = &l->masks[l->chunks[k].begin / PL_GRID_CHUNK];
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
            pl_fw squares = {0};
#pragma GCC unroll 9
            for (int a = 0; a < 3; a++) squares += natural_squares_w(l, j->d, rows, i, m, a);
            sum += __builtin_convertvector(squares, double_w);
            if (!(m->core | m->slaved)) continue;
            pl_fw T = pl_corot_trace_w(l, j->d, rows, i, false), R[9], g[3], y[3];
            pl_corot_twist_w(l, j->d, rows, i, false, R, g, y);
            squares = T * T * pl_beside_w(l->k, rows, i, 13);
            for (int e = 0; e < 3; e++) squares = pl_fnma_w(g[e], y[e], squares);
            squares = pl_keep_w(m->core | m->slaved, i, squares);
            sum += __builtin_convertvector(squares, double_w);
        }
    }
    double total = 0.0;
    for (int lane = 0; lane < PL_LANES; lane++) total += sum[lane];
    return total;
}

double pl_grid_corot_curvature(const pl_grid_corot* c, float* const d[3]) {
    job j = {.c = (pl_grid_corot*)c, .d = d};
    return pl_parallel_sum(c->pool, curvature_part, c->levels[0].chunk_count, CHUNKS, &j);
}

static size_t size_of(const pl_grid_corot* c) { return (size_t)c->levels[0].layout->field_size; }

// Corrections, residuals and directions are zero where there is no free face.
static double dot(const pl_grid_corot* c, float* const x[3], float* const y[3]) {
    return pl_grid_fields_dot(size_of(c), 3, x, y, c->pool);
}

void pl_grid_corot_correct(pl_grid_corot* c, pl_grid_state* state, bool conjugate) {
    const pl_corot_level* l = &c->levels[0];
    pl_corot_descent* d = &c->descent;
    const size_t size = size_of(c);
    double z_r = dot(c, l->u, l->f), turn = 0.0;
    if (conjugate && d->has_direction && d->last_product > 0.0)
        turn = fmax(0.0, (z_r - dot(c, l->u, d->before)) / d->last_product);
    if (!isfinite(turn)) turn = 0.0;
    d->last_product = z_r;
    for (int a = 0; a < 3; a++) {
        if (!d->has_direction) memset(d->direction[a], 0, size * sizeof(float));
        memcpy(d->before[a], l->f[a], size * sizeof(float));
    }
    pl_grid_fields_add(size, 3, turn, NULL, d->direction, c->pool);
    pl_grid_fields_add(size, 3, 1.0, l->u, d->direction, c->pool);
    const double slope = dot(c, d->direction, l->f);
    double bend = pl_grid_corot_curvature(c, d->direction);
    d->has_direction = slope > 0.0 && bend > 0.0;
    if (!(bend > 0.0)) return;
    d->slope = slope;
    d->length = slope / bend;
    pl_grid_state_move(state, size, 3, d->length, d->direction, c->pool);
}

double pl_grid_corot_backtrack(pl_grid_corot* c, pl_grid_state* state, double h, double residual) {
    enum { MAX_ITERATIONS = 8 };
    pl_corot_descent* d = &c->descent;
    for (int k = 0; k < MAX_ITERATIONS && d->has_direction; k++) {
        double now = dot(c, d->direction, c->levels[0].f);
        if (isfinite(residual) && fabs(now) <= 0.5 * d->slope) break;
        // secant estimate of where the slope vanishes, within bounds
        double part = 0.1;
        if (now > 0.5 * d->slope) part = now < 0.75 * d->slope ? d->slope / (d->slope - now) : 4.0;
        else if (isfinite(now)) part = fmin(fmax(d->slope / (d->slope - now), 0.1), 0.7);
        pl_grid_state_move(state, size_of(c), 3, (part - 1.0) * d->length, d->direction, c->pool);
        d->length *= part;
        residual = pl_grid_corot_residual(c, state, h, c->progress.turn);
    }
    return residual;
}
