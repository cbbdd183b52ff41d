// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pairs are searched along straight paths of the vertices, with some slack on each side. The list
// is complete for any positions within the slack of these paths, vertex by vertex. So the energy
// does not depend on which paths were searched, and one search mostly serves all trials of a line
// search.
//
// The midpoint rule solves for the middle of the step. As with colliders, contact acts at the end
// of the step (step_contact_forces.c), so all positions here are those at the end.
#include "step/step_meeting.h"
#include "base/memory.h"
#include "mesh/disjoint_sets.h"

#include <math.h>
#include <string.h>

enum { PAIR_BLOCK = 256, ROW_BATCH = 512, VECTORS = 7 };
// Pairs nearer than this fraction of their reach when they are first listed already touched: they
// are ignored, because no path of theirs would be free.
static const double TOUCHING = 1e-10;
// Smallest reach of bodies that start nearer than their thickness, relative to the thickness of
// both.
static const double LEAST_REACH = 0.01;
// Stiffness of the barrier, relative to that of the softer of the two bodies against colliders.
static const double STIFFNESS_PART = 0.1;

static void list_vectors(pl_step_meeting* m, double** out[VECTORS]) {
    double** vectors[VECTORS] = {&m->from,    &m->to,     &m->covered, &m->ends[0],
                                 &m->ends[1], &m->way[0], &m->way[1]};
    memcpy(out, vectors, sizeof vectors);
}

pl_status pl_step_meeting_create(const pl_step_pieces* pieces, pl_step_meeting** out,
                                 pl_error* error) {
    *out = NULL;
    const size_t count = 3 * (size_t)pieces->vertex_count;
    pl_step_meeting* m = PL_ALLOC(pl_step_meeting, 1);
    if (!m) return pl_fail_memory(error, "the contacts of bodies");
    *m = (pl_step_meeting){.vertex_count = pieces->vertex_count,
                           .pieces = pieces,
                           .pairs = pl_array_of(sizeof(pl_contact_pair)),
                           .barriers = pl_array_of(sizeof(pl_pair_barrier)),
                           .parts = pl_array_of(sizeof(double)),
                           .active = pl_array_of(sizeof(int)),
                           .forces = pl_array_of(4 * sizeof(pl_vec3)),
                           .blocks = pl_array_of(PL_BARRIER_ROWS * 12 * sizeof(double)),
                           .rows = pl_array_of(sizeof(pl_meeting_row)),
                           .frictions = pl_array_of(sizeof(pl_meeting_friction)),
                           .next_frictions = pl_array_of(sizeof(pl_meeting_friction))};
    double** vectors[VECTORS];
    list_vectors(m, vectors);
    bool ok =
        (m->roots = PL_ALLOC(int, pieces->count)) && (m->limits = PL_ALLOC(double, pieces->count));
    for (int k = 0; k < VECTORS; k++) ok = ok && (*vectors[k] = PL_ALLOC(double, count));
    if (!ok) {
        pl_step_meeting_destroy(m);
        return pl_fail_memory(error, "the contacts of bodies");
    }
    m->self = m;
    *out = m;
    return PL_OK;
}

void pl_step_meeting_destroy(pl_step_meeting* m) {
    if (!m) return;
    double** vectors[VECTORS];
    list_vectors(m, vectors);
    pl_array* arrays[] = {&m->pairs,  &m->barriers, &m->parts,     &m->active,        &m->forces,
                          &m->blocks, &m->rows,     &m->frictions, &m->next_frictions};
    for (int k = 0; k < VECTORS; k++) PL_FREE(*vectors[k], double, 3 * (size_t)m->vertex_count);
    for (int k = 0; k < 9; k++) pl_array_free(arrays[k]);
    PL_FREE(m->roots, int, m->pieces->count);
    PL_FREE(m->limits, double, m->pieces->count);
    PL_FREE(m, pl_step_meeting, 1);
}

bool pl_step_meeting_resize(pl_array* array, size_t count) {
    array->count = 0;
    if (count > array->capacity && !pl_array_reserve(array, count + count / 2)) return false;
    array->count = count;
    return true;
}

// ------------------------------------------------------------------ search

typedef struct places_job {
    const pl_step_meeting* m;
    const double* z;
} places_job;

static double mass_of_side(const pl_step_meeting* m, const int* v, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += m->f->mass[v[i]];
    return sum / count;
}

