// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Changes of methods, solvers and settings between frames. The scene is changed in a copy first;
// then the affected systems are recreated and take over the positions and velocities of their
// bodies. A failure leaves the world unchanged.
#include "base/memory.h"
#include "base/notes.h"
#include "geometry/box.h"
#include "scene/combinations.h"
#include "scene/scene_path.h"
#include "world/world_coupling.h"
#include "world/world_eigenfit.h"
#include "world/world_guard.h"
#include "world/world_host.h"
#include "world/world_meeting.h"
#include "world/world_systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- systems that follow others

// The systems before a change, to be restored on failure.
typedef struct old_systems {
    pl_world_system* systems;
    int count;
    bool* is_moved; // to the new list, per system
    int* system;    // per body
    int* first_vertex;
} old_systems;

static bool has_same_bodies(const pl_world* w, const old_systems* old, int s, int o) {
    for (int b = 0; b < w->body_count; b++)
        if ((w->bodies[b].system == s) != (old->system[b] == o)) return false;
    return true;
}

// the old system that can serve as new system s, or -1 if s must be created
static int system_to_keep(const pl_world* w, const old_systems* old, int s, const bool* changed) {
    for (int b = 0; changed && b < w->body_count; b++)
        if (changed[b] && w->bodies[b].system == s) return -1;
    for (int o = 0; o < old->count; o++)
        if (has_same_bodies(w, old, s, o)) return o;
    return -1;
}

// Copies the whole state if both systems have the same structure. Otherwise copies nothing; the
// caller takes over positions and velocities only.
static pl_status take_whole_state(pl_world_system* to, pl_world_system* from, pl_error* error) {
    size_t size = from->method->state_size(from->data);
    if (to->method != from->method || to->method->state_size(to->data) != size) return PL_OK;
    void* state = pl_alloc(size);
    if (!state) return pl_fail_memory(error, "the state of a system");
    from->method->state_save(from->data, state);
    to->method->state_load(to->data, state);
    pl_free(state, size);
    return PL_OK;
}

static void take_motion(pl_world* w, const old_systems* old, int b) {
    const pl_world_body* body = &w->bodies[b];
    pl_world_system *to = &w->systems[body->system], *from = &old->systems[old->system[b]];
    size_t size = 3 * (size_t)body->mesh->vertex_count * sizeof(double);
    size_t at = 3 * (size_t)body->first_vertex, was = 3 * (size_t)old->first_vertex[b];
    memcpy(to->method->positions(to->data) + at, from->method->positions(from->data) + was, size);
    memcpy(to->method->velocities(to->data) + at, from->method->velocities(from->data) + was, size);
    memcpy(to->host_force + at, from->host_force + was, size);
}

// Distance between vertex values (3 each) and the nearest affine function of the rest positions.
static double distance_from_affine(const pl_mesh* mesh, const double* values) {
    int count = mesh->vertex_count;
    pl_vec3 middle = {0, 0, 0}, mean = {0, 0, 0};
    for (int v = 0; v < count; v++) {
        middle = pl_madd(middle, 1.0 / count, pl_vec3_load(mesh->positions + 3 * (size_t)v));
        mean = pl_madd(mean, 1.0 / count, pl_vec3_load(values + 3 * (size_t)v));
    }
    pl_mat3 spread = {{0}}, moment = {{0}}, inverse, gradient = {{0}};
    for (int v = 0; v < count; v++) {
        pl_vec3 r = pl_sub(pl_vec3_load(mesh->positions + 3 * (size_t)v), middle);
        pl_vec3 d = pl_sub(pl_vec3_load(values + 3 * (size_t)v), mean);
        spread = pl_mat3_add(spread, pl_outer(r, r));
        moment = pl_mat3_add(moment, pl_outer(d, r));
    }
    if (pl_mat3_inverse(spread, &inverse)) gradient = pl_mat3_mul(moment, inverse);
    double most = 0.0;
    for (int v = 0; v < count; v++) {
        pl_vec3 r = pl_sub(pl_vec3_load(mesh->positions + 3 * (size_t)v), middle);
        pl_vec3 d = pl_sub(pl_vec3_load(values + 3 * (size_t)v), mean);
        most = fmax(most, pl_distance(d, pl_mat3_apply(&gradient, r)));
    }
    return most;
}

