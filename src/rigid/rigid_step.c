// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step: loads change the momentum, and momentum moves the body (symplectic Euler). Where bodies
// end too near something, rigid_solve.c finds impulses, and the bodies are placed again. Rotation
// is nonlinear, so this is repeated in rounds until all distances are kept.
//
// A body under gravity alone follows the exact parabola, which falls by g h^2 / 2 less than
// symplectic Euler. A body that rests on something does not, because it would rise by that much in
// every step.
#include "rigid/rigid_system.h"

#include <string.h>

enum { MAX_ROUNDS = 10 };
// Stopping criteria, relative to the largest violating speed at the start. Rounds end when all
// violating speeds are below the first; sweeps end when they change speeds by less than the second.
static const double ROUND_TOLERANCE = 1e-3, SWEEP_TOLERANCE = 1e-5;
// Loads below this fraction of the weight do not count.
static const double NO_LOAD = 1e-12;

void pl_rigid_system_show(pl_rigid_system* s, const pl_rigid_body* b) {
    const size_t first = 3 * (size_t)b->first_vertex;
    const size_t bytes = 3 * (size_t)b->vertex_count * sizeof(double);
    pl_rigid_show(b, &b->state, s->positions + first, s->velocities + first);
    memcpy(s->shown + first, s->positions + first, bytes);
    memcpy(s->shown_velocities + first, s->velocities + first, bytes);
}

void pl_rigid_take_over(const pl_rigid_system* s, pl_rigid_body* b) {
    const size_t first = 3 * (size_t)b->first_vertex;
    const size_t bytes = 3 * (size_t)b->vertex_count * sizeof(double);
    if (memcmp(s->positions + first, s->shown + first, bytes) != 0)
        pl_rigid_fit(b, NULL, b->vertex_count, s->positions + first, s->mass + b->first_vertex);
    if (memcmp(s->velocities + first, s->shown_velocities + first, bytes) != 0)
        pl_rigid_change_velocities(b, s->velocities + first, s->shown_velocities + first,
                                   s->mass + b->first_vertex);
}

// Applies the loads of a step. Gravity acts at the centre, whatever the masses of vertices are.
static void add_loads(const pl_rigid_system* s, pl_rigid_body* b, const pl_method_step* step) {
    const pl_vec3 gravity = pl_vec3_load(step->gravity);
    const double h = step->time_step, damped = 1.0 / (1.0 + h * b->damping);
    pl_vec3 force = {0, 0, 0}, torque = {0, 0, 0};
    double size = 0.0;
    for (int v = b->first_vertex; v < b->first_vertex + b->vertex_count; v++) {
        const size_t k = 3 * (size_t)v;
        const pl_vec3 load = pl_madd(pl_vec3_load(step->force + k), -s->mass[v], gravity);
        const pl_vec3 arm = pl_sub(pl_vec3_load(s->start + k), b->before.centre);
        force = pl_add(force, load);
        torque = pl_add(torque, pl_cross(arm, load));
        size += pl_norm(load);
    }
    b->falls_freely = b->damping == 0.0 && !(size > NO_LOAD * b->mass * pl_norm(gravity));
    force = pl_madd(force, b->mass, gravity);
    if (b->falls_freely) force = pl_scale(b->mass, gravity), torque = (pl_vec3){0, 0, 0};
    b->state.momentum = pl_madd(pl_scale(damped, b->state.momentum), h, force);
    b->state.angular_momentum = pl_madd(pl_scale(damped, b->state.angular_momentum), h, torque);
    b->free_momentum = b->state.momentum;
    b->free_angular_momentum = b->state.angular_momentum;
}

static void place(pl_rigid_system* s, pl_rigid_body* b, const pl_method_step* step) {
    const double h = step->time_step;
    pl_rigid_state* state = &b->state;
    if (!b->is_held) {
        state->centre = pl_madd(b->before.centre, h / b->mass, state->momentum);
        if (b->falls_freely)
            state->centre = pl_madd(state->centre, -0.5 * h * h, pl_vec3_load(step->gravity));
        state->rotation = pl_rigid_rotate_freely(b, b->before.rotation, state->angular_momentum, h);
    }
    pl_rigid_show(b, state, s->end + 3 * (size_t)b->first_vertex, NULL);
}

