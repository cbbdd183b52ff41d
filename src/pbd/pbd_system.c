// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The loop of position based dynamics (S1 section 3, lines (4) to (15)): predict positions, find
// contacts on the way there, solve, and compute velocities from the change of position.
//
// Beyond the paper: the solver may move a particle through an obstacle that is not on the way to
// its predicted position. So the path to the solved position is checked too, and particles that
// would end behind a surface are moved in front of it. A step can also be divided into substeps
// with few sweeps each, which converges faster than the same number of sweeps in one step (Macklin
// 2019, "Small steps in physics simulation"). Contacts are then searched a few times per step, on
// the way to the positions expected at its end. Contacts between bodies are handled after each
// substep (pbd_meeting.h).
#include "pbd/pbd_system.h"
#include "base/memory.h"
#include "base/timer.h"
#include "pbd/pbd_forces.h"

#include <math.h>
#include <string.h>

enum { VERTEX_BLOCK = 16384, FINAL_ROUNDS = 3, PUSHES = 4, DETECTIONS = 4 };
// A position counts as behind a surface from this depth on [m]; rounding errors of the detection
// are smaller.
static const double BEHIND = 1e-9;
// Limit of positions, near the end of the range of floats.
static const double FARTHEST = 1e38;

void pl_pbd_system_destroy(pl_pbd_system* s) {
    if (!s) return;
    size_t count = 3 * (size_t)s->vertex_count;
    for (int b = 0; b < s->body_count; b++) pl_pbd_body_free(&s->bodies[b]);
    PL_FREE(s->bodies, pl_pbd_body, s->body_count);
    PL_FREE(s->solves, pl_pbd_solve, s->body_count);
    PL_FREE(s->positions, double, count);
    PL_FREE(s->velocities, double, count);
    PL_FREE(s->next, double, count);
    PL_FREE(s->saved, double, 2 * count);
    PL_FREE(s->mass, double, s->vertex_count);
    PL_FREE(s->held, bool, s->vertex_count);
    pl_array_free(&s->contacts);
    pl_pbd_meeting_free(&s->meeting);
    PL_FREE(s, pl_pbd_system, 1);
}

static bool allocate(pl_pbd_system* s) {
    size_t count = 3 * (size_t)s->vertex_count;
    return (s->bodies = PL_ALLOC(pl_pbd_body, s->body_count)) &&
           (s->solves = PL_ALLOC(pl_pbd_solve, s->body_count)) &&
           (s->positions = PL_ALLOC(double, count)) && (s->velocities = PL_ALLOC(double, count)) &&
           (s->next = PL_ALLOC(double, count)) && (s->mass = PL_ALLOC(double, s->vertex_count)) &&
           (s->held = PL_ALLOC(bool, s->vertex_count));
}

static void take_masses(pl_pbd_system* s, const pl_pbd_body* b) {
    double* to = s->mass + b->first_vertex;
    if (b->tears) memcpy(to, b->tearing.mass, (size_t)b->vertex_count * sizeof(double));
    else pl_ordering_out(&b->order, b->hierarchy.levels[0].mass, sizeof(double), to);
}

pl_status pl_pbd_system_update(pl_pbd_system* s, const pl_method_body* bodies, int body_count,
                               pl_error* error) {
    for (int b = 0; b < body_count; b++) {
        if (!bodies[b].may_change) continue;
        pl_status status = pl_pbd_body_update(&s->bodies[b], &bodies[b], error);
        if (status != PL_OK) return status;
        take_masses(s, &s->bodies[b]);
    }
    return PL_OK;
}

