// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How far pieces may move on straight paths. Continuous collision detection decides; its limits are
// conservative. Long paths are searched part by part: a single search would list nearly all pairs.
#include "mesh/disjoint_sets.h"
#include "step/step_meeting.h"

#include <math.h>

enum { PAIR_BLOCK = 256 };
// One search covers at most one edge length.
static const double MAX_EDGES = 1.0;
// Paths that need more searches are limited to this many.
enum { MAX_SEARCHES = 16 };
// Fraction of the path up to a collision that a step may use.
static const double MARGIN = 0.9;

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

// part k of `count` parts of a path; count may exceed the range of integers
typedef struct way_part {
    int k;
    double count;
} way_part;

static void limit_all(pl_step_meeting* m, double part) {
    for (int p = 0; p < m->pieces->count; p++)
        if (isfinite(m->limits[p])) m->limits[p] = fmin(m->limits[p], part);
}

static void limit_pair(pl_step_meeting* m, const pl_contact_pair* pair, double part) {
    double *first = &m->limits[m->pieces->piece_of[pair->v[0]]],
           *second = &m->limits[m->pieces->piece_of[pair->v[3]]];
    *first = fmin(*first, part);
    *second = fmin(*second, part);
}

// Limits pieces to the fraction of a short path that their pairs allow. False if any piece is
// limited.
static bool limit_short_way(pl_step_meeting* m, const double* from, const double* to,
                            way_part way) {
    pairs_job job = {m, from, to};
    bool is_free = true;
    if (!pl_step_meeting_cover(m, from, to) || !pl_step_meeting_resize(&m->parts, m->pairs.count)) {
        m->out_of_memory = true;
        limit_all(m, way.k / way.count);
        return false;
    }
    pl_parallel_for(m->f->pool, advance_task, (int)m->pairs.count, PAIR_BLOCK, &job);
    const pl_contact_pair* pairs = m->pairs.data;
    const double* parts = m->parts.data;
    for (size_t k = 0; k < m->pairs.count; k++) {
        if (!(parts[k] < 1.0)) continue;
        limit_pair(m, &pairs[k], (way.k + MARGIN * parts[k]) / way.count);
        is_free = false;
    }
    return is_free;
}

// The common motion of a single surface that moves as one: its pairs depend only on how its parts
// move relative to each other.
static pl_vec3 common_way(const pl_step_meeting* m, const double* from, const double* to) {
    const pl_contact_surface* surface = m->surfaces->surfaces;
    pl_vec3 sum = {0, 0, 0};
    int count = 0;
    if (m->surfaces->surface_count != 1 || !surface->moves_as_one) return sum;
    for (int v = surface->first_vertex; v < surface->end_vertex; v++) {
        const size_t k = 3 * (size_t)v;
        if (m->surfaces->surface_of_vertex[v] < 0) continue;
        sum = pl_add(sum, pl_sub(pl_vec3_load(to + k), pl_vec3_load(from + k)));
        count++;
    }
    return pl_scale(1.0 / (count ? count : 1), sum);
}

// number of searches that a path needs
static double searches_of_way(const pl_step_meeting* m, const double* from, const double* to) {
    const pl_vec3 common = common_way(m, from, to);
    double longest = 0.0, edge = INFINITY;
    for (int v = 0; v < m->vertex_count; v++) {
        const size_t k = 3 * (size_t)v;
        if (m->surfaces->surface_of_vertex[v] < 0) continue;
        const pl_vec3 way = pl_sub(pl_vec3_load(to + k), pl_vec3_load(from + k));
        longest = fmax(longest, pl_norm2(pl_sub(way, common)));
    }
    for (int s = 0; s < m->surfaces->surface_count; s++)
        if (m->surfaces->surfaces[s].edge > 0.0) edge = fmin(edge, m->surfaces->surfaces[s].edge);
    return ceil(sqrt(longest) / (MAX_EDGES * edge));
}

static void place_between(const pl_step_meeting* m, const double* from, const double* to,
                          double part, double* out) {
    for (int i = 0; i < 3 * m->vertex_count; i++) out[i] = from[i] + part * (to[i] - from[i]);
}

// On a long path, only pieces that are near another one somewhere on it are limited. Boxes decide
// that for paths of any length.
static void leave_lone_pieces(pl_step_meeting* m) {
    const pl_surface_set* set = m->surfaces;
    for (int p = 0; p < m->pieces->count; p++) m->limits[p] = INFINITY;
    for (int v = 0; v < m->vertex_count; v++) {
        const int s = set->surface_of_vertex[v];
        if (s >= 0 && set->surfaces[s].is_near) m->limits[m->pieces->piece_of[v]] = 1.0;
    }
}

static void limit_long_way(pl_step_meeting* m, const double* from, const double* to, double count) {
    way_part way = {0, count};
    bool is_free = true;
    if (pl_step_meeting_is_apart(m, from, to)) return;
    leave_lone_pieces(m);
    if (!isfinite(count)) {
        limit_all(m, 0.0);
        return;
    }
    for (; is_free && way.k < count && way.k < MAX_SEARCHES; way.k++) {
        place_between(m, from, to, way.k / count, m->way[0]);
        place_between(m, from, to, (way.k + 1) / count, m->way[1]);
        is_free = limit_short_way(m, m->way[0], m->way[1], way);
    }
    limit_all(m, way.k / count); // the rest was not searched
}

static void limit_way(pl_step_meeting* m, const double* from, const double* to) {
    if ((!m->is_searched || m->is_apart) &&
        (pl_step_meeting_covers(m, from, to) || pl_step_meeting_is_apart(m, from, to)))
        return;
    const double count = searches_of_way(m, from, to);
    if (count <= 1.0) limit_short_way(m, from, to, (way_part){0, 1.0});
    else limit_long_way(m, from, to, count);
}

// Joined pieces move by the same fraction of their paths: then pairs between them stay as free as
// they were found to be. All others have no pair anywhere on these paths.
static void share_limits(pl_step_meeting* m) {
    for (int p = 0; p < m->pieces->count; p++) {
        double* limit = &m->limits[pl_set_root(m->roots, p)];
        *limit = fmin(*limit, m->limits[p]);
    }
    for (int p = 0; p < m->pieces->count; p++)
        m->limits[p] = fmin(m->limits[pl_set_root(m->roots, p)], 1.0);
}

void pl_step_meeting_limit(pl_step_meeting* m, const double* x_from, const double* x_to) {
    for (int p = 0; p < m->pieces->count; p++) m->limits[p] = 1.0;
    limit_way(m, pl_step_end_positions(m->f, x_from, m->ends[0]),
              pl_step_end_positions(m->f, x_to, m->ends[1]));
    share_limits(m);
}
