// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Rotations and stresses of the cells of the general lattice (Zhu 2010, section 7), in double.
//
//   paper     here
//   R         the rotation of F, a quaternion from step to step
//   F         of a cell, averaged, times its edge h
//   P         2 mu F + s R; here s R
//
// A cell's boundary gradients depend on its rotation, F_ij = alpha R_ij, and its rotation depends
// on them. Four cells at a time take Newton steps towards the rotation of F with the boundary
// gradients of the last rotation. They stop when the step is small and provably converges to the
// nearest rotation. Cells without boundary gradients need two to four steps, others more, because
// boundary gradients converge linearly; every third step extrapolates to the limit. Dirichlet
// cells, and cells without a proof, which are near inversion, are processed one by one.
//
// Differs from the paper, which updates rotations once in several cycles and freezes boundary
// gradients between updates. Here both follow the positions, except in cells that buckle. The more
// a cell is compressed, the more energy it gains by rotating; beyond some compression that gain
// exceeds the shear energy of the rotation. Cells near a contact then flip back and forth from
// cycle to cycle, and forces do not converge. So in a body in motion such cells keep their rotation
// after the first cycle of a step (PL_COROT_TURN_STEADY), until the next step.
#include "grid/grid_corot_kernels_double.h"
#include "math/polar.h"

#include <math.h>

enum { CHUNKS = 32, MAX_ITERATIONS = 60, EXTRAPOLATED = 3 };
// A cell buckles if its ease (1 at rest) exceeds this. At 1.5 a few cells still flip; at 1 nearly
// all cells near a contact would be frozen.
static const double BUCKLING = 1.3;
// A cell at a corner of the body, whose known gradients have less than this fraction of the trace
// of R, does not buckle. Its T and the value of T at rest both vanish as it rotates away from the
// rest position, so their quotient measures this step's rotation and not compression.
static const double MIN_KNOWN_TRACE = 0.3;

typedef struct job {
    pl_grid_corot* c;
    const pl_grid_state* state;
    double h;
    pl_corot_turn turn;
} job;

// ------------------------------------------------------------------ one by one

