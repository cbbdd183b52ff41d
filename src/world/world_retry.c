// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_retry.h"
#include "base/memory.h"
#include "world/world_coupling.h"
#include "world/world_guard.h"
#include "world/world_host.h"

#include <string.h>

static const pl_attempt attempts[] = {{1, false}, {2, false}, {4, false}, {8, false}, {4, true}};

pl_attempt pl_world_attempt(int k) { return attempts[k]; }

int pl_world_attempt_count(const pl_world* w) {
    int count = (int)(sizeof attempts / sizeof attempts[0]);
    for (int s = 0; s < w->system_count; s++)
        if (w->systems[s].method->careful) return count;
    return count - 1;
}

// True if positions and velocities in `left` are the whole state of the system's method.
static bool is_kept(const pl_world_system* system) {
    const pl_method_functions* method = system->method;
    return method->state_is_motion && method->state_is_motion(system->data) && !system->was_touched;
}

static pl_status save_system(pl_world_system* system, pl_error* error) {
    int count;
    const double* guard = pl_guard_pack(system, &count);
    size_t own = (size_t)count * sizeof(double);
    system->was_touched = pl_world_is_touched(system);
    system->state_is_left = is_kept(system);
    size_t size = own + (system->state_is_left ? 0 : system->method->state_size(system->data));
    if (!system->saved || system->saved_room < size) {
        pl_free(system->saved, system->saved_room);
        system->saved_room = 0;
        system->saved = pl_alloc(size);
        if (!system->saved) return pl_fail_memory(error, "the state of a system");
        system->saved_room = size;
    }
    system->saved_size = own;
    memcpy(system->saved, guard, own);
    if (!system->state_is_left)
        system->method->state_save(system->data, (char*)system->saved + own);
    return PL_OK;
}

pl_status pl_world_save_frame(pl_world* w, pl_error* error) {
    w->saved_step_size = w->step_size;
    pl_status status = pl_world_coupling_save(w, error);
    for (int s = 0; status == PL_OK && s < w->system_count; s++)
        status = save_system(&w->systems[s], error);
    return status;
}

static void restore_state(pl_world_system* system) {
    const pl_method_functions* method = system->method;
    size_t count = 3 * (size_t)system->vertex_count, size = count * sizeof(double);
    if (!system->state_is_left) {
        method->state_load(system->data, (char*)system->saved + system->saved_size);
        return;
    }
    memcpy(method->positions(system->data), system->left, size);
    memcpy(method->velocities(system->data), system->left + count, size);
}

void pl_world_restore_frame(pl_world* w) {
    w->step_size = w->saved_step_size;
    pl_world_coupling_restore(w);
    for (int s = 0; s < w->system_count; s++) {
        pl_world_system* system = &w->systems[s];
        int count;
        double* guard = pl_guard_pack(system, &count);
        memcpy(guard, system->saved, (size_t)count * sizeof(double));
        pl_guard_unpack(system);
        restore_state(system);
        system->is_touched = system->was_touched;
    }
}

void pl_world_be_careful(pl_world* w, bool is_careful) {
    for (int s = 0; s < w->system_count; s++) {
        pl_world_system* system = &w->systems[s];
        if (system->method->careful)
            system->method->careful(system->data, system->method_bodies, is_careful);
    }
}
