// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The general lattice in double: rotations, forces, energy, and steps along conjugate directions.
// Positions are displacements in metres, gradients are differences over a cell: h F = h I + D u.
#include "base/memory.h"
#include "grid/grid_corot.h"
#include "grid/grid_corot_stencil.h"
#include "math/polar.h"

#include <math.h>
#include <string.h>

enum { CHUNKS = 32 };

typedef struct job {
    pl_grid_corot* c;
    const pl_grid_state* state;
    double h;
    bool turn_cells;
    double* const* out;
    float* const* d;
} job;

// h F of a cell without what is missing of it
static void known_gradient(const pl_corot_level* l, double* const u[3], const int* base, int i,
                           double h, double F[9]) {
    const int *S = pl_corot_stride, n = base[13] + i;
    for (int a = 0; a < 3; a++) {
        const double* v = u[a];
        const int next = base[13 + S[a]] + i;
        F[4 * a] = l->cell_weight[a][n] > 0.0f ? h + v[next] - v[n] : 0.0;
        for (int e = 0; e < 2; e++) {
            const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), c = 3 - a - b;
            const int up = base[13 + S[b]] + i, far = base[13 + S[a] + S[b]] + i;
            double part = 0.0;
            if (l->edge_weight[c][n] > 0.0f) part += v[n] - v[base[13 - S[b]] + i];
            if (l->edge_weight[c][up] > 0.0f) part += v[up] - v[n];
            if (l->edge_weight[c][next] > 0.0f) part += v[next] - v[base[13 + S[a] - S[b]] + i];
            if (l->edge_weight[c][far] > 0.0f) part += v[far] - v[next];
            F[3 * a + b] = 0.25 * part;
        }
    }
}

// The same of a held cell, from faces that are given: its rotation must not depend on the others,
// or forces would be no gradient.
static void held_gradient(const pl_corot_level* l, double* const u[3], const int* base, int i,
                          double h, double F[9], float missing[9]) {
    const int *S = pl_corot_stride, n = base[13] + i;
    for (int a = 0; a < 3; a++) {
        F[4 * a] = h + u[a][base[13 + S[a]] + i] - u[a][n], missing[4 * a] = 0.0f;
        for (int e = 0; e < 2; e++) {
            const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), ab = 3 * a + b;
            const uint16_t held = (uint16_t)(PL_COROT_HELD << a);
            F[ab] = 0.0, missing[ab] = 1.0f;
            for (int k = 0; k < 4; k++) {
                const int at = 13 + (k & 1 ? S[a] : 0) + (k & 2 ? S[b] : 0);
                const int high = base[at] + i, low = base[at - S[b]] + i;
                if (!(l->flags[high] & l->flags[low] & held)) continue;
                F[ab] += 0.25 * (u[a][high] - u[a][low]), missing[ab] -= 0.25f;
            }
        }
    }
}

static double product(const double F[9], const pl_mat3* R) {
    double sum = 0.0;
    for (int k = 0; k < 9; k++) sum += F[k] * R->m[k];
    return sum;
}

// The limit of a sequence of rotations of which each step is a part of the one before. Such steps
// are of almost the same length where most of a cell's gradients are boundary ones.
static void extrapolate(const pl_quat* before, const pl_quat* last, pl_quat* turn) {
    const double p[4] = {before->x, before->y, before->z, before->w};
    const double q[4] = {last->x, last->y, last->z, last->w};
    double r[4] = {turn->x, turn->y, turn->z, turn->w}, both = 0.0, square = 0.0, norm = 0.0;
    for (int k = 0; k < 4; k++) {
        both += (r[k] - q[k]) * (q[k] - p[k]);
        square += (q[k] - p[k]) * (q[k] - p[k]);
    }
    double part = square > 0.0 ? fmin(both / square, 0.98) : 0.0;
    if (!(part > 0.0)) return;
    for (int k = 0; k < 4; k++) {
        r[k] += part / (1.0 - part) * (r[k] - q[k]);
        norm += r[k] * r[k];
    }
    norm = sqrt(norm);
    *turn = (pl_quat){r[0] / norm, r[1] / norm, r[2] / norm, r[3] / norm};
}

