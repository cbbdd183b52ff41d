// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// For every system a bound B of its energy is kept: kinetic, elastic, of springs of attachments and
// of contact penalties. A step that minimises
//
//   |x - y|^2_M / 2 h^2 + U(x) - f . x
//
// ends no higher than any trial state. The trial: held vertices are moved to their targets, all
// others follow the mean motion of the pins. So a step can add to B
//
//   f . (x1 - x0)               work of gravity, loads, wind and the host, as it was done
//   spring(x0, target1) - spring(x0, target0)       of soft attachments
//   contact(x0, planes1) - contact(x0, planes0)     of colliders that moved (all of it the first
//   time)
//
// and, as a quadratic energy e gives |sqrt(e(a + b))| <= sqrt(e(a)) + sqrt(e(b)), to sqrt(B) the
// root of (k + m / h^2) d^2 / 2 for each held vertex that is moved by d against the others; k is
// the stiffness of a vertex. Energies of a body are counted in the frame that moves with its pins:
// there a body that is carried along evenly gains nothing.
//
// What was lost to damping and friction stays in B and would hide a later explosion, so that B
// sinks slowly to the energy that is measured. Methods whose energies() leaves out what they store
// (stores_unseen) keep it.
#include "world/world_guard.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "material/material.h"

#include <math.h>
#include <string.h>

enum { VERTEX_BLOCK = 4096, BODY_STATE = 7, SYSTEM_STATE = 7 };

// A system may have this many times the energy of its bound: steps that are not solved to the end,
// lumped masses in place of consistent ones, and contacts between two detections are no explosions.
static const double TOLERANCE = 2.0;
// Part of what the bound is above the energy that goes with each frame.
static const double DECAY = 0.05;
// Energies below that of these motions are never too much: body sizes per second, and body sizes.
static const double SMALL_RATE = 1e-3, SMALL_SHIFT = 1e-7;

// sums over a block of vertices
typedef struct block_sums {
    double kinetic, work, speed2; // kinetic and speed2: without the factor 1/2; the largest
    double momentum[3], force[3];
    double fall;  // m (h f / m)^2 / h^2: what one step of the forces gives a vertex at rest
    int64_t lost; // values that are not finite
} block_sums;

typedef struct guard_body {
    int body; // of the world
    int first, count;
    int first_point; // as contacts count: the first vertex, or the method's own first point
    // state
    double frame[3];    // velocity in which energies are counted: the mean of the hard pins [m/s]
    double momentum[3]; // [kg m/s]
    double kinetic;     // at rest [J]
    // of the body
    double mass, size;
    double stiffness; // of a vertex [N/m]
    // of the step
    double shove;       // the largest displacement that pins or contacts force on the body [m]
    pl_vec3 pin_motion; // of all its hard pins [m]
    int pin_count;
    block_sums sums;
} guard_body;

struct pl_world_guard {
    guard_body* bodies;
    int body_count;
    // state
    bool is_measured;
    double bound;     // B [J]
    double allowance; // the largest bound of late
    double elastic;   // at the end of the last frame
    double springs;   // energy of soft pins and of contacts at the end of the last step
    double contact_energy;
    double contact_key; // changes with the stiffness and the thickness of colliders and bodies
    // of the step
    const double* start; // positions, 3 per vertex: what the last frame left, or the copy
    double* copy;
    bool is_as_left;    // no step was taken since, and the host wrote nothing
    double shift_input; // sum of (k + m / h^2) d^2 / 2 [J]
    double contact_input;
    bool knows_contacts;        // they are as in the last step, but for the colliders' motion
    const pl_contact* contacts; // the last that were found
    int contact_count;
    double seen_energy; // of these contacts where the vertices were when they were found
    block_sums blocks[PL_REDUCE_BLOCKS];
    double* packed; // state, on its way to a checkpoint
    double energy;  // measured last, for the message
    double before_change;
    bool knows_elastic; // no step was taken since it was measured
};

// ---------------------------------------------------------------- what bodies are

