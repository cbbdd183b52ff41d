// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A search for pairs covers several substeps. It looks along the straight paths that the vertices
// are expected to take, with some slack on each side. As long as no vertex leaves its path by more
// than the slack of its surface, no unlisted pair can meet. When a vertex does, a new search starts
// and looks ahead twice as many substeps as the last one lasted. The same bound gives the first
// substep in which a pair can come near. Until then the pair sleeps; most pairs never wake.
//
// After the solver has moved the bodies, pairs that are too close push (pair_rows.h). A few sweeps
// do not separate all of them, so continuous collision detection then checks the paths of the
// substep and shortens those on which two surfaces would meet. It never reports a time of impact
// that is too late, so surfaces that did not cross at the start of a substep do not cross at its
// end. Vertices that are held exactly are the exception: they follow their attachments through
// everything.
#include "pbd/pbd_meeting.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// FIRST_HORIZON, MAX_HORIZON: substeps that a search looks ahead: the first search of a step, and
// any search. CUT_ROUNDS: after this many rounds, vertices that would meet stay where they were.
enum { SWEEPS = 6, FIRST_HORIZON = 8, MAX_HORIZON = 32, CUT_ROUNDS = 3, MAX_ROUNDS = 30 };
enum { VERTEX_BLOCK = 16384, PAIR_BLOCK = 256 };
// Slack as a fraction of the mean edge of a surface. A surface that can meet itself has less,
// because it would list too many neighbours; it is searched more often.
static const double SLACK = 0.2, SLACK_OF_SELF = 0.1;
// A search looks ahead only until the relative motion is this many mean edges; otherwise fast
// bodies would list nearly all pairs.
static const double MAX_EDGES_AHEAD = 2.0;

pl_pbd_meeting pl_pbd_meeting_empty(void) {
    return (pl_pbd_meeting){.pairs = pl_array_of(sizeof(pl_contact_pair)),
                            .wakes = pl_array_of(sizeof(int)),
                            .awake = pl_array_of(sizeof(pl_contact_pair)),
                            .near = pl_array_of(sizeof(bool)),
                            .checked = pl_array_of(sizeof(pl_contact_pair)),
                            .rows = pl_array_of(sizeof(pl_pair_row)),
                            .parts = pl_array_of(sizeof(double))};
}

void pl_pbd_meeting_free(pl_pbd_meeting* m) {
    pl_array_free(&m->pairs);
    pl_array_free(&m->wakes);
    pl_array_free(&m->awake);
    pl_array_free(&m->near);
    pl_array_free(&m->checked);
    pl_array_free(&m->rows);
    pl_array_free(&m->parts);
    PL_FREE(m->limits, double, m->vertex_count);
    PL_FREE(m->pushed, double, 3 * (size_t)m->vertex_count);
    PL_FREE(m->from, double, 3 * (size_t)m->vertex_count);
    PL_FREE(m->way, double, 3 * (size_t)m->vertex_count);
    PL_FREE(m->solved, double, 3 * (size_t)m->vertex_count);
    *m = (pl_pbd_meeting){0};
}

void pl_pbd_meeting_begin(pl_pbd_meeting* m, const pl_method_step* step) {
    m->told = step->contacts;
    m->told_rate = 1.0 / step->time_step;
    m->told_count = 0;
    if (m->told) m->told->count = 0;
    m->horizon = m->part_count = m->active_count = 0;
    m->next_horizon = FIRST_HORIZON;
    if (m->pushed) memset(m->pushed, 0, 3 * (size_t)m->vertex_count * sizeof(double));
}

static pl_status make_room(pl_pbd_meeting* m, int vertex_count, pl_error* error) {
    const size_t count = (size_t)vertex_count;
    if (m->from && m->way && m->solved && m->limits && m->pushed) return PL_OK;
    m->vertex_count = vertex_count;
    if (!m->from) m->from = PL_ALLOC(double, 3 * count);
    if (!m->way) m->way = PL_ALLOC(double, 3 * count);
    if (!m->solved) m->solved = PL_ALLOC(double, 3 * count);
    if (!m->limits) m->limits = PL_ALLOC(double, count);
    if (!m->pushed) m->pushed = PL_ALLOC(double, 3 * count);
    if (!m->from || !m->way || !m->solved || !m->limits || !m->pushed)
        return pl_fail_memory(error, "the contacts of bodies");
    for (size_t v = 0; v < count; v++) m->limits[v] = 1.0;
    return PL_OK;
}

