// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Numbers of bodies and of the clock that change during a run.
#include "base/memory.h"
#include "world/world_guard.h"

#include <stdio.h>
#include <string.h>

bool pl_world_is_animated(const pl_scene* scene, const char* prefix) {
    for (int k = 0; k < scene->animation_count; k++)
        if (strncmp(scene->animations[k].path, prefix, strlen(prefix)) == 0) return true;
    return false;
}

static bool may_change(const pl_scene* scene, int b) {
    static const char* const parts[] = {"material.", "regions[", "damping.", "pbd."};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        char prefix[48];
        snprintf(prefix, sizeof prefix, "bodies[%d].%s", b, parts[k]);
        if (pl_world_is_animated(scene, prefix)) return true;
    }
    return false;
}

pl_status pl_world_changes_setup(pl_world* w, pl_error* error) {
    w->clock_changes = pl_world_is_animated(w->scene, "time_step");
    for (int b = 0; b < w->body_count; b++) {
        pl_world_body* body = &w->bodies[b];
        const pl_eigenfit* fit = body->def->eigenfit;
        body->may_change = may_change(w->scene, b) || (fit && fit->dac);
        if (!body->may_change) continue;
        body->next = PL_ALLOC(pl_element_material, body->element_count);
        if (!body->next && body->element_count) return pl_fail_memory(error, "materials");
    }
    return PL_OK;
}

// sets *changed to true if numbers of the body differ from those of the last step
static pl_status update_body(pl_world_body* body, pl_pool* pool, bool* changed, pl_error* error) {
    pl_error cause = {0};
    pl_status status = pl_body_materials(body->maps, pool, body->next, &cause);
    if (status != PL_OK)
        return pl_fail(error, status, "body \"%s\": %.900s", body->def->name, cause.text);
    size_t size = (size_t)body->element_count * sizeof(pl_element_material);
    if (memcmp(body->next, body->materials, size) != 0) {
        memcpy(body->materials, body->next, size);
        pl_world_choose_contact(body);
        *changed = true;
    }
    if (memcmp(&body->damping, &body->def->damping, sizeof body->damping) != 0 ||
        memcmp(&body->pbd, &body->def->pbd, sizeof body->pbd) != 0)
        *changed = true;
    body->damping = body->def->damping;
    memcpy(&body->pbd, &body->def->pbd, sizeof body->pbd); // padding too
    return PL_OK;
}

pl_status pl_world_push_system(pl_world* w, int s, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    bool changed = false;
    for (int b = 0; b < w->body_count; b++) {
        if (w->bodies[b].system != s || !w->bodies[b].may_change) continue;
        pl_status status = update_body(&w->bodies[b], w->pool, &changed, error);
        if (status != PL_OK) return status;
    }
    if (!changed) return PL_OK;
    pl_guard_change(w, s, false);
    pl_status status = system->method->update(system->data, system->method_bodies,
                                              system->method_body_count, error);
    if (status == PL_OK) pl_guard_change(w, s, true);
    return status;
}

pl_status pl_world_push_changes(pl_world* w, pl_error* error) {
    pl_status status = PL_OK;
    for (int s = 0; status == PL_OK && s < w->system_count; s++)
        status = pl_world_push_system(w, s, error);
    return status;
}