// Refuses a change that would make a bent body jump to another shape: a new lattice takes over only
// affine motions of its vertices (grid_host_edits.h). A body that keeps its lattice takes over its
// whole state.
static pl_status check_lattice(pl_world* w, const old_systems* old, int s, pl_error* error) {
    for (int b = 0; b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        if (body->system != s || body->def->method != PL_METHOD_GRID || body->mesh->tet_count)
            continue;
        pl_world_system* from = &old->systems[old->system[b]];
        bool is_same =
            from->method == w->systems[s].method && has_same_bodies(w, old, s, old->system[b]);
        if (is_same && from->method->state_size(from->data) ==
                           w->systems[s].method->state_size(w->systems[s].data))
            continue;
        size_t at = 3 * (size_t)old->first_vertex[b];
        pl_box box = pl_box_empty();
        for (int v = 0; v < body->mesh->vertex_count; v++)
            box = pl_box_add_point(box, pl_vec3_load(body->mesh->positions + 3 * (size_t)v));
        double allowed = 1e-4 * pl_box_diagonal(box), h = w->scene->time_step;
        double bent = distance_from_affine(body->mesh, from->method->positions(from->data) + at);
        double bends =
            h * distance_from_affine(body->mesh, from->method->velocities(from->data) + at);
        if (bent > allowed || bends > allowed)
            return pl_fail(error, PL_ERROR_UNSUPPORTED,
                           "body \"%.100s\" is deformed and has no tets; a new lattice can only "
                           "take over a shape that is rotated, moved or stretched evenly; restart "
                           "the scene with this change",
                           body->def->name);
    }
    return PL_OK;
}

// Allows the guard twice the elastic energy that the old method stored: the new method may release
// it, and more if it is stiffer.
static void allow_energy(pl_world* w, const old_systems* old, int s) {
    double sum = 0.0;
    for (int o = 0; o < old->count; o++) {
        bool is_followed = false;
        for (int b = 0; b < w->body_count; b++)
            is_followed |= w->bodies[b].system == s && old->system[b] == o;
        if (!is_followed) continue;
        pl_method_energies e = old->systems[o].method->energies(old->systems[o].data);
        sum += e.kinetic + e.elastic;
    }
    pl_guard_allow(&w->systems[s], 2.0 * sum);
}

static pl_status make_system(pl_world* w, const old_systems* old, int s, bool settings_stay,
                             pl_notes* notes, pl_error* error) {
    pl_status status = pl_world_system_create(w, s, notes, error);
    if (status == PL_OK) status = pl_world_eigenfit_setup(w, s, notes, error);
    if (status == PL_OK) status = check_lattice(w, old, s, error);
    if (status != PL_OK) return status;
    pl_world_system* system = &w->systems[s];
    for (int b = 0; b < w->body_count; b++)
        if (w->bodies[b].system == s) take_motion(w, old, b);
    allow_energy(w, old, s);
    int same = -1;
    bool takes_all = settings_stay || system->method == pl_world_method(PL_METHOD_GRID);
    for (int o = 0; takes_all && o < old->count; o++)
        if (has_same_bodies(w, old, s, o) && old->systems[o].method == system->method) same = o;
    if (system->method->restart) system->method->restart(system->data);
    if (same >= 0) status = take_whole_state(system, &old->systems[same], error);
    pl_world_remember(system);
    // if not, as if the host had written the positions: the guard measures the system anew
    system->is_touched = same < 0 || pl_world_is_touched(&old->systems[same]);
    return status;
}

static void go_back(pl_world* w, old_systems* old) {
    for (int s = 0; w->systems && s < w->system_count; s++) {
        int kept = -1;
        for (int o = 0; o < old->count; o++)
            if (old->is_moved[o] && w->systems[s].data == old->systems[o].data) kept = o;
        if (kept < 0) pl_world_system_free(w, &w->systems[s]);
    }
    PL_FREE(w->systems, pl_world_system, w->body_count);
    w->systems = old->systems;
    w->system_count = old->count;
    for (int b = 0; b < w->body_count; b++) {
        w->bodies[b].system = old->system[b];
        w->bodies[b].first_vertex = old->first_vertex[b];
    }
}

