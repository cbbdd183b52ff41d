// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_loads.h"
#include "base/memory.h"
#include "contact/wind.h"
#include "scene/selection.h"
#include "world/world_host.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int find_body(const pl_world* w, const char* name) { return pl_world_find_body(w, name); }

static bool is_active(double from, double until, double time) {
    return time >= from && (isnan(until) || time <= until);
}

bool pl_attachment_is_active(const pl_attachment* def, double time) {
    return is_active(def->from, def->until, time);
}

// the positions at which an attachment holds its vertices: their rest positions, or one point
static pl_status hold_places(const pl_attachment* def, const pl_mesh* mesh, pl_world_attachment* a,
                             pl_error* error) {
    a->places = PL_ALLOC(double, 3 * (size_t)a->count);
    if (!a->places) return pl_fail_memory(error, "an attachment");
    for (int i = 0; i < a->count; i++) {
        const double* from = mesh->positions + 3 * (size_t)a->vertices[i];
        if (def->target == PL_TARGET_POINT) from = def->point;
        memcpy(a->places + 3 * (size_t)i, from, 3 * sizeof(double));
        a->middle = pl_madd(a->middle, 1.0 / a->count, pl_vec3_load(from));
    }
    return PL_OK;
}

static pl_status setup_attachment(pl_world* w, const pl_attachment* def, pl_world_attachment* out,
                                  pl_error* error) {
    out->body = find_body(w, def->body);
    const pl_mesh* mesh = w->bodies[out->body].mesh;
    pl_selected selected;
    pl_error cause = {0};
    pl_status status = pl_selection_vertices(&def->where, mesh, def->body, &selected, &cause);
    if (status != PL_OK)
        return pl_fail(error, status, "attachments[%d].where: attachment \"%.100s\": %.700s",
                       (int)(def - w->scene->attachments), def->name, cause.text);
    out->count = selected.count;
    out->vertices = selected.items;
    status = hold_places(def, mesh, out, error);
    if (status != PL_OK || def->target != PL_TARGET_CACHE) return status;
    char path[64];
    snprintf(path, sizeof path, "attachments[%d].cache", (int)(def - w->scene->attachments));
    status = pl_world_read_cache(path, def->cache, out->count, "the selection", &out->cache, error);
    if (status != PL_OK) return status;
    out->before = PL_ALLOC(double, 3 * (size_t)out->count);
    out->after = PL_ALLOC(double, 3 * (size_t)out->count);
    return out->before && out->after ? PL_OK : pl_fail_memory(error, "an attachment");
}

// a surface triangle as vertices of the system
static void triangle_vertices(const pl_world_body* b, int triangle, int v[3]) {
    for (int i = 0; i < 3; i++)
        v[i] = b->surface->vertices[b->surface->mesh->triangles[3 * (size_t)triangle + (size_t)i]] +
               b->first_vertex;
}

static pl_status find_corners(const pl_world_body* b, pl_world_load* load, pl_error* error) {
    load->corners = PL_ALLOC(int, 3 * (size_t)load->count);
    if (!load->corners && load->count) return pl_fail_memory(error, "a pressure");
    for (int k = 0; k < load->count; k++)
        triangle_vertices(b, load->items[k], load->corners + 3 * (size_t)k);
    return PL_OK;
}

static pl_status setup_load(pl_world* w, const pl_force* def, int body, pl_world_load* out,
                            pl_error* error) {
    pl_world_body* b = &w->bodies[body];
    pl_selected selected;
    pl_error cause = {0};
    bool on_surface = def->kind == PL_FORCE_PRESSURE || def->kind == PL_FORCE_TRACTION;
    pl_status status =
        on_surface ? pl_selection_triangles(&def->where, b->mesh, b->surface, b->def->name,
                                            &selected, &cause)
                   : pl_selection_vertices(&def->where, b->mesh, b->def->name, &selected, &cause);
    if (status != PL_OK)
        return pl_fail(error, status, "forces[%d].where: %.900s", (int)(def - w->scene->forces),
                       cause.text);
    *out = (pl_world_load){.body = body, .count = selected.count, .items = selected.items};
    return def->kind == PL_FORCE_PRESSURE ? find_corners(b, out, error) : PL_OK;
}

