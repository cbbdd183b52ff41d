// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// All systems take a step without regard to each other. Where bodies end too near each other, or
// inside each other, pairs of opposite forces between them are found that act during the whole
// step. The systems repeat the step with these forces among their loads. A model of the response of
// each system (push_response.h) learns from every round, so the next forces are better, until all
// distances are kept.
//
// Methods need no changes for this. Each step is an ordinary step with loads, so momentum is
// conserved as well as the method conserves it. The forces change energy by their work: force times
// the change of the distance they act on. It is negative for bodies that approach, and zero for
// those that keep their distance.
#include "world/world_rounds.h"
#include "base/memory.h"
#include "world/coupling_data.h"
#include "world/world_budget.h"
#include "world/world_coupling.h"
#include "world/world_guard.h"
#include "world/world_meeting.h"
#include "world/world_momentum.h"
#include "world/world_step.h"
#include "world/world_surfaces.h"

#include <math.h>
#include <string.h>

// Rounds end when no distance is too small by more than this fraction of it.
static const double MAX_MISS = 0.7;
// They also need all pairs that push to be too far apart by at most this fraction of the distance.
static const double MAX_LIFT = 0.5;
// Frames are retried with half the step until they have this many parts. Then paths on which two
// bodies would meet are shortened.
enum { MIN_ROUNDS = 3, MIN_SPLIT_TO_CUT = 4, MAX_CUTS = 30, MAX_PART_CUTS = 3 };

// ------------------------------------------------------------------ back to the start

static pl_status save(pl_world* w, int s, pl_error* error) {
    pl_coupled_system* state = &w->coupling->systems[s];
    pl_world_system* system = &w->systems[s];
    int count;
    const double* guard = pl_guard_pack(system, &count);
    const size_t own = (size_t)count * sizeof(double);
    const size_t size = own + system->method->state_size(system->data);
    if (size > state->room) {
        pl_free(state->saved, state->room);
        state->room = 0;
        if (!(state->saved = pl_alloc(size))) return pl_fail_memory(error, "the state of a system");
        state->room = size;
    }
    memcpy(state->saved, guard, own);
    system->method->state_save(system->data, (char*)state->saved + own);
    return PL_OK;
}

static void restore(pl_world* w, int s) {
    const pl_coupled_system* state = &w->coupling->systems[s];
    pl_world_system* system = &w->systems[s];
    int count;
    double* guard = pl_guard_pack(system, &count);
    memcpy(guard, state->saved, (size_t)count * sizeof(double));
    pl_guard_unpack(system);
    system->method->state_load(system->data,
                               (const char*)state->saved + (size_t)count * sizeof(double));
}

// ------------------------------------------------------------------ rounds

// rigid bodies respond as a whole, with all of their mass
static void take_rigid(pl_world* w) {
    struct pl_world_coupling* c = w->coupling;
    int count = 0;
    for (int s = 0; s < c->system_count; s++) {
        const pl_world_system* system = &w->systems[s];
        pl_push_response* response = &c->responses[s];
        response->first_rigid = count;
        if (!system->method->rigid_bodies) continue;
        response->rigid = system->method->rigid_bodies(system->data, &response->rigid_count);
        count += response->rigid_count;
        for (int v = c->firsts[s]; v < c->firsts[s + 1]; v++) c->inverse_mass[v] = 0.0;
    }
}

// the bodies that respond, and the bounds of their response
static void take_masses(pl_world* w) {
    struct pl_world_coupling* c = w->coupling;
    for (int s = 0; s < c->system_count; s++) {
        const pl_world_system* system = &w->systems[s];
        const double* mass = system->method->masses(system->data);
        const pl_pin* pins = system->pins.data;
        const size_t first = (size_t)c->firsts[s];
        for (int v = 0; v < system->vertex_count; v++) {
            c->mass[first + (size_t)v] = mass[v];
            c->held[first + (size_t)v] = !(mass[v] > 0.0);
        }
        for (size_t p = 0; p < system->pins.count; p++)
            if (pins[p].hard && !pins[p].partial) c->held[first + (size_t)pins[p].vertex] = true;
        pl_push_response_begin(&c->responses[s], c->inverse_mass + first);
    }
    for (int v = 0; v < c->firsts[c->system_count]; v++)
        c->inverse_mass[v] = c->held[v] ? 0.0 : 1.0 / c->mass[v];
    take_rigid(w);
}

static void set_surfaces(const pl_world* w) {
    const double room = 2.0; // pairs that are a little farther away may be pushed nearer
    pl_surface_set* set = w->coupling->surfaces;
    for (int k = 0; k < set->surface_count; k++) {
        pl_world_surface_update(&w->bodies[w->coupling->body_of_surface[k]], &set->surfaces[k]);
        set->surfaces[k].reach = room * set->surfaces[k].thickness;
    }
}