static void drop_old(pl_world* w, old_systems* old) {
    for (int o = 0; o < old->count; o++)
        if (!old->is_moved[o]) pl_world_system_free(w, &old->systems[o]);
    PL_FREE(old->systems, pl_world_system, w->body_count);
}

static pl_status make_systems(pl_world* w, old_systems* old, const bool* changed,
                              bool settings_stay, pl_notes* notes, pl_error* error) {
    pl_status status = pl_world_group_bodies(w, error);
    if (status == PL_OK) status = pl_world_settle_solvers(w, error);
    for (int s = 0; status == PL_OK && s < w->system_count; s++) {
        int kept = system_to_keep(w, old, s, changed);
        if (kept >= 0) {
            // the new, still empty lists were created with the grouping
            w->systems[s] = old->systems[kept];
            old->is_moved[kept] = true;
        } else {
            status = make_system(w, old, s, settings_stay, notes, error);
        }
    }
    return status;
}

static void forget_meetings(pl_world* w) {
    pl_world_meetings_free(w);
    for (int b = 0; b < w->body_count; b++) w->bodies[b].meeting = NULL;
}

static pl_status regroup(pl_world* w, const bool* changed, bool settings_stay, pl_notes* notes,
                         pl_error* error) {
    old_systems old = {.systems = w->systems, .count = w->system_count};
    old.is_moved = PL_ALLOC(bool, w->body_count);
    old.system = PL_ALLOC(int, w->body_count);
    old.first_vertex = PL_ALLOC(int, w->body_count);
    pl_status status = old.is_moved && old.system && old.first_vertex
                           ? PL_OK
                           : pl_fail_memory(error, "the systems of a world");
    if (status == PL_OK) {
        for (int b = 0; b < w->body_count; b++) {
            old.system[b] = w->bodies[b].system;
            old.first_vertex[b] = w->bodies[b].first_vertex;
        }
        w->systems = NULL;
        w->system_count = 0;
        status = make_systems(w, &old, changed, settings_stay, notes, error);
        pl_world_grouping before = {w->coupling, old.system, old.first_vertex};
        w->coupling = NULL;
        forget_meetings(w); // the order of systems may have changed
        if (status == PL_OK) status = pl_world_coupling_setup(w, error);
        if (status == PL_OK) status = pl_world_meetings_setup(w, notes, error);
        if (status == PL_OK) {
            pl_world_coupling_follow(w, &before);
            drop_old(w, &old);
        } else {
            go_back(w, &old);
            pl_world_coupling_free(w);
            w->coupling = before.coupling;
            forget_meetings(w);
            if (pl_world_meetings_setup(w, NULL, NULL) != PL_OK) forget_meetings(w);
        }
    }
    PL_FREE(old.is_moved, bool, w->body_count);
    PL_FREE(old.system, int, w->body_count);
    PL_FREE(old.first_vertex, int, w->body_count);
    return status;
}

pl_status pl_world_regroup(pl_world* w, const bool* changed, pl_notes* notes, pl_error* error) {
    return regroup(w, changed, false, notes, error);
}

// ---------------------------------------------------------------- numbers without a curve

pl_status pl_world_prepare_change(pl_world* w, int b, pl_error* error) {
    pl_world_body* body = &w->bodies[b];
    if (body->may_change) return PL_OK;
    if (!w->systems[body->system].method->update)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "bodies[%d]: numbers of a body of method %s cannot change in this version",
                       b, pl_method_name((int)body->def->method));
    body->next = PL_ALLOC(pl_element_material, body->element_count);
    bool* changed = PL_ALLOC(bool, w->body_count);
    pl_status status = (body->next || !body->element_count) && changed
                           ? PL_OK
                           : pl_fail_memory(error, "materials that change");
    if (status == PL_OK) {
        changed[b] = body->may_change = true;
        status = regroup(w, changed, true, NULL, error);
    }
    if (status != PL_OK) {
        body->may_change = false;
        PL_FREE(body->next, pl_element_material, body->element_count);
        body->next = NULL;
    }
    PL_FREE(changed, bool, w->body_count);
    return status;
}

