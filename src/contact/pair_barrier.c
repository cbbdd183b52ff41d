// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Incremental potential contact (Li et al. 2020, sections 4 and 5):
//
//   E = K m(c) B(s),   s = d^2 / reach^2,   B(s) = -(s - 1)^2 ln s,   c = |u x v|^2.
//
// m is 1 except for edges u, v that are nearly parallel. There it goes to 0, because the closest
// points of parallel edges jump.
//
//   paper          here
//   d_hat, kappa   reach, size (K = kappa reach^4)
//   e_x, eps_x     m, parallel
//
// The squared distance D is the minimum of |delta|^2, delta = sum of w_i x_i, over the weights w of
// points on the two primitives. Let t be the free parameters of the weights at the minimum (none
// for two corners, 1 for a corner and an edge, else 2), w' and J the derivatives of w and delta
// with respect to t. Then
//
//   dD/dx_i = 2 w_i delta,   d2D/dx2 = 2 w w' I - 2 C (J'J)^-1 C',   C_i = w_i J + w'_i delta.
//
// The range of this matrix has at most five dimensions, so projecting it needs the eigenvalues of a
// 5 x 5 matrix, not of a 12 x 12 one.
#include "contact/pair_barrier.h"
#include "math/symmetric.h"

#include <math.h>
#include <string.h>

// Edges are nearly parallel below this fraction of |u|^2 |v|^2 at rest.
static const double PARALLEL = 1e-3;
// Weights below NO_WEIGHT are zero; edges are parallel if sin^2 of their angle is below NO_ANGLE.
static const double NO_WEIGHT = 1e-12, NO_ANGLE = 1e-10;
// Eigenvalues below this fraction of the largest one give no row.
static const double NO_ROW = 1e-9;

pl_pair_barrier pl_pair_barrier_of(const pl_quad* rest, bool is_edges, double reach, double size) {
    const pl_vec3 u = pl_sub(rest->x[1], rest->x[0]), v = pl_sub(rest->x[3], rest->x[2]);
    const double parallel = is_edges ? PARALLEL * pl_norm2(u) * pl_norm2(v) : 0.0;
    return (pl_pair_barrier){reach, size, parallel};
}

// ------------------------------------------------------------------ the two factors

// Value and derivatives of a function of one variable.
typedef struct curve {
    double value, first, second;
} curve;

// B(s) for s < 1
static curve barrier_of(double s) {
    const double l = log(s), a = s - 1.0;
    return (curve){-a * a * l, -2.0 * a * l - a * a / s, -2.0 * l - 4.0 * a / s + a * a / (s * s)};
}

// m(c)
static curve mollifier_of(const pl_pair_barrier* b, double c) {
    const double e = b->parallel;
    if (!(c < e)) return (curve){1.0, 0.0, 0.0};
    return (curve){c / e * (2.0 - c / e), 2.0 / e * (1.0 - c / e), -2.0 / (e * e)};
}

static double parallel_measure(const pl_quad* at) {
    return pl_norm2(pl_cross(pl_sub(at->x[1], at->x[0]), pl_sub(at->x[3], at->x[2])));
}

static bool is_mollified(const pl_pair_barrier* b, const pl_quad* at) {
    return b->parallel > 0.0 && parallel_measure(at) < b->parallel;
}

static curve mollifier_at(const pl_pair_barrier* b, const pl_quad* at) {
    return b->parallel > 0.0 ? mollifier_of(b, parallel_measure(at)) : (curve){1.0, 0.0, 0.0};
}

// dc/dx
static void parallel_gradient(const pl_quad* at, pl_vec3 gradient[4]) {
    const pl_vec3 u = pl_sub(at->x[1], at->x[0]), v = pl_sub(at->x[3], at->x[2]);
    const pl_vec3 p = pl_cross(u, v);
    const pl_vec3 by_u = pl_scale(2.0, pl_cross(v, p)), by_v = pl_scale(2.0, pl_cross(p, u));
    gradient[0] = pl_scale(-1.0, by_u), gradient[1] = by_u;
    gradient[2] = pl_scale(-1.0, by_v), gradient[3] = by_v;
}

// ------------------------------------------------------------------ the distance

