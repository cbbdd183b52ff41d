// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs of attachments, and contacts, of a body in its lattice. The paper (Zhu 2010, section 8)
// has soft attachments at embedded points and prescribes the motion of parts in contact.
//
// Differs from the paper: soft pins act on embedded vertices, contacts on these and on additional
// points of large triangles (grid_surface_points.c). Their stiffness is lumped onto the faces of
// the band, in the cycle only. The residual uses the true forces at all positions that an iteration
// tries, so cycles can be recombined although contact forces are not linear. Contacts and soft pins
// only have to be stiff enough; they are made no stiffer than the lattice at their faces, so cycles
// converge for any requested stiffness.
#include "contact/force_share.h"
#include "grid/grid_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// force on a vertex and its stiffness along the axes
static void add_push(double* force, double* stiffness, pl_vec3 push, pl_vec3 stiff) {
    pl_vec3_store(force, pl_add(pl_vec3_load(force), push));
    pl_vec3_store(stiffness, pl_add(pl_vec3_load(stiffness), stiff));
}

// Largest stiffness that soft pins and contacts may add to a face, in lattice units; the operator
// has about 6.
static const double SPRING_LIMIT = 12.0;
// Cycles between updates of the springs in the coefficients. A sliding block takes a fifth fewer
// cycles than with 4.
enum { STIFFEN_EVERY = 2 };

// Stiffness of one spring, reduced so that all springs together are no stiffer than the lattice at
// their faces. crowd: requested total stiffness at faces.
static double bounded(const pl_grid_body* b, int point, double stiffness, double* const crowd[3],
                      double scale) {
    const double* gain = b->gain + 3 * (size_t)point;
    double most =
        scale * fmax(gain[0], fmax(gain[1], gain[2])) * pl_grid_largest(&b->map, point, crowd);
    return stiffness * fmin(1.0, (SPRING_LIMIT + b->state.inertia) / most);
}

// A point represents the surface around it. So the total stiffness of all points equals that
// requested for the vertices, for any number of points.
static double contact_stiffness(const pl_grid_body* b, const pl_contact* c) {
    return c->stiffness * b->share[c->vertex - b->first_point];
}

static pl_vec3 push_of_pin(const pl_grid_body* b, const pl_pin* pin, const double* positions,
                           double scale, double* stiffness) {
    const int point = pin->vertex - b->first_vertex;
    pl_vec3 way = pl_sub(pin->target, pl_vec3_load(positions + 3 * (size_t)point));
    *stiffness = bounded(b, point, pin->stiffness, b->state.f, scale);
    return pl_scale(*stiffness, way);
}

static void push_pins(const pl_grid_body* b, const pl_grid_loads* loads, const double* positions,
                      double scale, double* force, double* stiffness) {
    for (int k = 0; k < loads->pin_count; k++) {
        const pl_pin* pin = &loads->pins[k];
        if (pin->hard || !pl_grid_is_own(b, pin->vertex)) continue;
        size_t at = 3 * (size_t)(pin->vertex - b->first_vertex);
        double k1;
        pl_vec3 push = push_of_pin(b, pin, positions, scale, &k1);
        add_push(force + at, stiffness + at, push, (pl_vec3){k1, k1, k1});
    }
}

// Absolute row sums of k n n' + drag (I - n n'). A sliding contact is soft along its plane: with
// the same stiffness along it as across it, cycles would hardly let it slide.
static pl_vec3 row_sums(pl_vec3 n, double k, double drag) {
    const double size = fabs(n.x) + fabs(n.y) + fabs(n.z), across = k - drag;
    return (pl_vec3){across * fabs(n.x) * size + drag, across * fabs(n.y) * size + drag,
                     across * fabs(n.z) * size + drag};
}

