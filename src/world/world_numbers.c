// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Numbers of the scene that the host sets. A number of a body's material or damping needs a system
// that is prepared for changes; that system is created when the host sets the first such number.
#include "base/memory.h"
#include "scene/scene_path.h"
#include "scene/scene_type.h"
#include "world/world_host.h"
#include "world/world_systems.h"

#include <stdio.h>
#include <string.h>

void pl_world_evaluate(pl_world* w, double time) {
    pl_scene_evaluate(w->scene, time);
    const pl_world_number* numbers = w->numbers.data;
    for (size_t k = 0; k < w->numbers.count; k++) {
        pl_place place;
        if (pl_scene_locate(w->scene, numbers[k].path, &place, NULL) == PL_OK)
            *pl_place_number(&place) = numbers[k].value;
    }
}

static pl_world_number* find_number(pl_world* w, const char* path) {
    pl_world_number* numbers = w->numbers.data;
    for (size_t k = 0; k < w->numbers.count; k++)
        if (strcmp(numbers[k].path, path) == 0) return &numbers[k];
    return NULL;
}

// the body whose method must be prepared for a number, or -1. Contact needs no preparation.
static int body_of_number(const pl_world* w, const char* path) {
    int b = -1, size = 0;
    if (sscanf(path, "bodies[%d].%n", &b, &size) != 1 || size == 0 || b >= w->body_count) return -1;
    return strncmp(path + size, "contact.", 8) == 0 ? -1 : b;
}

pl_status pl_world_put_number(pl_world* w, const char* path, double value, pl_error* error) {
    pl_place place;
    pl_status status = pl_scene_locate(w->scene, path, &place, error);
    if (status != PL_OK) return status;
    int b = body_of_number(w, place.path.text);
    if (b >= 0) status = pl_world_prepare_change(w, b, error);
    if (status != PL_OK) return status;
    double* number = pl_place_number(&place);
    pl_world_number* known = find_number(w, place.path.text);
    if (!known) {
        pl_world_number fresh = {pl_copy_text(place.path.text), value, *number};
        if (!fresh.path || !pl_array_push(&w->numbers, &fresh)) {
            pl_free_text(fresh.path);
            return pl_fail_memory(error, "a number of the scene");
        }
    } else {
        known->value = value;
    }
    *number = value;
    return PL_OK;
}

void pl_world_drop_numbers(pl_world* w) {
    pl_world_number* numbers = w->numbers.data;
    for (size_t k = 0; k < w->numbers.count; k++) {
        pl_place place;
        if (pl_scene_locate(w->scene, numbers[k].path, &place, NULL) == PL_OK)
            *pl_place_number(&place) = numbers[k].original;
        pl_free_text(numbers[k].path);
    }
    w->numbers.count = 0;
}

pl_status pl_world_set(pl_world* w, const char* path, double value, pl_error* error) {
    pl_place place;
    pl_status status = pl_scene_locate(w->scene, path, &place, error);
    if (status != PL_OK) return status;
    if (!pl_place_number(&place) || !(place.field->flags & PL_ANIMATED))
        return pl_fail(error, PL_ERROR_ARGUMENT, "%.300s: this cannot change during a run", path);
    if (!(value >= place.field->low && value <= place.field->high))
        return pl_fail(error, PL_ERROR_ARGUMENT, "%.300s: is %g; it must be from %g to %g %s", path,
                       value, place.field->low, place.field->high, place.field->unit);
    if (strcmp(place.path.text, "time_step") == 0) w->clock_changes = true;
    status = pl_world_put_number(w, path, value, error);
    int b = body_of_number(w, place.path.text);
    // damping is a system setting: a body with another value gets another system
    bool is_of_system = b >= 0 && strstr(place.path.text, "].damping.") != NULL;
    return status == PL_OK && is_of_system ? pl_world_regroup(w, NULL, NULL, error) : status;
}