// Bodies that start nearer than their thickness would fly apart: they keep their initial distance
// instead.
static double nearest_at_rest(const pl_step_meeting* m, const pl_contact_pair* pair) {
    const int a = pair->surfaces[0], b = pair->surfaces[1], count = m->surfaces->surface_count;
    return m->surfaces->nearest[a < b ? a * count + b : b * count + a];
}

// The barrier is as stiff as the two bodies in series, and as their inertia in a step: then they
// come to rest within its reach.
static pl_pair_barrier barrier_of(const pl_step_meeting* m, const pl_contact_pair* pair) {
    const pl_contact_surface* surfaces = m->surfaces->surfaces;
    const int count = pair->is_edges ? 2 : 1;
    double soft = 0.0,
           reach = pl_surfaces_distance(&surfaces[pair->surfaces[0]], &surfaces[pair->surfaces[1]]);
    for (int k = 0; k < 2; k++) {
        const pl_contact_surface* surface = &surfaces[pair->surfaces[k]];
        const double mass = mass_of_side(m, pair->v + (k ? count : 0), k ? 4 - count : count);
        soft += 1.0 / fmax(STIFFNESS_PART * surface->stiffness, pl_step_mass_weight(m->f) * mass);
    }
    const pl_quad rest = pl_pair_places(pair, m->surfaces->rest);
    if (pair->surfaces[0] == pair->surfaces[1])
        reach = fmin(reach, PL_REST_PART * pl_quad_distance(&rest, pair->is_edges, NULL));
    else reach = fmin(reach, fmax(nearest_at_rest(m, pair), LEAST_REACH * reach));
    return pl_pair_barrier_of(&rest, pair->is_edges, reach, reach * reach / soft);
}

static void barrier_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const places_job* job = user;
    const pl_contact_pair* pairs = job->m->pairs.data;
    pl_pair_barrier* barriers = job->m->barriers.data;
    double* keeps = job->m->parts.data;
    for (int k = begin; k < end; k++) {
        const pl_quad at = pl_pair_places(&pairs[k], job->m->from);
        barriers[k] = barrier_of(job->m, &pairs[k]);
        keeps[k] = pl_quad_distance(&at, pairs[k].is_edges, NULL) > TOUCHING * barriers[k].reach;
    }
}

// the barriers of all pairs; removes pairs that touch from the list
static bool make_barriers(pl_step_meeting* m) {
    const size_t count = m->pairs.count;
    places_job job = {m, NULL};
    if (!pl_step_meeting_resize(&m->barriers, count) || !pl_step_meeting_resize(&m->parts, count))
        return false;
    pl_parallel_for(m->f->pool, barrier_task, (int)count, PAIR_BLOCK, &job);
    pl_contact_pair* pairs = m->pairs.data;
    pl_pair_barrier* barriers = m->barriers.data;
    const double* keeps = m->parts.data;
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        if (!(keeps[k] > 0.0)) continue;
        pairs[kept] = pairs[k];
        barriers[kept++] = barriers[k];
    }
    m->pairs.count = m->barriers.count = kept;
    return true;
}

// From now on pieces with pairs between them count as one.
static void join_pieces(pl_step_meeting* m) {
    const pl_contact_pair* pairs = m->pairs.data;
    const int* piece_of = m->pieces->piece_of;
    for (size_t k = 0; k < m->pairs.count; k++)
        pl_set_join(m->roots, piece_of[pairs[k].v[0]], piece_of[pairs[k].v[3]]);
    m->has_met = m->has_met || m->pairs.count > 0;
}

// True if bounding boxes show that nothing comes near on paths from `from` to `to`.
bool pl_step_meeting_is_apart(pl_step_meeting* m, const double* from, const double* to) {
    for (int s = 0; s < m->surfaces->surface_count; s++) {
        pl_contact_surface* surface = &m->surfaces->surfaces[s];
        surface->reach = surface->thickness + pl_step_meeting_slack(m, s);
    }
    m->has_covered = false;
    m->is_searched = m->is_apart = pl_surface_set_is_apart(m->surfaces, m->f->pool, from, to);
    if (m->is_apart) m->pairs.count = m->barriers.count = 0;
    return m->is_apart;
}

