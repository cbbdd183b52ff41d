// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pairs are searched for along straight ways of the vertices, with some slack to each side. The
// list is complete for any places within the slack of these ways, each vertex for itself. So the
// energy is the same function whatever was searched, and one search mostly serves all trials of a
// line search.
//
// Ways are checked by continuous collision, whose answers are early rather than late. Long ways are
// searched piece by piece: one search would list nearly all pairs.
//
// The midpoint rule solves for the middle of the step; as with colliders, all this is about the end
// of the step (step_contact_forces.c).
#include "step/step_meeting.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { VERTEX_BLOCK = 4096, PAIR_BLOCK = 256, ROW_BATCH = 512, MAX_PIECES = 4096 };
// of the mean edge of a surface
static const double SLACK = 0.25;
// A search goes no farther than this many edges.
static const double MAX_EDGES = 4.0;
// Of the way that continuous collision allows, so much is gone.
static const double MARGIN = 0.9;
// Parts of one surface that are near each other at rest repel from this part of that distance on.
static const double REST_PART = 0.5;
// Pairs that are nearer than this part of their reach when they are first listed have touched
// before: they are left alone, since no way of theirs would be free.
static const double TOUCHING = 1e-10;
// Of the thickness of both: what bodies keep at least that start still nearer.
static const double LEAST_REACH = 0.01;
// Stiffness of the barrier, of that of the softer of the two bodies against colliders.
static const double STIFFNESS_PART = 0.1;

pl_status pl_step_meeting_create(int vertex_count, pl_step_meeting** out, pl_error* error) {
    *out = NULL;
    const size_t count = 3 * (size_t)vertex_count;
    pl_step_meeting* m = PL_ALLOC(pl_step_meeting, 1);
    if (!m) return pl_fail_memory(error, "the contacts of bodies");
    *m = (pl_step_meeting){.vertex_count = vertex_count,
                           .pairs = pl_array_of(sizeof(pl_contact_pair)),
                           .barriers = pl_array_of(sizeof(pl_pair_barrier)),
                           .parts = pl_array_of(sizeof(double)),
                           .active = pl_array_of(sizeof(int)),
                           .forces = pl_array_of(4 * sizeof(pl_vec3)),
                           .blocks = pl_array_of(PL_BARRIER_ROWS * 12 * sizeof(double)),
                           .rows = pl_array_of(sizeof(pl_meeting_row)),
                           .frictions = pl_array_of(sizeof(pl_meeting_friction)),
                           .next_frictions = pl_array_of(sizeof(pl_meeting_friction))};
    double** vectors[] = {&m->from, &m->to, &m->ends[0], &m->ends[1], &m->way[0], &m->way[1]};
    bool ok = true;
    for (int k = 0; k < 6; k++) ok = ok && (*vectors[k] = PL_ALLOC(double, count));
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
    double* vectors[] = {m->from, m->to, m->ends[0], m->ends[1], m->way[0], m->way[1]};
    pl_array* arrays[] = {&m->pairs,  &m->barriers, &m->parts,     &m->active,        &m->forces,
                          &m->blocks, &m->rows,     &m->frictions, &m->next_frictions};
    for (int k = 0; k < 6; k++) PL_FREE(vectors[k], double, 3 * (size_t)m->vertex_count);
    for (int k = 0; k < 9; k++) pl_array_free(arrays[k]);
    PL_FREE(m, pl_step_meeting, 1);
}

static bool resize(pl_array* array, size_t count) {
    array->count = 0;
    if (count > array->capacity && !pl_array_reserve(array, count + count / 2)) return false;
    array->count = count;
    return true;
}

// ------------------------------------------------------------------ search

static double slack_of(const pl_step_meeting* m, int surface) {
    return SLACK * m->surfaces->surfaces[surface].edge;
}

typedef struct places_job {
    const pl_step_meeting* m;
    const double* z;
} places_job;

// how many vertices are farther from the ways that were searched than the slack
static double count_strays(int begin, int end, void* user) {
    const places_job* job = user;
    const pl_step_meeting* m = job->m;
    int count = 0;
    for (int v = begin; v < end; v++) {
        const int surface = m->surfaces->surface_of_vertex[v];
        if (surface < 0) continue;
        const size_t k = 3 * (size_t)v;
        const pl_vec3 from = pl_vec3_load(m->from + k), z = pl_vec3_load(job->z + k);
        const pl_vec3 way = pl_sub(pl_vec3_load(m->to + k), from), d = pl_sub(z, from);
        const double square = pl_norm2(way), along = pl_dot(way, d);
        const double part = square > 0.0 ? fmin(fmax(along / square, 0.0), 1.0) : 0.0;
        const double slack = slack_of(m, surface);
        count += !(pl_norm2(pl_madd(d, -part, way)) <= slack * slack);
    }
    return count;
}