// The largest stiffness of one vertex against all its neighbours, roughly.
static double vertex_stiffness(const pl_world_body* b) {
    double stiffest = 0.0, bend = 0.0, area = 0.0;
    for (int e = 0; e < b->element_count; e++) {
        const pl_element_material* m = &b->materials[e];
        bool springs = m->law == PL_LAW_SPRINGS && b->is_cloth;
        double own = springs ? fmax(m->stretch, m->shear) : 2.0 * m->mu + m->lambda;
        stiffest = fmax(stiffest, own);
        bend = fmax(bend, m->bend);
    }
    if (b->element_count == 0) { // only a surface, for a lattice
        double mu, lambda;
        pl_material_def_lame(&b->def->material, &mu, &lambda);
        stiffest = 2.0 * mu + lambda;
    }
    const pl_mesh* surface = b->surface->mesh;
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* v = surface->triangles + 3 * (size_t)t;
        pl_vec3 a = pl_vec3_load(surface->positions + 3 * (size_t)v[0]);
        pl_vec3 p = pl_sub(pl_vec3_load(surface->positions + 3 * (size_t)v[1]), a);
        pl_vec3 q = pl_sub(pl_vec3_load(surface->positions + 3 * (size_t)v[2]), a);
        area = fmax(area, 0.5 * pl_norm(pl_cross(p, q)));
    }
    if (!b->is_cloth) return 10.0 * stiffest * sqrt(2.0 * area);
    return 10.0 * (stiffest + (area > 0.0 ? bend / area : 0.0));
}

static void describe_body(const pl_world* w, const pl_world_system* system, guard_body* g) {
    const double* mass = system->method->masses(system->data) + g->first;
    g->mass = 0.0;
    for (int v = 0; v < g->count; v++) g->mass += mass[v];
    g->stiffness = vertex_stiffness(&w->bodies[g->body]);
}

static int state_count(const pl_world_guard* guard) {
    return SYSTEM_STATE + BODY_STATE * guard->body_count;
}

pl_status pl_guard_setup(pl_world* w, int s, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard = PL_ALLOC(pl_world_guard, 1);
    if (!guard) return pl_fail_memory(error, "the guard of a system");
    guard->copy = PL_ALLOC(double, 3 * (size_t)system->vertex_count);
    guard->bodies = PL_ALLOC(guard_body, system->method_body_count);
    guard->body_count = system->method_body_count;
    guard->packed = PL_ALLOC(double, state_count(guard));
    if (!guard->copy || !guard->bodies || !guard->packed)
        return pl_fail_memory(error, "the guard of a system");
    int k = 0;
    for (int b = 0; b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        if (body->system != s) continue;
        guard_body* g = &guard->bodies[k++];
        *g =
            (guard_body){.body = b, .first = body->first_vertex, .count = body->mesh->vertex_count};
        pl_box box = pl_box_empty();
        for (int v = 0; v < g->count; v++)
            box = pl_box_add_point(box, pl_vec3_load(body->mesh->positions + 3 * (size_t)v));
        g->size = g->count ? pl_distance(box.low, box.high) : 0.0;
        g->first_point = g->first;
        int colliding_count;
        if (system->method->colliding)
            system->method->colliding(system->data, k - 1, &g->first_point, &colliding_count);
        describe_body(w, system, g);
    }
    return PL_OK;
}

void pl_guard_free(pl_world_system* system) {
    pl_world_guard* guard = system->guard;
    if (!guard) return;
    PL_FREE(guard->copy, double, 3 * (size_t)system->vertex_count);
    PL_FREE(guard->bodies, guard_body, guard->body_count);
    PL_FREE(guard->packed, double, state_count(guard));
    PL_FREE(guard, pl_world_guard, 1);
    system->guard = NULL;
}

// ---------------------------------------------------------------- sums over vertices

typedef struct sums_job {
    const double *x, *v, *start, *force, *mass;
    const double* gravity; // if nothing else acts, else NULL
    int first, block;
    block_sums* out;
} sums_job;

// Values that are not finite make these sums not finite: one look at the sums finds them.
static void sums_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sums_job* job = user;
    block_sums s = {0};
    for (int i = begin + job->first; i < end + job->first; i++) {
        const double *v = job->v + 3 * (size_t)i, *f = job->force + 3 * (size_t)i;
        const double *x = job->x + 3 * (size_t)i, *x0 = job->start + 3 * (size_t)i;
        double m = job->mass[i], v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        s.kinetic += m * v2;
        s.speed2 = v2 > s.speed2 ? v2 : s.speed2;
        double moved = 0.0, work = 0.0;
        s.fall += (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) / m;
        for (int c = 0; c < 3; c++) {
            double d = x[c] - x0[c];
            s.momentum[c] += m * v[c];
            s.force[c] += f[c];
            work += f[c] * d;
            moved += d;
        }
        s.work += work;
        s.lost += !(fabs(v2) < INFINITY && fabs(moved) < INFINITY);
    }
    job->out[begin / job->block] = s;
}