// A cell's boundary gradients follow its rotation, F_ij = alpha R_ij; its rotation follows these.
static void turn_cell(const float missing[9], const double F[9], double h, double eps, bool free,
                      pl_quat* turn) {
    enum { MOST = 60, EXTRAPOLATED = 3 };
    pl_quat before = *turn, last = *turn;
    for (int iteration = 0; iteration < MOST; iteration++) {
        pl_mat3 R = pl_quat_to_mat3(*turn), full, next;
        double w = 0.0, alpha = 1.0;
        for (int k = 0; k < 9; k++) w += (double)missing[k] * R.m[k] * R.m[k];
        if (free && w > 0.0) {
            alpha = (2.0 * eps - (product(F, &R) / h - 3.0)) / (2.0 * eps + w);
            alpha = fmin(fmax(alpha, 0.25), 4.0);
        }
        for (int k = 0; k < 9; k++) full.m[k] = F[k] / h + (double)missing[k] * alpha * R.m[k];
        pl_quat q = *turn;
        if (!pl_polar_warm(full, &q, &next)) return;
        before = last, last = *turn, *turn = q;
        if (w == 0.0 || pl_mat3_norm(pl_mat3_sub(next, R)) < 1e-9) return;
        if (iteration % EXTRAPOLATED == EXTRAPOLATED - 1) extrapolate(&before, &last, turn);
    }
}

// s of a cell, times h; and its T and w
static double cell_stress(const pl_corot_level* l, const double F[9], const float missing[9],
                          const pl_mat3* R, double h, double eps, int n, double* energy) {
    double w = 0.0, T = product(F, R), mu = (double)l->mu[n];
    for (int k = 0; k < 9; k++) w += (double)missing[k] * R->m[k] * R->m[k];
    bool interior = l->flags[n] & PL_COROT_INTERIOR;
    double k = interior ? mu / (eps + 0.5 * w) : 0.0, growth = T - h * (3.0 - w);
    if (energy) *energy = mu * h * (h * (3.0 - w) - 2.0 * T) + 0.5 * k * growth * growth;
    return k * growth - 2.0 * mu * h;
}

// What turning a cell costs less than with its rotation frozen, as a part of what that is in a cell
// at rest. The second derivative of tr S has (tr S - S)^-1 where a cell at rest has 1 / 2; here its
// mean. A cell under tension resists turns.
static float turning_ease(const pl_corot_level* l, const double F[9], const float missing[9],
                          const pl_mat3* R, double s, int n) {
    double w = 0.0, T = product(F, R);
    for (int k = 0; k < 9; k++) w += (double)missing[k] * R->m[k] * R->m[k];
    double ease = -s * (3.0 - w) / (2.0 * (double)l->mu[n] * T);
    return (float)(ease < 1.0 ? fmax(ease, 0.0) : 1.0);
}

