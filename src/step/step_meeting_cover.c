// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Checks whether the list contains all pairs that can be near at given positions: each vertex has
// to be near the straight path along which pairs were searched.
#include "step/step_meeting.h"

#include <math.h>
#include <string.h>

enum { VERTEX_BLOCK = 4096 };
// Relative to the mean edge of a surface. Neighbours in a surface are near each other anyway: a
// surface that collides with itself is searched more often, with fewer pairs.
static const double SLACK = 0.25, SLACK_OF_SELF = 0.1;

double pl_step_meeting_slack(const pl_step_meeting* m, int surface) {
    const pl_contact_surface* s = &m->surfaces->surfaces[surface];
    return (s->meets_itself ? SLACK_OF_SELF : SLACK) * s->edge;
}

typedef struct places_job {
    const pl_step_meeting* m;
    const double* z;
} places_job;

// The fraction of their paths that the vertices of a surface have moved, if it is the same for all.
static double part_of_surface(const places_job* job, const pl_contact_surface* surface) {
    const pl_step_meeting* m = job->m;
    const int number = (int)(surface - m->surfaces->surfaces);
    double along = 0.0, square = 0.0;
    for (int v = surface->first_vertex; v < surface->end_vertex; v++) {
        if (m->surfaces->surface_of_vertex[v] != number) continue;
        const pl_vec3 from = pl_vec3_load(m->from + 3 * (size_t)v);
        const pl_vec3 way = pl_sub(pl_vec3_load(m->to + 3 * (size_t)v), from);
        along += pl_dot(way, pl_sub(pl_vec3_load(job->z + 3 * (size_t)v), from));
        square += pl_norm2(way);
    }
    return square > 0.0 ? fmin(fmax(along / square, 0.0), 1.0) : 0.0;
}

static void find_parts(const places_job* job) {
    for (int s = 0; s < job->m->surfaces->surface_count; s++) {
        pl_contact_surface* surface = &job->m->surfaces->surfaces[s];
        if (surface->moves_as_one) surface->way_part = part_of_surface(job, surface);
    }
}

// Number of vertices farther from their searched paths than the slack. For surfaces that move as
// one, the distance is that to the point at the common fraction of the path.
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
        double part = square > 0.0 ? fmin(fmax(along / square, 0.0), 1.0) : 0.0;
        if (m->surfaces->surfaces[surface].moves_as_one)
            part = m->surfaces->surfaces[surface].way_part;
        const double slack = pl_step_meeting_slack(m, surface);
        count += !(pl_norm2(pl_madd(d, -part, way)) <= slack * slack);
    }
    return count;
}

// Number of vertices outside the box of their surface. Boxes are enlarged by the thickness that
// vertices keep.
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

static bool look_at(const pl_step_meeting* m, const double* z) {
    places_job job = {m, z};
    if (m->is_apart)
        return pl_parallel_sum(m->f->pool, count_outside, m->vertex_count, VERTEX_BLOCK, &job) ==
               0.0;
    find_parts(&job);
    return pl_parallel_sum(m->f->pool, count_strays, m->vertex_count, VERTEX_BLOCK, &job) == 0.0 &&
           pl_surface_set_stays_flat(m->surfaces, m->f->pool, z);
}

// The energy, gradient and Hessian are evaluated at the same positions, one after the other.
static bool is_covered(pl_step_meeting* m, const double* z) {
    const size_t size = 3 * (size_t)m->vertex_count * sizeof(double);
    if (!m->is_searched) return false;
    if (m->has_covered && memcmp(m->covered, z, size) == 0) return true;
    if (!look_at(m, z)) return false;
    memcpy(m->covered, z, size);
    m->has_covered = true;
    return true;
}

bool pl_step_meeting_covers(pl_step_meeting* m, const double* from, const double* to) {
    return is_covered(m, from) && (from == to || is_covered(m, to));
}
