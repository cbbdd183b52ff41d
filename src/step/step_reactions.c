// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A held vertex is balanced by its reaction, which is therefore dPhi/dx there, before held
// directions are removed. Only elements at held vertices are evaluated.
//
// Pins k at one vertex hold the directions H_k. They share a reaction R as H_k S+ R, S the sum of
// H_k and S+ its pseudo-inverse: the shares add up to R, and are the smallest that do.
#include "step/step_reactions.h"
#include "base/memory.h"

#include <string.h>

pl_status pl_step_reactions_setup(pl_step_reactions* r, int vertex_count, pl_error* error) {
    *r = (pl_step_reactions){.vertex_count = vertex_count,
                             .vertices = pl_array_of(sizeof(int)),
                             .spans = pl_array_of(sizeof(pl_mat3)),
                             .elements = pl_array_of(sizeof(int)),
                             .known = pl_array_of(sizeof(int))};
    r->slot_of = PL_ALLOC(int, vertex_count);
    return r->slot_of || vertex_count == 0 ? PL_OK : pl_fail_memory(error, "reactions");
}

void pl_step_reactions_free(pl_step_reactions* r) {
    PL_FREE(r->slot_of, int, r->vertex_count);
    pl_array_free(&r->vertices);
    pl_array_free(&r->spans);
    pl_array_free(&r->elements);
    pl_array_free(&r->known);
    *r = (pl_step_reactions){0};
}

static bool is_held(const pl_step_reactions* r, int vertex) { return r->slot_of[vertex] != 0; }

static pl_status find_spans(pl_step_reactions* r, const pl_step_objective* f, pl_error* error) {
    const int* vertices = r->vertices.data;
    for (size_t k = 0; k < r->vertices.count; k++) r->slot_of[vertices[k]] = 0;
    r->vertices.count = r->spans.count = 0;
    for (int k = 0; k < f->pin_count; k++) {
        const pl_pin* pin = &f->pins[k];
        if (!pin->hard) continue;
        pl_mat3 none = {{0.0}};
        if (!is_held(r, pin->vertex)) {
            if (!pl_array_push(&r->spans, &none) || !pl_array_push(&r->vertices, &pin->vertex))
                return pl_fail_memory(error, "reactions");
            r->slot_of[pin->vertex] = (int)r->vertices.count;
        }
        pl_mat3* span = (pl_mat3*)r->spans.data + (r->slot_of[pin->vertex] - 1);
        *span = pl_mat3_add(*span, pin->partial ? pin->held : pl_mat3_identity());
    }
    return PL_OK;
}

static bool touches_held(const pl_step_reactions* r, const pl_element_set* set, int e) {
    int n = set->kind->corner_count;
    const int* v = set->corners + (size_t)e * (size_t)n;
    for (int i = 0; i < n; i++)
        if (is_held(r, v[i])) return true;
    return false;
}

// Finds the elements at held vertices, again if other vertices are held.
static pl_status find_elements(pl_step_reactions* r, const pl_step_objective* f, pl_error* error) {
    size_t size = r->vertices.count * sizeof(int);
    if (r->vertices.count == r->known.count &&
        (size == 0 || memcmp(r->vertices.data, r->known.data, size) == 0))
        return PL_OK;
    r->elements.count = r->known.count = 0;
    for (int s = 0; s < f->set_count; s++) {
        size_t first = r->elements.count;
        for (int e = 0; e < f->sets[s].count; e++)
            if (touches_held(r, &f->sets[s], e) && !pl_array_push(&r->elements, &e))
                return pl_fail_memory(error, "reactions");
        r->element_counts[s] = (int)(r->elements.count - first);
    }
    int* known = pl_array_add(&r->known, r->vertices.count);
    if (!known && size) return pl_fail_memory(error, "reactions");
    if (size) memcpy(known, r->vertices.data, size);
    return PL_OK;
}

static void add_at(double* gradient, int vertex, double s, pl_vec3 force) {
    double* g = gradient + 3 * (size_t)vertex;
    pl_vec3_store(g, pl_madd(pl_vec3_load(g), s, force));
}

static pl_vec3 difference(const double* a, const double* b, int vertex) {
    size_t i = 3 * (size_t)vertex;
    return pl_sub(pl_vec3_load(a + i), pl_vec3_load(b + i));
}

// adds inertia, drag and external forces of one vertex
static void add_motion(const pl_step_objective* f, const double* x, int v, double* gradient) {
    double drag = pl_step_mass_weight(f) - f->inertia;
    const pl_block_matrix* M = f->mass_matrix;
    add_at(gradient, v, -1.0, pl_vec3_load(f->force + 3 * (size_t)v));
    int first = M ? M->offsets[v] : 0, last = M ? M->offsets[v + 1] : 1;
    for (int e = first; e < last; e++) {
        int w = M ? M->columns[e] : v;
        double mass = M ? M->values[e] : f->mass[v];
        if (f->inertia > 0.0) add_at(gradient, v, f->inertia * mass, difference(x, f->y, w));
        if (drag > 0.0) add_at(gradient, v, drag * mass, difference(x, f->reference, w));
    }
}

