// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Impulses keep bodies apart as far as they are found. Continuous collision detection looks at all
// ways once more. A body that would still meet another one goes a part of its way, whole as it is,
// and keeps its momentum: nothing crosses, and the next step pushes the two apart.
#include "rigid/rigid_system.h"

// After PART_ROUNDS bodies that would meet stay where they were.
enum { PART_ROUNDS = 4, MAX_ROUNDS = 30 };
static const double MARGIN = 0.9;

void pl_rigid_shorten(pl_rigid_system* s, int body, double part) {
    pl_rigid_body* b = &s->bodies[body];
    if (b->is_held || part >= 1.0) return;
    b->part *= part;
    b->state = pl_rigid_between(&b->before, &b->whole, b->part);
    pl_rigid_show(b, &b->state, s->end + 3 * (size_t)b->first_vertex, NULL);
}

static void cut_ways(pl_rigid_system* s, double margin) {
    const pl_contact_pair* pairs = s->pairs.data;
    const double* parts = s->parts.data;
    for (int b = 0; b < s->body_count; b++) s->limits[b] = 1.0;
    for (size_t k = 0; k < s->pairs.count; k++)
        for (int i = 0; parts[k] < 1.0 && i < 4; i += 3) {
            double* limit = &s->limits[s->body_of_vertex[pairs[k].v[i]]];
            *limit = fmin(*limit, margin * parts[k]);
        }
    for (int b = 0; b < s->body_count; b++) pl_rigid_shorten(s, b, s->limits[b]);
}

// pairs of one body keep their distances
static void drop_own(pl_rigid_system* s) {
    pl_contact_pair* pairs = s->pairs.data;
    size_t kept = 0;
    for (size_t k = 0; k < s->pairs.count; k++)
        if (pairs[k].surfaces[0] != pairs[k].surfaces[1]) pairs[kept++] = pairs[k];
    s->pairs.count = kept;
}

pl_status pl_rigid_keep_apart(pl_rigid_system* s, const pl_method_step* step, pl_error* error) {
    if (!step->surfaces) return PL_OK;
    const pl_pair_motion motion = {step->surfaces, s->start, s->end,         s->mass,
                                   s->held,        1.0,      step->time_step};
    for (int round = 0; round < MAX_ROUNDS; round++) {
        if (pl_surface_set_is_apart(step->surfaces, s->pool, s->start, s->end)) return PL_OK;
        pl_status status =
            pl_surface_set_find(step->surfaces, s->pool, s->start, s->end, &s->pairs, error);
        if (status != PL_OK) return status;
        drop_own(s);
        s->parts.count = 0;
        double* parts = pl_array_add(&s->parts, s->pairs.count);
        if (s->pairs.count && !parts) return pl_rigid_fail_memory(error);
        if (pl_pairs_advance(&motion, s->pool, s->pairs.data, (int)s->pairs.count, parts) >= 1.0)
            return PL_OK;
        cut_ways(s, round < PART_ROUNDS ? MARGIN : 0.0);
    }
    for (int b = 0; b < s->body_count; b++) pl_rigid_shorten(s, b, 0.0);
    return PL_OK;
}