static void place_all(pl_rigid_system* s, const pl_method_step* step) {
    for (int b = 0; b < s->body_count; b++) place(s, &s->bodies[b], step);
}

// A body that touches something does not fall freely.
static void end_flights(pl_rigid_system* s, const pl_method_step* step) {
    const pl_rigid_row* rows = s->rows.data;
    for (size_t k = 0; k < s->rows.count; k++)
        for (int i = 0; i < 2; i++) {
            if (rows[k].bodies[i] < 0 || !s->bodies[rows[k].bodies[i]].falls_freely) continue;
            s->bodies[rows[k].bodies[i]].falls_freely = false;
            place(s, &s->bodies[rows[k].bodies[i]], step);
        }
}

// Uses the impulses of the last step as the initial guess if they reduce the violation; returns the
// largest violating speed.
static double warm_start(pl_rigid_system* s, const pl_method_step* step, double miss) {
    if (!pl_rigid_rows_warm_start(s, step->time_step)) return miss;
    place_all(s, step);
    const double less = pl_rigid_measure(s, step);
    if (less <= miss) return less;
    pl_rigid_rows_forget(s);
    place_all(s, step);
    return pl_rigid_measure(s, step);
}

static pl_status run_rounds(pl_rigid_system* s, const pl_method_step* step, pl_method_info* info,
                            pl_error* error) {
    double scale = 0.0;
    s->rows.count = 0;
    info->converged = false;
    for (int round = 0; round < MAX_ROUNDS && !info->converged; round++) {
        bool has_new;
        place_all(s, step);
        pl_status status = pl_rigid_rows_find(s, step, &has_new, error);
        if (status != PL_OK) return status;
        end_flights(s, step);
        double miss = pl_rigid_measure(s, step);
        scale = fmax(scale, miss);
        if (round == 0 && miss > 0.0) miss = warm_start(s, step, miss);
        info->residual = scale > 0.0 ? miss / scale : 0.0;
        pl_trace_add(&info->trace, info->residual);
        info->converged = round ? !(miss > ROUND_TOLERANCE * scale) : !(scale > 0.0);
        if (info->converged) break;
        info->linear_iterations += pl_rigid_solve(s, SWEEP_TOLERANCE * scale);
        info->iterations++;
    }
    if (!info->converged) place_all(s, step);
    return PL_OK;
}

static int count_touching(const pl_rigid_system* s) {
    const pl_rigid_row* rows = s->rows.data;
    int count = 0;
    for (size_t k = 0; k < s->rows.count; k++) count += rows[k].impulse[0] > 0.0;
    return count;
}

static pl_status run_step(pl_rigid_system* s, const pl_method_step* step, pl_method_info* info,
                          pl_error* error) {
    for (int b = 0; b < s->body_count; b++) add_loads(s, &s->bodies[b], step);
    pl_status status = pl_rigid_pins_begin(s, step, error);
    if (status == PL_OK) status = run_rounds(s, step, info, error);
    for (int b = 0; b < s->body_count; b++) {
        s->bodies[b].uncut = s->bodies[b].state;
        s->bodies[b].path_fraction = 1.0;
    }
    if (status == PL_OK) status = pl_rigid_keep_apart(s, step, error);
    return status;
}

pl_status pl_rigid_system_step(pl_rigid_system* s, const pl_method_step* step, pl_method_info* info,
                               pl_error* error) {
    for (int b = 0; b < s->body_count; b++) {
        pl_rigid_body* body = &s->bodies[b];
        pl_rigid_take_over(s, body);
        body->before = body->state;
        pl_rigid_show(body, &body->state, s->start + 3 * (size_t)body->first_vertex, NULL);
    }
    pl_status status = run_step(s, step, info, error);
    for (int b = 0; b < s->body_count; b++) {
        if (status != PL_OK) s->bodies[b].state = s->bodies[b].before;
        pl_rigid_system_show(s, &s->bodies[b]);
    }
    if (status != PL_OK) return status;
    pl_rigid_rows_keep(s, step->time_step);
    pl_rigid_reactions(s, step);
    info->contact_count = count_touching(s);
    return PL_OK;
}
