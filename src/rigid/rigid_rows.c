// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "contact/push_list.h"
#include "rigid/rigid_system.h"

#include <stdlib.h>
#include <string.h>

// If a body starts inside an obstacle, or too near another body, a step removes this fraction of
// the depth.
static const double RETURN_RATE = 0.1;
// Pairs are considered up to this multiple of their required distance, because pushes by others may
// bring them nearer.
static const double ROOM = 2.0;

// Rows are duplicates if their normals differ by less than a degree (cosine) and their distances by
// less than this fraction.
static const double SAME_NORMAL = 0.9998, SAME_DISTANCE = 0.01;

static int compare(const void* a, const void* b) {
    const pl_rigid_row *x = a, *y = b;
    if (x->obstacle != y->obstacle) return x->obstacle < y->obstacle ? -1 : 1;
    return pl_push_order(x->is_edges, x->pair.v, y->is_edges, y->pair.v);
}

static bool is_known(const pl_rigid_system* s, const pl_rigid_row* row) {
    return s->rows.count && bsearch(row, s->rows.data, s->rows.count, sizeof *row, compare);
}

static bool add(pl_rigid_system* s, pl_rigid_row* row) {
    row->axes[0] = row->pair.normal;
    pl_directions_across(row->pair.normal, row->axes + 1);
    return pl_array_push(&s->found, row);
}

// ------------------------------------------------------------------ obstacles

// Sets the plane of the obstacle at the vertex.
static void set_plane(const pl_rigid_system* s, const pl_contact* c, pl_rigid_row* row) {
    const size_t k = 3 * (size_t)c->vertex;
    const pl_vec3 end = pl_vec3_load(s->end + k), start = pl_vec3_load(s->start + k);
    const pl_contact_place at = pl_contact_round(c, end);
    const double height = pl_dot(at.normal, end) + at.depth;
    const double depth = height - pl_dot(at.normal, pl_add(start, c->motion));
    row->pair.normal = at.normal;
    row->pair.distance = height - (1.0 - RETURN_RATE) * fmax(depth, 0.0);
}

static bool add_contacts(pl_rigid_system* s) {
    const pl_contact* contacts = s->contacts.data;
    for (size_t k = 0; k < s->contacts.count; k++) {
        const pl_contact* c = &contacts[k];
        const int body = s->body_of_vertex[c->vertex];
        pl_rigid_row row = {.obstacle = c->obstacle, .bodies = {body, -1}, .motion = c->motion};
        for (int i = 0; i < 4; i++) row.pair.v[i] = c->vertex;
        row.pair.weights[0] = 1.0;
        row.pair.friction = c->friction;
        if (s->bodies[body].is_held || is_known(s, &row)) continue;
        set_plane(s, c, &row);
        if (!add(s, &row)) return false;
    }
    return true;
}

// ------------------------------------------------------------------ each other

static pl_status find_pairs(pl_rigid_system* s, pl_surface_set* surfaces, pl_error* error) {
    s->pairs.count = 0;
    if (!surfaces) return PL_OK;
    for (int k = 0; k < surfaces->surface_count; k++)
        surfaces->surfaces[k].reach = ROOM * surfaces->surfaces[k].thickness;
    if (pl_surface_set_is_apart(surfaces, s->pool, s->start, s->end)) return PL_OK;
    return pl_surface_set_find(surfaces, s->pool, s->start, s->end, &s->pairs, error);
}

// If bodies end the step deep inside each other, the nearest points there are on wrong sides. So
// only two kinds of pairs are used: pairs that meet on their paths, with the normal where they
// meet, and pairs that are near at the start of the step, with the normal there.
static bool make_row(const pl_pair_motion* motion, const pl_contact_pair* pair, pl_pair_row* row) {
    const pl_quad from = pl_pair_places(pair, motion->start);
    pl_quad way = pl_pair_places(pair, motion->end);
    for (int i = 0; i < 4; i++) way.x[i] = pl_sub(way.x[i], from.x[i]);
    if (pl_quad_advance(&from, &way, pair->is_edges) < 1.0)
        return pl_push_row_make(motion, pair, row);
    pl_pair_motion still = *motion;
    still.end = (double*)motion->start; // only read
    return pl_push_row_make(&still, pair, row);
}

// Two bodies that start too near each other are separated slowly: a row requires only a fraction of
// the missing distance. If many rows required all of it in different directions, they could not be
// satisfied.
static void separate_slowly(const pl_rigid_system* s, pl_pair_row* row) {
    double before = 0.0;
    for (int i = 0; i < 4; i++)
        before +=
            row->weights[i] * pl_dot(row->normal, pl_vec3_load(s->start + 3 * (size_t)row->v[i]));
    const double missing = row->distance - before;
    if (missing > 0.0) row->distance = before + RETURN_RATE * missing;
}

// the point of contact at the start, on the first body
static pl_vec3 start_of(const pl_rigid_system* s, const pl_rigid_row* row) {
    pl_vec3 at = {0, 0, 0};
    for (int i = 0; i < (row->is_edges ? 2 : 1); i++)
        at = pl_madd(at, row->pair.weights[i], pl_vec3_load(s->start + 3 * (size_t)row->pair.v[i]));
    return at;
}

