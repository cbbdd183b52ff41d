// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The world: builds systems from a scene, steps them frame by frame, and gives access to their
// state.
#include "base/memory.h"
#include "base/timer.h"
#include "eigenfit/eigenfit.h"
#include "scene/key_uses.h"
#include "scene/scene_object.h"
#include "world/contact_notes.h"
#include "world/world_budget.h"
#include "world/world_contacts.h"
#include "world/world_coupling.h"
#include "world/world_eigenfit.h"
#include "world/world_guard.h"
#include "world/world_host.h"
#include "world/world_loads.h"
#include "world/world_meeting.h"
#include "world/world_reactions.h"
#include "world/world_retry.h"
#include "world/world_rounds.h"
#include "world/world_surfaces.h"
#include "world/world_systems.h"
#include "world/world_untangle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TETS_PER_TASK = 4096 };

void pl_world_destroy(pl_world* w) {
    if (!w) return;
    pl_world_meetings_free(w);
    pl_world_coupling_free(w);
    for (int s = 0; s < w->system_count; s++) pl_world_system_free(w, &w->systems[s]);
    PL_FREE(w->systems, pl_world_system, w->body_count);
    pl_world_loads_free(w);
    pl_world_reactions_free(w);
    pl_world_starts_free(w);
    pl_world_obstacles_free(w);
    for (int k = 0; k < w->body_count; k++) pl_world_body_free(&w->bodies[k]);
    PL_FREE(w->bodies, pl_world_body, w->body_count);
    pl_world_host_free(w);
    pl_array_free(&w->crossings);
    pl_array_free(&w->contacts);
    pl_scene_destroy(w->scene);
    pl_pool_destroy(w->pool);
    PL_FREE(w, pl_world, 1);
}

static pl_status build(pl_world* w, const pl_scene* scene, pl_notes* notes, pl_error* error) {
    pl_status status = pl_scene_copy(scene, &w->scene, error);
    if (status == PL_OK) status = pl_pool_create(w->scene->threads, &w->pool, error);
    if (status != PL_OK) return status;
    if (w->scene->body_count == 0)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "the scene has no bodies; add one under \"bodies\"");
    status = pl_scene_resolve_bodies(w->scene, error); // a host may have changed them after reading
    if (status == PL_OK) status = pl_world_check_support(w->scene, error);
    if (status != PL_OK) return status;
    pl_scene_evaluate(w->scene, 0.0);
    w->first_step = w->scene->time_step;
    w->bodies = PL_ALLOC(pl_world_body, w->scene->body_count);
    if (!w->bodies) return pl_fail_memory(error, "the bodies of a world");
    w->body_count = w->scene->body_count;
    for (int b = 0; status == PL_OK && b < w->body_count; b++)
        status = pl_world_body_setup(&w->scene->bodies[b], w->pool, &w->bodies[b], notes, error);
    if (status == PL_OK) status = pl_world_changes_setup(w, error);
    if (status == PL_OK) status = pl_world_group_bodies(w, error);
    if (status == PL_OK) status = pl_world_settle_solvers(w, error);
    for (int b = 0; status == PL_OK && b < w->body_count; b++)
        pl_note_unread_keys(w->scene, b, notes);
    if (status == PL_OK) status = pl_world_untangle(w, notes, error);
    for (int s = 0; status == PL_OK && s < w->system_count; s++)
        status = pl_world_system_create(w, s, notes, error);
    if (status == PL_OK) status = pl_world_obstacles_setup(w, notes, error);
    if (status == PL_OK) status = pl_world_loads_setup(w, error);
    for (int s = 0; status == PL_OK && s < w->system_count; s++)
        status = pl_world_eigenfit_setup(w, s, notes, error);
    if (status == PL_OK) status = pl_world_reactions_setup(w, error);
    if (status == PL_OK) status = pl_world_starts_setup(w, notes, error);
    if (status == PL_OK) status = pl_world_coupling_setup(w, error);
    if (status == PL_OK) status = pl_world_meetings_setup(w, notes, error);
    if (status == PL_OK) status = pl_world_untangle_cloth(w, notes, error);
    if (status == PL_OK) status = pl_world_surfaces_note(w, notes, error);
    return status == PL_OK ? pl_world_save_frame(w, error) : status;
}

pl_status pl_world_create(const pl_scene* scene, pl_world** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    pl_world* w = PL_ALLOC(pl_world, 1);
    if (!w) return pl_fail_memory(error, "a world");
    w->handles = pl_array_of(sizeof(pl_world_handle));
    w->numbers = pl_array_of(sizeof(pl_world_number));
    w->crossings = pl_array_of(sizeof(pl_crossing));
    w->contacts = pl_array_of(sizeof(pl_contact_point));
    pl_status status = build(w, scene, notes, error);
    if (status == PL_OK) *out = w;
    else pl_world_destroy(w);
    return status;
}

