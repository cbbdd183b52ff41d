// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_coupling.h"
#include "base/memory.h"
#include "world/coupling_data.h"
#include "world/world_surfaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ who

// False for bodies without inertia: their response depends only on their stiffness, which the
// coupling does not know.
static bool gives_way(const pl_body* def) {
    if (def->integrator == PL_INTEGRATOR_QUASISTATIC) return false;
    return def->method != PL_METHOD_PBD || (isnan(def->pbd.tear) && def->pbd.level == 0);
}

bool pl_world_can_push(const pl_world_body* body) {
    return body->def->contact.bodies && gives_way(body->def);
}

static bool pushes_itself(const pl_world_body* body) {
    return pl_world_wants_self(body) && gives_way(body->def) &&
           body->def->method != PL_METHOD_RIGID;
}

bool pl_world_couples(const pl_world* w, int a, int b) {
    const pl_world_body *first = &w->bodies[a], *second = &w->bodies[b];
    if (pl_world_keeps_apart(w, a, b)) return false;
    return a == b ? pushes_itself(first) : pl_world_can_push(first) && pl_world_can_push(second);
}

bool pl_world_is_coupled(const pl_world* w, int s) {
    return w->coupling && w->coupling->systems[s].is_coupled;
}

bool pl_world_repeats_step(const pl_world* w, int s) {
    return w->coupling && w->coupling->systems[s].is_repeated;
}

static bool couples_any(const pl_world* w, int body) {
    for (int b = 0; b < w->body_count; b++)
        if (pl_world_couples(w, body, b)) return true;
    return false;
}

static void free_coupling(struct pl_world_coupling* c, size_t surfaces) {
    if (!c) return;
    const size_t count = c->firsts ? (size_t)c->firsts[c->system_count] : 0;
    for (int s = 0; s < c->system_count; s++) {
        if (c->systems) pl_free(c->systems[s].saved, c->systems[s].room);
        if (c->responses) pl_push_response_free(&c->responses[s]);
    }
    pl_surface_set_destroy(c->surfaces);
    PL_FREE(c->body_of_surface, int, surfaces);
    PL_FREE(c->system_of_surface, int, surfaces);
    PL_FREE(c->never, bool, surfaces* surfaces);
    PL_FREE(c->systems, pl_coupled_system, c->system_count);
    PL_FREE(c->responses, pl_push_response, c->system_count);
    double** arrays[] = {&c->start, &c->end, &c->before, &c->push, &c->push_before, &c->force};
    for (int k = 0; k < 6; k++) PL_FREE(*arrays[k], double, 3 * count);
    PL_FREE(c->mass, double, count);
    PL_FREE(c->inverse_mass, double, count);
    PL_FREE(c->limits, double, count);
    PL_FREE(c->held, bool, count);
    PL_FREE(c->firsts, int, c->system_count + 1);
    pl_push_list_free(&c->list);
    pl_array_free(&c->pairs);
    pl_array_free(&c->kept);
    pl_array_free(&c->kept_before);
    pl_array_free(&c->parts);
    PL_FREE(c, struct pl_world_coupling, 1);
}

void pl_world_coupling_free(pl_world* w) {
    free_coupling(w->coupling, (size_t)w->body_count);
    w->coupling = NULL;
}

static bool allocate(pl_world* w, struct pl_world_coupling* c) {
    const size_t surfaces = (size_t)w->body_count;
    c->system_count = w->system_count;
    if (!(c->firsts = PL_ALLOC(int, w->system_count + 1))) return false;
    for (int s = 0; s < w->system_count; s++)
        c->firsts[s + 1] = c->firsts[s] + w->systems[s].vertex_count;
    const size_t count = (size_t)c->firsts[w->system_count];
    double** arrays[] = {&c->start, &c->end, &c->before, &c->push, &c->push_before, &c->force};
    for (int k = 0; k < 6; k++)
        if (!(*arrays[k] = PL_ALLOC(double, 3 * count))) return false;
    return (c->systems = PL_ALLOC(pl_coupled_system, w->system_count)) &&
           (c->responses = PL_ALLOC(pl_push_response, w->system_count)) &&
           (c->body_of_surface = PL_ALLOC(int, surfaces)) &&
           (c->system_of_surface = PL_ALLOC(int, surfaces)) &&
           (c->never = PL_ALLOC(bool, surfaces* surfaces)) && (c->mass = PL_ALLOC(double, count)) &&
           (c->inverse_mass = PL_ALLOC(double, count)) && (c->limits = PL_ALLOC(double, count)) &&
           (c->held = PL_ALLOC(bool, count));
}