// creates a load for each body that a force acts on, in the order of forces
static pl_status setup_loads(pl_world* w, pl_error* error) {
    int count = w->scene->force_count * w->body_count;
    w->loads = PL_ALLOC(pl_world_load, count);
    if (count && !w->loads) return pl_fail_memory(error, "forces");
    w->load_count = count;
    for (int f = 0; f < w->scene->force_count; f++) {
        const pl_force* def = &w->scene->forces[f];
        bool all = !def->body || !def->body[0];
        for (int b = 0; b < w->body_count; b++) {
            pl_world_load* load = &w->loads[f * w->body_count + b];
            load->body = b;
            if (!all && find_body(w, def->body) != b) continue;
            pl_status status = setup_load(w, def, b, load, error);
            if (status != PL_OK) return status;
        }
    }
    return PL_OK;
}

pl_status pl_world_loads_setup(pl_world* w, pl_error* error) {
    w->attachments = PL_ALLOC(pl_world_attachment, w->scene->attachment_count);
    if (w->scene->attachment_count && !w->attachments) return pl_fail_memory(error, "attachments");
    w->attachment_count = w->scene->attachment_count;
    for (int k = 0; k < w->attachment_count; k++) {
        pl_status status =
            setup_attachment(w, &w->scene->attachments[k], &w->attachments[k], error);
        if (status != PL_OK) return status;
    }
    return setup_loads(w, error);
}

void pl_world_loads_free(pl_world* w) {
    for (int k = 0; k < w->attachment_count; k++) {
        pl_world_attachment* a = &w->attachments[k];
        PL_FREE(a->vertices, int, a->count);
        PL_FREE(a->places, double, 3 * (size_t)a->count);
        PL_FREE(a->before, double, 3 * (size_t)a->count);
        PL_FREE(a->after, double, 3 * (size_t)a->count);
        pl_point_cache_free(&a->cache);
        pl_driver_free(&a->driver);
    }
    PL_FREE(w->attachments, pl_world_attachment, w->attachment_count);
    for (int k = 0; k < w->load_count; k++) {
        PL_FREE(w->loads[k].items, int, w->loads[k].count);
        PL_FREE(w->loads[k].corners, int, 3 * (size_t)w->loads[k].count);
    }
    PL_FREE(w->loads, pl_world_load, w->load_count);
}

// the motion of the object that an attachment is fixed to
static pl_pose attachment_pose(const pl_world* w, int k, double time, double part) {
    const pl_attachment* def = &w->scene->attachments[k];
    const pl_world_attachment* a = &w->attachments[k];
    if (a->driver.kind != PL_DRIVEN_BY_SCENE) return pl_driver_pose(&a->driver, a->middle, part);
    if (def->target == PL_TARGET_COLLIDER)
        return pl_world_collider_pose(w, pl_world_find_collider(w, def->collider), time, part);
    return pl_motion_pose(&def->motion, a->middle, time);
}

// positions of each vertex at the start and the end of a step, if they change
static bool place_points(const pl_world* w, int k, double begin, double end) {
    const pl_attachment* def = &w->scene->attachments[k];
    const pl_world_attachment* a = &w->attachments[k];
    if (a->driver.point_count) {
        pl_driver_places(&a->driver, w->part[0], a->before);
        pl_driver_places(&a->driver, w->part[1], a->after);
        return true;
    }
    if (def->target != PL_TARGET_CACHE) return false;
    pl_world_cache_places(w, &a->cache, def->cache_start, begin, a->before);
    pl_world_cache_places(w, &a->cache, def->cache_start, end, a->after);
    return true;
}

bool pl_attachment_directions(const pl_attachment* def, pl_mat3* held) {
    *held = pl_mat3_diagonal(0.0, 0.0, 0.0);
    if (!isnan(def->normal[0])) {
        pl_vec3 n = pl_normalize(pl_vec3_load(def->normal));
        *held = pl_outer(n, n);
        return true;
    }
    for (int k = 0; k < def->hold_count; k++) held->m[4 * (int)def->hold[k]] = 1.0;
    return def->hold_count > 0 && def->hold_count < 3;
}

static pl_status add_attachment(pl_world* w, int k, pl_world_system* system, double begin,
                                double end, pl_error* error) {
    const pl_attachment* def = &w->scene->attachments[k];
    const pl_world_attachment* a = &w->attachments[k];
    if (!pl_attachment_is_active(def, end)) return PL_OK;
    pl_pose from = attachment_pose(w, k, begin, w->part[0]),
            to = attachment_pose(w, k, end, w->part[1]);
    pl_pin* pins = pl_array_add(&system->pins, (size_t)a->count);
    if (!pins) return pl_fail_memory(error, "pins");
    bool changes = place_points(w, k, begin, end);
    pl_mat3 held;
    bool partial = pl_attachment_directions(def, &held);
    for (int i = 0; i < a->count; i++) {
        pl_vec3 place = pl_vec3_load((changes ? a->before : a->places) + 3 * (size_t)i);
        pl_vec3 next = pl_vec3_load((changes ? a->after : a->places) + 3 * (size_t)i);
        pins[i] = (pl_pin){.vertex = a->vertices[i] + w->bodies[a->body].first_vertex,
                           .group = k,
                           .hard = isnan(def->stiffness),
                           .stiffness = def->stiffness,
                           .from = pl_pose_point(&from, place),
                           .target = pl_pose_point(&to, next),
                           .partial = partial,
                           .held = held};
    }
    return PL_OK;
}