// ------------------------------------------------------------------ search

static double slack_of(const pl_contact_surface* surface) {
    return (surface->meets_itself ? SLACK_OF_SELF : SLACK) * surface->edge;
}

typedef struct deviation_job {
    const pl_pbd_meeting* meeting;
    const pl_surface_set* surfaces;
    const double* x;
    double parts; // substeps since the search
    double part;  // fraction of the slack
} deviation_job;

static double count_strays(int begin, int end, void* user) {
    const deviation_job* job = user;
    int count = 0;
    for (int v = begin; v < end; v++) {
        const int surface = job->surfaces->surface_of_vertex[v];
        if (surface < 0) continue;
        const size_t k = 3 * (size_t)v;
        const pl_vec3 expected = pl_madd(pl_vec3_load(job->meeting->from + k), job->parts,
                                         pl_vec3_load(job->meeting->way + k));
        const double slack = job->part * slack_of(&job->surfaces->surfaces[surface]);
        count += !(pl_norm2(pl_sub(pl_vec3_load(job->x + k), expected)) <= slack * slack);
    }
    return (double)count;
}

static bool strays(const pl_pbd_meeting* m, const pl_surface_set* surfaces, pl_pool* pool,
                   const double* x, int parts, double part) {
    deviation_job job = {m, surfaces, x, parts, part};
    return pl_parallel_sum(pool, count_strays, m->vertex_count, VERTEX_BLOCK, &job) > 0.0 ||
           !pl_surface_set_stays_flat(surfaces, pool, x);
}

typedef struct wake_job {
    const pl_pbd_meeting* meeting;
    const pl_surface_set* surfaces;
    int* wakes;
} wake_job;

// The first substep after the search in which a pair can come near. Its distance is at least that
// at the search minus the approach along the expected paths and minus the slack.
static int wake_of(const wake_job* job, const pl_contact_pair* pair) {
    const pl_contact_surface *a = &job->surfaces->surfaces[pair->surfaces[0]],
                             *b = &job->surfaces->surfaces[pair->surfaces[1]];
    const pl_quad at = pl_pair_places(pair, job->meeting->from),
                  ways = pl_pair_places(pair, job->meeting->way);
    const double near = PL_PAIR_NEAR * pl_surfaces_distance(a, b) + slack_of(a) + slack_of(b);
    const double way = pl_quad_approach(&ways, pair->is_edges);
    if (pl_quad_is_within(&at, pair->is_edges, near + way)) return 1;
    const double left = pl_quad_distance(&at, pair->is_edges, NULL) - near;
    if (!(left > way)) return 1;
    return left < MAX_HORIZON * way ? (int)(left / way) : MAX_HORIZON + 1;
}

static void wake_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const wake_job* job = user;
    const pl_contact_pair* pairs = job->meeting->pairs.data;
    for (int k = begin; k < end; k++) job->wakes[k] = wake_of(job, &pairs[k]);
}

// Computes when pairs wake, and drops those that sleep until the next search.
static bool put_to_sleep(pl_pbd_meeting* m, const pl_surface_set* surfaces, pl_pool* pool) {
    pl_contact_pair* pairs = m->pairs.data;
    m->wakes.count = 0;
    int* wakes = pl_array_add(&m->wakes, m->pairs.count);
    if (m->pairs.count && !wakes) return false;
    wake_job job = {m, surfaces, wakes};
    pl_parallel_for(pool, wake_task, (int)m->pairs.count, PAIR_BLOCK, &job);
    size_t kept = 0;
    for (size_t k = 0; k < m->pairs.count; k++) {
        if (wakes[k] > m->horizon) continue;
        pairs[kept] = pairs[k];
        wakes[kept++] = wakes[k];
    }
    m->pairs.count = m->wakes.count = kept;
    return true;
}

// lists the pairs that can come near in the current substep
static bool wake_pairs(pl_pbd_meeting* m) {
    const pl_contact_pair* pairs = m->pairs.data;
    const int* wakes = m->wakes.data;
    m->awake.count = m->near.count = 0;
    pl_contact_pair* awake = pl_array_add(&m->awake, m->pairs.count);
    if (m->pairs.count && !awake) return false;
    m->awake.count = 0;
    for (size_t k = 0; k < m->pairs.count; k++)
        if (wakes[k] <= m->part_count + 1) awake[m->awake.count++] = pairs[k];
    return true;
}

