// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of Projective Dynamics with the gradient of the objective in double: for tolerances that
// float cannot reach, for elements without a float form, and with the direct solver. Directions are
// in float, like cycles.
#include "step/step_projective.h"
#include "base/timer.h"
#include "math/float4.h"
#include "sparse/vector.h"
#include "step/step_contacts.h"
#include "step/step_newton.h"
#include "step/step_search.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 2048 }; // vertices per task

static double largest(double a, double b) { return a > b ? a : b; }

// initial estimate of friction in a step
static void start_friction(pl_minimiser* m, const pl_step_objective* f) {
    memset(m->friction_dual, 0, (size_t)m->count * sizeof(double));
    for (int k = 0; k < f->contact_count; k++) {
        const pl_contact* c = &f->contacts[k];
        if (!(c->friction * c->normal_force > 0.0)) continue;
        pl_vec3_store(m->friction_dual + 3 * (size_t)c->vertex, pl_step_first_dual(f, c));
    }
}

// Normal forces of friction are updated in every iteration: steps are short, and a minimum with old
// normal forces would not be a minimum of the step.
static void settle_contacts(const pl_projective_solver* solver, const pl_step_objective* f,
                            pl_array* contacts, const double* x) {
    pl_contact* contact = contacts->data;
    if (solver->functions->soften)
        solver->functions->soften(solver->data, contact, (int)contacts->count);
    for (int k = 0; k < f->contact_count; k++)
        contact[k].normal_force = pl_step_normal_force(f, k, x);
}

pl_status pl_projective_detect(const pl_projective_solver* solver, pl_minimiser* m,
                               pl_step_objective* f, pl_detect detect, void* user, const double* x,
                               bool first, pl_error* error) {
    f->friction_dual = m->friction_dual;
    const double* end = detect ? pl_step_end_positions(f, x, m->scratch) : x;
    pl_status status = pl_detect_all(detect, user, f->start, end, &m->found, error);
    if (status != PL_OK) return status;
    f->contacts = m->found.data;
    f->contact_count = (int)m->found.count;
    if (detect) settle_contacts(solver, f, &m->found, x);
    if (detect && first) start_friction(m, f);
    return PL_OK;
}

void pl_projective_follow_friction(pl_minimiser* m, const pl_step_objective* f, const double* x) {
    for (int k = 0; k < m->pieces->count; k++) m->search.lengths[k] = 1.0;
    pl_step_friction_dual(f, x, m->pieces->piece_of, m->search.lengths, m->direction,
                          m->friction_dual);
}

typedef struct double_work {
    const pl_projective_solver* solver;
    pl_minimiser* m;
    pl_step_objective* f;
    const pl_step_settings* settings;
    pl_detect detect;
    void* detect_user;
    pl_method_info* info;
    double scale; // of gradient and direction in float, so that small ones are not lost
    bool is_loaded;
    bool relaxes; // springs relax between iterations
    int round;    // number of contact searches, if springs relax
} double_work;

static size_t place(const double_work* w, int v) {
    return 4 * (size_t)(w->solver->number ? w->solver->number[v] : v);
}

static void gradient_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const double_work* w = user;
    for (int v = begin; v < end; v++) {
        pl_vec3 g = pl_vec3_load(w->m->gradient + 3 * (size_t)v);
        pl_store4(w->solver->quasi->gradient + place(w, v), pl_float4_of(pl_scale(w->scale, g)));
    }
}

static void direction_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const double_work* w = user;
    for (int v = begin; v < end; v++)
        for (size_t c = 0; c < 3; c++)
            w->m->direction[3 * (size_t)v + c] =
                (double)w->solver->quasi->direction[place(w, v) + c] / w->scale;
}

static void over_vertices(double_work* w, pl_task task) {
    pl_parallel_for(w->f->pool, task, w->f->vertex_count, BLOCK, w);
}

// the gradient without contacts
static void smooth_gradient(double_work* w, double* gradient) {
    int contact_count = w->f->contact_count;
    w->f->contact_count = 0;
    pl_step_gradient(w->f, w->m->x, gradient, w->m->scratch);
    w->f->contact_count = contact_count;
}

// adds contacts to the gradient, and to the contacts of quasi
static pl_status add_contacts(double_work* w, pl_error* error) {
    const pl_step_objective* f = w->f;
    for (int k = 0; k < f->contact_count; k++) {
        int v = f->contacts[k].vertex;
        double* g = w->m->gradient + 3 * (size_t)v;
        pl_vec3 contact = pl_step_contact_gradient(f, k, w->m->x);
        if (!f->fixed[v]) pl_vec3_store(g, pl_add(pl_vec3_load(g), contact));
    }
    pl_holds_project(f->holds, f->hold_count, w->m->gradient);
    pl_status status =
        pl_projective_add_contacts(w->solver->quasi, f, w->m->x, w->solver->number, error);
    pl_quasi_contact* contacts = w->solver->quasi->contacts.data;
    for (size_t k = 0; k < w->solver->quasi->contacts.count; k++)
        for (int i = 0; i < 3; i++) contacts[k].gradient[i] *= (float)w->scale;
    return status;
}