// h F of a Dirichlet cell, from prescribed faces only. If its rotation depended on the others,
// forces would not be a gradient.
static void held_gradient(const pl_corot_level* l, double* const u[3], const int* base, int i,
                          double h, double F[9], float missing[9]) {
    const int *S = pl_corot_stride, n = base[13] + i;
    for (int a = 0; a < 3; a++) {
        F[4 * a] = h + u[a][base[13 + S[a]] + i] - u[a][n], missing[4 * a] = 0.0f;
        for (int e = 0; e < 2; e++) {
            const int b = pl_grid_other_axis(a, e), ab = 3 * a + b;
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

// Extrapolated limit of a sequence of rotations in which each step is a fraction of the previous
// one. Step lengths are almost equal where most of a cell's gradients are boundary ones.
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

// w: sum of missing * R^2
static double lost_part(const float missing[9], const pl_mat3* R) {
    double sum = 0.0;
    for (int k = 0; k < 9; k++) sum += (double)missing[k] * R->m[k] * R->m[k];
    return sum;
}

static void turn_cell(const float missing[9], const double F[9], double h, double eps, bool free,
                      pl_quat* turn) {
    pl_quat before = *turn, last = *turn;
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        pl_mat3 R = pl_quat_to_mat3(*turn), full, next;
        double w = lost_part(missing, &R), alpha = 1.0;
        if (free && w > 0.0) {
            alpha = (2.0 * eps - (pl_corot_product(F, &R) / h - 3.0)) / (2.0 * eps + w);
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

// Ease of rotating a cell: its rotation term relative to that of a cell at rest. The second
// derivative of tr S has (tr S - S)^-1 in place of the 1 / 2 of a cell at rest; here its mean. A
// cell under tension resists rotation; the ease of an inverted cell is infinite.
static double turning_ease(const pl_corot_level* l, const double F[9], const float missing[9],
                           const pl_mat3* R, double s, int n) {
    const double w = lost_part(missing, R), T = pl_corot_product(F, R);
    return T > 0.0 ? -s * (3.0 - w) / (2.0 * (double)l->mu[n] * T) : INFINITY;
}

static bool buckles(const pl_corot_level* l, const double F[9], const float missing[9],
                    const pl_quat* turn, double h, double eps, int n) {
    const pl_mat3 R = pl_quat_to_mat3(*turn);
    if (3.0 - lost_part(missing, &R) < MIN_KNOWN_TRACE) return false;
    const double s = pl_corot_cell_stress(l, F, missing, &R, h, eps, n, NULL);
    return turning_ease(l, F, missing, &R, s, n) > BUCKLING;
}

void pl_corot_update_rotation(pl_grid_corot* c, const pl_grid_state* state, double h,
                              pl_corot_turn turn, const pl_corot_chunk* chunk, int i) {
    pl_corot_level* l = &c->levels[0];
    int base[27], n = chunk->begin + i;
    double F[9], eps = state->compressibility, mu = (double)l->mu[n];
    float missing[9] = {0};
    const bool held = l->flags[n] & PL_COROT_BESIDE, core = l->flags[n] & PL_COROT_CORE;
    pl_corot_reach(chunk, base);
    if (held) held_gradient(l, state->u, base, i, h, F, missing);
    else pl_corot_known_gradient(l, state->u, base, i, h, F);
    if (!held && !core) pl_corot_missing(l, base, i, missing);
    const bool stays =
        turn == PL_COROT_TURN_NONE || c->problem == PL_COROT_LINEAR ||
        (turn == PL_COROT_TURN_STEADY && !held && buckles(l, F, missing, &c->turn[n], h, eps, n));
    if (!stays) turn_cell(missing, F, h, eps, !held, &c->turn[n]);
    pl_mat3 R = pl_quat_to_mat3(c->turn[n]);
    double s = held ? -2.0 * mu * h : pl_corot_cell_stress(l, F, missing, &R, h, eps, n, NULL);
    l->g[n] = 0.0f;
    if (c->phase == PL_COROT_RECOMBINED && core) {
        l->g[n] = (float)(eps * state->p[n] / mu - (pl_corot_product(F, &R) - 3.0 * h));
        s = state->p[n] - 2.0 * mu * h;
    }
    for (int e = 0; e < 9; e++) c->stress[e][n] = s * R.m[e], c->rotation[e][n] = R.m[e];
    if (!held) c->ease[n] = (float)fmin(fmax(turning_ease(l, F, missing, &R, s, n), 0.0), 1.0);
}

// ------------------------------------------------------------------ four at a time

typedef struct quats {
    pl_d4 v[4]; // x, y, z, w
} quats;

PL_WIDE quats load_quats(const pl_quat* q) {
    return (quats){{{q[0].x, q[1].x, q[2].x, q[3].x},
                    {q[0].y, q[1].y, q[2].y, q[3].y},
                    {q[0].z, q[1].z, q[2].z, q[3].z},
                    {q[0].w, q[1].w, q[2].w, q[3].w}}};
}
PL_WIDE void store_quats(quats q, pl_i4 lanes, pl_quat* to) {
    for (int k = 0; k < PL_FOUR; k++)
        if (lanes[k]) to[k] = (pl_quat){q.v[0][k], q.v[1][k], q.v[2][k], q.v[3][k]};
}
PL_WIDE void rotation_of(quats q, pl_d4 R[9]) {
    const pl_d4 x = q.v[0], y = q.v[1], z = q.v[2], w = q.v[3];
    const pl_d4 x2 = x + x, y2 = y + y, z2 = z + z;
    const pl_d4 xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2;
    const pl_d4 yz = y * z2, wx = w * x2, wy = w * y2, wz = w * z2;
    R[0] = 1.0 - yy - zz, R[1] = xy - wz, R[2] = xz + wy;
    R[3] = xy + wz, R[4] = 1.0 - xx - zz, R[5] = yz - wx;
    R[6] = xz - wy, R[7] = yz + wx, R[8] = 1.0 - xx - yy;
}
PL_WIDE pl_d4 product_of(const pl_d4 x[9], const pl_d4 y[9]) {
    pl_d4 sum = x[0] * y[0];
#pragma GCC unroll 9
    for (int e = 1; e < 9; e++) sum += x[e] * y[e];
    return sum;
}
// sum of missing R^2
PL_WIDE pl_d4 lost_of(const pl_d4 missing[9], const pl_d4 R[9]) {
    pl_d4 sum = missing[0] * R[0] * R[0];
#pragma GCC unroll 9
    for (int e = 1; e < 9; e++) sum += missing[e] * R[e] * R[e];
    return sum;
}

PL_WIDE quats unit_quats(quats q) {
    pl_d4 length = q.v[0] * q.v[0] + q.v[1] * q.v[1] + q.v[2] * q.v[2] + q.v[3] * q.v[3];
    for (int k = 0; k < PL_FOUR; k++) length[k] = sqrt(length[k]);
    length = 1.0 / length;
    for (int k = 0; k < 4; k++) q.v[k] *= length;
    return q;
}

// One Newton step of q, whose rotation is R, towards the rotation of F (see polar.h). Returns the
// squared half angle, and the lanes where the nearest rotation is provably near.
PL_WIDE pl_d4 newton_step(const pl_d4 F[9], const pl_d4 R[9], quats* q, pl_i4* proved) {
    pl_d4 m[9];
#pragma GCC unroll 9
    for (int e = 0; e < 9; e++)
        m[e] = R[e / 3] * F[e % 3] + R[3 + e / 3] * F[3 + e % 3] + R[6 + e / 3] * F[6 + e % 3];
    const pl_d4 g0 = m[7] - m[5], g1 = m[2] - m[6], g2 = m[3] - m[1];
    const pl_d4 h00 = m[4] + m[8], h11 = m[0] + m[8], h22 = m[0] + m[4], trace = h00 + h11 + h22;
    const pl_d4 h01 = -0.5 * (m[1] + m[3]), h02 = -0.5 * (m[2] + m[6]), h12 = -0.5 * (m[5] + m[7]);
    const pl_d4 c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22;
    const pl_d4 c02 = h01 * h12 - h02 * h11, c11 = h00 * h22 - h02 * h02;
    const pl_d4 c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
    const pl_d4 det = h00 * c00 + h01 * c01 + h02 * c02, trace3 = trace * trace * trace;
    *proved = (h00 > 0.0) & (c22 > 0.0) & (det > 1e-3 * trace3) & (trace3 > 1e-90) & (det < 1e200);
    // unproven steps are useless: those cells are processed again
    const pl_d4 scale = 0.5 / pl_select_d4(*proved, det, pl_splat_d4(1.0) + det * det);
    pl_d4 w0 = scale * (c00 * g0 + c01 * g1 + c02 * g2);
    pl_d4 w1 = scale * (c01 * g0 + c11 * g1 + c12 * g2);
    pl_d4 w2 = scale * (c02 * g0 + c12 * g1 + c22 * g2);
    const pl_d4 size = w0 * w0 + w1 * w1 + w2 * w2;
    pl_d4 limit = pl_splat_d4(1.0); // rotations of at most one half
    for (int k = 0; k < PL_FOUR; k++)
        if (size[k] > 0.25) limit[k] = 0.5 / sqrt(size[k]);
    w0 *= limit, w1 *= limit, w2 *= limit;
    const pl_d4 x = q->v[0], y = q->v[1], z = q->v[2], w = q->v[3];
    const quats r = {{x + w * w0 + y * w2 - z * w1, y + w * w1 + z * w0 - x * w2,
                      z + w * w2 + x * w1 - y * w0, w - x * w0 - y * w1 - z * w2}};
    *q = unit_quats(r);
    return size;
}

// The same as for one cell, in lanes.
PL_WIDE void extrapolate_four(const quats* before, const quats* last, pl_i4 lanes, quats* q) {
    pl_d4 both = {0}, square = {0};
    quats next;
    for (int k = 0; k < 4; k++) {
        const pl_d4 step = last->v[k] - before->v[k];
        both += (q->v[k] - last->v[k]) * step;
        square += step * step;
    }
    lanes &= (square > 0.0) & (both > 0.0);
    pl_d4 part = both / pl_select_d4(lanes, square, pl_splat_d4(1.0));
    part = pl_min_d4(part, pl_splat_d4(0.98));
    for (int k = 0; k < 4; k++) next.v[k] = q->v[k] + part / (1.0 - part) * (q->v[k] - last->v[k]);
    next = unit_quats(next);
    for (int k = 0; k < 4; k++) q->v[k] = pl_select_d4(lanes, next.v[k], q->v[k]);
}

// Iterates q to convergence and returns the lanes with a proof. F is h times the gradient.
PL_WIDE pl_i4 turn_four(const pl_d4 F[9], const pl_d4 missing[9], bool core, pl_i4 lanes, double h,
                        double eps, quats* q) {
    pl_d4 G[9], R[9], full[9];
    pl_i4 proved = {0};
    quats before = *q, last = *q;
#pragma GCC unroll 9
    for (int e = 0; e < 9; e++) G[e] = F[e] / h;
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        rotation_of(*q, R);
        pl_i4 exact = (pl_i4){0} - 1;
        if (!core) {
            const pl_d4 w = lost_of(missing, R);
            pl_d4 alpha = (2.0 * eps - (product_of(G, R) - 3.0)) / (2.0 * eps + w);
            alpha = pl_min_d4(pl_max_d4(alpha, pl_splat_d4(0.25)), pl_splat_d4(4.0));
            exact = w == 0.0;
            alpha = pl_select_d4(exact, pl_splat_d4(1.0), alpha);
#pragma GCC unroll 9
            for (int e = 0; e < 9; e++) full[e] = G[e] + missing[e] * alpha * R[e];
        }
        before = last, last = *q;
        // Newton converges quadratically, but boundary gradients converge linearly
        const pl_d4 size = newton_step(core ? G : full, R, q, &proved);
        const pl_i4 done = proved & (((size < 1e-14) & exact) | (size < 1e-19));
        if (!pl_any_d4(lanes & ~done)) break;
        if (core && iteration == 7) return done;
        if (!core && iteration % EXTRAPOLATED == EXTRAPOLATED - 1)
            extrapolate_four(&before, &last, ~exact & ~done, q);
    }
    return proved;
}

// The same as for one cell, in lanes; w: sum of missing * R^2.
PL_WIDE pl_d4 ease_of(pl_d4 s, pl_d4 w, pl_d4 mu, pl_d4 T) {
    return pl_select_d4(T > 0.0, -s * (3.0 - w) / (2.0 * mu * T), pl_splat_d4(INFINITY));
}
// s + 2 mu h where pressures are eliminated
PL_WIDE pl_d4 pressure_of(pl_d4 T, pl_d4 w, pl_d4 mu, double h, double eps) {
    return mu / (eps + 0.5 * w) * (T - h * (3.0 - w));
}
PL_WIDE pl_i4 buckling_four(const pl_d4 F[9], const pl_d4 missing[9], bool core, pl_d4 mu, double h,
                            double eps, quats q) {
    pl_d4 R[9];
    rotation_of(q, R);
    const pl_d4 T = product_of(F, R), w = core ? pl_splat_d4(0.0) : lost_of(missing, R);
    return (ease_of(pressure_of(T, w, mu, h, eps) - 2.0 * mu * h, w, mu, T) > BUCKLING) &
           (3.0 - w >= MIN_KNOWN_TRACE);
}

// Cells i to i + 3 of a chunk; lanes: mask of the interior ones. Returns those without a proof.
PL_WIDE pl_i4 set_four(const job* j, const int* rows, int i, bool core, pl_i4 lanes) {
    pl_grid_corot* c = j->c;
    pl_corot_level* l = &c->levels[0];
    const int n = pl_corot_at(rows, i, 13);
    const double h = j->h, eps = j->state->compressibility;
    pl_d4 F[9], R[9], missing[9];
    pl_corot_gradient_d4(l, j->state->u, rows, i, core, h, F);
    if (!core) pl_corot_missing_d4(l, rows, i, missing);
    quats q = load_quats(c->turn + n);
    const pl_d4 mu = pl_load_floats_d4(l->mu + n);
    pl_i4 good = lanes, stay = {0};
    if (j->turn != PL_COROT_TURN_NONE && c->problem != PL_COROT_LINEAR) {
        const quats before = q;
        if (j->turn == PL_COROT_TURN_STEADY)
            stay = lanes & buckling_four(F, missing, core, mu, h, eps, q);
        good = stay | (lanes & turn_four(F, missing, core, lanes & ~stay, h, eps, &q));
        for (int k = 0; k < 4; k++) q.v[k] = pl_select_d4(stay, before.v[k], q.v[k]);
        store_quats(q, good, c->turn + n);
    }
    rotation_of(q, R);
    const pl_d4 T = product_of(F, R), w = core ? pl_splat_d4(0.0) : lost_of(missing, R);
    pl_d4 s = pressure_of(T, w, mu, h, eps), g = {0};
    if (c->phase == PL_COROT_RECOMBINED) {
        const pl_i4 own = pl_lanes_d4(l->masks[n / PL_GRID_CHUNK].core, i);
        const pl_d4 p = pl_load_d4(j->state->p + n);
        g = pl_where_d4(own, eps * p / mu - (T - 3.0 * h));
        s = pl_select_d4(own, p, s);
    }
    s = pl_where_d4(lanes, s - 2.0 * mu * h);
    const pl_d4 ease = ease_of(s, w, mu, T), one = pl_splat_d4(1.0);
    pl_store_floats_d4(c->ease + n,
                       pl_select_d4(ease < 1.0, pl_max_d4(ease, pl_splat_d4(0.0)), one));
    pl_store_floats_d4(l->g + n, g);
#pragma GCC unroll 9
    for (int e = 0; e < 9; e++) {
        pl_store_d4(c->stress[e] + n, s * R[e]);
        pl_store_d4(c->rotation[e] + n, R[e]);
    }
    return lanes & ~good;
}

PL_WIDE void set_cells(const void* user, const pl_corot_chunk* chunk, const pl_corot_masks* m,
                       int i) {
    const job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    const int four = (1 << PL_FOUR) - 1, slaved = m->slaved >> i & four;
    const pl_i4 lanes = pl_lanes_d4(m->core | m->slaved, i);
    pl_i4 left = {0};
    if (slaved) left = set_four(j, chunk->rows, i, false, lanes);
    else if (m->core >> i & four) left = set_four(j, chunk->rows, i, true, lanes);
    for (int lane = 0; lane < PL_FOUR; lane++)
        if (left[lane] || l->flags[chunk->begin + i + lane] & PL_COROT_BESIDE)
            pl_corot_update_rotation(j->c, j->state, j->h, j->turn, chunk, i + lane);
}

static void cell_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const job* j = user;
    pl_corot_each_four(&j->c->levels[0], begin, end, set_cells, j);
}

void pl_corot_update_rotations(pl_grid_corot* c, const pl_grid_state* state, double h,
                               pl_corot_turn turn) {
    job j = {.c = c, .state = state, .h = h, .turn = turn};
    pl_parallel_for(c->pool, cell_task, c->levels[0].chunk_count, CHUNKS, &j);
    if (c->uncouples) pl_corot_uncouple(c, h);
}
