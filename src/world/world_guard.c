// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Every system has a bound B of its energy: kinetic, elastic, of attachment springs and of contact
// penalties. A step that minimises
//
//   |x - y|^2_M / 2 h^2 + U(x) - f . x
//
// ends with no more energy than any trial state. The guard's trial state has held vertices at their
// targets; all others follow the mean motion of the pins. So a step can add to B
//
// clang-format off
//   f . (x1 - x0)               work of gravity, loads, wind and the host, along the actual motion
//   spring(x0, target1) - spring(x0, target0)       of soft attachments
//   contact(x0, planes1) - contact(x0, planes0)     of colliders that moved; all of it the first time
// clang-format on
//
// It can also add to sqrt(B) the root of (k + m / h^2) d^2 / 2 for each held vertex that moves by d
// relative to the others, because a quadratic energy e has sqrt(e(a + b)) <= sqrt(e(a)) +
// sqrt(e(b)). k is the stiffness of a vertex. Energies of a body are measured in the frame that
// moves with its pins, where a body that is carried along evenly gains nothing.
//
// Energy lost to damping and friction stays in B and would hide a later explosion, so B decreases
// slowly towards the measured energy, except for methods whose energies() is incomplete
// (stores_unseen).
#include "world/world_guard.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "material/material.h"
#include "world/guard_data.h"

#include <math.h>
#include <string.h>

enum { UNSEEN_FRAMES = 10, BODY_STATE = 7, SYSTEM_STATE = 7 };

// The fraction of the distance between bound and energy by which B decreases in each frame.
static const double DECAY = 0.05;
// Energies of motions below these never fail: speed in body sizes per second, displacement in body
// sizes.
static const double SMALL_RATE = 1e-3, SMALL_SHIFT = 1e-7;

// ---------------------------------------------------------------- what bodies are

