// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs of attachments and contacts of a body in its lattice. The paper (Zhu 2010, section 8) has
// soft attachments at embedded points and prescribes the motion of what touches something else.
//
// Where we differ: pins with springs act on embedded vertices, contacts on these and on more points
// of large triangles (grid_surface_points.h); what they add to the operator is lumped onto the
// faces of the band, in the cycle only, and the residual is that of the true forces, at every place
// that an iteration tries. So cycles can be recombined although forces of contacts are not linear.
// Contacts and springs of pins, which only have to be stiff enough, are made no stiffer than the
// lattice at their faces, so that cycles converge however stiff they are asked to be.
#include "grid/grid_springs.h"

#include <math.h>

#include <string.h>

// force on a vertex and its stiffness along the axes
static void add_push(double* force, double* stiffness, pl_vec3 push, pl_vec3 stiff) {
    pl_vec3_store(force, pl_add(pl_vec3_load(force), push));
    pl_vec3_store(stiffness, pl_add(pl_vec3_load(stiffness), stiff));
}

// Stiffness of a face, in units of the lattice, that pins with springs and contacts may bring; the
// operator has about 6.

static const double REACTION_LIMIT = 12.0;
enum { STIFFEN_EVERY = 4 }; // cycles

// The stiffness of one of a crowd of reactions, made less so that all of them together are no
// stiffer than the lattice at their faces. crowd: how stiff they would be as they are asked for.
static double bounded(const pl_grid_body* b, int point, double stiffness, double* const crowd[3],
                      double scale) {
    const double* gain = b->gain + 3 * (size_t)point;
    double most =
        scale * fmax(gain[0], fmax(gain[1], gain[2])) * pl_grid_largest(&b->map, point, crowd);
    return stiffness * fmin(1.0, (REACTION_LIMIT + b->state.inertia) / most);
}

// A point stands for the surface around it: together points are as stiff as the vertices of the
// surface are asked to be, however many points there are.
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

static void push_pins(const pl_grid_body* b, const pl_grid_acts* acts, const double* positions,
                      double scale, double* force, double* stiffness) {
    for (int k = 0; k < acts->pin_count; k++) {
        const pl_pin* pin = &acts->pins[k];
        if (pin->hard || !pl_grid_is_own(b, pin->vertex)) continue;
        size_t at = 3 * (size_t)(pin->vertex - b->first_vertex);
        double k1;
        pl_vec3 push = push_of_pin(b, pin, positions, scale, &k1);
        add_push(force + at, stiffness + at, push, (pl_vec3){k1, k1, k1});
    }
}

// Sums of the sizes in each row of k n n' + drag (I - n n'). A contact that slides is soft along
// its plane: as stiff there as across it, cycles would hardly let it slide.
static pl_vec3 row_sums(pl_vec3 n, double k, double drag) {
    const double size = fabs(n.x) + fabs(n.y) + fabs(n.z), across = k - drag;
    return (pl_vec3){across * fabs(n.x) * size + drag, across * fabs(n.y) * size + drag,
                     across * fabs(n.z) * size + drag};
}

// Force of a contact, none if it does not touch; its stiffness across and along its plane.
static pl_vec3 push_of_contact(const pl_grid_body* b, const pl_grid_acts* acts, const pl_contact* c,
                               const double* positions, double scale, double* k1, double* drag) {
    const double slip = 1e-3 * acts->time_step; // 1 mm/s counts as at rest
    pl_vec3 x = pl_vec3_load(positions + 3 * (size_t)(c->vertex - b->first_point));
    double depth = pl_dot(pl_sub(c->point, x), c->normal);
    *k1 = *drag = 0.0;
    if (depth <= 0.0) return (pl_vec3){0.0, 0.0, 0.0};
    *k1 = bounded(b, c->vertex - b->first_point, contact_stiffness(b, c), b->state.f, scale);
    pl_vec3 way = pl_sub(pl_sub(x, pl_vec3_load(acts->start + 3 * (size_t)c->vertex)), c->motion);
    way = pl_sub(way, pl_scale(pl_dot(way, c->normal), c->normal));
    *drag = fmin(c->friction * *k1 * depth / fmax(pl_norm(way), slip), *k1);
    return pl_sub(pl_scale(*k1 * depth, c->normal), pl_scale(*drag, way));
}

static void push_contacts(const pl_grid_body* b, const pl_grid_acts* acts, const double* positions,
                          double scale, double* force, double* stiffness) {
    for (int k = 0; k < acts->contact_count; k++) {
        const pl_contact* c = &acts->contacts[k];
        if (!pl_grid_is_own_contact(b, c)) continue;
        size_t at = 3 * (size_t)(c->vertex - b->first_point);
        double k1, drag;
        pl_vec3 push = push_of_contact(b, acts, c, positions, scale, &k1, &drag);
        if (k1 > 0.0) add_push(force + at, stiffness + at, push, row_sums(c->normal, k1, drag));
    }
}

