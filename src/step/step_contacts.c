// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_contacts.h"
#include "step/step_friction.h"

#include <string.h>

// *end: positions at the end of the step
static pl_status detect_contacts(pl_minimiser* m, const pl_step_objective* f, pl_detect detect,
                                 void* user, const double** end, pl_error* error) {
    *end = pl_step_end_positions(f, m->x, m->scratch);
    for (;;) {
        int found = detect(user, f->start, *end, m->found.data, (int)m->found.capacity);
        m->found.count = (size_t)found;
        if (m->found.count <= m->found.capacity) return PL_OK;
        if (!pl_array_reserve(&m->found, m->found.count + m->found.count / 2))
            return pl_fail_memory(error, "contacts");
    }
}

// A vertex that slides around a thin solid in one step has not gone through it, though its straight
// way does. To push it back to where that way goes in would make contacts jump on and off from
// round to round. It slid if it is less than a quarter turn from where it was in the last round, or
// in the first one from where it went in.
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
    if (round == 0) m->contacts.count = 0;
    // contacts of one vertex follow one another
    for (int k = (int)m->contacts.count - 1; k >= 0; k--) m->contact_at[old[k].vertex] = k;
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
    pl_contact* contacts = m->contacts.data;
    size_t kept = 0;
    for (size_t k = 0; k < m->contacts.count; k++)
        if (m->contact_mark[contacts[k].vertex] <= round &&
            pl_step_contact_depth(f, &contacts[k], m->x) <= 0.0)
            contacts[kept++] = contacts[k];
    m->contacts.count = kept;
    contacts = pl_array_add(&m->contacts, m->found.count);
    if (!contacts && m->found.count) return pl_fail_memory(error, "contacts");
    if (m->found.count) memcpy(contacts, found, m->found.count * sizeof(pl_contact));
    f->contacts = m->contacts.data;
    f->contact_count = (int)m->contacts.count;
    return PL_OK;
}