// Rough upper bound of the stiffness of a vertex against its neighbours.
static double vertex_stiffness(const pl_world_body* b) {
    double stiffest = 0.0, bend = 0.0, area = 0.0;
    for (int e = 0; e < b->element_count; e++) {
        const pl_element_material* m = &b->materials[e];
        bool springs = m->law == PL_LAW_SPRINGS && b->is_cloth;
        double own = springs ? fmax(m->stretch, m->shear) : pl_world_modulus(b, m);
        stiffest = fmax(stiffest, own);
        bend = fmax(bend, m->bend);
    }
    if (b->element_count == 0) { // a surface for a lattice
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

static void describe_body(const pl_world* w, const pl_world_system* system, pl_guard_body* g) {
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
    guard->bodies = PL_ALLOC(pl_guard_body, system->method_body_count);
    guard->body_count = system->method_body_count;
    guard->packed = PL_ALLOC(double, state_count(guard));
    if (!guard->copy || !guard->bodies || !guard->packed)
        return pl_fail_memory(error, "the guard of a system");
    int k = 0;
    for (int b = 0; b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        if (body->system != s) continue;
        pl_guard_body* g = &guard->bodies[k++];
        *g = (pl_guard_body){
            .body = b, .first = body->first_vertex, .count = body->mesh->vertex_count};
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
    PL_FREE(guard->bodies, pl_guard_body, guard->body_count);
    PL_FREE(guard->packed, double, state_count(guard));
    PL_FREE(guard, pl_world_guard, 1);
    system->guard = NULL;
}

// ---------------------------------------------------------------- sums over vertices

typedef struct sums_job {
    const double *x, *v, *start, *force, *mass;
    const double* gravity; // NULL if other forces act too
    int first, block;
    pl_guard_sums* out;
} sums_job;

// A value that is not finite makes these sums not finite, so only the sums are tested.
static void sums_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sums_job* job = user;
    pl_guard_sums s = {0};
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

// The same if only gravity acts. Its sums follow from the mass, so forces, a quarter of the memory
// traffic, are not read.
static void falling_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sums_job* job = user;
    pl_guard_sums s = {0};
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

static void add_sums(const pl_guard_sums* from, pl_guard_sums* to) {
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

// blocks depend only on the vertex count, and are added in order
static void sum_body(const pl_world* w, const pl_world_system* system, pl_guard_body* g) {
    pl_world_guard* guard = system->guard;
    int smallest = (g->count + PL_REDUCE_BLOCKS - 1) / PL_REDUCE_BLOCKS;
    sums_job job = {.x = system->method->positions(system->data),
                    .v = system->method->velocities(system->data),
                    .start = guard->start,
                    .force = system->force,
                    .mass = system->method->masses(system->data),
                    .gravity = system->is_pushed ? NULL : w->scene->gravity,
                    .first = g->first,
                    .block = smallest > PL_GUARD_BLOCK ? smallest : PL_GUARD_BLOCK,
                    .out = guard->blocks};
    g->sums = (pl_guard_sums){0};
    if (g->count == 0) return;
    pl_parallel_for(w->pool, job.gravity ? falling_task : sums_task, g->count, job.block, &job);
    for (int k = 0; k < (g->count + job.block - 1) / job.block; k++)
        add_sums(&guard->blocks[k], &g->sums);
    for (int c = 0; job.gravity && c < 3; c++) {
        g->sums.force[c] = g->mass * job.gravity[c];
        g->sums.fall += g->mass * job.gravity[c] * job.gravity[c];
    }
    if (pl_guard_is_static(system)) return;
    memcpy(g->momentum, g->sums.momentum, sizeof g->momentum);
    g->kinetic = 0.5 * g->sums.kinetic;
}

static double kinetic_of(const pl_world_guard* guard) {
    double sum = 0.0;
    for (int k = 0; k < guard->body_count; k++)
        sum += fmax(pl_guard_kinetic_in(&guard->bodies[k], guard->bodies[k].frame), 0.0);
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
    pl_guard_take_start(w, system);
    for (int k = 0; k < guard->body_count; k++) sum_body(w, system, &guard->bodies[k]);
    guard->elastic = system->method->energies(system->data).elastic;
    // the next step adds these as its input
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

// Before the first step of a frame, the energies are those of the last frame. They are part of the
// state, so a resumed run computes the same change.
void pl_guard_change(pl_world* w, int s, bool is_done) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard;
    if (!is_done) {
        if (!guard->knows_elastic) guard->elastic = system->method->energies(system->data).elastic;
        guard->before_change = guard->elastic + kinetic_of(guard);
        return;
    }
    pl_guard_take_start(w, system);
    for (int k = 0; k < guard->body_count; k++) {
        describe_body(w, system, &guard->bodies[k]);
        sum_body(w, system, &guard->bodies[k]);
    }
    guard->elastic = system->method->energies(system->data).elastic;
    double more = guard->elastic + kinetic_of(guard) - guard->before_change;
    if (more > 0.0 && isfinite(more)) guard->bound += more;
    raise_allowance(guard);
}

// ---------------------------------------------------------------- verdicts

static double small_energy(const pl_world_guard* guard) {
    double sum = 0.0;
    for (int k = 0; k < guard->body_count; k++) {
        const pl_guard_body* g = &guard->bodies[k];
        double rate = SMALL_RATE * g->size, shift = SMALL_SHIFT * g->size;
        sum += 0.5 * (g->mass * rate * rate + g->count * g->stiffness * shift * shift);
    }
    return sum;
}

static pl_guard_verdict judge(pl_world_guard* guard, double energy) {
    guard->energy = energy;
    bool fits = energy <= PL_GUARD_TOLERANCE * fmax(guard->allowance, 0.0) + small_energy(guard) +
                              guard->parting;
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
    double input = pl_guard_work(w, system);
    if (!unseen) input += guard->contact_input;
    double shifted = unseen ? pl_guard_shoved_energy(guard, h) : guard->shift_input;
    double root = sqrt(fmax(guard->bound + input, 0.0)) + sqrt(shifted);
    guard->bound = root * root;
    guard->springs = pl_guard_spring_energy(system, system->method->positions(system->data), 0.0);
    guard->contact_energy = unseen ? 0.0 : pl_guard_contact_energy(system, h);
    guard->parting = pl_guard_parting_energy(system);
    raise_allowance(guard);
    return judge(guard, kinetic_of(guard));
}

pl_guard_verdict pl_guard_end_frame(pl_world* w, int s) {
    pl_world_system* system = &w->systems[s];
    pl_world_guard* guard = system->guard;
    pl_method_energies* energies = &system->energies;
    bool was_finite = isfinite(guard->elastic), unseen = system->method->stores_unseen;
    system->knows_energies = !unseen || w->frame % UNSEEN_FRAMES == UNSEEN_FRAMES - 1;
    if (!system->knows_energies) return judge(guard, kinetic_of(guard));
    *energies = system->method->energies(system->data);
    guard->elastic = energies->elastic;
    guard->knows_elastic = true;
    if (!isfinite(energies->elastic))
        return was_finite ? PL_GUARD_ENERGY_NOT_FINITE : PL_GUARD_FINE;
    // energies do not include EigenFit's correction, which cancels most of them on coarse meshes
    unseen = unseen || system->eigenfit;
    // steps minimise the energy of barriers between bodies too, so the bound includes it
    double energy = kinetic_of(guard) + (unseen ? 0.0 : energies->elastic + energies->contact);
    pl_guard_verdict verdict = was_finite ? judge(guard, energy) : PL_GUARD_FINE;
    if (verdict != PL_GUARD_FINE || unseen) return verdict;
    double all = energy + guard->springs + guard->contact_energy;
    guard->bound -= DECAY * fmax(guard->bound - all, 0.0);
    guard->allowance = fmax(guard->bound, (1.0 - DECAY) * guard->allowance);
    return PL_GUARD_FINE;
}

// ---------------------------------------------------------------- what is said

// the fastest body, or the first with a value that is not finite
static const pl_guard_body* worst_body(const pl_world_guard* guard) {
    const pl_guard_body* worst = guard->bodies;
    for (int k = 0; k < guard->body_count; k++) {
        const pl_guard_body* g = &guard->bodies[k];
        if (g->sums.lost) return g;
        if (g->kinetic > worst->kinetic) worst = g;
    }
    return worst;
}

static const char* advice_for(const pl_body* body) {
    if (body->method == PL_METHOD_PBD)
        return "use a smaller time_step, more substeps or iterations, or a lower stretch or volume";
    if (body->method == PL_METHOD_RIGID) return "use a smaller time_step or more substeps";
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
    const pl_guard_body* g = worst_body(guard);
    const pl_body* body = w->bodies[g->body].def;
    if (verdict == PL_GUARD_NOT_FINITE)
        return pl_fail(error, PL_ERROR_DIVERGED,
                       "body \"%s\": positions or velocities of a step are not finite; %s",
                       body->name, advice_for(body));
    if (verdict == PL_GUARD_ENERGY_NOT_FINITE)
        return pl_fail(
            error, PL_ERROR_DIVERGED,
            "body \"%s\": the elastic energy is not finite, because elements are inverted; move "
            "attachments and colliders less in a frame (a smaller time_step, more "
            "substeps), or use a law that allows inversion, such as corotated",
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
    guard->knows_elastic =
        !system->method->stores_unseen; // otherwise `elastic` may be of an earlier frame
    in += SYSTEM_STATE;
    for (int k = 0; k < guard->body_count; k++, in += BODY_STATE) {
        memcpy(guard->bodies[k].frame, in, 3 * sizeof(double));
        memcpy(guard->bodies[k].momentum, in + 3, 3 * sizeof(double));
        guard->bodies[k].kinetic = in[6];
    }
}
