// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// H is initially the inverse M^-1 of the lumped masses. An implicit step has M + h^2 K instead of
// M, so no body responds as much as this: pushes computed with it are too small, never too large.
// Each trial step corrects H by the BFGS formula (Broyden, Fletcher, Goldfarb, Shanno) for a matrix
// with H q = x:
//
//   H + x x' / (x' q) - b b' / (q' b),   b = H q.
//
// Each correction is two columns c with a scale s: H = M^-1 + sum of s c c'.
//
// Rigid bodies start with their exact free response: six columns each, for translation and
// rotation. Learning only adds the effect of what constrains them.
#include "contact/push_response.h"
#include "base/memory.h"

#include <math.h>

// A change is noise if it moves vertices by less than this fraction of the model's prediction.
static const double MIN_RESPONSE = 1e-6;
// Rigid bodies gain and lose contacts between rounds, so a change says little about the next one.
// Their response is assumed to be at least this fraction of the prediction (Powell's damping).
static const double MIN_RIGID_RESPONSE = 0.2;

static size_t value_count(const pl_push_response* r) { return 3 * (size_t)r->vertex_count; }

void pl_push_response_free(pl_push_response* r) {
    PL_FREE(r->columns, double, PL_PUSH_COLUMNS* value_count(r));
    *r = (pl_push_response){0};
}

void pl_push_response_begin(pl_push_response* r, const double* inverse_mass) {
    r->inverse_mass = inverse_mass;
    r->scale = 1.0;
    r->column_count = 0;
}

static double dot(const double* a, const double* b, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

int pl_push_rigid_of(const pl_push_response* r, int vertex) {
    int low = 0, high = r->rigid_count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (r->rigid[middle].first <= vertex) low = middle;
        else high = middle;
    }
    return low;
}

pl_vec3 pl_push_rigid_column(const pl_push_response* r, int body, int vertex, int k) {
    const pl_push_rigid* b = &r->rigid[body];
    if (k < 3) return pl_scale(b->root, (pl_vec3){k == 0, k == 1, k == 2});
    const pl_vec3 arm = pl_sub(pl_vec3_load(b->places + 3 * (size_t)vertex), b->centre);
    return pl_cross(pl_mat3_column(&b->turn_root, k - 3), arm);
}

static void add_rigid(const pl_push_response* r, int body, const double* q, double* x) {
    const int begin = r->rigid[body].first;
    const int end = body + 1 < r->rigid_count ? r->rigid[body + 1].first : r->vertex_count;
    for (int k = 0; k < PL_PUSH_RIGID_COLUMNS; k++) {
        double amount = 0.0;
        for (int v = begin; v < end; v++)
            amount += pl_dot(pl_push_rigid_column(r, body, v, k), pl_vec3_load(q + 3 * (size_t)v));
        if (amount == 0.0) continue;
        for (int v = begin; v < end; v++) {
            double* to = x + 3 * (size_t)v;
            pl_vec3_store(to,
                          pl_madd(pl_vec3_load(to), amount, pl_push_rigid_column(r, body, v, k)));
        }
    }
}

void pl_push_response_apply(const pl_push_response* r, const double* q, double* x) {
    const size_t count = value_count(r);
    for (size_t i = 0; i < count; i++) x[i] = r->scale * r->inverse_mass[i / 3] * q[i];
    for (int b = 0; b < r->rigid_count; b++) add_rigid(r, b, q, x);
    for (int k = 0; k < r->column_count; k++) {
        const double* column = pl_push_column(r, k);
        const double factor = r->scales[k] * dot(column, q, count);
        for (size_t i = 0; i < count; i++) x[i] += factor * column[i];
    }
}

// Softness of the system in the motion x that q caused, relative to its masses alone:
// x' q / q' M^-1 q, at most 1.
static double softness(const pl_push_response* r, const double* q, const double* x) {
    double inertia = 0.0, work = 0.0;
    for (size_t i = 0; i < value_count(r); i++) {
        inertia += q[i] * q[i] * r->inverse_mass[i / 3];
        work += x[i] * q[i];
    }
    return work > 0.0 ? fmin(work / inertia, 1.0) : 1.0;
}

bool pl_push_response_learn(pl_push_response* r, const double* q, const double* x) {
    const size_t count = value_count(r);
    if (r->column_count + 2 > PL_PUSH_COLUMNS) return true;
    if (!r->columns) r->columns = PL_ALLOC(double, PL_PUSH_COLUMNS* count);
    if (!r->columns) return false;
    if (r->column_count == 0) r->scale = softness(r, q, x);
    double* own = r->columns + count * (size_t)r->column_count;
    double* expected = own + count;
    pl_push_response_apply(r, q, expected);
    const double asked = dot(q, expected, count), shown = dot(q, x, count);
    const bool is_damped = r->rigid && shown < MIN_RIGID_RESPONSE * asked;
    const double trust = is_damped ? (1.0 - MIN_RIGID_RESPONSE) * asked / (asked - shown) : 1.0;
    const double found = is_damped ? MIN_RIGID_RESPONSE * asked : shown;
    if (!(asked > 0.0) || !(found > MIN_RESPONSE * asked)) return true;
    if (r->rigid && found > asked) return true; // a body cannot respond more than if it were free
    for (size_t i = 0; i < count; i++) own[i] = trust * x[i] + (1.0 - trust) * expected[i];
    r->scales[r->column_count++] = 1.0 / found;
    r->scales[r->column_count++] = -1.0 / asked;
    return true;
}