// lists all pairs that may come within reach on paths from `from` to `to`; call
// pl_step_meeting_is_apart first
static bool search(pl_step_meeting* m, const double* from, const double* to) {
    const size_t size = 3 * (size_t)m->vertex_count * sizeof(double);
    memcpy(m->from, from, size);
    memcpy(m->to, to, size);
    m->has_covered = false;
    m->is_searched =
        pl_surface_set_find(m->surfaces, m->f->pool, m->from, m->to, &m->pairs, NULL) == PL_OK &&
        make_barriers(m);
    if (m->is_searched) join_pieces(m);
    m->out_of_memory = m->out_of_memory || !m->is_searched;
    return m->is_searched;
}

bool pl_step_meeting_cover(pl_step_meeting* m, const double* from, const double* to) {
    return pl_step_meeting_covers(m, from, to) || pl_step_meeting_is_apart(m, from, to) ||
           search(m, from, to);
}

// ------------------------------------------------------------------ energy and gradient

static const double* end_of(const pl_step_meeting* m, const double* x, int k) {
    return pl_step_end_positions(m->f, x, m->ends[k]);
}

// Evaluations may search, and so modify the term although it is const to them.
static pl_step_meeting* meeting_of(const void* user) { return *(pl_step_meeting* const*)user; }

static void free_parts(const void* user, const double* from, const double* to, double* parts) {
    pl_step_meeting* m = meeting_of(user);
    if (!m->surfaces) return;
    pl_step_meeting_limit(m, from, to);
    for (int p = 0; p < m->pieces->count; p++) parts[p] = fmin(parts[p], m->limits[p]);
}

static void near_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const places_job* job = user;
    const pl_contact_pair* pairs = job->m->pairs.data;
    const pl_pair_barrier* barriers = job->m->barriers.data;
    double* near = job->m->parts.data;
    for (int k = begin; k < end; k++) {
        const pl_quad at = pl_pair_places(&pairs[k], job->z);
        near[k] = pl_quad_boxes_meet(&at, &at, pairs[k].is_edges, barriers[k].reach) &&
                  pl_quad_distance(&at, pairs[k].is_edges, NULL) < barriers[k].reach;
    }
}

bool pl_step_meeting_activate(pl_step_meeting* m, const double* z) {
    places_job job = {m, z};
    m->active.count = 0;
    if (!pl_step_meeting_cover(m, z, z)) return false;
    if (!pl_step_meeting_resize(&m->parts, m->pairs.count) ||
        !pl_step_meeting_resize(&m->active, m->pairs.count)) {
        m->out_of_memory = true;
        return false;
    }
    m->active.count = 0;
    pl_parallel_for(m->f->pool, near_task, (int)m->pairs.count, PAIR_BLOCK, &job);
    const double* near = m->parts.data;
    int* active = m->active.data;
    for (size_t k = 0; k < m->pairs.count; k++)
        if (near[k] > 0.0) active[m->active.count++] = (int)k;
    return true;
}

static double energy_part(int begin, int end, void* user) {
    const places_job* job = user;
    const int* active = job->m->active.data;
    double sum = 0.0;
    for (int k = begin; k < end; k++) {
        const pl_contact_pair* pair = (const pl_contact_pair*)job->m->pairs.data + active[k];
        const pl_pair_barrier* b = (const pl_pair_barrier*)job->m->barriers.data + active[k];
        const pl_quad at = pl_pair_places(pair, job->z);
        sum += pl_pair_barrier_energy(b, &at, pair->is_edges);
    }
    return sum;
}

double pl_step_meeting_energy(pl_step_meeting* m, const double* x) {
    if (!m->surfaces) return 0.0;
    places_job job = {m, end_of(m, x, 0)};
    if (!pl_step_meeting_activate(m, job.z)) return INFINITY;
    return pl_parallel_sum(m->f->pool, energy_part, (int)m->active.count, PAIR_BLOCK, &job);
}

static double energy(const void* user, const double* x) {
    pl_step_meeting* m = meeting_of(user);
    if (!m->surfaces) return 0.0;
    return pl_step_meeting_energy(m, x) / pl_step_end_scale(m->f) +
           pl_meeting_friction_energy(m, x);
}

