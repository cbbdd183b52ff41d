// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_systems.h"
#include "base/memory.h"
#include "eigenfit/eigenfit.h"
#include "scene/key_uses.h"
#include "world/world_guard.h"
#include "world/world_host.h"
#include "world/world_loads.h"
#include "world/world_surfaces.h"

void pl_world_system_free(const pl_world* w, pl_world_system* system) {
    if (system->data) system->method->destroy(system->data);
    pl_eigenfit_term_destroy(system->eigenfit);
    PL_FREE(system->fit_holds, bool, w->attachment_count);
    PL_FREE(system->force, double, 3 * (size_t)system->vertex_count);
    PL_FREE(system->host_force, double, 3 * (size_t)system->vertex_count);
    pl_world_wind_free(system);
    PL_FREE(system->left, double, 6 * (size_t)system->vertex_count);
    PL_FREE(system->method_bodies, pl_method_body, w->body_count);
    pl_guard_free(system);
    pl_free(system->saved, system->saved_room);
    pl_array_free(&system->pins);
    pl_array_free(&system->pressures);
    pl_array_free(&system->pin_forces);
    pl_array_free(&system->groups);
    pl_array_free(&system->contacts);
    pl_surface_set_destroy(system->surfaces);
}

pl_status pl_world_group_bodies(pl_world* w, pl_error* error) {
    w->systems = PL_ALLOC(pl_world_system, w->body_count);
    if (!w->systems) return pl_fail_memory(error, "the systems of a world");
    for (int b = 0; b < w->body_count; b++) {
        pl_world_body* body = &w->bodies[b];
        body->system = -1;
        for (int other = 0; other < b && body->system < 0; other++)
            if (!body->def->eigenfit && !w->bodies[other].def->eigenfit &&
                pl_bodies_share_settings(w->scene, other, b))
                body->system = w->bodies[other].system;
        if (body->system < 0) {
            body->system = w->system_count++;
            pl_world_system* system = &w->systems[body->system];
            system->pins = pl_array_of(sizeof(pl_pin));
            system->pressures = pl_array_of(sizeof(pl_pressure));
            system->pin_forces = pl_array_of(sizeof(double));
            system->groups = pl_array_of(sizeof(pl_colliding_vertices));
            system->contacts = pl_array_of(sizeof(pl_contact_report));
            system->method = pl_world_method(body->def->method);
        }
        body->first_vertex = w->systems[body->system].vertex_count;
        w->systems[body->system].vertex_count += body->mesh->vertex_count;
    }
    return PL_OK;
}

// adds the colliding points of a body: its surface vertices, in the system's numbering, or the
// points that the method uses instead
static pl_status add_colliding(pl_world_system* system, const pl_world_body* body,
                               pl_error* error) {
    int count = body->surface->mesh->vertex_count;
    pl_colliding_vertices group = {.vertices = body->surface->vertices,
                                   .first = body->first_vertex,
                                   .count = count,
                                   .thickness = body->contact_thickness,
                                   .stiffness = body->contact_stiffness,
                                   .friction = body->def->contact.friction,
                                   .meets = body->def->contact.bodies};
    if (system->method->colliding)
        group.vertices = system->method->colliding(system->data, (int)system->groups.count,
                                                   &group.first, &group.count);
    return pl_array_push(&system->groups, &group) ? PL_OK : pl_fail_memory(error, "contacts");
}

static void start_velocities(pl_world_system* system, const pl_world_body* b) {
    double* v = system->method->velocities(system->data);
    const double* x = system->method->positions(system->data);
    pl_vec3 middle = {0, 0, 0}, linear = pl_vec3_load(b->def->velocity);
    pl_vec3 angular = pl_scale(PL_PI / 180.0, pl_vec3_load(b->def->angular_velocity));
    for (int i = 0; i < b->mesh->vertex_count; i++)
        middle = pl_madd(middle, 1.0 / b->mesh->vertex_count,
                         pl_vec3_load(b->mesh->positions + 3 * (size_t)i));
    for (int i = 0; i < b->mesh->vertex_count; i++) {
        size_t k = 3 * (size_t)(i + b->first_vertex);
        pl_vec3_store(v + k,
                      pl_add(linear, pl_cross(angular, pl_sub(pl_vec3_load(x + k), middle))));
    }
}

// lists the system's bodies for the method
static pl_status list_bodies(pl_world* w, int s, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    system->method_bodies = PL_ALLOC(pl_method_body, w->body_count);
    if (!system->method_bodies) return pl_fail_memory(error, "a system");
    for (int b = 0; b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        if (body->system != s) continue;
        system->method_bodies[system->method_body_count++] =
            (pl_method_body){body->def,       body->mesh,         body->is_cloth,
                             body->materials, body->first_vertex, body->may_change};
    }
    return PL_OK;
}

pl_status pl_world_system_create(pl_world* w, int s, pl_notes* notes, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    pl_status status = list_bodies(w, s, error);
    if (status == PL_OK)
        status = system->method->create(system->method_bodies, system->method_body_count,
                                        system->vertex_count, w->pool, &system->data, notes, error);
    if (status != PL_OK) return status;
    system->force = PL_ALLOC(double, 3 * (size_t)system->vertex_count);
    system->host_force = PL_ALLOC(double, 3 * (size_t)system->vertex_count);
    system->left = PL_ALLOC(double, 6 * (size_t)system->vertex_count);
    if (!system->force || !system->host_force || !system->left)
        return pl_fail_memory(error, "a system");
    status = pl_world_wind_setup(w, system, error);
    for (int b = 0; status == PL_OK && b < w->body_count; b++) {
        if (w->bodies[b].system != s) continue;
        start_velocities(system, &w->bodies[b]);
        status = add_colliding(system, &w->bodies[b], error);
    }
    if (status == PL_OK) status = pl_world_surfaces_setup(w, s, error);
    if (status == PL_OK) status = pl_guard_setup(w, s, error);
    pl_world_remember(system);
    return status;
}