// Force of a contact, zero if it is open; and its stiffness normal to its plane and along it.
static pl_vec3 push_of_contact(const pl_grid_body* b, const pl_grid_loads* loads,
                               const pl_contact* c, const double* positions, double scale,
                               double* k1, double* drag) {
    const double slip = 1e-3 * loads->time_step; // 1 mm/s counts as at rest
    pl_vec3 x = pl_vec3_load(positions + 3 * (size_t)(c->vertex - b->first_point));
    double depth = pl_dot(pl_sub(c->point, x), c->normal);
    *k1 = *drag = 0.0;
    if (depth <= 0.0) return (pl_vec3){0.0, 0.0, 0.0};
    *k1 = bounded(b, c->vertex - b->first_point, contact_stiffness(b, c), b->state.f, scale);
    pl_vec3 way = pl_sub(pl_sub(x, pl_vec3_load(loads->start + 3 * (size_t)c->vertex)), c->motion);
    way = pl_sub(way, pl_scale(pl_dot(way, c->normal), c->normal));
    *drag = fmin(c->friction * *k1 * depth / fmax(pl_norm(way), slip), *k1);
    return pl_sub(pl_scale(*k1 * depth, c->normal), pl_scale(*drag, way));
}

static void push_contacts(const pl_grid_body* b, const pl_grid_loads* loads,
                          const double* positions, double scale, double* force, double* stiffness) {
    for (int k = 0; k < loads->contact_count; k++) {
        const pl_contact* c = &loads->contacts[k];
        if (!pl_grid_is_own_contact(b, c)) continue;
        size_t at = 3 * (size_t)(c->vertex - b->first_point);
        double k1, drag;
        pl_vec3 push = push_of_contact(b, loads, c, positions, scale, &k1, &drag);
        if (k1 > 0.0) add_push(force + at, stiffness + at, push, row_sums(c->normal, k1, drag));
    }
}

// sums the requested stiffness of all springs at faces
static void sum_stiffness(const pl_grid_body* b, const pl_grid_loads* loads, double* stiffness,
                          double* const crowd[3]) {
    for (int k = 0; k < loads->contact_count; k++) {
        const pl_contact* c = &loads->contacts[k];
        if (!pl_grid_is_own_contact(b, c)) continue;
        for (int a = 0; a < 3; a++)
            stiffness[3 * (size_t)(c->vertex - b->first_point) + (size_t)a] =
                contact_stiffness(b, c);
    }
    for (int k = 0; k < loads->pin_count; k++) {
        const pl_pin* pin = &loads->pins[k];
        if (pin->hard || !pl_grid_is_own(b, pin->vertex)) continue;
        for (int a = 0; a < 3; a++)
            stiffness[3 * (size_t)(pin->vertex - b->first_vertex) + (size_t)a] += pin->stiffness;
    }
    pl_grid_spread_sizes(&b->map, stiffness, crowd, false);
}

static void clear_fields(const pl_grid_body* b, double* const f[3]) {
    size_t size = (size_t)b->lattice.levels[0].field_size * sizeof(double);
    for (int a = 0; a < 3; a++) memset(f[a], 0, size);
}

// Moves the stiffness of faces from state.f, plus their additional inertia, into the coefficients.
static void take_coefficients(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++)
            b->state.f[a][i] += b->state.inertia * (double)b->state.more_mass[a][i];
    b->cycles->functions->set_springs(b->cycles, b->state.f);
    b->coefficients_fit = false;
    b->inertia_set = b->state.inertia;
}

// adds springs and contacts to the coefficients; stiffness: 3 per point
static void stiffen(pl_grid_body* b, double* stiffness, double scale, bool any) {
    const pl_grid_level* l = &b->lattice.levels[0];
    // row sums of the true matrix W' k W; cycles converge if at least half of them is included
    for (size_t i = 0; i < 3 * (size_t)b->point_count; i++) stiffness[i] *= 0.6 * b->gain[i];
    clear_fields(b, b->state.f);
    if (any) pl_grid_spread_sizes(&b->map, stiffness, b->state.f, true);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++) b->state.f[a][i] *= scale;
    take_coefficients(b);
    b->stiffened = any;
}

void pl_grid_set_coefficients(pl_grid_body* b) {
    clear_fields(b, b->state.f);
    take_coefficients(b);
    b->stiffened = false;
}

bool pl_grid_has_springs(const pl_grid_body* b, const pl_grid_loads* loads) {
    for (int k = 0; k < loads->contact_count; k++)
        if (pl_grid_is_own_contact(b, &loads->contacts[k])) return true;
    for (int k = 0; k < loads->pin_count; k++)
        if (!loads->pins[k].hard && pl_grid_is_own(b, loads->pins[k].vertex)) return true;
    return false;
}