// The energy of two pieces that have just come near counts to the first until they are joined.
static void add_energies(const void* user, const int* piece_of, const bool* chosen, const double* x,
                         double* energies) {
    pl_step_meeting* m = meeting_of(user);
    if (!m->surfaces) return;
    const double* z = end_of(m, x, 0);
    const bool ok = pl_step_meeting_activate(m, z);
    const int* active = m->active.data;
    for (size_t k = 0; k < m->active.count; k++) {
        const pl_contact_pair* pair = (const pl_contact_pair*)m->pairs.data + active[k];
        const pl_pair_barrier* b = (const pl_pair_barrier*)m->barriers.data + active[k];
        const int piece = piece_of[pair->v[0]];
        const pl_quad at = pl_pair_places(pair, z);
        if (!chosen || chosen[piece])
            energies[piece] +=
                pl_pair_barrier_energy(b, &at, pair->is_edges) / pl_step_end_scale(m->f);
    }
    pl_meeting_friction_energies(m, piece_of, chosen, x, energies);
    if (!ok) energies[0] = INFINITY;
}

static void force_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const places_job* job = user;
    const int* active = job->m->active.data;
    pl_vec3* forces = job->m->forces.data;
    for (int k = begin; k < end; k++) {
        const pl_contact_pair* pair = (const pl_contact_pair*)job->m->pairs.data + active[k];
        const pl_pair_barrier* b = (const pl_pair_barrier*)job->m->barriers.data + active[k];
        const pl_quad at = pl_pair_places(pair, job->z);
        pl_pair_barrier_gradient(b, &at, pair->is_edges, forces + 4 * (size_t)k);
    }
}

static void add_gradient(const void* user, const double* x, double* gradient) {
    pl_step_meeting* m = meeting_of(user);
    if (!m->surfaces) return;
    const double* z = end_of(m, x, 0);
    if (!pl_step_meeting_activate(m, z)) return;
    if (!pl_step_meeting_resize(&m->forces, m->active.count)) {
        m->out_of_memory = true;
        return;
    }
    places_job job = {m, z};
    pl_parallel_for(m->f->pool, force_task, (int)m->active.count, PAIR_BLOCK, &job);
    const pl_vec3* forces = m->forces.data;
    const int* active = m->active.data;
    for (size_t k = 0; k < m->active.count; k++) {
        const pl_contact_pair* pair = (const pl_contact_pair*)m->pairs.data + active[k];
        for (size_t i = 0; i < 4; i++) {
            double* g = gradient + 3 * (size_t)pair->v[i];
            pl_vec3_store(g, pl_add(pl_vec3_load(g), forces[4 * k + i]));
        }
    }
    pl_meeting_friction_gradient(m, x, gradient);
}

// ------------------------------------------------------------------ Hessian

typedef struct rows_job {
    const pl_step_meeting* m;
    const double* z;
    int first; // of the active pairs
    int counts[ROW_BATCH];
} rows_job;

static void rows_task(int begin, int end, int worker, void* user) {
    (void)worker;
    rows_job* job = user;
    const int* active = job->m->active.data;
    double(*blocks)[PL_BARRIER_ROWS][12] = job->m->blocks.data;
    for (int k = begin; k < end; k++) {
        const int at = active[job->first + k];
        const pl_contact_pair* pair = (const pl_contact_pair*)job->m->pairs.data + at;
        const pl_pair_barrier* b = (const pl_pair_barrier*)job->m->barriers.data + at;
        const pl_quad places = pl_pair_places(pair, job->z);
        job->counts[k] = pl_pair_barrier_rows(b, &places, pair->is_edges, blocks[k]);
    }
}

static bool add_rows(pl_step_meeting* m, const rows_job* job, int count) {
    const double root = sqrt(pl_step_end_scale(m->f));
    const int* active = m->active.data;
    double(*blocks)[PL_BARRIER_ROWS][12] = m->blocks.data;
    for (int k = 0; k < count; k++) {
        const pl_contact_pair* pair =
            (const pl_contact_pair*)m->pairs.data + active[job->first + k];
        for (int j = 0; j < job->counts[k]; j++) {
            pl_meeting_row* row = pl_array_add(&m->rows, 1);
            if (!row) return false;
            memcpy(row->v, pair->v, sizeof row->v);
            for (int i = 0; i < 12; i++) row->r[i] = root * blocks[k][j][i];
        }
    }
    return true;
}

// removes held directions from the rows
static void hold_rows(pl_step_meeting* m) {
    pl_meeting_row* rows = m->rows.data;
    for (size_t k = 0; k < m->rows.count; k++)
        for (int i = 0; i < 4; i++)
            if (m->f->fixed[rows[k].v[i]]) memset(rows[k].r + 3 * i, 0, 3 * sizeof(double));
}