// The same where gravity is all that acts: then its sums follow from the mass, and forces, a
// quarter of what is read, are left alone.
static void falling_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sums_job* job = user;
    block_sums s = {0};
    double way[3] = {0};
    for (int i = begin + job->first; i < end + job->first; i++) {
        const double* v = job->v + 3 * (size_t)i;
        const double *x = job->x + 3 * (size_t)i, *x0 = job->start + 3 * (size_t)i;
        double m = job->mass[i], v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], moved = 0.0;
        s.kinetic += m * v2;
        s.speed2 = v2 > s.speed2 ? v2 : s.speed2;
        for (int c = 0; c < 3; c++) {
            double d = x[c] - x0[c];
            s.momentum[c] += m * v[c];
            way[c] += m * d;
            moved += d;
        }
        s.lost += !(fabs(v2) < INFINITY && fabs(moved) < INFINITY);
    }
    for (int c = 0; c < 3; c++) s.work += job->gravity[c] * way[c];
    job->out[begin / job->block] = s;
}

static void add_sums(const block_sums* from, block_sums* to) {
    to->kinetic += from->kinetic;
    to->work += from->work;
    to->fall += from->fall;
    to->speed2 = fmax(to->speed2, from->speed2);
    for (int c = 0; c < 3; c++) {
        to->momentum[c] += from->momentum[c];
        to->force[c] += from->force[c];
    }
    to->lost += from->lost;
}

// Velocities of quasistatic bodies are how far they went: they carry no energy.
static bool is_static(const pl_world_system* system) {
    return system->method_bodies[0].body->integrator == PL_INTEGRATOR_QUASISTATIC;
}

// blocks depend on the vertex count alone and are added in their order
static void sum_body(const pl_world* w, const pl_world_system* system, guard_body* g) {
    pl_world_guard* guard = system->guard;
    int smallest = (g->count + PL_REDUCE_BLOCKS - 1) / PL_REDUCE_BLOCKS;
    sums_job job = {.x = system->method->positions(system->data),
                    .v = system->method->velocities(system->data),
                    .start = guard->start,
                    .force = system->force,
                    .mass = system->method->masses(system->data),
                    .gravity = system->is_pushed ? NULL : w->scene->gravity,
                    .first = g->first,
                    .block = smallest > VERTEX_BLOCK ? smallest : VERTEX_BLOCK,
                    .out = guard->blocks};
    g->sums = (block_sums){0};
    if (g->count == 0) return;
    pl_parallel_for(w->pool, job.gravity ? falling_task : sums_task, g->count, job.block, &job);
    for (int k = 0; k < (g->count + job.block - 1) / job.block; k++)
        add_sums(&guard->blocks[k], &g->sums);
    for (int c = 0; job.gravity && c < 3; c++) {
        g->sums.force[c] = g->mass * job.gravity[c];
        g->sums.fall += g->mass * job.gravity[c] * job.gravity[c];
    }
    if (is_static(system)) return;
    memcpy(g->momentum, g->sums.momentum, sizeof g->momentum);
    g->kinetic = 0.5 * g->sums.kinetic;
}

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

static void take_start(const pl_world* w, const pl_world_system* system) {
    pl_world_guard* guard = system->guard;
    start_job job = {system->method->positions(system->data), guard->copy};
    guard->start = guard->is_as_left ? system->left : guard->copy;
    if (guard->is_as_left) return;
    pl_parallel_for(w->pool, start_task, system->vertex_count, VERTEX_BLOCK, &job);
}

// kinetic energy in a frame of velocity u
static double kinetic_in(const guard_body* g, const double u[3]) {
    double along = 0.0, u2 = 0.0;
    for (int c = 0; c < 3; c++) along += u[c] * g->momentum[c], u2 += u[c] * u[c];
    return g->kinetic - along + 0.5 * g->mass * u2;
}

