// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of Projective Dynamics with the gradient of the objective in double: for tolerances that
// float cannot reach, for elements that it does not have, and with the direct solver. Directions
// are in float, as cycles are.
#include "base/timer.h"
#include "fem/fem_projective_fast.h"
#include "fem/fem_search.h"
#include "math/float4.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { BLOCK = PL_PROJECTIVE_BLOCK };

static double largest(double a, double b) { return a > b ? a : b; }

static pl_f4 float4_of(pl_vec3 a) { return (pl_f4){(float)a.x, (float)a.y, (float)a.z, 0.0f}; }

typedef struct double_work {
    pl_projective_fast* p; // NULL: the minimiser's solver
    pl_minimiser* m;
    pl_fem_objective* f;
    pl_quasi_newton* quasi;
    const int* number; // of each vertex among those of `quasi`; NULL: its own
    const pl_fem_settings* settings;
    pl_detect detect;
    void* detect_user;
    pl_method_info* info;
    double scale; // of gradient and direction in float, so that small ones are not lost
    bool is_loaded;
} double_work;

static size_t place(const double_work* w, int v) {
    return 4 * (size_t)(w->number ? w->number[v] : v);
}

static void gradient_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const double_work* w = user;
    for (int v = begin; v < end; v++) {
        pl_vec3 g = pl_vec3_load(w->m->gradient + 3 * (size_t)v);
        pl_store4(w->quasi->gradient + place(w, v), float4_of(pl_scale(w->scale, g)));
    }
}

static void direction_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const double_work* w = user;
    for (int v = begin; v < end; v++)
        for (size_t c = 0; c < 3; c++)
            w->m->direction[3 * (size_t)v + c] =
                (double)w->quasi->direction[place(w, v) + c] / w->scale;
}

static void over_vertices(double_work* w, pl_task task) {
    pl_parallel_for(w->f->pool, task, w->f->vertex_count, BLOCK, w);
}

// the matrix of the direct solver, with the springs of contacts
static pl_status update_matrix(double_work* w, pl_error* error) {
    double start = pl_seconds();
    pl_fem_projective(w->f, &w->m->A);
    double assembled = pl_seconds();
    w->info->assembly_seconds += assembled - start;
    pl_status status = pl_minimiser_update_solver(w->m, w->info, error);
    w->info->linear_seconds += pl_seconds() - assembled;
    return status;
}

// without contacts
static void smooth_gradient(double_work* w, double* gradient) {
    int contact_count = w->f->contact_count;
    w->f->contact_count = 0;
    pl_fem_gradient(w->f, w->m->x, gradient, w->m->scratch);
    w->f->contact_count = contact_count;
}

// to the gradient, and to what quasi has of it
static pl_status add_contacts(double_work* w, pl_error* error) {
    const pl_fem_objective* f = w->f;
    for (int k = 0; k < f->contact_count; k++) {
        int v = f->contacts[k].vertex;
        double* g = w->m->gradient + 3 * (size_t)v;
        pl_vec3 contact = pl_fem_contact_gradient(f, k, w->m->x);
        if (!f->fixed[v]) pl_vec3_store(g, pl_add(pl_vec3_load(g), contact));
    }
    pl_holds_project(f->holds, f->hold_count, w->m->gradient);
    pl_status status = pl_projective_add_contacts(w->quasi, f, w->m->x, w->number, error);
    pl_quasi_contact* contacts = w->quasi->contacts.data;
    for (size_t k = 0; k < w->quasi->contacts.count; k++)
        for (int i = 0; i < 3; i++) contacts[k].gradient[i] *= (float)w->scale;
    return status;
}

static pl_status evaluate(void* user, int iteration, pl_error* error) {
    double_work* w = user;
    pl_minimiser* m = w->m;
    pl_status status = pl_projective_fast_detect(w->p, m, w->f, w->detect, w->detect_user, m->x,
                                                 iteration == 0, error);
    if (status == PL_OK && w->p && (w->detect || iteration == 0))
        status = pl_projective_fast_attach(w->p, w->f, m->x, error);
    if (status == PL_OK && !w->p && (w->detect || iteration == 0)) status = update_matrix(w, error);
    if (status != PL_OK) return status;
    smooth_gradient(w, m->gradient);
    if (iteration == 0) {
        double size = pl_vector_max_abs(m->count, m->gradient);
        w->scale = size > 0.0 ? 1.0 / size : 1.0;
    }
    over_vertices(w, gradient_task);
    return add_contacts(w, error);
}

// Raises the load of each piece to the forces at the start, but those of contacts: how deep a start
// lies in an obstacle says nothing of the forces at the end. False if nothing acts on any piece.
static bool start_loads(double_work* w) {
    pl_minimiser* m = w->m;
    bool in_contact = w->f->contact_count > 0;
    if (in_contact) smooth_gradient(w, m->trial_gradient);
    pl_pieces_norm(m->pieces, w->f->pool, in_contact ? m->trial_gradient : m->gradient,
                   m->search.tried);
    bool is_loaded = false;
    for (int k = 0; k < m->pieces->count; k++) {
        double* load = &m->search.piece[k].load;
        *load = largest(*load, m->search.tried[k]);
        is_loaded = is_loaded || *load != 0.0;
    }
    return is_loaded;
}