pl_status pl_step_meeting_update(pl_step_meeting* m, const double* x, pl_error* error) {
    m->rows.count = 0;
    if (!m->surfaces) return PL_OK;
    rows_job job = {.m = m, .z = end_of(m, x, 0)};
    bool ok = pl_step_meeting_activate(m, job.z) && pl_step_meeting_resize(&m->blocks, ROW_BATCH);
    const int count = (int)m->active.count;
    for (; ok && job.first < count; job.first += ROW_BATCH) {
        const int batch = count - job.first < ROW_BATCH ? count - job.first : ROW_BATCH;
        pl_parallel_for(m->f->pool, rows_task, batch, 16, &job);
        ok = add_rows(m, &job, batch);
    }
    ok = ok && pl_meeting_friction_rows(m, x);
    if (!ok) return pl_fail_memory(error, "the contacts of bodies");
    hold_rows(m);
    return PL_OK;
}

// ------------------------------------------------------------------ the term

// A surface that is one piece moves as one: line searches then move all of it by the same fraction.
static void find_whole_surfaces(pl_step_meeting* m) {
    pl_surface_set* set = m->surfaces;
    const int* piece_of = m->pieces->piece_of;
    for (int s = 0; s < set->surface_count; s++) {
        pl_contact_surface* surface = &set->surfaces[s];
        surface->moves_as_one = surface->meets_itself;
        for (int v = surface->first_vertex; surface->moves_as_one && v < surface->end_vertex; v++)
            surface->moves_as_one =
                set->surface_of_vertex[v] != s || piece_of[v] == piece_of[surface->first_vertex];
    }
}

// Discards the searches of the last step, so that a step depends only on the state.
static pl_status begin(void* user, const pl_step_objective* f, pl_error* error) {
    pl_step_meeting* m = meeting_of(user);
    m->f = f;
    m->is_searched = m->is_apart = m->has_covered = m->has_met = m->out_of_memory = false;
    m->rows.count = m->frictions.count = 0;
    m->friction_rounds = m->early_rounds = 0;
    for (int p = 0; p < m->pieces->count; p++) m->roots[p] = p;
    if (!m->surfaces) return PL_OK;
    find_whole_surfaces(m);
    if (f->inertia > 0.0) pl_step_meeting_limit(m, f->start, f->y);
    if (m->has_met) pl_meeting_friction_follow(m, f->start, 0.0);
    return m->out_of_memory ? pl_fail_memory(error, "the contacts of bodies") : PL_OK;
}

static void follow(void* user, const double* x, const int* piece_of, const double* lengths) {
    pl_meeting_friction_advance(meeting_of(user), x, piece_of, lengths);
}

static pl_status check(const void* user, pl_error* error) {
    const pl_step_meeting* m = meeting_of(user);
    return m->out_of_memory ? pl_fail_memory(error, "the contacts of bodies") : PL_OK;
}

static void bound(const void* user, const double* x, pl_vertex_bound* bounds) {
    pl_step_meeting* m = meeting_of(user);
    if (m->surfaces && m->has_met) pl_step_meeting_bound(m, x, bounds);
}

static bool joins(const void* user) { return meeting_of(user)->has_met; }

static void join(const void* user, int* roots) {
    pl_step_meeting* m = meeting_of(user);
    for (int p = 0; p < m->pieces->count; p++) pl_set_join(roots, p, m->roots[p]);
}

static bool go_on(void* user, const double* x, double left) {
    enum { MAX_FRICTION_ROUNDS = 4 };
    pl_step_meeting* m = meeting_of(user);
    int* rounds = left > 0.0 ? &m->early_rounds : &m->friction_rounds;
    if (!m->surfaces || !m->has_met || *rounds >= MAX_FRICTION_ROUNDS) return false;
    const bool follows = pl_meeting_friction_follow(m, x, left);
    if (follows || left == 0.0) ++*rounds;
    return follows;
}

pl_step_term pl_step_meeting_term(pl_step_meeting* m) {
    return (pl_step_term){.user = &m->self,
                          .energy = energy,
                          .energies = add_energies,
                          .gradient = add_gradient,
                          .begin = begin,
                          .follow = follow,
                          .free_parts = free_parts,
                          .bound = bound,
                          .joins = joins,
                          .join = join,
                          .go_on = go_on,
                          .check = check};
}