// How many vertices are outside the box of their surface. The boxes have the thickness around them,
// which vertices are to keep.
static double count_outside(int begin, int end, void* user) {
    const places_job* job = user;
    const pl_surface_set* set = job->m->surfaces;
    int count = 0;
    for (int v = begin; v < end; v++) {
        if (set->surface_of_vertex[v] < 0) continue;
        const pl_contact_surface* surface = &set->surfaces[set->surface_of_vertex[v]];
        const pl_box* box = &surface->box;
        const double *z = job->z + 3 * (size_t)v, t = surface->thickness;
        count += !(z[0] - t >= box->low.x && z[0] + t <= box->high.x && z[1] - t >= box->low.y &&
                   z[1] + t <= box->high.y && z[2] - t >= box->low.z && z[2] + t <= box->high.z);
    }
    return count;
}

static bool is_covered(const pl_step_meeting* m, const double* z) {
    places_job job = {m, z};
    if (!m->is_searched) return false;
    return pl_parallel_sum(m->f->pool, m->is_apart ? count_outside : count_strays, m->vertex_count,
                           VERTEX_BLOCK, &job) == 0.0;
}

static double mass_of_side(const pl_step_meeting* m, const int* v, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += m->f->mass[v[i]];
    return sum / count;
}

// Bodies that start nearer than their thickness would fly apart: they keep that distance instead.
static double nearest_at_rest(const pl_step_meeting* m, const pl_contact_pair* pair) {
    const int a = pair->surfaces[0], b = pair->surfaces[1], count = m->surfaces->surface_count;
    return m->surfaces->nearest[a < b ? a * count + b : b * count + a];
}

static int first_count_of(const pl_contact_pair* pair) { return pair->is_edges ? 2 : 1; }