static pl_pair_motion motion_of(const pl_world* w) {
    const struct pl_world_coupling* c = w->coupling;
    return (pl_pair_motion){c->surfaces, c->start, c->end, c->mass, c->held, 1.0, w->step_size};
}

static pl_status out_of_memory(pl_error* error) {
    return pl_fail_memory(error, "bodies that push each other");
}

static pl_status find(pl_world* w, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    return pl_surface_set_find(c->surfaces, w->pool, c->start, c->end, &c->pairs, error);
}

// With BDF2 a force also acts on later steps, so momentum would be conserved only over several
// steps. Therefore a step with pushes, and the step after it, are of first order.
static void start_anew(const pl_world* w, int s) {
    const pl_world_system* system = &w->systems[s];
    const pl_coupled_system* state = &w->coupling->systems[s];
    if (system->method_bodies[0].body->integrator == PL_INTEGRATOR_BDF2 &&
        (state->was_pushed || state->was_pushed_before) && system->method->restart)
        system->method->restart(system->data);
}

// One step of a system; is_repeated: from where its last one started. Its report replaces that of
// earlier rounds, except for the work done.
static pl_status step(pl_world* w, int s, double begin, double end, const double* force,
                      bool is_repeated, pl_error* error) {
    pl_frame_info* told = &w->coupling->systems[s].told;
    const pl_frame_info before = *told;
    *told = (pl_frame_info){0};
    w->coupling->systems[s].is_repeated = is_repeated;
    start_anew(w, s);
    pl_status status = pl_world_step_system(w, s, begin, end, force, told, error);
    told->iterations += before.iterations;
    told->linear_iterations += before.linear_iterations;
    told->detect_seconds += before.detect_seconds;
    told->assembly_seconds += before.assembly_seconds;
    told->linear_seconds += before.linear_seconds;
    return status;
}

static void tell(const pl_frame_info* from, pl_frame_info* to) {
    to->iterations += from->iterations;
    to->linear_iterations += from->linear_iterations;
    to->unconverged_count += from->unconverged_count;
    to->switch_count += from->switch_count;
    to->retry_count += from->retry_count;
    to->cut_count += from->cut_count;
    to->contact_count += from->contact_count;
    to->softened_count += from->softened_count;
    to->turned_count += from->turned_count;
    to->unfit_count += from->unfit_count;
    to->residual = fmax(to->residual, from->residual);
    to->detect_seconds += from->detect_seconds;
    to->assembly_seconds += from->assembly_seconds;
    to->linear_seconds += from->linear_seconds;
    if (from->unbalanced[0]) memcpy(to->unbalanced, from->unbalanced, sizeof to->unbalanced);
}

static bool is_pushed(const struct pl_world_coupling* c, int s) {
    for (size_t i = 3 * (size_t)c->firsts[s]; i < 3 * (size_t)c->firsts[s + 1]; i++)
        if (c->push[i] != 0.0) return true;
    return false;
}

// Learns from the steps of a system in this round and the one before.
static bool learn(struct pl_world_coupling* c, int s) {
    const size_t first = 3 * (size_t)c->firsts[s], end = 3 * (size_t)c->firsts[s + 1];
    for (size_t i = first; i < end; i++) {
        c->push_before[i] = c->push[i] - c->push_before[i];
        c->before[i] = c->end[i] - c->before[i];
    }
    return pl_push_response_learn(&c->responses[s], c->push_before + first, c->before + first);
}

static void sum_pushes(pl_world* w) {
    struct pl_world_coupling* c = w->coupling;
    const double scale = 1.0 / (w->step_size * w->step_size);
    pl_push_list_sum(&c->list, c->firsts[c->system_count], c->push);
    for (int i = 0; i < 3 * c->firsts[c->system_count]; i++) c->force[i] = scale * c->push[i];
}

static const double* force_on(const struct pl_world_coupling* c, int s) {
    return c->systems[s].was_pushed ? c->force + 3 * (size_t)c->firsts[s] : NULL;
}

