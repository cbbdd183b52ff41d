// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The energy that forces, moving pins and colliders may have put into a system in a step.
#include "world/guard_data.h"
#include "world/world_guard.h"

#include <math.h>
#include <string.h>

typedef struct start_job {
    const double* from;
    double* to;
} start_job;

static void start_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const start_job* job = user;
    memcpy(job->to + 3 * (size_t)begin, job->from + 3 * (size_t)begin,
           3 * (size_t)(end - begin) * sizeof(double));
}

void pl_guard_take_start(const pl_world* w, const pl_world_system* system) {
    pl_world_guard* guard = system->guard;
    start_job job = {system->method->positions(system->data), guard->copy};
    guard->start = guard->is_as_left ? system->left : guard->copy;
    if (guard->is_as_left) return;
    pl_parallel_for(w->pool, start_task, system->vertex_count, PL_GUARD_BLOCK, &job);
}

static pl_guard_body* body_of(const pl_world_guard* guard, int vertex, pl_guard_body* near) {
    if (vertex >= near->first && vertex < near->first + near->count) return near;
    for (int k = 0; k < guard->body_count; k++) {
        pl_guard_body* g = &guard->bodies[k];
        if (vertex >= g->first && vertex < g->first + g->count) return g;
    }
    return near;
}

static pl_vec3 shift_of(const pl_guard_body* g, double h) {
    return pl_scale(h, pl_vec3_load(g->frame));
}

// sets the frame of each body: the mean velocity of its hard pins
static void choose_frames(pl_world* w, pl_world_system* system) {
    pl_world_guard* guard = system->guard;
    const pl_pin* pins = system->pins.data;
    pl_guard_body* g = guard->bodies;
    for (size_t p = 0; p < system->pins.count; p++) {
        if (!pins[p].hard) continue;
        g = body_of(guard, pins[p].vertex, g);
        pl_vec3 motion = pl_pin_part(&pins[p], pl_sub(pins[p].target, pins[p].from));
        g->pin_motion = pl_add(g->pin_motion, motion);
        g->pin_count++;
    }
    for (int k = 0; k < guard->body_count; k++) {
        g = &guard->bodies[k];
        double before = pl_guard_kinetic_in(g, g->frame);
        double scale = g->pin_count ? 1.0 / (g->pin_count * w->step_size) : 0.0;
        if (pl_guard_is_static(system)) continue;
        pl_vec3_store(g->frame, pl_scale(scale, g->pin_motion));
        guard->bound += pl_guard_kinetic_in(g, g->frame) - before;
        // still air does work on bodies that are carried through it
        double rate = w->bodies[g->body].def->damping.mass;
        guard->bound += 0.25 * rate * w->step_size * g->mass * pl_norm2(pl_vec3_load(g->frame));
    }
}

double pl_guard_spring_energy(const pl_world_system* system, const double* x, double h) {
    const pl_pin* pins = system->pins.data;
    pl_guard_body* g = system->guard->bodies;
    double sum = 0.0;
    for (size_t p = 0; p < system->pins.count; p++) {
        if (pins[p].hard) continue;
        g = body_of(system->guard, pins[p].vertex, g);
        pl_vec3 at = pl_add(pl_vec3_load(x + 3 * (size_t)pins[p].vertex), shift_of(g, h));
        pl_vec3 d = pl_pin_part(&pins[p], pl_sub(at, pins[p].target));
        sum += 0.5 * pins[p].stiffness * pl_norm2(d);
    }
    return sum;
}

static void move_hard_pins(pl_world* w, pl_world_system* system) {
    pl_world_guard* guard = system->guard;
    const pl_pin* pins = system->pins.data;
    const double* mass = system->method->masses(system->data);
    double h = w->step_size;
    pl_guard_body* g = guard->bodies;
    for (size_t p = 0; p < system->pins.count; p++) {
        if (!pins[p].hard) continue;
        int v = pins[p].vertex;
        g = body_of(guard, v, g);
        pl_vec3 at = pl_add(pl_vec3_load(guard->start + 3 * (size_t)v), shift_of(g, h));
        double d2 = pl_norm2(pl_pin_part(&pins[p], pl_sub(pins[p].target, at)));
        guard->shift_input += 0.5 * (g->stiffness + mass[v] / (h * h)) * d2;
        g->shove = fmax(g->shove, sqrt(d2));
    }
}