static double spring_scale(const pl_grid_body* b) {
    return 1.0 / (b->frame.cell * b->mu * pl_grid_softening(b));
}

void pl_grid_find_spring_forces(pl_grid_body* b, const pl_grid_loads* loads,
                                const double* positions) {
    const size_t count = 3 * (size_t)b->point_count;
    double *force = b->springs, *stiffness = b->springs + count;
    double scale = spring_scale(b);
    if (count) memset(b->springs, 0, 2 * count * sizeof(double));
    if (!pl_grid_has_springs(b, loads)) return;
    clear_fields(b, b->state.f);
    sum_stiffness(b, loads, stiffness, b->state.f);
    memset(stiffness, 0, count * sizeof(double));
    push_contacts(b, loads, positions, scale, force, stiffness);
    push_pins(b, loads, positions, scale, force, stiffness);
}

void pl_grid_sum_spring_stiffness(pl_grid_body* b, const pl_grid_loads* loads) {
    const size_t count = 3 * (size_t)b->point_count;
    double* stiffness = b->springs + count;
    if (count) memset(stiffness, 0, count * sizeof(double));
    clear_fields(b, b->state.f);
    sum_stiffness(b, loads, stiffness, b->state.f);
}

pl_vec3 pl_grid_contact_force(const pl_grid_body* b, const pl_grid_loads* loads,
                              const pl_contact* c, const double* positions) {
    double k1, drag;
    return push_of_contact(b, loads, c, positions, spring_scale(b), &k1, &drag);
}

pl_vec3 pl_grid_pin_force(const pl_grid_body* b, const pl_pin* pin, const double* positions) {
    double k1;
    return push_of_pin(b, pin, positions, spring_scale(b), &k1);
}

void pl_grid_set_right_side(pl_grid_body* b, const pl_grid_loads* loads) {
    const pl_grid_level* l = &b->lattice.levels[0];
    const double scale = spring_scale(b);
    clear_fields(b, b->state.f);
    if (pl_grid_has_springs(b, loads)) pl_grid_spread(&b->map, b->springs, b->state.f);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++)
            b->state.f[a][i] = b->applied[a][i] - scale * b->state.f[a][i];
}

bool pl_grid_update_spring_coefficients(pl_grid_body* b) {
    const size_t count = 3 * (size_t)b->point_count;
    double* stiffness = b->springs + count;
    int held = 0;
    for (size_t i = 0; i < count; i++) held += stiffness[i] != 0.0;
    if (held <= b->stiffened_count &&
        !((held > 0 || b->stiffened) && b->cycle % STIFFEN_EVERY == 0))
        return false;
    stiffen(b, stiffness, spring_scale(b), held > 0);
    b->stiffened_count = held;
    return true;
}

void pl_grid_update_springs(void* user) {
    pl_grid_spring_context* r = user;
    double* own = r->body->springs + 6 * (size_t)r->body->point_count;
    if (!r->positions) pl_grid_body_points(r->body, r->body->state.u, own);
    pl_grid_find_spring_forces(r->body, r->loads, r->positions ? r->positions : own);
    r->positions = NULL;
    pl_grid_set_right_side(r->body, r->loads);
}

// ------------------------------------------------------------------ reactions

// Reaction forces on a body in its lattice. Their sum follows from the momentum: with the symbols
// of grid_step.c, and m, x the mass and position of each cell,
//
//   F = sum of m (((1 + alpha t) v - w) / t - g) - applied,   the torque likewise with x x
//
// Springs and contacts know their own forces; the forces of Dirichlet cells are the gradient of the
// elastic energy at their faces. The difference to the sum (viscous stress, solver tolerance, cells
// versus faces) is distributed over the pins, or over the contacts of a body without pins, in
// proportion to their forces.

// ------------------------------------------------------------------ total reaction

