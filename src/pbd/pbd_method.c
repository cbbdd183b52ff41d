// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pbd/pbd_method.h"
#include "material/material.h"
#include "pbd/pbd_system.h"

#include <string.h>

static pl_status create(const pl_method_body* bodies, int body_count, int vertex_count,
                        pl_pool* pool, void** out, pl_notes* notes, pl_error* error) {
    pl_pbd_system* system;
    pl_status status =
        pl_pbd_system_create(bodies, body_count, vertex_count, pool, &system, notes, error);
    *out = system;
    return status;
}

static void destroy(void* system) { pl_pbd_system_destroy(system); }
static pl_status step(void* system, const pl_method_step* s, pl_method_info* info,
                      pl_error* error) {
    return pl_pbd_system_step(system, s, info, error);
}
static pl_status update(void* system, const pl_method_body* bodies, int body_count,
                        pl_error* error) {
    return pl_pbd_system_update(system, bodies, body_count, error);
}
static double* positions(void* system) { return ((pl_pbd_system*)system)->positions; }
static double* velocities(void* system) { return ((pl_pbd_system*)system)->velocities; }
static const double* masses(void* system) { return ((pl_pbd_system*)system)->mass; }

static pl_vec3 corner_place(const pl_pbd_system* s, const pl_pbd_body* b, int particle) {
    return pl_vec3_load(s->positions +
                        3 * (size_t)(b->first_vertex + pl_pbd_vertex_of(b, particle)));
}

static double tet_energy(const pl_pbd_system* s, const pl_pbd_body* b,
                         const pl_constraint_set* set) {
    double sum = 0.0;
    for (int c = 0; c < set->count; c++) {
        const int* v = set->vertices + 4 * (size_t)c;
        const float* values = set->values + 12 * (size_t)c;
        pl_vec3 x = corner_place(s, b, v[0]), e[3];
        for (int k = 0; k < 3; k++) e[k] = pl_sub(corner_place(s, b, v[k + 1]), x);
        pl_mat3 inverse;
        for (int i = 0; i < 9; i++) inverse.m[i] = (double)values[i];
        pl_material law = {
            .kind = set->law, .mu = (double)values[10], .lambda = (double)values[11]};
        pl_mat3 F = pl_mat3_mul(pl_mat3_from_columns(e[0], e[1], e[2]), inverse);
        sum += (double)values[9] * pl_material_energy(&law, F);
    }
    return sum;
}

// Constraints have no energy; tets do, and distances with compliance, C^2 / (2 compliance).
static double stored_energy(const pl_pbd_system* s, const pl_pbd_body* b) {
    const pl_pbd_level* l = &b->hierarchy.levels[0];
    double sum = 0.0;
    for (int k = 0; k < l->set_count; k++) {
        const pl_constraint_set* set = &l->sets[k];
        if (set->kind == PL_CONSTRAINT_TET) sum += tet_energy(s, b, set);
        if (set->kind != PL_CONSTRAINT_DISTANCE || !set->compliance) continue;
        for (int c = 0; c < set->count; c++) {
            double error = pl_distance(corner_place(s, b, set->vertices[2 * c]),
                                       corner_place(s, b, set->vertices[2 * c + 1])) -
                           (double)set->values[c];
            sum += 0.5 * error * error / (double)set->compliance[c];
        }
    }
    return sum;
}

static pl_method_energies energies(void* system) {
    const pl_pbd_system* s = system;
    pl_method_energies e = {0.0, 0.0};
    for (int i = 0; i < 3 * s->vertex_count; i++)
        e.kinetic += 0.5 * s->mass[i / 3] * s->velocities[i] * s->velocities[i];
    for (int b = 0; b < s->body_count; b++) e.elastic += stored_energy(s, &s->bodies[b]);
    return e;
}

static size_t vector_size(const pl_pbd_system* s) {
    return 3 * (size_t)s->vertex_count * sizeof(double);
}
// positions, velocities, and of bodies that tear the particle of each corner
static size_t state_size(const void* system) {
    const pl_pbd_system* s = system;
    size_t size = 2 * vector_size(s);
    for (int b = 0; b < s->body_count; b++)
        size += (size_t)s->bodies[b].tearing.corner_count * sizeof(int);
    return size;
}
static void state_save(const void* system, void* out) {
    const pl_pbd_system* s = system;
    memcpy(out, s->positions, vector_size(s));
    memcpy((char*)out + vector_size(s), s->velocities, vector_size(s));
    char* at = (char*)out + 2 * vector_size(s);
    for (int b = 0; b < s->body_count; b++) {
        const pl_tearing* t = &s->bodies[b].tearing;
        size_t size = (size_t)t->corner_count * sizeof(int);
        if (size) memcpy(at, t->particle_of_corner, size);
        at += size;
    }
}
static void state_load(void* system, const void* in) {
    pl_pbd_system* s = system;
    memcpy(s->positions, in, vector_size(s));
    memcpy(s->velocities, (const char*)in + vector_size(s), vector_size(s));
    const char* at = (const char*)in + 2 * vector_size(s);
    for (int b = 0; b < s->body_count; b++) {
        pl_tearing* t = &s->bodies[b].tearing;
        if (t->corner_count) pl_tearing_load(t, at), s->bodies[b].is_stale = true;
        at += (size_t)t->corner_count * sizeof(int);
    }
}
static bool state_is_motion(const void* system) {
    const pl_pbd_system* s = system;
    return state_size(s) == 2 * vector_size(s);
}

static int cut(void* system, int body, const double sweep[9]) {
    pl_pbd_system* s = system;
    return pl_pbd_body_cut(&s->bodies[body], s->positions, sweep);
}

const pl_method_functions pl_pbd_method = {.name = "pbd",
                                           .create = create,
                                           .destroy = destroy,
                                           .step = step,
                                           .positions = positions,
                                           .velocities = velocities,
                                           .masses = masses,
                                           .energies = energies,
                                           .state_size = state_size,
                                           .state_save = state_save,
                                           .state_load = state_load,
                                           .state_is_motion = state_is_motion,
                                           .update = update,
                                           .cut = cut,
                                           .stores_unseen = true};
