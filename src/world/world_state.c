// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The state of a world as bytes: a header, the clock, the states of the systems, and the changes by
// the host. The same function measures, writes and reads, so the three cannot differ.
#include "base/memory.h"
#include "world/world_coupling.h"
#include "world/world_guard.h"
#include "world/world_host.h"

#include <stdint.h>
#include <string.h>

// A walk over the state. Measuring: `to` and `from` are NULL. Writing: to `to`. Reading: from
// `from`.
typedef struct state_walk {
    char* to;
    const char* from;
    size_t size; // bytes so far
    size_t room; // reading: bytes available
} state_walk;

// measures, writes or reads a value; returns false if the input ends before it
static bool pass(state_walk* s, void* value, size_t size) {
    if (size == 0) return true; // value may be NULL then
    if (s->from && (size > s->room || s->size > s->room - size)) return false;
    if (s->from) memcpy(value, s->from + s->size, size);
    if (s->to) memcpy(s->to + s->size, value, size);
    s->size += size;
    return true;
}

static bool pass_doubles(state_walk* s, double* values, size_t count) {
    return pass(s, values, count * sizeof(double));
}

static bool pass_int(state_walk* s, int64_t* value) { return pass(s, value, sizeof *value); }

// ---------------------------------------------------------------- systems

// forces of the host, only if there are any: files have none
static bool pass_forces(state_walk* s, pl_world_system* system) {
    size_t count = 3 * (size_t)system->vertex_count;
    int64_t is_pushed = 0;
    for (size_t i = 0; !s->from && i < count; i++)
        if (system->host_force[i] != 0.0) is_pushed = 1;
    if (!pass_int(s, &is_pushed)) return false;
    if (is_pushed) return pass_doubles(s, system->host_force, count);
    if (s->from) memset(system->host_force, 0, count * sizeof(double));
    return true;
}

bool pl_world_is_touched(const pl_world_system* system) {
    size_t size = 3 * (size_t)system->vertex_count * sizeof(double);
    return system->is_touched ||
           memcmp(system->left, system->method->positions(system->data), size) != 0 ||
           memcmp(system->left + 3 * (size_t)system->vertex_count,
                  system->method->velocities(system->data), size) != 0;
}

void pl_world_remember(pl_world_system* system) {
    size_t count = 3 * (size_t)system->vertex_count;
    memcpy(system->left, system->method->positions(system->data), count * sizeof(double));
    memcpy(system->left + count, system->method->velocities(system->data), count * sizeof(double));
    system->is_touched = false;
}

static bool pass_guard(state_walk* s, pl_world_system* system) {
    int count;
    double* values = pl_guard_pack(system, &count);
    if (!pass_doubles(s, values, (size_t)count)) return false;
    if (s->from) pl_guard_unpack(system);
    return true;
}

static bool pass_system(state_walk* s, pl_world_system* system) {
    size_t size = system->method->state_size(system->data);
    int64_t is_touched = pl_world_is_touched(system);
    if (!pass_int(s, &is_touched)) return false;
    if (s->from) {
        if (size > s->room - s->size) return false;
        system->method->state_load(system->data, s->from + s->size);
        pl_world_remember(system);
        system->is_touched = is_touched != 0;
    }
    if (s->to) system->method->state_save(system->data, s->to + s->size);
    s->size += size;
    return pass_guard(s, system) && pass_forces(s, system);
}

// ---------------------------------------------------------------- what the host does

static bool pass_rigid(state_walk* s, pl_rigid* rigid) {
    return pass(s, &rigid->rotation, sizeof rigid->rotation) &&
           pass(s, &rigid->translation, sizeof rigid->translation);
}

// the points of a driven shape are already allocated
static bool pass_driver(state_walk* s, pl_world_driver* d) {
    int64_t kind = d->kind;
    if (!pass_int(s, &kind)) return false;
    d->kind = (pl_driven_kind)kind;
    if (kind != PL_DRIVEN_BY_SCENE &&
        !(pass_rigid(s, &d->from) && pass_rigid(s, &d->target) &&
          pass(s, &d->velocity, sizeof d->velocity) && pass(s, &d->spin, sizeof d->spin)))
        return false;
    size_t count = 3 * (size_t)d->point_count;
    return pass_doubles(s, d->points_from, count) && pass_doubles(s, d->points_target, count);
}