static double kinetic_of(const pl_world_guard* guard) {
    double sum = 0.0;
    for (int k = 0; k < guard->body_count; k++)
        sum += fmax(kinetic_in(&guard->bodies[k], guard->bodies[k].frame), 0.0);
    return sum;
}

static void raise_allowance(pl_world_guard* guard) {
    guard->allowance = fmax(guard->allowance, guard->bound);
}

// ---------------------------------------------------------------- before the steps of a frame

void pl_guard_begin_frame(pl_world* w, int s, bool is_touched) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard;
    guard->is_as_left = !is_touched;
    if (guard->is_measured && !is_touched) return;
    take_start(w, system);
    for (int k = 0; k < guard->body_count; k++) sum_body(w, system, &guard->bodies[k]);
    guard->elastic = system->method->energies(system->data).elastic;
    // these are found again as input of the next step
    guard->springs = guard->contact_energy = 0.0;
    guard->contact_key = NAN;
    double elastic = isfinite(guard->elastic) ? guard->elastic : 0.0;
    guard->bound = fmax(guard->bound, kinetic_of(guard) + elastic);
    guard->is_measured = guard->knows_elastic = true;
    raise_allowance(guard);
}

void pl_guard_allow(pl_world_system* system, double energy) {
    if (isfinite(energy)) system->guard->bound = fmax(system->guard->bound, energy);
}

// Before the first step of a frame the energies of the last one hold: they are in the state, so
// that a run that resumes finds the same change.
void pl_guard_change(pl_world* w, int s, bool is_done) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard;
    if (!is_done) {
        if (!guard->knows_elastic) guard->elastic = system->method->energies(system->data).elastic;
        guard->before_change = guard->elastic + kinetic_of(guard);
        return;
    }
    take_start(w, system);
    for (int k = 0; k < guard->body_count; k++) {
        describe_body(w, system, &guard->bodies[k]);
        sum_body(w, system, &guard->bodies[k]);
    }
    guard->elastic = system->method->energies(system->data).elastic;
    double more = guard->elastic + kinetic_of(guard) - guard->before_change;
    if (more > 0.0 && isfinite(more)) guard->bound += more;
    raise_allowance(guard);
}

// ---------------------------------------------------------------- pins and contacts

static guard_body* body_of(const pl_world_guard* guard, int vertex, guard_body* near) {
    if (vertex >= near->first && vertex < near->first + near->count) return near;
    for (int k = 0; k < guard->body_count; k++) {
        guard_body* g = &guard->bodies[k];
        if (vertex >= g->first && vertex < g->first + g->count) return g;
    }
    return near;
}

static pl_vec3 shift_of(const guard_body* g, double h) {
    return pl_scale(h, pl_vec3_load(g->frame));
}

// the mean velocity of the hard pins of each body
static void choose_frames(pl_world* w, pl_world_system* system) {
    pl_world_guard* guard = system->guard;
    const pl_pin* pins = system->pins.data;
    guard_body* g = guard->bodies;
    for (size_t p = 0; p < system->pins.count; p++) {
        if (!pins[p].hard) continue;
        g = body_of(guard, pins[p].vertex, g);
        pl_vec3 motion = pl_pin_part(&pins[p], pl_sub(pins[p].target, pins[p].from));
        g->pin_motion = pl_add(g->pin_motion, motion);
        g->pin_count++;
    }
    for (int k = 0; k < guard->body_count; k++) {
        g = &guard->bodies[k];
        double before = kinetic_in(g, g->frame);
        double scale = g->pin_count ? 1.0 / (g->pin_count * w->step_size) : 0.0;
        if (is_static(system)) continue;
        pl_vec3_store(g->frame, pl_scale(scale, g->pin_motion));
        guard->bound += kinetic_in(g, g->frame) - before;
        // air that stands still does work on what is carried through it
        double rate = w->bodies[g->body].def->damping.mass;
        guard->bound += 0.25 * rate * w->step_size * g->mass * pl_norm2(pl_vec3_load(g->frame));
    }
}

// energy of soft pins with their targets at the end of the step, for vertices at x, moved by the
// frame's motion if asked for
static double spring_energy(const pl_world_system* system, const double* x, double h) {
    const pl_pin* pins = system->pins.data;
    guard_body* g = system->guard->bodies;
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
    guard_body* g = guard->bodies;
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

// Penalties that change put energy into bodies that touch something.
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
    take_start(w, system);
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
    double springs = spring_energy(system, guard->start, w->step_size);
    guard->bound += springs - guard->springs;
    move_hard_pins(w, system);
}