pl_status pl_pbd_system_create(const pl_method_body* bodies, int body_count, int vertex_count,
                               pl_pool* pool, pl_pbd_system** out, pl_notes* notes,
                               pl_error* error) {
    *out = NULL;
    pl_pbd_system* s = PL_ALLOC(pl_pbd_system, 1);
    if (!s) return pl_fail_memory(error, "a pbd system");
    s->vertex_count = vertex_count;
    s->body_count = body_count;
    s->pool = pool;
    s->contacts = pl_array_of(sizeof(pl_contact));
    s->meeting = pl_pbd_meeting_empty();
    pl_status status = allocate(s) ? PL_OK : pl_fail_memory(error, "a pbd system");
    for (int b = 0; status == PL_OK && b < body_count; b++) {
        pl_pbd_body* body = &s->bodies[b];
        status = pl_pbd_body_create(&bodies[b], body, notes, error);
        if (status != PL_OK) break;
        const pl_mesh* mesh = bodies[b].mesh;
        size_t first = (size_t)bodies[b].first_vertex;
        memcpy(s->positions + 3 * first, mesh->positions,
               3 * (size_t)mesh->vertex_count * sizeof(double));
        take_masses(s, body);
    }
    if (status != PL_OK) {
        if (!s->bodies) s->body_count = 0;
        pl_pbd_system_destroy(s);
        return status;
    }
    *out = s;
    return PL_OK;
}

typedef struct step_job {
    pl_pbd_system* system;
    const double* force;
    double time_step; // of a substep
    double keep;      // fraction of each velocity after damping
    int first;        // first vertex
} step_job;

// lines (5) and (6) of the paper
static void predict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const step_job* job = user;
    const pl_pbd_system* s = job->system;
    // restrict: the compiler must know that these do not overlap
    double* restrict next = s->next;
    const double* restrict positions = s->positions, * restrict velocities = s->velocities, * restrict force = job->force, * restrict mass = s->mass;
    double h = job->time_step, coast = h * job->keep;
    for (int v = begin + job->first; v < end + job->first; v++) {
        double push = h * h / mass[v];
        for (int c = 0; c < 3; c++) {
            size_t i = 3 * (size_t)v + (size_t)c;
            next[i] = positions[i] + (coast * velocities[i] + push * force[i]);
        }
    }
}

// predicted positions after time h; pins are at their position at the end of the substep
static void predict(pl_pbd_system* s, const pl_method_step* step, const pl_pbd_part* part,
                    double h) {
    for (int b = 0; b < s->body_count; b++) {
        const pl_pbd_body* body = &s->bodies[b];
        step_job job = {s, step->force, h, 1.0 / (1.0 + h * body->damping), body->first_vertex};
        pl_parallel_for(s->pool, predict_task, body->vertex_count, VERTEX_BLOCK, &job);
    }
    for (int k = 0; k < step->pin_count; k++)
        if (step->pins[k].hard)
            pl_vec3_store(s->next + 3 * (size_t)step->pins[k].vertex,
                          pl_pbd_pin_place(&step->pins[k], part));
}

static void find_held(pl_pbd_system* s, const pl_method_step* step) {
    memset(s->held, 0, (size_t)s->vertex_count * sizeof(bool));
    for (int k = 0; k < step->pin_count; k++)
        if (step->pins[k].hard) s->held[step->pins[k].vertex] = true;
}

// finds contacts on the way to the predicted positions
static pl_status detect(pl_pbd_system* s, const pl_method_step* step, const double* start,
                        pl_error* error) {
    return pl_detect_all(step->detect, step->detect_user, start, s->next, &s->contacts, error);
}

// moves particles that would end behind a surface in front of it; true if there were any
static bool push_out(pl_pbd_system* s) {
    bool moved = false;
    const pl_contact* contacts = s->contacts.data;
    for (size_t k = 0; k < s->contacts.count; k++) {
        const pl_contact* c = &contacts[k];
        double* x = s->next + 3 * (size_t)c->vertex;
        double depth = pl_dot(pl_sub(c->point, pl_vec3_load(x)), c->normal);
        if (s->held[c->vertex] || !(depth > BEHIND)) continue;
        pl_vec3_store(x, pl_madd(pl_vec3_load(x), depth, c->normal));
        moved = true;
    }
    return moved;
}

// A particle between two colliders is pushed by both in turn. Pushing by the planes of known
// contacts is cheap, so it is repeated first. The number of rounds is limited, in case there is no
// room.
static pl_status check_ways(pl_pbd_system* s, const pl_method_step* step, const double* start,
                            pl_error* error) {
    for (int round = 0; round < FINAL_ROUNDS && step->detect; round++) {
        pl_status status = detect(s, step, start, error);
        if (status != PL_OK || !push_out(s)) return status;
        for (int k = 1; k < PUSHES && push_out(s);) k++;
    }
    return PL_OK;
}