// A change of penalties puts energy into bodies that touch something.
static void look_at_penalties(const pl_world* w, const pl_world_system* system) {
    const pl_colliding_vertices* groups = system->groups.data;
    double key = 0.0;
    for (size_t k = 0; k < system->groups.count; k++)
        key += groups[k].stiffness + groups[k].thickness;
    for (int k = 0; k < w->obstacle_count; k++)
        key += w->obstacles[k].stiffness + w->obstacles[k].thickness;
    system->guard->knows_contacts = key == system->guard->contact_key;
    system->guard->contact_key = key;
}

void pl_guard_begin_step(pl_world* w, int s) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard;
    pl_guard_take_start(w, system);
    guard->shift_input = guard->contact_input = 0.0;
    guard->contacts = NULL;
    guard->contact_count = 0;
    guard->seen_energy = 0.0;
    for (int k = 0; k < guard->body_count; k++) {
        guard->bodies[k].shove = 0.0;
        guard->bodies[k].pin_motion = (pl_vec3){0, 0, 0};
        guard->bodies[k].pin_count = 0;
    }
    look_at_penalties(w, system);
    choose_frames(w, system);
    double springs = pl_guard_spring_energy(system, guard->start, w->step_size);
    guard->bound += springs - guard->springs;
    move_hard_pins(w, system);
}

// The energy of pressing a contact further is at most that of its penalty, and at most that of moving
// its vertex along.
static double contact_stiffness(const pl_guard_body* g, const pl_contact* c, double mass,
                                double h) {
    return fmin(c->stiffness, g->stiffness + mass / (h * h));
}

static double depth_at(const pl_contact* c, pl_vec3 at) {
    return fmax(pl_dot(pl_sub(c->point, at), c->normal), 0.0);
}

// Points are numbered body by body, and contacts are sorted by body.
static pl_guard_body* body_of_point(const pl_world_guard* guard, int point, pl_guard_body* near) {
    if (point < near->first_point) near = guard->bodies;
    while (near + 1 < guard->bodies + guard->body_count && point >= near[1].first_point) near++;
    return near;
}

// A point of a method has about the mass of a vertex.
static double mass_of_point(const pl_world_system* system, const pl_guard_body* g, int point) {
    if (system->method->colliding) return g->mass / (g->count ? g->count : 1);
    return system->method->masses(system->data)[point];
}

void pl_guard_see_contacts(pl_world* w, int s, const pl_contact* contacts, int count,
                           const double* starts, const double* x) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard;
    double h = w->step_size, normal = 0.0, drag = 0.0;
    pl_guard_body* g = guard->bodies;
    guard->contacts = contacts;
    guard->contact_count = count;
    guard->seen_energy = 0.0;
    for (int k = 0; k < count; k++) {
        const pl_contact* c = &contacts[k];
        g = body_of_point(guard, c->vertex, g);
        pl_vec3 shift = shift_of(g, h);
        pl_vec3 start = pl_vec3_load(starts + 3 * (size_t)c->vertex);
        double depth = depth_at(c, pl_add(start, shift)), before = 0.0;
        // the depth before the collider's motion in this step
        if (guard->knows_contacts) before = depth_at(c, pl_add(start, c->motion));
        double slip = c->friction > 0.0 ? pl_norm(pl_sub(c->motion, shift)) : 0.0;
        double stiffness = contact_stiffness(g, c, mass_of_point(system, g, c->vertex), h);
        double now = depth_at(c, pl_vec3_load(x + 3 * (size_t)c->vertex));
        double pressed = fmax(depth - before, 0.0), rub = c->friction * slip;
        guard->seen_energy += 0.5 * stiffness * now * now;
        // the force that is there already does its full work, however stiff the penalty
        normal += c->stiffness * before * pressed + 0.5 * stiffness * pressed * pressed;
        drag += c->stiffness * before * rub + 0.5 * stiffness * rub * rub;
        g->shove = fmax(g->shove, fmax(depth - before, slip));
    }
    guard->contact_input = fmax(guard->contact_input, normal + drag);
}