static void add_damping(const pl_step_objective* f, const double* x, int v, double* gradient) {
    const pl_block_matrix* K = f->damping_matrix;
    if (!(f->velocity_time > 0.0) || !(f->damping_stiffness > 0.0)) return;
    double scale = f->damping_stiffness / f->velocity_time;
    for (int e = K->offsets[v]; e < K->offsets[v + 1]; e++) {
        pl_vec3 d = difference(x, f->reference, K->columns[e]);
        pl_mat3 block;
        memcpy(block.m, K->values + 9 * (size_t)e, sizeof block.m);
        add_at(gradient, v, scale, pl_mat3_apply(&block, d));
    }
}

static void add_element(const pl_step_reactions* r, const pl_element_set* set, int e,
                        const double* x, double* gradient) {
    int n = set->kind->corner_count;
    const int* v = set->corners + (size_t)e * (size_t)n;
    double local[3 * PL_MAX_CORNERS] = {0.0}, forces[3 * PL_MAX_CORNERS];
    for (int i = 0; i < n; i++) memcpy(local + 3 * i, x + 3 * (size_t)v[i], 3 * sizeof(double));
    set->kind->gradient(set->data, e, local, forces);
    for (int i = 0; i < n; i++)
        if (is_held(r, v[i])) add_at(gradient, v[i], 1.0, pl_vec3_load(forces + 3 * i));
}

static pl_vec3 spring_force(const pl_pin* pin, const double* x) {
    pl_vec3 d = pl_sub(pin->target, pl_vec3_load(x + 3 * (size_t)pin->vertex));
    return pl_scale(pin->stiffness, pl_pin_part(pin, d));
}

// dPhi/dx at held vertices; other entries are undefined
static void find_gradient(const pl_step_reactions* r, const pl_step_objective* f, const double* x,
                          double* gradient) {
    const int *vertices = r->vertices.data, *elements = r->elements.data;
    for (size_t k = 0; k < r->vertices.count; k++) {
        memset(gradient + 3 * (size_t)vertices[k], 0, 3 * sizeof(double));
        add_motion(f, x, vertices[k], gradient);
        add_damping(f, x, vertices[k], gradient);
    }
    for (int s = 0; s < f->set_count; elements += r->element_counts[s++])
        for (int k = 0; k < r->element_counts[s]; k++)
            add_element(r, &f->sets[s], elements[k], x, gradient);
    if (f->coupling) f->coupling->gradient(f->coupling->data, x, gradient);
    for (int k = 0; k < f->term_count; k++) f->terms[k]->gradient(f->terms[k]->user, x, gradient);
    for (int k = 0; k < f->pin_count; k++)
        if (!f->pins[k].hard)
            add_at(gradient, f->pins[k].vertex, -1.0, spring_force(&f->pins[k], x));
    for (int k = 0; k < f->contact_count; k++)
        add_at(gradient, f->contacts[k].vertex, 1.0, pl_step_contact_gradient(f, k, x));
}

static pl_vec3 share_of(const pl_step_reactions* r, const pl_pin* pin, const double* gradient) {
    pl_vec3 whole = pl_vec3_load(gradient + 3 * (size_t)pin->vertex);
    pl_mat3 span, inverse;
    const pl_mat3* spans = r->spans.data;
    pl_held_span(spans[r->slot_of[pin->vertex] - 1], &span, &inverse);
    return pl_pin_part(pin, pl_mat3_apply(&inverse, whole));
}

static void sum_contacts(const pl_step_objective* f, const double* x, const pl_method_step* step) {
    for (int k = 0; k < f->contact_count; k++) {
        int obstacle = f->contacts[k].obstacle;
        if (obstacle < 0 || obstacle >= step->obstacle_count) continue;
        add_at(step->obstacle_forces, obstacle, -1.0, pl_step_contact_gradient(f, k, x));
    }
}

static pl_status tell_contacts(const pl_step_objective* f, const double* x, pl_array* out,
                               pl_error* error) {
    out->count = 0;
    for (int k = 0; k < f->contact_count; k++) {
        const pl_contact* c = &f->contacts[k];
        const pl_vec3 force = pl_scale(-1.0, pl_step_contact_gradient(f, k, x));
        if (pl_norm2(force) == 0.0) continue;
        const pl_vec3 at = pl_vec3_load(x + 3 * (size_t)c->vertex);
        const pl_contact_place place = pl_contact_round(c, at);
        const pl_contact_report report =
            pl_report_of_obstacle(c->vertex, c->obstacle, at, place.normal, force, -place.depth);
        if (!pl_array_push(out, &report)) return pl_fail_memory(error, "contacts");
    }
    return PL_OK;
}

pl_status pl_step_reactions_find(pl_step_reactions* r, const pl_step_objective* f, const double* x,
                                 double* scratch, const pl_method_step* step, pl_error* error) {
    if (step->obstacle_forces) {
        memset(step->obstacle_forces, 0, 3 * (size_t)step->obstacle_count * sizeof(double));
        sum_contacts(f, x, step);
    }
    pl_status status = step->contacts ? tell_contacts(f, x, step->contacts, error) : PL_OK;
    if (status != PL_OK || !step->pin_forces || f->pin_count == 0) return status;
    status = find_spans(r, f, error);
    if (status == PL_OK) status = find_elements(r, f, error);
    if (status != PL_OK) return status;
    find_gradient(r, f, x, scratch);
    for (int k = 0; k < f->pin_count; k++) {
        const pl_pin* pin = &f->pins[k];
        pl_vec3 force = pin->hard ? share_of(r, pin, scratch) : spring_force(pin, x);
        pl_vec3_store(step->pin_forces + 3 * (size_t)k, force);
    }
    return PL_OK;
}
