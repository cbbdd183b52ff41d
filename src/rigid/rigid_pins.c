// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Attachments of rigid bodies. Exact attachments at three points that are not on a line determine
// the pose of the body: the body is held, and moves there whatever is in its way. Fewer exact
// attachments are point constraints, soft ones are implicit springs; both are solved together with
// the contacts.
#include "contact/force_share.h"
#include "rigid/rigid_system.h"

static bool is_own(const pl_rigid_body* b, const pl_pin* pin) {
    return pin->vertex >= b->first_vertex && pin->vertex < b->first_vertex + b->vertex_count;
}

// Fits the body to its exact pins. If they do not determine its pose, is_held is false.
static pl_status hold(pl_rigid_system* s, pl_rigid_body* b, const pl_method_step* step,
                      pl_error* error) {
    s->items.count = s->places.count = 0;
    for (int k = 0; k < step->pin_count; k++) {
        const pl_pin* pin = &step->pins[k];
        if (!pin->hard || !is_own(b, pin)) continue;
        const int item = pin->vertex - b->first_vertex;
        double* place = pl_array_add(&s->places, 3);
        if (!place || !pl_array_push(&s->items, &item)) return pl_rigid_fail_memory(error);
        pl_vec3_store(place, pin->target);
    }
    const double h = step->time_step;
    pl_rigid_state* state = &b->state;
    b->is_held = s->items.count > 2 &&
                 pl_rigid_fit(b, s->items.data, (int)s->items.count, s->places.data, NULL);
    if (!b->is_held) return PL_OK;
    const pl_mat3 inertia = pl_rigid_rotate_tensor(pl_rigid_rotation(state), b->inertia);
    state->momentum = pl_scale(b->mass / h, pl_sub(state->centre, b->before.centre));
    state->angular_momentum =
        pl_mat3_apply(&inertia, pl_rigid_rate(b->before.rotation, state->rotation, h));
    return PL_OK;
}

pl_status pl_rigid_pins_begin(pl_rigid_system* s, const pl_method_step* step, pl_error* error) {
    s->pins.count = 0;
    for (int b = 0; b < s->body_count; b++) {
        s->bodies[b].is_held = false;
        pl_status status = step->pin_count ? hold(s, &s->bodies[b], step, error) : PL_OK;
        if (status != PL_OK) return status;
    }
    for (int v = 0; v < s->vertex_count; v++) s->held[v] = s->bodies[s->body_of_vertex[v]].is_held;
    for (int k = 0; k < step->pin_count; k++) {
        const pl_pin* pin = &step->pins[k];
        pl_rigid_pin p = {.pin = k, .body = s->body_of_vertex[pin->vertex]};
        if (s->bodies[p.body].is_held || !(pin->hard || pin->stiffness > 0.0)) continue;
        if (!pin->hard) p.softness = 1.0 / (step->time_step * step->time_step * pin->stiffness);
        s->bodies[p.body].falls_freely = false;
        if (!pl_array_push(&s->pins, &p)) return pl_rigid_fail_memory(error);
    }
    return PL_OK;
}

// ------------------------------------------------------------------ reactions

static pl_vec3 impulse_of(const pl_rigid_row* row) {
    pl_vec3 sum = {0, 0, 0};
    for (int d = 0; d < 3; d++) sum = pl_madd(sum, row->impulse[d], row->axes[d]);
    return sum;
}

// The forces of the pins of a held body: what its motion needs beyond loads and contacts,
// distributed over the pins.
static void share_reaction(const pl_rigid_system* s, int body, const pl_method_step* step) {
    const pl_rigid_body* b = &s->bodies[body];
    const pl_rigid_row* rows = s->rows.data;
    const double rate = 1.0 / step->time_step;
    pl_vec3 impulse = pl_sub(b->state.momentum, b->free_momentum);
    pl_vec3 turn = pl_sub(b->state.angular_momentum, b->free_angular_momentum);
    for (size_t k = 0; k < s->rows.count; k++)
        for (int i = 0; i < 2; i++) {
            if (rows[k].bodies[i] != body) continue;
            const pl_vec3 given = pl_scale(i ? 1.0 : -1.0, impulse_of(&rows[k]));
            impulse = pl_add(impulse, given);
            turn = pl_add(turn, pl_cross(rows[k].arms[i], given));
        }
    const pl_vec3 torque = pl_add(turn, pl_cross(b->state.centre, impulse));
    pl_force_share share = {.origin = b->state.centre};
    for (int k = 0; k < step->pin_count; k++)
        if (step->pins[k].hard && is_own(b, &step->pins[k]))
            pl_force_share_add(&share, step->pins[k].target, 1.0);
    pl_force_share_solve(&share, pl_scale(rate, impulse), pl_scale(rate, torque));
    for (int k = 0; k < step->pin_count; k++)
        if (step->pins[k].hard && is_own(b, &step->pins[k]))
            pl_vec3_store(step->pin_forces + 3 * (size_t)k,
                          pl_force_share_at(&share, step->pins[k].target, 1.0));
}

static void react_pins(const pl_rigid_system* s, const pl_method_step* step) {
    const pl_rigid_pin* pins = s->pins.data;
    const double rate = 1.0 / step->time_step;
    for (int k = 0; k < 3 * step->pin_count; k++) step->pin_forces[k] = 0.0;
    for (size_t k = 0; k < s->pins.count; k++)
        pl_vec3_store(step->pin_forces + 3 * (size_t)pins[k].pin, pl_scale(rate, pins[k].impulse));
    for (int b = 0; b < s->body_count; b++)
        if (s->bodies[b].is_held) share_reaction(s, b, step);
}

void pl_rigid_reactions(const pl_rigid_system* s, const pl_method_step* step) {
    const pl_rigid_row* rows = s->rows.data;
    if (step->pin_forces) react_pins(s, step);
    if (!step->obstacle_forces) return;
    for (int k = 0; k < 3 * step->obstacle_count; k++) step->obstacle_forces[k] = 0.0;
    for (size_t k = 0; k < s->rows.count; k++) {
        if (rows[k].obstacle < 0) continue;
        double* to = step->obstacle_forces + 3 * (size_t)rows[k].obstacle;
        pl_vec3_store(to, pl_madd(pl_vec3_load(to), 1.0 / step->time_step, impulse_of(&rows[k])));
    }
}