double pl_guard_contact_energy(const pl_world_system* system, double h) {
    const pl_world_guard* guard = system->guard;
    if (system->method->colliding) return guard->seen_energy;
    const double* mass = system->method->masses(system->data);
    const double* x = system->method->positions(system->data);
    pl_guard_body* g = guard->bodies;
    double sum = 0.0;
    for (int k = 0; k < guard->contact_count; k++) {
        const pl_contact* c = &guard->contacts[k];
        g = body_of(guard, c->vertex, g);
        double depth = depth_at(c, pl_vec3_load(x + 3 * (size_t)c->vertex));
        sum += 0.5 * contact_stiffness(g, c, mass[c->vertex], h) * depth * depth;
    }
    return sum;
}

// The work of forces on all vertices that are not held, in the frame of their body. The load on a
// held vertex is carried by what holds it, so its work does not change the bound.
static double work_of(const pl_world* w, const pl_world_system* system) {
    const pl_world_guard* guard = system->guard;
    const pl_pin* pins = system->pins.data;
    const double* x = system->method->positions(system->data);
    double sum = 0.0, h = w->step_size;
    for (int k = 0; k < guard->body_count; k++) {
        const pl_guard_body* g = &guard->bodies[k];
        sum += g->sums.work - pl_dot(shift_of(g, h), pl_vec3_load(g->sums.force));
    }
    // forces hold pressures as they were at the start
    const pl_pressure* pressures = system->pressures.data;
    for (size_t k = 0; k < system->pressures.count; k++)
        sum += pl_pressure_excess(&pressures[k], guard->start, x);
    pl_guard_body* g = guard->bodies;
    for (size_t p = 0; p < system->pins.count; p++) {
        if (!pins[p].hard) continue;
        size_t i = 3 * (size_t)pins[p].vertex;
        g = body_of(guard, pins[p].vertex, g);
        pl_vec3 moved = pl_sub(pl_vec3_load(x + i), pl_vec3_load(guard->start + i));
        sum -= fmin(pl_dot(pl_vec3_load(system->force + i), pl_sub(moved, shift_of(g, h))), 0.0);
    }
    return sum;
}

// Upper bound of the work of forces in a step of a moving system. Positions change by h v, so
//   f . h v <= 2 sqrt(F K),   F = sum of (h f)^2 / 2 m,   K <= B + f . h v.
// Without this bound, a body that an error throws down by a million metres would be allowed the
// energy of that fall.
static double most_work(const pl_world* w, const pl_world_system* system) {
    const pl_world_guard* guard = system->guard;
    if (pl_guard_is_static(system)) return INFINITY;
    double F = 0.0, B = fmax(guard->bound, 0.0);
    for (int k = 0; k < guard->body_count; k++)
        F += 0.5 * w->step_size * w->step_size * guard->bodies[k].sums.fall;
    return PL_GUARD_TOLERANCE * 2.0 * sqrt(F) * (sqrt(F) + sqrt(F + B));
}

double pl_guard_work(const pl_world* w, const pl_world_system* system) {
    return fmin(work_of(w, system), most_work(w, system));
}

// The energy that bodies nearer than their thickness may gain when they separate.
double pl_guard_parting_energy(const pl_world_system* system) {
    double thickness = 0.0, mass = 0.0;
    if (!system->surfaces) return 0.0;
    for (int s = 0; s < system->surfaces->surface_count; s++)
        thickness = fmax(thickness, system->surfaces->surfaces[s].thickness);
    for (int k = 0; k < system->guard->body_count; k++) mass += system->guard->bodies[k].mass;
    const double speed = 2.0 * thickness / PL_PARTING_TIME;
    return 0.5 * mass * speed * speed;
}

// Methods that move vertices by projection may move a whole body along with one vertex.
double pl_guard_shoved_energy(const pl_world_guard* guard, double h) {
    double sum = 0.0;
    for (int k = 0; k < guard->body_count; k++) {
        double speed = guard->bodies[k].shove / h;
        sum += 0.5 * guard->bodies[k].mass * speed * speed;
    }
    return sum;
}
