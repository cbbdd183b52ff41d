// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/spring_gather.h"
#include "base/memory.h"
#include "material/spring.h"
#include "math/double4.h"

#include <math.h>

void pl_spring_gather_destroy(pl_spring_gather* g) {
    if (!g) return;
    PL_FREE(g->offsets, int, g->vertex_count + 1);
    PL_FREE(g->groups, pl_gather_group, g->group_count);
    PL_FREE(g->places, int, 2 * (size_t)g->spring_count);
    PL_FREE(g, pl_spring_gather, 1);
}

// offsets, in groups; false if memory runs out
static bool count_groups(pl_spring_gather* g, const int* ends) {
    g->offsets = PL_ALLOC(int, g->vertex_count + 1);
    if (!g->offsets) return false;
    for (int k = 0; k < 2 * g->spring_count; k++) g->offsets[ends[k] + 1]++;
    for (int v = 0; v < g->vertex_count; v++)
        g->offsets[v + 1] = g->offsets[v] + (g->offsets[v + 1] + 3) / 4;
    g->group_count = g->offsets[g->vertex_count];
    return true;
}

static void fill_groups(pl_spring_gather* g, const int* ends, const double* rest,
                        const double* stiffness, int* filled) {
    for (int v = 0; v < g->vertex_count; v++)
        for (int k = g->offsets[v]; k < g->offsets[v + 1]; k++)
            for (int lane = 0; lane < 4; lane++) g->groups[k].others[lane] = v;
    for (int k = 0; k < 2 * g->spring_count; k++) {
        int place = 4 * g->offsets[ends[k]] + filled[ends[k]]++;
        g->places[k] = place;
        g->groups[place / 4].others[place % 4] = ends[k ^ 1];
        g->groups[place / 4].rest[place % 4] = rest[k / 2];
        g->groups[place / 4].stiffness[place % 4] = stiffness[k / 2];
    }
}

pl_status pl_spring_gather_create(pl_spring_gather** out, const int* ends, const double* rest,
                                  const double* stiffness, int spring_count, int vertex_count,
                                  pl_error* error) {
    *out = NULL;
    pl_spring_gather* g = PL_ALLOC(pl_spring_gather, 1);
    if (!g) return pl_fail_memory(error, "springs");
    *g = (pl_spring_gather){.vertex_count = vertex_count, .spring_count = spring_count};
    int* filled = PL_ALLOC(int, vertex_count);
    bool ok = filled && count_groups(g, ends);
    if (ok) {
        g->groups = PL_ALLOC(pl_gather_group, g->group_count);
        g->places = PL_ALLOC(int, 2 * (size_t)spring_count);
        ok = spring_count == 0 || (g->groups && g->places);
    }
    if (ok) fill_groups(g, ends, rest, stiffness, filled);
    PL_FREE(filled, int, vertex_count);
    if (ok) *out = g;
    else pl_spring_gather_destroy(g);
    return ok ? PL_OK : pl_fail_memory(error, "springs");
}

void pl_spring_gather_set(pl_spring_gather* g, int spring, double stiffness) {
    for (int k = 2 * spring; k < 2 * spring + 2; k++)
        g->groups[g->places[k] / 4].stiffness[g->places[k] % 4] = stiffness;
}

double pl_spring_gather_add(const pl_spring_gather* gather, int begin, int end, const double* x,
                            double* gradient) {
    int last = gather->vertex_count - 1;
    pl_d4 energy = {0};
    for (int v = begin; v < end; v++) {
        const double* own = x + 3 * (size_t)v;
        pl_d4 sum[3] = {{0}, {0}, {0}}, d[3];
        for (int k = gather->offsets[v]; k < gather->offsets[v + 1]; k++) {
            const pl_gather_group* g = &gather->groups[k];
            pl_d4 rest = pl_load_d4(g->rest), stiffness = pl_load_d4(g->stiffness);
            pl_load_points_d4(x, g->others, last, d);
            for (int c = 0; c < 3; c++) d[c] -= own[c];
            pl_d4 square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], strain;
            pl_d4 pull = pl_spring_pull_d4(square, rest, stiffness, &strain);
            energy += stiffness * strain * strain;
            for (int c = 0; c < 3; c++) sum[c] += pull * d[c];
        }
        for (int c = 0; c < 3; c++)
            gradient[3 * (size_t)v + (size_t)c] -=
                (sum[c][0] + sum[c][1]) + (sum[c][2] + sum[c][3]);
    }
    return 0.25 * ((energy[0] + energy[1]) + (energy[2] + energy[3]));
}