// A contact costs no more than its penalty, and no more than moving its vertex out.
static double contact_stiffness(const guard_body* g, const pl_contact* c, double mass, double h) {
    return fmin(c->stiffness, g->stiffness + mass / (h * h));
}

static double depth_at(const pl_contact* c, pl_vec3 at) {
    return fmax(pl_dot(pl_sub(c->point, at), c->normal), 0.0);
}

// Points of bodies follow one another; contacts come body by body.
static guard_body* body_of_point(const pl_world_guard* guard, int point, guard_body* near) {
    if (point < near->first_point) near = guard->bodies;
    while (near + 1 < guard->bodies + guard->body_count && point >= near[1].first_point) near++;
    return near;
}

// Points of a method's own have the mass of a vertex, about.
static double mass_of_point(const pl_world_system* system, const guard_body* g, int point) {
    if (system->method->colliding) return g->mass / (g->count ? g->count : 1);
    return system->method->masses(system->data)[point];
}

void pl_guard_see_contacts(pl_world* w, int s, const pl_contact* contacts, int count,
                           const double* starts, const double* x) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard;
    double h = w->step_size, normal = 0.0, drag = 0.0;
    guard_body* g = guard->bodies;
    guard->contacts = contacts;
    guard->contact_count = count;
    guard->seen_energy = 0.0;
    for (int k = 0; k < count; k++) {
        const pl_contact* c = &contacts[k];
        g = body_of_point(guard, c->vertex, g);
        pl_vec3 shift = shift_of(g, h);
        pl_vec3 start = pl_vec3_load(starts + 3 * (size_t)c->vertex);
        double depth = depth_at(c, pl_add(start, shift)), before = 0.0;
        // as deep as it was when the collider stood where it was at the start of the step
        if (guard->knows_contacts) before = depth_at(c, pl_add(start, c->motion));
        double slip = c->friction > 0.0 ? pl_norm(pl_sub(c->motion, shift)) : 0.0;
        double stiffness = contact_stiffness(g, c, mass_of_point(system, g, c->vertex), h);
        double now = depth_at(c, pl_vec3_load(x + 3 * (size_t)c->vertex));
        guard->seen_energy += 0.5 * stiffness * now * now;
        normal += 0.5 * stiffness * fmax(depth * depth - before * before, 0.0);
        drag += 0.5 * stiffness * c->friction * c->friction * slip * slip;
        g->shove = fmax(g->shove, fmax(depth - before, slip));
    }
    guard->contact_input = fmax(guard->contact_input, normal + drag);
}

static double contact_energy(const pl_world_system* system, double h) {
    const pl_world_guard* guard = system->guard;
    if (system->method->colliding) return guard->seen_energy;
    const double* mass = system->method->masses(system->data);
    const double* x = system->method->positions(system->data);
    guard_body* g = guard->bodies;
    double sum = 0.0;
    for (int k = 0; k < guard->contact_count; k++) {
        const pl_contact* c = &guard->contacts[k];
        g = body_of(guard, c->vertex, g);
        double depth = depth_at(c, pl_vec3_load(x + 3 * (size_t)c->vertex));
        sum += 0.5 * contact_stiffness(g, c, mass[c->vertex], h) * depth * depth;
    }
    return sum;
}

// ---------------------------------------------------------------- verdicts

// Work of forces on all vertices that are free to move, in the frame of their body. What holds a
// vertex carries the load on it: such work may not be taken from the bound.
static double work_of(const pl_world* w, const pl_world_system* system) {
    const pl_world_guard* guard = system->guard;
    const pl_pin* pins = system->pins.data;
    const double* x = system->method->positions(system->data);
    double sum = 0.0, h = w->step_size;
    for (int k = 0; k < guard->body_count; k++) {
        const guard_body* g = &guard->bodies[k];
        sum += g->sums.work - pl_dot(shift_of(g, h), pl_vec3_load(g->sums.force));
    }
    // forces hold pressures as they were at the start
    const pl_pressure* pressures = system->pressures.data;
    for (size_t k = 0; k < system->pressures.count; k++)
        sum += pl_pressure_excess(&pressures[k], guard->start, x);
    guard_body* g = guard->bodies;
    for (size_t p = 0; p < system->pins.count; p++) {
        if (!pins[p].hard) continue;
        size_t i = 3 * (size_t)pins[p].vertex;
        g = body_of(guard, pins[p].vertex, g);
        pl_vec3 moved = pl_sub(pl_vec3_load(x + i), pl_vec3_load(guard->start + i));
        sum -= fmin(pl_dot(pl_vec3_load(system->force + i), pl_sub(moved, shift_of(g, h))), 0.0);
    }
    return sum;
}

