// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_surfaces.h"
#include "base/memory.h"
#include "base/notes.h"
#include "world/world_coupling.h"

#include <math.h>
#include <stdio.h>

// Solids have no thickness of their own; to keep apart they need a little, of an edge. The smallest
// that counts: below it, distances are rounding.
static const double THICKNESS_OF_SOLIDS = 0.05, LEAST_THICKNESS = 1e-3;

// The corners of cloth that tears are vertices of their own, and of a coarse level the vertices
// between its particles only follow. The matrix of Projective Dynamics is constant. A step of one
// linear solve, or of fixed ones, would end where its way is cut.
static bool can_collide(const pl_world_body* body) {
    const pl_body* def = body->def;
    if (def->method == PL_METHOD_FEM || def->method == PL_METHOD_MIXED)
        return def->nonlinear == PL_NONLINEAR_NEWTON && !def->solver.fixed;
    return def->method != PL_METHOD_PBD || (isnan(def->pbd.tear) && def->pbd.level == 0);
}

static bool is_active(const pl_world* w, int s) {
    int others = 0;
    if (!w->systems[s].method->keeps_apart) return false;
    for (int b = 0; b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        if (body->system != s || !can_collide(body)) continue;
        if (body->def->contact.self) return true;
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
        sources[count].meets_others = can_collide(body) && body->def->contact.bodies;
        sources[count++].meets_itself = can_collide(body) && body->def->contact.self;
    }
    pl_status status =
        pl_surface_set_create(sources, count, system->vertex_count, &system->surfaces, error);
    PL_FREE(sources, pl_surface_source, w->body_count);
    if (status != PL_OK) return status;
    pl_world_surfaces_update(w, s);
    return pl_surface_set_measure(system->surfaces, w->pool, error);
}