// finds all pairs that may meet within `horizon` substeps at the current motion
static pl_status search(pl_pbd_meeting* m, pl_surface_set* surfaces, pl_pool* pool,
                        const double* start, const double* end, int horizon, pl_error* error) {
    const size_t count = 3 * (size_t)m->vertex_count;
    for (int s = 0; s < surfaces->surface_count; s++) {
        pl_contact_surface* surface = &surfaces->surfaces[s];
        surface->reach = surface->thickness + slack_of(surface);
        surface->moves_as_one = surface->meets_itself; // along the expected paths; `strays` checks
                                                       // that this holds
    }
    memcpy(m->from, start, count * sizeof(double));
    for (size_t i = 0; i < count; i++) m->way[i] = start[i] + horizon * (end[i] - start[i]);
    pl_status status = pl_surface_set_find(surfaces, pool, m->from, m->way, &m->pairs, error);
    for (size_t i = 0; i < count; i++) m->way[i] = end[i] - start[i];
    m->part_count = 0;
    m->horizon = status == PL_OK ? horizon : 0;
    if (status == PL_OK && (!put_to_sleep(m, surfaces, pool) || !wake_pairs(m)))
        status = pl_fail_memory(error, "the contacts of bodies");
    return status;
}

// Number of substeps that the next search looks ahead, at most `most`.
static int choose_horizon(pl_pbd_meeting* m, const pl_surface_set* surfaces,
                          const pl_pair_motion* motion, int most) {
    if (m->horizon > 0) m->next_horizon = 2 * (m->part_count > 0 ? m->part_count : 1);
    if (most > m->next_horizon) most = m->next_horizon;
    pl_vec3 mean = {0, 0, 0};
    double longest = 0.0, edge = INFINITY;
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int v = 0; v < surfaces->vertex_count; v++) {
            const size_t k = 3 * (size_t)v;
            if (surfaces->surface_of_vertex[v] < 0) continue;
            const pl_vec3 way =
                pl_sub(pl_vec3_load(motion->end + k), pl_vec3_load(motion->start + k));
            if (pass == 0) mean = pl_add(mean, way), count++;
            else longest = fmax(longest, pl_distance(way, mean));
        }
        if (pass == 0) mean = pl_scale(1.0 / fmax(count, 1), mean);
    }
    for (int s = 0; s < surfaces->surface_count; s++) edge = fmin(edge, surfaces->surfaces[s].edge);
    if (!(most * longest > MAX_EDGES_AHEAD * edge)) return most;
    return (int)fmax(MAX_EDGES_AHEAD * edge / longest, 1.0);
}

// ------------------------------------------------------------------ no passing

static void count_push(pl_pbd_meeting* m, int v, pl_vec3 momentum) {
    double* sum = m->pushed + 3 * (size_t)v;
    pl_vec3_store(sum, pl_add(pl_vec3_load(sum), momentum));
}

static void shorten(pl_pbd_meeting* m, const pl_pair_motion* motion, int v, double part) {
    const size_t k = 3 * (size_t)v;
    if (motion->held[v]) return;
    const pl_vec3 from = pl_vec3_load(motion->start + k), to = pl_vec3_load(motion->end + k);
    const pl_vec3 at = pl_lerp(from, to, part);
    m->lost = pl_madd(m->lost, motion->mass[v], pl_sub(to, at));
    count_push(m, v, pl_scale(m->rate * motion->mass[v], pl_sub(at, to)));
    pl_vec3_store(motion->end + k, at);
}

static bool has_moved(const pl_pbd_meeting* m, const pl_pair_motion* motion,
                      const pl_contact_pair* pair) {
    for (int i = 0; i < 4; i++) {
        const size_t k = 3 * (size_t)pair->v[i];
        if (memcmp(m->solved + k, motion->end + k, 3 * sizeof(double)) != 0) return true;
    }
    return false;
}

// Lists the pairs to check. Pairs that were too far apart to meet still are, unless one of their
// vertices has moved since.
static bool list_checked(pl_pbd_meeting* m, const pl_pair_motion* motion) {
    const pl_contact_pair* awake = m->awake.data;
    const bool* near = m->near.count ? m->near.data : NULL;
    m->checked.count = 0;
    pl_contact_pair* checked = pl_array_add(&m->checked, m->awake.count);
    if (m->awake.count && !checked) return false;
    m->checked.count = 0;
    for (size_t k = 0; k < m->awake.count; k++)
        if (!near || near[k] || has_moved(m, motion, &awake[k]))
            checked[m->checked.count++] = awake[k];
    m->parts.count = 0;
    return m->checked.count == 0 || pl_array_add(&m->parts, m->checked.count);
}