// The most that forces can do in a step of a system in motion. Its places change by h v, so that
//   f . h v <= 2 sqrt(F K),   F = sum of (h f)^2 / 2 m,   K <= B + f . h v.
// Without this bound a body that was thrown a million metres down would have gained that much.
static double most_work(const pl_world* w, const pl_world_system* system) {
    const pl_world_guard* guard = system->guard;
    if (is_static(system)) return INFINITY;
    double F = 0.0, B = fmax(guard->bound, 0.0);
    for (int k = 0; k < guard->body_count; k++)
        F += 0.5 * w->step_size * w->step_size * guard->bodies[k].sums.fall;
    return TOLERANCE * 2.0 * sqrt(F) * (sqrt(F) + sqrt(F + B));
}

// A method that moves vertices by projection may carry a whole body along with one of them.
static double shoved_energy(const pl_world_guard* guard, double h) {
    double sum = 0.0;
    for (int k = 0; k < guard->body_count; k++) {
        double speed = guard->bodies[k].shove / h;
        sum += 0.5 * guard->bodies[k].mass * speed * speed;
    }
    return sum;
}

static double small_energy(const pl_world_guard* guard) {
    double sum = 0.0;
    for (int k = 0; k < guard->body_count; k++) {
        const guard_body* g = &guard->bodies[k];
        double rate = SMALL_RATE * g->size, shift = SMALL_SHIFT * g->size;
        sum += 0.5 * (g->mass * rate * rate + g->count * g->stiffness * shift * shift);
    }
    return sum;
}

static pl_guard_verdict judge(pl_world_guard* guard, double energy) {
    guard->energy = energy;
    bool fits = energy <= TOLERANCE * fmax(guard->allowance, 0.0) + small_energy(guard);
    return fits ? PL_GUARD_FINE : PL_GUARD_TOO_MUCH_ENERGY;
}

pl_guard_verdict pl_guard_end_step(pl_world* w, int s) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard;
    double h = w->step_size;
    bool unseen = system->method->stores_unseen;
    guard->knows_elastic = guard->is_as_left = false;
    for (int k = 0; k < guard->body_count; k++) {
        sum_body(w, system, &guard->bodies[k]);
        if (guard->bodies[k].sums.lost) return PL_GUARD_NOT_FINITE;
    }
    double input = fmin(work_of(w, system), most_work(w, system));
    if (!unseen) input += guard->contact_input;
    double shifted = unseen ? shoved_energy(guard, h) : guard->shift_input;
    double root = sqrt(fmax(guard->bound + input, 0.0)) + sqrt(shifted);
    guard->bound = root * root;
    guard->springs = spring_energy(system, system->method->positions(system->data), 0.0);
    guard->contact_energy = unseen ? 0.0 : contact_energy(system, h);
    raise_allowance(guard);
    return judge(guard, kinetic_of(guard));
}

pl_guard_verdict pl_guard_end_frame(pl_world* w, int s, pl_method_energies* energies) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard;
    *energies = system->method->energies(system->data);
    bool was_finite = isfinite(guard->elastic), unseen = system->method->stores_unseen;
    guard->elastic = energies->elastic;
    guard->knows_elastic = true;
    if (!isfinite(energies->elastic))
        return was_finite ? PL_GUARD_ENERGY_NOT_FINITE : PL_GUARD_FINE;
    double energy = kinetic_of(guard) + (unseen ? 0.0 : energies->elastic);
    pl_guard_verdict verdict = was_finite ? judge(guard, energy) : PL_GUARD_FINE;
    if (verdict != PL_GUARD_FINE || unseen) return verdict;
    double all = energy + guard->springs + guard->contact_energy;
    guard->bound -= DECAY * fmax(guard->bound - all, 0.0);
    guard->allowance = fmax(guard->bound, (1.0 - DECAY) * guard->allowance);
    return PL_GUARD_FINE;
}