// True if the list already has an equal row. Where a corner touches a face, the edges and triangles
// around both give equal rows.
static bool is_duplicate(const pl_rigid_system* s, const pl_array* list, const pl_rigid_row* row) {
    const pl_rigid_row* rows = list->data;
    const pl_vec3 at = start_of(s, row);
    for (size_t k = 0; k < list->count; k++) {
        const pl_rigid_row* other = &rows[k];
        const bool is_turned = other->bodies[0] != row->bodies[0];
        if (other->bodies[is_turned] != row->bodies[0] ||
            other->bodies[!is_turned] != row->bodies[1])
            continue;
        const double cosine = pl_dot(other->pair.normal, row->pair.normal);
        const double near = fabs(other->pair.distance) + fabs(row->pair.distance);
        if ((is_turned ? -cosine : cosine) > SAME_NORMAL &&
            pl_distance(at, start_of(s, other)) < near &&
            fabs(other->pair.distance - row->pair.distance) < SAME_DISTANCE * near)
            return true;
    }
    return false;
}

static bool add_pairs(pl_rigid_system* s, const pl_method_step* step) {
    const pl_pair_motion motion = {step->surfaces, s->start, s->end,         s->mass,
                                   s->held,        1.0,      step->time_step};
    const pl_contact_pair* pairs = s->pairs.data;
    for (size_t k = 0; k < s->pairs.count; k++) {
        const int bodies[2] = {s->body_of_vertex[pairs[k].v[0]], s->body_of_vertex[pairs[k].v[3]]};
        pl_rigid_row row = {.is_edges = pairs[k].is_edges, .obstacle = -1};
        memcpy(row.bodies, bodies, sizeof bodies);
        memcpy(row.pair.v, pairs[k].v, sizeof row.pair.v);
        if (bodies[0] == bodies[1] || is_known(s, &row)) continue;
        if (!make_row(&motion, &pairs[k], &row.pair)) continue;
        separate_slowly(s, &row.pair);
        if (is_duplicate(s, &s->rows, &row) || is_duplicate(s, &s->found, &row)) continue;
        if (!add(s, &row)) return false;
    }
    return true;
}

pl_status pl_rigid_rows_find(pl_rigid_system* s, const pl_method_step* step, bool* has_new,
                             pl_error* error) {
    s->found.count = 0;
    pl_status status =
        pl_detect_all(step->detect, step->detect_user, s->start, s->end, &s->contacts, error);
    if (status == PL_OK) status = find_pairs(s, step->surfaces, error);
    if (status != PL_OK) return status;
    if (!add_contacts(s) || !add_pairs(s, step)) return pl_rigid_fail_memory(error);
    *has_new = s->found.count > 0;
    if (!*has_new) return PL_OK;
    pl_rigid_row* to = pl_array_add(&s->rows, s->found.count);
    if (!to) return pl_rigid_fail_memory(error);
    memcpy(to, s->found.data, s->found.count * sizeof *to);
    qsort(s->rows.data, s->rows.count, sizeof *to, compare);
    return PL_OK;
}

// ------------------------------------------------------------------ from step to step

void pl_rigid_rows_keep(pl_rigid_system* s, double h) {
    const pl_rigid_row* rows = s->rows.data;
    s->kept_count = 0;
    for (size_t k = 0; k < s->rows.count && s->kept_count < PL_RIGID_KEPT * s->body_count; k++) {
        if (!(rows[k].impulse[0] > 0.0)) continue;
        pl_rigid_kept kept = {.obstacle = rows[k].obstacle, .is_edges = rows[k].is_edges};
        pl_vec3 force = {0, 0, 0};
        for (int d = 0; d < 3; d++) force = pl_madd(force, rows[k].impulse[d] / h, rows[k].axes[d]);
        memcpy(kept.v, rows[k].pair.v, sizeof kept.v);
        pl_vec3_store(kept.force, force);
        s->kept[s->kept_count++] = kept;
    }
}

static int compare_kept(const void* a, const void* b) {
    const pl_rigid_row* row = a;
    const pl_rigid_kept* kept = b;
    if (row->obstacle != kept->obstacle) return row->obstacle < kept->obstacle ? -1 : 1;
    return pl_push_order(row->is_edges, row->pair.v, kept->is_edges != 0, kept->v);
}

bool pl_rigid_rows_warm_start(pl_rigid_system* s, double h) {
    pl_rigid_row* rows = s->rows.data;
    bool any = false;
    for (size_t k = 0; s->kept_count && k < s->rows.count; k++) {
        const pl_rigid_kept* kept =
            bsearch(&rows[k], s->kept, (size_t)s->kept_count, sizeof *s->kept, compare_kept);
        if (!kept) continue;
        for (int d = 0; d < 3; d++) {
            const double along = h * pl_dot(rows[k].axes[d], pl_vec3_load(kept->force));
            pl_rigid_push(s, &rows[k], d, d ? along : fmax(along, 0.0));
        }
        any = true;
    }
    if (any) pl_rigid_take_momentum(s);
    return any;
}

void pl_rigid_rows_forget(pl_rigid_system* s) {
    pl_rigid_row* rows = s->rows.data;
    for (size_t k = 0; k < s->rows.count; k++) memset(rows[k].impulse, 0, sizeof rows[k].impulse);
    for (int b = 0; b < s->body_count; b++) {
        pl_rigid_body* body = &s->bodies[b];
        if (body->is_held) continue;
        body->state.momentum = body->free_momentum;
        body->state.angular_momentum = body->free_angular_momentum;
    }
}
