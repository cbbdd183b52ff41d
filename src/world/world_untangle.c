// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Two bodies that cross or touch at the start are separated by about the smallest translation that
// is enough: a tiny one for boxes stacked at exact coordinates, the depth of the overlap for bears
// that overlap. Nothing is deformed, so this adds no energy. A resumed run starts in the same way.
//
// Candidates for the direction are the mean normal where the two cross, the line through their
// centres, and a fixed set. Bisection with the exact test for crossings finds the shortest
// translation along each. A body that stands on another one moves up, never down.
//
// Bodies with attachments do not move. Nor do bodies that would have to move far: their position is
// probably intended, or no translation helps (links of a chain).
#include "world/world_untangle.h"
#include "base/memory.h"
#include "base/notes.h"
#include "world/world_coupling.h"
#include "world/world_surfaces.h"

#include <math.h>
#include <string.h>

// Gap left between two bodies, as a fraction of the thickness of both. Contact then widens it to
// the full thickness.
static const double GAP = 0.1;
// Translations are found to this fraction of the gap.
static const double TOLERANCE = 0.25;
// Longest translation, as a fraction of the diagonal of the smaller body.
static const double MAX_MOVE = 0.3;
// Largest total number of vertices in all tests for crossings: some seconds.
static const double MAX_WORK = 1e8;
// A body counts as below the other if the sine of the slope of the translation exceeds this.
static const double STEEP = 0.1;
static const double CLEARLY_SMALLER = 0.9;
enum { MAX_NOTES = 4, DIRECTIONS = 28, MAX_PASSES = 200 };

typedef struct untangling {
    pl_world* w;
    pl_surface_set* all; // of all bodies that collide
    int* body_of;        // per surface
    int* first_vertex;   // per body, in `all`
    double* x;           // present positions of all vertices
    pl_vec3* moved;      // per body: total translation
    int* moves;          // per body: number of translations
    int* reason;         // per body: the other body of its longest translation; -1: none
    int* passes; // per pair of bodies: the last pass that examined it; -1: cannot be separated
    int pass;    // counted from 1
    double work;
} untangling;

// A pair of bodies, with a surface set of its own.
typedef struct tangle {
    untangling* u;
    int bodies[2];
    pl_surface_set* set;
    double* x; // positions, with the first body translated
    pl_solid solid[2];
    pl_array crossings; // of pl_crossing
    double gap, most;   // [m]
} tangle;

static bool is_movable(const pl_world* w, int b) {
    if (w->bodies[b].def->eigenfit) return false; // its fine partner would not move along
    for (int k = 0; k < w->scene->attachment_count; k++)
        if (strcmp(w->scene->attachments[k].body, w->bodies[b].def->name) == 0) return false;
    return true;
}

static double diagonal_of(const pl_world* w, int b) {
    const pl_mesh* mesh = w->bodies[b].mesh;
    return pl_box_diagonal(pl_box_of_points(mesh->positions, mesh->vertex_count));
}

static pl_vec3 middle_of(const pl_world* w, int b) {
    const pl_mesh* mesh = w->bodies[b].mesh;
    const pl_box box = pl_box_of_points(mesh->positions, mesh->vertex_count);
    return pl_scale(0.5, pl_add(box.low, box.high));
}

static void move_mesh(pl_mesh* mesh, pl_vec3 by) {
    for (int v = 0; mesh && v < mesh->vertex_count; v++) {
        double* x = mesh->positions + 3 * (size_t)v;
        pl_vec3_store(x, pl_add(pl_vec3_load(x), by));
    }
}

static void move_body(untangling* u, int b, int other, pl_vec3 by) {
    pl_world_body* body = &u->w->bodies[b];
    move_mesh(body->mesh, by);
    move_mesh(body->surface->mesh, by);
    if (body->filled != body->mesh) move_mesh(body->filled, by);
    if (pl_norm(by) > pl_norm(u->moved[b]) || u->reason[b] < 0) u->reason[b] = other;
    u->moved[b] = body->moved = pl_add(u->moved[b], by);
    u->moves[b]++;
    for (int v = 0; v < body->mesh->vertex_count; v++)
        memcpy(u->x + 3 * (size_t)(u->first_vertex[b] + v), body->mesh->positions + 3 * (size_t)v,
               3 * sizeof(double));
}

