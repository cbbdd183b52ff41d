// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bounds for single vertices of surfaces in contact, for sweeps that move one vertex after the
// other and do not know pairs.
#include "step/step_meeting.h"

#include <math.h>

enum { PAIR_BLOCK = 256 };
// How far vertices may move between checks, relative to the distance of their pair. Two that
// approach each other keep the rest of it.
static const double ROOM_PART = 0.4;

typedef struct distance_job {
    const pl_step_meeting* m;
    const double* z;
} distance_job;

static void distance_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const distance_job* job = user;
    const pl_contact_pair* pairs = job->m->pairs.data;
    double* distances = job->m->parts.data;
    for (int k = begin; k < end; k++) {
        const pl_quad at = pl_pair_places(&pairs[k], job->z);
        distances[k] = pl_quad_distance(&at, pairs[k].is_edges, NULL);
    }
}

// No point of a vertex, triangle or edge moves farther than its corners.
static void find_rooms(pl_step_meeting* m, const double* x, pl_vertex_bound* bounds) {
    const distance_job job = {m, pl_step_end_positions(m->f, x, m->ends[0])};
    const double part = ROOM_PART / pl_step_end_scale(m->f);
    const pl_contact_pair* pairs = m->pairs.data;
    const double* distances = m->parts.data;
    pl_parallel_for(m->f->pool, distance_task, (int)m->pairs.count, PAIR_BLOCK, (void*)&job);
    for (size_t k = 0; k < m->pairs.count; k++)
        for (int i = 0; i < 4; i++) {
            double* room = &bounds[pairs[k].v[i]].room;
            *room = fmin(*room, part * distances[k]);
        }
}

// A row r r' couples four corners: (sum of r_i x_i)^2 <= 4 sum of (r_i x_i)^2.
static void add_blocks(const pl_step_meeting* m, pl_vertex_bound* bounds) {
    const pl_meeting_row* rows = m->rows.data;
    for (size_t k = 0; k < m->rows.count; k++)
        for (size_t i = 0; i < 4; i++) {
            const double* r = rows[k].r + 3 * i;
            double* block = bounds[rows[k].v[i]].block;
            for (int a = 0, e = 0; a < 3; a++)
                for (int b = a; b < 3; b++) block[e++] += 4.0 * r[a] * r[b];
        }
}

void pl_step_meeting_bound(pl_step_meeting* m, const double* x, pl_vertex_bound* bounds) {
    pl_error error;
    if (pl_step_meeting_update(m, x, &error) != PL_OK ||
        !pl_step_meeting_resize(&m->parts, m->pairs.count)) {
        m->out_of_memory = true;
        return;
    }
    find_rooms(m, x, bounds);
    add_blocks(m, bounds);
}