// lines (12) and (13) of the paper
static void commit_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const step_job* job = user;
    pl_pbd_system* s = job->system;
    double inverse = 1.0 / job->time_step;
    for (int i = begin; i < end; i++) {
        s->velocities[i] = (s->next[i] - s->positions[i]) * inverse;
        s->positions[i] = s->next[i];
    }
}

// positions that give a velocity that is not finite count too
static double count_non_finite(int begin, int end, void* user) {
    const pl_pbd_system* s = user;
    int64_t count = 0; // an integer: a sum of floats would be a dependency chain
    for (int i = begin; i < end; i++) count += !(fabs(s->next[i]) < FARTHEST);
    return (double)count;
}

static pl_status not_finite(pl_error* error) {
    return pl_fail(error, PL_ERROR_DIVERGED,
                   "the step ended in positions that are not finite; use a smaller time_step or "
                   "weaker forces");
}

static pl_status commit(pl_pbd_system* s, double time_step, pl_error* error) {
    int count = 3 * s->vertex_count;
    step_job job = {.system = s, .time_step = time_step};
    if (pl_parallel_sum(s->pool, count_non_finite, count, 3 * VERTEX_BLOCK, s) > 0.0)
        return not_finite(error);
    pl_parallel_for(s->pool, commit_task, count, 3 * VERTEX_BLOCK, &job);
    return PL_OK;
}

// If there is nothing to collide with and no particle has several vertices, the predicted positions
// are not needed any more, and the solution is written directly to the state.
static pl_status commit_freely(pl_pbd_system* s, double time_step, pl_error* error) {
    for (int b = 0; b < s->body_count; b++)
        if (!pl_pbd_body_is_finite(&s->bodies[b], s->pool)) return not_finite(error);
    for (int b = 0; b < s->body_count; b++)
        pl_pbd_body_commit(&s->bodies[b], s->pool, s->next, time_step, s->positions, s->velocities);
    return PL_OK;
}

// Float rounding, and levels without lumped masses, move the centre of mass of a body that touches
// nothing. This is visible when bodies push each other, so it is undone.
static void keep_middle(pl_pbd_system* s, const pl_pbd_body* b, const pl_method_step* step,
                        const pl_pbd_part* part) {
    const double h = part->time_step, coast = h / (1.0 + h * b->damping);
    pl_vec3 sum = {0, 0, 0};
    double mass = 0.0;
    if (b->points.count) return;
    for (int v = b->first_vertex; v < b->first_vertex + b->vertex_count; v++) {
        const size_t k = 3 * (size_t)v;
        if (s->held[v]) return;
        pl_vec3 moved = pl_sub(pl_vec3_load(s->next + k), pl_vec3_load(s->positions + k));
        moved = pl_madd(moved, -coast, pl_vec3_load(s->velocities + k));
        sum = pl_madd(sum, s->mass[v], moved);
        sum = pl_madd(sum, -h * h, pl_vec3_load(step->force + k));
        mass += s->mass[v];
    }
    for (int v = b->first_vertex; v < b->first_vertex + b->vertex_count; v++) {
        double* x = s->next + 3 * (size_t)v;
        pl_vec3_store(x, pl_madd(pl_vec3_load(x), -1.0 / mass, sum));
    }
}

// keeps bodies apart
static pl_status meet(pl_pbd_system* s, const pl_method_step* step, const pl_pbd_part* part,
                      pl_error* error) {
    if (step->surfaces || step->is_coupled)
        for (int b = 0; b < s->body_count; b++) keep_middle(s, &s->bodies[b], step, part);
    if (!step->surfaces) return PL_OK;
    const double share = part->time_step / step->time_step;
    const pl_pair_motion motion = {step->surfaces, s->positions, s->next,        s->mass,
                                   s->held,        share,        part->time_step};
    const int parts_left = (int)lround((1.0 - part->end) / share);
    return pl_pbd_meet(&s->meeting, step->surfaces, s->pool, &motion, part, parts_left,
                       s->contacts.data, (int)s->contacts.count, error);
}

