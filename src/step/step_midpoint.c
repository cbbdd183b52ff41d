// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The midpoint rule changes the kinetic energy by F(x_mid).(x1 - x0), exactly. That is the work of
// dead loads, and at most the work of contacts and friction (step_contact_forces.c) and of damping.
// Only the elastic part has an error: the step creates
//
//   created = W(x1) - W(x0) - W'(x_mid).(x1 - x0)
//
// which is zero for the linear law and of third order in the step otherwise. In motions that the
// time step resolves it oscillates about zero. In others it grows without bound.
//
// Each connected piece has an account of what its steps created. An account above zero is paid from
// the kinetic energy of deformation: velocities are scaled towards the rigid motion that has the
// same momentum and angular momentum (energy projection, after Dinev, Liu, Kavan 2018). An account
// below zero is credit, so that oscillations of a resolved motion are not changed; a credit beyond
// 1 % of the energy is given back in the same way.
#include "step/step_midpoint.h"
#include "base/fail.h"
#include "base/memory.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

// Fractions of the elastic energy and the kinetic energy of deformation: credit beyond the first is
// given back to the velocities, credit beyond the second is lost.
static const double KEPT_CREDIT = 0.01, MAX_CREDIT = 0.5;
// Largest factor by which a step scales velocities of deformation to give energy back. If that is
// not enough, nothing is given and a tenth of the credit is dropped: a body at rest must not start
// to vibrate.
static const double MAX_GAIN = 2.0, FORGOTTEN = 0.1;
// debt that may be left for later steps, as a fraction of the same energies
static const double MAX_DEBT = 1e-3;

// sums over the vertices of a piece
typedef struct piece_motion {
    double mass;
    pl_vec3 centre, velocity; // of the centre of mass
    pl_vec3 turning;          // angular velocity
    pl_vec3 angular;          // angular momentum about the centre
    pl_mat3 inertia;
    double square, cross; // d'M d and (v - d)'M d; d: velocity v without the rigid motion
    double scale;         // new factor of d
} piece_motion;

struct pl_midpoint {
    const pl_step_pieces* pieces;
    double* account; // per piece [J]
    double *created, *elastic;
    piece_motion* motions;
};

void pl_midpoint_destroy(pl_midpoint* m) {
    if (!m) return;
    PL_FREE(m->account, double, m->pieces->count);
    PL_FREE(m->created, double, m->pieces->count);
    PL_FREE(m->elastic, double, m->pieces->count);
    PL_FREE(m->motions, piece_motion, m->pieces->count);
    PL_FREE(m, pl_midpoint, 1);
}

pl_status pl_midpoint_create(const pl_step_pieces* pieces, pl_midpoint** out, pl_error* error) {
    pl_midpoint* m = *out = PL_ALLOC(pl_midpoint, 1);
    if (!m) return pl_fail_memory(error, "the midpoint rule");
    m->pieces = pieces;
    m->account = PL_ALLOC(double, pieces->count);
    m->created = PL_ALLOC(double, pieces->count);
    m->elastic = PL_ALLOC(double, pieces->count);
    m->motions = PL_ALLOC(piece_motion, pieces->count);
    if (pieces->count == 0 || (m->account && m->created && m->elastic && m->motions)) return PL_OK;
    pl_midpoint_destroy(m);
    *out = NULL;
    return pl_fail_memory(error, "the midpoint rule");
}

static void elastic_energies(const pl_midpoint* m, const pl_step_objective* f, const double* x,
                             double* out) {
    memset(out, 0, (size_t)m->pieces->count * sizeof(double));
    for (int s = 0; s < f->set_count; s++)
        pl_pieces_add_energy(m->pieces, NULL, f->pool, f->sets, s, x, out);
    if (f->coupling) f->coupling->energies(f->coupling->data, m->pieces, NULL, x, out);
}