// ---------------------------------------------------------------- settings

// keys that are read only when the body is created: its mesh, its start, its drawing
static bool is_of_the_mesh(const char* key) {
    static const char* const keys[] = {
        "name",      "mesh",     "generate",         "kind", "edge",     "mesher", "allow_split",
        "transform", "velocity", "angular_velocity", "vary", "eigenfit", "render"};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        size_t size = strlen(keys[k]);
        if (strncmp(key, keys[k], size) == 0 && strchr(".[", key[size])) return true;
    }
    return false;
}

// the body of a path, or -1 for substeps; refuses anything else
static pl_status body_of_path(const pl_scene* scene, const char* path, int* b, const char** key,
                              pl_error* error) {
    int size = 0;
    *b = -1;
    *key = "";
    if (strcmp(path, "substeps") == 0) return PL_OK;
    if (sscanf(path, "bodies[%d].%n", b, &size) != 1 || size == 0 || *b < 0 ||
        *b >= scene->body_count)
        return pl_fail(
            error, PL_ERROR_ARGUMENT,
            "%.300s: this cannot change during a run; other calls move colliders and attachments",
            path);
    *key = path + size;
    if (is_of_the_mesh(*key))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%.300s: the mesh and the start of a body cannot change during a run", path);
    return PL_OK;
}

// Replaces solvers and a law that the new method does not support, with a note for each.
static pl_status fit_body(pl_scene* next, int b, pl_notes* notes, pl_error* error) {
    static const char* const free_keys[] = {"linear", "nonlinear", "integrator", "material.law"};
    pl_body trial = next->bodies[b];
    const char* bad;
    char text[512], path[64];
    for (size_t k = 0; k < sizeof free_keys / sizeof free_keys[0]; k++) {
        if (pl_combination_resolve(&trial, &bad, text, sizeof text)) return PL_OK;
        snprintf(path, sizeof path, "bodies[%d].%s", b, free_keys[k]);
        pl_status status = pl_scene_set(next, path, "auto", error);
        if (status != PL_OK) return status;
        trial = next->bodies[b];
        pl_note(notes, PL_NOTE_INFO,
                "%s: the old value does not fit the new method; pliant chooses another", path);
    }
    return PL_OK; // pl_scene_resolve reports what still does not fit
}

static pl_status check_mesh(const pl_world_body* body, const pl_body* next, int b,
                            pl_error* error) {
    bool tears = body->def->method == PL_METHOD_PBD && !isnan(body->def->pbd.tear);
    bool will_tear = next->method == PL_METHOD_PBD && !isnan(next->pbd.tear);
    if (body->is_cloth && tears != will_tear)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "bodies[%d]: cloth that can tear has other vertices than cloth that cannot; "
                       "restart the scene with this change",
                       b);
    if (!body->is_cloth && body->mesh->tet_count == 0 && next->method != PL_METHOD_GRID &&
        next->method != PL_METHOD_RIGID)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "bodies[%d].method: body \"%.100s\" is a surface without tets, which only "
                       "methods grid and rigid support; restart the scene with method %s",
                       b, body->def->name, pl_method_name((int)next->method));
    return PL_OK;
}

// applies one "path=value" to the copy
static pl_status apply_change(pl_scene* next, const char* change, bool* changed, pl_notes* notes,
                              pl_error* error) {
    char path[512];
    const char* value = strchr(change, '=');
    if (!value || (size_t)(value - change) >= sizeof path)
        return pl_fail(error, PL_ERROR_ARGUMENT, "\"%.300s\" is not of the form path=value",
                       change);
    memcpy(path, change, (size_t)(value - change));
    path[value - change] = '\0';
    pl_place place;
    pl_status status = pl_scene_locate(next, path, &place, error);
    int b;
    const char* key;
    if (status == PL_OK) status = body_of_path(next, place.path.text, &b, &key, error);
    if (status == PL_OK) status = pl_scene_set(next, path, value + 1, error);
    if (status != PL_OK || b < 0) return status;
    changed[b] = true;
    bool is_free = strcmp(key, "method") == 0 || strcmp(key, "nonlinear") == 0;
    return is_free ? fit_body(next, b, notes, error) : PL_OK;
}

