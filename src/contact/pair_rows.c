// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gauss-Seidel over contacts with nonnegative multipliers (Mueller 2008 section 6.1 for pairs;
// friction as for contacts with colliders in points.c). Both sides get opposite impulses, so
// momentum is conserved.
//
// The normal is that between the closest points at the end of the substep. If the two would meet on
// the way, it is computed there instead, because at the end they may be on the wrong sides of each
// other.
#include "contact/pair_rows.h"
#include "math/double4.h"

#include <string.h>

// Steps of continuous collision detection. Each reduces the distance to a tenth, until it equals
// the thickness. A vertex that comes from a distance of a hundred metres needs seven steps to reach
// a hundredth of a millimetre.
enum { APPROACHES = 10, PAIR_BLOCK = 256 };
// Neighbours in a surface are about as near as PL_PAIR_NEAR. Pairs whose distance the surface
// itself maintains get a row only below this multiple of their distance.
static const double NEAR_AT_REST = 1.2;
// Smallest fraction of the missing distance that a substep restores; but at most the whole distance
// in PL_PARTING_TIME, because bodies that start too close would fly apart.
static const double MIN_RATE = 0.1;

static double thickness_of_both(const pl_pair_motion* m, const pl_contact_pair* pair) {
    const pl_contact_surface* surfaces = m->surfaces->surfaces;
    return pl_surfaces_distance(&surfaces[pair->surfaces[0]], &surfaces[pair->surfaces[1]]);
}

static double wanted_distance(const pl_pair_motion* m, const pl_contact_pair* pair) {
    const double wanted = thickness_of_both(m, pair);
    if (pair->surfaces[0] != pair->surfaces[1]) return wanted;
    const pl_quad rest = pl_pair_places(pair, m->surfaces->rest);
    return fmin(wanted, PL_REST_PART * pl_quad_distance(&rest, pair->is_edges, NULL));
}

static pl_quad between(const pl_quad* from, const pl_quad* to, double part) {
    pl_quad at;
    for (int i = 0; i < 4; i++) at.x[i] = pl_lerp(from->x[i], to->x[i], part);
    return at;
}

// Advances along the motion until the two are closer than `near`. Returns true if they would meet;
// `at`: their positions just before.
static bool approach(const pl_quad* from, const pl_quad* to, bool is_edges, double near,
                     pl_quad* at) {
    *at = *from;
    for (int k = 0; k < APPROACHES; k++) {
        pl_quad motion;
        for (int i = 0; i < 4; i++) motion.x[i] = pl_sub(to->x[i], at->x[i]);
        const double part = pl_quad_advance(at, &motion, is_edges);
        if (part >= 1.0) return false;
        *at = between(at, to, part);
        if (pl_quad_distance(at, is_edges, NULL) <= near || !(part > 0.0)) return true;
    }
    return true;
}

// sum of weights[i] x[i]
static pl_vec3 difference(const double weights[4], const pl_quad* at) {
    pl_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) sum = pl_madd(sum, weights[i], at->x[i]);
    return sum;
}

static double ways_of(const pl_quad* from, const pl_quad* to, bool is_edges) {
    pl_quad ways;
    for (int i = 0; i < 4; i++) ways.x[i] = pl_sub(to->x[i], from->x[i]);
    return pl_quad_approach(&ways, is_edges);
}

// Positions of the corners of a pair, each in the first three lanes.
typedef struct wide_quad {
    pl_d4 x[4];
} wide_quad;

PL_WIDE wide_quad load_quad(const pl_pair_motion* m, const pl_contact_pair* pair, const double* x) {
    wide_quad out;
    for (int i = 0; i < 4; i++)
        out.x[i] = pl_load_point_d4(x, pair->v[i], m->surfaces->vertex_count - 1);
    return out;
}

// False if the boxes around both paths are farther apart than `room`, as in pl_quad_boxes_meet.
PL_WIDE bool boxes_meet(const wide_quad* from, const wide_quad* to, bool is_edges, double room) {
    pl_d4 low[4], high[4];
    for (int i = 0; i < 4; i++) {
        low[i] = pl_min_d4(from->x[i], to->x[i]);
        high[i] = pl_max_d4(from->x[i], to->x[i]);
    }
    const int with = is_edges ? 0 : 3; // another corner on the same side as corner 1
    low[with] = pl_min_d4(low[with], low[1]), high[with] = pl_max_d4(high[with], high[1]);
    low[3] = pl_min_d4(low[3], low[2]), high[3] = pl_max_d4(high[3], high[2]);
    return pl_all_xyz_d4((low[0] - room <= high[3]) & (low[3] <= high[0] + room));
}

bool pl_pair_may_touch(const pl_pair_motion* m, const pl_contact_pair* pair) {
    const wide_quad start = load_quad(m, pair, m->start), end = load_quad(m, pair, m->end);
    const double room = PL_PAIR_NEAR * thickness_of_both(m, pair);
    if (!boxes_meet(&start, &end, pair->is_edges, room)) return false;
    const pl_quad from = pl_pair_places(pair, m->start), to = pl_pair_places(pair, m->end);
    const double near = ways_of(&from, &to, pair->is_edges) + room;
    if (pl_quad_is_beyond(&from, pair->is_edges, near)) return false;
    return pl_quad_is_within(&from, pair->is_edges, near) ||
           pl_quad_distance(&from, pair->is_edges, NULL) <= near;
}