// Shortens the paths of pairs that would meet, each vertex to its smallest allowed fraction times
// `margin`.
static void cut_ways(pl_pbd_meeting* m, const pl_pair_motion* motion, double margin) {
    const pl_contact_pair* pairs = m->checked.data;
    const double* parts = m->parts.data;
    pl_pairs_limit(pairs, (int)m->checked.count, parts, margin, m->limits);
    for (size_t k = 0; k < m->checked.count; k++)
        for (int i = 0; parts[k] < 1.0 && i < 4; i++) {
            double* limit = &m->limits[pairs[k].v[i]];
            if (*limit < 1.0) shorten(m, motion, pairs[k].v[i], *limit);
            *limit = 1.0;
        }
}

// Shortens paths in rounds, because shortened paths may block others. After CUT_ROUNDS rounds,
// vertices that would meet stay at their start; if that is not enough, all vertices do.
static pl_status keep_apart(pl_pbd_meeting* m, pl_surface_set* surfaces, pl_pool* pool,
                            const pl_pair_motion* motion, pl_error* error) {
    for (int round = 0; round < MAX_ROUNDS; round++) {
        pl_status status = PL_OK;
        if (m->horizon == 0 || m->part_count >= m->horizon ||
            strays(m, surfaces, pool, motion->end, m->part_count + 1, 1.0))
            status = search(m, surfaces, pool, motion->start, motion->end, 1, error);
        if (status != PL_OK) return status;
        if (!list_checked(m, motion)) return pl_fail_memory(error, "the contacts of bodies");
        if (pl_pairs_advance(motion, pool, m->checked.data, (int)m->checked.count, m->parts.data) >=
            1.0)
            return PL_OK;
        cut_ways(m, motion, round < CUT_ROUNDS ? 0.95 : 0.0);
    }
    for (int v = 0; v < m->vertex_count; v++) shorten(m, motion, v, 0.0);
    return PL_OK;
}

pl_status pl_pbd_keep_apart(pl_pbd_meeting* m, pl_surface_set* surfaces, pl_pool* pool,
                            const pl_pair_motion* motion, pl_error* error) {
    pl_status status = make_room(m, surfaces->vertex_count, error);
    m->horizon = 0;
    m->rate = 0.0; // what shortening takes away here was not counted as a push, so nothing is
                   // subtracted
    return status == PL_OK ? keep_apart(m, surfaces, pool, motion, error) : status;
}

// ------------------------------------------------------------------ response

typedef struct pairs_job {
    const pl_pair_motion* motion;
    const pl_contact_pair* pairs;
    bool* near;
} pairs_job;

// Finds the pairs that can be too close at the end or meet on the way; most cannot.
static void near_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pairs_job* job = user;
    for (int k = begin; k < end; k++) job->near[k] = pl_pair_may_touch(job->motion, &job->pairs[k]);
}

static pl_status make_rows(pl_pbd_meeting* m, pl_pool* pool, const pl_pair_motion* motion,
                           pl_error* error) {
    m->rows.count = 0;
    if (!wake_pairs(m)) return pl_fail_memory(error, "the contacts of bodies");
    bool* near = pl_array_add(&m->near, m->awake.count);
    if (m->awake.count && !near) return pl_fail_memory(error, "the contacts of bodies");
    const pl_contact_pair* pairs = m->awake.data;
    pairs_job job = {motion, pairs, near};
    pl_parallel_for(pool, near_task, (int)m->awake.count, PAIR_BLOCK, &job);
    for (size_t k = 0; k < m->awake.count; k++) {
        pl_pair_row row;
        if (near[k] && pl_pair_row_make(motion, &pairs[k], &row) && !pl_array_push(&m->rows, &row))
            return pl_fail_memory(error, "the contacts of bodies");
    }
    return PL_OK;
}