// The time after k steps of the present frame. With a constant time step it is a product, so
// round-off does not add up.
static double time_after(const pl_world* w, int k) {
    if (w->clock_changes) return w->time + k * w->step_size;
    if (w->split == 1) return (double)(w->step + k) * w->scene->time_step / w->scene->substeps;
    return ((double)w->step + (double)k / w->split) * w->scene->time_step / w->scene->substeps;
}

// the time step of a frame is its value at the start of the frame
static void begin_frame(pl_world* w, int split) {
    double before = w->step_size;
    if (w->clock_changes) pl_world_evaluate(w, w->time);
    w->split = split;
    w->step_size = w->scene->time_step / w->scene->substeps / split;
    pl_world_host_begin(w);
    for (int s = 0; s < w->system_count; s++) {
        pl_world_system* system = &w->systems[s];
        bool jumps = system->was_touched || (before > 0.0 && w->step_size != before);
        if (jumps && system->method->restart) system->method->restart(system->data);
        pl_guard_begin_frame(w, s, system->was_touched);
        system->is_touched = false;
    }
}

static void end_frame(pl_world* w) {
    w->time = time_after(w, w->scene->substeps * w->split);
    w->step += w->scene->substeps;
    w->frame++;
    pl_world_host_end(w);
    for (int s = 0; s < w->system_count; s++) pl_world_remember(&w->systems[s]);
}

typedef struct volume_job {
    const pl_mesh* mesh;
    const double* x;
} volume_job;

static double volume_part(int begin, int end, void* user) {
    const volume_job* job = user;
    double sum = 0.0;
    for (int e = begin; e < end; e++) {
        const int* v = job->mesh->tets + 4 * (size_t)e;
        pl_vec3 corners[4];
        for (int i = 0; i < 4; i++) corners[i] = pl_vec3_load(job->x + 3 * (size_t)v[i]);
        sum += pl_det4(corners[0], corners[1], corners[2], corners[3]) / 6.0;
    }
    return sum;
}

static double solid_volume(pl_world* w) {
    double sum = 0.0;
    for (int b = 0; b < w->body_count; b++) {
        volume_job job = {w->bodies[b].mesh, pl_world_positions(w, b)};
        sum += pl_parallel_sum(w->pool, volume_part, job.mesh->tet_count, TETS_PER_TASK, &job);
    }
    return sum;
}

static void finish_info(pl_world* w, double start, pl_frame_info* info) {
    info->frame = w->frame;
    info->time = pl_world_time(w);
    for (int s = 0; s < w->system_count; s++) {
        pl_world_system* system = &w->systems[s];
        if (!system->knows_energies) system->energies = system->method->energies(system->data);
        system->knows_energies = true;
        const pl_method_energies* e = &system->energies;
        info->kinetic_energy += e->kinetic;
        info->elastic_energy += e->elastic;
        info->contact_energy += e->contact;
        if (!isfinite(e->elastic)) info->unconverged_count++;
    }
    info->volume = solid_volume(w);
    info->seconds = pl_seconds() - start;
}