// The closest points, and their derivatives.
typedef struct closest {
    double w[4];
    pl_vec3 delta;
    double square; // D
    int free_count;
    double dw[2][4]; // w'
    pl_vec3 J[2];
    double inverse[3]; // of J'J: 00 01 11
} closest;

static double dot4(const double a[4], const double b[4]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static pl_vec3 sum_of(const double w[4], const pl_quad* at) {
    pl_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) sum = pl_madd(sum, w[i], at->x[i]);
    return sum;
}

static void add_free(closest* c, int plus, int minus, const pl_quad* at) {
    double* dw = c->dw[c->free_count];
    dw[plus] = 1.0, dw[minus] = -1.0;
    c->J[c->free_count++] = sum_of(dw, at);
}

static void find_free(closest* c, const pl_quad* at, bool is_edges) {
    if (is_edges) {
        for (int i = 0; i < 4; i += 2)
            if (fabs(c->w[i]) > NO_WEIGHT && fabs(c->w[i + 1]) > NO_WEIGHT)
                add_free(c, i + 1, i, at);
        return;
    }
    int first = 0;
    for (int i = 1; i < 4; i++) {
        if (!(fabs(c->w[i]) > NO_WEIGHT)) continue;
        if (first) add_free(c, i, first, at);
        else first = i;
    }
}

static void invert_free(closest* c) {
    const double a = pl_norm2(c->J[0]), b = pl_dot(c->J[0], c->J[1]), d = pl_norm2(c->J[1]);
    if (c->free_count == 2 && !(a * d - b * b > NO_ANGLE * a * d)) c->free_count = 1;
    const double det = a * d - b * b;
    if (c->free_count == 2)
        c->inverse[0] = d / det, c->inverse[1] = -b / det, c->inverse[2] = a / det;
    else c->inverse[0] = a > 0.0 ? 1.0 / a : 0.0;
}

static closest find_closest(const pl_quad* at, bool is_edges) {
    closest c = {.free_count = 0};
    pl_quad_distance(at, is_edges, c.w);
    c.delta = sum_of(c.w, at);
    c.square = pl_norm2(c.delta);
    return c;
}

// C_a for corner i
static pl_vec3 mixed_of(const closest* c, int a, int i) {
    return pl_madd(pl_scale(c->w[i], c->J[a]), c->dw[a][i], c->delta);
}

static double inverse_at(const closest* c, int a, int b) { return c->inverse[a + b]; }

// ------------------------------------------------------------------ energy and gradient

double pl_pair_barrier_energy(const pl_pair_barrier* b, const pl_quad* at, bool is_edges) {
    const double d = pl_quad_distance(at, is_edges, NULL), part = d / b->reach;
    if (!(part < 1.0)) return 0.0;
    if (!(d > 0.0)) return INFINITY;
    return b->size * mollifier_at(b, at).value * barrier_of(part * part).value;
}

double pl_pair_barrier_gradient(const pl_pair_barrier* b, const pl_quad* at, bool is_edges,
                                pl_vec3 gradient[4]) {
    const closest c = find_closest(at, is_edges);
    const double s = c.square / (b->reach * b->reach);
    for (int i = 0; i < 4; i++) gradient[i] = (pl_vec3){0, 0, 0};
    if (!(s < 1.0)) return 0.0;
    if (!(s > 0.0)) return INFINITY;
    const curve m = mollifier_at(b, at), B = barrier_of(s);
    const double by_square = b->size * m.value * B.first / (b->reach * b->reach);
    for (int i = 0; i < 4; i++) gradient[i] = pl_scale(2.0 * by_square * c.w[i], c.delta);
    if (is_mollified(b, at)) {
        pl_vec3 of_c[4];
        parallel_gradient(at, of_c);
        for (int i = 0; i < 4; i++)
            gradient[i] = pl_madd(gradient[i], b->size * B.value * m.first, of_c[i]);
    }
    return b->size * m.value * B.value;
}

double pl_pair_barrier_force(const pl_pair_barrier* b, const pl_quad* at, bool is_edges,
                             double weights[4], pl_vec3* normal) {
    const closest c = find_closest(at, is_edges);
    const double s = c.square / (b->reach * b->reach), d = sqrt(c.square);
    if (!(s < 1.0) || !(s > 0.0)) return 0.0;
    memcpy(weights, c.w, sizeof c.w);
    *normal = pl_scale(1.0 / d, c.delta);
    return -2.0 * d / (b->reach * b->reach) * b->size * mollifier_at(b, at).value *
           barrier_of(s).first;
}