// bodies must not push each other into the ground
static void project_planes(const pl_pair_motion* motion, const pl_pbd_part* part,
                           const pl_contact* planes, int count) {
    for (int k = 0; k < count; k++) {
        const pl_contact* c = &planes[k];
        double* x = motion->end + 3 * (size_t)c->vertex;
        const pl_vec3 from = pl_vec3_load(motion->start + 3 * (size_t)c->vertex);
        const pl_vec3 at = pl_vec3_load(x), place = pl_pbd_contact_place(c, part, from);
        const double depth = pl_dot(pl_sub(place, at), c->normal);
        if (depth > 0.0 && !motion->held[c->vertex])
            pl_vec3_store(x, pl_madd(at, depth, c->normal));
    }
}

// If nothing external acts on the bodies, the motion that shortening removed is distributed over
// all of them. This conserves momentum and brings no two bodies closer together.
static void give_back(pl_pbd_meeting* m, const pl_pair_motion* motion) {
    double mass = 0.0;
    for (int v = 0; v < m->vertex_count; v++) {
        if (motion->held[v]) return;
        mass += motion->mass[v];
    }
    const pl_vec3 shift = pl_scale(1.0 / mass, m->lost);
    for (int v = 0; v < m->vertex_count; v++) {
        double* x = motion->end + 3 * (size_t)v;
        pl_vec3_store(x, pl_add(pl_vec3_load(x), shift));
        count_push(m, v, pl_scale(m->rate * motion->mass[v], shift));
    }
}

// Counts the pairs that pushed and sums their impulses.
static int count_pushing(pl_pbd_meeting* m) {
    const pl_pair_row* rows = m->rows.data;
    int count = 0;
    for (size_t k = 0; k < m->rows.count; k++) {
        if (!(rows[k].push > 0.0)) continue;
        const pl_vec3 impulse = pl_madd(rows[k].drag, rows[k].push, rows[k].normal);
        for (int i = 0; i < 4; i++)
            count_push(m, rows[k].v[i], pl_scale(m->rate * rows[k].weights[i], impulse));
        count++;
    }
    return count;
}

// Adds the pushes of this substep to the mean forces of the step.
static bool tell(pl_pbd_meeting* m, const double* x) {
    const pl_pair_row* rows = m->rows.data;
    for (size_t k = 0; k < m->rows.count; k++) {
        const pl_pair_row* row = &rows[k];
        if (!(row->push > 0.0)) continue;
        pl_contact_report report =
            pl_report_of_pair(row->v, row->is_edges, row->weights, row->normal, x);
        report.force = pl_scale(m->told_rate * m->rate, pl_madd(row->drag, row->push, row->normal));
        report.order = m->told_count;
        if (!pl_array_push(m->told, &report)) return false;
    }
    pl_reports_join(m->told, 0);
    m->told_count++;
    return true;
}

pl_status pl_pbd_meet(pl_pbd_meeting* m, pl_surface_set* surfaces, pl_pool* pool,
                      const pl_pair_motion* motion, const pl_pbd_part* part, int parts_left,
                      const pl_contact* planes, int plane_count, pl_error* error) {
    pl_status status = make_room(m, surfaces->vertex_count, error);
    if (status != PL_OK) return status;
    m->rate = 1.0 / part->time_step;
    // half of the slack is reserved for the pushes of contacts
    if (m->horizon == 0 || m->part_count >= m->horizon ||
        strays(m, surfaces, pool, motion->end, m->part_count + 1, 0.5)) {
        const int most = parts_left + 1 < MAX_HORIZON ? parts_left + 1 : MAX_HORIZON;
        status = search(m, surfaces, pool, motion->start, motion->end,
                        choose_horizon(m, surfaces, motion, most), error);
    }
    if (status == PL_OK) status = make_rows(m, pool, motion, error);
    if (status != PL_OK) return status;
    // without rows no pair can meet in this substep
    if (m->rows.count) memcpy(m->solved, motion->end, 3 * (size_t)m->vertex_count * sizeof(double));
    for (int k = 0; k < SWEEPS && m->rows.count; k++) {
        pl_pair_rows_project(motion, m->rows.data, (int)m->rows.count);
        project_planes(motion, part, planes, plane_count);
    }
    m->active_count = count_pushing(m);
    if (m->told && !tell(m, motion->end)) return pl_fail_memory(error, "contacts");
    m->lost = (pl_vec3){0, 0, 0};
    if (m->rows.count) status = keep_apart(m, surfaces, pool, motion, error);
    if (pl_norm2(m->lost) > 0.0 && plane_count == 0) give_back(m, motion);
    m->part_count++;
    return status;
}