static pl_status run_substeps(pl_world* w, pl_frame_info* info, pl_error* error) {
    int count = w->scene->substeps * w->split;
    for (int k = 0; k < count; k++) {
        double begin = time_after(w, k), end = time_after(w, k + 1);
        w->part[0] = (double)k / count;
        w->part[1] = (double)(k + 1) / count;
        pl_world_start_sizes(w, begin);
        pl_world_evaluate(w, end);
        pl_status status = pl_world_push_changes(w, error);
        if (status != PL_OK) return status;
        pl_world_place_obstacles(w, begin, end);
        info->contact_count = 0; // reported for the last substep only
        status = pl_world_step_systems(w, begin, end, info, error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status try_frame(pl_world* w, int split, pl_frame_info* info, pl_error* error) {
    begin_frame(w, split);
    pl_status status = pl_world_surfaces_part(w, error);
    if (status == PL_OK) status = pl_world_coupling_part(w, error);
    if (status == PL_OK) status = run_substeps(w, info, error);
    for (int s = 0; status == PL_OK && s < w->system_count; s++) {
        pl_guard_verdict verdict = pl_guard_end_frame(w, s);
        if (verdict != PL_GUARD_FINE) status = pl_guard_fail(w, s, verdict, error);
    }
    return status;
}

// Tries the frame with the settings of the scene, then in smaller steps, then with safer settings.
// If a frame fails after the budget has cut it, it is first retried in the same steps without a
// budget. If all attempts fail, the error is that of the first one.
static pl_status run_attempts(pl_world* w, pl_frame_info* info, pl_error* error) {
    pl_error first = {0}, later = {0};
    pl_status status = PL_OK;
    int count = pl_world_attempt_count(w), retry_count = 0;
    for (int k = 0; k < count; retry_count++) {
        pl_attempt attempt = pl_world_attempt(k);
        *info = (pl_frame_info){.retry_count = retry_count};
        if (attempt.is_careful) pl_world_be_careful(w, true);
        pl_budget_begin_attempt(w, retry_count == 0, w->scene->substeps * attempt.split);
        status = try_frame(w, attempt.split, info, retry_count == 0 ? &first : &later);
        if (attempt.is_careful) pl_world_be_careful(w, false);
        if (status == PL_OK) return PL_OK;
        pl_world_restore_frame(w);
        if (status != PL_ERROR_DIVERGED) break;
        k += !pl_budget_was_cut(w);
    }
    if (status != PL_ERROR_DIVERGED)
        return pl_fail(error, status, "%s", later.text[0] ? later.text : first.text);
    return pl_fail(error, status, "%s (frame %d; smaller steps and safer settings failed too)",
                   first.text, w->frame + 1);
}

pl_status pl_world_step(pl_world* w, pl_frame_info* info, pl_error* error) {
    double start = pl_seconds();
    pl_frame_info own = {0};
    pl_budget_begin_frame(w);
    pl_status status = pl_world_save_frame(w, error);
    if (status == PL_OK) status = run_attempts(w, &own, error);
    if (status == PL_OK && !pl_world_collect_contacts(w)) {
        pl_world_restore_frame(w);
        status = pl_fail_memory(error, "contacts");
    }
    if (status != PL_OK) return status;
    end_frame(w);
    if (info) {
        finish_info(w, start, &own);
        *info = own;
    }
    pl_budget_end_frame(w);
    return PL_OK;
}

double pl_world_time(const pl_world* w) { return w->time; }
int pl_world_frame(const pl_world* w) { return w->frame; }
int pl_world_body_count(const pl_world* w) { return w->body_count; }
const char* pl_world_body_name(const pl_world* w, int body) { return w->bodies[body].def->name; }
const pl_mesh* pl_world_mesh(const pl_world* w, int body) { return w->bodies[body].mesh; }

const pl_mesh* pl_world_filled_surface(const pl_world* w, int body) {
    return w->bodies[body].filled;
}

int pl_world_find_body(const pl_world* w, const char* name) {
    for (int b = 0; b < w->body_count; b++)
        if (strcmp(w->bodies[b].def->name, name) == 0) return b;
    return -1;
}

double* pl_world_positions(pl_world* w, int body) {
    pl_world_system* system = &w->systems[w->bodies[body].system];
    return system->method->positions(system->data) + 3 * (size_t)w->bodies[body].first_vertex;
}

double* pl_world_velocities(pl_world* w, int body) {
    pl_world_system* system = &w->systems[w->bodies[body].system];
    return system->method->velocities(system->data) + 3 * (size_t)w->bodies[body].first_vertex;
}

double* pl_world_forces(pl_world* w, int body) {
    return w->systems[w->bodies[body].system].host_force + 3 * (size_t)w->bodies[body].first_vertex;
}

int pl_world_residuals(const pl_world* w, int b, const float** values) {
    const pl_residual_trace* trace = &w->systems[w->bodies[b].system].trace;
    *values = trace->values;
    return trace->count;
}

int pl_world_aggregates(pl_world* w, int b, int level, int* nodes) {
    if (b < 0 || b >= w->body_count) return 0;
    const pl_world_body* body = &w->bodies[b];
    pl_world_system* system = &w->systems[body->system];
    if (!system->method->aggregates) return 0;
    int* all = PL_ALLOC(int, system->vertex_count);
    if (!all) return -1;
    int count = system->method->aggregates(system->data, level, all);
    if (count > 0)
        memcpy(nodes, all + body->first_vertex, (size_t)body->mesh->vertex_count * sizeof(int));
    PL_FREE(all, int, system->vertex_count);
    return count;
}

pl_status pl_world_outline(pl_world* w, int b, pl_array* corners, pl_array* edges,
                           pl_error* error) {
    pl_world_system* system = &w->systems[w->bodies[b].system];
    if (!system->method->outline) return PL_OK;
    return system->method->outline(system->data, pl_world_place_in_system(w, b), corners, edges,
                                   error);
}

int pl_world_grab(pl_world* w, int body, int vertex, double stiffness) {
    if (body < 0 || body >= w->body_count || vertex < 0 ||
        vertex >= w->bodies[body].mesh->vertex_count)
        return -1;
    pl_vec3 at = pl_vec3_load(pl_world_positions(w, body) + 3 * (size_t)vertex);
    pl_world_handle handle = {true, body, vertex, stiffness, at, at};
    pl_world_handle* handles = w->handles.data;
    for (size_t h = 0; h < w->handles.count; h++)
        if (!handles[h].used) {
            handles[h] = handle;
            return (int)h;
        }
    return pl_array_push(&w->handles, &handle) ? (int)w->handles.count - 1 : -1;
}

void pl_world_move(pl_world* w, int handle, double x, double y, double z) {
    if (handle >= 0 && (size_t)handle < w->handles.count)
        ((pl_world_handle*)w->handles.data)[handle].target = (pl_vec3){x, y, z};
}

void pl_world_release(pl_world* w, int handle) {
    if (handle >= 0 && (size_t)handle < w->handles.count)
        ((pl_world_handle*)w->handles.data)[handle].used = false;
}