// Finds pushes with the model, and repeats the steps of all systems that are pushed.
static pl_status run_round(pl_world* w, double begin, double end, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    const pl_push_systems systems = {c->system_count, c->firsts, c->responses,
                                     c->system_of_surface};
    const size_t count = 3 * (size_t)c->firsts[c->system_count];
    if (!pl_push_list_solve(&c->list, &systems, c->start, c->end)) return out_of_memory(error);
    memcpy(c->push_before, c->push, count * sizeof(double));
    memcpy(c->before, c->end, count * sizeof(double));
    sum_pushes(w);
    for (int s = 0; s < c->system_count; s++) {
        const bool was_pushed = c->systems[s].was_pushed;
        c->systems[s].was_pushed = is_pushed(c, s);
        if (!was_pushed && !c->systems[s].was_pushed) continue;
        restore(w, s);
        pl_budget_repeat_step(w, s);
        pl_status status = step(w, s, begin, end, force_on(c, s), true, error);
        if (status != PL_OK) return status;
    }
    pl_world_coupling_gather(w, c->end);
    for (int s = 0; s < c->system_count; s++)
        if (c->systems[s].was_pushed && !learn(c, s)) return out_of_memory(error);
    pl_push_list_drop(&c->list, c->end);
    return PL_OK;
}

// ------------------------------------------------------------------ no passing

// The smallest fraction of its path that a pair allows.
static pl_status least_part(pl_world* w, double* least, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    const pl_pair_motion motion = motion_of(w);
    c->parts.count = 0;
    double* parts = pl_array_add(&c->parts, c->pairs.count);
    if (c->pairs.count && !parts) return out_of_memory(error);
    *least = pl_pairs_advance(&motion, w->pool, c->pairs.data, (int)c->pairs.count, parts);
    return PL_OK;
}

// A rigid body moves along a fraction of its path as a whole.
static void shorten_rigid(pl_world* w, int b) {
    struct pl_world_coupling* c = w->coupling;
    const pl_world_body* body = &w->bodies[b];
    const pl_world_system* system = &w->systems[body->system];
    const int first = c->firsts[body->system] + body->first_vertex;
    double least = 1.0;
    if (!system->method->shorten) return;
    for (int v = first; v < first + body->mesh->vertex_count; v++) {
        least = fmin(least, c->limits[v]);
        c->limits[v] = 1.0;
    }
    if (least < 1.0) system->method->shorten(system->data, pl_world_place_in_system(w, b), least);
    memcpy(c->end + 3 * (size_t)first,
           system->method->positions(system->data) + 3 * (size_t)body->first_vertex,
           3 * (size_t)body->mesh->vertex_count * sizeof(double));
}

static void shorten_ways(pl_world* w, double margin) {
    struct pl_world_coupling* c = w->coupling;
    for (int v = 0; v < c->firsts[c->system_count]; v++) c->limits[v] = 1.0;
    pl_pairs_limit(c->pairs.data, (int)c->pairs.count, c->parts.data, margin, c->limits);
    for (int b = 0; b < w->body_count; b++) shorten_rigid(w, b);
    for (int v = 0; v < c->firsts[c->system_count]; v++) {
        const size_t k = 3 * (size_t)v;
        if (c->limits[v] < 1.0 && !c->held[v])
            pl_vec3_store(c->end + k, pl_lerp(pl_vec3_load(c->start + k), pl_vec3_load(c->end + k),
                                              c->limits[v]));
    }
}

// Moves vertices of a body to the ends of their shortened paths. The momentum lost by this is given
// back to all vertices that are not held, so that the total momentum stays.
static pl_status take_body_places(pl_world* w, int b, pl_error* error) {
    const struct pl_world_coupling* c = w->coupling;
    const pl_world_body* body = &w->bodies[b];
    const pl_world_system* system = &w->systems[body->system];
    const size_t first = (size_t)body->first_vertex, at = first + (size_t)c->firsts[body->system];
    const size_t count = 3 * (size_t)body->mesh->vertex_count;
    const double *mass = c->mass + at, *to = c->end + 3 * at;
    double *x = system->method->positions(system->data) + 3 * first,
           *v = system->method->velocities(system->data) + 3 * first;
    double gained[3], all = 0.0;
    pl_vec3 before, after, unused;
    if (memcmp(x, to, count * sizeof(double)) == 0) return PL_OK;
    pl_status status = pl_world_body_momentum(w, b, &before, &unused, error);
    if (status != PL_OK) return status;
    for (size_t i = 0; i < count; i++) {
        if (c->held[at + i / 3]) continue; // shorten_ways leaves it where it is
        all += i % 3 ? 0.0 : mass[i / 3];
        v[i] += (to[i] - x[i]) / w->step_size;
        x[i] = to[i];
    }
    status = pl_world_body_momentum(w, b, &after, &unused, error);
    pl_vec3_store(gained, pl_sub(after, before));
    for (size_t i = 0; status == PL_OK && i < count; i++)
        if (!c->held[at + i / 3]) v[i] -= gained[i % 3] / all;
    return status;
}