// ---------------------------------------------------------------- what is said

// the body that moves most, or the first with a value that is not finite
static const guard_body* worst_body(const pl_world_guard* guard) {
    const guard_body* worst = guard->bodies;
    for (int k = 0; k < guard->body_count; k++) {
        const guard_body* g = &guard->bodies[k];
        if (g->sums.lost) return g;
        if (g->kinetic > worst->kinetic) worst = g;
    }
    return worst;
}

static const char* advice_for(const pl_body* body) {
    if (body->method == PL_METHOD_PBD)
        return "use a smaller time_step, more substeps or iterations, or a lower stretch or volume";
    if (body->method == PL_METHOD_GRID)
        return "use a smaller time_step, more substeps, or a lower stiffness of contacts";
    if (body->nonlinear == PL_NONLINEAR_PROJECTIVE)
        return "use more iterations, nonlinear \"newton\", a smaller time_step, more substeps, or "
               "a "
               "lower stiffness of contacts";
    if (body->integrator == PL_INTEGRATOR_MIDPOINT)
        return "use integrator \"bdf2\" or \"euler\", a smaller time_step, more substeps, or a "
               "lower stiffness of contacts";
    return "use a smaller time_step, more substeps or iterations, or a lower stiffness of contacts "
           "and attachments";
}

pl_status pl_guard_fail(const pl_world* w, int s, pl_guard_verdict verdict, pl_error* error) {
    const pl_world_guard* guard = w->systems[s].guard;
    const guard_body* g = worst_body(guard);
    const pl_body* body = w->bodies[g->body].def;
    if (verdict == PL_GUARD_NOT_FINITE)
        return pl_fail(error, PL_ERROR_DIVERGED,
                       "body \"%s\": positions or velocities of a step are not finite; %s",
                       body->name, advice_for(body));
    if (verdict == PL_GUARD_ENERGY_NOT_FINITE)
        return pl_fail(error, PL_ERROR_DIVERGED,
                       "body \"%s\": the elastic energy is not finite, elements are inverted; move "
                       "attachments and colliders less in a frame (a smaller time_step, more "
                       "substeps), or use a law that allows it, as corotated",
                       body->name);
    return pl_fail(error, PL_ERROR_DIVERGED,
                   "body \"%s\": the simulation gains energy out of nothing: it has %.3g J, and "
                   "loads, attachments and colliders can have put in %.3g J at most; the largest "
                   "speed is %.3g m/s; %s",
                   body->name, guard->energy, guard->allowance, sqrt(g->sums.speed2),
                   advice_for(body));
}

// ---------------------------------------------------------------- state

double* pl_guard_pack(pl_world_system* system, int* count) {
    pl_world_guard* guard = system->guard;
    double* out = guard->packed;
    *count = state_count(guard);
    const double own[SYSTEM_STATE] = {guard->is_measured, guard->bound,   guard->allowance,
                                      guard->elastic,     guard->springs, guard->contact_energy,
                                      guard->contact_key};
    memcpy(out, own, sizeof own);
    out += SYSTEM_STATE;
    for (int k = 0; k < guard->body_count; k++, out += BODY_STATE) {
        memcpy(out, guard->bodies[k].frame, 3 * sizeof(double));
        memcpy(out + 3, guard->bodies[k].momentum, 3 * sizeof(double));
        out[6] = guard->bodies[k].kinetic;
    }
    return guard->packed;
}

void pl_guard_unpack(pl_world_system* system) {
    pl_world_guard* guard = system->guard;
    const double* in = guard->packed;
    guard->is_measured = in[0] != 0.0;
    guard->bound = in[1], guard->allowance = in[2];
    guard->elastic = in[3], guard->springs = in[4], guard->contact_energy = in[5];
    guard->contact_key = in[6];
    guard->knows_elastic = true;
    in += SYSTEM_STATE;
    for (int k = 0; k < guard->body_count; k++, in += BODY_STATE) {
        memcpy(guard->bodies[k].frame, in, 3 * sizeof(double));
        memcpy(guard->bodies[k].momentum, in + 3, 3 * sizeof(double));
        guard->bodies[k].kinetic = in[6];
    }
}
