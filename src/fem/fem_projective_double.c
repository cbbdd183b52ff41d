// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of Projective Dynamics with the gradient of the objective in double, for tolerances that
// float cannot reach and for elements that it does not have. Only the cycles are in float.
#include "base/timer.h"
#include "fem/fem_projective_fast.h"
#include "fem/fem_search.h"
#include "math/float4.h"
#include "sparse/vector.h"

#include <math.h>

enum { BLOCK = PL_PROJECTIVE_BLOCK, MAX_HALVINGS = 8 };

static double largest(double a, double b) { return a > b ? a : b; }

static pl_f4 float4_of(pl_vec3 a) { return (pl_f4){(float)a.x, (float)a.y, (float)a.z, 0.0f}; }

typedef struct double_work {
    pl_projective_fast* p;
    pl_minimiser* m;
    double scale; // of b
} double_work;

static void gather_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const double_work* w = user;
    pl_scalar_fine* fine = pl_scalar_mg_fine(w->p->mg);
    for (int place = begin; place < end; place++) {
        int row = fine->order.row[place];
        pl_f4 b = {0};
        if (row >= 0 && fine->inverse[place] != 0.0f)
            b = float4_of(pl_scale(-w->scale, pl_vec3_load(w->m->gradient + 3 * (size_t)row)));
        pl_store4(fine->b + 4 * (size_t)place, b);
    }
}

static void scatter_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const double_work* w = user;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(w->p->mg);
    for (int v = begin; v < end; v++)
        for (size_t c = 0; c < 3; c++)
            w->m->direction[3 * (size_t)v + c] =
                (double)fine->x[4 * (size_t)fine->order.place[v] + c] / w->scale;
}

// direction = -A^-1 gradient; the gradient is scaled, so that small ones are not lost in float
static void find_direction(pl_projective_fast* p, pl_minimiser* m, const pl_fem_settings* settings,
                           pl_method_info* info) {
    double size = pl_vector_max_abs(m->count, m->gradient);
    double_work w = {p, m, size > 0.0 ? 1.0 / size : 1.0};
    pl_parallel_for(p->pool, gather_task, pl_scalar_mg_fine(p->mg)->order.place_count, BLOCK, &w);
    pl_projective_fast_solve(p, settings, info);
    pl_parallel_for(p->pool, scatter_task, p->vertex_count, BLOCK, &w);
}

static pl_status evaluate_double(pl_projective_fast* p, pl_minimiser* m, pl_fem_objective* f,
                                 pl_detect detect, void* detect_user, int iteration,
                                 pl_error* error) {
    pl_status status =
        pl_projective_fast_detect(p, m, f, detect, detect_user, m->x, iteration == 0, error);
    if (status == PL_OK && (detect || iteration == 0))
        status = pl_projective_fast_attach(p, f, m->x, error);
    if (status == PL_OK) pl_fem_gradient(f, m->x, m->gradient, m->scratch);
    return status;
}

// Raises the load of each piece to the forces at the start, but those of contacts: how deep a start
// lies in an obstacle says nothing of the forces at the end. False if nothing acts on any piece.
static bool start_loads(pl_minimiser* m, pl_fem_objective* f) {
    int contact_count = f->contact_count;
    f->contact_count = 0;
    if (contact_count > 0) pl_fem_gradient(f, m->x, m->trial_gradient, m->scratch);
    f->contact_count = contact_count;
    pl_pieces_norm(m->pieces, f->pool, contact_count > 0 ? m->trial_gradient : m->gradient,
                   m->search.tried);
    bool is_loaded = false;
    for (int k = 0; k < m->pieces->count; k++) {
        double* load = &m->search.piece[k].load;
        *load = largest(*load, m->search.tried[k]);
        is_loaded = is_loaded || *load != 0.0;
    }
    return is_loaded;
}

pl_status pl_projective_minimise(pl_projective_fast* p, pl_minimiser* m, pl_fem_objective* f,
                                 const pl_fem_settings* settings, pl_detect detect,
                                 void* detect_user, pl_method_info* info, pl_error* error) {
    double start = pl_seconds();
    pl_status status = pl_projective_fast_prepare(p, f, error);
    if (status != PL_OK) return status;
    info->assembly_seconds += pl_seconds() - start;
    double slope = 0.0;
    bool is_loaded = false;
    pl_search_begin(m, f);
    for (int k = 0;; k++) {
        status = evaluate_double(p, m, f, detect, detect_user, k, error);
        float length = 1.0f;
        for (int halving = 0;
             status == PL_OK && k > 0 && settings->line_search && halving < MAX_HALVINGS &&
             pl_vector_dot(p->pool, m->count, m->gradient, m->direction) > -slope;
             halving++) {
            length *= 0.5f;
            pl_vector_axpy(p->pool, m->count, -(double)length, m->direction, m->x);
            status = evaluate_double(p, m, f, detect, detect_user, k, error);
        }
        if (status != PL_OK) return status;
        if (k == 0) is_loaded = start_loads(m, f);
        pl_search_judge(m, f, settings, false, info);
        if (!isfinite(info->residual))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "iteration %d of the step has forces that are not finite", k);
        bool over = info->converged && (k > 0 || !is_loaded || info->iterations > 0);
        if (info->iterations >= settings->max_iterations || (over && !settings->all_iterations))
            break;
        find_direction(p, m, settings, info);
        if (f->free_bodies)
            pl_free_bodies_keep_place(f->free_bodies, f->mass, f->force, m->x, m->direction);
        slope = pl_vector_dot(p->pool, m->count, m->gradient, m->direction);
        pl_vector_axpy(p->pool, m->count, 1.0, m->direction, m->x);
        info->iterations++;
    }
    info->contact_count = f->contact_count;
    info->softened_count = p->softened_pin_count + p->softened_contact_count;
    return PL_OK;
}
