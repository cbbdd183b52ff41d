// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Friction between surfaces is as between a vertex and a collider (step_contact_forces.c): with
// given normal forces and contact points it has an energy. These are taken at the start of the
// step, and again whenever the step has reached a minimum, until they agree with it. They are also
// updated before a minimum, as soon as friction would change by more than the length of the
// gradient: further iterations with the old friction would be undone by the new one.
//
// Newton's method needs the primal-dual form of its Hessian (step_contact_forces.c), or it
// overshoots where sliding turns into sticking.
//
// The slip of a pair is that of its closest points at the end velocity, u = sum of w_i u_i across
// the normal.
#include "base/tuned.h"
#include "step/step_meeting.h"

#include <math.h>
#include <string.h>

// Friction agrees if its change, summed over vertices, is below this fraction of the sum of its
// limits.
static const double MAX_ERROR = 0.01;

static double coefficient(const pl_step_meeting* m, const pl_contact_pair* pair) {
    const pl_contact_surface* surfaces = m->surfaces->surfaces;
    return fmax(surfaces[pair->surfaces[0]].friction, surfaces[pair->surfaces[1]].friction);
}

static pl_vec3 slip_of(const pl_step_meeting* m, const pl_meeting_friction* c, const double* x) {
    pl_vec3 slip = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        if (c->weights[i] != 0.0)
            slip = pl_madd(slip, c->weights[i], pl_step_end_motion(m->f, c->v[i], x));
    return pl_madd(slip, -pl_dot(slip, c->normal), c->normal);
}

static double energy_of(const pl_step_meeting* m, const pl_meeting_friction* c, const double* x) {
    const double e = m->f->slip_length, s = pl_norm(slip_of(m, c, x));
    return c->limit * (s >= e ? s - 0.5 * e : 0.5 * s * s / e) / pl_step_slip_scale(m->f);
}

double pl_meeting_friction_energy(const pl_step_meeting* m, const double* x) {
    const pl_meeting_friction* list = m->frictions.data;
    double sum = 0.0;
    for (size_t k = 0; k < m->frictions.count; k++) sum += energy_of(m, &list[k], x);
    return sum;
}

void pl_meeting_friction_energies(const pl_step_meeting* m, const int* piece_of, const bool* chosen,
                                  const double* x, double* energies) {
    const pl_meeting_friction* list = m->frictions.data;
    for (size_t k = 0; k < m->frictions.count; k++) {
        const int piece = piece_of[list[k].v[0]];
        if (!chosen || chosen[piece]) energies[piece] += energy_of(m, &list[k], x);
    }
}

void pl_meeting_friction_gradient(const pl_step_meeting* m, const double* x, double* gradient) {
    const pl_meeting_friction* list = m->frictions.data;
    for (size_t k = 0; k < m->frictions.count; k++) {
        const pl_meeting_friction* c = &list[k];
        const pl_vec3 slip = slip_of(m, c, x);
        const double factor = c->limit / fmax(pl_norm(slip), m->f->slip_length);
        for (int i = 0; i < 4; i++) {
            double* g = gradient + 3 * (size_t)c->v[i];
            pl_vec3_store(g, pl_madd(pl_vec3_load(g), factor * c->weights[i], slip));
        }
    }
}

static pl_vec3 any_across(pl_vec3 n) {
    return pl_cross(n, fabs(n.x) < 0.6 ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 1, 0});
}

static bool add_row(pl_step_meeting* m, const pl_meeting_friction* c, pl_vec3 direction) {
    pl_meeting_row* row = pl_array_add(&m->rows, 1);
    if (!row) return false;
    memcpy(row->v, c->v, sizeof row->v);
    for (int i = 0; i < 4; i++) pl_vec3_store(row->r + 3 * i, pl_scale(c->weights[i], direction));
    return true;
}

