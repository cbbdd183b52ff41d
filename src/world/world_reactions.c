// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_reactions.h"
#include "base/fail.h"
#include "base/memory.h"

#include <string.h>

// Allocates for as many systems as bodies, which is the largest number of systems.
pl_status pl_world_reactions_setup(pl_world* w, pl_error* error) {
    size_t count = 3 * (size_t)w->obstacle_count * (size_t)(w->body_count + 1);
    w->obstacle_forces = PL_ALLOC(double, count);
    return w->obstacle_forces || count == 0 ? PL_OK : pl_fail_memory(error, "reactions");
}

void pl_world_reactions_free(pl_world* w) {
    PL_FREE(w->obstacle_forces, double,
            3 * (size_t)w->obstacle_count * (size_t)(w->body_count + 1));
}

// layout: the sum over all systems first, then each system
static double* forces_of(const pl_world* w, int system) {
    return w->obstacle_forces + 3 * (size_t)w->obstacle_count * (size_t)(system + 1);
}

pl_status pl_world_ask_reactions(pl_world* w, int s, pl_method_step* step, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    size_t count = 3 * (size_t)step->pin_count;
    system->pin_forces.count = 0;
    double* forces = pl_array_add(&system->pin_forces, count);
    if (!forces && count) return pl_fail_memory(error, "reactions");
    step->pin_forces = count ? forces : NULL;
    step->obstacle_count = w->obstacle_count;
    if (w->obstacle_count == 0) return PL_OK;
    step->obstacle_forces = forces_of(w, s);
    memset(step->obstacle_forces, 0, 3 * (size_t)w->obstacle_count * sizeof(double));
    return PL_OK;
}

// Sets the mean of the places where each attachment holds at the end of the step.
static void find_places(pl_world* w, int s) {
    const pl_pin* pins = w->systems[s].pins.data;
    for (int k = 0; k < w->attachment_count; k++)
        if (w->bodies[w->attachments[k].body].system == s)
            w->attachments[k].reaction = (pl_reaction){{0}, {0}, {0}};
    for (size_t p = 0; p < w->systems[s].pins.count; p++) {
        if (pins[p].group < 0) continue;
        pl_world_attachment* a = &w->attachments[pins[p].group];
        double* place = a->reaction.place;
        pl_vec3_store(place, pl_madd(pl_vec3_load(place), 1.0 / a->count, pins[p].target));
    }
}

void pl_world_sum_reactions(pl_world* w, int s) {
    pl_world_system* system = &w->systems[s];
    const pl_pin* pins = system->pins.data;
    const double *forces = system->pin_forces.data, *x = system->method->positions(system->data);
    find_places(w, s);
    for (size_t p = 0; p < system->pins.count; p++) {
        if (pins[p].group < 0) continue;
        pl_reaction* r = &w->attachments[pins[p].group].reaction;
        pl_vec3 force = pl_vec3_load(forces + 3 * p);
        pl_vec3 arm = pl_sub(pl_vec3_load(x + 3 * (size_t)pins[p].vertex), pl_vec3_load(r->place));
        pl_vec3_store(r->force, pl_add(pl_vec3_load(r->force), force));
        pl_vec3_store(r->torque, pl_add(pl_vec3_load(r->torque), pl_cross(arm, force)));
    }
    for (int i = 0; i < 3 * w->obstacle_count; i++) {
        double sum = 0.0;
        for (int k = 0; k < w->system_count; k++) sum += forces_of(w, k)[i];
        w->obstacle_forces[i] = sum;
    }
}

pl_status pl_world_attachment_reaction(const pl_world* w, int attachment, pl_reaction* out,
                                       pl_error* error) {
    *out = (pl_reaction){{0}, {0}, {0}};
    if (attachment < 0 || attachment >= w->attachment_count)
        return pl_fail(error, PL_ERROR_ARGUMENT, "there is no attachment %d; the scene has %d",
                       attachment, w->attachment_count);
    *out = w->attachments[attachment].reaction;
    return PL_OK;
}

pl_status pl_world_collider_force(const pl_world* w, int collider, double force[3],
                                  pl_error* error) {
    memset(force, 0, 3 * sizeof(double));
    if (collider < 0 || collider >= w->obstacle_count)
        return pl_fail(error, PL_ERROR_ARGUMENT, "there is no collider %d; the scene has %d",
                       collider, w->obstacle_count);
    memcpy(force, w->obstacle_forces + 3 * (size_t)collider, 3 * sizeof(double));
    return PL_OK;
}