// checks: check the paths to the solved positions
static pl_status finish(pl_pbd_system* s, const pl_method_step* step, const pl_pbd_part* part,
                        bool checks, pl_error* error) {
    bool freely = !checks && !step->surfaces && !step->is_coupled;
    for (int b = 0; b < s->body_count; b++) freely = freely && !s->bodies[b].tears;
    if (freely) return commit_freely(s, part->time_step, error);
    for (int b = 0; b < s->body_count; b++) pl_pbd_body_store(&s->bodies[b], s->pool, s->next);
    pl_status status = checks ? check_ways(s, step, s->positions, error) : PL_OK;
    if (status == PL_OK) status = meet(s, step, part, error);
    return status == PL_OK ? commit(s, part->time_step, error) : status;
}

typedef struct solve_job {
    pl_pbd_system* system;
    const pl_method_step* step;
    const pl_pbd_part* part;
    pl_pool* pool; // pool that each body uses
} solve_job;

static void solve_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const solve_job* job = user;
    pl_pbd_system* s = job->system;
    for (int b = begin; b < end; b++) {
        pl_pbd_solve* out = &s->solves[b];
        out->sweeps = 0;
        out->status = pl_pbd_body_solve(&s->bodies[b], job->pool, job->step, job->part,
                                        s->positions, s->contacts.data, (int)s->contacts.count,
                                        s->next, &out->sweeps, &out->error);
    }
}

// Bodies are independent. If there are enough of them, each is solved by one thread, which avoids
// barriers after every few constraints. The result is the same to the last bit.
static bool are_side_by_side(const pl_pbd_system* s) {
    int largest = 0;
    for (int b = 0; b < s->body_count; b++)
        if (s->bodies[b].vertex_count > largest) largest = s->bodies[b].vertex_count;
    const int threads = s->pool ? pl_pool_thread_count(s->pool) : 1;
    return threads > 1 && (int64_t)largest * threads <= s->vertex_count;
}

static pl_status solve(pl_pbd_system* s, const pl_method_step* step, const pl_pbd_part* part,
                       pl_method_info* info, pl_error* error) {
    const bool side_by_side = are_side_by_side(s);
    solve_job job = {s, step, part, side_by_side ? NULL : s->pool};
    if (side_by_side) pl_parallel_for(s->pool, solve_task, s->body_count, 1, &job);
    else solve_task(0, s->body_count, 0, &job);
    for (int b = 0; b < s->body_count; b++) {
        info->iterations += s->solves[b].sweeps;
        if (s->solves[b].status == PL_OK) continue;
        if (error) *error = s->solves[b].error;
        return s->solves[b].status;
    }
    return PL_OK;
}

static pl_status step_at_once(pl_pbd_system* s, const pl_method_step* step, pl_method_info* info,
                              pl_error* error) {
    const int wanted = s->bodies[0].iterations;
    pl_pbd_part whole = {step->time_step, 0.0, 1.0, 0, wanted};
    predict(s, step, &whole, step->time_step);
    pl_status status = detect(s, step, s->positions, error);
    info->contact_count = (int)s->contacts.count;
    double began = pl_deadline_now(step->deadline);
    whole.sweeps = pl_deadline_rounds(step->deadline, s->sweep_seconds, wanted);
    info->is_cut = whole.sweeps < wanted;
    if (status == PL_OK) status = solve(s, step, &whole, info, error);
    if (step->deadline && whole.sweeps)
        s->sweep_seconds = (pl_deadline_now(step->deadline) - began) / whole.sweeps;
    if (status == PL_OK) status = finish(s, step, &whole, step->detect, error);
    info->contact_count += s->meeting.active_count;
    return status;
}

// Moves particles that passed through a surface undetected in front of it.
static pl_status check_divided(pl_pbd_system* s, const pl_method_step* step, pl_error* error) {
    size_t count = 3 * (size_t)s->vertex_count;
    if (!step->detect) return PL_OK;
    memcpy(s->next, s->positions, count * sizeof(double));
    pl_status status = check_ways(s, step, s->saved, error);
    if (status == PL_OK && step->surfaces &&
        memcmp(s->next, s->positions, count * sizeof(double)) != 0) {
        const pl_pair_motion motion = {step->surfaces, s->positions, s->next,        s->mass,
                                       s->held,        1.0,          step->time_step};
        status = pl_pbd_keep_apart(&s->meeting, step->surfaces, s->pool, &motion, error);
    }
    for (size_t i = 0; status == PL_OK && i < count; i++) {
        if (s->next[i] == s->positions[i]) continue;
        s->velocities[i] += (s->next[i] - s->positions[i]) / step->time_step;
        s->positions[i] = s->next[i];
    }
    return status;
}