// The barrier is as stiff as the two bodies, one after the other, and as their inertia in a step:
// then they come to rest within its reach.
static pl_pair_barrier barrier_of(const pl_step_meeting* m, const pl_contact_pair* pair) {
    const pl_contact_surface* surfaces = m->surfaces->surfaces;
    const int count = first_count_of(pair);
    double reach = 0.0, soft = 0.0;
    for (int k = 0; k < 2; k++) {
        const pl_contact_surface* surface = &surfaces[pair->surfaces[k]];
        const double mass = mass_of_side(m, pair->v + (k ? count : 0), k ? 4 - count : count);
        reach += surface->thickness;
        soft += 1.0 / fmax(STIFFNESS_PART * surface->stiffness, pl_step_mass_weight(m->f) * mass);
    }
    const pl_quad rest = pl_pair_places(pair, m->surfaces->rest);
    if (pair->surfaces[0] == pair->surfaces[1])
        reach = fmin(reach, REST_PART * pl_quad_distance(&rest, pair->is_edges, NULL));
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

// the barriers of all pairs; those that touch are taken out of the list
static bool make_barriers(pl_step_meeting* m) {
    const size_t count = m->pairs.count;
    places_job job = {m, NULL};
    if (!resize(&m->barriers, count) || !resize(&m->parts, count)) return false;
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

// True if boxes tell that nothing comes near on ways from `from` to `to`.
static bool find_apart(pl_step_meeting* m, const double* from, const double* to) {
    for (int s = 0; s < m->surfaces->surface_count; s++) {
        pl_contact_surface* surface = &m->surfaces->surfaces[s];
        surface->reach = surface->thickness + slack_of(m, s);
    }
    m->is_searched = m->is_apart = pl_surface_set_is_apart(m->surfaces, m->f->pool, from, to);
    if (m->is_apart) m->pairs.count = m->barriers.count = 0;
    return m->is_apart;
}

// all pairs that may come within reach on ways from `from` to `to`, after find_apart
static bool search(pl_step_meeting* m, const double* from, const double* to) {
    const size_t size = 3 * (size_t)m->vertex_count * sizeof(double);
    memcpy(m->from, from, size);
    memcpy(m->to, to, size);
    m->is_searched =
        pl_surface_set_find(m->surfaces, m->f->pool, m->from, m->to, &m->pairs, NULL) == PL_OK &&
        make_barriers(m);
    m->has_met = m->has_met || m->pairs.count > 0;
    m->out_of_memory = m->out_of_memory || !m->is_searched;
    return m->is_searched;
}

static bool covers(const pl_step_meeting* m, const double* from, const double* to) {
    return is_covered(m, from) && (from == to || is_covered(m, to));
}

static bool cover(pl_step_meeting* m, const double* from, const double* to) {
    return covers(m, from, to) || find_apart(m, from, to) || search(m, from, to);
}

// ------------------------------------------------------------------ ways

typedef struct pairs_job {
    const pl_step_meeting* m;
    const double *from, *to;
} pairs_job;

static void advance_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pairs_job* job = user;
    const pl_contact_pair* pairs = job->m->pairs.data;
    double* parts = job->m->parts.data;
    for (int k = begin; k < end; k++) {
        const pl_quad from = pl_pair_places(&pairs[k], job->from);
        pl_quad way = pl_pair_places(&pairs[k], job->to);
        parts[k] = 1.0;
        if (!pl_quad_boxes_meet(&from, &way, pairs[k].is_edges, 0.0)) continue;
        for (int i = 0; i < 4; i++) way.x[i] = pl_sub(way.x[i], from.x[i]);
        parts[k] = pl_quad_advance(&from, &way, pairs[k].is_edges);
    }
}

// the part of a short way that all pairs may go
static double part_of_short_way(pl_step_meeting* m, const double* from, const double* to) {
    pairs_job job = {m, from, to};
    double least = 1.0;
    if (!cover(m, from, to)) return 0.0;
    if (!resize(&m->parts, m->pairs.count)) {
        m->out_of_memory = true;
        return 0.0;
    }
    pl_parallel_for(m->f->pool, advance_task, (int)m->pairs.count, PAIR_BLOCK, &job);
    const double* parts = m->parts.data;
    for (size_t k = 0; k < m->pairs.count; k++) least = fmin(least, parts[k]);
    return least < 1.0 ? MARGIN * least : 1.0;
}

// searches that a way takes
static int pieces_of_way(const pl_step_meeting* m, const double* from, const double* to) {
    double longest = 0.0, edge = INFINITY;
    for (int v = 0; v < m->vertex_count; v++) {
        const size_t k = 3 * (size_t)v;
        if (m->surfaces->surface_of_vertex[v] < 0) continue;
        longest = fmax(longest, pl_norm2(pl_sub(pl_vec3_load(to + k), pl_vec3_load(from + k))));
    }
    for (int s = 0; s < m->surfaces->surface_count; s++)
        if (m->surfaces->surfaces[s].edge > 0.0) edge = fmin(edge, m->surfaces->surfaces[s].edge);
    const double pieces = ceil(sqrt(longest) / (MAX_EDGES * edge));
    return (int)fmin(fmax(pieces, 1.0), MAX_PIECES);
}

static void place_between(const pl_step_meeting* m, const double* from, const double* to,
                          double part, double* out) {
    for (int i = 0; i < 3 * m->vertex_count; i++) out[i] = from[i] + part * (to[i] - from[i]);
}

static const double* end_of(const pl_step_meeting* m, const double* x, int k) {
    return pl_step_end_positions(m->f, x, m->ends[k]);
}

static double part_of_way(pl_step_meeting* m, const double* x_from, const double* x_to) {
    if (!m->surfaces) return 1.0;
    const double *from = end_of(m, x_from, 0), *to = end_of(m, x_to, 1);
    // boxes tell it of ways of any length
    if ((!m->is_searched || m->is_apart) && (covers(m, from, to) || find_apart(m, from, to)))
        return 1.0;
    const int pieces = pieces_of_way(m, from, to);
    if (pieces == 1) return part_of_short_way(m, from, to);
    for (int k = 0; k < pieces; k++) {
        place_between(m, from, to, (double)k / pieces, m->way[0]);
        place_between(m, from, to, (double)(k + 1) / pieces, m->way[1]);
        const double part = part_of_short_way(m, m->way[0], m->way[1]);
        if (part < 1.0) return (k + part) / pieces;
    }
    return 1.0;
}

// Evaluations may search, and so change what a term is to leave alone.
static pl_step_meeting* meeting_of(const void* user) { return *(pl_step_meeting* const*)user; }

static double free_part(const void* user, const double* from, const double* to) {
    return part_of_way(meeting_of(user), from, to);
}

// ------------------------------------------------------------------ energy and gradient

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
    if (!cover(m, z, z)) return false;
    if (!resize(&m->parts, m->pairs.count) || !resize(&m->active, m->pairs.count)) {
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

static double energy(const void* user, const double* x) {
    pl_step_meeting* m = meeting_of(user);
    if (!m->surfaces) return 0.0;
    const double* z = end_of(m, x, 0);
    if (!pl_step_meeting_activate(m, z)) return INFINITY;
    places_job job = {m, z};
    const double sum =
        pl_parallel_sum(m->f->pool, energy_part, (int)m->active.count, PAIR_BLOCK, &job);
    return sum / pl_step_end_scale(m->f) + pl_meeting_friction_energy(m, x);
}

// Only for a moment: two that have come near count to the first one's piece until all pieces are
// joined.
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
    if (!resize(&m->forces, m->active.count)) {
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
            row->first_count = first_count_of(pair);
            for (int i = 0; i < 12; i++) row->r[i] = root * blocks[k][j][i];
        }
    }
    return true;
}