// prepares a shape that the host changes, if the state that is read has points for it
static pl_status prepare_points(pl_world* w, pl_world_driver* d, int collider, int attachment,
                                int64_t is_changed, pl_error* error) {
    if (!is_changed) {
        PL_FREE(d->points_from, double, 3 * (size_t)d->point_count);
        PL_FREE(d->points_target, double, 3 * (size_t)d->point_count);
        d->points_from = d->points_target = NULL;
        d->point_count = 0;
        return PL_OK;
    }
    if (d->point_count) return PL_OK;
    if (collider >= 0) {
        pl_status status = pl_world_shape_points(w, collider, error);
        pl_world_shape* shape = &w->shapes[collider];
        return status == PL_OK ? pl_driver_points(d, shape->point_count, shape->after, error)
                               : status;
    }
    pl_world_attachment* a = &w->attachments[attachment];
    return pl_world_deform_attachment(w, attachment, a->places, a->count, error);
}

static pl_status pass_thing(state_walk* s, pl_world* w, pl_world_driver* d, int collider,
                            int attachment, pl_error* error) {
    int64_t is_changed = d->point_count > 0;
    bool ok = pass_int(s, &is_changed);
    if (ok && s->from) {
        pl_status status = prepare_points(w, d, collider, attachment, is_changed, error);
        if (status != PL_OK) return status;
    }
    return ok && pass_driver(s, d) ? PL_OK : PL_ERROR_FORMAT;
}

static bool pass_handles(state_walk* s, pl_world* w) {
    int64_t count = (int64_t)w->handles.count;
    if (!pass_int(s, &count)) return false;
    if (s->from) {
        w->handles.count = 0;
        if (count < 0 || (size_t)count > s->room / sizeof(pl_world_handle) ||
            (count > 0 && !pl_array_add(&w->handles, (size_t)count)))
            return false;
    }
    pl_world_handle* handles = w->handles.data;
    for (int64_t k = 0; k < count; k++) {
        int64_t head[3] = {handles[k].used, handles[k].body, handles[k].vertex};
        if (!pass(s, head, sizeof head) || !pass_doubles(s, &handles[k].stiffness, 1) ||
            !pass(s, &handles[k].from, sizeof(pl_vec3)) ||
            !pass(s, &handles[k].target, sizeof(pl_vec3)))
            return false;
        handles[k].used = head[0] != 0;
        handles[k].body = (int)head[1];
        handles[k].vertex = (int)head[2];
    }
    return true;
}

// The pushes between bodies of different systems, which are the initial guess of the next step.
static bool pass_pushes(state_walk* s, pl_world* w) {
    pl_array* pushes = pl_world_kept_pushes(w);
    if (!pushes) return true;
    int64_t count = (int64_t)pushes->count;
    if (!pass_int(s, &count)) return false;
    if (s->from) {
        pushes->count = 0;
        if (count < 0 || (size_t)count > s->room / sizeof(pl_kept_push) ||
            (count > 0 && !pl_array_add(pushes, (size_t)count)))
            return false;
    }
    bool ok = pass(s, pushes->data, (size_t)count * sizeof(pl_kept_push));
    if (ok && (!s->from || pl_world_check_pushes(w))) return true;
    if (s->from) pushes->count = 0;
    return false;
}

enum { MAX_PATH_SIZE = 512 };