// acceleration of a cell minus that due to applied forces: the part due to reactions
static pl_vec3 acceleration_of(const pl_grid_body* b, const pl_grid_segment* g, int i) {
    const double t = b->implicit_time;
    pl_vec3 now = pl_grid_cell_mean(b->state.u, g, i), y = pl_grid_cell_mean(b->before, g, i);
    pl_vec3 w = pl_grid_cell_mean(b->velocity, g, i);
    if (b->uses_past) {
        y = pl_scale(1.0 / 3.0, pl_sub(pl_scale(4.0, y), pl_grid_cell_mean(b->past, g, i)));
        w = pl_scale(1.0 / 3.0,
                     pl_sub(pl_scale(4.0, w), pl_grid_cell_mean(b->past_velocity, g, i)));
    }
    const pl_vec3 v = pl_scale(1.0 / t, pl_sub(now, y));
    return pl_scale(1.0 / t, pl_sub(pl_scale(1.0 + b->damping_mass * t, v), w));
}

static pl_force_sum all_reactions(const pl_grid_body* b, const pl_grid_loads* loads,
                                  const double* places) {
    const pl_grid_level* l = &b->lattice.levels[0];
    const double m = b->density * b->frame.cell * b->frame.cell * b->frame.cell;
    pl_force_sum s = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < l->segment_count; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            if (!pl_grid_is_body(b, g->begin + i)) continue;
            pl_vec3 x = pl_add(pl_grid_cell_rest(b, g, i), pl_grid_cell_mean(b->state.u, g, i));
            pl_vec3 a = pl_scale(-1.0, pl_vec3_load(loads->gravity));
            if (b->dynamic) a = pl_add(a, acceleration_of(b, g, i));
            pl_force_sum_add(&s, x, pl_scale(m * pl_grid_cell_mass(b, g->begin + i), a));
        }
    }
    for (int p = 0; p < b->point_count; p++)
        pl_force_sum_add(&s, pl_vec3_load(places + 3 * (size_t)p),
                         pl_scale(-1.0, pl_vec3_load(loads->force + 3 * (size_t)p)));
    return s;
}

// ------------------------------------------------------------------ single reactions

static bool is_own_hard(const pl_grid_body* b, const pl_pin* pin) {
    return pin->hard && pl_grid_is_own(b, pin->vertex);
}

// gradient of the elastic energy at prescribed faces [N], into the right-hand side
static void find_held_forces(pl_grid_body* b) {
    const double scale = b->frame.cell * b->mu;
    double* const* f = b->state.f;
    b->cycles->functions->find_held_forces(b->cycles, &b->state, b->frame.cell, f);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < b->lattice.levels[0].field_size; i++) f[a][i] *= scale;
}

// number of the attachment that holds a face across a, or 0
static int attachment_of_face(const pl_grid_body* b, const pl_grid_segment* g, int a, int i) {
    const int attachment = abs(b->held[g->begin + i]);
    return attachment ? attachment : abs(b->held[pl_grid_below(g, a, i)]);
}

static void sum_attachments(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int n = 0; n < b->fit_count; n++)
        b->fits[n].force = b->fits[n].torque = (pl_vec3){0.0, 0.0, 0.0};
    find_held_forces(b);
    for (int k = 0; k < l->segment_count; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const int attachment = attachment_of_face(b, g, a, i);
                if (!attachment) continue;
                double x[3], force[3] = {0.0, 0.0, 0.0};
                pl_vec3_store(x, pl_grid_cell_rest(b, g, i));
                x[a] -= 0.5 * b->frame.cell;
                force[a] = b->state.f[a][g->begin + i];
                pl_grid_fit* f = &b->fits[attachment];
                pl_force_sum s = {f->force, f->torque};
                const pl_vec3 at = pl_vec3_load(x);
                pl_force_sum_add(&s, pl_add(at, pl_grid_fit_displacement(f, at)),
                                 pl_vec3_load(force));
                f->force = s.force, f->torque = s.torque;
            }
    }
}

