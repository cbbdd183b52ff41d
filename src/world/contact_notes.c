// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/contact_notes.h"
#include "base/notes.h"
#include "world/world_coupling.h"
#include "world/world_surfaces.h"

#include <stdio.h>

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

static int body_of_surface(const pl_world* w, int s, int surface) {
    for (int b = 0; b < w->body_count; b++)
        if (w->bodies[b].system == s && surface-- == 0) return b;
    return -1;
}

// true if the scene wants two bodies to collide, but they do not, or only one way
static bool passes(const pl_world* w, int a, int b) {
    const pl_world_body *first = &w->bodies[a], *second = &w->bodies[b];
    if (!first->def->contact.bodies || !second->def->contact.bodies) return false;
    if (pl_world_couples(w, a, b)) return false;
    if (first->system != second->system) {
        const size_t count = (size_t)w->body_count;
        return !w->started_inside || !(w->started_inside[(size_t)a * count + (size_t)b] ||
                                       w->started_inside[(size_t)b * count + (size_t)a]);
    }
    return !w->systems[first->system].surfaces || !pl_world_can_collide(first) ||
           !pl_world_can_collide(second);
}

static const char* name_of(const pl_world* w, int b) { return w->bodies[b].def->name; }

// Writes which settings would allow two bodies to be solved as one system.
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
                    "%s, or put the cloth after it in the scene",
                    name_of(w, b), name_of(w, a), others, advice);
            return;
        }
        pl_note(
            notes, PL_NOTE_INFO,
            "contact: bodies \"%s\" and \"%s\"%s are solved separately: the first pushes the "
            "second but does not feel it; %s, or set contact.bodies to false if they do not touch",
            name_of(w, a), name_of(w, b), others, advice);
        return;
    }
    pl_note(
        notes, PL_NOTE_INFO,
        "contact: bodies \"%s\" and \"%s\"%s pass through each other with method %s%s; bodies of "
        "other integrators push each other, and those of pbd without pbd.tear and pbd.level; set "
        "contact.bodies to false if that is intended",
        name_of(w, a), name_of(w, b), others, w->systems[first->system].method->name,
        first->def->method == PL_METHOD_PBD                ? " and tear or level"
        : first->def->method == PL_METHOD_GRID             ? " and integrator quasistatic"
        : first->def->solver.fixed                         ? ", quasistatic, with fixed iterations"
        : first->def->nonlinear == PL_NONLINEAR_LINEARISED ? ", quasistatic and linearised"
                                                           : ", quasistatic and projective");
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

static void note_inside(const pl_world* w, int a, int b, pl_notes* notes) {
    pl_note(notes, PL_NOTE_INFO,
            "contact: bodies \"%s\" and \"%s\" start inside each other and could not be moved "
            "apart; they do not collide until they have separated; leave a gap between them",
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
                        "contact: the surface of body \"%s\" passes through itself at the start; "
                        "it does not collide with itself until it has separated",
                        first);
            else note_inside(w, body_of_surface(w, s, i), body_of_surface(w, s, j), notes);
        }
}

pl_status pl_world_surfaces_note(pl_world* w, pl_notes* notes, pl_error* error) {
    note_passing(w, notes);
    pl_status status = pl_world_surfaces_part(w, error);
    for (int s = 0; status == PL_OK && s < w->system_count; s++)
        if (w->systems[s].surfaces) note_crossings(w, s, notes);
    if (status == PL_OK) status = pl_world_coupling_part(w, error);
    for (int a = 0; status == PL_OK && a < w->body_count; a++)
        for (int b = a + 1; b < w->body_count; b++)
            if (pl_world_coupling_is_parted(w, a, b)) note_inside(w, a, b, notes);
    return status;
}