// ------------------------------------------------------------------ one pair

static void tangle_free(tangle* t) {
    if (t->set) PL_FREE(t->x, double, 3 * (size_t)t->set->vertex_count);
    pl_surface_set_destroy(t->set);
    for (int k = 0; k < 2; k++) pl_solid_free(&t->solid[k]);
    pl_array_free(&t->crossings);
}

static pl_status tangle_setup(tangle* t, pl_error* error) {
    const pl_world* w = t->u->w;
    pl_surface_source sources[2];
    pl_status status = PL_OK;
    t->crossings = pl_array_of(sizeof(pl_crossing));
    for (int k = 0; k < 2; k++) {
        const pl_world_body* body = &w->bodies[t->bodies[k]];
        sources[k] = pl_world_surface_source(body);
        sources[k].first = k ? w->bodies[t->bodies[0]].mesh->vertex_count : 0;
        sources[k].meets_others = true;
        if (status == PL_OK && !body->is_cloth)
            status = pl_solid_build(sources[k].positions, sources[k].triangles,
                                    sources[k].triangle_count, false, &t->solid[k], error);
    }
    const int count = sources[1].first + w->bodies[t->bodies[1]].mesh->vertex_count;
    if (status == PL_OK) status = pl_surface_set_create(sources, 2, count, &t->set, error);
    if (status != PL_OK) return status;
    if (!(t->x = PL_ALLOC(double, 3 * (size_t)count))) return pl_fail_memory(error, "contacts");
    for (int k = 0; k < 2; k++) {
        pl_world_surface_update(&w->bodies[t->bodies[k]], &t->set->surfaces[k]);
        t->gap += GAP * t->set->surfaces[k].thickness;
    }
    t->most = t->gap + MAX_MOVE * fmin(diagonal_of(w, t->bodies[0]), diagonal_of(w, t->bodies[1]));
    return PL_OK;
}

static bool is_inside(const tangle* t, int body, pl_vec3 shift) {
    const pl_world_body* own = &t->u->w->bodies[t->bodies[body]];
    if (t->u->w->bodies[t->bodies[1 - body]].is_cloth) return false;
    const pl_vec3 at = pl_vec3_load(own->surface->mesh->positions);
    return pl_solid_inside(&t->solid[1 - body], pl_add(at, shift));
}

// *is_free: the bodies do not cross if the first one is translated by `shift`.
static pl_status test(tangle* t, pl_vec3 shift, bool* is_free, pl_error* error) {
    const int count = t->set->vertex_count;
    const int end = t->u->w->bodies[t->bodies[0]].mesh->vertex_count;
    memcpy(t->x, t->set->rest, 3 * (size_t)count * sizeof(double));
    for (int v = 0; v < end; v++) {
        double* x = t->x + 3 * (size_t)v;
        pl_vec3_store(x, pl_add(pl_vec3_load(x), shift));
    }
    t->u->work += count;
    pl_status status = pl_surface_set_cross(t->set, t->u->w->pool, t->x, &t->crossings, error);
    *is_free = status == PL_OK && t->crossings.count == 0 && !is_inside(t, 0, shift) &&
               !is_inside(t, 1, pl_scale(-1.0, shift));
    return status;
}

// Mean normal of the triangles that edges cross; points out of the second body and into the first.
static pl_vec3 mean_normal(const tangle* t) {
    const pl_crossing* crossings = t->crossings.data;
    pl_vec3 sum = {0, 0, 0};
    for (size_t k = 0; k < t->crossings.count; k++) {
        const int* v = crossings[k].triangle;
        const int side = t->set->surface_of_vertex[v[0]];
        if (t->u->w->bodies[t->bodies[side]].is_cloth) continue; // cloth has no outer side
        pl_vec3 at[3];
        for (int i = 0; i < 3; i++) at[i] = pl_vec3_load(t->set->rest + 3 * (size_t)v[i]);
        const pl_vec3 area = pl_cross(pl_sub(at[1], at[0]), pl_sub(at[2], at[0]));
        sum = pl_madd(sum, side == 1 ? 1.0 : -1.0, area);
    }
    return sum;
}

