// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Position based dynamics has no forces, but it has impulses: the change of a vertex's momentum
// minus the part from external forces and damping. Constraints between particles conserve momentum,
// so the sum of these impulses over a body (force and torque) comes from its pins and contacts.
// With n substeps of length h, each of which keeps the fraction k = 1 / (1 + h damping) of the
// velocity, the velocities of the substeps add up to (x_n - x_0) / h, and
//
//   J = m (v_n - v_0 + (1 - k) ((x_n - x_0) / h - v_n + v_0)) - n h force
//
// This sum is divided among the pins of a body as follows. A first estimate of each pin's force is
// that of its spring, or for hard pins the gradient of the elastic energy of tets and compliant
// distances, which is accurate as far as the sweeps converged. The difference to the sum is
// distributed in proportion to these forces. Constraints without compliance have no energy; pins of
// such bodies get equal shares. Impulses between bodies are subtracted from J. The force of a
// contact is its push in the last substep; for a body without pins these forces are scaled to add
// up to J.
#include "pbd/pbd_forces.h"
#include "contact/force_share.h"
#include "material/material.h"

#include <string.h>

// J over the time of the step
static pl_vec3 mean_force(const pl_pbd_system* s, const pl_method_step* step, int v, double h,
                          double lost) {
    const size_t i = 3 * (size_t)v, count = 3 * (size_t)s->vertex_count;
    pl_vec3 faster = pl_sub(pl_vec3_load(s->velocities + i), pl_vec3_load(s->saved + count + i));
    pl_vec3 way = pl_sub(pl_vec3_load(s->positions + i), pl_vec3_load(s->saved + i));
    pl_vec3 damped = pl_scale(lost, pl_sub(pl_scale(1.0 / h, way), faster));
    pl_vec3 mean = pl_scale(s->mass[v] / step->time_step, pl_add(faster, damped));
    mean = pl_sub(mean, pl_vec3_load(step->force + i));
    if (!step->surfaces || !s->meeting.pushed) return mean;
    return pl_madd(mean, -1.0 / step->time_step, pl_vec3_load(s->meeting.pushed + i));
}

static double lost_part(const pl_pbd_body* b, double h) {
    return 1.0 - 1.0 / (1.0 + h * b->damping);
}

static pl_force_sum all_reactions(const pl_pbd_system* s, const pl_pbd_body* b,
                                  const pl_method_step* step, double h) {
    pl_force_sum all = {{0, 0, 0}, {0, 0, 0}};
    for (int v = b->first_vertex; v < b->first_vertex + b->vertex_count; v++)
        pl_force_sum_add(&all, pl_vec3_load(s->positions + 3 * (size_t)v),
                         mean_force(s, step, v, h, lost_part(b, h)));
    return all;
}

// ------------------------------------------------------------------ pins

// dE/dx of held vertices, stored in the array of predicted positions
static void add_slope(pl_pbd_system* s, int v, pl_vec3 slope) {
    double* sum = s->next + 3 * (size_t)v;
    if (s->held[v]) pl_vec3_store(sum, pl_add(pl_vec3_load(sum), slope));
}

static void add_tet(pl_pbd_system* s, const pl_constraint_set* set, int c, const int v[4]) {
    const float* values = set->values + 12 * (size_t)c;
    const pl_vec3 x = pl_vec3_load(s->positions + 3 * (size_t)v[0]);
    pl_vec3 e[3], sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) e[k] = pl_sub(pl_vec3_load(s->positions + 3 * (size_t)v[k + 1]), x);
    pl_mat3 inverse;
    for (int i = 0; i < 9; i++) inverse.m[i] = (double)values[i];
    const pl_material law = {
        .kind = set->law, .mu = (double)values[10], .lambda = (double)values[11]};
    const pl_mat3 F = pl_mat3_mul(pl_mat3_from_columns(e[0], e[1], e[2]), inverse);
    const pl_mat3 slopes =
        pl_mat3_scale((double)values[9], pl_mat3_mult(pl_material_stress(&law, F), inverse));
    for (int k = 0; k < 3; k++) {
        const pl_vec3 slope = pl_mat3_column(&slopes, k);
        add_slope(s, v[k + 1], slope);
        sum = pl_sub(sum, slope);
    }
    add_slope(s, v[0], sum);
}

static void add_distance(pl_pbd_system* s, const pl_constraint_set* set, int c, const int v[2]) {
    const pl_vec3 way = pl_sub(pl_vec3_load(s->positions + 3 * (size_t)v[1]),
                               pl_vec3_load(s->positions + 3 * (size_t)v[0]));
    const double length = pl_norm(way), compliance = (double)set->compliance[c];
    if (!(length > 0.0) || !(compliance > 0.0)) return;
    const pl_vec3 slope = pl_scale((length - (double)set->values[c]) / (compliance * length), way);
    add_slope(s, v[1], slope);
    add_slope(s, v[0], pl_scale(-1.0, slope));
}

static void add_elements(pl_pbd_system* s, const pl_pbd_body* b) {
    const pl_pbd_level* l = &b->hierarchy.levels[0];
    for (int k = 0; k < l->set_count; k++) {
        const pl_constraint_set* set = &l->sets[k];
        const bool is_tet = set->kind == PL_CONSTRAINT_TET;
        if (!is_tet && (set->kind != PL_CONSTRAINT_DISTANCE || !set->compliance)) continue;
        const int corners = is_tet ? 4 : 2;
        for (int c = 0; c < set->count; c++) {
            int v[4];
            bool any = false;
            for (int i = 0; i < corners; i++) {
                v[i] = b->first_vertex +
                       pl_pbd_vertex_of(b, set->vertices[(size_t)corners * (size_t)c + (size_t)i]);
                any = any || s->held[v[i]];
            }
            if (any && is_tet) add_tet(s, set, c, v);
            else if (any) add_distance(s, set, c, v);
        }
    }
}