static void cell_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const job* j = user;
    pl_grid_corot* c = j->c;
    const pl_corot_level* l = &c->levels[0];
    int base[27];
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            int n = base[13] + i;
            if (!(l->flags[n] & (PL_COROT_INTERIOR | PL_COROT_BESIDE))) continue;
            double F[9];
            float missing[9] = {0};
            bool held = l->flags[n] & PL_COROT_BESIDE;
            if (held) held_gradient(l, j->state->u, base, i, j->h, F, missing);
            else known_gradient(l, j->state->u, base, i, j->h, F);
            if (!held && !(l->flags[n] & PL_COROT_CORE)) pl_corot_missing(l, base, i, missing);
            double eps = j->state->compressibility;
            if (j->turn_cells && c->rotates) turn_cell(missing, F, j->h, eps, !held, &c->turn[n]);
            pl_mat3 R = pl_quat_to_mat3(c->turn[n]);
            double s = held ? -2.0 * (double)l->mu[n] * j->h
                            : cell_stress(l, F, missing, &R, j->h, eps, n, NULL);
            c->levels[0].g[n] = 0.0f;
            if (c->keeps_pressure && l->flags[n] & PL_COROT_CORE) {
                double mu = (double)l->mu[n], p = j->state->p[n];
                c->levels[0].g[n] = (float)(eps * p / mu - (product(F, &R) - 3.0 * j->h));
                s = p - 2.0 * mu * j->h;
            }
            for (int e = 0; e < 9; e++) c->stress[n][e] = s * R.m[e];
            if (!held) c->ease[n] = turning_ease(l, F, missing, &R, s, n);
        }
    }
}

// the gradient of the energy at a face
static double face_force(const job* j, const int* base, int i, int a) {
    const pl_grid_corot* c = j->c;
    const pl_corot_level* l = &c->levels[0];
    const int *S = pl_corot_stride, n = base[13] + i, m = base[13 - S[a]] + i;
    const double* u = j->state->u[a];
    double sum = 0.0, shear = (double)l->shear;
    if (l->cell_weight[a][m] > 0.0f)
        sum += (double)l->cell_weight[a][m] * (j->h + u[n] - u[m]) + c->stress[m][4 * a];
    if (l->cell_weight[a][n] > 0.0f)
        sum -= (double)l->cell_weight[a][n] * (j->h + u[base[13 + S[a]] + i] - u[n]) +
               c->stress[n][4 * a];
    for (int e = 0; e < 2; e++) {
        const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), axis = 3 - a - b, ab = 3 * a + b;
        const double* v = j->state->u[b];
        for (int side = 0; side < 2; side++) {
            // the edge's cells, the upper ones along b first
            int up = side ? base[13 + S[b]] + i : n, up_m = side ? base[13 + S[b] - S[a]] + i : m;
            int low = side ? n : base[13 - S[b]] + i, low_m = side ? m : base[13 - S[a] - S[b]] + i;
            double weight = (double)l->edge_weight[axis][up];
            if (!(weight > 0.0)) continue;
            double F = (1.0 - shear) * (u[up] - u[low]);
            if (shear > 0.0) F += shear * (v[up] - v[up_m]);
            double P = weight * F + 0.25 * (c->stress[up][ab] + c->stress[up_m][ab] +
                                            c->stress[low][ab] + c->stress[low_m][ab]);
            sum += side ? -P : P;
        }
    }
    return sum;
}

static double residual_part(int begin, int end, void* user) {
    const job* j = user;
    pl_corot_level* l = &j->c->levels[0];
    const pl_grid_state* s = j->state;
    int base[27];
    double sum = 0.0;
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            int n = base[13] + i;
            for (int a = 0; a < 3; a++) {
                if (!(l->flags[n] & (PL_COROT_FACE << a))) continue;
                double r = -face_force(j, base, i, a) - s->inertia * s->u[a][n] - s->f[a][n];
                l->f[a][n] = (float)r;
                sum += r * r;
            }
            sum += (double)l->g[n] * (double)l->g[n];
        }
    }
    return sum;
}

double pl_grid_corot_residual(pl_grid_corot* c, const pl_grid_state* state, double h,
                              bool turn_cells) {
    job j = {.c = c, .state = state, .h = h, .turn_cells = turn_cells};
    pl_parallel_for(c->pool, cell_task, c->levels[0].chunk_count, CHUNKS, &j);
    return sqrt(pl_parallel_sum(c->pool, residual_part, c->levels[0].chunk_count, CHUNKS, &j));
}

static void force_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    int base[27];
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++)
                j->out[a][base[13] + i] =
                    l->flags[base[13] + i] & (PL_COROT_FACE << a) ? face_force(j, base, i, a) : 0.0;
    }
}

