// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Zhu 2010, section 5.3: L_i u = D_j P_ij (Eq. 11) with interior stresses from Eq. 9 and 10 and
// without boundary stresses, in units where mu and the cell edge are 1; and the pressure equation
// D_i u_i + (mu/lambda) p, minus half of each boundary stress.
#include "grid/grid_linear.h"

#include <math.h>

enum { ROWS = 64 };

// divergence D_j P_aj at a face
static double stress_force(const pl_grid_level* l, const pl_grid_state* s, const pl_grid_segment* g,
                           int a, int i) {
    int at = g->begin + i, low = pl_grid_below(g, a, i);
    const double* u = s->u[a];
    double sum = 0.0;
    if (pl_grid_has_stress(l, a, at)) sum += 2.0 * (u[pl_grid_above(g, a, i)] - u[at]) - s->p[at];
    if (pl_grid_has_stress(l, a, low)) sum -= 2.0 * (u[at] - u[low]) - s->p[low];
    for (int n = 1; n < 3; n++) {
        int b = (a + n) % 3, axis = 3 - a - b, high = pl_grid_above(g, b, i);
        const double* v = s->u[b];
        if (pl_grid_has_edge(l, axis, high))
            sum += u[high] - u[at] + v[high] - v[pl_grid_corner(g, b, a, i)];
        if (pl_grid_has_edge(l, axis, at))
            sum -= u[at] - u[pl_grid_below(g, b, i)] + v[at] - v[low];
    }
    return sum;
}

// interior part of the divergence of a cell; and the coefficient of its pressure
static double divergence(const pl_grid_level* l, const pl_grid_state* s, const pl_grid_segment* g,
                         int i, double* factor) {
    double sum = 0.0;
    *factor = s->compressibility;
    for (int a = 0; a < 3; a++)
        if (pl_grid_has_stress(l, a, g->begin + i))
            sum += s->u[a][pl_grid_above(g, a, i)] - s->u[a][g->begin + i];
        else *factor += 0.5;
    return sum;
}

static inline double residual_of_face(const pl_grid_level* l, const pl_grid_state* s,
                                      const pl_grid_segment* g, int a, int i) {
    int at = g->begin + i;
    return s->f[a][at] + pl_grid_inertia_of(s, a, at) * s->u[a][at] - stress_force(l, s, g, a, i);
}
static inline double residual_of_cell(const pl_grid_level* l, const pl_grid_state* s,
                                      const pl_grid_segment* g, int i) {
    double factor, d = divergence(l, s, g, i, &factor);
    return s->g[g->begin + i] - d - factor * s->p[g->begin + i];
}

double pl_grid_face_residual(const pl_grid_level* l, const pl_grid_state* s,
                             const pl_grid_segment* g, int a, int i) {
    return residual_of_face(l, s, g, a, i);
}
double pl_grid_cell_residual(const pl_grid_level* l, const pl_grid_state* s,
                             const pl_grid_segment* g, int i) {
    return residual_of_cell(l, s, g, i);
}

typedef struct residual_job {
    pl_grid_linear_level* level;
    const pl_grid_state* state;
} residual_job;

static double residual_part(int begin, int end, void* user) {
    const residual_job* job = user;
    pl_grid_linear_level* level = job->level;
    const pl_grid_level* l = level->layout;
    const pl_grid_state* s = job->state;
    double sum = 0.0;
    for (int k = l->row_segments[begin]; k < l->row_segments[end]; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            int at = g->begin + i, place = pl_place_of(at);
            const pl_grid_masks* m = &l->masks[at / PL_GRID_CHUNK];
            for (int a = 0; a < 3; a++) {
                if (!pl_grid_bit(m->face[a], at)) continue;
                double r = residual_of_face(l, s, g, a, i);
                level->f[a][place] = (float)r;
                sum += r * r;
            }
            if (!pl_grid_bit(m->interior, at)) continue;
            double r = residual_of_cell(l, s, g, i);
            level->g[place] = (float)r;
            sum += r * r;
        }
    }
    return sum;
}

double pl_grid_residual(pl_grid_linear_level* level, const pl_grid_state* state, pl_pool* pool) {
    residual_job job = {level, state};
    return sqrt(pl_parallel_sum(pool, residual_part,
                                level->layout->size[1] * level->layout->size[2], ROWS, &job));
}

