// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs of attachments, and contacts, of a body in its lattice. The paper (Zhu 2010, section 8)
// has soft attachments at embedded points and prescribes the motion of parts in contact.
//
// Where we differ: soft pins act on embedded vertices, contacts on these and on additional points
// of large triangles (grid_surface_points.h). Their stiffness is lumped onto the faces of the band,
// in the cycle only. The residual uses the true forces, at all positions that an iteration tries,
// so cycles can be recombined although contact forces are not linear. Contacts and soft pins only
// have to be stiff enough; they are made no stiffer than the lattice at their faces, so cycles
// converge for any requested stiffness.
#include "grid/grid_step.h"

#include <math.h>

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

// A point represents the surface around it, so the total stiffness of all points is that requested
// for the vertices, however many points there are.
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

// Absolute row sums of k n n' + drag (I - n n'). A sliding contact is soft along its plane: if it
// were as stiff there as across, cycles would hardly let it slide.
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

// Moves the stiffness of faces in state.f, plus their additional inertia, into the coefficients.
static void take_coefficients(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++)
            b->state.f[a][i] += b->state.inertia * (double)b->state.more_mass[a][i];
    if (b->general) pl_grid_corot_set_springs(&b->corot, b->state.f);
    else pl_grid_linear_set_springs(&b->linear, b->state.f);
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
