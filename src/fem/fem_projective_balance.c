// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The matrix of Projective Dynamics resists rotations of a body, although they cost no energy. A
// few iterations therefore leave a torque, and a body that tumbles in the air loses or gains spin.
// So a step of a fixed number of iterations ends with one Newton step over the rigid motions of
// each piece that nothing touches or holds. If d = t + a x r is the motion of a vertex, elastic
// forces cancel and only inertia remains:
//
//   sum over vertices of w J' J (t, a) = -J' g,   J = [I, -[r]]
//
// with the weight w of inertia and the gradient g. Pieces in contact are skipped: the motion would
// change their contacts, and bodies would gain energy.
#include "fem/fem_projective_work.h"

#include <math.h>
#include <string.h>

// longest rotation of a step; up to it, the stretch that a x r causes cannot be seen [rad]
static const double MAX_TURN = 0.1;
// smaller pivots, relative to the diagonal, count as zero: points on a line have no rotation about
// it
static const double MIN_PIVOT = 1e-9;

typedef struct balance_work {
    const pl_projective_work* w;
    pl_piece_balance* pieces;
} balance_work;

static pl_piece_balance* piece_of(const balance_work* k, int row) {
    return &k->pieces[pl_rigid_start_piece(k->w->motion->rigid_start, row)];
}

// Sums of mass and its moments over all vertices, and of forces and torques.
static void sum_inertia(const balance_work* k) {
    const pl_projective_fast* p = k->w->p;
    for (int row = 0; row < p->vertex_count; row++) {
        pl_piece_balance* s = piece_of(k, row);
        const size_t at = 4 * (size_t)p->number[row];
        const double weight = (double)p->y[at + 3];
        const float* from = p->quasi.gradient + at;
        const pl_vec3 x = pl_projective_position(k->w, row);
        if (!s->is_used) s->origin = x;
        s->is_used = true;
        s->is_held = s->is_held || p->held[row];
        const pl_vec3 r = pl_sub(x, s->origin), wr = pl_scale(weight, r);
        const pl_vec3 g = {(double)from[0], (double)from[1], (double)from[2]};
        s->mass += weight;
        s->first = pl_add(s->first, wr);
        s->squares = pl_add(s->squares, (pl_vec3){wr.x * r.x, wr.y * r.y, wr.z * r.z});
        s->products = pl_add(s->products, (pl_vec3){wr.y * r.z, wr.z * r.x, wr.x * r.y});
        s->force = pl_sub(s->force, g);
        s->torque = pl_sub(s->torque, pl_cross(r, g));
    }
}

static void start_system(pl_piece_balance* s) {
    const pl_vec3 f = s->first, q = s->squares, m = s->products;
    // clang-format off
    const double K[6][6] = {{s->mass, 0.0, 0.0, 0.0, f.z, -f.y},
                            {0.0, s->mass, 0.0, -f.z, 0.0, f.x},
                            {0.0, 0.0, s->mass, f.y, -f.x, 0.0},
                            {0.0, -f.z, f.y, q.y + q.z, -m.z, -m.y},
                            {f.z, 0.0, -f.x, -m.z, q.x + q.z, -m.x},
                            {-f.y, f.x, 0.0, -m.y, -m.x, q.x + q.y}};
    // clang-format on
    memcpy(s->K, K, sizeof K);
    pl_vec3_store(s->b, s->force);
    pl_vec3_store(s->b + 3, s->torque);
}

// Marks pieces on which contacts or pins act as held. Returns false if all are.
static bool find_held(const balance_work* k, int count) {
    const pl_projective_fast* p = k->w->p;
    const pl_quasi_contact* contacts = p->quasi.contacts.data;
    for (size_t i = 0; i < p->quasi.contacts.count; i++)
        piece_of(k, p->vertex_of[contacts[i].vertex])->is_held = true;
    for (int i = 0; i < k->w->f->pin_count; i++)
        piece_of(k, k->w->f->pins[i].vertex)->is_held = true;
    bool any = false;
    for (int i = 0; i < count; i++) any = any || !k->pieces[i].is_held;
    return any;
}

// b = K^-1 b, by elimination; false if K is singular
static bool solve(pl_piece_balance* s) {
    double diagonal[6];
    for (int i = 0; i < 6; i++) diagonal[i] = s->K[i][i];
    for (int i = 0; i < 6; i++) {
        if (!(s->K[i][i] > MIN_PIVOT * diagonal[i])) return false;
        for (int j = i + 1; j < 6; j++) {
            const double factor = s->K[j][i] / s->K[i][i];
            for (int c = i; c < 6; c++) s->K[j][c] -= factor * s->K[i][c];
            s->b[j] -= factor * s->b[i];
        }
    }
    for (int i = 5; i >= 0; i--) {
        for (int c = i + 1; c < 6; c++) s->b[i] -= s->K[i][c] * s->b[c];
        s->b[i] /= s->K[i][i];
    }
    return true;
}

// The motion of the piece; zero if it is held or has no rigid motion.
static void find_motion(pl_piece_balance* s) {
    start_system(s);
    const bool moves = s->is_used && !s->is_held && solve(s);
    const double turn = pl_norm((pl_vec3){s->b[3], s->b[4], s->b[5]});
    const double part = !moves || !isfinite(turn) ? 0.0 : turn > MAX_TURN ? MAX_TURN / turn : 1.0;
    for (int i = 0; i < 6; i++) s->b[i] = part > 0.0 ? part * s->b[i] : 0.0;
}

static void move_task(int begin, int end, int worker, void* user) {
    const balance_work* k = user;
    const pl_projective_fast* p = k->w->p;
    (void)worker;
    for (int row = begin; row < end; row++) {
        const pl_piece_balance* s = piece_of(k, row);
        const pl_vec3 r = pl_sub(pl_projective_position(k->w, row), s->origin);
        const pl_vec3 moved = pl_add((pl_vec3){s->b[0], s->b[1], s->b[2]},
                                     pl_cross((pl_vec3){s->b[3], s->b[4], s->b[5]}, r));
        float* u = p->u + 4 * (size_t)p->number[row];
        pl_store4(u, pl_load4(u) + pl_float4_of(moved));
    }
}

pl_status pl_projective_balance(pl_projective_work* w, pl_error* error) {
    const int count = pl_rigid_start_piece_count(w->motion->rigid_start);
    w->p->balances.count = 0;
    balance_work k = {w, pl_array_add(&w->p->balances, (size_t)count)};
    if (!k.pieces && count > 0) return pl_fail_memory(error, "the solver of a step");
    for (int i = 0; i < count; i++) k.pieces[i] = (pl_piece_balance){0};
    if (!find_held(&k, count)) return PL_OK; // most bodies: no pass over the vertices
    sum_inertia(&k);
    for (int i = 0; i < count; i++) find_motion(&k.pieces[i]);
    pl_parallel_for(w->p->pool, move_task, w->p->vertex_count, PL_PROJECTIVE_BLOCK, &k);
    return PL_OK;
}