static bool judge(void* user, int iteration) {
    double_work* w = user;
    if (iteration == 0) w->is_loaded = start_loads(w);
    pl_search_judge(w->m, w->f, w->settings, false, w->info);
    bool at_the_end = w->info->residual <= pl_projective_aim(w->settings->tolerance);
    return w->info->converged && at_the_end &&
           (iteration > 0 || !w->is_loaded || w->info->iterations > 0);
}

// direction of quasi = A^-1 times what is there, by the direct solver
static void solve_direct(double_work* w) {
    pl_minimiser* m = w->m;
    double start = pl_seconds();
    pl_linear_info linear;
    pl_linear_options options = {w->settings->linear_tolerance, w->settings->linear_max_iterations};
    float* b = w->quasi->direction;
    for (int v = 0; v < w->f->vertex_count; v++)
        for (size_t c = 0; c < 3; c++) {
            m->trial[3 * (size_t)v + c] = (double)b[4 * (size_t)v + c];
            m->direction[3 * (size_t)v + c] = 0.0;
        }
    pl_linear_solve(m->solver, &options, m->trial, m->direction, &linear);
    pl_holds_project(w->f->holds, w->f->hold_count, m->direction);
    for (int v = 0; v < w->f->vertex_count; v++)
        pl_store4(b + 4 * (size_t)v, float4_of(pl_vec3_load(m->direction + 3 * (size_t)v)));
    w->info->linear_iterations += linear.iterations;
    w->info->linear_residual = linear.residual;
    w->info->switch_count += linear.switched;
    w->info->rigid_mode_count = linear.tiny_pivot_count;
    w->info->linear_seconds += pl_seconds() - start;
}

static pl_status find_direction(void* user, double* slope, pl_error* error) {
    double_work* w = user;
    pl_scalar_fine* fine = w->p ? pl_scalar_mg_fine(w->p->mg) : NULL;
    pl_status status = pl_quasi_newton_begin(w->quasi, w->p ? w->p->place_of : NULL,
                                             w->p ? fine->b : w->quasi->direction, error);
    if (status != PL_OK) return status;
    if (w->p) {
        pl_projective_fast_solve(w->p, w->settings, w->info);
        *slope = pl_quasi_newton_end(w->quasi, w->p->place_of, fine->x);
    } else {
        solve_direct(w);
        *slope = pl_quasi_newton_end(w->quasi, NULL, w->quasi->direction);
    }
    over_vertices(w, direction_task);
    if (w->f->free_bodies)
        pl_free_bodies_keep_place(w->f->free_bodies, w->f->mass, w->f->force, w->m->x,
                                  w->m->direction);
    pl_projective_follow_friction(w->m, w->f, w->m->x);
    return PL_OK;
}

static void advance(void* user, double length) {
    const double_work* w = user;
    pl_vector_axpy(w->f->pool, w->m->count, length, w->m->direction, w->m->x);
}

// A step that float began is compared with the loads that it began with.
static void begin_search(double_work* w, bool goes_on) {
    pl_search* s = &w->m->search;
    int count = w->m->pieces->count;
    for (int k = 0; k < count; k++) s->after[k] = goes_on ? s->piece[k].load : 0.0;
    pl_search_begin(w->m, w->f);
    for (int k = 0; k < count; k++) s->piece[k].load = largest(s->piece[k].load, s->after[k]);
}

pl_status pl_projective_minimise(pl_projective_fast* p, pl_minimiser* m, pl_fem_objective* f,
                                 const pl_fem_settings* settings, pl_detect detect,
                                 void* detect_user, bool goes_on, pl_method_info* info,
                                 pl_error* error) {
    double start = pl_seconds();
    pl_status status = p ? pl_projective_fast_prepare(p, f, error) : PL_OK;
    if (status != PL_OK) return status;
    info->assembly_seconds += pl_seconds() - start;
    double_work w = {.p = p,
                     .m = m,
                     .f = f,
                     .quasi = p ? &p->quasi : &m->quasi,
                     .number = p ? p->number : NULL,
                     .settings = settings,
                     .detect = detect,
                     .detect_user = detect_user,
                     .info = info};
    pl_projective_loop loop = {.quasi = w.quasi,
                               .settings = settings,
                               .info = info,
                               .user = &w,
                               .evaluate = evaluate,
                               .judge = judge,
                               .find_direction = find_direction,
                               .advance = advance};
    begin_search(&w, goes_on);
    status = pl_projective_iterate(&loop, error);
    if (status != PL_OK) return status;
    info->contact_count = f->contact_count;
    if (p) info->softened_count = p->softened_pin_count + p->softened_contact_count;
    return pl_search_is_finite(m, f) ? PL_OK : pl_fail_inverted(info, error);
}