void pl_grid_corot_forces(const pl_grid_corot* c, const pl_grid_state* state, double h,
                          double* const out[3]) {
    job j = {.c = (pl_grid_corot*)c, .state = state, .h = h, .out = out};
    pl_parallel_for(c->pool, force_task, c->levels[0].chunk_count, CHUNKS, &j);
}

// whether an interior cell has this edge, the low one of a cell along an axis
static bool edge_counts(const pl_corot_level* l, const int* base, int i, int from, int axis) {
    const int *S = pl_corot_stride, b = (axis + 1) % 3, c = (axis + 2) % 3;
    if (!(l->edge_weight[axis][base[from] + i] > 0.0f)) return false;
    for (int k = 0; k < 4; k++) {
        int to = from - (k & 1 ? S[b] : 0) - (k & 2 ? S[c] : 0);
        if (l->flags[base[to] + i] & PL_COROT_INTERIOR) return true;
    }
    return false;
}

// the squares of the gradients that live in a cell and on its low edges
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

// what the rotation of a held cell does on the edges that interior cells have too
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

static double energy_part(int begin, int end, void* user) {
    const job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    int base[27];
    double sum = 0.0;
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            int n = base[13] + i;
            if (!(l->flags[n] & (PL_COROT_INTERIOR | PL_COROT_BESIDE))) continue;
            sum += natural_energy(l, j->state, base, i, j->h);
            pl_mat3 R = pl_quat_to_mat3(j->c->turn[n]);
            if (l->flags[n] & PL_COROT_BESIDE) {
                sum += held_energy(l, j->state, base, i, j->h, &R);
                continue;
            }
            double F[9], own;
            float missing[9] = {0};
            if (!(l->flags[n] & PL_COROT_CORE)) pl_corot_missing(l, base, i, missing);
            known_gradient(l, j->state->u, base, i, j->h, F);
            cell_stress(l, F, missing, &R, j->h, j->state->compressibility, n, &own);
            sum += own;
        }
    }
    return sum;
}

double pl_grid_corot_energy(const pl_grid_corot* c, const pl_grid_state* state, double h) {
    job j = {.c = (pl_grid_corot*)c, .state = state, .h = h};
    return pl_parallel_sum(c->pool, energy_part, c->levels[0].chunk_count, CHUNKS, &j);
}

// ------------------------------------------------------------------ directions

static double curvature_part(int begin, int end, void* user) {
    const job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    const int* S = pl_corot_stride;
    int base[27];
    double sum = 0.0;
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            const int n = base[13] + i;
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                double own = (double)j->d[a][n];
                double along = (double)j->d[a][base[13 + S[a]] + i] - own;
                double bc = (double)(j->d[b][n] - j->d[b][base[13 - S[c]] + i]);
                double cb = (double)(j->d[c][n] - j->d[c][base[13 - S[b]] + i]);
                double squares = l->shear > 0.0f ? 0.5 * (bc + cb) * (bc + cb) : bc * bc + cb * cb;
                if (l->cell_weight[a][n] > 0.0f)
                    sum += (double)l->cell_weight[a][n] * along * along;
                if (l->edge_weight[a][n] > 0.0f) sum += (double)l->edge_weight[a][n] * squares;
                if (l->flags[n] & (PL_COROT_FACE << a))
                    sum += (double)(l->inertia + l->extra[a][n]) * own * own;
            }
            if (!(l->flags[n] & PL_COROT_INTERIOR)) continue;
            double T = (double)pl_corot_trace(l, j->d, base, i);
            sum += (double)l->k[n] * T * T - pl_corot_twist_square(l, j->d, base, i);
        }
    }
    return sum;
}

double pl_grid_corot_curvature(const pl_grid_corot* c, float* const d[3]) {
    job j = {.c = (pl_grid_corot*)c, .d = d};
    return pl_parallel_sum(c->pool, curvature_part, c->levels[0].chunk_count, CHUNKS, &j);
}