// the energy created, and the elastic energy at the end
static void find_created(pl_midpoint* m, const pl_step_objective* f, const double* start,
                         const double* end, double* scratch) {
    int count = 3 * f->vertex_count;
    double *middle = scratch, *gradient = scratch + count;
    for (int i = 0; i < count; i++) middle[i] = 0.5 * (start[i] + end[i]);
    memset(gradient, 0, (size_t)count * sizeof(double));
    for (int s = 0; s < f->set_count; s++)
        pl_element_set_gradient(&f->sets[s], f->pool, middle, gradient);
    if (f->coupling) f->coupling->gradient(f->coupling->data, middle, gradient);
    for (int i = 0; i < count; i++) middle[i] = end[i] - start[i];
    pl_pieces_dot(m->pieces, NULL, f->pool, gradient, middle, m->created);
    elastic_energies(m, f, start, m->elastic);
    for (int k = 0; k < m->pieces->count; k++) m->created[k] = -m->created[k] - m->elastic[k];
    elastic_energies(m, f, end, m->elastic);
    for (int k = 0; k < m->pieces->count; k++) m->created[k] += m->elastic[k];
    for (int k = 0; k < f->term_count; k++)
        if (f->terms[k]->created)
            f->terms[k]->created(f->terms[k]->user, m->pieces->piece_of, start, end, m->created);
}

// out = M in
static void weigh(const pl_step_objective* f, const double* in, double* out) {
    if (f->mass_matrix) {
        pl_block_matrix_apply(f->mass_matrix, f->pool, 3, in, out);
        return;
    }
    for (int v = 0; v < f->vertex_count; v++)
        pl_vec3_store(out + 3 * (size_t)v, pl_scale(f->mass[v], pl_vec3_load(in + 3 * (size_t)v)));
}

static void find_centres(pl_midpoint* m, const pl_step_objective* f, const double* x,
                         const double* v, double* scratch) {
    piece_motion* motions = m->motions;
    memset(motions, 0, (size_t)m->pieces->count * sizeof(piece_motion));
    weigh(f, v, scratch);
    for (int i = 0; i < f->vertex_count; i++) {
        piece_motion* p = &motions[m->pieces->piece_of[i]];
        p->mass += f->mass[i];
        p->centre = pl_madd(p->centre, f->mass[i], pl_vec3_load(x + 3 * (size_t)i));
        p->velocity = pl_add(p->velocity, pl_vec3_load(scratch + 3 * (size_t)i));
    }
    for (int k = 0; k < m->pieces->count; k++) {
        motions[k].centre = pl_scale(1.0 / motions[k].mass, motions[k].centre);
        motions[k].velocity = pl_scale(1.0 / motions[k].mass, motions[k].velocity);
    }
}

// Angular velocities. Let a be the arms from the centre and b = M a. Then the angular momentum is
// the sum of b x v, and the inertia is the sum of (a.b) I - b a'. A piece whose inertia has no
// inverse (a point, a line) does not rotate.
static void find_turning(pl_midpoint* m, const pl_step_objective* f, const double* x,
                         const double* v, double* scratch) {
    double *arms = scratch, *weighted = scratch + 3 * (size_t)f->vertex_count;
    for (int i = 0; i < f->vertex_count; i++)
        pl_vec3_store(arms + 3 * (size_t)i, pl_sub(pl_vec3_load(x + 3 * (size_t)i),
                                                   m->motions[m->pieces->piece_of[i]].centre));
    weigh(f, arms, weighted);
    for (int i = 0; i < f->vertex_count; i++) {
        piece_motion* p = &m->motions[m->pieces->piece_of[i]];
        pl_vec3 a = pl_vec3_load(arms + 3 * (size_t)i), b = pl_vec3_load(weighted + 3 * (size_t)i);
        pl_vec3 speed = pl_sub(pl_vec3_load(v + 3 * (size_t)i), p->velocity);
        double square = pl_dot(a, b);
        p->angular = pl_add(p->angular, pl_cross(b, speed));
        p->inertia = pl_mat3_add(
            p->inertia, pl_mat3_sub(pl_mat3_diagonal(square, square, square), pl_outer(b, a)));
    }
    for (int k = 0; k < m->pieces->count; k++) {
        pl_mat3 inverse;
        if (pl_mat3_inverse(m->motions[k].inertia, &inverse))
            m->motions[k].turning = pl_mat3_apply(&inverse, m->motions[k].angular);
    }
}

static pl_vec3 rigid_velocity(const piece_motion* p, pl_vec3 x) {
    return pl_add(p->velocity, pl_cross(p->turning, pl_sub(x, p->centre)));
}