pl_status pl_world_place_pins(pl_world* w, int s, double begin, double end, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    system->pins.count = 0;
    for (int k = 0; k < w->attachment_count; k++) {
        if (w->bodies[w->attachments[k].body].system != s) continue;
        pl_status status = add_attachment(w, k, system, begin, end, error);
        if (status != PL_OK) return status;
    }
    const pl_world_handle* handles = w->handles.data;
    for (size_t k = 0; k < w->handles.count; k++) {
        if (!handles[k].used || w->bodies[handles[k].body].system != s) continue;
        pl_pin pin = {.vertex = handles[k].vertex + w->bodies[handles[k].body].first_vertex,
                      .group = -1,
                      .stiffness = handles[k].stiffness,
                      .from = pl_lerp(handles[k].from, handles[k].target, w->part[0]),
                      .target = pl_lerp(handles[k].from, handles[k].target, w->part[1])};
        if (!pl_array_push(&system->pins, &pin)) return pl_fail_memory(error, "pins");
    }
    return PL_OK;
}

static void add_to_corners(double* force, const int v[3], pl_vec3 sum) {
    for (int i = 0; i < 3; i++) {
        double* f = force + 3 * (size_t)v[i];
        pl_vec3_store(f, pl_madd(pl_vec3_load(f), 1.0 / 3.0, sum));
    }
}

// Force and acceleration of the scene on selected vertices. A force is distributed by mass, so that
// all of them get the same acceleration.
static void add_body_load(const pl_world_body* b, const pl_force* def, const pl_world_load* load,
                          double* force, const double* mass) {
    double scale = 1.0; // acceleration per unit of the load
    if (def->kind == PL_FORCE_FORCE) {
        double total = 0.0;
        for (int k = 0; k < load->count; k++) total += mass[load->items[k] + b->first_vertex];
        scale = total > 0.0 ? 1.0 / total : 0.0;
    }
    pl_vec3 push = pl_vec3_load(def->kind == PL_FORCE_FORCE ? def->force : def->acceleration);
    for (int k = 0; k < load->count; k++) {
        int v = load->items[k] + b->first_vertex;
        double* f = force + 3 * (size_t)v;
        pl_vec3_store(f, pl_madd(pl_vec3_load(f), scale * mass[v], push));
    }
}

// A traction is a force per area of the surface at rest.
static void add_traction(const pl_world_body* b, const pl_force* def, const pl_world_load* load,
                         double* force) {
    const pl_mesh* rest = b->surface->mesh;
    for (int k = 0; k < load->count; k++) {
        const int* at_rest = rest->triangles + 3 * (size_t)load->items[k];
        int v[3];
        triangle_vertices(b, load->items[k], v);
        double area = 0.5 * pl_norm(pl_doubled_area(rest->positions, at_rest));
        add_to_corners(force, v, pl_scale(area, pl_vec3_load(def->traction)));
    }
}

static pl_status add_load(pl_world_system* system, const pl_world_body* b, const pl_force* def,
                          const pl_world_load* load, pl_error* error) {
    if (def->kind == PL_FORCE_TRACTION) add_traction(b, def, load, system->force);
    else if (def->kind != PL_FORCE_PRESSURE)
        add_body_load(b, def, load, system->force, system->method->masses(system->data));
    else {
        pl_pressure pressure = {def->pressure, load->count, load->corners};
        if (!pl_array_push(&system->pressures, &pressure)) return pl_fail_memory(error, "pressure");
        pl_pressure_add(&pressure, system->method->positions(system->data), 1.0, system->force);
    }
    return PL_OK;
}

static bool blows_on(const pl_wind* wind, const char* name) {
    for (int k = 0; k < wind->body_count; k++)
        if (strcmp(wind->bodies[k], name) == 0) return true;
    return wind->body_count == 0;
}

// computes the air velocity at the vertices of a body
typedef struct air_job {
    pl_air air;
    const double* x; // 3 per vertex
    double* wind;    // WIND per vertex
} air_job;