typedef struct dot_job {
    const pl_grid_corot* c;
    float* const* x;
    float* const* y;
    float* const* minus; // of y, or NULL
} dot_job;

static double dot_part(int begin, int end, void* user) {
    const dot_job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    double sum = 0.0;
    for (int k = begin; k < end; k++)
        for (int i = l->chunks[k].begin; i < l->chunks[k].begin + PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++)
                if (l->flags[i] & (PL_COROT_FACE << a))
                    sum += (double)j->x[a][i] *
                           (double)(j->minus ? j->y[a][i] - j->minus[a][i] : j->y[a][i]);
    return sum;
}

static double dot(const pl_grid_corot* c, float* const x[3], float* const y[3],
                  float* const minus[3]) {
    dot_job j = {c, x, y, minus};
    return pl_parallel_sum(c->pool, dot_part, c->levels[0].chunk_count, CHUNKS, &j);
}

typedef struct move_job {
    pl_grid_corot* c;
    pl_grid_state* state;
    double factor; // of the last direction, then of the new one
} move_job;

static void turn_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const move_job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    for (int k = begin; k < end; k++)
        for (int i = l->chunks[k].begin; i < l->chunks[k].begin + PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                float* d = &j->c->direction[a][i];
                bool own = l->flags[i] & (PL_COROT_FACE << a);
                *d = own ? l->u[a][i] + (float)j->factor * *d : 0.0f;
                j->c->before[a][i] = l->f[a][i];
            }
}

static void move_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const move_job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    for (int k = begin; k < end; k++)
        for (int i = l->chunks[k].begin; i < l->chunks[k].begin + PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++)
                if (l->flags[i] & (PL_COROT_FACE << a))
                    j->state->u[a][i] += j->factor * (double)j->c->direction[a][i];
}

void pl_grid_corot_correct(pl_grid_corot* c, pl_grid_state* state, bool conjugate) {
    pl_corot_level* l = &c->levels[0];
    double z_r = dot(c, l->u, l->f, NULL), turn = 0.0;
    if (conjugate && c->has_direction && c->last_product > 0.0)
        turn = fmax(0.0, dot(c, l->u, l->f, c->before) / c->last_product);
    if (!isfinite(turn)) turn = 0.0;
    c->last_product = z_r;
    move_job j = {.c = c, .state = state, .factor = turn};
    if (!c->has_direction)
        for (int a = 0; a < 3; a++)
            memset(c->direction[a], 0, (size_t)l->layout->field_size * sizeof(float));
    pl_parallel_for(c->pool, turn_task, l->chunk_count, CHUNKS, &j);
    double slope = dot(c, c->direction, l->f, NULL);
    double bend = pl_grid_corot_curvature(c, c->direction);
    c->has_direction = slope > 0.0 && bend > 0.0;
    if (!(bend > 0.0)) return;
    c->slope = slope;
    j.factor = c->step = slope / bend;
    pl_parallel_for(c->pool, move_task, l->chunk_count, CHUNKS, &j);
}

double pl_grid_corot_backtrack(pl_grid_corot* c, pl_grid_state* state, double h, double residual) {
    enum { MOST = 8 };
    for (int k = 0; k < MOST && c->has_direction; k++) {
        double now = dot(c, c->direction, c->levels[0].f, NULL);
        if (isfinite(residual) && now >= -0.5 * c->slope) break;
        double part = isfinite(now) ? fmin(fmax(c->slope / (c->slope - now), 0.1), 0.7) : 0.1;
        move_job j = {.c = c, .state = state, .factor = (part - 1.0) * c->step};
        pl_parallel_for(c->pool, move_task, c->levels[0].chunk_count, CHUNKS, &j);
        c->step *= part;
        residual = pl_grid_corot_residual(c, state, h, true);
    }
    return residual;
}