// Kinetic energy of deformation; d is zero where a vertex is held.
static void find_deformation(pl_midpoint* m, const pl_step_objective* f, const double* x,
                             const double* v, double* scratch) {
    double *rest = scratch, *weighted = scratch + 3 * (size_t)f->vertex_count;
    for (int i = 0; i < f->vertex_count; i++) {
        const piece_motion* p = &m->motions[m->pieces->piece_of[i]];
        pl_vec3 r = rigid_velocity(p, pl_vec3_load(x + 3 * (size_t)i)), none = {0.0, 0.0, 0.0};
        pl_vec3_store(rest + 3 * (size_t)i,
                      f->fixed[i] ? none : pl_sub(pl_vec3_load(v + 3 * (size_t)i), r));
    }
    pl_holds_project(f->holds, f->hold_count, rest);
    weigh(f, rest, weighted);
    for (int i = 0; i < f->vertex_count; i++) {
        piece_motion* p = &m->motions[m->pieces->piece_of[i]];
        pl_vec3 d = pl_vec3_load(rest + 3 * (size_t)i), Md = pl_vec3_load(weighted + 3 * (size_t)i);
        p->square += pl_dot(d, Md);
        p->cross += pl_dot(pl_sub(pl_vec3_load(v + 3 * (size_t)i), d), Md);
    }
}

// The factor s of d that takes `debt` out of the kinetic energy of v + (s - 1) d, or as much as
// there is. A debt below zero is given back.
static double scale_for(const piece_motion* p, double debt) {
    double a = p->square, b = p->cross, whole = a + b;
    if (!(a > 0.0) || debt == 0.0) return 1.0;
    double root = sqrt(fmax(whole * whole - 2.0 * a * debt, 0.0));
    double scale = fmax((root - b) / a, 0.0);
    if (debt < 0.0) return scale <= MAX_GAIN ? scale : 1.0;
    return fmin(scale, 1.0);
}

// false if too large a debt is left
static bool settle_accounts(pl_midpoint* m) {
    bool is_paid = true;
    for (int k = 0; k < m->pieces->count; k++) {
        piece_motion* p = &m->motions[k];
        double energy = m->elastic[k] + 0.5 * p->square;
        m->account[k] += m->created[k];
        if (!(m->account[k] >= -MAX_CREDIT * energy)) m->account[k] = -MAX_CREDIT * energy;
        double debt = fmax(m->account[k], 0.0) + fmin(m->account[k] + KEPT_CREDIT * energy, 0.0);
        double s = p->scale = scale_for(p, debt);
        m->account[k] -= (1.0 - s) * (p->cross + 0.5 * (1.0 + s) * p->square);
        if (debt < 0.0 && s == 1.0) m->account[k] -= FORGOTTEN * debt;
        is_paid = is_paid && isfinite(energy) && !(m->account[k] > MAX_DEBT * energy);
    }
    return is_paid;
}

bool pl_midpoint_balance(pl_midpoint* m, const pl_step_objective* f, const double* start,
                         const double* end, double* velocities, double* scratch) {
    find_created(m, f, start, end, scratch);
    find_centres(m, f, end, velocities, scratch);
    find_turning(m, f, end, velocities, scratch);
    find_deformation(m, f, end, velocities, scratch);
    bool is_paid = settle_accounts(m);
    for (int i = 0; i < f->vertex_count; i++) {
        const piece_motion* p = &m->motions[m->pieces->piece_of[i]];
        if (f->fixed[i] || p->scale == 1.0) continue;
        double* v = velocities + 3 * (size_t)i;
        pl_vec3 r = rigid_velocity(p, pl_vec3_load(end + 3 * (size_t)i));
        pl_vec3 rest = pl_sub(pl_vec3_load(v), r);
        if (f->hold_of && f->hold_of[i]) {
            rest = pl_mat3_apply(&f->holds[f->hold_of[i] - 1].free, rest);
            pl_vec3_store(v, pl_madd(pl_vec3_load(v), p->scale - 1.0, rest));
        } else pl_vec3_store(v, pl_madd(r, p->scale, rest));
    }
    return is_paid;
}

bool pl_midpoint_is_finite(const pl_midpoint* m) {
    for (int k = 0; k < m->pieces->count; k++)
        if (!isfinite(m->elastic[k])) return false;
    return true;
}

void pl_midpoint_restart(pl_midpoint* m) {
    memset(m->account, 0, (size_t)m->pieces->count * sizeof(double));
}

size_t pl_midpoint_state_size(const pl_midpoint* m) {
    return (size_t)m->pieces->count * sizeof(double);
}

void pl_midpoint_state_save(const pl_midpoint* m, void* out) {
    memcpy(out, m->account, pl_midpoint_state_size(m));
}

void pl_midpoint_state_load(pl_midpoint* m, const void* in) {
    memcpy(m->account, in, pl_midpoint_state_size(m));
}