static pl_status make_surfaces(pl_world* w, pl_surface_source* sources, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    int count = 0;
    for (int b = 0; b < w->body_count; b++) {
        if (!couples_any(w, b)) continue;
        const int s = w->bodies[b].system;
        c->body_of_surface[count] = b;
        c->system_of_surface[count] = s;
        c->systems[s].is_coupled = true;
        sources[count] = pl_world_surface_source(&w->bodies[b]);
        sources[count].first += c->firsts[s];
        sources[count].meets_others = pl_world_can_push(&w->bodies[b]);
        sources[count++].meets_itself = pl_world_couples(w, b, b);
    }
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++)
            c->never[i * count + j] =
                !pl_world_couples(w, c->body_of_surface[i], c->body_of_surface[j]);
    pl_status status =
        pl_surface_set_create(sources, count, c->firsts[c->system_count], &c->surfaces, error);
    return status == PL_OK ? pl_surface_set_find_patches(c->surfaces, w->pool, error) : status;
}

pl_status pl_world_coupling_setup(pl_world* w, pl_error* error) {
    bool any = false;
    for (int b = 0; b < w->body_count; b++) any = any || couples_any(w, b);
    if (!any) return PL_OK;
    struct pl_world_coupling* c = w->coupling = PL_ALLOC(struct pl_world_coupling, 1);
    if (!c) return pl_fail_memory(error, "bodies that push each other");
    c->list = pl_push_list_empty();
    c->pairs = pl_array_of(sizeof(pl_contact_pair));
    c->kept = pl_array_of(sizeof(pl_kept_push));
    c->kept_before = pl_array_of(sizeof(pl_kept_push));
    c->parts = pl_array_of(sizeof(double));
    pl_surface_source* sources = PL_ALLOC(pl_surface_source, w->body_count);
    pl_status status =
        sources && allocate(w, c) ? PL_OK : pl_fail_memory(error, "bodies that push each other");
    for (int s = 0; status == PL_OK && s < w->system_count; s++)
        c->responses[s].vertex_count = w->systems[s].vertex_count;
    if (status == PL_OK) status = make_surfaces(w, sources, error);
    PL_FREE(sources, pl_surface_source, w->body_count);
    if (status != PL_OK) pl_world_coupling_free(w);
    return status;
}

// ------------------------------------------------------------------ crossings

void pl_world_coupling_gather(const pl_world* w, double* out) {
    const struct pl_world_coupling* c = w->coupling;
    for (int s = 0; s < c->system_count; s++) {
        const pl_world_system* system = &w->systems[s];
        memcpy(out + 3 * (size_t)c->firsts[s], system->method->positions(system->data),
               3 * (size_t)system->vertex_count * sizeof(double));
    }
}

pl_status pl_world_coupling_cross(pl_world* w, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    w->crossings.count = 0;
    if (!c) return PL_OK;
    pl_world_coupling_gather(w, c->end);
    pl_status status = pl_surface_set_cross(c->surfaces, w->pool, c->end, &w->crossings, error);
    pl_crossing* crossings = w->crossings.data;
    size_t kept = 0;
    for (size_t k = 0; status == PL_OK && k < w->crossings.count; k++) {
        const int* pair = crossings[k].surfaces;
        if (!c->never[pair[0] * c->surfaces->surface_count + pair[1]])
            crossings[kept++] = crossings[k];
    }
    w->crossings.count = kept;
    return status;
}

pl_status pl_world_coupling_part(pl_world* w, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    if (!c) return PL_OK;
    pl_status status = pl_world_coupling_cross(w, error);
    if (status != PL_OK) return status;
    const int count = c->surfaces->surface_count;
    const pl_crossing* crossings = w->crossings.data;
    memcpy(c->surfaces->parted, c->never, (size_t)(count * count) * sizeof(bool));
    for (size_t k = 0; k < w->crossings.count; k++)
        c->surfaces->parted[crossings[k].surfaces[0] * count + crossings[k].surfaces[1]] = true;
    return PL_OK;
}

