// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_surfaces.h"
#include "base/memory.h"

#include <math.h>

// Thickness of solids, as a fraction of an edge: they have none by default, but need a little to
// stay apart. LEAST_THICKNESS: below this fraction, distances are round-off.
static const double THICKNESS_OF_SOLIDS = 0.05, LEAST_THICKNESS = 1e-3;
// Default limit of the distance that cloth keeps from itself, as a fraction of an edge, whatever it
// keeps from others. With more, all neighbouring vertices would count as near.
static const double SELF_THICKNESS = 0.1;
// Rigid bodies have few, large triangles. Their edge length counts as at most this fraction of
// their size.
static const double EDGE_OF_RIGID = 0.05;

// Excluded are: cloth that tears, whose triangles do not share vertices; coarse levels of pbd,
// where vertices between the particles only follow; Projective Dynamics, whose matrix is constant;
// and steps with one or a fixed number of linear solves, which would end where their path is
// shortened.
bool pl_world_can_collide(const pl_world_body* body) {
    const pl_body* def = body->def;
    if (def->method == PL_METHOD_FEM || def->method == PL_METHOD_MIXED)
        return def->nonlinear == PL_NONLINEAR_NEWTON && !def->solver.fixed;
    return def->method != PL_METHOD_PBD || (isnan(def->pbd.tear) && def->pbd.level == 0);
}

// Default of contact.self: true for cloth of fem that is solved to a tolerance, where it costs little
// while nothing touches. Steps with a fixed amount of work stay as they are.
bool pl_world_wants_self(const pl_world_body* body) {
    const pl_body* def = body->def;
    if (def->contact.self != PL_SELF_CONTACT_AUTO) return def->contact.self == PL_SELF_CONTACT_ON;
    return body->is_cloth && def->method == PL_METHOD_FEM &&
           def->nonlinear != PL_NONLINEAR_LINEARISED && !def->solver.fixed &&
           def->integrator != PL_INTEGRATOR_QUASISTATIC;
}

static bool meets_itself(const pl_world_body* body) {
    return pl_world_can_collide(body) && pl_world_wants_self(body);
}

static bool is_active(const pl_world* w, int s) {
    int others = 0;
    if (!w->systems[s].method->keeps_apart) return false;
    for (int b = 0; b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        if (body->system != s || !pl_world_can_collide(body)) continue;
        if (meets_itself(body)) return true;
        others += body->def->contact.bodies;
    }
    return others > 1;
}

pl_surface_source pl_world_surface_source(const pl_world_body* body) {
    return (pl_surface_source){.positions = body->surface->mesh->positions,
                               .vertices = body->surface->vertices,
                               .first = body->first_vertex,
                               .vertex_count = body->surface->mesh->vertex_count,
                               .triangles = body->surface->mesh->triangles,
                               .triangle_count = body->surface->mesh->triangle_count};
}

pl_status pl_world_surfaces_setup(pl_world* w, int s, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    if (!is_active(w, s)) return PL_OK;
    pl_surface_source* sources = PL_ALLOC(pl_surface_source, w->body_count);
    if (!sources) return pl_fail_memory(error, "surfaces in contact");
    int count = 0;
    for (int b = 0; b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        if (body->system != s) continue;
        sources[count] = pl_world_surface_source(body);
        sources[count].meets_others = pl_world_can_collide(body) && body->def->contact.bodies;
        sources[count++].meets_itself = meets_itself(body);
    }
    pl_status status =
        pl_surface_set_create(sources, count, system->vertex_count, &system->surfaces, error);
    PL_FREE(sources, pl_surface_source, w->body_count);
    if (status != PL_OK) return status;
    pl_world_surfaces_update(w, s);
    status = pl_surface_set_measure(system->surfaces, w->pool, error);
    if (status != PL_OK) return status;
    return pl_surface_set_find_patches(system->surfaces, w->pool, error);
}

void pl_world_surface_update(const pl_world_body* body, pl_contact_surface* surface) {
    double thickness = body->contact_thickness, edge = surface->edge;
    if (body->def->method == PL_METHOD_RIGID) edge = fmin(edge, EDGE_OF_RIGID * body->surface_size);
    if (isnan(body->def->contact.thickness) && !body->is_cloth)
        thickness = THICKNESS_OF_SOLIDS * edge;
    surface->thickness = fmax(thickness, LEAST_THICKNESS * edge);
    surface->self_less = body->def->contact.self == PL_SELF_CONTACT_AUTO && body->is_cloth
                             ? fmax(surface->thickness - SELF_THICKNESS * surface->edge, 0.0)
                             : 0.0;
    surface->friction = body->def->contact.friction;
    surface->stiffness = body->contact_stiffness;
}

void pl_world_surfaces_update(pl_world* w, int s) {
    pl_surface_set* set = w->systems[s].surfaces;
    int k = 0;
    for (int b = 0; set && b < w->body_count; b++)
        if (w->bodies[b].system == s) pl_world_surface_update(&w->bodies[b], &set->surfaces[k++]);
}

bool pl_world_keeps_apart(const pl_world* w, int a, int b) {
    const pl_world_body *first = &w->bodies[a], *second = &w->bodies[b];
    return first->system == second->system && w->systems[first->system].surfaces &&
           pl_world_can_collide(first) && pl_world_can_collide(second);
}

pl_status pl_world_surfaces_part(pl_world* w, pl_error* error) {
    for (int s = 0; s < w->system_count; s++) {
        pl_world_system* system = &w->systems[s];
        pl_surface_set* set = system->surfaces;
        if (!set) continue;
        pl_status status = pl_surface_set_cross(
            set, w->pool, system->method->positions(system->data), &w->crossings, error);
        if (status != PL_OK) return status;
        const int count = set->surface_count;
        const pl_crossing* crossings = w->crossings.data;
        for (int k = 0; k < count * count; k++) set->parted[k] = false;
        for (size_t k = 0; k < w->crossings.count; k++)
            set->parted[crossings[k].surfaces[0] * count + crossings[k].surfaces[1]] = true;
    }
    return PL_OK;
}

bool pl_world_may_meet(const pl_world* w, int b) {
    const pl_world_body* body = &w->bodies[b];
    if (!body->def->contact.bodies) return false;
    if (w->systems[body->system].surfaces) return true;
    for (int other = 0; other < w->body_count; other++)
        if (w->bodies[other].meeting && w->bodies[other].system < body->system) return true;
    return false;
}