static pl_status take_places(pl_world* w, int s, pl_error* error) {
    const struct pl_world_coupling* c = w->coupling;
    pl_world_system* system = &w->systems[s];
    if (memcmp(system->method->positions(system->data), c->end + 3 * (size_t)c->firsts[s],
               3 * (size_t)system->vertex_count * sizeof(double)) == 0)
        return PL_OK;
    for (int b = 0; b < w->body_count; b++) {
        if (w->bodies[b].system != s) continue;
        const pl_status status = take_body_places(w, b, error);
        if (status != PL_OK) return status;
    }
    if (system->method->restart) system->method->restart(system->data);
    pl_world_end_meeting(w, s); // others meet it where it is now
    return PL_OK;
}

// Shortens paths on which two bodies would meet, in rounds, because shortened ones may block
// others. Finally, vertices that would still meet do not move.
static pl_status keep_apart(pl_world* w, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    double least;
    pl_status status = least_part(w, &least, error);
    if (status == PL_OK && least < 1.0 && w->split < MIN_SPLIT_TO_CUT)
        return pl_fail(error, PL_ERROR_DIVERGED,
                       "bodies of different systems push each other too hard; use a smaller "
                       "time_step or more substeps");
    bool is_cut = false;
    for (int k = 0; status == PL_OK && least < 1.0 && k < MAX_CUTS; k++) {
        shorten_ways(w, k < MAX_PART_CUTS ? 0.95 : 0.0);
        is_cut = true;
        status = find(w, error);
        if (status == PL_OK) status = least_part(w, &least, error);
    }
    for (int s = 0; status == PL_OK && is_cut && s < c->system_count; s++)
        if (c->systems[s].is_coupled) status = take_places(w, s, error);
    return status;
}

// ------------------------------------------------------------------ a step

// Bodies that rest on each other need about the forces of the last step again.
static bool begin_pushes(pl_world* w) {
    struct pl_world_coupling* c = w->coupling;
    const double scale = w->step_size * w->step_size;
    const pl_pair_motion still = {c->surfaces, c->start, c->start,    c->mass,
                                  c->held,     1.0,      w->step_size};
    const pl_kept_push* kept = c->kept.data;
    c->list.pushes.count = 0;
    c->pairs.count = 0;
    for (size_t k = 0; k < c->kept.count; k++) {
        pl_contact_pair pair = {.is_edges = kept[k].is_edges != 0};
        for (int i = 0; i < 4; i++) pair.v[i] = kept[k].v[i];
        pair.surfaces[0] = c->surfaces->surface_of_vertex[pair.v[0]];
        pair.surfaces[1] = c->surfaces->surface_of_vertex[pair.v[3]];
        if (!pl_surfaces_are_parted(c->surfaces, pair.surfaces[0], pair.surfaces[1]) &&
            !pl_array_push(&c->pairs, &pair))
            return false;
    }
    if (!pl_push_list_add(&c->list, &still, &c->pairs)) return false;
    pl_push* pushes = c->list.pushes.data;
    // both lists are sorted alike
    for (size_t k = 0, at = 0; k < c->list.pushes.count; k++) {
        while (pl_push_order(kept[at].is_edges != 0, kept[at].v, pushes[k].pair.is_edges,
                             pushes[k].pair.v) != 0)
            at++;
        pushes[k].row.push = scale * kept[at].push;
        const pl_vec3 drag = pl_scale(scale, pl_vec3_load(kept[at].drag));
        const pl_vec3 n = pushes[k].row.normal;
        pushes[k].row.drag = pl_madd(drag, -pl_dot(drag, n), n);
    }
    return true;
}

static bool has_kept(const struct pl_world_coupling* c, int s) {
    const pl_kept_push* kept = c->kept.data;
    for (size_t k = 0; k < c->kept.count; k++)
        for (int i = 0; i < 4; i += 3)
            if (kept[k].v[i] >= c->firsts[s] && kept[k].v[i] < c->firsts[s + 1]) return true;
    return false;
}

static bool keep_pushes(pl_world* w) {
    struct pl_world_coupling* c = w->coupling;
    const double scale = 1.0 / (w->step_size * w->step_size);
    const pl_push* pushes = c->list.pushes.data;
    c->kept.count = 0;
    for (size_t k = 0; k < c->list.pushes.count; k++) {
        const pl_pair_row* row = &pushes[k].row;
        if (!(row->push > 0.0)) continue;
        pl_kept_push kept = {.is_edges = pushes[k].pair.is_edges, .push = scale * row->push};
        for (int i = 0; i < 4; i++) kept.v[i] = row->v[i];
        pl_vec3_store(kept.drag, pl_scale(scale, row->drag));
        if (!pl_array_push(&c->kept, &kept)) return false;
    }
    return true;
}