// (N / |u|) (I - (w u' + u w') / (2 |u|)) across the normal, with N the limit and w the dual vector
// (step_contact_forces.c), as two rows: by d = u / |u| and t = n x d it is
// | 1 - w.d, -w.t / 2; -w.t / 2, 1 |. Below the slip length it is N / e times the identity.
bool pl_meeting_friction_rows(pl_step_meeting* m, const double* x) {
    const pl_meeting_friction* list = m->frictions.data;
    for (size_t k = 0; k < m->frictions.count; k++) {
        const pl_meeting_friction* c = &list[k];
        const pl_vec3 slip = slip_of(m, c, x);
        const double s = pl_norm(slip), e = m->f->slip_length;
        const double root = sqrt(pl_step_slip_scale(m->f) * c->limit / fmax(s, e));
        pl_vec3 d = s > 0.0 ? slip : any_across(c->normal);
        d = pl_scale(1.0 / pl_norm(d), d);
        const pl_vec3 t = pl_cross(c->normal, d);
        const double along = s < e ? 0.0 : pl_dot(c->dual, d);
        const double across = s < e ? 0.0 : 0.5 * pl_dot(c->dual, t);
        const double rest = sqrt(fmax(1.0 - along - across * across, 0.0));
        if (!add_row(m, c, pl_scale(root, pl_madd(t, -across, d)))) return false;
        if (rest > 0.0 && !add_row(m, c, pl_scale(root * rest, d))) return false;
    }
    return true;
}

// w after a step from c->slip to `now`, which is `length` times the direction; as
// pl_step_friction_dual.
static pl_vec3 next_dual(const pl_meeting_friction* c, pl_vec3 now, double length, double e) {
    const double s = pl_norm(c->slip);
    if (s < e) return pl_scale(1.0 / fmax(pl_norm(now), e), now);
    const pl_vec3 step = pl_scale(1.0 / length, pl_sub(now, c->slip));
    pl_vec3 next = pl_scale(1.0 / s, pl_add(c->slip, step));
    next = pl_madd(next, -pl_dot(c->slip, step) / (s * s), c->dual);
    const pl_vec3 w = pl_lerp(c->dual, next, length);
    return pl_scale(1.0 / fmax(pl_norm(w), 1.0), w);
}

void pl_meeting_friction_advance(pl_step_meeting* m, const double* x, const int* piece_of,
                                 const double* lengths) {
    pl_meeting_friction* list = m->frictions.data;
    for (size_t k = 0; k < m->frictions.count; k++) {
        pl_meeting_friction* c = &list[k];
        const pl_vec3 now = slip_of(m, c, x);
        const double length = lengths ? lengths[piece_of[c->v[0]]] : 0.0;
        if (length > 0.0) c->dual = next_dual(c, now, length, m->f->slip_length);
        c->slip = now;
    }
}

static bool list_contacts(pl_step_meeting* m, const double* x, const double* z) {
    const int* active = m->active.data;
    m->next_frictions.count = 0;
    for (size_t k = 0; k < m->active.count; k++) {
        const pl_contact_pair* pair = (const pl_contact_pair*)m->pairs.data + active[k];
        const pl_pair_barrier* b = (const pl_pair_barrier*)m->barriers.data + active[k];
        const pl_quad at = pl_pair_places(pair, z);
        pl_meeting_friction c = {.is_edges = pair->is_edges};
        if (!(coefficient(m, pair) > 0.0)) continue;
        memcpy(c.v, pair->v, sizeof c.v);
        c.limit = coefficient(m, pair) *
                  pl_pair_barrier_force(b, &at, pair->is_edges, c.weights, &c.normal);
        if (!(c.limit > 0.0)) continue;
        c.slip = slip_of(m, &c, x);
        c.dual = pl_scale(1.0 / fmax(pl_norm(c.slip), m->f->slip_length), c.slip);
        if (!pl_array_push(&m->next_frictions, &c)) return false;
    }
    return true;
}