void pl_grid_apply(const pl_grid_level* l, const pl_grid_state* s, bool everywhere,
                   double* const out[3]) {
    for (int k = 0; k < l->segment_count; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                int at = g->begin + i;
                bool own = pl_grid_bit(l->masks[at / PL_GRID_CHUNK].face[a], at);
                out[a][at] = own || everywhere ? stress_force(l, s, g, a, i) : 0.0;
            }
    }
}

double pl_grid_energy(const pl_grid_level* l, const pl_grid_state* s) {
    double sum = 0.0;
    for (int k = 0; k < l->segment_count; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            int at = g->begin + i;
            const pl_grid_masks* m = &l->masks[at / PL_GRID_CHUNK];
            if (pl_grid_bit(m->interior, at)) {
                double factor, d = divergence(l, s, g, i, &factor);
                sum += 0.5 * d * d / factor;
                for (int a = 0; a < 3; a++) {
                    double stretch = s->u[a][pl_grid_above(g, a, i)] - s->u[a][at];
                    if (pl_grid_has_stress(l, a, at)) sum += stretch * stretch;
                }
            }
            for (int n = 0; n < 3; n++) {
                int a = (n + 1) % 3, b = (n + 2) % 3;
                if (!pl_grid_has_edge(l, n, at)) continue;
                double shear = s->u[a][at] - s->u[a][pl_grid_below(g, b, i)] + s->u[b][at] -
                               s->u[b][pl_grid_below(g, a, i)];
                sum += 0.5 * shear * shear;
            }
        }
    }
    return sum;
}

// Where a correction is added: a state, or fields.
typedef struct correct_job {
    const pl_grid_linear_level* level;
    pl_grid_state* state;
    float* const* to;
} correct_job;

// change of an interior cell's pressure: c holds div(u) - p in core cells
static float pressure_change(const pl_grid_linear_level* l, const pl_grid_segment* g, int i) {
    const int at = g->begin + i, place = pl_place_of(at);
    if (!pl_grid_bit(l->layout->masks[at / PL_GRID_CHUNK].core, at)) return l->c[place];
    float divergence = 0.0f;
    for (int a = 0; a < 3; a++)
        divergence += l->u[a][pl_place_of(pl_grid_above(g, a, i))] - l->u[a][place];
    return divergence - l->c[place];
}

static void correct_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const correct_job* job = user;
    const pl_grid_linear_level* l = job->level;
    for (int k = l->layout->row_segments[begin]; k < l->layout->row_segments[end]; k++) {
        const pl_grid_segment* g = &l->layout->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            const int at = g->begin + i, place = pl_place_of(at);
            const pl_grid_masks* m = &l->layout->masks[at / PL_GRID_CHUNK];
            for (int n = 0; n < 4; n++) {
                float change = 0.0f;
                if (n < 3 && pl_grid_bit(m->face[n], at)) change = l->u[n][place];
                if (n == 3 && pl_grid_bit(m->interior, at)) change = pressure_change(l, g, i);
                if (job->to) job->to[n][at] = change;
                else (n < 3 ? job->state->u[n] : job->state->p)[at] += (double)change;
            }
        }
    }
}

void pl_grid_correct(const pl_grid_linear_level* level, pl_grid_state* state, pl_pool* pool) {
    pl_parallel_for(pool, correct_task, level->layout->size[1] * level->layout->size[2], ROWS,
                    &(correct_job){level, state, NULL});
}
void pl_grid_take_correction(const pl_grid_linear_level* level, float* const to[4], pl_pool* pool) {
    pl_parallel_for(pool, correct_task, level->layout->size[1] * level->layout->size[2], ROWS,
                    &(correct_job){level, NULL, to});
}

void pl_grid_substitute(const pl_grid_level* l, pl_grid_state* s) {
    for (int k = 0; k < l->segment_count; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            int at = g->begin + i;
            if (!pl_grid_bit(l->masks[at / PL_GRID_CHUNK].interior, at)) continue;
            double factor, d = divergence(l, s, g, i, &factor);
            s->p[at] = (s->g[at] - d) / factor;
        }
    }
}
