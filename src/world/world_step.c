// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_step.h"
#include "base/timer.h"
#include "eigenfit/eigenfit.h"
#include "world/world_blame.h"
#include "world/world_budget.h"
#include "world/world_contacts.h"
#include "world/world_coupling.h"
#include "world/world_eigenfit.h"
#include "world/world_guard.h"
#include "world/world_loads.h"
#include "world/world_meeting.h"
#include "world/world_reactions.h"
#include "world/world_surfaces.h"

#include <math.h>
#include <string.h>

static void add_info(const pl_method_info* from, pl_frame_info* to) {
    to->iterations += from->iterations;
    to->linear_iterations += from->linear_iterations;
    to->unconverged_count += from->converged ? 0 : 1;
    to->switch_count += from->switch_count;
    to->retry_count += from->retries;
    to->cut_count += from->is_cut ? 1 : 0;
    to->contact_count += from->contact_count;
    to->softened_count += from->softened_count;
    to->turned_count += from->turned_count;
    to->residual = fmax(to->residual, from->residual);
    to->assembly_seconds += from->assembly_seconds;
    to->linear_seconds += from->linear_seconds;
}

// contact settings of a body may be animated
static void update_colliding(pl_world* w, int s) {
    pl_colliding_vertices* group = w->systems[s].groups.data;
    for (int b = 0; b < w->body_count; b++) {
        if (w->bodies[b].system != s) continue;
        pl_world_body* body = &w->bodies[b];
        const pl_body_contact* contact = &body->def->contact;
        if (!isnan(contact->thickness)) body->contact_thickness = contact->thickness;
        if (!isnan(contact->stiffness)) body->contact_stiffness = contact->stiffness;
        group->thickness = body->contact_thickness;
        group->stiffness = body->contact_stiffness;
        group->friction = contact->friction;
        group->recesses = pl_world_recesses(w, b);
        group->recess_steps = pl_world_recess_steps(w, b);
        group->passes =
            w->started_inside ? w->started_inside + (size_t)b * (size_t)w->body_count : NULL;
        group++;
    }
    pl_world_surfaces_update(w, s);
}

// the host may write anything into its forces, and a scene may have very large ones
static pl_status check_forces(const pl_world* w, int s, pl_error* error) {
    const pl_world_system* system = &w->systems[s];
    for (int b = 0; b < w->body_count; b++) {
        if (w->bodies[b].system != s) continue;
        const double* force = system->force + 3 * (size_t)w->bodies[b].first_vertex;
        for (int i = 0; i < 3 * w->bodies[b].mesh->vertex_count; i++)
            if (!isfinite(force[i]))
                return pl_fail(error, PL_ERROR_ARGUMENT,
                               "body \"%s\": the force on vertex %d is not finite",
                               w->bodies[b].def->name, i / 3);
    }
    return PL_OK;
}

// adds the forces of bodies of other systems
static void add_push(pl_world_system* system, const double* push) {
    if (!push) return;
    for (int i = 0; i < 3 * system->vertex_count; i++) system->force[i] += push[i];
    system->is_pushed = true;
}

// contact detection that measures its time and informs the guard; the method calls it from one
// thread
typedef struct timed_collisions {
    pl_collision_job job;
    double seconds;
    pl_world* world;
    int system;
} timed_collisions;

static int detect_timed(void* user, const double* start, const double* x, pl_contact* out,
                        int capacity) {
    timed_collisions* timed = user;
    double before = pl_seconds();
    int count = pl_detect_collisions(&timed->job, start, x, out, capacity);
    if (count <= capacity) pl_guard_see_contacts(timed->world, timed->system, out, count, start, x);
    timed->seconds += pl_seconds() - before;
    return count;
}

pl_status pl_world_step_system(pl_world* w, int s, double begin, double end, const double* push,
                               pl_frame_info* info, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    pl_status status = pl_world_place_pins(w, s, begin, end, error);
    if (status != PL_OK) return status;
    status = pl_world_eigenfit_follow(w, s, end, error);
    if (status == PL_OK) status = pl_world_sum_forces(w, s, begin, end, error);
    add_push(system, push);
    update_colliding(w, s);
    if (status == PL_OK) status = check_forces(w, s, error);
    if (status != PL_OK) return status;
    pl_world_begin_meeting(w, s);
    int obstacle_count = pl_world_add_meetings(w, s);
    timed_collisions collisions = {.job = {w->obstacles, obstacle_count, system->groups.data,
                                           (int)system->groups.count, w->pool},
                                   .world = w,
                                   .system = s};
    // not end - begin: the difference has other last bits in every frame, and methods keep their
    // matrices as long as the step is the same
    pl_method_step step = {.time_step = w->step_size,
                           .force = system->force,
                           .pressures = system->pressures.data,
                           .pressure_count = (int)system->pressures.count,
                           .pins = system->pins.data,
                           .pin_count = (int)system->pins.count,
                           .detect = obstacle_count ? detect_timed : NULL,
                           .detect_user = &collisions,
                           .surfaces = system->surfaces,
                           .is_coupled = pl_world_is_coupled(w, s),
                           .is_repeated = pl_world_repeats_step(w, s)};
    memcpy(step.gravity, w->scene->gravity, sizeof step.gravity);
    bool is_last = w->part[1] == 1.0; // of the frame
    if (is_last) status = pl_world_ask_reactions(w, s, &step, error);
    if (is_last) pl_world_ask_contacts(w, s, &step);
    if (status != PL_OK) return status;
    pl_method_info method_info = {0};
    pl_deadline deadline;
    step.deadline = pl_budget_begin_step(w, s, &deadline);
    pl_guard_begin_step(w, s);
    if (step.surfaces) step.surfaces->seconds = 0.0;
    status = system->method->step(system->data, &step, &method_info, error);
    pl_budget_end_step(w, step.deadline, method_info.is_cut);
    info->detect_seconds += collisions.seconds + (step.surfaces ? step.surfaces->seconds : 0.0);
    if (status != PL_OK) return status;
    pl_guard_verdict verdict = pl_guard_end_step(w, s);
    if (verdict != PL_GUARD_FINE) return pl_guard_fail(w, s, verdict, error);
    add_info(&method_info, info);
    info->unfit_count += system->eigenfit && !pl_eigenfit_term_info(system->eigenfit).agrees;
    system->trace = method_info.trace;
    if (is_last) pl_world_sum_reactions(w, s);
    if (is_last) pl_world_name_contacts(w, s);
    if (!method_info.converged && method_info.has_worst_vertex)
        pl_world_name_place(w, s, method_info.worst_vertex, info->unbalanced,
                            sizeof info->unbalanced);
    pl_world_end_meeting(w, s);
    return PL_OK;
}