// wanted: number of substeps if there were no deadline
static pl_status run_parts(pl_pbd_system* s, const pl_method_step* step, int part_count, int wanted,
                           pl_method_info* info, pl_error* error) {
    int every = (part_count + DETECTIONS - 1) / DETECTIONS;
    double h = step->time_step / part_count;
    // if the number of substeps is automatic, each has one sweep
    int sweeps = s->bodies[0].substeps > 0 ? s->bodies[0].iterations / wanted : 1;
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < part_count; k++) {
        pl_pbd_part part = {h, (double)k / part_count, (k + 1.0) / part_count, k,
                            sweeps > 1 ? sweeps : 1};
        if (step->detect && k % every == 0) {
            const pl_pbd_part rest = {.end = 1.0};
            predict(s, step, &rest, step->time_step * (1.0 - part.begin));
            status = detect(s, step, s->saved, error);
            if (k == 0) info->contact_count = (int)s->contacts.count;
        }
        if (status != PL_OK) return status;
        predict(s, step, &part, h);
        status = solve(s, step, &part, info, error);
        if (status == PL_OK) status = finish(s, step, &part, false, error);
    }
    info->contact_count += s->meeting.active_count;
    return status == PL_OK ? check_divided(s, step, error) : status;
}

static pl_status save_state(pl_pbd_system* s, pl_error* error) {
    size_t count = 3 * (size_t)s->vertex_count, size = count * sizeof(double);
    if (!s->saved) s->saved = PL_ALLOC(double, 2 * count);
    if (!s->saved) return pl_fail_memory(error, "the state of a step");
    memcpy(s->saved, s->positions, size);
    memcpy(s->saved + count, s->velocities, size);
    return PL_OK;
}

static pl_status step_in_parts(pl_pbd_system* s, const pl_method_step* step, int part_count,
                               int wanted, pl_method_info* info, pl_error* error) {
    size_t count = 3 * (size_t)s->vertex_count, size = count * sizeof(double);
    s->contacts.count = 0;
    double began = pl_deadline_now(step->deadline);
    pl_status status = run_parts(s, step, part_count, wanted, info, error);
    info->is_cut = part_count < wanted;
    if (step->deadline) s->part_seconds = (pl_deadline_now(step->deadline) - began) / part_count;
    if (status == PL_OK) return PL_OK;
    memcpy(s->positions, s->saved, size);
    memcpy(s->velocities, s->saved + count, size);
    return status;
}

pl_status pl_pbd_system_step(pl_pbd_system* s, const pl_method_step* step, pl_method_info* info,
                             pl_error* error) {
    *info = (pl_method_info){.converged = true};
    double start = pl_seconds();
    if (!(step->time_step > 0.0) || !isfinite(step->time_step))
        return pl_fail(error, PL_ERROR_ARGUMENT, "the time step is %g; it must be above 0",
                       step->time_step);
    find_held(s, step);
    pl_pbd_meeting_begin(&s->meeting, step);
    int wanted = 1;
    for (int b = 0; b < s->body_count; b++) {
        int substeps = pl_pbd_body_substeps(&s->bodies[b], step->time_step);
        if (substeps > wanted) wanted = substeps;
    }
    int part_count = pl_deadline_rounds(step->deadline, s->part_seconds, wanted);
    const bool asks = step->pin_forces || step->obstacle_forces || step->contacts;
    pl_status status = asks || wanted > 1 ? save_state(s, error) : PL_OK;
    if (status == PL_OK)
        status = wanted == 1 ? step_at_once(s, step, info, error)
                             : step_in_parts(s, step, part_count, wanted, info, error);
    if (status == PL_OK && asks) status = pl_pbd_tell_forces(s, step, part_count, error);
    for (int b = 0; status == PL_OK && b < s->body_count; b++)
        pl_pbd_body_tear(&s->bodies[b], s->positions);
    info->seconds = pl_seconds() - start;
    return status;
}