static bool is_own(const pl_pbd_body* b, const pl_pin* pin) {
    return pin->vertex >= b->first_vertex && pin->vertex < b->first_vertex + b->vertex_count;
}

// The first of several pins at a vertex gets the whole force.
static void tell_pins(pl_pbd_system* s, const pl_pbd_body* b, const pl_method_step* step, double h,
                      pl_force_sum all) {
    add_elements(s, b);
    for (int k = 0; k < step->pin_count; k++) {
        const pl_pin* pin = &step->pins[k];
        if (!is_own(b, pin)) continue;
        const size_t i = 3 * (size_t)pin->vertex;
        pl_vec3 force = {0, 0, 0};
        if (!pin->hard)
            force = pl_scale(pin->stiffness, pl_sub(pin->target, pl_vec3_load(s->positions + i)));
        else if (s->held[pin->vertex])
            force = pl_add(pl_vec3_load(s->next + i),
                           mean_force(s, step, pin->vertex, h, lost_part(b, h)));
        if (pin->hard) s->held[pin->vertex] = false;
        pl_vec3_store(step->pin_forces + 3 * (size_t)k, force);
    }
    pl_force_share_fill(step->pins, step->pin_count, b->first_vertex, b->vertex_count,
                        s->positions + 3 * (size_t)b->first_vertex, all.force, all.torque,
                        step->pin_forces);
}

// ------------------------------------------------------------------ contacts

static pl_vec3 push_of(const pl_pbd_body* b, const pl_point_constraint* c, double h) {
    const double scale = b->hierarchy.levels[0].mass[c->particle] / (h * h);
    return (pl_vec3){scale * (double)(c->push * c->normal[0] + c->drag[0]),
                     scale * (double)(c->push * c->normal[1] + c->drag[1]),
                     scale * (double)(c->push * c->normal[2] + c->drag[2])};
}

// The caller has reserved the memory.
static void tell_contact(const pl_pbd_system* s, const pl_pbd_body* b, int v,
                         const pl_point_constraint* c, pl_vec3 force, pl_array* out) {
    const pl_vec3 at = pl_vec3_load(s->positions + 3 * (size_t)v);
    const pl_vec3 n = {(double)c->normal[0], (double)c->normal[1], (double)c->normal[2]};
    const pl_vec3 local = {(double)c->place[0], (double)c->place[1], (double)c->place[2]};
    const pl_vec3 place = pl_add(pl_vec3_load(b->origin), local);
    const pl_contact_report report =
        pl_report_of_obstacle(v, c->obstacle, at, n, force, pl_dot(pl_sub(at, place), n));
    pl_array_push(out, &report);
}

// Contact forces. known: if not NULL, only sums them; otherwise reports each with its share of
// `rest`.
static double tell_contacts(const pl_pbd_system* s, const pl_pbd_body* b,
                            const pl_method_step* step, double h, pl_vec3 rest, double whole,
                            pl_force_sum* known) {
    const pl_point_constraint* points = b->points.data;
    double size = 0.0;
    for (size_t k = 0; k < b->points.count; k++) {
        const pl_point_constraint* c = &points[k];
        if (!c->is_contact || !(c->push > 0.0f)) continue;
        const pl_vec3 push = push_of(b, c, h);
        const int v = b->first_vertex + pl_pbd_vertex_of(b, c->particle);
        size += pl_norm(push);
        if (known) pl_force_sum_add(known, pl_vec3_load(s->positions + 3 * (size_t)v), push);
        if (known) continue;
        const double share = whole > 0.0 ? pl_norm(push) / whole : 0.0;
        const pl_vec3 force = pl_madd(push, share, rest);
        if (step->contacts) tell_contact(s, b, v, c, force, step->contacts);
        if (!step->obstacle_forces || c->obstacle < 0 || c->obstacle >= step->obstacle_count)
            continue;
        double* sum = step->obstacle_forces + 3 * (size_t)c->obstacle;
        pl_vec3_store(sum, pl_add(pl_vec3_load(sum), force));
    }
    return size;
}

pl_status pl_pbd_tell_forces(pl_pbd_system* s, const pl_method_step* step, int part_count,
                             pl_error* error) {
    const double h = step->time_step / part_count;
    size_t room = step->contacts ? step->contacts->count : 0;
    for (int n = 0; n < s->body_count; n++) room += s->bodies[n].points.count;
    if (step->contacts && !pl_array_reserve(step->contacts, room))
        return pl_fail_memory(error, "contacts");
    memset(s->next, 0, 3 * (size_t)s->vertex_count * sizeof(double));
    for (int n = 0; n < s->body_count; n++) {
        const pl_pbd_body* b = &s->bodies[n];
        bool pinned = false;
        for (int k = 0; k < step->pin_count; k++) pinned = pinned || is_own(b, &step->pins[k]);
        if (!pinned && b->points.count == 0) continue; // nothing holds or touches this body
        pl_force_sum all = all_reactions(s, b, step, h), known = {{0, 0, 0}, {0, 0, 0}};
        const double size = tell_contacts(s, b, step, h, all.force, 0.0, &known);
        all.force = pl_sub(all.force, known.force);
        all.torque = pl_sub(all.torque, known.torque);
        const pl_vec3 nothing = {0, 0, 0};
        tell_contacts(s, b, step, h, pinned ? nothing : all.force, size, NULL);
        if (pinned && step->pin_forces) tell_pins(s, b, step, h, all);
    }
    return PL_OK;
}
