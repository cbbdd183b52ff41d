// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "rigid/rigid_method.h"
#include "base/memory.h"
#include "rigid/rigid_mass.h"
#include "rigid/rigid_system.h"

#include <math.h>
#include <string.h>

static void destroy(void* system) {
    pl_rigid_system* s = system;
    if (!s) return;
    const size_t count = (size_t)s->vertex_count, bodies = (size_t)s->body_count;
    for (size_t b = 0; s->bodies && b < bodies; b++)
        PL_FREE(s->bodies[b].arms, double, 3 * (size_t)s->bodies[b].vertex_count);
    PL_FREE(s->bodies, pl_rigid_body, bodies);
    PL_FREE(s->responses, pl_push_rigid, bodies);
    PL_FREE(s->limits, double, bodies);
    PL_FREE(s->clusters, int, bodies);
    PL_FREE(s->kept, pl_rigid_kept, PL_RIGID_KEPT * bodies);
    PL_FREE(s->body_of_vertex, int, count);
    PL_FREE(s->mass, double, count);
    PL_FREE(s->held, bool, count);
    double** arrays[] = {&s->positions, &s->velocities, &s->shown,          &s->shown_velocities,
                         &s->start,     &s->end,        &s->response_places};
    for (int k = 0; k < 7; k++) PL_FREE(*arrays[k], double, 3 * count);
    pl_array* lists[] = {&s->contacts, &s->pairs, &s->parts, &s->rows,
                         &s->found,    &s->pins,  &s->items, &s->places};
    for (int k = 0; k < 8; k++) pl_array_free(lists[k]);
    PL_FREE(s, pl_rigid_system, 1);
}

static bool allocate(pl_rigid_system* s) {
    const size_t count = (size_t)s->vertex_count, bodies = (size_t)s->body_count;
    double** arrays[] = {&s->positions, &s->velocities, &s->shown,          &s->shown_velocities,
                         &s->start,     &s->end,        &s->response_places};
    for (int k = 0; k < 7; k++)
        if (!(*arrays[k] = PL_ALLOC(double, 3 * count))) return false;
    return (s->bodies = PL_ALLOC(pl_rigid_body, bodies)) &&
           (s->responses = PL_ALLOC(pl_push_rigid, bodies)) &&
           (s->limits = PL_ALLOC(double, bodies)) && (s->clusters = PL_ALLOC(int, bodies)) &&
           (s->kept = PL_ALLOC(pl_rigid_kept, PL_RIGID_KEPT * bodies)) &&
           (s->body_of_vertex = PL_ALLOC(int, count)) && (s->mass = PL_ALLOC(double, count)) &&
           (s->held = PL_ALLOC(bool, count));
}

static pl_mat3 root_of_inverse(pl_mat3 inertia) {
    double values[3];
    pl_mat3 V;
    pl_mat3_eigen(inertia, values, &V);
    const pl_mat3 roots =
        pl_mat3_diagonal(1.0 / sqrt(values[0]), 1.0 / sqrt(values[1]), 1.0 / sqrt(values[2]));
    return pl_rigid_rotate_tensor(V, roots);
}

static pl_status fill_body(pl_rigid_system* s, int index, const pl_method_body* from,
                           pl_error* error) {
    pl_rigid_body* b = &s->bodies[index];
    pl_rigid_mass mass;
    b->name = from->body->name;
    b->first_vertex = from->first_vertex;
    b->vertex_count = from->mesh->vertex_count;
    b->damping = from->body->damping.mass;
    b->arms = PL_ALLOC(double, 3 * (size_t)b->vertex_count);
    if (!b->arms) return pl_rigid_fail_memory(error);
    pl_error cause = {0};
    pl_status status = pl_rigid_mass_find(from, &mass, s->mass + b->first_vertex, &cause);
    if (status != PL_OK)
        return pl_fail(error, status, "body \"%.100s\": %.800s", b->name, cause.text);
    b->mass = mass.mass;
    b->inertia = mass.inertia;
    b->inverse_root = root_of_inverse(mass.inertia);
    b->inverse = pl_mat3_mul(b->inverse_root, b->inverse_root);
    b->state.centre = mass.centre;
    b->state.rotation = (pl_quat){0, 0, 0, 1};
    for (size_t v = 0; v < (size_t)b->vertex_count; v++) {
        const pl_vec3 at = pl_vec3_load(from->mesh->positions + 3 * v);
        pl_vec3_store(b->arms + 3 * v, pl_sub(at, mass.centre));
        s->body_of_vertex[(size_t)b->first_vertex + v] = index;
    }
    pl_rigid_system_show(s, b);
    return PL_OK;
}

static pl_status create(const pl_method_body* bodies, int body_count, int vertex_count,
                        pl_pool* pool, void** out, pl_notes* notes, pl_error* error) {
    (void)notes;
    *out = NULL;
    pl_rigid_system* s = PL_ALLOC(pl_rigid_system, 1);
    if (!s) return pl_rigid_fail_memory(error);
    *s = (pl_rigid_system){.pool = pool,
                           .body_count = body_count,
                           .vertex_count = vertex_count,
                           .contacts = pl_array_of(sizeof(pl_contact)),
                           .pairs = pl_array_of(sizeof(pl_contact_pair)),
                           .parts = pl_array_of(sizeof(double)),
                           .rows = pl_array_of(sizeof(pl_rigid_row)),
                           .found = pl_array_of(sizeof(pl_rigid_row)),
                           .pins = pl_array_of(sizeof(pl_rigid_pin)),
                           .items = pl_array_of(sizeof(int)),
                           .places = pl_array_of(sizeof(double))};
    pl_status status = allocate(s) ? PL_OK : pl_rigid_fail_memory(error);
    for (int b = 0; status == PL_OK && b < body_count; b++)
        status = fill_body(s, b, &bodies[b], error);
    if (status == PL_OK) *out = s;
    else destroy(s);
    return status;
}