bool pl_pair_row_make(const pl_pair_motion* m, const pl_contact_pair* pair, pl_pair_row* out) {
    const pl_quad from = pl_pair_places(pair, m->start), to = pl_pair_places(pair, m->end);
    const double wanted = wanted_distance(m, pair);
    const double before = pl_quad_distance(&from, pair->is_edges, NULL);
    const double ways = ways_of(&from, &to, pair->is_edges);
    double share = 0.0;
    const bool are_neighbours = wanted < thickness_of_both(m, pair);
    const double near = (are_neighbours ? NEAR_AT_REST : PL_PAIR_NEAR) * wanted;
    if (before - ways > near || !(before > 0.0)) return false;
    pl_quad at = to;
    // follow only pairs that could pass through each other
    const bool meet = ways >= 0.9 * before && approach(&from, &to, pair->is_edges, wanted, &at);
    if (!meet) at = to;
    const double distance = pl_quad_distance(&at, pair->is_edges, out->weights);
    if (!(distance > 0.0)) return false;
    for (int i = 0; i < 4; i++) {
        out->v[i] = pair->v[i];
        if (!m->held[pair->v[i]]) share += out->weights[i] * out->weights[i] / m->mass[pair->v[i]];
    }
    if (!(share > 0.0)) return false;
    const pl_contact_surface* surfaces = m->surfaces->surfaces;
    out->share = share;
    out->is_edges = pair->is_edges;
    out->normal = pl_scale(1.0 / distance, difference(out->weights, &at));
    const double missing = fmax(wanted - before, 0.0);
    const double returned =
        fmin(fmax(m->share_of_step, MIN_RATE) * missing, wanted * m->time / PL_PARTING_TIME);
    out->distance = wanted - missing + returned;
    out->friction =
        fmax(surfaces[pair->surfaces[0]].friction, surfaces[pair->surfaces[1]].friction);
    out->push = 0.0;
    out->drag = (pl_vec3){0, 0, 0};
    return true;
}

static void add_impulse(const pl_pair_motion* m, const pl_pair_row* row, pl_vec3 impulse) {
    for (int i = 0; i < 4; i++) {
        if (m->held[row->v[i]]) continue;
        double* x = m->end + 3 * (size_t)row->v[i];
        pl_vec3_store(x, pl_madd(pl_vec3_load(x), row->weights[i] / m->mass[row->v[i]], impulse));
    }
}

static void project_normal(const pl_pair_motion* m, pl_pair_row* row) {
    pl_quad at;
    for (int i = 0; i < 4; i++) at.x[i] = pl_vec3_load(m->end + 3 * (size_t)row->v[i]);
    const double gap = pl_dot(row->normal, difference(row->weights, &at)) - row->distance;
    const double push = fmax(row->push - gap / row->share, 0.0);
    add_impulse(m, row, pl_scale(push - row->push, row->normal));
    row->push = push;
}

// total friction is at most the coefficient times the total normal impulse
static void project_slip(const pl_pair_motion* m, pl_pair_row* row) {
    if (!(row->friction > 0.0)) return;
    pl_quad ways;
    for (int i = 0; i < 4; i++) {
        const size_t k = 3 * (size_t)row->v[i];
        ways.x[i] = pl_sub(pl_vec3_load(m->end + k), pl_vec3_load(m->start + k));
    }
    pl_vec3 slip = difference(row->weights, &ways);
    slip = pl_madd(slip, -pl_dot(slip, row->normal), row->normal);
    pl_vec3 drag = pl_madd(row->drag, -1.0 / row->share, slip);
    const double size = pl_norm(drag), limit = row->friction * row->push;
    if (size > limit) drag = pl_scale(limit / size, drag);
    add_impulse(m, row, pl_sub(drag, row->drag));
    row->drag = drag;
}

void pl_pair_rows_project(const pl_pair_motion* m, pl_pair_row* rows, int count) {
    for (int k = 0; k < count; k++) {
        project_normal(m, &rows[k]);
        project_slip(m, &rows[k]);
    }
}

// ------------------------------------------------------------------ no passing

typedef struct pairs_job {
    const pl_pair_motion* motion;
    const pl_contact_pair* pairs;
    double* parts;
} pairs_job;

// A pair whose moving vertices are all held cannot be kept apart.
static bool can_wait(const pl_pair_motion* m, const pl_contact_pair* pair) {
    for (int i = 0; i < 4; i++) {
        const size_t k = 3 * (size_t)pair->v[i];
        if (!m->held[pair->v[i]] && memcmp(m->start + k, m->end + k, 3 * sizeof(double)) != 0)
            return true;
    }
    return false;
}

static void advance_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pairs_job* job = user;
    for (int k = begin; k < end; k++) {
        const pl_contact_pair* pair = &job->pairs[k];
        const pl_quad from = pl_pair_places(pair, job->motion->start);
        pl_quad way = pl_pair_places(pair, job->motion->end);
        job->parts[k] = 1.0;
        if (!can_wait(job->motion, pair)) continue;
        if (!pl_quad_boxes_meet(&from, &way, pair->is_edges, 0.0)) continue;
        for (int i = 0; i < 4; i++) way.x[i] = pl_sub(way.x[i], from.x[i]);
        job->parts[k] = pl_quad_advance(&from, &way, pair->is_edges);
    }
}

double pl_pairs_advance(const pl_pair_motion* motion, pl_pool* pool, const pl_contact_pair* pairs,
                        int count, double* parts) {
    pairs_job job = {motion, pairs, parts};
    double least = 1.0;
    pl_parallel_for(pool, advance_task, count, PAIR_BLOCK, &job);
    for (int k = 0; k < count; k++) least = fmin(least, parts[k]);
    return least;
}

void pl_pairs_limit(const pl_contact_pair* pairs, int count, const double* parts, double margin,
                    double* limits) {
    for (int k = 0; k < count; k++)
        for (int i = 0; parts[k] < 1.0 && i < 4; i++) {
            double* limit = &limits[pairs[k].v[i]];
            *limit = fmin(*limit, margin * parts[k]);
        }
}
