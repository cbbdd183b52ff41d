// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Coulomb friction is not the gradient of a function, but with given normal forces N it is. So a
// step is a fixed point: minimise Phi(x; N), set N to the normal forces at x, and repeat. If N is
// updated in every iteration, the method may cycle, because an iterate that penetrates too deeply
// has large normal forces. If N is never updated, friction follows from wrong normal forces. So N
// is kept until the vertices in contact are balanced along their normals, up to a fraction of the
// change that friction will make. The step ends only if N agrees with the normal forces at x.
//
// A step starts with the final normal forces of the last one. In steady sliding they are already
// correct.
#include "step/step_friction.h"
#include "base/tuned.h"
#include "step/step_search.h"

#include <math.h>

// Errors of friction, relative to its limit: of a piece at its minimum, and of one that still
// iterates.
static const double MAX_ERROR = 0.01, MAX_OPEN_ERROR = 1e-3;

// N at the start of the step, with the obstacle in its position there.
static double force_before(const pl_step_objective* f, const pl_contact* c) {
    pl_vec3 at = pl_add(pl_vec3_load(f->start + 3 * (size_t)c->vertex), c->motion);
    return c->stiffness * fmax(pl_contact_round(c, at).depth, 0.0);
}

const pl_contact* pl_friction_contact_before(const pl_minimiser* m, const pl_contact* c) {
    const pl_contact* old = m->contacts.data;
    int count = (int)m->contacts.count;
    for (int at = m->contact_at[c->vertex]; at < count && old[at].vertex == c->vertex; at++)
        if (old[at].obstacle == c->obstacle) return &old[at];
    return NULL;
}

void pl_friction_carry(pl_minimiser* m, const pl_step_objective* f) {
    pl_contact* found = m->found.data;
    for (size_t k = 0; k < m->found.count; k++) {
        pl_contact* c = &found[k];
        const pl_contact* old = pl_friction_contact_before(m, c);
        c->normal_force = old ? old->normal_force : force_before(f, c);
        if (!old && c->normal_force > 0.0)
            pl_vec3_store(m->friction_dual + 3 * (size_t)c->vertex, pl_step_first_dual(f, c));
    }
}

static void measure_errors(pl_minimiser* m, const pl_step_objective* f) {
    for (int k = 0; k < m->pieces->count; k++)
        m->search.piece[k].friction =
            (pl_piece_friction){.error_before = m->search.piece[k].friction.error_before};
    for (int k = 0; k < f->contact_count; k++) {
        const pl_contact* c = &f->contacts[k];
        if (!(c->friction > 0.0)) continue;
        pl_piece_friction* p = &m->search.piece[m->pieces->piece_of[c->vertex]].friction;
        double force = pl_step_normal_force(f, k, m->x);
        double error = fabs(force - c->normal_force) * pl_norm(pl_step_unit_friction(f, k, m->x));
        double normal = pl_dot(pl_vec3_load(m->gradient + 3 * (size_t)c->vertex), c->normal);
        p->error += error;
        p->square += error * error;
        p->limit += c->friction * force;
        p->normal_square += normal * normal;
    }
}

// Chooses the pieces whose N must be updated (search.chosen), and by which fraction
// (search.lengths). False if there are none.
static bool choose_pieces(pl_minimiser* m, const pl_step_settings* settings) {
    pl_search* s = &m->search;
    bool any = false;
    for (int k = 0; k < m->pieces->count; k++) {
        pl_piece_friction* p = &s->piece[k].friction;
        double load = fmax(s->piece[k].load, s->inertia[k]);
        bool done = s->norms[k] <= fmax(settings->tolerance * load, s->piece[k].noise);
        const double part = pl_tuned.max_normal_part;
        bool is_near = p->normal_square <= part * part * p->square;
        double enough = (done ? MAX_ERROR : MAX_OPEN_ERROR) * p->limit;
        s->chosen[k] = (done || is_near) && p->error > enough;
        s->lengths[k] = p->error > pl_tuned.min_friction_progress * p->error_before ? 0.5 : 1.0;
        if (s->chosen[k]) p->error_before = p->error;
        any = any || s->chosen[k];
    }
    return any;
}

// Moves N of the chosen pieces towards that at x, and updates the gradient.
static void follow(pl_minimiser* m, const pl_step_objective* f) {
    pl_contact* contacts = m->contacts.data;
    for (int k = 0; k < f->contact_count; k++) {
        pl_contact* c = &contacts[k];
        int piece = m->pieces->piece_of[c->vertex];
        if (!m->search.chosen[piece] || !(c->friction > 0.0)) continue;
        double change = pl_step_normal_force(f, k, m->x) - c->normal_force;
        change *= m->search.lengths[piece];
        c->normal_force += change;
        if (f->fixed[c->vertex]) continue;
        double* g = m->gradient + 3 * (size_t)c->vertex;
        pl_vec3_store(g, pl_madd(pl_vec3_load(g), change, pl_step_unit_friction(f, k, m->x)));
    }
    pl_holds_project(f->holds, f->hold_count, m->gradient);
    for (int k = 0; k < m->pieces->count; k++)
        if (m->search.chosen[k]) m->search.piece[k].friction.error *= 1.0 - m->search.lengths[k];
}

bool pl_friction_judge(pl_minimiser* m, const pl_step_objective* f,
                       const pl_step_settings* settings, bool first, pl_method_info* info) {
    bool any_open = pl_search_judge(m, f, settings, first, info);
    if (f->contact_count == 0) return any_open;
    measure_errors(m, f);
    if (choose_pieces(m, settings)) {
        follow(m, f);
        any_open = pl_search_judge(m, f, settings, first, info);
    }
    for (int k = 0; k < m->pieces->count; k++) {
        const pl_piece_friction* p = &m->search.piece[k].friction;
        if (!(p->error > MAX_ERROR * p->limit)) continue;
        m->search.open[k] = any_open = true;
        info->converged = false;
    }
    return any_open;
}