static pl_status step(void* system, const pl_method_step* step_, pl_method_info* info,
                      pl_error* error) {
    return pl_rigid_system_step(system, step_, info, error);
}

static double* positions(void* system) { return ((pl_rigid_system*)system)->positions; }
static double* velocities(void* system) { return ((pl_rigid_system*)system)->velocities; }
static const double* masses(void* system) { return ((pl_rigid_system*)system)->mass; }

// includes what the host wrote since the last step
static pl_method_energies energies(void* system) {
    const pl_rigid_system* s = system;
    pl_method_energies sum = {0};
    for (int b = 0; b < s->body_count; b++) {
        pl_rigid_body now = s->bodies[b];
        pl_rigid_take_over(s, &now);
        sum.kinetic += pl_rigid_kinetic(&now);
    }
    return sum;
}

static pl_status momentum(void* system, int body, pl_vec3* linear, pl_vec3* angular,
                          pl_error* error) {
    (void)error;
    const pl_rigid_system* s = system;
    pl_rigid_body now = s->bodies[body];
    pl_rigid_take_over(s, &now);
    *linear = now.state.momentum;
    *angular = pl_add(now.state.angular_momentum, pl_cross(now.state.centre, now.state.momentum));
    return PL_OK;
}

// ------------------------------------------------------------------ state

// Saved: the states of the bodies; positions and velocities, which the host may have changed; the
// forces of rows.
static size_t vector_size(const pl_rigid_system* s) {
    return 3 * (size_t)s->vertex_count * sizeof(double);
}

static size_t kept_size(const pl_rigid_system* s) {
    return PL_RIGID_KEPT * (size_t)s->body_count * sizeof(pl_rigid_kept);
}

static size_t state_size(const void* system) {
    const pl_rigid_system* s = system;
    return (size_t)s->body_count * sizeof(pl_rigid_state) + 2 * vector_size(s) + sizeof(double) +
           kept_size(s);
}

static void state_save(const void* system, void* out) {
    const pl_rigid_system* s = system;
    const double count = s->kept_count;
    char* to = out;
    for (int b = 0; b < s->body_count; b++, to += sizeof(pl_rigid_state))
        memcpy(to, &s->bodies[b].state, sizeof(pl_rigid_state));
    memcpy(to, s->positions, vector_size(s));
    memcpy(to + vector_size(s), s->velocities, vector_size(s));
    memcpy(to + 2 * vector_size(s), &count, sizeof count);
    memcpy(to + 2 * vector_size(s) + sizeof count, s->kept, kept_size(s));
}

static void state_load(void* system, const void* in) {
    pl_rigid_system* s = system;
    const char* from = in;
    double count;
    for (int b = 0; b < s->body_count; b++, from += sizeof(pl_rigid_state)) {
        memcpy(&s->bodies[b].state, from, sizeof(pl_rigid_state));
        pl_rigid_system_show(s, &s->bodies[b]);
    }
    memcpy(s->positions, from, vector_size(s));
    memcpy(s->velocities, from + vector_size(s), vector_size(s));
    memcpy(&count, from + 2 * vector_size(s), sizeof count);
    memcpy(s->kept, from + 2 * vector_size(s) + sizeof count, kept_size(s));
    // a damaged file may contain any number
    const double most = PL_RIGID_KEPT * s->body_count;
    s->kept_count = count >= 0.0 && count <= most ? (int)count : 0;
}

// ------------------------------------------------------------------ pushes of other systems

static const pl_push_rigid* rigid_bodies(void* system, int* count) {
    pl_rigid_system* s = system;
    *count = s->body_count;
    memcpy(s->response_places, s->positions, vector_size(s));
    for (int b = 0; b < s->body_count; b++) {
        const pl_rigid_body* body = &s->bodies[b];
        pl_push_rigid* r = &s->responses[b];
        *r = (pl_push_rigid){.first = body->first_vertex,
                             .places = s->response_places,
                             .centre = body->state.centre};
        if (body->is_held) continue;
        r->root = 1.0 / sqrt(body->mass);
        r->turn_root = pl_rigid_rotate_tensor(pl_rigid_rotation(&body->state), body->inverse_root);
    }
    return s->responses;
}

static void shorten(void* system, int body, double part) {
    pl_rigid_system* s = system;
    pl_rigid_shorten(s, body, part);
    pl_rigid_system_show(s, &s->bodies[body]);
}

const pl_method_functions pl_rigid_method = {.name = "rigid",
                                             .create = create,
                                             .destroy = destroy,
                                             .step = step,
                                             .positions = positions,
                                             .velocities = velocities,
                                             .masses = masses,
                                             .energies = energies,
                                             .momentum = momentum,
                                             .state_size = state_size,
                                             .state_save = state_save,
                                             .state_load = state_load,
                                             .keeps_apart = true,
                                             .rigid_bodies = rigid_bodies,
                                             .shorten = shorten};