static void swap_bodies(pl_scene* a, pl_scene* b, const bool* changed) {
    for (int k = 0; k < a->body_count; k++) {
        if (!changed[k]) continue;
        pl_body *first = (pl_body*)&a->bodies[k], *second = (pl_body*)&b->bodies[k], kept = *first;
        *first = *second;
        *second = kept;
    }
    int substeps = a->substeps;
    a->substeps = b->substeps;
    b->substeps = substeps;
}

// recomputes the materials of a body after its definition changed; scale: of pl_material_maps
static pl_status renew_materials(pl_world_body* body, double scale, pl_pool* pool,
                                 pl_error* error) {
    pl_material_maps* maps;
    pl_error cause = {0};
    pl_status status =
        pl_material_maps_create(body->def, body->mesh, body->is_cloth, &maps, &cause);
    if (status == PL_OK) {
        pl_material_maps_destroy(body->maps);
        body->maps = maps;
        pl_material_maps_scale(maps, scale);
        status = pl_body_materials(body->maps, pool, body->materials, &cause);
    }
    if (status != PL_OK)
        return pl_fail(error, status, "body \"%s\": %.900s", body->def->name, cause.text);
    pl_world_choose_contact(body);
    return PL_OK;
}

static pl_status renew_bodies(pl_world* w, const bool* changed, const double* scales,
                              pl_error* error) {
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < w->body_count; b++)
        if (changed[b]) status = renew_materials(&w->bodies[b], scales[b], w->pool, error);
    return status;
}

static pl_status check_next(const pl_world* w, pl_scene* next, const bool* changed,
                            pl_error* error) {
    pl_status status = pl_scene_resolve(next, error);
    if (status == PL_OK) status = pl_world_check_support(next, error);
    for (int b = 0; status == PL_OK && b < w->body_count; b++)
        if (changed[b]) status = check_mesh(&w->bodies[b], &next->bodies[b], b, error);
    for (int b = 0; status == PL_OK && b < w->body_count; b++)
        if (changed[b] && w->bodies[b].may_change &&
            !pl_world_method(next->bodies[b].method)->update)
            status = pl_fail(error, PL_ERROR_UNSUPPORTED,
                             "bodies[%d].method: the body has numbers that change, which method %s "
                             "does not support in this version",
                             b, pl_method_name((int)next->bodies[b].method));
    return status;
}

pl_status pl_world_change(pl_world* w, const char* const* changes, int count, pl_notes* notes,
                          pl_error* error) {
    pl_scene* next;
    pl_status status = pl_scene_copy(w->scene, &next, error);
    if (status != PL_OK) return status;
    bool* changed = PL_ALLOC(bool, w->body_count);
    double* scales = PL_ALLOC(double, w->body_count); // EigenFit's factors before the change
    if (!changed || !scales) status = pl_fail_memory(error, "a change of the scene");
    for (int b = 0; status == PL_OK && b < w->body_count; b++)
        scales[b] = pl_material_maps_scale_of(w->bodies[b].maps);
    for (int k = 0; status == PL_OK && k < count; k++)
        status = apply_change(next, changes[k], changed, notes, error);
    if (status == PL_OK) status = check_next(w, next, changed, error);
    if (status == PL_OK) {
        swap_bodies(w->scene, next, changed);
        status = renew_bodies(w, changed, scales, error);
        if (status == PL_OK) status = pl_world_regroup(w, changed, notes, error);
        if (status != PL_OK) {
            swap_bodies(w->scene, next, changed);
            renew_bodies(w, changed, scales, NULL);
        }
    }
    PL_FREE(changed, bool, w->body_count);
    PL_FREE(scales, double, w->body_count);
    pl_scene_destroy(next);
    return status;
}