// ------------------------------------------------------------------ Hessian

static void store12(double to[12], const pl_vec3 from[4]) {
    for (int i = 0; i < 4; i++) pl_vec3_store(to + 3 * i, from[i]);
}

// H += factor (a b' + b a') / 2
static void add_product(double H[144], double factor, const double a[12], const double b[12]) {
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) H[12 * i + j] += 0.5 * factor * (a[i] * b[j] + b[i] * a[j]);
}

// H += factor d2D/dx2
static void add_square_hessian(double H[144], double factor, const closest* c) {
    double C[2][12];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 3; k++)
                H[12 * (3 * i + k) + 3 * j + k] += 2.0 * factor * c->w[i] * c->w[j];
    for (int a = 0; a < c->free_count; a++)
        for (int i = 0; i < 4; i++) pl_vec3_store(C[a] + 3 * i, mixed_of(c, a, i));
    for (int a = 0; a < c->free_count; a++)
        for (int b = 0; b < c->free_count; b++)
            add_product(H, -2.0 * factor * inverse_at(c, a, b), C[a], C[b]);
}

// H += factor d2c/dx2, with c = |u|^2 |v|^2 - (u.v)^2
static void add_parallel_hessian(double H[144], double factor, const pl_quad* at) {
    double u[3], v[3];
    pl_vec3_store(u, pl_sub(at->x[1], at->x[0]));
    pl_vec3_store(v, pl_sub(at->x[3], at->x[2]));
    const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double uv = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    static const double sign[4] = {-1.0, 1.0, -1.0, 1.0};
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) {
            const double same = k == l ? 1.0 : 0.0;
            const double by[2][2] = {{2.0 * (vv * same - v[k] * v[l]),
                                      4.0 * u[k] * v[l] - 2.0 * v[k] * u[l] - 2.0 * uv * same},
                                     {4.0 * v[k] * u[l] - 2.0 * u[k] * v[l] - 2.0 * uv * same,
                                      2.0 * (uu * same - u[k] * u[l])}};
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    H[12 * (3 * i + k) + 3 * j + l] +=
                        factor * sign[i] * sign[j] * by[i / 2][j / 2];
        }
}

void pl_pair_barrier_hessian(const pl_pair_barrier* b, const pl_quad* at, bool is_edges,
                             double H[144]) {
    closest c = find_closest(at, is_edges);
    const double scale = 1.0 / (b->reach * b->reach), s = c.square * scale;
    memset(H, 0, 144 * sizeof(double));
    if (!(s < 1.0) || !(s > 0.0)) return;
    find_free(&c, at, is_edges);
    if (c.free_count) invert_free(&c);
    const curve m = mollifier_at(b, at), B = barrier_of(s);
    double g[12], p[12];
    pl_vec3 corner[4];
    for (int i = 0; i < 4; i++) corner[i] = pl_scale(2.0 * scale * c.w[i], c.delta);
    store12(g, corner);
    add_product(H, b->size * m.value * B.second, g, g);
    add_square_hessian(H, b->size * m.value * B.first * scale, &c);
    if (!is_mollified(b, at)) return;
    parallel_gradient(at, corner);
    store12(p, corner);
    add_product(H, 2.0 * b->size * m.first * B.first, p, g);
    add_product(H, b->size * m.second * B.value, p, p);
    add_parallel_hessian(H, b->size * m.first * B.value, at);
}

// ------------------------------------------------------------------ rows

// The vectors q_a x n and q_0 x (n, e, f), which span the range: orthonormal.
typedef struct range {
    int count; // number of the q: 1 + free_count
    double q[3][4];
    pl_vec3 axes[3]; // n, e, f
} range;