void pl_world_surface_update(const pl_world_body* body, pl_contact_surface* surface) {
    double thickness = body->contact_thickness;
    if (isnan(body->def->contact.thickness) && !body->is_cloth)
        thickness = THICKNESS_OF_SOLIDS * surface->edge;
    surface->thickness = fmax(thickness, LEAST_THICKNESS * surface->edge);
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
           can_collide(first) && can_collide(second);
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

int pl_world_crossings(pl_world* w) {
    int count = -1;
    if (w->coupling) {
        if (pl_world_coupling_cross(w, NULL) != PL_OK) return -2;
        count = (int)w->crossings.count;
    }
    for (int s = 0; s < w->system_count; s++) {
        pl_world_system* system = &w->systems[s];
        if (!system->surfaces) continue;
        if (pl_surface_set_cross(system->surfaces, w->pool, system->method->positions(system->data),
                                 &w->crossings, NULL) != PL_OK)
            return -2;
        count = (count < 0 ? 0 : count) + (int)w->crossings.count;
    }
    return count;
}

// ------------------------------------------------------------------ what is said

static int body_of_surface(const pl_world* w, int s, int surface) {
    for (int b = 0; b < w->body_count; b++)
        if (w->bodies[b].system == s && surface-- == 0) return b;
    return -1;
}

// two bodies that the scene wants to collide and that are not kept apart, both ways or at all
static bool passes(const pl_world* w, int a, int b) {
    const pl_world_body *first = &w->bodies[a], *second = &w->bodies[b];
    if (!first->def->contact.bodies || !second->def->contact.bodies) return false;
    if (pl_world_couples(w, a, b)) return false;
    if (first->system != second->system) {
        const size_t count = (size_t)w->body_count;
        return !w->started_inside || !(w->started_inside[(size_t)a * count + (size_t)b] ||
                                       w->started_inside[(size_t)b * count + (size_t)a]);
    }
    return !w->systems[first->system].surfaces || !can_collide(first) || !can_collide(second);
}

static const char* name_of(const pl_world* w, int b) { return w->bodies[b].def->name; }

// What lets two bodies be solved as one.
static void advise(const pl_body* a, const pl_body* b, char* text, size_t size) {
    const char *key = NULL, *first = NULL, *second = NULL;
    if (a->method != b->method) {
        key = "method", first = pl_method_name((int)a->method);
        second = pl_method_name((int)b->method);
    } else if (a->integrator != b->integrator) {
        key = "integrator", first = pl_integrator_name((int)a->integrator);
        second = pl_integrator_name((int)b->integrator);
    } else if (a->nonlinear != b->nonlinear) {
        key = "nonlinear", first = pl_nonlinear_name((int)a->nonlinear);
        second = pl_nonlinear_name((int)b->nonlinear);
    }
    if (key) snprintf(text, size, "give both one \"%s\" (%s and %s now)", key, first, second);
    else snprintf(text, size, "give both the same settings of the solver");
}

static void note_pair(const pl_world* w, int a, int b, int more, pl_notes* notes) {
    const pl_world_body *first = &w->bodies[a], *second = &w->bodies[b];
    char others[64] = "";
    if (more > 0) snprintf(others, sizeof others, " (and %d more pairs)", more);
    char advice[128];
    advise(first->def, second->def, advice, sizeof advice);
    if (first->system != second->system) {
        if (first->system > second->system) {
            int c = a;
            a = b, b = c;
        }
        if (w->bodies[a].is_cloth) {
            pl_note(notes, PL_NOTE_INFO,
                    "contact: \"%s\" passes through the cloth \"%s\"%s, which is solved before it; "
                    "%s, or put the cloth behind it in the scene",
                    name_of(w, b), name_of(w, a), others, advice);
            return;
        }
        pl_note(notes, PL_NOTE_INFO,
                "contact: bodies \"%s\" and \"%s\"%s are solved apart: the first pushes the second "
                "and does not feel it; %s, or set contact.bodies to false if they do not touch",
                name_of(w, a), name_of(w, b), others, advice);
        return;
    }
    pl_note(notes, PL_NOTE_INFO,
            "contact: bodies \"%s\" and \"%s\"%s pass through each other with method %s%s in this "
            "version; method pbd, and fem and mixed with nonlinear newton, keep bodies apart; set "
            "contact.bodies to false if that is meant",
            name_of(w, a), name_of(w, b), others, w->systems[first->system].method->name,
            first->def->method == PL_METHOD_GRID               ? ""
            : first->def->solver.fixed                         ? " and fixed iterations"
            : first->def->nonlinear == PL_NONLINEAR_LINEARISED ? " and nonlinear linearised"
                                                               : " and nonlinear projective");
}

// one note for each kind of pair
static void note_passing(const pl_world* w, pl_notes* notes) {
    for (int apart = 0; apart < 2; apart++) {
        int first = -1, second = -1, count = 0;
        for (int a = 0; a < w->body_count; a++)
            for (int b = a + 1; b < w->body_count; b++) {
                if (!passes(w, a, b) || (w->bodies[a].system != w->bodies[b].system) != apart)
                    continue;
                if (count++ == 0) first = a, second = b;
            }
        if (count) note_pair(w, first, second, count - 1, notes);
    }
}

void pl_world_note_inside(const pl_world* w, int a, int b, pl_notes* notes) {
    pl_note(notes, PL_NOTE_INFO,
            "contact: bodies \"%s\" and \"%s\" start inside each other or touch; they do not "
            "collide until they are apart: leave a gap between them",
            name_of(w, a), name_of(w, b));
}

static void note_crossings(const pl_world* w, int s, pl_notes* notes) {
    const pl_surface_set* set = w->systems[s].surfaces;
    for (int i = 0; i < set->surface_count; i++)
        for (int j = i; j < set->surface_count; j++) {
            if (!set->parted[i * set->surface_count + j]) continue;
            const char* first = name_of(w, body_of_surface(w, s, i));
            if (i == j)
                pl_note(notes, PL_NOTE_INFO,
                        "contact: body \"%s\" starts with its surface through itself; it does not "
                        "collide with itself until that is over",
                        first);
            else pl_world_note_inside(w, body_of_surface(w, s, i), body_of_surface(w, s, j), notes);
        }
}

pl_status pl_world_surfaces_note(pl_world* w, pl_notes* notes, pl_error* error) {
    note_passing(w, notes);
    pl_status status = pl_world_surfaces_part(w, error);
    for (int s = 0; status == PL_OK && s < w->system_count; s++)
        if (w->systems[s].surfaces) note_crossings(w, s, notes);
    return status == PL_OK ? pl_world_coupling_note(w, notes, error) : status;
}

bool pl_world_may_meet(const pl_world* w, int b) {
    const pl_world_body* body = &w->bodies[b];
    if (!body->def->contact.bodies) return false;
    if (w->systems[body->system].surfaces) return true;
    for (int other = 0; other < w->body_count; other++)
        if (w->bodies[other].meeting && w->bodies[other].system < body->system) return true;
    return false;
}
