// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/spring_quads.h"
#include "base/memory.h"
#include "material/spring.h"

void pl_spring_quads_free(pl_spring_quads* q) {
    PL_FREE(q->quads, pl_spring_quad, q->quad_count);
    PL_FREE(q->groups, pl_gather_group, q->group_count);
    *q = (pl_spring_quads){0};
}

// Springs of a vertex come first in its groups; what is left of the last one leads to itself.
static int spring_count(const pl_spring_gather* g, int v) {
    int count = 0;
    for (int k = 4 * g->offsets[v]; k < 4 * g->offsets[v + 1]; k++)
        if (g->groups[k / 4].others[k % 4] != v) count = k + 1 - 4 * g->offsets[v];
    return count;
}

static void fill_lane(pl_spring_quads* q, const pl_spring_quad* quad, int lane) {
    const pl_spring_gather* g = q->gather;
    const int v = quad->vertices[lane], first = 4 * g->offsets[v], end = 4 * g->offsets[v + 1];
    for (int k = quad->begin; k < quad->end; k++) {
        const int from = first + k - quad->begin;
        const bool exists = lane < quad->count && from < end;
        const pl_gather_group* spring = &g->groups[exists ? from / 4 : 0];
        pl_gather_group* to = &q->groups[k];
        to->others[lane] = exists ? spring->others[from % 4] : v;
        to->rest[lane] = exists ? spring->rest[from % 4] : 0.0;
        to->stiffness[lane] = exists ? spring->stiffness[from % 4] : 0.0;
    }
}

void pl_spring_quads_refresh(pl_spring_quads* q) {
    for (int k = 0; k < q->quad_count; k++)
        for (int lane = 0; lane < 4; lane++) fill_lane(q, &q->quads[k], lane);
}

pl_status pl_spring_quads_setup(pl_spring_quads* q, const pl_spring_gather* gather,
                                const int32_t* vertices, const int* counts, int quad_count,
                                pl_error* error) {
    *q = (pl_spring_quads){.gather = gather, .quad_count = quad_count};
    q->quads = PL_ALLOC(pl_spring_quad, quad_count);
    if (!q->quads && quad_count) return pl_fail_memory(error, "springs");
    for (int k = 0; k < quad_count; k++) {
        pl_spring_quad* quad = &q->quads[k];
        int most = 0;
        quad->count = counts[k];
        for (int lane = 0; lane < 4; lane++) {
            int v = vertices[4 * (size_t)k + (size_t)(lane < counts[k] ? lane : 0)];
            quad->vertices[lane] = v;
            most = spring_count(gather, v) > most ? spring_count(gather, v) : most;
        }
        quad->begin = q->group_count;
        quad->end = q->group_count += most;
    }
    q->groups = PL_ALLOC(pl_gather_group, q->group_count);
    if (!q->groups && q->group_count) return pl_fail_memory(error, "springs");
    pl_spring_quads_refresh(q);
    return PL_OK;
}

void pl_spring_quad_forces(const pl_spring_quads* q, const pl_spring_quad* quad, const double* x,
                           const pl_d4 own[3], pl_d4 gradient[3], pl_d4 hessian[6]) {
    const int last = q->gather->vertex_count - 1;
    pl_d4 force[3] = {{0}, {0}, {0}}, H[6] = {{0}, {0}, {0}, {0}, {0}, {0}}, d[3];
    for (int k = quad->begin; k < quad->end; k++) {
        const pl_gather_group* g = &q->groups[k];
        pl_d4 rest = pl_load_d4(g->rest), stiffness = pl_load_d4(g->stiffness);
        pl_load_points_d4(x, g->others, last, d);
        for (int c = 0; c < 3; c++) d[c] -= own[c];
        pl_d4 square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], length = pl_sqrt_d4(square);
        pl_i4 usable = length > PL_SPRING_LEAST * rest;
        pl_d4 inverse = 1.0 / length; // divisions are what takes time
        pl_d4 pull = pl_where_d4(usable, stiffness * (length - rest) * inverse);
        // what resists across the spring
        pl_d4 side = pl_select_d4(usable, pl_where_d4(pull > 0.0, pull), stiffness);
        pl_d4 along = pl_where_d4(usable, (stiffness - side) * inverse * inverse);
        for (int c = 0; c < 3; c++) force[c] += pull * d[c];
        for (int i = 0, k6 = 0; i < 3; i++)
            for (int j = i; j < 3; j++, k6++)
                H[k6] += along * d[i] * d[j] + (i == j ? side : (pl_d4){0});
    }
    for (int c = 0; c < 3; c++) gradient[c] = -force[c];
    for (int k = 0; k < 6; k++) hessian[k] = H[k];
}