// numbers per vertex: force of all winds [N], its derivative [N s/m], and the air of one wind
enum { WIND = 7, RATE = 3, AIR = 4, AIR_BLOCK = 1024 };

static void air_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const air_job* job = user;
    for (int v = begin; v < end; v++)
        pl_vec3_store(job->wind + WIND * (size_t)v + AIR,
                      pl_air_velocity(&job->air, pl_vec3_load(job->x + 3 * (size_t)v)));
}

// adds the force of a wind on the triangles of a body at the start of a step
static void add_wind(const pl_wind* wind, const pl_world_body* b, const double* x,
                     const double* velocity, double* sum) {
    for (int t = 0; t < b->surface->mesh->triangle_count; t++) {
        int v[3];
        triangle_vertices(b, t, v);
        pl_vec3 corner[3], air = {0, 0, 0}, speed = {0, 0, 0};
        for (int i = 0; i < 3; i++) {
            corner[i] = pl_vec3_load(x + 3 * (size_t)v[i]);
            air = pl_madd(air, 1.0 / 3.0, pl_vec3_load(sum + WIND * (size_t)v[i] + AIR));
            speed = pl_madd(speed, 1.0 / 3.0, pl_vec3_load(velocity + 3 * (size_t)v[i]));
        }
        double rate;
        pl_vec3 push = pl_wind_force(wind, corner[0], corner[1], corner[2], speed, air, &rate);
        for (int i = 0; i < 3; i++) {
            double* at = sum + WIND * (size_t)v[i];
            pl_vec3_store(at, pl_madd(pl_vec3_load(at), 1.0 / 3.0, push));
            at[RATE] += rate / 3.0;
        }
    }
}

pl_status pl_world_wind_setup(const pl_world* w, pl_world_system* system, pl_error* error) {
    if (w->scene->wind_count == 0) return PL_OK;
    system->wind = PL_ALLOC(double, WIND*(size_t)system->vertex_count);
    return system->wind ? PL_OK : pl_fail_memory(error, "wind");
}

void pl_world_wind_free(pl_world_system* system) {
    PL_FREE(system->wind, double, WIND*(size_t)system->vertex_count);
}

static void add_winds(pl_world* w, int s, double begin, double end) {
    pl_world_system* system = &w->systems[s];
    if (!system->wind) return;
    const double* mass = system->method->masses(system->data);
    const double* x = system->method->positions(system->data);
    const double* velocity = system->method->velocities(system->data);
    memset(system->wind, 0, WIND * (size_t)system->vertex_count * sizeof(double));
    for (int k = 0; k < w->scene->wind_count; k++) {
        const pl_wind* wind = &w->scene->winds[k];
        air_job job = {pl_air_at(wind, w->scene->seed, end), x, system->wind};
        pl_parallel_for(w->pool, air_task, system->vertex_count, AIR_BLOCK, &job);
        for (int b = 0; b < w->body_count; b++)
            if (w->bodies[b].system == s && blows_on(wind, w->bodies[b].def->name))
                add_wind(wind, &w->bodies[b], x, velocity, system->wind);
    }
    for (int v = 0; v < system->vertex_count; v++) {
        const double* from = system->wind + WIND * (size_t)v;
        double part = pl_wind_part(from[RATE], mass[v], end - begin);
        double* to = system->force + 3 * (size_t)v;
        pl_vec3_store(to, pl_madd(pl_vec3_load(to), part, pl_vec3_load(from)));
    }
}

pl_status pl_world_sum_forces(pl_world* w, int s, double begin, double end, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    const double* mass = system->method->masses(system->data);
    system->pressures.count = 0;
    bool is_pushed = w->scene->wind_count > 0; // forces other than gravity
    for (int i = 0; i < 3 * system->vertex_count; i++) {
        system->force[i] = mass[i / 3] * w->scene->gravity[i % 3] + system->host_force[i];
        is_pushed |= system->host_force[i] != 0.0;
    }
    for (int k = 0; k < w->load_count; k++) {
        const pl_force* def = &w->scene->forces[k / w->body_count];
        const pl_world_load* load = &w->loads[k];
        const pl_world_body* b = &w->bodies[load->body];
        if (b->system != s || load->count == 0 || !is_active(def->from, def->until, end)) continue;
        pl_status status = add_load(system, b, def, load, error);
        if (status != PL_OK) return status;
        is_pushed = true;
    }
    system->is_pushed = is_pushed;
    add_winds(w, s, begin, end);
    return PL_OK;
}
