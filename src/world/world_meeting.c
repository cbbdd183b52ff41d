// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One-way contact between bodies of different systems, for bodies without inertia, which
// world_coupling.h cannot push. Systems take their steps one after the other. For each system, the
// solids of earlier systems are obstacles that move and deform during the step, so contact treats
// them like any other moving collider. The earlier body does not feel the later one.
#include "world/world_meeting.h"
#include "base/memory.h"
#include "base/notes.h"
#include "world/world_coupling.h"

#include <math.h>

static size_t point_values(const pl_world_body* body) {
    return 3 * (size_t)body->surface->mesh->vertex_count;
}

void pl_world_meetings_free(pl_world* w) {
    PL_FREE(w->started_inside, bool, (size_t)w->body_count*(size_t)w->body_count);
    w->started_inside = NULL;
    for (int b = 0; b < w->body_count; b++) {
        pl_world_body* body = &w->bodies[b];
        if (!body->meeting) continue;
        pl_solid_free(&body->meeting->solid);
        PL_FREE(body->meeting->before, double, point_values(body));
        PL_FREE(body->meeting->after, double, point_values(body));
        PL_FREE(body->meeting, pl_world_meeting, 1);
    }
}

// true for a solid that a body of a later system collides with; cloth has no inside
static bool is_met(const pl_world* w, int b) {
    if (!w->bodies[b].def->contact.bodies) return false;
    for (int other = 0; other < w->body_count; other++)
        if (w->bodies[other].def->contact.bodies && !pl_world_couples(w, b, other) &&
            w->bodies[other].system > w->bodies[b].system)
            return !w->bodies[b].is_cloth;
    return false;
}

static pl_status setup_body(pl_world_body* body, pl_error* error) {
    const pl_mesh* surface = body->surface->mesh;
    body->meeting = PL_ALLOC(pl_world_meeting, 1);
    if (!body->meeting) return pl_fail_memory(error, "the contacts of bodies");
    body->meeting->before = PL_ALLOC(double, point_values(body));
    body->meeting->after = PL_ALLOC(double, point_values(body));
    if (!body->meeting->before || !body->meeting->after)
        return pl_fail_memory(error, "the contacts of bodies");
    return pl_solid_build(surface->positions, surface->triangles, surface->triangle_count, false,
                          &body->meeting->solid, error);
}

// True if a body starts inside another one or coincides with it: contact would throw it out.
static bool starts_inside(const pl_world* w, int b, int other) {
    const double most = 0.1; // fraction of its vertices: a dress may touch its figure
    const pl_mesh* surface = w->bodies[b].surface->mesh;
    const pl_solid* solid = &w->bodies[other].meeting->solid;
    int count = 0;
    for (int v = 0; v < surface->vertex_count; v++) {
        const pl_vec3 at = pl_vec3_load(surface->positions + 3 * (size_t)v);
        count += pl_solid_distance(solid, at, INFINITY) <= 1e-6 * pl_norm(at);
    }
    return count > most * surface->vertex_count;
}

static pl_status find_starts(pl_world* w, pl_notes* notes, pl_error* error) {
    const size_t count = (size_t)w->body_count;
    bool any = false;
    for (int b = 0; b < w->body_count; b++) any = any || w->bodies[b].meeting;
    if (any && !w->started_inside) w->started_inside = PL_ALLOC(bool, count* count);
    if (any && !w->started_inside) return pl_fail_memory(error, "the contacts of bodies");
    for (int b = 0; any && b < w->body_count; b++)
        for (int other = 0; other < w->body_count; other++) {
            bool* inside = &w->started_inside[(size_t)b * count + (size_t)other];
            *inside = w->bodies[other].meeting && w->bodies[other].system < w->bodies[b].system &&
                      w->bodies[b].def->contact.bodies &&
                      (pl_world_couples(w, b, other) || starts_inside(w, b, other));
            if (*inside && !pl_world_couples(w, b, other))
                pl_note(notes, PL_NOTE_INFO,
                        "contact: body \"%s\" starts inside \"%s\", so the two do not collide; "
                        "move one of them, or set contact.bodies to false",
                        w->bodies[b].def->name, w->bodies[other].def->name);
        }
    return PL_OK;
}

pl_status pl_world_meetings_setup(pl_world* w, pl_notes* notes, pl_error* error) {
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < w->body_count; b++)
        if (is_met(w, b)) status = setup_body(&w->bodies[b], error);
    return status == PL_OK ? find_starts(w, notes, error) : status;
}

static void take_surface(pl_world* w, int b, double* out) {
    const pl_world_body* body = &w->bodies[b];
    const double* x = pl_world_positions(w, b);
    for (int i = 0; i < body->surface->mesh->vertex_count; i++)
        pl_vec3_store(out + 3 * (size_t)i,
                      pl_vec3_load(x + 3 * (size_t)body->surface->vertices[i]));
}

void pl_world_begin_meeting(pl_world* w, int s) {
    for (int b = 0; b < w->body_count; b++)
        if (w->bodies[b].meeting && w->bodies[b].system == s)
            take_surface(w, b, w->bodies[b].meeting->before);
}

void pl_world_end_meeting(pl_world* w, int s) {
    for (int b = 0; b < w->body_count; b++) {
        pl_world_meeting* m = w->bodies[b].meeting;
        if (!m || w->bodies[b].system != s) continue;
        take_surface(w, b, m->after);
        pl_solid_refit(&m->solid, m->after, w->bodies[b].surface->mesh->triangles);
    }
}

static pl_box reach_of(const pl_world_body* body) {
    pl_box box = pl_box_empty();
    for (int i = 0; i < body->surface->mesh->vertex_count; i++) {
        box = pl_box_add_point(box, pl_vec3_load(body->meeting->before + 3 * (size_t)i));
        box = pl_box_add_point(box, pl_vec3_load(body->meeting->after + 3 * (size_t)i));
    }
    return box;
}

int pl_world_add_meetings(pl_world* w, int s) {
    int count = w->obstacle_count;
    for (int b = 0; b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        if (!body->meeting || body->system >= s) continue;
        w->obstacles[count] =
            (pl_moving_obstacle){.obstacle = {.kind = &pl_obstacle_surface,
                                              .points = body->meeting->after,
                                              .before = body->meeting->before,
                                              .triangles = body->surface->mesh->triangles,
                                              .solid = &body->meeting->solid},
                                 .begin = pl_rigid_identity(),
                                 .end = pl_rigid_identity(),
                                 .thickness = body->contact_thickness,
                                 .friction = body->def->contact.friction,
                                 .is_body = true,
                                 .body = b,
                                 .reach = reach_of(body)};
        pl_moving_obstacle_bound(&w->obstacles[count++]);
    }
    return count;
}