// what is held does not move
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
    bool ok = pl_step_meeting_activate(m, job.z) && resize(&m->blocks, ROW_BATCH);
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

// blocks of the vertices [begin, end) of a row among themselves
static void add_side(const pl_meeting_row* row, int begin, int end, pl_add_block add, void* to) {
    for (int i = begin; i < end; i++)
        for (int j = begin; j < end; j++) {
            double block[9];
            for (int c = 0; c < 9; c++) block[c] = row->r[3 * i + c / 3] * row->r[3 * j + c % 3];
            add(to, row->v[i], row->v[j], block);
        }
}

static void add_hessian(const void* user, const double* x, double projected, pl_add_block add,
                        void* to) {
    (void)x, (void)projected; // rows are of x, and all of them are projected
    const pl_step_meeting* m = meeting_of(user);
    const pl_meeting_row* rows = m->rows.data;
    for (size_t k = 0; k < m->rows.count; k++) {
        add_side(&rows[k], 0, rows[k].first_count, add, to);
        add_side(&rows[k], rows[k].first_count, 4, add, to);
    }
}

// ------------------------------------------------------------------ the term

// What was searched in the last step is forgotten: a step depends on nothing but the state.
static pl_status begin(void* user, const pl_step_objective* f, pl_error* error) {
    pl_step_meeting* m = meeting_of(user);
    m->f = f;
    m->is_searched = m->is_apart = m->has_met = m->out_of_memory = false;
    m->rows.count = m->frictions.count = 0;
    m->friction_rounds = 0;
    if (!m->surfaces) return PL_OK;
    if (f->inertia > 0.0) part_of_way(m, f->start, f->y);
    if (m->has_met) pl_meeting_friction_follow(m, f->start);
    return m->out_of_memory ? pl_fail_memory(error, "the contacts of bodies") : PL_OK;
}

static void follow(void* user, const double* x, const int* piece_of, const double* lengths) {
    pl_meeting_friction_advance(meeting_of(user), x, piece_of, lengths);
}

static pl_status check(const void* user, pl_error* error) {
    const pl_step_meeting* m = meeting_of(user);
    return m->out_of_memory ? pl_fail_memory(error, "the contacts of bodies") : PL_OK;
}

static bool joins(const void* user) { return meeting_of(user)->has_met; }

static bool go_on(void* user, const double* x) {
    enum { MAX_FRICTION_ROUNDS = 4 };
    pl_step_meeting* m = meeting_of(user);
    if (!m->surfaces || !m->has_met || m->friction_rounds >= MAX_FRICTION_ROUNDS) return false;
    m->friction_rounds++;
    return pl_meeting_friction_follow(m, x);
}

pl_step_term pl_step_meeting_term(pl_step_meeting* m) {
    return (pl_step_term){.user = &m->self,
                          .energy = energy,
                          .energies = add_energies,
                          .gradient = add_gradient,
                          .hessian = add_hessian,
                          .begin = begin,
                          .follow = follow,
                          .free_part = free_part,
                          .joins = joins,
                          .go_on = go_on,
                          .check = check};
}