static bool is_settled(const struct pl_world_coupling* c) {
    return pl_push_list_miss(&c->list, c->end) <= MAX_MISS &&
           pl_push_list_lift(&c->list, c->end) <= MAX_LIFT;
}

// Forces of the last step are not yet those of this one; friction shows this first. The first round
// measures the response of the systems, the second one uses it.
static int least_rounds(const struct pl_world_coupling* c) {
    return pl_push_list_active(&c->list) > 0 ? MIN_ROUNDS : 0;
}

static pl_status push_apart(pl_world* w, double begin, double end, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    const pl_pair_motion motion = motion_of(w);
    for (int round = 0;; round++) {
        pl_status status = find(w, error);
        if (status != PL_OK) return status;
        if (!pl_push_list_add(&c->list, &motion, &c->pairs)) return out_of_memory(error);
        if (round == PL_PUSH_ROUNDS || (round >= least_rounds(c) && is_settled(c))) break;
        status = run_round(w, begin, end, error);
        if (status != PL_OK) return status;
    }
    pl_status status = keep_apart(w, error);
    if (status == PL_OK && !keep_pushes(w)) status = out_of_memory(error);
    return status;
}

static bool is_met(const pl_world* w, int s) {
    for (int b = 0; b < w->body_count; b++)
        if (w->bodies[b].system == s && w->bodies[b].meeting) return true;
    return false;
}

// True if a body of the system is an obstacle of a coupled body that is solved after it.
static bool leads_coupled(const pl_world* w, int s) {
    for (int later = s + 1; later < w->system_count; later++)
        if (w->coupling->systems[later].is_coupled) return is_met(w, s);
    return false;
}

// True if a coupled body is an obstacle of the system.
static bool follows_coupled(const pl_world* w, int s) {
    for (int before = 0; before < s; before++)
        if (w->coupling->systems[before].is_coupled && is_met(w, before)) return true;
    return false;
}

// The first steps of all systems that push others or are obstacles of them, with the pushes of the
// last step.
static pl_status step_first(pl_world* w, double begin, double end, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    pl_world_coupling_gather(w, c->start);
    set_surfaces(w);
    take_masses(w);
    if (!begin_pushes(w)) return out_of_memory(error);
    sum_pushes(w);
    pl_status status = PL_OK;
    for (int s = 0; status == PL_OK && s < c->system_count; s++) {
        c->systems[s].told = (pl_frame_info){0};
        c->systems[s].was_pushed = is_pushed(c, s);
        c->systems[s].was_pushed_before = has_kept(c, s);
        if (!c->systems[s].is_coupled && !leads_coupled(w, s)) continue;
        if (c->systems[s].is_coupled || follows_coupled(w, s)) status = save(w, s, error);
        if (status == PL_OK) status = step(w, s, begin, end, force_on(c, s), false, error);
    }
    pl_world_coupling_gather(w, c->end);
    take_masses(w); // attachments of the step hold others now
    return status;
}

// The steps of systems that only meet others, after the ends of those are known. A system that is
// an obstacle of coupled ones has taken its step before them; it repeats the step if they are also
// its obstacles.
static pl_status step_last(pl_world* w, double begin, double end, pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    pl_status status = PL_OK;
    for (int s = 0; status == PL_OK && s < c->system_count; s++) {
        if (c->systems[s].is_coupled) continue;
        const bool is_repeated = leads_coupled(w, s);
        if (is_repeated) {
            if (!follows_coupled(w, s)) continue;
            restore(w, s);
            pl_budget_repeat_step(w, s);
        }
        status = step(w, s, begin, end, NULL, is_repeated, error);
    }
    return status;
}

pl_status pl_world_step_systems(pl_world* w, double begin, double end, pl_frame_info* info,
                                pl_error* error) {
    struct pl_world_coupling* c = w->coupling;
    pl_status status = PL_OK;
    for (int s = 0; !c && status == PL_OK && s < w->system_count; s++)
        status = pl_world_step_system(w, s, begin, end, NULL, info, error);
    if (!c || status != PL_OK) return status;
    status = step_first(w, begin, end, error);
    if (status == PL_OK) status = push_apart(w, begin, end, error);
    if (status == PL_OK) status = step_last(w, begin, end, error);
    for (int s = 0; s < c->system_count; s++) tell(&c->systems[s].told, info);
    info->contact_count += pl_push_list_active(&c->list);
    return status;
}