// adds the limits along normals to the vertices on which they act
static void add_limits(const pl_array* list, double sign, double* sums) {
    const pl_meeting_friction* c = list->data;
    for (size_t k = 0; k < list->count; k++)
        for (int i = 0; i < 4; i++) {
            double* to = sums + 3 * (size_t)c[k].v[i];
            const double force = sign * c[k].limit * c[k].weights[i];
            pl_vec3_store(to, pl_madd(pl_vec3_load(to), force, c[k].normal));
        }
}

// True if the two lists of the meeting differ too much, and enough for a gradient of length `left`.
static bool differ(const pl_step_meeting* m, double left) {
    double *change = m->way[0], *after = m->way[1], changes = 0.0, limits = 0.0, square = 0.0;
    const size_t size = 3 * (size_t)m->vertex_count * sizeof(double);
    memset(change, 0, size);
    memset(after, 0, size);
    add_limits(&m->next_frictions, 1.0, after);
    add_limits(&m->next_frictions, 1.0, change);
    add_limits(&m->frictions, -1.0, change);
    for (int v = 0; v < m->vertex_count; v++) {
        const double size2 = pl_norm2(pl_vec3_load(change + 3 * (size_t)v));
        changes += sqrt(size2);
        square += size2;
        limits += pl_norm(pl_vec3_load(after + 3 * (size_t)v));
    }
    return changes > MAX_ERROR * limits && pl_tuned.early_friction * left <= sqrt(square);
}

bool pl_meeting_friction_follow(pl_step_meeting* m, const double* x, double left) {
    const double* z = pl_step_end_positions(m->f, x, m->ends[0]);
    if (!pl_step_meeting_activate(m, z)) return false;
    if (!list_contacts(m, x, z)) {
        m->out_of_memory = true;
        return false;
    }
    if (!differ(m, left)) return false;
    const size_t count = m->next_frictions.count;
    m->frictions.count = 0;
    if (count && !pl_array_add(&m->frictions, count)) {
        m->out_of_memory = true;
        return false;
    }
    if (count) memcpy(m->frictions.data, m->next_frictions.data, count * m->frictions.item_size);
    return true;
}

// ------------------------------------------------------------------ reported contacts

static bool tell(pl_contact_report* report, pl_vec3 force, int order, pl_array* out) {
    report->force = force;
    report->order = order;
    return pl_array_push(out, report);
}

bool pl_step_meeting_tell(pl_step_meeting* m, const double* x, pl_array* out) {
    if (!m->surfaces || !m->has_met) return true;
    const size_t first = out->count;
    const double* z = pl_step_end_positions(m->f, x, m->ends[0]);
    if (!pl_step_meeting_activate(m, z)) return false;
    const pl_meeting_friction* frictions = m->frictions.data;
    for (size_t k = 0; k < m->frictions.count; k++) {
        const pl_meeting_friction* c = &frictions[k];
        const pl_vec3 slip = slip_of(m, c, x);
        pl_contact_report report = pl_report_of_pair(c->v, c->is_edges, c->weights, c->normal, z);
        const double factor = -c->limit / fmax(pl_norm(slip), m->f->slip_length);
        if (!tell(&report, pl_scale(factor, slip), 0, out)) return false;
    }
    const int* active = m->active.data;
    for (size_t k = 0; k < m->active.count; k++) {
        const pl_contact_pair* pair = (const pl_contact_pair*)m->pairs.data + active[k];
        const pl_pair_barrier* b = (const pl_pair_barrier*)m->barriers.data + active[k];
        const pl_quad at = pl_pair_places(pair, z);
        double weights[4];
        pl_vec3 normal;
        const double force = pl_pair_barrier_force(b, &at, pair->is_edges, weights, &normal);
        if (!(force > 0.0)) continue;
        pl_contact_report report = pl_report_of_pair(pair->v, pair->is_edges, weights, normal, z);
        if (!tell(&report, pl_scale(force, normal), 1, out)) return false;
    }
    pl_reports_join(out, first);
    return true;
}