// forces of the attachments, each divided among its pins
static void divide_attachments(pl_grid_body* b, const pl_grid_loads* loads) {
    sum_attachments(b);
    for (int n = 0; n < b->fit_count; n++)
        b->fits[n].share = (pl_force_share){.origin = b->fits[n].to};
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < loads->pin_count; k++) {
            const pl_pin* pin = &loads->pins[k];
            if (!is_own_hard(b, pin)) continue;
            pl_grid_fit* f = &b->fits[b->pinned[pin->vertex - b->first_vertex]];
            if (pass == 0) pl_force_share_add(&f->share, pin->target, 1.0);
            else
                pl_vec3_store(loads->pin_forces + 3 * (size_t)k,
                              pl_force_share_at(&f->share, pin->target, 1.0));
        }
        for (int n = 0; pass == 0 && n < b->fit_count; n++)
            pl_force_share_solve(&b->fits[n].share, b->fits[n].force, b->fits[n].torque);
    }
}

// Appends a report; room is reserved. Points after the vertices are contact points between them.
static void report_contact(const pl_grid_body* b, const pl_contact* c, const double* places,
                           pl_vec3 force, pl_array* out) {
    const int point = c->vertex - b->first_point;
    const int v = point < b->vertex_count ? b->first_vertex + point : -1 - b->first_vertex;
    const pl_vec3 at = pl_vec3_load(places + 3 * (size_t)point);
    const pl_contact_place place = pl_contact_round(c, at);
    const pl_contact_report report =
        pl_report_of_obstacle(v, c->obstacle, at, place.normal, force, -place.depth);
    pl_array_push(out, &report);
}

// reports the forces of contacts, and each contact's share of the remainder
static double tell_contacts(const pl_grid_body* b, const pl_grid_loads* loads, const double* places,
                            pl_vec3 rest, double whole, pl_force_sum* known) {
    double size = 0.0;
    for (int k = 0; k < loads->contact_count; k++) {
        const pl_contact* c = &loads->contacts[k];
        if (!pl_grid_is_own_contact(b, c)) continue;
        const pl_vec3 push = pl_grid_contact_force(b, loads, c, places);
        size += pl_norm(push);
        if (known)
            pl_force_sum_add(known, pl_vec3_load(places + 3 * (size_t)(c->vertex - b->first_point)),
                             push);
        if (known || pl_norm2(push) == 0.0) continue;
        const double share = whole > 0.0 ? pl_norm(push) / whole : 0.0;
        const pl_vec3 force = pl_madd(push, share, rest);
        if (loads->reports) report_contact(b, c, places, force, loads->reports);
        if (!loads->obstacle_forces || c->obstacle >= loads->obstacle_count) continue;
        double* sum = loads->obstacle_forces + 3 * (size_t)c->obstacle;
        pl_vec3_store(sum, pl_add(pl_vec3_load(sum), force));
    }
    return size;
}

void pl_grid_add_reactions(pl_grid_body* b, const pl_grid_loads* loads) {
    if (!loads->pin_forces && !loads->obstacle_forces && !loads->reports) return;
    if (b->held_count == 0 && !pl_grid_has_springs(b, loads)) return; // nothing holds or touches it
    double* places = b->springs + 6 * (size_t)b->point_count;
    bool pinned = false;
    pl_force_sum known = {{0, 0, 0}, {0, 0, 0}};
    pl_grid_body_points(b, b->state.u, places);
    pl_grid_extend(&b->map, b->before);
    pl_grid_extend(&b->map, b->velocity);
    pl_force_sum rest = all_reactions(b, loads, places);
    pl_grid_sum_spring_stiffness(b, loads);
    const double size = tell_contacts(b, loads, places, rest.force, 0.0, &known);
    for (int k = 0; k < loads->pin_count; k++) {
        const pl_pin* pin = &loads->pins[k];
        if (!pl_grid_is_own(b, pin->vertex)) continue;
        pinned = true;
        if (!pin->hard && loads->pin_forces)
            pl_vec3_store(loads->pin_forces + 3 * (size_t)k, pl_grid_pin_force(b, pin, places));
    }
    const pl_vec3 nothing = {0, 0, 0}, more = pl_sub(rest.force, known.force);
    tell_contacts(b, loads, places, pinned ? nothing : more, size, NULL);
    if (!pinned) return;
    if (b->held_count > 0) divide_attachments(b, loads);
    rest.force = more;
    rest.torque = pl_sub(rest.torque, known.torque);
    pl_force_share_fill(loads->pins, loads->pin_count, b->first_vertex, b->vertex_count, places,
                        rest.force, rest.torque, loads->pin_forces);
}