static pl_status pass_numbers(state_walk* s, pl_world* w, pl_error* error) {
    int64_t count = (int64_t)w->numbers.count;
    if (!pass_int(s, &count)) return PL_ERROR_FORMAT;
    if (s->from) pl_world_drop_numbers(w);
    for (int64_t k = 0; k < count; k++) {
        char path[MAX_PATH_SIZE] = "";
        double value = 0.0;
        if (!s->from) {
            const pl_world_number* number = (pl_world_number*)w->numbers.data + k;
            strncpy(path, number->path, sizeof path - 1);
            value = number->value;
        }
        if (!pass(s, path, sizeof path) || !pass_doubles(s, &value, 1)) return PL_ERROR_FORMAT;
        pl_status status = s->from ? pl_world_put_number(w, path, value, error) : PL_OK;
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

// ---------------------------------------------------------------- all of it

// "PLSTATE4", number of systems, vertices, frame, step, bytes of the whole state
enum { HEAD_SIZE = 6, SAME_SIZE = 3 };

static void make_head(const pl_world* w, int64_t head[HEAD_SIZE]) {
    int64_t vertices = 0;
    for (int s = 0; s < w->system_count; s++) vertices += w->systems[s].vertex_count;
    memcpy(&head[0], "PLSTATE4", 8);
    head[1] = w->system_count;
    head[2] = vertices;
    head[3] = w->frame;
    head[4] = w->step;
}

static pl_status pass_world(state_walk* s, pl_world* w, size_t whole_size, pl_error* error) {
    int64_t head[HEAD_SIZE], clock_changes = w->clock_changes;
    make_head(w, head);
    head[5] = (int64_t)whole_size;
    bool ok = pass(s, head, sizeof head) && pass_doubles(s, &w->time, 1) &&
              pass_doubles(s, &w->step_size, 1) && pass_int(s, &clock_changes);
    if (ok && s->from) {
        w->frame = (int)head[3];
        w->step = head[4];
        w->clock_changes = clock_changes != 0;
    }
    if (!ok) return PL_ERROR_FORMAT;
    // first, because some numbers need new systems
    pl_status status = pass_numbers(s, w, error);
    if (status != PL_OK) return status;
    for (int k = 0; ok && k < w->system_count; k++) ok = pass_system(s, &w->systems[k]);
    if (!ok || !pass_pushes(s, w) || !pass_handles(s, w)) return PL_ERROR_FORMAT;
    for (int k = 0; status == PL_OK && k < w->obstacle_count; k++)
        status = pass_thing(s, w, &w->shapes[k].driver, k, -1, error);
    for (int k = 0; status == PL_OK && k < w->attachment_count; k++)
        status = pass_thing(s, w, &w->attachments[k].driver, -1, k, error);
    return status;
}

// The walk only writes to the world when it reads a state.
size_t pl_world_state_size(const pl_world* w) {
    state_walk s = {0};
    pass_world(&s, (pl_world*)w, 0, NULL);
    return s.size;
}

void pl_world_state_save(const pl_world* w, void* out) {
    state_walk s = {.to = out};
    pass_world(&s, (pl_world*)w, pl_world_state_size(w), NULL);
}

pl_status pl_world_state_load(pl_world* w, const void* in, size_t size, pl_error* error) {
    int64_t head[HEAD_SIZE], own[HEAD_SIZE];
    make_head(w, own);
    if (size < sizeof head)
        return pl_fail(error, PL_ERROR_FORMAT, "the state is incomplete: it has only %zu bytes",
                       size);
    memcpy(head, in, sizeof head);
    if (memcmp(head, own, SAME_SIZE * sizeof(int64_t)) != 0)
        return pl_fail(error, PL_ERROR_FORMAT, "the state is of another scene or another version");
    if (head[5] != (int64_t)size)
        return pl_fail(
            error, PL_ERROR_FORMAT,
            "the state has %zu bytes instead of %lld; it is incomplete, or of another scene", size,
            (long long)head[5]);
    state_walk s = {.from = in, .room = size};
    w->contacts.count = 0; // of another frame
    pl_status status = pass_world(&s, w, size, error);
    if (status == PL_ERROR_FORMAT || (status == PL_OK && s.size != size))
        return pl_fail(error, PL_ERROR_FORMAT, "the state is of another scene");
    return status;
}