static pl_vec3 direction(const tangle* t, pl_vec3 normal, int k) {
    if (k == 0) return normal;
    if (k == 1) return pl_sub(middle_of(t->u->w, t->bodies[0]), middle_of(t->u->w, t->bodies[1]));
    const int c = k - 2 < 13 ? k - 2 : k - 1; // 13 is the middle of 27
    return (pl_vec3){c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
}

// Sets components of a unit vector to zero that are only round-off.
static pl_vec3 without_rounding(pl_vec3 d) {
    const double least = 1e-9;
    return (pl_vec3){fabs(d.x) < least ? 0.0 : d.x, fabs(d.y) < least ? 0.0 : d.y,
                     fabs(d.z) < least ? 0.0 : d.z};
}

// Finds the shortest translation along d that frees the first body, if it is shorter than `*most`.
static pl_status shorten(tangle* t, pl_vec3 d, double* most, bool* found, pl_error* error) {
    double low = 0.0, high = t->gap;
    pl_status status = test(t, pl_scale(high, d), found, error);
    if (status == PL_OK && !*found && 0.9 * *most > high) {
        low = high;
        high = 0.9 * *most;
        status = test(t, pl_scale(high, d), found, error);
    }
    if (status != PL_OK || !*found) return status;
    while (status == PL_OK && high > t->gap && high - low > TOLERANCE * t->gap) {
        const double middle = 0.5 * (low + high);
        bool is_free;
        status = test(t, pl_scale(middle, d), &is_free, error);
        *(is_free ? &high : &low) = middle;
    }
    *most = high;
    return status;
}

// Finds the translation of the first body; zero if none helps. *is_apart: none is needed.
static pl_status find_way(tangle* t, pl_vec3* out, bool* is_apart, pl_error* error) {
    *out = (pl_vec3){0, 0, 0};
    pl_status status = test(t, *out, is_apart, error);
    if (status != PL_OK || *is_apart) return status;
    const pl_vec3 normal = mean_normal(t);
    double most = t->most / 0.9;
    pl_vec3 best = {0, 0, 0};
    for (int k = 0; status == PL_OK && k < DIRECTIONS && most > t->gap; k++) {
        pl_vec3 d = direction(t, normal, k);
        const double length = pl_norm(d);
        bool found = false;
        if (!(length > 0.0)) continue;
        d = without_rounding(pl_scale(1.0 / length, d));
        status = shorten(t, d, &most, &found, error);
        if (found) best = d;
    }
    if (status != PL_OK || pl_norm(best) == 0.0) return status;
    // adds the gap, unless that makes them cross again
    const pl_vec3 way = pl_scale(most, best), farther = pl_madd(way, t->gap, best);
    bool is_free = false;
    if (most > t->gap) status = test(t, farther, &is_free, error);
    *out = most > t->gap && is_free ? farther : way;
    return status;
}

// Which of the two bodies moves, or -1. d: direction in which the first leaves the second.
static int mover(const untangling* u, int a, int b, pl_vec3 d) {
    const pl_world* w = u->w;
    const bool can[2] = {is_movable(w, a), is_movable(w, b)};
    if (!can[0] || !can[1]) return can[0] ? 0 : can[1] ? 1 : -1;
    const pl_vec3 gravity = pl_vec3_load(w->scene->gravity);
    const double size = pl_norm(gravity), length = pl_norm(d);
    const double rise = size > 0.0 && length > 0.0 ? -pl_dot(gravity, d) / (size * length) : 0.0;
    if (fabs(rise) > STEEP) return rise > 0.0 ? 0 : 1;
    // otherwise a body between two others could move to and fro
    if (u->moves[a] != u->moves[b]) return u->moves[a] < u->moves[b] ? 0 : 1;
    return diagonal_of(w, a) < CLEARLY_SMALLER * diagonal_of(w, b) ? 0 : 1;
}

// Translates one of the two bodies, or marks the pair as inseparable.
static pl_status part_pair(untangling* u, int a, int b, bool* moved, pl_error* error) {
    tangle t = {.u = u, .bodies = {a, b}};
    pl_vec3 way = {0, 0, 0};
    bool is_apart = false;
    *moved = false;
    if (mover(u, a, b, way) < 0) return PL_OK;
    pl_status status = tangle_setup(&t, error);
    if (status == PL_OK) status = find_way(&t, &way, &is_apart, error);
    if (status == PL_OK && pl_norm(way) > 0.0) {
        const int who = mover(u, a, b, way), body = who ? b : a;
        const pl_vec3 by = pl_scale(who ? -1.0 : 1.0, way);
        const double all = pl_norm(pl_add(u->moved[body], by));
        // in a high stack many gaps add up
        const double many = 3.0 * t.gap * u->w->body_count;
        *moved = all <= fmax(t.gap + MAX_MOVE * diagonal_of(u->w, body), many);
        if (*moved) move_body(u, body, who ? a : b, by);
    }
    if (!*moved && !is_apart) u->passes[(size_t)a * (size_t)u->w->body_count + (size_t)b] = -1;
    tangle_free(&t);
    return status;
}

// ------------------------------------------------------------------ all pairs

bool pl_world_collide(const pl_world* w, int a, int b) {
    const pl_world_body *first = &w->bodies[a], *second = &w->bodies[b];
    if (!first->def->contact.bodies || !second->def->contact.bodies) return false;
    if (pl_world_can_push(first) && pl_world_can_push(second)) return true;
    return first->system == second->system && w->systems[first->system].method->keeps_apart &&
           pl_world_can_collide(first) && pl_world_can_collide(second);
}

static void untangling_free(untangling* u) {
    const size_t count = (size_t)u->w->body_count;
    if (u->all) PL_FREE(u->x, double, 3 * (size_t)u->all->vertex_count);
    pl_surface_set_destroy(u->all);
    PL_FREE(u->body_of, int, count);
    PL_FREE(u->first_vertex, int, count);
    PL_FREE(u->moved, pl_vec3, count);
    PL_FREE(u->moves, int, count);
    PL_FREE(u->reason, int, count);
    PL_FREE(u->passes, int, count* count);
}

static pl_status untangling_setup(untangling* u, pl_error* error) {
    const pl_world* w = u->w;
    const size_t bodies = (size_t)w->body_count;
    u->body_of = PL_ALLOC(int, bodies);
    u->first_vertex = PL_ALLOC(int, bodies);
    u->moved = PL_ALLOC(pl_vec3, bodies);
    u->moves = PL_ALLOC(int, bodies);
    u->reason = PL_ALLOC(int, bodies);
    u->passes = PL_ALLOC(int, bodies* bodies);
    pl_surface_source* sources = PL_ALLOC(pl_surface_source, bodies);
    pl_status status = PL_OK;
    if (!u->body_of || !u->first_vertex || !u->moved || !u->moves || !u->reason || !u->passes ||
        !sources)
        status = pl_fail_memory(error, "bodies that touch at the start");
    int count = 0, vertices = 0;
    for (int b = 0; status == PL_OK && b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        u->reason[b] = -1;
        u->first_vertex[b] = vertices;
        if (!body->def->contact.bodies) continue;
        u->body_of[count] = b;
        sources[count] = pl_world_surface_source(body);
        sources[count].first = vertices;
        sources[count++].meets_others = true;
        vertices += body->mesh->vertex_count;
    }
    if (status == PL_OK) status = pl_surface_set_create(sources, count, vertices, &u->all, error);
    PL_FREE(sources, pl_surface_source, bodies);
    if (status != PL_OK || vertices == 0) return status;
    if (!(u->x = PL_ALLOC(double, 3 * (size_t)vertices)))
        return pl_fail_memory(error, "bodies that touch at the start");
    memcpy(u->x, u->all->rest, 3 * (size_t)vertices * sizeof(double));
    return PL_OK;
}

// One pass over all pairs that cross now.
static pl_status pass(untangling* u, pl_array* list, bool* moved, pl_error* error) {
    const size_t bodies = (size_t)u->w->body_count;
    pl_status status = pl_surface_set_cross(u->all, u->w->pool, u->x, list, error);
    const pl_crossing* crossings = list->data;
    *moved = false;
    for (size_t k = 0; status == PL_OK && k < list->count && u->work < MAX_WORK; k++) {
        const int a = u->body_of[crossings[k].surfaces[0]];
        const int b = u->body_of[crossings[k].surfaces[1]];
        int* last = &u->passes[(size_t)a * bodies + (size_t)b];
        if (*last < 0 || *last == u->pass || !pl_world_collide(u->w, a, b)) continue;
        *last = u->pass;
        bool own;
        status = part_pair(u, a, b, &own, error);
        *moved = *moved || own;
    }
    return status;
}

static void note_moves(const untangling* u, pl_notes* notes) {
    int count = 0;
    double most = 0.0;
    for (int b = 0; b < u->w->body_count; b++) {
        const pl_vec3 by = u->moved[b];
        if (!(pl_norm(by) > 0.0)) continue;
        if (count++ < MAX_NOTES)
            pl_note(notes, PL_NOTE_MENDED,
                    "contact: body \"%s\" starts inside \"%s\" or touches it; it was moved by "
                    "(%.3g, %.3g, %.3g) m, so that the two are apart",
                    u->w->bodies[b].def->name, u->w->bodies[u->reason[b]].def->name, by.x, by.y,
                    by.z);
        else most = fmax(most, pl_norm(by));
    }
    if (count > MAX_NOTES)
        pl_note(notes, PL_NOTE_MENDED,
                "contact: %d more bodies start inside others or touch them; they were moved by up "
                "to %.3g m",
                count - MAX_NOTES, most);
}

// Notes if one body is completely inside another; their surfaces then do not cross.
static pl_status note_nested(const untangling* u, int a, int b, pl_notes* notes, pl_error* error) {
    const pl_world_body *inner = &u->w->bodies[a], *outer = &u->w->bodies[b];
    const pl_mesh *own = inner->surface->mesh, *around = outer->surface->mesh;
    const pl_box box = pl_box_of_points(own->positions, own->vertex_count);
    const pl_box room = pl_box_of_points(around->positions, around->vertex_count);
    if (outer->is_cloth || !pl_box_contains(room, box.low) || !pl_box_contains(room, box.high))
        return PL_OK;
    pl_solid solid;
    pl_status status = pl_solid_build(around->positions, around->triangles, around->triangle_count,
                                      false, &solid, error);
    if (status != PL_OK) return status;
    bool is_inside = true;
    for (int v = 0; is_inside && v < own->vertex_count; v++)
        is_inside = pl_solid_inside(&solid, pl_vec3_load(own->positions + 3 * (size_t)v));
    pl_solid_free(&solid);
    if (is_inside)
        pl_note(notes, PL_NOTE_INFO,
                "contact: body \"%s\" starts wholly inside \"%s\" and stays there, since contact "
                "keeps their surfaces apart; move one of them, or set contact.bodies to false",
                inner->def->name, outer->def->name);
    return PL_OK;
}

static pl_status note_all_nested(const untangling* u, pl_notes* notes, pl_error* error) {
    pl_status status = PL_OK;
    for (int i = 0; i < u->all->surface_count; i++)
        for (int j = 0; status == PL_OK && j < u->all->surface_count; j++)
            if (i != j && pl_world_collide(u->w, u->body_of[i], u->body_of[j]))
                status = note_nested(u, u->body_of[i], u->body_of[j], notes, error);
    return status;
}

pl_status pl_world_untangle(pl_world* w, pl_notes* notes, pl_error* error) {
    bool any = false;
    for (int a = 0; a < w->body_count; a++)
        for (int b = a + 1; b < w->body_count && !any; b++)
            any = w->bodies[a].def->contact.bodies && w->bodies[b].def->contact.bodies;
    if (!any) return PL_OK;
    untangling u = {.w = w};
    pl_array list = pl_array_of(sizeof(pl_crossing));
    pl_status status = untangling_setup(&u, error);
    bool moved = true;
    for (u.pass = 1; status == PL_OK && moved && u.pass < MAX_PASSES; u.pass++)
        status = pass(&u, &list, &moved, error);
    if (status == PL_OK) note_moves(&u, notes);
    if (status == PL_OK) status = note_all_nested(&u, notes, error);
    pl_array_free(&list);
    untangling_free(&u);
    return status;
}
