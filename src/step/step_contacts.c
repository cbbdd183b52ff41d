// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_contacts.h"
#include "step/step_friction.h"

#include <string.h>

// A vertex that slides past the edge of a solid loses its contact there, and moves back in if
// nothing else holds it, so the contact would alternate from round to round. After this many losses
// in a step the vertex keeps its contact, as if the face continued.
enum { MAX_LOSSES = 6 };

// *end: positions at the end of the step
static pl_status detect_contacts(pl_minimiser* m, const pl_step_objective* f, pl_detect detect,
                                 void* user, const double** end, pl_error* error) {
    *end = pl_step_end_positions(f, m->x, m->scratch);
    return pl_detect_all(detect, user, f->start, *end, &m->found, error);
}

// A vertex that slides around a thin solid in one step has not gone through it, although its
// straight path does. Pushing it back to where that path enters would switch contacts on and off
// from round to round. The vertex slid if it is less than a quarter turn from its place in the last
// round or, in the first round, from where it entered.
static void slide_around(const pl_minimiser* m, const double* end, pl_contact* c) {
    if (!c->has_entered) return;
    const pl_contact* old = pl_friction_contact_before(m, c);
    pl_vec3 side = old && !old->has_entered ? old->normal : c->normal;
    if (!(pl_dot(side, c->nearest_normal) > 0.0)) return;
    c->has_entered = false;
    c->normal = c->nearest_normal;
    c->point = pl_madd(pl_vec3_load(end + 3 * (size_t)c->vertex), c->nearest_depth, c->normal);
}

static void index_contacts(pl_minimiser* m, int round) {
    const pl_contact* old = m->contacts.data;
    if (round == 0) {
        m->contacts.count = 0;
        memset(m->contact_losses, 0, (size_t)(m->count / 3) * sizeof(int));
    }
    // contacts of one vertex are consecutive
    for (int k = (int)m->contacts.count - 1; k >= 0; k--) m->contact_at[old[k].vertex] = k;
}

// Keeps earlier contacts of vertices that are in no contact now: they may come back.
static void keep_contacts(pl_minimiser* m, const pl_step_objective* f, int round) {
    pl_contact* contacts = m->contacts.data;
    size_t kept = 0;
    int counted = -1; // vertex whose loss in this round was counted last
    for (size_t k = 0; k < m->contacts.count; k++) {
        const int v = contacts[k].vertex;
        if (m->contact_mark[v] > round) continue;
        bool is_lost = pl_step_contact_depth(f, &contacts[k], m->x) > 0.0;
        if (is_lost && v != counted) m->contact_losses[counted = v]++;
        if (is_lost && m->contact_losses[v] <= MAX_LOSSES) continue;
        contacts[kept++] = contacts[k];
    }
    m->contacts.count = kept;
}

pl_status pl_step_contacts_find(pl_minimiser* m, pl_step_objective* f, pl_detect detect, void* user,
                                int round, pl_error* error) {
    const double* end;
    f->friction_dual = m->friction_dual;
    if (!detect) return PL_OK;
    pl_status status = detect_contacts(m, f, detect, user, &end, error);
    if (status != PL_OK) return status;
    index_contacts(m, round);
    pl_contact* found = m->found.data;
    for (size_t k = 0; k < m->found.count; k++) slide_around(m, end, &found[k]);
    pl_friction_carry(m, f);
    for (size_t k = 0; k < m->found.count; k++) m->contact_mark[found[k].vertex] = round + 1;
    keep_contacts(m, f, round);
    pl_contact* contacts = pl_array_add(&m->contacts, m->found.count);
    if (!contacts && m->found.count) return pl_fail_memory(error, "contacts");
    if (m->found.count) memcpy(contacts, found, m->found.count * sizeof(pl_contact));
    f->contacts = m->contacts.data;
    f->contact_count = (int)m->contacts.count;
    return PL_OK;
}