// Sweeps move some vertices out of obstacles and others in. With the contacts of x alone they would
// alternate for ever, so earlier contacts of the step are kept.
static pl_status find_contacts(double_work* w, bool first, pl_error* error) {
    pl_minimiser* m = w->m;
    if (!w->relaxes)
        return pl_projective_detect(w->solver, m, w->f, w->detect, w->detect_user, m->x, first,
                                    error);
    pl_status status = pl_step_contacts_find(m, w->f, w->detect, w->detect_user, w->round++, error);
    if (status == PL_OK) settle_contacts(w->solver, w->f, &m->contacts, m->x);
    return status;
}

static pl_status evaluate(void* user, int iteration, pl_error* error) {
    double_work* w = user;
    pl_minimiser* m = w->m;
    const pl_projective_solver* solver = w->solver;
    pl_status status = find_contacts(w, iteration == 0, error);
    if (status == PL_OK && (w->detect || iteration == 0))
        status = solver->functions->attach(solver->data, w->f, m->x, w->info, error);
    if (status != PL_OK) return status;
    smooth_gradient(w, m->gradient);
    if (iteration == 0) {
        double size = pl_vector_max_abs(m->count, m->gradient);
        w->scale = size > 0.0 ? 1.0 / size : 1.0;
    }
    over_vertices(w, gradient_task);
    return add_contacts(w, error);
}

// Raises the load of each piece to the forces at the start, except those of contacts: how deep the
// start is inside an obstacle says nothing about the forces at the end. False if no force acts on
// any piece.
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

static pl_status find_direction(void* user, double* slope, pl_error* error) {
    double_work* w = user;
    pl_status status = w->solver->functions->find_direction(w->solver->data, w->m, w->f,
                                                            w->settings, w->info, slope, error);
    if (status != PL_OK) return status;
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

// Springs relax in each iteration before its direction is found. In the constant matrix a spring is
// as stiff across as along its direction, so bending and wrinkling of cloth, which have almost no
// stiffness, would need hundreds of iterations. Sweeps find these, and the matrix the smooth
// motions.
static pl_status relax(void* user, int iteration, bool* moved, pl_error* error) {
    double_work* w = user;
    pl_minimiser* m = w->m;
    const pl_relax_functions* functions = m->relax.functions;
    pl_status status = functions->contacts(m->relax.data, w->f, error);
    if (status != PL_OK) return status;
    memcpy(m->trial, m->x, (size_t)m->count * sizeof(double));
    functions->sweep(m->relax.data, w->f, m->gradient, m->pieces->piece_of, NULL, NULL, m->trial);
    *moved = pl_search_take_lower(m, w->f);
    return *moved ? evaluate(w, iteration, error) : PL_OK;
}

// A step that was started in float keeps the loads of its start.
static void begin_search(double_work* w, bool goes_on) {
    pl_search* s = &w->m->search;
    int count = w->m->pieces->count;
    for (int k = 0; k < count; k++) s->after[k] = goes_on ? s->piece[k].load : 0.0;
    pl_search_begin(w->m, w->f);
    for (int k = 0; k < count; k++) s->piece[k].load = largest(s->piece[k].load, s->after[k]);
}

static void begin_relaxing(pl_minimiser* m, pl_step_objective* f) {
    f->round_contacts = true;
    memset(m->contact_mark, 0, (size_t)f->vertex_count * sizeof(int));
    m->contacts.count = m->found.count = 0;
    m->relax.functions->begin(m->relax.data, f);
}

pl_status pl_projective_minimise(const pl_projective_solver* solver, pl_minimiser* m,
                                 pl_step_objective* f, const pl_step_settings* settings,
                                 pl_detect detect, void* detect_user, bool goes_on,
                                 pl_method_info* info, pl_error* error) {
    double start = pl_seconds();
    pl_status status = solver->functions->prepare(solver->data, f, error);
    if (status != PL_OK) return status;
    info->assembly_seconds += pl_seconds() - start;
    double_work w = {.solver = solver,
                     .m = m,
                     .f = f,
                     .settings = settings,
                     .detect = detect,
                     .detect_user = detect_user,
                     .info = info,
                     .relaxes = m->relax.data && pl_step_has_energy(f)};
    pl_projective_loop loop = {.quasi = solver->quasi,
                               .settings = settings,
                               .deadline = m->deadline,
                               .info = info,
                               .user = &w,
                               .evaluate = evaluate,
                               .judge = judge,
                               .find_direction = find_direction,
                               .advance = advance,
                               .relax = w.relaxes ? relax : NULL};
    begin_search(&w, goes_on);
    if (w.relaxes) begin_relaxing(m, f);
    status = pl_projective_iterate(&loop, error);
    if (status != PL_OK) return status;
    info->contact_count = (int)m->found.count;
    if (solver->functions->softened_count)
        info->softened_count = solver->functions->softened_count(solver->data);
    return pl_search_is_finite(m, f) ? PL_OK : pl_fail_inverted(info, error);
}