static range range_of(const closest* c) {
    range r = {.count = 1 + c->free_count};
    memcpy(r.q[0], c->w, sizeof c->w);
    for (int a = 0; a < c->free_count; a++) memcpy(r.q[1 + a], c->dw[a], sizeof c->dw[a]);
    for (int a = 0; a < r.count; a++) {
        for (int b = 0; b < a; b++) {
            const double along = dot4(r.q[a], r.q[b]);
            for (int i = 0; i < 4; i++) r.q[a][i] -= along * r.q[b][i];
        }
        const double norm = sqrt(dot4(r.q[a], r.q[a]));
        for (int i = 0; i < 4; i++) r.q[a][i] /= norm;
    }
    const pl_vec3 n = pl_scale(1.0 / sqrt(c->square), c->delta);
    const pl_vec3 aside = fabs(n.x) < 0.6 ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 1, 0};
    pl_vec3 e = pl_cross(n, aside);
    e = pl_scale(1.0 / pl_norm(e), e);
    r.axes[0] = n, r.axes[1] = e, r.axes[2] = pl_cross(n, e);
    return r;
}

// coordinates of C_a in the basis of the range
static void coordinates_of(const closest* c, const range* r, int a, double out[5]) {
    const double d = sqrt(c->square), size = dot4(c->w, r->q[0]);
    for (int k = 0; k < 3; k++) out[k] = size * pl_dot(c->J[a], r->axes[k]);
    for (int k = 0; k < r->count; k++) out[k ? 2 + k : 0] += d * dot4(c->dw[a], r->q[k]);
}

// Rows from the eigenvectors of S (n x n), which is in the basis of the range.
static int rows_in_range(const range* r, const double* S, int n, double rows[][12]) {
    double values[5], V[25], largest = 0.0;
    int count = 0;
    if (!pl_symmetric_eigen(n, S, values, V)) return 0;
    for (int k = 0; k < n; k++) largest = fmax(largest, values[k]);
    for (int k = 0; k < n; k++) {
        if (!(values[k] > NO_ROW * largest)) continue;
        const double root = sqrt(values[k]);
        for (int i = 0; i < 4; i++) {
            pl_vec3 at = {0, 0, 0};
            for (int j = 0; j < n; j++) {
                const double* q = j < 3 ? r->q[0] : r->q[j - 2];
                at = pl_madd(at, root * V[j * n + k] * q[i], r->axes[j < 3 ? j : 0]);
            }
            pl_vec3_store(rows[count] + 3 * i, at);
        }
        count++;
    }
    return count;
}

static int plain_rows(const pl_pair_barrier* b, closest* c, double rows[][12]) {
    const double scale = 1.0 / (b->reach * b->reach);
    const curve B = barrier_of(c->square * scale);
    const range r = range_of(c);
    const int n = 2 + r.count;
    const double weight = dot4(c->w, c->w), slope = b->size * scale * B.first;
    double S[25] = {0}, C[2][5] = {{0}};
    for (int k = 0; k < 3; k++) S[k * n + k] = 2.0 * slope * weight;
    S[0] += 4.0 * b->size * scale * scale * B.second * weight * c->square;
    for (int a = 0; a < c->free_count; a++) coordinates_of(c, &r, a, C[a]);
    for (int a = 0; a < c->free_count; a++)
        for (int d = 0; d < c->free_count; d++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    S[i * n + j] -= 2.0 * slope * inverse_at(c, a, d) * C[a][i] * C[d][j];
    return rows_in_range(&r, S, n, rows);
}

static int mollified_rows(const pl_pair_barrier* b, const pl_quad* at, double rows[][12]) {
    double H[144], values[12], V[144], largest = 0.0;
    int count = 0;
    pl_pair_barrier_hessian(b, at, true, H);
    if (!pl_symmetric_eigen(12, H, values, V)) return 0;
    for (int k = 0; k < 12; k++) largest = fmax(largest, values[k]);
    for (int k = 0; k < 12; k++) {
        if (!(values[k] > NO_ROW * largest)) continue;
        for (int i = 0; i < 12; i++) rows[count][i] = sqrt(values[k]) * V[12 * i + k];
        count++;
    }
    return count;
}

int pl_pair_barrier_rows(const pl_pair_barrier* b, const pl_quad* at, bool is_edges,
                         double rows[PL_BARRIER_ROWS][12]) {
    closest c = find_closest(at, is_edges);
    const double s = c.square / (b->reach * b->reach);
    if (!(s < 1.0) || !(s > 0.0)) return 0;
    if (is_mollified(b, at)) return mollified_rows(b, at, rows);
    find_free(&c, at, is_edges);
    if (c.free_count) invert_free(&c);
    return plain_rows(b, &c, rows);
}