static int surface_of(const struct pl_world_coupling* c, int body) {
    for (int k = 0; k < c->surfaces->surface_count; k++)
        if (c->body_of_surface[k] == body) return k;
    return -1;
}

bool pl_world_coupling_is_parted(const pl_world* w, int a, int b) {
    if (!w->coupling || !pl_world_couples(w, a, b)) return false;
    const int i = surface_of(w->coupling, a), j = surface_of(w->coupling, b);
    return pl_surfaces_are_parted(w->coupling->surfaces, i, j);
}

// ------------------------------------------------------------------ pushes of the last step

pl_array* pl_world_kept_pushes(pl_world* w) { return w->coupling ? &w->coupling->kept : NULL; }

// True if the push is possible in this scene; a file may belong to another one.
static bool is_push(const struct pl_world_coupling* c, const pl_kept_push* kept) {
    for (int i = 0; i < 4; i++) {
        const int v = kept->v[i];
        if (v < 0 || v >= c->surfaces->vertex_count || c->surfaces->surface_of_vertex[v] < 0)
            return false;
    }
    return isfinite(kept->push) && isfinite(kept->drag[0]) && isfinite(kept->drag[1]) &&
           isfinite(kept->drag[2]);
}

static int compare_kept(const void* a, const void* b) {
    const pl_kept_push *x = a, *y = b;
    return pl_push_order(x->is_edges != 0, x->v, y->is_edges != 0, y->v);
}

bool pl_world_check_pushes(const pl_world* w) {
    const struct pl_world_coupling* c = w->coupling;
    const pl_kept_push* kept = c->kept.data;
    for (size_t k = 0; k < c->kept.count; k++)
        if (!is_push(c, &kept[k]) || (k > 0 && compare_kept(&kept[k - 1], &kept[k]) >= 0))
            return false;
    return true;
}

// Converts a vertex from the old numbering to the present one; returns its body.
static int renumber(const pl_world* w, const pl_world_grouping* before, int32_t* v) {
    const struct pl_world_coupling *from = before->coupling, *to = w->coupling;
    const int b = from->body_of_surface[from->surfaces->surface_of_vertex[*v]];
    const int own = *v - from->firsts[before->system[b]] - before->first_vertex[b];
    *v = to->firsts[w->bodies[b].system] + w->bodies[b].first_vertex + own;
    return b;
}

void pl_world_coupling_follow(pl_world* w, pl_world_grouping* before) {
    if (w->coupling && before->coupling) {
        pl_array* all = &w->coupling->kept;
        const pl_array empty = *all;
        *all = before->coupling->kept;
        before->coupling->kept = empty;
        pl_kept_push* kept = all->data;
        const size_t count = all->count;
        all->count = 0;
        for (size_t k = 0; k < count; k++) {
            int bodies[4];
            pl_kept_push push = kept[k];
            for (int i = 0; i < 4; i++) bodies[i] = renumber(w, before, &push.v[i]);
            if (pl_world_couples(w, bodies[0], bodies[3])) kept[all->count++] = push;
        }
        if (all->count) qsort(kept, all->count, sizeof *kept, compare_kept);
    }
    free_coupling(before->coupling, (size_t)w->body_count);
    before->coupling = NULL;
}

static pl_status copy(const pl_array* from, pl_array* to, pl_error* error) {
    to->count = 0;
    if (from->count == 0) return PL_OK;
    void* room = pl_array_add(to, from->count);
    if (!room) return pl_fail_memory(error, "bodies that push each other");
    memcpy(room, from->data, from->count * from->item_size);
    return PL_OK;
}

pl_status pl_world_coupling_save(pl_world* w, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    if (!c) return PL_OK;
    // reserve both lists, because restoring must not fail
    if (!pl_array_reserve(&c->kept, c->kept.count))
        return pl_fail_memory(error, "bodies that push each other");
    return copy(&c->kept, &c->kept_before, error);
}

void pl_world_coupling_restore(pl_world* w) {
    struct pl_world_coupling* c = w->coupling;
    if (c) copy(&c->kept_before, &c->kept, NULL);
}