// how stiff all reactions of faces would be as they are asked for
static void sum_reactions(const pl_grid_body* b, const pl_grid_acts* acts, double* stiffness,
                          double* const crowd[3]) {
    for (int k = 0; k < acts->contact_count; k++) {
        const pl_contact* c = &acts->contacts[k];
        if (!pl_grid_is_own_contact(b, c)) continue;
        for (int a = 0; a < 3; a++)
            stiffness[3 * (size_t)(c->vertex - b->first_point) + (size_t)a] =
                contact_stiffness(b, c);
    }
    for (int k = 0; k < acts->pin_count; k++) {
        const pl_pin* pin = &acts->pins[k];
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

// The stiffness of faces in state.f, and what they carry beyond one cell, into the coefficients.
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

// what springs and contacts do to the coefficients; stiffness: 3 per point
static void stiffen(pl_grid_body* b, double* stiffness, double scale, bool any) {
    const pl_grid_level* l = &b->lattice.levels[0];
    // row sums of the true matrix W' k W: cycles converge as long as half of them is there
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

bool pl_grid_has_reactions(const pl_grid_body* b, const pl_grid_acts* acts) {
    for (int k = 0; k < acts->contact_count; k++)
        if (pl_grid_is_own_contact(b, &acts->contacts[k])) return true;
    for (int k = 0; k < acts->pin_count; k++)
        if (!acts->pins[k].hard && pl_grid_is_own(b, acts->pins[k].vertex)) return true;
    return false;
}

static double reaction_scale(const pl_grid_body* b) {
    return 1.0 / (b->frame.cell * b->mu * pl_grid_softening(b));
}

void pl_grid_find_reactions(pl_grid_body* b, const pl_grid_acts* acts, const double* positions) {
    const size_t count = 3 * (size_t)b->point_count;
    double *force = b->reaction, *stiffness = b->reaction + count;
    double scale = reaction_scale(b);
    if (count) memset(b->reaction, 0, 2 * count * sizeof(double));
    if (!pl_grid_has_reactions(b, acts)) return;
    clear_fields(b, b->state.f);
    sum_reactions(b, acts, stiffness, b->state.f);
    memset(stiffness, 0, count * sizeof(double));
    push_contacts(b, acts, positions, scale, force, stiffness);
    push_pins(b, acts, positions, scale, force, stiffness);
}

void pl_grid_crowd_reactions(pl_grid_body* b, const pl_grid_acts* acts) {
    const size_t count = 3 * (size_t)b->point_count;
    double* stiffness = b->reaction + count;
    if (count) memset(stiffness, 0, count * sizeof(double));
    clear_fields(b, b->state.f);
    sum_reactions(b, acts, stiffness, b->state.f);
}

pl_vec3 pl_grid_contact_force(const pl_grid_body* b, const pl_grid_acts* acts, const pl_contact* c,
                              const double* positions) {
    double k1, drag;
    return push_of_contact(b, acts, c, positions, reaction_scale(b), &k1, &drag);
}

pl_vec3 pl_grid_pin_force(const pl_grid_body* b, const pl_pin* pin, const double* positions) {
    double k1;
    return push_of_pin(b, pin, positions, reaction_scale(b), &k1);
}

void pl_grid_set_right_side(pl_grid_body* b, const pl_grid_acts* acts) {
    const pl_grid_level* l = &b->lattice.levels[0];
    const double scale = reaction_scale(b);
    clear_fields(b, b->state.f);
    if (pl_grid_has_reactions(b, acts)) pl_grid_spread(&b->map, b->reaction, b->state.f);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < l->field_size; i++)
            b->state.f[a][i] = b->applied[a][i] - scale * b->state.f[a][i];
}

bool pl_grid_follow_reactions(pl_grid_body* b) {
    const size_t count = 3 * (size_t)b->point_count;
    double* stiffness = b->reaction + count;
    int held = 0;
    for (size_t i = 0; i < count; i++) held += stiffness[i] != 0.0;
    if (held <= b->stiffened_count &&
        !((held > 0 || b->stiffened) && b->cycle % STIFFEN_EVERY == 0))
        return false;
    stiffen(b, stiffness, reaction_scale(b), held > 0);
    b->stiffened_count = held;
    return true;
}

void pl_grid_react(void* user) {
    pl_grid_reactor* r = user;
    double* own = r->body->reaction + 6 * (size_t)r->body->point_count;
    if (!r->positions) pl_grid_body_points(r->body, r->body->state.u, own);
    pl_grid_find_reactions(r->body, r->acts, r->positions ? r->positions : own);
    r->positions = NULL;
    pl_grid_set_right_side(r->body, r->acts);
}
